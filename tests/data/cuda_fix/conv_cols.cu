#define RADIUS 4
__constant__ float weights[2 * RADIUS + 1];
// Columns are kept as rows of the tile, so that a thread walks along its own.
__global__ void convolve_columns(float* dst, const float* src, int width) {
  __shared__ float col[32][64];
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y0 = blockIdx.y * 56;
  for (int y = threadIdx.y; y < 64; y += 8) col[threadIdx.x][y] = src[(y0 + y) * width + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 56; y += 8) {
    float sum = 0;
#pragma unroll
    for (int j = 0; j <= 2 * RADIUS; ++j) sum += weights[j] * col[threadIdx.x][y + j];
    dst[(y0 + y) * width + x] = sum;
  }
}
void launch(float* dst, const float* src) { convolve_columns<<<dim3(64, 36), dim3(32, 8)>>>(dst, src, 2048); }
