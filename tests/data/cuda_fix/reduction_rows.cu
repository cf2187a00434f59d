// Sums and largest values of 64 rows of 64: a thread per row.
__global__ void row_stats(float* sums, float* peaks, const float* m) {
  __shared__ float rows[64][64];
  const float* mine = m + (size_t)blockIdx.x * 64 * 64;
  for (int r = 0; r < 64; r++) rows[r][threadIdx.x] = mine[r * 64 + threadIdx.x];
  __syncthreads();
  float sum = 0.f, peak = rows[threadIdx.x][0];
  for (int c = 0; c < 64; c++) {
    float v = rows[threadIdx.x][c];
    sum += v;
    peak = fmaxf(peak, v);
  }
  sums[blockIdx.x * 64 + threadIdx.x] = sum;
  peaks[blockIdx.x * 64 + threadIdx.x] = peak;
}
void launch(float* sums, float* peaks, const float* m) { row_stats<<<8192, 64>>>(sums, peaks, m); }
