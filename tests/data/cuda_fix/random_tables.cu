// A lagged Fibonacci generator of 32 words for each of 64 threads.
__global__ void lagged(unsigned* out, unsigned* states, int rounds) {
  __shared__ unsigned lag[64][32];
  const int t = threadIdx.x;
  for (int i = t; i < 64 * 32; i += 64) lag[i / 32][i % 32] = states[blockIdx.x * 2048 + i];
  __syncthreads();
  unsigned sum = 0;
  for (int r = 0; r < rounds; ++r) {
    for (int i = 0; i < 32; ++i) {
      unsigned next = lag[t][i] + lag[t][(i + 13) % 32];
      lag[t][i] = next;
      sum ^= next >> 3;
    }
  }
  __syncthreads();
  for (int i = t; i < 64 * 32; i += 64) states[blockIdx.x * 2048 + i] = lag[i / 32][i % 32];
  out[blockIdx.x * 64 + t] = sum;
}
void launch(unsigned* out, unsigned* states) { lagged<<<4096, 64>>>(out, states, 8); }
