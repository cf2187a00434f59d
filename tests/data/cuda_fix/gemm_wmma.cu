#include <mma.h>
using namespace nvcuda;

__global__ void wmma_gemm(float* c, const half* a, const half* b, int k, int n) {
  __shared__ half sa[64][64];
  __shared__ half sb[64][64];
  int warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[4];
  for (int j = 0; j < 4; ++j) wmma::fill_fragment(acc[j], 0.0f);
  for (int k0 = 0; k0 < k; k0 += 64) {
    for (int i = threadIdx.x; i < 64 * 8; i += 128) {
      int r = i / 8, q = i % 8 * 8;
      *(int4*)&sa[r][q] = *(const int4*)&a[(blockIdx.y * 64 + r) * k + k0 + q];
      *(int4*)&sb[r][q] = *(const int4*)&b[(k0 + r) * n + blockIdx.x * 64 + q];
    }
    __syncthreads();
    for (int kk = 0; kk < 64; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      wmma::load_matrix_sync(fa, &sa[warp * 16][kk], 64);
      for (int j = 0; j < 4; ++j) {
        wmma::load_matrix_sync(fb, &sb[kk][j * 16], 64);
        wmma::mma_sync(acc[j], fa, fb, acc[j]);
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    wmma::store_matrix_sync(c + (blockIdx.y * 64 + warp * 16) * n + blockIdx.x * 64 + j * 16, acc[j], n, wmma::mem_row_major);
}
void launch(float* c, const half* a, const half* b) { wmma_gemm<<<dim3(32, 32), 128>>>(c, a, b, 256, 2048); }
