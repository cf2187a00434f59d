#include <mma.h>
using namespace nvcuda;
// One product of 64 x 64 a block: flat arrays, and fragments that begin where a sum says.
__global__ void wmma_flat(half* c, const half* a, const half* b) {
  constexpr int N = 64;
  __shared__ half left[N * N];
  __shared__ half right[N * N];
  const int t = threadIdx.x;
  for (int i = t; i < N * N / 8; i += 128) {
    *(uint4*)&left[i * 8] = *(const uint4*)&a[blockIdx.x * N * N + i * 8];
    *(uint4*)&right[i * 8] = *(const uint4*)&b[blockIdx.x * N * N + i * 8];
  }
  __syncthreads();
  for (int i = 0; i < N; i += 16) {
    const int j = t / 32 % 4 * 16;
    wmma::fragment<wmma::accumulator, 16, 16, 16, half> acc;
    wmma::fill_fragment(acc, __float2half(0.0f));
    for (int k = 0; k < N; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      const half* from = left + k * N + i;
      wmma::load_matrix_sync(fa, from, N);
      wmma::load_matrix_sync(fb, right + k * N + j, N);
      wmma::mma_sync(acc, fa, fb, acc);
    }
    wmma::store_matrix_sync(c + blockIdx.x * N * N + i * N + j, acc, N, wmma::mem_row_major);
  }
}
void launch(half* c, const half* a, const half* b) { wmma_flat<<<16, 128>>>(c, a, b); }
