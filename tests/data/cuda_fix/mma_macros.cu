#include <cuda_fp16.h>
#include <cstdint>
// Tiles of 64 x 32 halves, copied asynchronously and read by ldmatrix, all through macros.
#define COPY16(to, from) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(from))
#define COPIED() asm volatile("cp.async.wait_all;\n" ::)
#define LDSM4(v0, v1, v2, v3, at)                                              \
  asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, "   \
               "[%4];\n"                                                       \
               : "=r"(v0), "=r"(v1), "=r"(v2), "=r"(v3)                        \
               : "r"(at))
#define LDSM2(v0, v1, at)                                                      \
  asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%0, %1}, [%2];\n"    \
               : "=r"(v0), "=r"(v1)                                            \
               : "r"(at))
#define MMA(d, a, b)                                                           \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "            \
               "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"       \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

template <int DEPTH>
__global__ void mma_macros(float* c, const half* a, const half* b) {
  __shared__ half left[64][DEPTH];
  __shared__ half right[64][DEPTH];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  float d[8][4] = {};
#pragma unroll
  for (int k0 = 0; k0 < 2 * DEPTH; k0 += DEPTH) {
#pragma unroll
    for (int i = t; i < 64 * (DEPTH / 8); i += 128) {
      int r = i / (DEPTH / 8), q = i % (DEPTH / 8) * 8;
      uint32_t to_left = __cvta_generic_to_shared(&left[r][q]);
      COPY16(to_left, &a[(blockIdx.y * 64 + r) * (2 * DEPTH) + k0 + q]);
      uint32_t to_right = __cvta_generic_to_shared(&right[r][q]);
      COPY16(to_right, &b[(blockIdx.x * 64 + r) * (2 * DEPTH) + k0 + q]);
    }
    COPIED();
    __syncthreads();
#pragma unroll
    for (int k = 0; k < DEPTH; k += 16) {
      uint32_t fa[4];
      uint32_t from_left =
          __cvta_generic_to_shared(&left[warp * 16 + lane % 16][k + lane / 16 * 8]);
      LDSM4(fa[0], fa[1], fa[2], fa[3], from_left);
#pragma unroll
      for (int n = 0; n < 8; ++n) {
        uint32_t fb[2];
        uint32_t from_right =
            __cvta_generic_to_shared(&right[n * 8 + lane % 8][k + lane / 8 % 2 * 8]);
        LDSM2(fb[0], fb[1], from_right);
        MMA(d[n], fa, fb);
      }
    }
    __syncthreads();
  }
  for (int n = 0; n < 8; ++n)
    for (int i = 0; i < 4; ++i) {
      int row = blockIdx.y * 64 + warp * 16 + lane / 4 + i / 2 * 8;
      c[row * (gridDim.x * 64) + blockIdx.x * 64 + n * 8 + lane % 4 * 2 + i % 2] = d[n][i];
    }
}
void launch(float* c, const half* a, const half* b) {
  mma_macros<32><<<dim3(2, 2), 128>>>(c, a, b);
}
