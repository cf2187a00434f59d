// y = A x for 32 rows of a block; each thread walks a row of the staged tile.
__global__ void gemv(float* y, const float* A, const float* x, int n) {
  __shared__ float a[32][128];
  __shared__ float xs[128];
  int t = threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; j += 128) {
    for (int i = 0; i < 32; ++i) a[i][t] = A[(blockIdx.x * 32 + i) * n + j + t];
    xs[t] = x[j + t];
    __syncthreads();
    int row = t % 32, part = t / 32;
    for (int k = 0; k < 32; ++k) sum += a[row][part * 32 + k] * xs[part * 32 + k];
    __syncthreads();
  }
  atomicAdd(&y[blockIdx.x * 32 + t % 32], sum);
}
void launch(float* y, const float* A, const float* x) { gemv<<<1024, 128>>>(y, A, x, 512); }
