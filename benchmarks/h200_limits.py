"""What limits a transpose on this GPU: copies in its pieces, copies by blocks of any size.

    python benchmarks/h200_limits.py OUT.csv       # on a computer with the GPU

pieces   a block of 128 x 64 elements of 4 bytes is read and written without being transposed; each
         side in one piece (linear) or in the pieces of a transpose (strided)
copied   a linear copy by blocks of 256 threads that move 16, 64 or 128 bytes each, by cache hint

Rows: part, matrix, name, median milliseconds. docs/data/h200_transpose/limits.csv is what
docs/results_transpose.md speaks of.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bankwise.lab.gpu.launch import compile_kernel, cupy, median_ms
from bankwise.lab.gpu.peers import device_copy
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
    v[s] = in[at];
  }
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    const int i = t + s * 512;
    const long long at = WRITE ? ((long long)(k0 + i / 32) * M + m0) / 4 + i % 32
                               : (long long)b * 2048 + i;
    __stwt(out + at, v[s]);
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


def defined(text: str, **values: object) -> str:
    return "".join(f"#define {name} {value}\n" for name, value in values.items()) + text


def pieces(x: Any, y: Any) -> Iterator[tuple[str, Call]]:
    m, k = x.shape
    for read in (0, 1):
        for write in (0, 1):
            made = compile_kernel(defined(PIECES, READ=read, WRITE=write), "pieces")
            for across in (1, 2, 4) if read or write else (1,):
                args = (x, y, np.int32(m), np.int32(k), np.int32(across))
                words = [("linear", "strided")[side] for side in (read, write)]
                name = f"read {words[0]} write {words[1]} across {across}"
                yield name, lambda a=args, f=made: f((m // 128 * (k // 64),), (512,), a)


def copied(x: Any, y: Any) -> Iterator[tuple[str, Call]]:
    for load in ("", "cs", "na", "ef", "p256"):
        for store in ("", "wt", "cs", "ef"):
            hints = "\n".join(["typedef unsigned E;", *macros(load, store), ""])
            for each in (1, 4, 8):
                made = compile_kernel(hints + defined(COPIED, EACH=each), "copied")
                blocks = x.size // 4 // 256 // each
                name = f"{load or 'plain'}/{store or 'plain'} x{each}"
                yield name, lambda b=blocks, f=made: f((b,), (256,), (x, y))


def main(out: Path) -> None:
    module = cupy()
    with out.open("w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("part", "m", "k", "name", "median_ms"))
        for m, k in SIZES:
            x = module.random.randint(0, 1 << 30, m * k, dtype=module.int32).reshape(m, k)
            y = module.empty((k, m), module.int32)
            for part in (pieces,) if k == 256 else (pieces, copied):
                for name, call in (("copy", device_copy(x, y)), *part(x, y)):
                    ms = median_ms(call, warmup=2, repeats=25).median_ms
                    table.writerow((part.__name__, m, k, name, ms))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
