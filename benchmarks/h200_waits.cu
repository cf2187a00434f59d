// Warps that wait for a word: whether their lanes go on together, where no barrier gathers them.
// Each LDS behind the wait of a warp runs once, with the passes of all 32 lanes, if they do.
//     python benchmarks/h200_parted.py build OUT waits; .. measure OUT; .. compare OUT
#include <cstdint>
#define K(NAME, WAIT) extern "C" __global__ void NAME(float* out, float* g) { \
  __shared__ volatile float s[4096]; __shared__ volatile int flag; __shared__ uint64_t bar; \
  const int t = threadIdx.x; uint32_t b = (uint32_t)__cvta_generic_to_shared(&bar); volatile int* f = (volatile int*)g; \
  if (t == 0) { flag = 0; asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(b)); f[0] = 0; __threadfence(); } \
  __syncthreads(); float a = t; \
  if (t < 32) { for (int i = 0; i < 20; i++) { __nanosleep(500); } if (t == 0) { f[0] = 1; flag = 1; asm volatile("{.reg .b64 x; mbarrier.arrive.shared.b64 x, [%0];}" :: "r"(b)); } } \
  else { WAIT; a += s[t * 2]; out[t + 64] = a; a += s[t * 4 + 1]; } \
  out[t] = a; }
__device__ __forceinline__ bool tw(uint32_t a, uint32_t p) { uint32_t r; asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0,1,0,p;}" : "=r"(r) : "r"(a), "r"(p) : "memory"); return r; }
__device__ __forceinline__ bool tst(uint32_t a, uint32_t p) { uint32_t r; asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0,1,0,p;}" : "=r"(r) : "r"(a), "r"(p) : "memory"); return r; }
K(w_global, while (f[0] == 0) {})
K(w_global_sleep, while (f[0] == 0) { __nanosleep(20); })
K(w_shared, while (flag == 0) {})
K(w_try, while (!tw(b, 0)) {})
K(w_test, while (!tst(b, 0)) {})
K(w_float, while (__int_as_float(f[0]) * 3.f + 1.f == 1.f && f[0] == 0) {})
K(w_ldg, if (((int*)g)[t & 0] >= 0) a += s[t * 8])
