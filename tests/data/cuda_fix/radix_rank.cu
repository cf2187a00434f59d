// Ranks of 4-bit digits: 16 counters a thread, scanned digit by digit.
__global__ void rank_digits(unsigned* ranks, const unsigned* keys) {
  __shared__ unsigned short counters[64][16];
  int t = threadIdx.x;
  for (int d = 0; d < 16; d++) counters[t][d] = 0;
  for (int i = 0; i < 8; i++) {
    unsigned digit = keys[blockIdx.x * 512 + t * 8 + i] & 15;
    counters[t][digit] += 1;
  }
  __syncthreads();
  if (t < 16) {
    unsigned short run = 0;
    for (int i = 0; i < 64; i++) {
      unsigned short c = counters[i][t];
      counters[i][t] = run;
      run += c;
    }
  }
  __syncthreads();
  for (int d = 0; d < 16; d++) ranks[(blockIdx.x * 16 + d) * 64 + t] = counters[t][d];
}
void launch(unsigned* ranks, const unsigned* keys) { rank_digits<<<4096, 64>>>(ranks, keys); }
