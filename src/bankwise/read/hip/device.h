// What kernels use of HIP, and of CUDA where HIP has the same, for a clang without ROCm's headers.
//
// Declarations and one-line bodies over clang's builtins, for compiling device code to assembly:
// shared memory is accessed as with ROCm's headers, while functions of the device library (tanh,
// pow, erf, ..) are short stand-ins. Host code is parsed and never linked.
#pragma once

typedef __SIZE_TYPE__ size_t;
typedef __INT8_TYPE__ int8_t;
typedef __INT16_TYPE__ int16_t;
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
typedef __INTPTR_TYPE__ intptr_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef unsigned int uint;
typedef unsigned char uchar;
typedef unsigned short ushort;

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ inline __attribute__((always_inline))
// A keyword since clang 15: as a macro it would break __attribute__((__noinline__)) of libstdc++.
#if !__has_feature(cuda_noinline_keyword)
#define __noinline__ __attribute__((noinline))
#endif
// clang's own launch_bounds says nothing to AMDGPU: the most threads of a block, and then the fewest
// waves of a SIMD, are other attributes there. Source: clang, "Attributes", amdgpu_*.
#define _BW_BOUND(most, ...) __attribute__((amdgpu_flat_work_group_size(1, most)))
#define _BW_BOUND_WAVES(most, waves, ...) \
  _BW_BOUND(most) __attribute__((amdgpu_waves_per_eu(waves)))
#define _BW_FOURTH(_1, _2, _3, fourth, ...) fourth
#define __launch_bounds__(...) \
  _BW_FOURTH(__VA_ARGS__, _BW_BOUND_WAVES, _BW_BOUND_WAVES, _BW_BOUND, )(__VA_ARGS__)
#define __align__(n) __attribute__((aligned(n)))
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ...) \
  kernel<<<(grid), (block), (bytes), (stream)>>>(__VA_ARGS__)
#define __HIPCC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define _BW static __device__ __host__ __forceinline__
#define _BD static __device__ __forceinline__

// Vectors: the elements in order, aligned as both languages have it.
template <class V> constexpr int _bw_elements = 0;
template <bool> struct _bw_if {};
template <> struct _bw_if<true> { typedef int type; };
#define _BW_VECTOR(T, V, n, bytes, fields, takes, gives)   \
  struct alignas(bytes) V { T fields; };                   \
  template <> constexpr int _bw_elements<V> = n;           \
  _BW V make_##V takes { return V gives; }
#define _BW_X x
#define _BW_XY x, y
#define _BW_XYZ x, y, z
#define _BW_XYZW x, y, z, w
#define _BW_VECTORS(T, V)                                                                     \
  _BW_VECTOR(T, V##1, 1, sizeof(T), _BW_X, (T x), {_BW_X})                                    \
  _BW_VECTOR(T, V##2, 2, 2 * sizeof(T), _BW_XY, (T x, T y), {_BW_XY})                         \
  _BW_VECTOR(T, V##3, 3, sizeof(T), _BW_XYZ, (T x, T y, T z), {_BW_XYZ})                      \
  _BW_VECTOR(T, V##4, 4, (sizeof(T) < 4 ? 4 * sizeof(T) : 16), _BW_XYZW, (T x, T y, T z, T w), \
             {_BW_XYZW})
_BW_VECTORS(char, char)
_BW_VECTORS(unsigned char, uchar)
_BW_VECTORS(short, short)
_BW_VECTORS(unsigned short, ushort)
_BW_VECTORS(int, int)
_BW_VECTORS(unsigned int, uint)
_BW_VECTORS(long, long)
_BW_VECTORS(unsigned long, ulong)
_BW_VECTORS(long long, longlong)
_BW_VECTORS(unsigned long long, ulonglong)
_BW_VECTORS(float, float)
_BW_VECTORS(double, double)
#define _BW_IF(V) template <class V, typename _bw_if<(_bw_elements<V> > 0)>::type = 0>
_BW_IF(V) _BW V _bw_all(decltype(V::x) one) {
  V all = {one};
  if constexpr (_bw_elements<V> > 1) all.y = one;
  if constexpr (_bw_elements<V> > 2) all.z = one;
  if constexpr (_bw_elements<V> > 3) all.w = one;
  return all;
}
#define _BW_OPERATOR(op)                                                            \
  _BW_IF(V) _BW V& operator op##=(V& a, const V& b) {                               \
    a.x op##= b.x;                                                                  \
    if constexpr (_bw_elements<V> > 1) a.y op##= b.y;                               \
    if constexpr (_bw_elements<V> > 2) a.z op##= b.z;                               \
    if constexpr (_bw_elements<V> > 3) a.w op##= b.w;                               \
    return a;                                                                       \
  }                                                                                 \
  _BW_IF(V) _BW V operator op(V a, const V& b) { return a op##= b; }                \
  _BW_IF(V) _BW V operator op(V a, decltype(V::x) b) { return a op##= _bw_all<V>(b); } \
  _BW_IF(V) _BW V operator op(decltype(V::x) a, const V& b) { return _bw_all<V>(a) op b; } \
  _BW_IF(V) _BW V& operator op##=(V& a, decltype(V::x) b) { return a op##= _bw_all<V>(b); }
_BW_OPERATOR(+)
_BW_OPERATOR(-)
_BW_OPERATOR(*)
_BW_OPERATOR(/)
_BW_OPERATOR(^)
_BW_OPERATOR(&)
_BW_OPERATOR(|)

// Where a thread is.
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
#define _BW_PLACE(name, from)                                            \
  struct _bw_##name {                                                    \
    __declspec(property(get = _x)) unsigned x;                           \
    __declspec(property(get = _y)) unsigned y;                           \
    __declspec(property(get = _z)) unsigned z;                           \
    __device__ unsigned _x() const { return __builtin_amdgcn_##from##_x(); } \
    __device__ unsigned _y() const { return __builtin_amdgcn_##from##_y(); } \
    __device__ unsigned _z() const { return __builtin_amdgcn_##from##_z(); } \
    __device__ operator dim3() const { return dim3(x, y, z); }           \
  };                                                                     \
  extern const __device__ _bw_##name name;
_BW_PLACE(threadIdx, workitem_id)
_BW_PLACE(blockIdx, workgroup_id)
_BW_PLACE(blockDim, workgroup_size)
#define _BW_GROUPS(n) \
  (((const __attribute__((address_space(4))) unsigned*)__builtin_amdgcn_implicitarg_ptr())[n])
#define __builtin_amdgcn_groups_x() _BW_GROUPS(0)
#define __builtin_amdgcn_groups_y() _BW_GROUPS(1)
#define __builtin_amdgcn_groups_z() _BW_GROUPS(2)
_BW_PLACE(gridDim, groups)
static constexpr int warpSize = 64;
_BD unsigned __lane_id() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

// Order between threads.
_BD void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
_BD void __syncwarp(unsigned long long = ~0ull) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
_BD void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
_BD void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
_BD void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

// Between the lanes of a wave: of 4 or 8 bytes.
template <class T> _BD T _bw_from(T value, int lane) {
  static_assert(sizeof(T) % 4 == 0 || sizeof(T) < 4, "whole words, or less than one");
  int words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (int& word : words) word = __builtin_amdgcn_ds_bpermute(lane << 2, word);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}
template <class T> _BD T __shfl(T value, int from, int width = warpSize) {
  int self = __lane_id();
  return _bw_from(value, (from & (width - 1)) + (self & ~(width - 1)));
}
template <class T> _BD T __shfl_xor(T value, int mask, int width = warpSize) {
  int self = __lane_id(), from = self ^ mask;
  return _bw_from(value, from >= ((self + width) & ~(width - 1)) ? self : from);
}
template <class T> _BD T __shfl_up(T value, unsigned by, int width = warpSize) {
  int self = __lane_id(), from = self - int(by);
  return _bw_from(value, from < (self & ~(width - 1)) ? self : from);
}
template <class T> _BD T __shfl_down(T value, unsigned by, int width = warpSize) {
  int self = __lane_id(), from = self + int(by);
  return _bw_from(value, (self & (width - 1)) + int(by) >= width ? self : from);
}
#define __shfl_sync(mask, ...) __shfl(__VA_ARGS__)
#define __shfl_xor_sync(mask, ...) __shfl_xor(__VA_ARGS__)
#define __shfl_up_sync(mask, ...) __shfl_up(__VA_ARGS__)
#define __shfl_down_sync(mask, ...) __shfl_down(__VA_ARGS__)
_BD unsigned long long __ballot(int yes) { return __builtin_amdgcn_ballot_w64(yes != 0); }
_BD unsigned long long __activemask() { return __builtin_amdgcn_ballot_w64(true); }
_BD int __any(int yes) { return __ballot(yes) != 0; }
_BD int __all(int yes) { return __ballot(yes) == __activemask(); }
#define __ballot_sync(mask, yes) __ballot(yes)
#define __any_sync(mask, yes) __any(yes)
#define __all_sync(mask, yes) __all(yes)

// Atomics: macros, so that their place is the author's.
#define _BW_ATOMIC(how, p, v)                                                              \
  __hip_atomic_##how((p), static_cast<_bw_of<decltype(p)>>(v), __ATOMIC_RELAXED, \
                     __HIP_MEMORY_SCOPE_AGENT)
template <class P> struct _bw_pointee;
template <class T> struct _bw_pointee<T*> { typedef T type; };
template <class T> struct _bw_pointee<volatile T*> { typedef T type; };
template <class T> struct _bw_pointee<T* __restrict> { typedef T type; };
template <class T> struct _bw_pointee<volatile T* __restrict> { typedef T type; };
template <class P> struct _bw_pointee<P&> : _bw_pointee<P> {};
template <class P> struct _bw_pointee<P const> : _bw_pointee<P> {};
template <class P> using _bw_of = typename _bw_pointee<P>::type;
#define atomicAdd(p, v) _BW_ATOMIC(fetch_add, p, v)
#define atomicSub(p, v) _BW_ATOMIC(fetch_add, p, -(v))
#define atomicMin(p, v) _BW_ATOMIC(fetch_min, p, v)
#define atomicMax(p, v) _BW_ATOMIC(fetch_max, p, v)
#define atomicAnd(p, v) _BW_ATOMIC(fetch_and, p, v)
#define atomicOr(p, v) _BW_ATOMIC(fetch_or, p, v)
#define atomicXor(p, v) _BW_ATOMIC(fetch_xor, p, v)
#define atomicExch(p, v) _BW_ATOMIC(exchange, p, v)
#define atomicAdd_block(p, v) _BW_ATOMIC(fetch_add, p, v)
template <class T, class U, class V> _BD T atomicCAS(T* p, U old, V now) {
  T was = old;
  __hip_atomic_compare_exchange_strong(p, &was, T(now), __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_AGENT);
  return was;
}

// Loads, bits, integers.
template <class T> _BD T __ldg(const T* p) { return *p; }
template <class T> _BD T __ldcs(const T* p) { return *p; }
template <class T> _BD T __ldcg(const T* p) { return *p; }
template <class T> _BD void __stcs(T* p, T v) { *p = v; }
template <class T> _BD void __stcg(T* p, T v) { *p = v; }
template <class To, class From> _BD To _bw_bits(From v) { return __builtin_bit_cast(To, v); }
_BD int __float_as_int(float v) { return _bw_bits<int>(v); }
_BD unsigned __float_as_uint(float v) { return _bw_bits<unsigned>(v); }
_BD float __int_as_float(int v) { return _bw_bits<float>(v); }
_BD float __uint_as_float(unsigned v) { return _bw_bits<float>(v); }
_BD long long __double_as_longlong(double v) { return _bw_bits<long long>(v); }
_BD double __longlong_as_double(long long v) { return _bw_bits<double>(v); }
_BD int __popc(unsigned v) { return __builtin_popcount(v); }
_BD int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
_BD int __clz(int v) { return v ? __builtin_clz(v) : 32; }
_BD int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
_BD int __ffs(int v) { return __builtin_ffs(v); }
_BD int __ffsll(long long v) { return __builtin_ffsll(v); }
_BD unsigned __brev(unsigned v) { return __builtin_bitreverse32(v); }
_BD int __mul24(int a, int b) { return a * b; }
_BD int __umulhi(unsigned a, unsigned b) { return int((unsigned long long)a * b >> 32); }
template <class T> _BD T min(T a, T b) { return b < a ? b : a; }
template <class T> _BD T max(T a, T b) { return a < b ? b : a; }
_BD float min(float a, float b) { return __builtin_fminf(a, b); }
_BD float max(float a, float b) { return __builtin_fmaxf(a, b); }
_BD unsigned min(unsigned a, int b) { return min(a, unsigned(b)); }
_BD unsigned min(int a, unsigned b) { return min(unsigned(a), b); }
_BD unsigned max(unsigned a, int b) { return max(a, unsigned(b)); }
_BD unsigned max(int a, unsigned b) { return max(unsigned(a), b); }

// Numbers: what the back end has; the rest is made of that.
#define _BW_1(name)                                             \
  _BD float name##f(float x) { return __builtin_##name##f(x); } \
  _BD float name(float x) { return __builtin_##name##f(x); }
#define _BW_BOTH(name) _BW_1(name) _BD double name(double x) { return __builtin_##name(x); }
_BW_BOTH(sqrt)
_BW_BOTH(fabs)
_BW_BOTH(floor)
_BW_BOTH(ceil)
_BW_BOTH(trunc)
_BW_BOTH(round)
_BW_BOTH(rint)
_BW_1(exp)
_BW_1(exp2)
_BW_1(log)
_BW_1(log2)
_BW_1(log10)
_BW_1(sin)
_BW_1(cos)
_BD float abs(float x) { return __builtin_fabsf(x); }
_BD double abs(double x) { return __builtin_fabs(x); }
_BD int abs(int x) { return x < 0 ? -x : x; }
_BD float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
_BD double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
_BD float fminf(float a, float b) { return __builtin_fminf(a, b); }
_BD float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
_BD double fmin(double a, double b) { return __builtin_fmin(a, b); }
_BD double fmax(double a, double b) { return __builtin_fmax(a, b); }
_BD float copysignf(float a, float b) { return __builtin_copysignf(a, b); }
_BD float fmodf(float a, float b) { return a - b * truncf(a / b); }
_BD double fmod(double a, double b) { return a - b * trunc(a / b); }
_BD float hypotf(float a, float b) { return sqrtf(a * a + b * b); }
_BD double hypot(double a, double b) { return sqrt(a * a + b * b); }
_BD long lrintf(float x) { return long(rintf(x)); }
_BD long lrint(double x) { return long(rint(x)); }
_BD long lroundf(float x) { return long(roundf(x)); }
_BD float powf(float a, float b) { return exp2f(b * log2f(a)); }
_BD float rsqrtf(float x) { return 1.0f / sqrtf(x); }
_BD double rsqrt(double x) { return 1.0 / sqrt(x); }
_BD float expm1f(float x) { return expf(x) - 1.0f; }
_BD float log1pf(float x) { return logf(1.0f + x); }
_BD float tanf(float x) { return sinf(x) / cosf(x); }
_BD float pow(float a, float b) { return powf(a, b); }
_BD float fmin(float a, float b) { return fminf(a, b); }
_BD float fmax(float a, float b) { return fmaxf(a, b); }
_BD float tanhf(float x) { return 1.0f - 2.0f / (expf(2.0f * x) + 1.0f); }
_BD float erff(float x) { return tanhf(x * (1.1283792f + 0.1009f * x * x)); }
_BD double exp(double x) { return expf(float(x)); }
_BD double log(double x) { return logf(float(x)); }
_BD double pow(double a, double b) { return powf(float(a), float(b)); }
_BD double sin(double x) { return sinf(float(x)); }
_BD double cos(double x) { return cosf(float(x)); }
_BD double tanh(double x) { return tanhf(float(x)); }
_BD float sinpif(float x) { return sinf(3.14159265f * x); }
_BD float cospif(float x) { return cosf(3.14159265f * x); }
_BD void sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
_BD void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }
_BD bool isnan(float x) { return __builtin_isnan(x); }
_BD bool isinf(float x) { return __builtin_isinf(x); }
#define __expf expf
#define __exp2f exp2f
#define __logf logf
#define __log2f log2f
#define __sinf sinf
#define __cosf cosf
#define __powf powf
#define __sincosf sincosf
#define __frsqrt_rn rsqrtf
#define __fsqrt_rn sqrtf
#define __fmaf_rn fmaf
#define __fdividef(a, b) ((a) / (b))
_BD float __frcp_rn(float x) { return 1.0f / x; }
_BD double __drcp_rn(double x) { return 1.0 / x; }
_BD long long clock64() { return __builtin_readcyclecounter(); }
_BD long long wall_clock64() { return __builtin_readcyclecounter(); }
_BD long long clock() { return __builtin_readcyclecounter(); }
_BD float __fadd_rn(float a, float b) { return a + b; }
_BD float __fmul_rn(float a, float b) { return a * b; }
_BD float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
_BD int __float2int_rn(float x) { return int(rintf(x)); }
_BD int __float2int_rd(float x) { return int(floorf(x)); }
_BD int __float2int_rz(float x) { return int(x); }
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define HUGE_VALF __builtin_inff()
#define FLT_MAX __FLT_MAX__
#define FLT_MIN __FLT_MIN__
#define FLT_EPSILON __FLT_EPSILON__
#define DBL_MAX __DBL_MAX__
#define INT_MAX __INT_MAX__
#define INT_MIN (-__INT_MAX__ - 1)
#define UINT_MAX (~0u)
#define M_PI 3.14159265358979323846
#define CUDART_PI_F 3.141592654f
#define CUDART_INF_F __builtin_inff()
#define CUDART_SQRT_HALF_F 0.707106781f

// Half precision.
typedef _Float16 __half;
typedef _Float16 half;
typedef __bf16 __hip_bfloat16;
typedef __bf16 hip_bfloat16;
typedef __bf16 __nv_bfloat16;
_BW_VECTOR(_Float16, __half2, 2, 4, _BW_XY, (_Float16 x, _Float16 y), {_BW_XY})
_BW_VECTOR(__bf16, __nv_bfloat162, 2, 4, _BW_XY, (__bf16 x, __bf16 y), {_BW_XY})
typedef __half2 half2;
typedef __nv_bfloat162 __hip_bfloat162;
_BW half __float2half(float x) { return half(x); }
_BW half __float2half_rn(float x) { return half(x); }
_BW float __half2float(half x) { return float(x); }
_BW float2 __half22float2(half2 v) { return {float(v.x), float(v.y)}; }
_BW half2 __float22half2_rn(float2 v) { return {half(v.x), half(v.y)}; }
_BW half2 __floats2half2_rn(float x, float y) { return {half(x), half(y)}; }
_BW half2 __float2half2_rn(float x) { return {half(x), half(x)}; }
_BW half2 __halves2half2(half x, half y) { return {x, y}; }
_BW half2 __half2half2(half x) { return {x, x}; }
_BW half2 make_half2(half x, half y) { return {x, y}; }
_BW half __low2half(half2 v) { return v.x; }
_BW half __high2half(half2 v) { return v.y; }
_BW float __low2float(half2 v) { return float(v.x); }
_BW float __high2float(half2 v) { return float(v.y); }
_BW half __hadd(half a, half b) { return a + b; }
_BW half __hsub(half a, half b) { return a - b; }
_BW half __hmul(half a, half b) { return a * b; }
_BW half __hfma(half a, half b, half c) { return a * b + c; }
_BW half __hmax(half a, half b) { return a < b ? b : a; }
_BW half2 __hadd2(half2 a, half2 b) { return a + b; }
_BW half2 __hsub2(half2 a, half2 b) { return a - b; }
_BW half2 __hmul2(half2 a, half2 b) { return a * b; }
_BW half2 __hfma2(half2 a, half2 b, half2 c) { return a * b + c; }
_BW __bf16 __float2bfloat16(float x) { return __bf16(x); }
_BW float __bfloat162float(__bf16 x) { return float(x); }
_BW float2 __bfloat1622float2(__nv_bfloat162 v) { return {float(v.x), float(v.y)}; }
_BW __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__bf16(x), __bf16(y)}; }

// Host code, so that it parses.
typedef struct _bw_stream* hipStream_t;
typedef struct _bw_event* hipEvent_t;
typedef hipStream_t cudaStream_t;
typedef hipEvent_t cudaEvent_t;
enum hipError_t {
  hipSuccess, hipErrorInvalidValue, hipErrorOutOfMemory, hipErrorNotReady, hipErrorNotSupported,
  hipErrorInvalidDevice, hipErrorPeerAccessAlreadyEnabled, hipErrorPeerAccessNotEnabled,
  hipErrorUnknown
};
#define HIP_SUCCESS hipSuccess
enum hipMemcpyKind {
  hipMemcpyHostToDevice,
  hipMemcpyDeviceToHost,
  hipMemcpyDeviceToDevice,
  hipMemcpyHostToHost,
  hipMemcpyDefault
};
#define hipStreamDefault ((hipStream_t)0)
#define hipEventDefault 0
#define hipEventDisableTiming 2
#define hipStreamNonBlocking 1
#define hipHostMallocDefault 0
#define hipHostMallocMapped 2
#define hipHostRegisterDefault 0
enum hipDeviceAttribute_t {
  hipDeviceAttributeMultiprocessorCount, hipDeviceAttributeMaxThreadsPerBlock,
  hipDeviceAttributeMaxSharedMemoryPerBlock, hipDeviceAttributeMaxRegistersPerBlock,
  hipDeviceAttributeWarpSize, hipDeviceAttributeClockRate, hipDeviceAttributeMemoryClockRate,
  hipDeviceAttributeMemoryBusWidth, hipDeviceAttributeL2CacheSize,
  hipDeviceAttributeMaxThreadsPerMultiProcessor, hipDeviceAttributeComputeCapabilityMajor,
  hipDeviceAttributeComputeCapabilityMinor, hipDeviceAttributeCooperativeLaunch
};
#define HIP_SYMBOL(name) name
typedef hipError_t cudaError_t;
struct hipDeviceProp_t {
  char name[256], gcnArchName[256];
  size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, maxSharedMemoryPerMultiProcessor;
  int multiProcessorCount, warpSize, clockRate, major, minor, regsPerBlock, maxThreadsPerBlock;
  int maxThreadsDim[3], maxGridSize[3], maxThreadsPerMultiProcessor, l2CacheSize, integrated;
  int memoryClockRate, memoryBusWidth, concurrentKernels, cooperativeLaunch, canMapHostMemory;
  int pciDomainID, pciBusID, pciDeviceID, isMultiGpuBoard, managedMemory, computeMode;
};
typedef hipDeviceProp_t cudaDeviceProp;
#define cudaSuccess hipSuccess
#define cudaMemcpyHostToDevice hipMemcpyHostToDevice
#define cudaMemcpyDeviceToHost hipMemcpyDeviceToHost
#define cudaMemcpyDeviceToDevice hipMemcpyDeviceToDevice
extern "C" unsigned __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
extern "C" hipError_t __hipPopCallConfiguration(dim3*, dim3*, size_t*, hipStream_t*);
extern "C" hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
extern "C" __device__ int printf(const char*, ...);
extern "C" __device__ void* malloc(size_t);
extern "C" __device__ void free(void*);
extern "C" int printf(const char*, ...);
#define _BW_HOST(name)                              \
  template <class... A> hipError_t hip##name(const A&...);  \
  template <class... A> hipError_t cuda##name(const A&...);
_BW_HOST(Malloc)
_BW_HOST(MallocHost)
_BW_HOST(MallocAsync)
_BW_HOST(MallocManaged)
_BW_HOST(MallocPitch)
_BW_HOST(Free)
_BW_HOST(FreeHost)
_BW_HOST(FreeAsync)
_BW_HOST(HostMalloc)
_BW_HOST(HostFree)
_BW_HOST(HostAlloc)
_BW_HOST(HostRegister)
_BW_HOST(HostUnregister)
_BW_HOST(HostGetDevicePointer)
_BW_HOST(Memcpy)
_BW_HOST(Memcpy2D)
_BW_HOST(MemcpyAsync)
_BW_HOST(MemcpyToSymbol)
_BW_HOST(MemcpyFromSymbol)
_BW_HOST(MemcpyHtoD)
_BW_HOST(MemcpyDtoH)
_BW_HOST(Memset)
_BW_HOST(MemsetAsync)
_BW_HOST(MemPrefetchAsync)
_BW_HOST(MemGetInfo)
_BW_HOST(SetDevice)
_BW_HOST(GetDevice)
_BW_HOST(GetDeviceCount)
_BW_HOST(GetDeviceProperties)
_BW_HOST(DeviceGetAttribute)
_BW_HOST(DeviceSynchronize)
_BW_HOST(DeviceReset)
_BW_HOST(DeviceCanAccessPeer)
_BW_HOST(DeviceEnablePeerAccess)
_BW_HOST(DeviceDisablePeerAccess)
_BW_HOST(MemcpyPeer)
_BW_HOST(MemcpyPeerAsync)
_BW_HOST(StreamCreate)
_BW_HOST(StreamCreateWithFlags)
_BW_HOST(StreamDestroy)
_BW_HOST(StreamSynchronize)
_BW_HOST(StreamWaitEvent)
_BW_HOST(EventCreate)
_BW_HOST(EventCreateWithFlags)
_BW_HOST(EventDestroy)
_BW_HOST(EventRecord)
_BW_HOST(EventSynchronize)
_BW_HOST(EventElapsedTime)
_BW_HOST(GetLastError)
_BW_HOST(PeekAtLastError)
_BW_HOST(FuncSetAttribute)
_BW_HOST(FuncGetAttributes)
_BW_HOST(GetSymbolAddress)
_BW_HOST(OccupancyMaxActiveBlocksPerMultiprocessor)
_BW_HOST(OccupancyMaxPotentialBlockSize)
_BW_HOST(RuntimeGetVersion)
_BW_HOST(DriverGetVersion)
const char* hipGetErrorString(hipError_t);
const char* cudaGetErrorString(hipError_t);
const char* hipGetErrorName(hipError_t);
typedef hipError_t hipError;
