#include <cuda_fp16.h>
template <typename Element, int Rows, int Cols>
struct Config {
  static constexpr int kRows = Rows;
  static constexpr int kCols = Cols;
  static constexpr int kThreads = 128;
  using T = Element;
};
template <class C>
__global__ void gather_columns(typename C::T* out, const typename C::T* in) {
  __shared__ typename C::T buffer[C::kRows][C::kCols];
  constexpr int kCount = C::kRows * C::kCols;
  for (int i = threadIdx.x; i < kCount; i += C::kThreads)
    buffer[i / C::kCols][i % C::kCols] = in[blockIdx.x * kCount + i];
  __syncthreads();
  for (int i = threadIdx.x; i < kCount; i += C::kThreads)
    out[blockIdx.x * kCount + i] = buffer[i % C::kRows][i / C::kRows];
}
using Small = Config<float, 32, 16>;
using Large = Config<__half, 64, 64>;
void launch(float* a, float* b, __half* c, __half* d) {
  gather_columns<Small><<<4096, 128>>>(a, b);
  gather_columns<Large><<<2048, 128>>>(c, d);
}
