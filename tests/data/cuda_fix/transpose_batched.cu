#include <cstdint>
// NCHW -> NHWC of 32 channels by 32 pixels at a time, a batch in z.
__global__ void nchw_to_nhwc(float* y, const float* x, int C, int HW) {
  __shared__ float tile[32][32];
  const int64_t base = (int64_t)blockIdx.z * C * HW;
  int p = blockIdx.x * 32 + threadIdx.x;
  int c = blockIdx.y * 32 + threadIdx.y;
  if (p < HW) {
    for (int i = 0; i < 32 && c + i < C; i += 8) tile[threadIdx.y + i][threadIdx.x] = x[base + (c + i) * HW + p];
  }
  __syncthreads();
  c = blockIdx.y * 32 + threadIdx.x;
  p = blockIdx.x * 32 + threadIdx.y;
  if (c < C) {
    for (int i = 0; i < 32 && p + i < HW; i += 8) y[base + (p + i) * C + c] = tile[threadIdx.x][threadIdx.y + i];
  }
}
void forward(float* y, const float* x) { nchw_to_nhwc<<<dim3(98, 8, 16), dim3(32, 8)>>>(y, x, 256, 3136); }
