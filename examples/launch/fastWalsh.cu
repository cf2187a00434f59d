// Fast Walsh transform: radix-4 passes of a block's data in dynamic shared memory.
#include <cuda_runtime.h>
#define ELEMENTARY_LOG2SIZE 11

__global__ void fwtBatch1Kernel(float *out, float *in, int log2N) {
  extern __shared__ float data[];
  const int N = 1 << log2N, base = blockIdx.x << log2N;
  const float *src = in + base;
  float *dst = out + base;
  for (int pos = threadIdx.x; pos < N; pos += blockDim.x) data[pos] = src[pos];
  const int pos = threadIdx.x;
  for (int stride = N >> 2; stride > 0; stride >>= 2) {
    int lo = pos & (stride - 1), i0 = ((pos - lo) << 2) + lo;
    int i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
    __syncthreads();
    float d0 = data[i0], d1 = data[i1], d2 = data[i2], d3 = data[i3], t;
    t = d0; d0 = d0 + d2; d2 = t - d2;
    t = d1; d1 = d1 + d3; d3 = t - d3;
    t = d0; data[i0] = d0 + d1; data[i1] = t - d1;
    t = d2; data[i2] = d2 + d3; data[i3] = t - d3;
  }
  if (log2N & 1) {
    __syncthreads();
    for (int p = threadIdx.x; p < N / 2; p += blockDim.x) {
      int i0 = p << 1, i1 = i0 + 1;
      float d0 = data[i0], d1 = data[i1];
      data[i0] = d0 + d1;
      data[i1] = d0 - d1;
    }
  }
  __syncthreads();
  for (int p = threadIdx.x; p < N; p += blockDim.x) dst[p] = data[p];
}

__global__ void modulateKernel(float *A, float *B, int N) {
  int tid = blockIdx.x * blockDim.x + threadIdx.x, count = blockDim.x * gridDim.x;
  for (int pos = tid; pos < N; pos += count) A[pos] *= B[pos] / (float)N;
}

void fwtBatch(float *data, int M, int log2N) {
  fwtBatch1Kernel<<<M, (1 << ELEMENTARY_LOG2SIZE) / 4, (1 << ELEMENTARY_LOG2SIZE) * sizeof(float)>>>(data, data, ELEMENTARY_LOG2SIZE);
  modulateKernel<<<128, 256>>>(data, data, M);
}
