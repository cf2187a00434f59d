// The tile is handed to functions.
#define W 32
__device__ void load_tile(float (*tile)[W], const float* src, int n) {
  for (int j = threadIdx.y; j < W; j += 8) tile[j][threadIdx.x] = src[j * n + threadIdx.x];
}
__device__ void store_tile(float* dst, float (*tile)[W], int n) {
  for (int j = threadIdx.y; j < W; j += 8) dst[j * n + threadIdx.x] = tile[threadIdx.x][j];
}
__global__ void transpose_calls(float* out, const float* in, int n) {
  __shared__ float tile[W][W];
  load_tile(tile, in + blockIdx.y * W * n + blockIdx.x * W, n);
  __syncthreads();
  store_tile(out + blockIdx.x * W * n + blockIdx.y * W, tile, n);
}
void launch(float* out, const float* in) { transpose_calls<<<dim3(64, 64), dim3(W, 8)>>>(out, in, 2048); }
