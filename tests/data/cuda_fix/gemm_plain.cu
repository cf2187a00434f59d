#define TILE 16
__global__ void kernel(float* C, const float* A, const float* B, int n) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < n / TILE; ++t) {
    As[tx][ty] = A[row * n + t * TILE + tx];
    Bs[ty][tx] = B[(t * TILE + ty) * n + col];
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += As[k][ty] * Bs[k][tx];
    __syncthreads();
  }
  C[row * n + col] = sum;
}
void launch(float* C, const float* A, const float* B, int n) { kernel<<<dim3(4, 4), dim3(16, 16)>>>(C, A, B, n); }
