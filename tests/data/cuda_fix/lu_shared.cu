#define NB 32
// LU of a 32 x 32 block without pivoting, a thread per row.
__global__ void getrf_block(float* A, int lda) {
  __shared__ float a[NB][NB];
  int i = threadIdx.x;
  float* mine = A + (size_t)blockIdx.x * NB * lda;
  for (int j = 0; j < NB; ++j) a[j][i] = mine[j * lda + i];
  __syncthreads();
  for (int k = 0; k < NB - 1; ++k) {
    if (i > k) {
      a[i][k] /= a[k][k];
      for (int j = k + 1; j < NB; ++j) a[i][j] -= a[i][k] * a[k][j];
    }
    __syncthreads();
  }
  for (int j = 0; j < NB; ++j) mine[j * lda + i] = a[j][i];
}
void launch(float* A) { getrf_block<<<8192, NB>>>(A, 32); }
