// Sum of an array: one partial sum a block, block size as a template parameter.
#include <cuda_runtime.h>

template <class T, unsigned int blockSize, bool isPow2>
__global__ void reduce_unrolled(const T *in, T *out, unsigned int n) {
  __shared__ T part[blockSize];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockSize * 2 + tid;
  unsigned int grid = blockSize * 2 * gridDim.x;
  T sum = 0;
  while (i < n) {
    sum += in[i];
    if (isPow2 || i + blockSize < n) sum += in[i + blockSize];
    i += grid;
  }
  part[tid] = sum;
  __syncthreads();
  for (unsigned int s = blockSize / 2; s > 0; s >>= 1) {
    if (tid < s) part[tid] = sum = sum + part[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sum;
}

// The interleaved form, which conflicts on purpose.
template <class T>
__global__ void reduce_interleaved(const T *in, T *out, unsigned int n) {
  extern __shared__ int raw[];
  T *part = reinterpret_cast<T *>(raw);
  unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  part[tid] = i < n ? in[i] : T(0);
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    int at = 2 * s * tid;
    if (at < blockDim.x) part[at] += part[at + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = part[0];
}

template <class T>
void reduce(int n, int threads, int blocks, const T *in, T *out) {
  dim3 dimBlock(threads, 1, 1), dimGrid(blocks, 1, 1);
  int shared = threads * sizeof(T);
  switch (threads) {
    case 512: reduce_unrolled<T, 512, true><<<dimGrid, 512, 0>>>(in, out, n); break;
    case 256: reduce_unrolled<T, 256, true><<<dimGrid, 256, 0>>>(in, out, n); break;
    case 128: reduce_unrolled<T, 128, false><<<dimGrid, 128, 0>>>(in, out, n); break;
  }
  reduce_interleaved<T><<<dimGrid, dimBlock, shared>>>(in, out, n);
}
template void reduce<int>(int, int, int, const int *, int *);
template void reduce<double>(int, int, int, const double *, double *);
