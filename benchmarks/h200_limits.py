"""What limits a transpose on this GPU: copies in its pieces, copies by blocks of any size.

    python benchmarks/h200_limits.py OUT.csv       # on a computer with the GPU

pieces   a block of 128 x 64 elements of 4 bytes is read and written without being transposed; each
         side in one piece (linear) or in the pieces of a transpose (strided); ``el``: L2 is asked
         to keep what was read
copied   a linear copy by blocks of 256 threads that move 16, 64 or 128 bytes each, by cache hint
bulk     a linear copy by the bulk copy engine (TMA): 2 to 32 KB a block, through shared memory
tensor   the same engine moves tiles from and to where a transpose has them, not transposed between

A block of the last two has so much shared memory that the given number of them fit an SM.

Rows: part, matrix, name, median milliseconds. docs/data/h200_transpose/limits.csv is what
docs/results_transpose.md speaks of.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from itertools import chain, product
from pathlib import Path
from typing import Any

import numpy as np

from bankwise.lab.gpu.launch import compile_kernel, cupy, median_ms
from bankwise.lab.gpu.peers import device_copy
from bankwise.lab.gpu.tensor_map import tensor_map
from bankwise.lab.kernels.transpose_hints import macros

Call = Callable[[], object]
SIZES = ((65536, 4096), (65536, 256))

PIECES = r"""
extern "C" __global__ void __launch_bounds__(512, 3)
pieces(const uint4* __restrict__ in, uint4* __restrict__ out, int M, int K, int across) {
  // tile 128 x 64 of 4 bytes: 2048 vectors
  const int t = threadIdx.x, b = blockIdx.x, rows = M / 128;
  const int m0 = (b / across % rows) * 128;
  const int k0 = (b / (rows * across) * across + b % across) * 64;
  uint4 v[4];
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    const int i = t + s * 512;
    const long long at = READ ? ((long long)(m0 + i / 16) * K + k0) / 4 + i % 16
                              : (long long)b * 2048 + i;
    v[s] = LOAD(in + at);
  }
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    const int i = t + s * 512;
    const long long at = WRITE ? ((long long)(k0 + i / 32) * M + m0) / 4 + i % 32
                               : (long long)b * 2048 + i;
    STORE(out + at, v[s]);
  }
}
"""

COPIED = r"""
extern "C" __global__ void __launch_bounds__(256)
copied(const uint4* __restrict__ in, uint4* __restrict__ out) {
  const long long first = (long long)blockIdx.x * 256 * EACH + threadIdx.x;
  uint4 v[EACH];
#pragma unroll
  for (int s = 0; s < EACH; ++s) v[s] = LOAD(in + first + s * 256);
#pragma unroll
  for (int s = 0; s < EACH; ++s) STORE(out + first + s * 256, v[s]);
}
"""

TENSOR = r"""
struct alignas(64) Map { unsigned long long words[16]; };
__device__ unsigned shared(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
extern "C" __global__ void __launch_bounds__(32)
tensor(const __grid_constant__ Map in, const __grid_constant__ Map out, int rows, int columns,
       int m, int k) {
  // one thread moves a tile of m x k: in place on both sides, not transposed between
  extern __shared__ __align__(1024) unsigned char tile[];
  __shared__ __align__(8) unsigned long long arrived;
  if (threadIdx.x) return;
  const int m0 = blockIdx.x % rows * m, k0 = blockIdx.x / rows * k, bytes = m * k * 4;
  unsigned long long keep;
  asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&arrived)));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&arrived)),
               "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
               ".mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%2, %3}], [%4], %5;"
               ::"r"(shared(tile)), "l"(&in), "r"(k0), "r"(m0), "r"(shared(&arrived)), "l"(keep)
               : "memory");
  asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
               "@!p bra again;\n}" ::"r"(shared(&arrived)) : "memory");
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
               " [%0, {%1, %2}], [%3];"
               ::"l"(&out), "r"(m0), "r"(k0), "r"(shared(tile)) : "memory");
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
}
extern "C" __global__ void __launch_bounds__(32)
bulk(const char* in, char* out, int bytes) {
  extern __shared__ __align__(128) unsigned char tile[];
  __shared__ __align__(8) unsigned long long arrived;
  if (threadIdx.x) return;
  const size_t at = static_cast<size_t>(blockIdx.x) * bytes;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&arrived)));
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared(&arrived)),
               "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
               " [%0], [%1], %2, [%3];"
               ::"r"(shared(tile)), "l"(in + at), "r"(bytes), "r"(shared(&arrived)) : "memory");
  asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
               "@!p bra again;\n}" ::"r"(shared(&arrived)) : "memory");
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
               ::"l"(out + at), "r"(shared(tile)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
}
"""
SHARED = 227 * 1024


def defined(text: str, **values: object) -> str:
    return "".join(f"#define {name} {value}\n" for name, value in values.items()) + text


def hinted(text: str, load: str, store: str, **values: object) -> str:
    return "\n".join(["typedef unsigned E;", *macros(load, store), defined(text, **values)])


def pieces(x: Any, y: Any) -> Iterator[tuple[str, Call]]:
    m, k = x.shape
    for load, read, write in product(("", "el"), (0, 1), (0, 1)):
        made = compile_kernel(hinted(PIECES, load, "wt", READ=read, WRITE=write), "pieces")
        for across in (1, 2, 4) if read or write else (1,):
            args = (x, y, np.int32(m), np.int32(k), np.int32(across))
            words = [("linear", "strided")[side] for side in (read, write)]
            name = f"read {words[0]} write {words[1]} across {across}{' ' * bool(load)}{load}"
            yield name, lambda a=args, f=made: f((m // 128 * (k // 64),), (512,), a)


def copied(x: Any, y: Any) -> Iterator[tuple[str, Call]]:
    for load in ("", "cs", "na", "ef", "p256", "el"):
        for store in ("", "wt", "cs", "ef"):
            for each in (1, 4, 8):
                made = compile_kernel(hinted(COPIED, load, store, EACH=each), "copied")
                blocks = x.size // 4 // 256 // each
                name = f"{load or 'plain'}/{store or 'plain'} x{each}"
                yield name, lambda b=blocks, f=made: f((b,), (256,), (x, y))


def resident(blocks: int, bytes_: int) -> int:
    """Dynamic shared memory with which so many blocks fit an SM."""
    return max(bytes_, SHARED // blocks - 2048)


def bulk(x: Any, y: Any) -> Iterator[tuple[str, Call]]:
    for size in (2048, 4096, 16384, 32768):
        for blocks in (2, 3, 4, 6, 12, 16, 24):
            if (size + 2048) * blocks > SHARED:
                continue
            shared = resident(blocks, size)
            made = compile_kernel(TENSOR, "bulk", shared_bytes=shared)
            args, grid = (x, y, np.int32(size)), (x.nbytes // size,)
            name = f"{size} bytes, {blocks} a multiprocessor"
            yield name, lambda a=args, g=grid, f=made: f(g, (32,), a)


def tensor(x: Any, y: Any) -> Iterator[tuple[str, Call]]:
    rows, columns = x.shape
    for m, k in ((32, 32), (64, 32), (64, 64), (128, 64), (64, 128), (256, 64), (128, 128)):
        for blocks in (2, 3, 4, 5, 6, 12):
            if (m * k * 4 + 2048) * blocks > SHARED:
                continue
            shared = resident(blocks, m * k * 4)
            made = compile_kernel(TENSOR, "tensor", shared_bytes=shared)
            boxes = (x, (m, k)), (y, (k, m))
            maps = [tensor_map(a, a.shape, box, fetched_bytes=128) for a, box in boxes]
            args = (*maps, *map(np.int32, (rows // m, columns // k, m, k)))
            grid = (rows // m * (columns // k),)
            name = f"{m} x {k}, {blocks} a multiprocessor"
            yield name, lambda a=args, g=grid, f=made: f(g, (32,), a)


def main(out: Path) -> None:
    module = cupy()
    with out.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("part", "m", "k", "name", "median_ms"))
        for m, k in SIZES:
            x = module.random.randint(0, 1 << 30, m * k, dtype=module.int32).reshape(m, k)
            y = module.empty((k, m), module.int32)
            for part in (pieces,) if k == 256 else (pieces, copied, bulk, tensor):
                for name, call in chain([("copy", device_copy(x, y))], part(x, y)):
                    ms = median_ms(call, warmup=2, repeats=25).median_ms
                    table.writerow((part.__name__, m, k, name, ms))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
