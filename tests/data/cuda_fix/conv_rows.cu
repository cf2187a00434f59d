#define R 8
__constant__ float c_kernel[2 * R + 1];
__global__ void convolutionRows(float* dst, const float* src, int pitch) {
  __shared__ float s_Data[4][16 * 3 + 16 * 4];
  const int baseX = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  src += y * pitch + baseX;
  dst += y * pitch + baseX;
  for (int i = 0; i < 6; i++) s_Data[threadIdx.y][threadIdx.x + i * 16] = src[i * 16];
  __syncthreads();
  for (int i = 1; i < 5; i++) {
    float sum = 0;
    for (int j = -R; j <= R; j++) sum += c_kernel[R - j] * s_Data[threadIdx.y][threadIdx.x + i * 16 + j];
    dst[i * 16] = sum;
  }
}
void launch(float* dst, const float* src) { convolutionRows<<<dim3(63, 1024), dim3(16, 4)>>>(dst, src, 4096); }
