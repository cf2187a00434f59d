#include <cuda_fp16.h>
#define DIM 32

__global__ void transpose_half2(__half2* __restrict__ odata, const __half2* __restrict__ idata,
                                int width, int height) {
  __shared__ __half2 block[DIM][DIM];
  int xi = blockIdx.x * DIM + threadIdx.x;
  int yi = blockIdx.y * DIM + threadIdx.y;
  for (int k = 0; k < DIM; k += 16) block[threadIdx.y + k][threadIdx.x] = idata[(yi + k) * width + xi];
  __syncthreads();
  xi = blockIdx.y * DIM + threadIdx.x;
  yi = blockIdx.x * DIM + threadIdx.y;
  for (int k = 0; k < DIM; k += 16) odata[(yi + k) * height + xi] = block[threadIdx.x][threadIdx.y + k];
}

void run(__half2* out, const __half2* in) {
  dim3 threads(DIM, 16);
  transpose_half2<<<dim3(64, 64), threads>>>(out, in, 2048, 2048);
}
