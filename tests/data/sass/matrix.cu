// Matrix tiles: ldmatrix, stmatrix, mma, cp.async.
// Every kernel runs as one block; ../sass_kernels.py says how.

#define KERNEL(threads) extern "C" __global__ void __launch_bounds__(threads)

typedef unsigned int u32;
typedef unsigned short u16;

__device__ __forceinline__ u32 at(const void *p) { return (u32)__cvta_generic_to_shared(p); }

__device__ __forceinline__ void load4(u32 (&r)[4], u32 a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory");
}

__device__ __forceinline__ void load4_trans(u32 (&r)[4], u32 a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a) : "memory");
}

__device__ __forceinline__ void mma(float (&c)[4], u32 (&a)[4], u32 b0, u32 b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},"
               " {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void copy16(u32 to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

__device__ __forceinline__ void arrived() {
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
}

// 64 x 64 of C from tiles 64 x 64 of A and B, rows of 128 bytes. Four warps, 16 rows each.
template <bool XOR>
__device__ __forceinline__ void gemm(const u16 *a, const u16 *b, float *c, int steps, u16 *left,
                                     u16 *right) {
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  float sum[8][4] = {};
#pragma unroll 1
  for (int k = 0; k < steps; k++) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int chunk = i * 128 + t, row = chunk / 8, column = chunk % 8;
      int place = row * 64 + (XOR ? column ^ (row & 7) : column) * 8;
      copy16(at(left + place), a + (row * steps + k) * 64 + column * 8);
      copy16(at(right + place), b + (k * 64 + row) * 64 + column * 8);
    }
    arrived();
#pragma unroll
    for (int s = 0; s < 4; s++) {
      u32 fa[4], fb[4];
      int row = warp * 16 + lane % 16, column = s * 2 + lane / 16;
      load4(fa, at(left + row * 64 + (XOR ? column ^ (row & 7) : column) * 8));
#pragma unroll
      for (int n = 0; n < 4; n++) {
        int r = s * 16 + lane % 16, q = n * 2 + lane / 16;
        load4_trans(fb, at(right + r * 64 + (XOR ? q ^ (r & 7) : q) * 8));
        mma(sum[2 * n], fa, fb[0], fb[1]);
        mma(sum[2 * n + 1], fa, fb[2], fb[3]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int n = 0; n < 8; n++)
#pragma unroll
    for (int i = 0; i < 4; i++)
      c[(warp * 16 + lane / 4 + i / 2 * 8) * 64 + n * 8 + lane % 4 * 2 + i % 2] = sum[n][i];
}

KERNEL(128) gemm_plain(const u16 *a, const u16 *b, float *c, int steps) {
  __shared__ __align__(128) u16 left[64 * 64], right[64 * 64];
  gemm<false>(a, b, c, steps, left, right);
}

KERNEL(128) gemm_xor(const u16 *a, const u16 *b, float *c, int steps) {
  __shared__ __align__(128) u16 left[64 * 64], right[64 * 64];
  gemm<true>(a, b, c, steps, left, right);
}

// Padded rows of 144 bytes, ordinary stores, a tile that is reused through registers.
KERNEL(128) gemm_padded(const float4 *a, const u16 *b, float *c) {
  __shared__ __align__(16) u16 left[64 * 72], right[64 * 72];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  for (int i = 0; i < 4; i++) {
    int row = (i * 128 + t) / 8, column = t % 8;
    *(float4 *)(left + row * 72 + column * 8) = a[i * 128 + t];
    *(float4 *)(right + row * 72 + column * 8) = a[512 + i * 128 + t];
  }
  __syncthreads();
  float sum[4] = {};
  for (int s = 0; s < 4; s++) {
    u32 fa[4], fb[4];
    load4(fa, at(left + (warp * 16 + lane % 16) * 72 + s * 16 + lane / 16 * 8));
    load4_trans(fb, at(right + (s * 16 + lane % 16) * 72 + lane / 16 * 8));
    mma(sum, fa, fb[0], fb[1]);
    mma(sum, fa, fb[2], fb[3]);
  }
  for (int i = 0; i < 4; i++) c[t * 4 + i] = sum[i];
}

// All shapes of ldmatrix, rows 32, 64 and 128 bytes apart.
KERNEL(64) matrix_loads(const u32 *x, u32 *y) {
  __shared__ __align__(128) u32 tile[2048];
  int t = threadIdx.x, lane = t % 32;
  for (int i = t; i < 2048; i += 64) tile[i] = x[i];
  __syncthreads();
  u32 r[4], sum = 0;
#define ONE(form, pitch)                                                                          \
  asm volatile("ldmatrix.sync.aligned.m8n8.x1" form ".shared.b16 {%0}, [%1];"                     \
               : "=r"(r[0]) : "r"(at(tile) + lane * pitch) : "memory");                           \
  sum += r[0];                                                                                    \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2" form ".shared.b16 {%0,%1}, [%2];"                  \
               : "=r"(r[0]), "=r"(r[1]) : "r"(at(tile) + lane * pitch) : "memory");               \
  sum += r[0] ^ r[1];
  ONE("", 16) ONE("", 32) ONE("", 64) ONE("", 128)
  ONE(".trans", 16) ONE(".trans", 32) ONE(".trans", 64) ONE(".trans", 128)
  for (int pitch = 16; pitch <= 128; pitch *= 2) {
    load4(r, at(tile) + lane * pitch);
    sum += r[0] ^ r[3];
    load4_trans(r, at(tile) + (lane ^ 5) * pitch);
    sum += r[1] ^ r[2];
  }
  y[t] = sum;
}

// All shapes of stmatrix.
KERNEL(64) matrix_stores(const u32 *x, u32 *y) {
  __shared__ __align__(128) u32 tile[2048];
  int t = threadIdx.x, lane = t % 32;
  u32 v = x[t];
  for (int i = t; i < 2048; i += 64) tile[i] = 0;
#define PUT(form, pitch)                                                                          \
  __syncthreads();                                                                                \
  asm volatile("stmatrix.sync.aligned.m8n8.x1" form ".shared.b16 [%0], {%1};"                     \
               ::"r"(at(tile) + lane * pitch), "r"(v) : "memory");                                \
  asm volatile("stmatrix.sync.aligned.m8n8.x2" form ".shared.b16 [%0], {%1,%1};"                  \
               ::"r"(at(tile) + lane * pitch), "r"(v) : "memory");                                \
  asm volatile("stmatrix.sync.aligned.m8n8.x4" form ".shared.b16 [%0], {%1,%1,%1,%1};"            \
               ::"r"(at(tile) + lane * pitch), "r"(v) : "memory");
  PUT("", 16) PUT("", 48) PUT("", 64) PUT("", 128) PUT(".trans", 16) PUT(".trans", 128)
  __syncthreads();
  u32 sum = 0;
  for (int i = t; i < 2048; i += 64) sum ^= tile[i];
  y[t] = sum;
}

// cp.async of 4, 8 and 16 bytes, in order, strided and folded.
KERNEL(128) async_copies(const char *x, float *y) {
  __shared__ __align__(128) char tile[32768];
  int t = threadIdx.x;
#define COPY(cache, bytes, place)                                                                 \
  asm volatile("cp.async." cache ".shared.global [%0], [%1], " #bytes ";"                         \
               ::"r"(at(tile) + (place)), "l"(x + t * bytes) : "memory");
  COPY("ca", 4, t * 4) COPY("ca", 4, t * 8) COPY("ca", 4, t * 128) COPY("ca", 4, (t ^ t / 8) * 4)
  COPY("ca", 8, t * 8) COPY("ca", 8, t * 16) COPY("ca", 8, t * 128)
  COPY("ca", 16, t * 16) COPY("ca", 16, t * 32) COPY("ca", 16, t * 128)
  COPY("cg", 16, t * 16) COPY("cg", 16, t * 32) COPY("cg", 16, t * 128)
  COPY("cg", 16, (t ^ (t / 8 & 7)) * 16)
  arrived();
  float sum = 0;
  for (int i = 0; i < 64; i++) sum += ((float *)tile)[i * 128 + t];
  y[t] = sum;
}
