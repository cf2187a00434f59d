#include <cuda_fp16.h>
#include <cstdint>
#define K_TILE 64

__device__ __forceinline__ uint32_t smem_u32(const void* p) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void load_x4(uint32_t* r, const half* p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(smem_u32(p)));
}
__device__ __forceinline__ void mma(float* c, const uint32_t* a, const uint32_t* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 64 x 64 results of a block of 4 warps, 16 rows each.
__global__ void hgemm(float* C, const half* A, const half* B, int K, int ldc) {
  __shared__ __align__(16) half As[64][K_TILE];
  __shared__ __align__(16) half Bs[64][K_TILE];
  const int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5;
  float acc[8][4] = {};
  for (int k0 = 0; k0 < K; k0 += K_TILE) {
    for (int i = tid; i < 64 * 8; i += 128) {
      *(uint4*)&As[i >> 3][(i & 7) * 8] = *(const uint4*)&A[(blockIdx.y * 64 + (i >> 3)) * K + k0 + (i & 7) * 8];
      *(uint4*)&Bs[i >> 3][(i & 7) * 8] = *(const uint4*)&B[(blockIdx.x * 64 + (i >> 3)) * K + k0 + (i & 7) * 8];
    }
    __syncthreads();
    for (int kk = 0; kk < K_TILE; kk += 16) {
      uint32_t a[4], b[4];
      load_x4(a, &As[warp * 16 + lane % 16][kk + lane / 16 * 8]);
      for (int n = 0; n < 4; ++n) {
        load_x4(b, &Bs[n * 16 + (lane & 7) + (lane >> 4) * 8][kk + (lane >> 3 & 1) * 8]);
        mma(acc[2 * n], a, b);
        mma(acc[2 * n + 1], a, b + 2);
      }
    }
    __syncthreads();
  }
  for (int n = 0; n < 8; ++n) {
    float* c = C + (blockIdx.y * 64 + warp * 16 + lane / 4) * ldc + blockIdx.x * 64 + n * 8 + lane % 4 * 2;
    *(float2*)c = make_float2(acc[n][0], acc[n][1]);
    *(float2*)(c + 8 * ldc) = make_float2(acc[n][2], acc[n][3]);
  }
}
void launch(float* C, const half* A, const half* B) { hgemm<<<dim3(32, 32), 128>>>(C, A, B, 512, 2048); }
