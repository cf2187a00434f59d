#include <cuda_pipeline.h>
__global__ void kernel(float* out, const float* in, int n) {
  __shared__ float tile[2][64][32];
  int t = threadIdx.x;
  float sum = 0;
  for (int s = 0; s < n; ++s) {
    for (int i = t; i < 512; i += 64)
      __pipeline_memcpy_async(&tile[s & 1][i / 8][i % 8 * 4], &in[(s * 512 + i) * 4], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    for (int k = 0; k < 32; ++k) sum += tile[s & 1][t][k];
    __syncthreads();
  }
  out[blockIdx.x * 64 + t] = sum;
}
void launch(float* out, const float* in, int n) { kernel<<<dim3(4, 4), 64>>>(out, in, n); }
