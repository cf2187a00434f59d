#include <cuda_fp16.h>
#include <cstdint>
// Two stages of a tile in one array; places are counted in bytes from its first address.
#define COPY16(to, from) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(from))
#define LDSM4(v, at)                                                          \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" \
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])               \
               : "r"(at))

template <int ROWS, int WIDTH, int PAD>
__global__ void mma_bytes(uint32_t* out, const half* in) {
  __shared__ __align__(16) half tile[2][ROWS][WIDTH + PAD];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  constexpr int stage = ROWS * (WIDTH + PAD);
  uint32_t first = __cvta_generic_to_shared(tile);
  uint32_t sum = 0;
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    int r = t / 2, q = t % 2 * 8;
    uint32_t to = first + (s * stage + r * (WIDTH + PAD) + q) * sizeof(half);
    COPY16(to, &in[(s * ROWS + r) * WIDTH + q]);
  }
  asm volatile("cp.async.wait_all;\n" ::);
  __syncthreads();
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    uint32_t v[4];
    int r = warp * 16 + lane % 16, q = lane / 16 * 8;
    uint32_t from = first + (s * stage + r * (WIDTH + PAD) + q) * sizeof(half);
    LDSM4(v, from);
    sum += v[0] ^ v[1] ^ v[2] ^ v[3];
  }
  out[blockIdx.x * blockDim.x + t] = sum;
}
void launch(uint32_t* out, const half* in) { mma_bytes<64, 16, 0><<<4, 128>>>(out, in); }
