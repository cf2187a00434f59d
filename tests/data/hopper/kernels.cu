// Kernels with wgmma for tests/test_units.py, compiled by make_hopper_kernels.py for sm_90a.
// A K-major operand is 64 rows of one swizzled row each (two 16-byte chunks without a swizzle), of which a
// product reads 16 columns; an MN-major one 16 rows of K, 64 halves of M or N.

typedef unsigned long long u64;

__device__ unsigned place(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// A swizzle of SPAN-byte rows (16: none), on addresses: bits 4.. ^= bits 7..
template <int SPAN> __device__ unsigned swizzled(unsigned a) { return a ^ (a >> 3 & (SPAN - 16)); }

// Where a 16-byte piece of the operand lies before the swizzle. K-major: row of M or N, chunk along K.
// MN-major: row of K, chunk along M or N.
template <int SPAN, bool K> __device__ unsigned piece(unsigned row, unsigned chunk) {
  if (K) return SPAN == 16 ? row / 8 * 256 + row % 8 * 16 + chunk * 128 : row * SPAN + chunk * 16;
  const unsigned r = SPAN / 16;
  return chunk / r * (16 * SPAN) + chunk % r * 16 + row / 8 * (8 * SPAN) + row % 8 * SPAN;
}

// Leading and stride byte offsets, in units of 16 bytes.
template <int SPAN, bool K> __device__ u64 descriptor(unsigned at) {
  const unsigned leading = SPAN == 16 ? 8 : K ? 1 : SPAN, stride = SPAN == 16 ? 16 : SPAN / 2;
  u64 mode = SPAN == 128 ? 1 : SPAN == 64 ? 2 : SPAN == 32 ? 3 : 0;
  return mode << 62 | (u64)stride << 32 | (u64)leading << 16 | (at & 0x3ffff) >> 4;
}

// The operand A of rows of WRITE bytes, read as if they were of READ.
template <int WRITE, int READ, bool K> __device__ void product(const uint4* from, float* to, unsigned start) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned t = threadIdx.x, a = place(shared) + start, b = a + 8192;
  const unsigned chunks = !K ? 8 : WRITE == 16 ? 2 : WRITE / 16, rows = K ? 64 : 16;
  #pragma unroll
  for (unsigned n = t; n < rows * chunks; n += 128) {
    const unsigned at = swizzled<WRITE>(piece<WRITE, K>(n / chunks, n % chunks));
    const uint4 v = from[n], w = from[n + 1024];
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" :: "r"(a + at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" :: "r"(b + at), "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w) : "memory");
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  float d[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, %10, %10;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
      : "l"(descriptor<READ, K>(a)), "l"(descriptor<READ, K>(b)), "n"(K ? 0 : 1) : "memory");
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 8; i++) to[t * 8 + i] = d[i];
}

#define KERNEL(name, write, read, k, start) extern "C" __global__ void __launch_bounds__(128) name( \
    const uint4* from, float* to) { product<write, read, k>(from, to, start); }
KERNEL(k_none, 16, 16, true, 0)
KERNEL(k_32, 32, 32, true, 0)
KERNEL(k_64, 64, 64, true, 0)
KERNEL(k_128, 128, 128, true, 0)
KERNEL(mn_none, 16, 16, false, 0)
KERNEL(mn_32, 32, 32, false, 0)
KERNEL(mn_64, 64, 64, false, 0)
KERNEL(mn_128, 128, 128, false, 0)
KERNEL(wrong_mode, 128, 64, true, 0)
KERNEL(wrong_start, 128, 128, true, 256)

// A in registers: B alone has a descriptor.
extern "C" __global__ void __launch_bounds__(128) registers(const uint4* from, float* to) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned t = threadIdx.x, b = place(shared) + 2048;
  const uint4 v = from[t];
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" :: "r"(b + swizzled<128>(t * 16)), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  float d[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int k = 0; k < 4; k++)
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9, %10, %11}, %12, p, 1, 1, 0;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
        : "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(descriptor<128, true>(b + 32 * k)) : "memory");
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 8; i++) to[t * 8 + i] = d[i];
}

// Two tiles of 64 rows of 128 bytes in turn by tensor copies, products of them, and an epilogue
// through stmatrix and a bulk copy of 16 KiB.
struct alignas(64) Map { u64 words[16]; };
extern "C" __global__ void __launch_bounds__(128) pipeline(const __grid_constant__ Map map, unsigned char* to) {
  extern __shared__ __align__(1024) unsigned char shared[];
  const unsigned tile = place(shared), out = tile + 4 * 8192, full = tile + 6 * 8192, t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 2; i++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(full + 8 * i));
    asm volatile("fence.proxy.async;" ::: "memory");
  }
  __syncthreads();
  float d[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  for (int step = 0; step < 4; step++) {
    const unsigned stage = step % 2, bar = full + 8 * stage, a = tile + stage * 16384, b = a + 8192;
    if (t == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16384;" :: "r"(bar));
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
          :: "r"(a), "l"(&map), "r"(64 * step), "r"(0), "r"(bar) : "memory");
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
          :: "r"(b), "l"(&map), "r"(64 * step), "r"(64), "r"(bar) : "memory");
    }
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done;\nbra again;\ndone:\n}"
        :: "r"(bar), "r"(step / 2) : "memory");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < 4; k++)
      asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
          "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, p, 1, 1, 0, 0;\n}"
          : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
          : "l"(descriptor<128, true>(a + 32 * k)), "l"(descriptor<128, true>(b + 32 * k)) : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
    __syncthreads();
  }
  unsigned h[4];
  for (int i = 0; i < 4; i++) h[i] = __float_as_uint(d[i]) ^ __float_as_uint(d[i + 4]);
  const unsigned row = t / 32 * 16 + t % 16, chunk = t / 16 % 2;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
      :: "r"(out + swizzled<128>(row * 128 + chunk * 16)), "r"(h[0]), "r"(h[1]), "r"(h[2]), "r"(h[3]) : "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (t == 0) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 16384;" :: "l"(to), "r"(out) : "memory");
}
