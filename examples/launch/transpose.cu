// A matrix transposed through a tile of shared memory, without and with padding.
#include <cuda_runtime.h>
#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void copySharedMem(float *out, const float *in, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) out[(y + j) * width + x] = tile[threadIdx.y + j][threadIdx.x];
}

__global__ void transposeCoalesced(float *out, const float *in, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void transposeNoBankConflicts(float *out, const float *in, int width, int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main() {
  const int size = 1024;
  float *in, *out;
  cudaMalloc(&in, size * size * 4);
  cudaMalloc(&out, size * size * 4);
  dim3 grid(size / TILE_DIM, size / TILE_DIM), threads(TILE_DIM, BLOCK_ROWS);
  void (*kernel)(float *, const float *, int, int);
  for (int k = 0; k < 3; k++) {
    kernel = k == 0 ? &copySharedMem : k == 1 ? &transposeCoalesced : &transposeNoBankConflicts;
    kernel<<<grid, threads>>>(out, in, size, size);
  }
  transposeCoalesced<<<grid, threads>>>(out, in, size, size);
  return cudaDeviceSynchronize();
}
