// DCT of 8x8 blocks, several a thread block, rows then columns in shared memory.
#include <cuda_runtime.h>
#define BLOCK_SIZE 8
#define BLOCK_W 32
#define BLOCK_H 16
#define PITCH (BLOCK_W + 1)

__device__ void dct8(float *v, int step) {
  float a0 = v[0] + v[7 * step], a1 = v[step] + v[6 * step], a2 = v[2 * step] + v[5 * step], a3 = v[3 * step] + v[4 * step];
  float b0 = v[0] - v[7 * step], b1 = v[step] - v[6 * step], b2 = v[2 * step] - v[5 * step], b3 = v[3 * step] - v[4 * step];
  v[0] = a0 + a1 + a2 + a3;
  v[4 * step] = a0 - a1 - a2 + a3;
  v[2 * step] = 1.3f * (a0 - a3) + 0.5f * (a1 - a2);
  v[6 * step] = 0.5f * (a0 - a3) - 1.3f * (a1 - a2);
  v[step] = 1.4f * b0 + 1.2f * b1 + 0.8f * b2 + 0.3f * b3;
  v[3 * step] = 1.2f * b0 - 0.3f * b1 - 1.4f * b2 - 0.8f * b3;
  v[5 * step] = 0.8f * b0 - 1.4f * b1 + 0.3f * b2 + 1.2f * b3;
  v[7 * step] = 0.3f * b0 - 0.8f * b1 + 1.2f * b2 - 1.4f * b3;
}

__global__ void DCTkernel2(float *dst, float *src, int stride) {
  __shared__ float block[BLOCK_H * PITCH];
  int offX = threadIdx.y * BLOCK_SIZE + threadIdx.x, offY = threadIdx.z * BLOCK_SIZE;
  int x = blockIdx.x * BLOCK_W + offX, y = blockIdx.y * BLOCK_H + offY;
  src += y * stride + x;
  dst += y * stride + x;
  float *mine = block + offY * PITCH + offX;
#pragma unroll
  for (unsigned int i = 0; i < BLOCK_SIZE; i++) mine[i * PITCH] = src[i * stride];
  __syncthreads();
  dct8(block + (offY + threadIdx.x) * PITCH + offX - threadIdx.x, 1);
  __syncthreads();
  dct8(mine, PITCH);
  __syncthreads();
#pragma unroll
  for (unsigned int i = 0; i < BLOCK_SIZE; i++) dst[i * stride] = mine[i * PITCH];
}

// One 8x8 block by two products of matrices; indices by unrolled loops.
__constant__ float DCTv8[64];
__global__ void DCTkernel1(float *dst, int w, const float *src) {
  __shared__ float cur[64], half[64];
  int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
  cur[(ty << 3) + tx] = src[((by << 3) + ty) * w + (bx << 3) + tx];
  __syncthreads();
  float sum = 0;
  int a = ty, c = tx;
#pragma unroll
  for (int i = 0; i < 8; i++) { sum += DCTv8[a] * cur[c]; c += 8; a += 8; }
  half[(ty << 3) + tx] = sum;
  __syncthreads();
  sum = 0;
  a = ty << 3; c = tx;
#pragma unroll
  for (int i = 0; i < 8; i++) { sum += half[a] * DCTv8[c]; a += 1; c += 8; }
  __syncthreads();
  cur[(ty << 3) + tx] = sum;
  __syncthreads();
  dst[((by << 3) + ty) * w + (bx << 3) + tx] = cur[(ty << 3) + tx];
}

void dct(float *dst, float *src, int w, int h) {
  dim3 full(w / BLOCK_W, h / BLOCK_H), threadsFull(BLOCK_SIZE, BLOCK_W / BLOCK_SIZE, BLOCK_H / BLOCK_SIZE);
  DCTkernel2<<<full, threadsFull>>>(dst, src, w);
  dim3 grid(w / 8, h / 8), threads(8, 8);
  DCTkernel1<<<grid, threads>>>(dst, w, src);
}
