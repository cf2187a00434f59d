#include <cuda_pipeline.h>
constexpr int STAGES = 3, TILE_K = 32;

__global__ void gemm_pipelined(float* C, const float* A, const float* B, int K, int ldc) {
  __shared__ alignas(16) float a[STAGES][32][TILE_K];
  __shared__ alignas(16) float b[STAGES][32][TILE_K];
  const int t = threadIdx.y * 16 + threadIdx.x;
  const int row = t / 8, chunk = t % 8 * 4;
  const float* ga = A + (blockIdx.y * 32 + row) * K + chunk;
  const float* gb = B + (blockIdx.x * 32 + row) * K + chunk;
  auto fetch = [&](int k0) {
    int stage = k0 / TILE_K % STAGES;
    if (k0 < K) {
      __pipeline_memcpy_async(&a[stage][row][chunk], ga + k0, 16);
      __pipeline_memcpy_async(&b[stage][row][chunk], gb + k0, 16);
    }
    __pipeline_commit();
  };
  fetch(0);
  fetch(TILE_K);
  float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
  for (int k0 = 0; k0 < K; k0 += TILE_K) {
    fetch(k0 + 2 * TILE_K);
    __pipeline_wait_prior(2);
    __syncthreads();
    const int stage = k0 / TILE_K % STAGES;
    for (int k = 0; k < TILE_K; ++k) {
      float a0 = a[stage][threadIdx.y][k], a1 = a[stage][threadIdx.y + 16][k];
      float b0 = b[stage][threadIdx.x][k], b1 = b[stage][threadIdx.x + 16][k];
      c00 += a0 * b0, c01 += a0 * b1, c10 += a1 * b0, c11 += a1 * b1;
    }
    __syncthreads();
  }
  float* out = C + (blockIdx.y * 32 + threadIdx.y) * ldc + blockIdx.x * 32 + threadIdx.x;
  out[0] = c00, out[16] = c01, out[16 * ldc] = c10, out[16 * ldc + 16] = c11;
}
void launch(float* C, const float* A, const float* B) {
  gemm_pipelined<<<dim3(64, 64), dim3(16, 16)>>>(C, A, B, 256, 2048);
}
