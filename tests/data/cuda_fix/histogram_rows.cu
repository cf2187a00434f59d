// Counts are private to a thread; afterwards a thread per bin adds a row of the table up.
__global__ void count_digits(int* counts, const unsigned* keys, int shift) {
  __shared__ int table[16][128];
  int t = threadIdx.x;
  for (int d = 0; d < 16; ++d) table[d][t] = 0;
  for (int i = 0; i < 32; ++i) ++table[keys[(blockIdx.x * 32 + i) * 128 + t] >> shift & 15][t];
  __syncthreads();
  if (t < 16) {
    int sum = 0;
    for (int i = 0; i < 128; ++i) sum += table[t][i];
    counts[t * gridDim.x + blockIdx.x] = sum;
  }
}
void launch(int* counts, const unsigned* keys) { count_digits<<<2048, 128>>>(counts, keys, 4); }
