// Rows and columns of a separable filter, its coefficients in constant memory.
#include <cuda_runtime.h>
#define KERNEL_RADIUS 8
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)
__constant__ float c_Kernel[KERNEL_LENGTH];

#define ROWS_X 16
#define ROWS_Y 4
#define ROWS_STEPS 8
#define ROWS_HALO 1
__global__ void convolutionRows(float *dst, const float *src, int w, int h, int pitch) {
  __shared__ float data[ROWS_Y][(ROWS_STEPS + 2 * ROWS_HALO) * ROWS_X];
  const int baseX = (blockIdx.x * ROWS_STEPS - ROWS_HALO) * ROWS_X + threadIdx.x;
  const int baseY = blockIdx.y * ROWS_Y + threadIdx.y;
  src += baseY * pitch + baseX;
  dst += baseY * pitch + baseX;
#pragma unroll
  for (int i = ROWS_HALO; i < ROWS_HALO + ROWS_STEPS; i++)
    data[threadIdx.y][threadIdx.x + i * ROWS_X] = src[i * ROWS_X];
#pragma unroll
  for (int i = 0; i < ROWS_HALO; i++)
    data[threadIdx.y][threadIdx.x + i * ROWS_X] = baseX >= -i * ROWS_X ? src[i * ROWS_X] : 0;
#pragma unroll
  for (int i = ROWS_HALO + ROWS_STEPS; i < ROWS_HALO + ROWS_STEPS + ROWS_HALO; i++)
    data[threadIdx.y][threadIdx.x + i * ROWS_X] = w - baseX > i * ROWS_X ? src[i * ROWS_X] : 0;
  __syncthreads();
#pragma unroll
  for (int i = ROWS_HALO; i < ROWS_HALO + ROWS_STEPS; i++) {
    float sum = 0;
#pragma unroll
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
      sum += c_Kernel[KERNEL_RADIUS - j] * data[threadIdx.y][threadIdx.x + i * ROWS_X + j];
    dst[i * ROWS_X] = sum;
  }
}

#define COLUMNS_X 16
#define COLUMNS_Y 8
#define COLUMNS_STEPS 8
#define COLUMNS_HALO 1
__global__ void convolutionColumns(float *dst, const float *src, int w, int h, int pitch) {
  __shared__ float data[COLUMNS_X][(COLUMNS_STEPS + 2 * COLUMNS_HALO) * COLUMNS_Y + 1];
  const int baseX = blockIdx.x * COLUMNS_X + threadIdx.x;
  const int baseY = (blockIdx.y * COLUMNS_STEPS - COLUMNS_HALO) * COLUMNS_Y + threadIdx.y;
  src += baseY * pitch + baseX;
  dst += baseY * pitch + baseX;
#pragma unroll
  for (int i = COLUMNS_HALO; i < COLUMNS_HALO + COLUMNS_STEPS; i++)
    data[threadIdx.x][threadIdx.y + i * COLUMNS_Y] = src[i * COLUMNS_Y * pitch];
#pragma unroll
  for (int i = 0; i < COLUMNS_HALO; i++)
    data[threadIdx.x][threadIdx.y + i * COLUMNS_Y] = baseY >= -i * COLUMNS_Y ? src[i * COLUMNS_Y * pitch] : 0;
#pragma unroll
  for (int i = COLUMNS_HALO + COLUMNS_STEPS; i < COLUMNS_HALO + COLUMNS_STEPS + COLUMNS_HALO; i++)
    data[threadIdx.x][threadIdx.y + i * COLUMNS_Y] = h - baseY > i * COLUMNS_Y ? src[i * COLUMNS_Y * pitch] : 0;
  __syncthreads();
#pragma unroll
  for (int i = COLUMNS_HALO; i < COLUMNS_HALO + COLUMNS_STEPS; i++) {
    float sum = 0;
#pragma unroll
    for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; j++)
      sum += c_Kernel[KERNEL_RADIUS - j] * data[threadIdx.x][threadIdx.y + i * COLUMNS_Y + j];
    dst[i * COLUMNS_Y * pitch] = sum;
  }
}

extern "C" void convolution(float *dst, float *src, int w, int h) {
  dim3 blocks(w / (ROWS_STEPS * ROWS_X), h / ROWS_Y);
  dim3 threads(ROWS_X, ROWS_Y);
  convolutionRows<<<blocks, threads>>>(dst, src, w, h, w);
  dim3 blocks2(w / COLUMNS_X, h / (COLUMNS_STEPS * COLUMNS_Y));
  dim3 threads2(COLUMNS_X, COLUMNS_Y);
  convolutionColumns<<<blocks2, threads2>>>(dst, src, w, h, w);
}
