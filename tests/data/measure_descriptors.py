"""Multiply through the descriptors of h200_descriptors.csv, on an H100 or H200.

    python tests/data/measure_descriptors.py tests/data/h200_descriptors.csv    (nvcc, CuPy)

A row is one canonical layout of operand B, 128 x K f16: threads place its elements as `bases` say
(the offset of each bit of the row-major number, the contiguous dimension first), wgmma
m64n128k16 reads it through the descriptor, and all products are compared with numpy's. A lies in
core matrices one after the other. Strides and starts are in 16 bytes. Prints the row with `wrong`,
how many of the 8,192 sums differ.
"""

from __future__ import annotations

import csv
import subprocess
import sys

import cupy
import numpy as np

SOURCE = """
#include <cuda_fp16.h>
extern "C" __global__ void product(half* A, half* B, int* u, int* v, long p, int* s, int K, float* D) {
  extern __shared__ __align__(1024) char m[];
  half *a = (half*)m, *b = a + 16384;
  int t = threadIdx.x;
  for (int i = t; i < 64 * K; i += 128) a[u[i]] = A[i];
  for (int i = t; i < 128 * K; i += 128) b[v[i]] = B[i];
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  float d[64] = {};
  unsigned q = __cvta_generic_to_shared(m);
  asm volatile("wgmma.fence.sync.aligned;");
  for (int k = 0; k < K / 16; k++)
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {REGISTERS}, %64, %65, 1, 1, 1, 0, MAJOR;"
                 : SUMS : "l"((8L << 32) + (64L << 16) + (q >> 4) + k * 128), "l"(p + (q + 32768 >> 4) + s[k]));
  asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 64; i++) D[(t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8) * 128 + i / 4 * 8 + t % 4 * 2 + i % 2] = d[i];
}
"""  # noqa: E501 - the text of a CUDA program
BYTES = 65536


def kernel(turned: int) -> cupy.RawKernel:
    text = SOURCE.replace("REGISTERS", ", ".join(f"%{i}" for i in range(64)))
    text = text.replace("SUMS", ", ".join(f'"+f"(d[{i}])' for i in range(64)))
    with open(f"product{turned}.cu", "w") as file:
        file.write(text.replace("MAJOR", str(turned)))
    made = ["-o", f"product{turned}.cubin", f"product{turned}.cu"]
    subprocess.run(
        ["nvcc", "-cubin", "-gencode", "arch=compute_90a,code=sm_90a", *made], check=True
    )
    found = cupy.RawModule(path=f"product{turned}.cubin").get_function("product")
    found.max_dynamic_shared_size_bytes = BYTES
    return found


def wrong(row: dict[str, str], run: cupy.RawKernel) -> int:
    depth, leading, stride, field = (int(row[k]) for k in ("k", "leading", "stride", "field"))
    starts, bases = ([int(n) for n in row[k].split()] for k in ("starts", "bases"))
    number = np.arange(128 * depth)
    places = 0 * number
    for bit, base in enumerate(bases):
        places ^= (number >> bit & 1) * base
    a, b = np.random.randint(-4, 5, (64, depth)), np.random.randint(-4, 5, (128, depth))
    m, k = np.mgrid[:64, :depth]
    held = (b.T if row["major"] == "MN" else b).astype("e").copy()
    ints = (np.asarray(x).astype("i") for x in (k // 8 * 512 + m * 8 + k % 8, places, starts))
    plain, placed, started = map(cupy.asarray, ints)
    bits = np.uint64(field << 62 | stride << 32 | leading << 16).astype(np.int64)
    sums = cupy.zeros((64, 128), "f")
    operands = (cupy.asarray(a.astype("e")), cupy.asarray(held), plain, placed)
    run((1,), (128,), (*operands, bits, started, np.int32(depth), sums), shared_mem=BYTES)
    return int((sums.get() != a @ b.T).sum())


def main() -> None:
    with open(sys.argv[1]) as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    kernels = {"K": kernel(0), "MN": kernel(1)}
    for row in rows:
        print(*list(row.values())[:-1], wrong(row, kernels[row["major"]]), sep=",")


main()
