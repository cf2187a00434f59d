#include <cuda_fp16.h>
__global__ void kernel(half* out, const half* in, int n) {
  __shared__ half tile[64][64];
  int x = blockIdx.x * 64, y = blockIdx.y * 64;
  for (int i = threadIdx.x; i < 64 * 32; i += 256) {
    int r = i / 32, c = i % 32 * 2;
    *(half2*)&tile[r][c] = *(const half2*)&in[(y + r) * n + x + c];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 64 * 64; i += 256)
    out[(x + i / 64) * n + y + i % 64] = tile[i % 64][i / 64];
}
void launch(half* out, const half* in, int n) { kernel<<<dim3(4, 4), 256>>>(out, in, n); }
