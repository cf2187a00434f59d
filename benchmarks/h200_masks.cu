// Warps parted, or not, by the masks that lanes ask each other with: each way to ask (HOW), and what
// comes behind it (THEN), with a read of shared memory at an own stride before, between and behind.
// `python benchmarks/h200_parted.py build OUT masks`; what an H200 counts of them is told in
// src/bankwise/read/sass/votes.py.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

#define KERNEL(NAME, HOW, THEN)                                               \
  extern "C" __global__ void NAME(float* out, const float* g) {               \
    __shared__ volatile float s[4096];                                        \
    const int t = threadIdx.x;                                                \
    const int d = __float_as_int(g[(t * 5) & 63]) >> 18;                      \
    float a = 0;                                                              \
    int v = 0;                                                                \
    out[t + 64] = s[t];                                                       \
    HOW;                                                                      \
    const int z = (v >> 3) & (__float_as_int(g[0]) >> 31);                    \
    a += s[t * 2 + z];                                                        \
    out[t + 128] = a;                                                         \
    THEN;                                                                     \
    a += s[t * 4 + z];                                                        \
    out[t] = a;                                                               \
  }

#define EIGHT (0xffu << (t & 24))
#define TILE auto w = cg::tiled_partition<8>(cg::this_thread_block())
#define ODD(...) if (t & 1) { __VA_ARGS__; }

#define BEHIND(NAME, ...)                                                     \
  KERNEL(NAME##_nothing, __VA_ARGS__, )                                       \
  KERNEL(NAME##_warp, __VA_ARGS__, __syncwarp())                              \
  KERNEL(NAME##_block, __VA_ARGS__, __syncthreads())                          \
  KERNEL(NAME##_shuffle, __VA_ARGS__, out[t + 256] = __shfl_sync(~0u, d, 3))  \
  KERNEL(NAME##_branch, __VA_ARGS__, ODD(a += s[t * 8 + z]; out[t + 256] = a))\
  KERNEL(NAME##_halves, __VA_ARGS__, __syncwarp(0xffffu << (t & 16)))         \
  KERNEL(NAME##_vote, __VA_ARGS__, a += __any_sync(~0u, d & 5))               \
  KERNEL(NAME##_sum, __VA_ARGS__, a += __reduce_add_sync(0xffffu << (t & 16), d))\
  KERNEL(NAME##_end, __VA_ARGS__, if (t & 1) return)

BEHIND(sum, v = __reduce_add_sync(EIGHT, d))
BEHIND(unread_sum, __reduce_add_sync(EIGHT, d))
BEHIND(unread_vote, __any_sync(EIGHT, d))
BEHIND(ballot, v = __ballot_sync(EIGHT, d & 1))
BEHIND(match, v = __match_any_sync(EIGHT, d))
BEHIND(shuffle, v = __shfl_sync(EIGHT, d, 0, 8))
BEHIND(sync, __syncwarp(EIGHT))
BEHIND(sync_behind_odd, ODD(out[t + 192] = s[t * 8]) __syncwarp(EIGHT))
BEHIND(sync_by_data, __syncwarp(__match_any_sync(~0u, d & 3)))
BEHIND(shuffle_by_data, v = __shfl_sync(__match_any_sync(~0u, d & 3), d, t))
BEHIND(sum_by_data, v = __reduce_add_sync(__match_any_sync(~0u, d & 3), d))
BEHIND(unread_sum_by_data, __reduce_add_sync(__match_any_sync(~0u, d & 3), d))
BEHIND(tile_shuffle, TILE; v = w.shfl(d, 0))
BEHIND(tile_sync, TILE; w.sync())
BEHIND(tile_sum, TILE; v = cg::reduce(w, d, cg::plus<int>()))
BEHIND(labeled, auto w = cg::labeled_partition(cg::coalesced_threads(), t & 3); v = w.shfl(d, 0))
