"""A project whose kernels stand in its own headers, for tests of ``fix``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bankwise.read.toolkit import find_program
from command import Ended, bankwise

needs_nvcc = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

TRANSPOSE = """#pragma once

// The transpose of a matrix, tile by tile.
template <int TILE>
__global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[TILE][TILE];
    for (int i = threadIdx.y; i < TILE; i += blockDim.y)
        tile[i][threadIdx.x] = in[(blockIdx.y * TILE + i) * n + blockIdx.x * TILE + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < TILE; i += blockDim.y)
        out[(blockIdx.x * TILE + i) * n + blockIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][i];
}
"""

COLUMNS = """#ifndef COLUMNS_CUH
#define COLUMNS_CUH
#include "../util/zero.cuh"
__global__ void columns(const float* in, float* out) {
    __shared__ float tile[32][32];
    for (int i = threadIdx.x; i < 1024; i += 32) tile[i / 32][i % 32] = in[i];
    __syncthreads();
    float sum = zero();
    for (int i = 0; i < 32; ++i) sum += tile[threadIdx.x][i];
    out[threadIdx.x] = sum;
}
#endif"""

RUN = """#include "kernels/transpose.cuh"
#include <kernels/columns.cuh>
#include "kernels/transpose.cuh"
void run(const float* a, float* b) {
    transpose<32><<<dim3(4, 4), dim3(32, 8)>>>(a, b, 128);
    transpose<16><<<dim3(8, 8), dim3(16, 16)>>>(a, b, 128);
    columns<<<1, 32>>>(a, b);
}
"""

ZERO = '#pragma once\n#include "empty.h"\n__device__ inline float zero() { return 0.f; }\n'

OTHER = """#include "kernels/transpose.cuh"
void more(const float* a, float* b) { transpose<8><<<dim3(2, 2), dim3(8, 8)>>>(a, b, 16); }
"""

PROJECT = {
    "src/run.cu": RUN,
    "src/kernels/transpose.cuh": TRANSPOSE,
    "src/kernels/columns.cuh": COLUMNS,
    "src/util/zero.cuh": ZERO,
    "src/util/empty.h": "",
}


def put(folder: Path, files: dict[str, str]) -> None:
    (folder / ".git").mkdir(exist_ok=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def fix(file: str, *options: str, flags: tuple[str, ...] = ("-Isrc",)) -> Ended:
    return bankwise("fix", file, "-t", "sm_90", *options, "--", *flags)


def answer(done: Ended) -> dict[str, Any]:
    return json.loads(done.out)


def verdicts(found: dict[str, Any]) -> dict[str, str]:
    return {one["judge"]: one["status"] for one in found["verdicts"]}


def extra(file: str) -> dict[str, int]:
    told = json.loads(bankwise("check", file, "-t", "sm_90", "--format", "json", "--", "-Isrc").out)
    return {one["name"]: one["totals"]["run"]["extra"] for one in told["kernels"]}


PASSED = {"proof": "passed", "execution": "passed", "isa": "passed"}

SHARED = """#pragma once
__device__ void put(float (&to)[32][32], int row, int column, float value) {
    to[row][column] = value;
}
__global__ void columns(const float* in, float* out) {
    __shared__ float tile[32][32];
    for (int i = threadIdx.x; i < 1024; i += 32) put(tile, i / 32, i % 32, in[i]);
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 32; ++i) sum += tile[threadIdx.x][i];
    out[threadIdx.x] = sum;
}
"""
USER = """#include "shared.cuh"
__global__ void mine(float* out) {
    __shared__ float own[32][32];
    put(own, threadIdx.x, 0, 1.f);
    out[threadIdx.x] = own[threadIdx.x][0];
}
"""
