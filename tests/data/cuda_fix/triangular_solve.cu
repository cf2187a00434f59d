// X L^T = B for a block of 32: the row of X that a thread makes stays in its row of the tile.
__global__ void trsm(double* X, const double* L, const double* B) {
  __shared__ double l[32][32], b[64][32];
  const int t = threadIdx.x;
  for (int i = t; i < 32 * 32; i += 64) l[i / 32][i % 32] = L[i];
  for (int i = t; i < 64 * 32; i += 64) b[i / 32][i % 32] = B[blockIdx.x * 2048 + i];
  __syncthreads();
  for (int k = 0; k < 32; ++k) {
    double x = b[t][k];
    for (int j = 0; j < k; ++j) x -= b[t][j] * l[k][j];
    b[t][k] = x / l[k][k];
  }
  __syncthreads();
  for (int i = t; i < 64 * 32; i += 64) X[blockIdx.x * 2048 + i] = b[i / 32][i % 32];
}
void launch(double* X, const double* L, const double* B) { trsm<<<4096, 64>>>(X, L, B); }
