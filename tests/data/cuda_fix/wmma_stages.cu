#include <mma.h>
#include <cstdint>
using namespace nvcuda;
// Two stages of tiles, copied by macros; sums leave through shared memory as rows of floats.
#define COPY16(to, from) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(from))

template <int BM, int BN, int BK>
__global__ void wmma_stages(float* c, const half* a, const half* b, int k, int n) {
  __shared__ half sa[2][BM][BK], sb[2][BK][BN];
  __shared__ float sums[BM][BN];
  const int t = threadIdx.x, warp_m = t / 32 / 2, warp_n = t / 32 % 2;
  const int row = warp_m * 16, column = warp_n * 16;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[BM / 32][BN / 32];
#pragma unroll
  for (int i = 0; i < BM / 32; ++i)
#pragma unroll
    for (int j = 0; j < BN / 32; ++j) wmma::fill_fragment(acc[i][j], 0.0f);
#pragma unroll
  for (int s = 0; s < 2; ++s) {
#pragma unroll
    for (int i = t; i < BM * BK / 8; i += 128) {
      int r = i / (BK / 8), q = i % (BK / 8) * 8;
      uint32_t to = __cvta_generic_to_shared(&sa[s][r][q]);
      COPY16(to, &a[(blockIdx.y * BM + r) * k + s * BK + q]);
    }
#pragma unroll
    for (int i = t; i < BK * BN / 8; i += 128) {
      int r = i / (BN / 8), q = i % (BN / 8) * 8;
      uint32_t to = __cvta_generic_to_shared(&sb[s][r][q]);
      COPY16(to, &b[(s * BK + r) * n + blockIdx.x * BN + q]);
    }
  }
  asm volatile("cp.async.wait_all;\n" ::);
  __syncthreads();
#pragma unroll
  for (int s = 0; s < 2; ++s)
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[BM / 32];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[BN / 32];
#pragma unroll
      for (int i = 0; i < BM / 32; ++i) {
        int first = row + i * 32;
        wmma::load_matrix_sync(fa[i], &sa[s][first][kk], BK);
      }
#pragma unroll
      for (int j = 0; j < BN / 32; ++j)
        wmma::load_matrix_sync(fb[j], &sb[s][kk][column + j * 32], BN);
#pragma unroll
      for (int i = 0; i < BM / 32; ++i)
#pragma unroll
        for (int j = 0; j < BN / 32; ++j) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
#pragma unroll
  for (int i = 0; i < BM / 32; ++i)
#pragma unroll
    for (int j = 0; j < BN / 32; ++j)
      wmma::store_matrix_sync(&sums[row + i * 32][column + j * 32], acc[i][j], BN,
                              wmma::mem_row_major);
  __syncthreads();
  for (int i = t; i < BM * BN; i += 128)
    c[(blockIdx.y * BM + i / BN) * n + blockIdx.x * BN + i % BN] = sums[i / BN][i % BN];
}
void launch(float* c, const half* a, const half* b) {
  wmma_stages<64, 64, 32><<<dim3(4, 4), 128>>>(c, a, b, 64, 256);
}
