"""A generated kernel on the CPU: its own text, compiled by g++, one thread per CUDA thread.

``asm`` hints are left out as on HIP. Blocks run one after the other, barriers are real. The tensor
copy engine is written out here once more, byte by byte.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bankwise.lab.kernels.transpose import kernel
from bankwise.lab.kernels.transpose_order import grid
from bankwise.lab.kernels.transpose_tma import AnyTranspose, TensorTranspose
from bankwise.lab.kernels.transpose_tma_text import engine

_BEFORE = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define __HIP_PLATFORM_AMD__ 1
#define __global__
#define __device__
#define __grid_constant__
#define __forceinline__ inline
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
struct Index { int x, y, z; };
static thread_local Index threadIdx;
static Index blockIdx, gridDim;
static pthread_barrier_t meeting;
static inline void __syncthreads() { pthread_barrier_wait(&meeting); }
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned s) {
  return ((unsigned long long)high << 32 | low) >> (s & 31);
}
static inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
  unsigned char from[8], to[4];
  for (int i = 0; i < 4; ++i) { from[i] = a >> 8 * i; from[4 + i] = b >> 8 * i; }
  for (int i = 0; i < 4; ++i) to[i] = from[s >> 4 * i & 7];
  return to[0] | to[1] << 8 | to[2] << 16 | (unsigned)to[3] << 24;
}
"""
_AFTER = """
static int M, K, batch;
static E *in, *out;
static void* run(void* number) {
  threadIdx.x = (int)(long)number;
  for (int b = 0; b < gridDim.x * gridDim.y * gridDim.z; ++b) {
    const Index one = {b % gridDim.x, b / gridDim.x % gridDim.y, b / gridDim.x / gridDim.y};
    if (threadIdx.x == 0) blockIdx = one;
    __syncthreads();
    NAME(in, out, M, K);
    __syncthreads();
  }
  return 0;
}
int main(int, char** words) {
  M = atoi(words[1]), K = atoi(words[2]);
  gridDim = {atoi(words[3]), atoi(words[4]), batch = atoi(words[5])};
  const size_t size = (size_t)M * K * batch;
  in = (E*)malloc(sizeof(E) * size), out = (E*)calloc(size, sizeof(E));
  FILE* file = fopen(words[6], "rb");
  if (fread(in, sizeof(E), size, file) != size) return 1;
  pthread_barrier_init(&meeting, 0, THREADS);
  pthread_t threads[THREADS];
  for (long t = 0; t < THREADS; ++t) pthread_create(threads + t, 0, run, (void*)t);
  for (long t = 0; t < THREADS; ++t) pthread_join(threads[t], 0);
  file = fopen(words[7], "wb");
  fwrite(out, sizeof(E), size, file);
  return fclose(file);
}
"""

_MAP = """struct alignas(64) Map {
  unsigned long long words[16];
};"""
_ENGINE = """
struct Map { E* base; int rows, columns, height; };
static void move(char* tile, const Map& map, int column, int row, bool load) {
  if ((size_t)tile % 1024 || row + map.height > map.rows || column < 0 || row < 0) abort();
  if (column + 128 / (int)sizeof(E) > map.columns) abort();
  for (int r = 0; r < map.height; ++r)
    for (int c = 0; c < 128 / (int)sizeof(E); ++c) {
      E* there = map.base + (size_t)(row + r) * map.columns + column + c;
      E* here = (E*)(tile + 128 * r + (c * sizeof(E) ^ (SWIZZLED ? r % 8 * 16 : 0)));
      if (load) *here = *there; else *there = *here;
    }
  moved += 128 * map.height;
}
static void expect(unsigned long long*, unsigned bytes) { moved = 0; expected = bytes; }
static void load_box(void* to, const Map& map, int column, int row, unsigned long long*) {
  move((char*)to, map, column, row, true);
}
static void wait_for(unsigned long long*) { if (moved != expected) abort(); }
static void fence() {}
static void store_box(const Map& map, int column, int row, void* from) {
  move((char*)from, map, column, row, false);
}
static void finish() {}
"""


def text_of(plan: AnyTranspose) -> tuple[str, str]:
    """The kernel's text for g++, and how it is called."""
    text = kernel(plan)
    if not isinstance(plan, TensorTranspose):
        return text, _AFTER
    assert text.count(_MAP) == text.count(engine(plan)) == 1
    swizzled = {"none": "0", "128B": "1"}[plan.mode]
    made = _ENGINE.replace("SWIZZLED", swizzled)
    text = text.replace(_MAP, "static unsigned moved, expected;").replace(engine(plan), made)
    m, k = plan.tile
    call = f"Map{{in, M, K, {m}}}, Map{{out, K, M, {k}}}, M, K"
    return text, _AFTER.replace("(in, out, M, K)", f"({call})")


def transposed(plan: AnyTranspose, matrix: npt.NDArray[np.generic], folder: Path) -> object:
    """What the kernel's text makes of ``matrix`` [.., m, k]: an array [.., k, m]."""
    *batch, m, k = matrix.shape
    source, program = folder / f"{plan.name}.cpp", folder / plan.name
    text, after = text_of(plan)
    after = after.replace("THREADS", str(plan.threads)).replace("NAME", plan.name)
    text = text.replace("extern __shared__", "__shared__").replace("tile[];", "tile[1 << 18];")
    source.write_text(_BEFORE + text.replace('extern "C"', "static") + after)
    flags = ["-O0", "-fno-strict-aliasing", "-fsanitize=address", "-w", "-pthread"]
    subprocess.run(["g++", *flags, "-o", program, source], check=True)
    given, made = folder / f"{plan.name}.in", folder / f"{plan.name}.out"
    matrix.tofile(given)
    blocks = grid(plan, (m, k), 3, *batch)
    words = [program, str(m), str(k), *blocks, given, made]
    subprocess.run(list(map(str, words)), check=True, timeout=60)
    return np.fromfile(made, matrix.dtype).reshape(*batch, k, m)
