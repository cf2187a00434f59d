#include <cuda_fp16.h>
#include <cstdint>
__device__ void ldsm(uint32_t (&r)[4], const void* p) {
  uint32_t a = static_cast<uint32_t>(__cvta_generic_to_shared(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__global__ void kernel(uint32_t* out, const half* in) {
  __shared__ __align__(128) half tile[128][64];
  int t = threadIdx.x, lane = t % 32, w = t / 32;
  for (int i = t; i < 128 * 8; i += 128)
    *(uint4*)&tile[i / 8][i % 8 * 8] = *(const uint4*)&in[i * 8];
  __syncthreads();
  uint32_t sum = 0;
  for (int k = 0; k < 4; ++k) {
    uint32_t r[4];
    ldsm(r, &tile[w * 32 + lane % 16][k * 16 + lane / 16 * 8]);
    sum += r[0] ^ r[1] ^ r[2] ^ r[3];
  }
  out[blockIdx.x * 128 + t] = sum;
}
void launch(uint32_t* out, const half* in) { kernel<<<dim3(4, 4), 128>>>(out, in); }
