#include <cstdio>
// NVIDIA H200, CUDA 13: nvcc -gencode arch=compute_90a,code=sm_90a base_offset.cu && ./a.out > base_offset.csv
#include <cstdint>
#include <cuda_fp16.h>
// A 64 x 16 f16, K-major, 128B/64B/32B mode; which placement does wgmma read for a start in row r of the pattern?
// "address": bits 4.. ^= bits 7.. of the address; "tile": of the place in the tile.
__global__ void k(float* out, int startrow, int base, int relative, int mode) {
  extern __shared__ __align__(1024) char smem[];
  uint32_t s0 = __cvta_generic_to_shared(smem);
  uint32_t al = (s0 + 1023) / 1024 * 1024;
  char* p = smem + (al - s0);
  int span = mode == 1 ? 128 : mode == 2 ? 64 : 32;       // descriptor modes 1 = 128B, 2 = 64B, 3 = 32B
  int bits = mode == 1 ? 7 : mode == 2 ? 3 : 1;
  for (int i = threadIdx.x; i < 16384 / 2; i += blockDim.x) ((__half*)p)[i] = __float2half(-1.f);
  __syncthreads();
  uint32_t start = startrow * span;
  for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x) {
    int m = i / 16, kk = i % 16;
    uint32_t off = m * span + kk * 2;
    uint32_t a = relative ? start + (off ^ ((off >> 7 & bits) << 4)) : ((start + off) ^ (((start + off) >> 7 & bits) << 4));
    *(__half*)(p + a) = __float2half(float(i));
  }
  char* b = p + 16384;
  for (int i = threadIdx.x; i < 8 * 16; i += blockDim.x) {
    int n = i / 16, kk = i % 16;
    *(__half*)(b + n * 16 + kk / 8 * 128 + kk % 8 * 2) = __float2half(n == kk ? 1.f : 0.f);
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  uint64_t da = ((al + start) >> 4 & 0x3fff) | 1ull << 16 | uint64_t(span * 8 >> 4) << 32 | uint64_t(base) << 49 | uint64_t(mode) << 62;
  uint64_t db = ((al + 16384) >> 4 & 0x3fff) | 8ull << 16 | 16ull << 32;
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  asm volatile("{wgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 0, 1, 1, 0, 0;\n"
    "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;}" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "l"(da), "l"(db));
  int w = threadIdx.x / 32, l = threadIdx.x % 32, r = w * 16 + l / 4, c = l % 4 * 2;
  out[r * 8 + c] = d0; out[r * 8 + c + 1] = d1; out[(r + 8) * 8 + c] = d2; out[(r + 8) * 8 + c + 1] = d3;
}
int main() {
  float *o, h[512];
  cudaMalloc(&o, sizeof h);
  printf("mode,start_row,base_offset,placed,right_of_512\n");
  const char* names[] = {"", "128B", "64B", "32B"};
  for (int mode = 1; mode <= 3; mode++)
    for (int row = 0; row < 8; row++)
      for (int base = 0; base < 8; base++)
        for (int rel = 0; rel < 2; rel++) {
          k<<<1, 128, 20480>>>(o, row, base, rel, mode);
          if (cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost)) { printf("error %s\n", cudaGetErrorString(cudaGetLastError())); return 1; }
          int ok = 0;
          for (int m = 0; m < 64; m++) for (int n = 0; n < 8; n++) ok += h[m * 8 + n] == m * 16 + n;
          printf("%s,%d,%d,%s,%d\n", names[mode], row, base, rel ? "tile" : "address", ok);
        }
}
