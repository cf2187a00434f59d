#include <cuda_fp16.h>
template <int D>
__global__ void scores(float* s, const half* q, const half* k, float scale, int len) {
  __shared__ half qs[16][D];
  __shared__ half ks[16][D];
  const int t = threadIdx.y * 16 + threadIdx.x;
  for (int i = t; i < 16 * D / 8; i += 256) {
    int row = i / (D / 8), col = i % (D / 8) * 8;
    *(uint4*)&qs[row][col] = *(const uint4*)&q[(blockIdx.y * 16 + row) * D + col];
    *(uint4*)&ks[row][col] = *(const uint4*)&k[(blockIdx.x * 16 + row) * D + col];
  }
  __syncthreads();
  float dot = 0;
  for (int d = 0; d < D; d += 2) {
    float2 a = __half22float2(*(const half2*)&qs[threadIdx.y][d]);
    float2 b = __half22float2(*(const half2*)&ks[threadIdx.x][d]);
    dot += a.x * b.x + a.y * b.y;
  }
  s[(size_t)(blockIdx.y * 16 + threadIdx.y) * len + blockIdx.x * 16 + threadIdx.x] = dot * scale;
}
void launch(float* s, const half* q, const half* k) {
  scores<128><<<dim3(128, 128), dim3(16, 16)>>>(s, q, k, 0.088f, 2048);
}
