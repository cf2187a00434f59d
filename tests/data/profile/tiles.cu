// Kernels whose shared-memory passes are known by hand, profiled by take.sh. 256 threads each.
#include <cstdint>
#include <cstdio>
#include <cuda_fp16.h>

// A 32 x 32 tile of f32: rows are stored, columns are read. Pitch 32: the 32 lanes of a column read
// meet on one bank, 32 passes for one. Pitch 33: no conflict.
template <int Pitch>
__global__ void __launch_bounds__(256) transpose(const float *in, float *out, int side) {
  __shared__ float tile[32 * Pitch];
  int x = threadIdx.x & 31, y = threadIdx.x >> 5;
  const float *from = in + (size_t)(blockIdx.y * 32) * side + blockIdx.x * 32;
#pragma unroll
  for (int r = 0; r < 32; r += 8)
    tile[(y + r) * Pitch + x] = from[(size_t)(y + r) * side + x];
  __syncthreads();
  float *to = out + (size_t)(blockIdx.x * 32) * side + blockIdx.y * 32;
#pragma unroll
  for (int r = 0; r < 32; r += 8)
    to[(size_t)(y + r) * side + x] = tile[x * Pitch + y + r];
}

// Sixteen bytes a lane, lane t at row t of 256 bytes: each of the four groups of 8 lanes meets on
// four banks, 8 passes for 1. The read takes two rows in each group: 2 passes for 1.
__global__ void __launch_bounds__(256) wide(const float4 *in, float4 *out) {
  __shared__ float4 tile[8 * 32 * 4];
  float4 *mine = tile + (threadIdx.x >> 5) * 128;
  int lane = threadIdx.x & 31;
  size_t first = (size_t)blockIdx.x * 256 + threadIdx.x;
  mine[(lane & 7) * 16 + (lane >> 3)] = in[first];
  __syncwarp();
  out[first] = mine[(lane >> 2) * 16 + (lane & 3)];
}

// ldmatrix.x4 on rows of 128 bytes, 16 times in a loop: the 8 rows of each matrix meet on four
// banks, 8 passes for 1. The matrix unit multiplies what it loads.
__global__ void __launch_bounds__(256) fragments(const uint4 *in, float *out) {
  __shared__ __align__(128) uint4 tile[16 * 8];
  if (threadIdx.x < 128) tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int lane = threadIdx.x & 31;
  uint32_t base = (uint32_t)__cvta_generic_to_shared(tile) + (lane & 15) * 128;
  float c[4] = {0, 0, 0, 0};
#pragma unroll 1
  for (int k = 0; k < 16; ++k) {
    uint32_t a[4];
    uint32_t from = base + ((k & 3) * 2 + (lane >> 4)) * 16;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(from));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]));
  }
  out[(size_t)blockIdx.x * 256 + threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

int main() {
  const size_t bytes = 64u << 20;
  void *in, *out;
  if (cudaMalloc(&in, bytes) || cudaMalloc(&out, bytes) || cudaMemset(in, 0, bytes)) return 1;
  transpose<32><<<dim3(32, 32), 256>>>((const float *)in, (float *)out, 1024);
  transpose<32><<<dim3(64, 64), 256>>>((const float *)in, (float *)out, 2048);
  transpose<33><<<dim3(64, 64), 256>>>((const float *)in, (float *)out, 2048);
  wide<<<4096, 256>>>((const float4 *)in, (float4 *)out);
  fragments<<<2048, 256>>>((const uint4 *)in, (float *)out);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
