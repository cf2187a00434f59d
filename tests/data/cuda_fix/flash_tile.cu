#include <cuda_pipeline.h>
#include <math_constants.h>
// One query a thread, online softmax over tiles of 32 keys that arrive by cp.async.
__global__ void flash(float* o, const float* q, const float* k, const float* v, int len) {
  __shared__ float qt[64][32];
  __shared__ float kt[2][32][32], vt[2][32][32];
  const int t = threadIdx.x;
  for (int i = t; i < 512; i += 64) __pipeline_memcpy_async(&qt[i / 8][i % 8 * 4], q + (blockIdx.x * 64 + i / 8) * 32 + i % 8 * 4, 16);
  auto fetch = [&](int stage, int row) {
    for (int i = t; i < 256; i += 64) {
      __pipeline_memcpy_async(&kt[stage][i / 8][i % 8 * 4], k + (row + i / 8) * 32 + i % 8 * 4, 16);
      __pipeline_memcpy_async(&vt[stage][i / 8][i % 8 * 4], v + (row + i / 8) * 32 + i % 8 * 4, 16);
    }
    __pipeline_commit();
  };
  fetch(0, 0);
  float acc[32] = {}, m = -CUDART_INF_F, l = 0;
  for (int tile = 0; tile < len / 32; ++tile) {
    if (tile + 1 < len / 32) fetch(tile + 1 & 1, (tile + 1) * 32);
    else __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      float s = 0;
      for (int d = 0; d < 32; ++d) s += qt[t][d] * kt[tile & 1][j][d];
      float now = fmaxf(m, s), scale = __expf(m - now), e = __expf(s - now);
      l = l * scale + e;
      for (int d = 0; d < 32; ++d) acc[d] = acc[d] * scale + e * vt[tile & 1][j][d];
      m = now;
    }
    __syncthreads();
  }
  for (int d = 0; d < 32; ++d) o[(blockIdx.x * 64 + t) * 32 + d] = acc[d] / l;
}
void launch(float* o, const float* q, const float* k, const float* v) { flash<<<1024, 64>>>(o, q, k, v, 128); }
