"""Measure what asynchronous units of sm_90 cost: h200_units.csv and h200_units_times.csv.

    python tests/data/measure_hopper.py FOLDER          (an H100 or H200, nvcc, Nsight Compute)
    python tests/data/measure_hopper.py FOLDER --text   (only write and compile the source)

A case is one kernel; its name says what it does, and its first number how many units of work one
block does. `h200_units.csv`: the counters of each launch, as read (ncu, one launch each).
`h200_units_times.csv`: cycles of one block between two clocks, the least of several launches.

    wgmma_TYPE_nN_A_gG_M   ROUNDS products a warpgroup, A from shared memory (ss) or registers
                           (rs), G warpgroups at once, descriptors of mode M, random numbers
    tma_load_WIDTH_SOURCE  boxes of 64 rows of WIDTH bytes, eight in flight; out of L2, or past it
                           (each box elsewhere in 512 MiB); multicast: to 2 or 4 blocks of a
                           cluster, block 0 issues, and they meet every eight boxes
    dsmem_ld_WAYS, _st_    32 lanes touch 4 bytes each of the other block of a cluster, WAYS lanes
                           in one bank; own_ld_WAYS: the same in the block's own memory
                           (volatile, so that ptxas joins none; in the tables of 2026-11-22 they
                           were not, and each block did one access of the 256)
    mbarrier_LANES         arrivals of so many lanes of a warp at one barrier
"""

# ruff: noqa: E501 - the text of a CUDA program
from __future__ import annotations

import csv
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROUNDS, BOXES, ACCESSES = 256, 256, 256
TYPES = {"f16": (16, "f16.f16"), "tf32": (8, "tf32.tf32"), "e4m3": (32, "e4m3.e4m3"),
         "s8": (32, "s8.s8")}  # fmt: skip
MODES = {"none": (0, 128, 256), "128B": (1, 16, 1024)}
"""Field, leading and stride byte offset."""

_OPS = ("ld", "st", "atom", "gmma", "misc")
COUNTERS = [f"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{op}.sum" for op in _OPS]
COUNTERS += ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"]
COUNTERS += [f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{op}.sum" for op in _OPS]
COUNTERS += ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"]

HEAD = r"""
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cstring>
#include <algorithm>
typedef unsigned long long u64;
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
  fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e)); exit(1); } } while (0)
__device__ __forceinline__ unsigned place(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
  asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
               "@p bra done;\nbra again;\ndone:\n}" :: "r"(barrier), "r"(parity) : "memory");
}
__device__ __forceinline__ unsigned rank() { unsigned r; asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
__device__ __forceinline__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
extern __shared__ __align__(1024) unsigned char shared[];
__device__ void fill(int bytes) {
  unsigned x = threadIdx.x * 2654435761u + 1;
  for (int i = threadIdx.x * 4; i < bytes; i += blockDim.x * 4) {
    x = x * 1664525u + 1013904223u;
    *(unsigned*)(shared + i) = x & 0x33333333u;
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
}
"""

WGMMA = r"""
extern "C" __global__ void %(name)s(u64* times, const void*) {
  fill(96 * 1024);
  [[maybe_unused]] int group = threadIdx.x / 128;
  u64 low = ((u64)%(field)d << 62) | ((u64)%(stride)d >> 4 << 32) | ((u64)%(leading)d >> 4 << 16);
  [[maybe_unused]] u64 a = low | ((place(shared) + group * 16384) >> 4);
  u64 b = low | ((place(shared) + 49152) >> 4);
  %(kind)s d[%(registers)d];
  #pragma unroll
  for (int i = 0; i < %(registers)d; i++) d[i] = 0;
  [[maybe_unused]] unsigned r0 = threadIdx.x, r1 = r0 * 3, r2 = r0 * 5, r3 = r0 * 7;
  __syncthreads();
  long long start = clock64();
  for (int i = 0; i < %(rounds)d / 8; i++) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    #pragma unroll 1
    for (int k = 0; k < 8; k++) asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n%(text)s\n}"
      : %(outs)s : %(ins)s : "memory");
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  }
  __syncthreads();
  long long end = clock64();
  %(kind)s sum = 0;
  #pragma unroll
  for (int i = 0; i < %(registers)d; i++) sum += d[i];
  if (threadIdx.x == 0) times[0] = end - start;
  if (sum == (%(kind)s)1234567) times[1] = 1;
}
"""

TMA = r"""
extern "C" __global__ void %(cluster)s %(name)s(u64* times, const __grid_constant__ CUtensorMap map) {
  u64* bar = (u64*)(shared + 8 * %(bytes)d);
  unsigned at = place(bar), me = rank();
  if (threadIdx.x == 0) for (int i = 0; i < 8; i++)
    asm volatile("mbarrier.init.shared::cta.b64 [%%0], 1;" :: "r"(at + 8 * i));
  asm volatile("fence.mbarrier_init.release.cluster;\nfence.proxy.async;" ::: "memory");
  __syncthreads();
  %(meet)s
  long long start = clock64();
  for (int i = 0; i < %(boxes)d + 8; i++) {
    unsigned slot = i %% 8;
    if (slot == 0) { __syncwarp(); %(meet)s }
    if (i >= 8) wait(at + 8 * slot, (i / 8 - 1) %% 2);
    if (i >= %(boxes)d || threadIdx.x) continue;
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%0], %%1;" :: "r"(at + 8 * slot), "r"(%(bytes)d));
    %(gate)s
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes%(cast)s "
                 "[%%0], [%%1, {%%2, %%3}], [%%4]%(mask)s;" :: "r"(place(shared) + slot * %(bytes)d), "l"(&map),
                 "r"(0), "r"(64 * (%(row)s)), "r"(at + 8 * slot) %(maskin)s : "memory");
  }
  __syncwarp();
  long long end = clock64();
  if (me == 0 && threadIdx.x == 0) times[0] = end - start;
  %(meet)s
}
"""

DSMEM = r"""
extern "C" __global__ void %(cluster)s %(name)s(u64* times, const void*) {
  fill(32 * 1024);
  unsigned from = place(shared) + 4 * (threadIdx.x %% 32 * %(step)d %% 1024 + threadIdx.x %% 32 * %(step)d / 1024);
  unsigned value = threadIdx.x, sum = 0;
  %(map)s
  meet();
  long long start = clock64();
  for (int i = 0; i < %(accesses)d / 8; i++) {
    #pragma unroll
    for (int k = 0; k < 8; k++) { %(touch)s }
  }
  long long end = clock64();
  meet();
  if (threadIdx.x == 0 && rank() == 0) times[0] = end - start;
  if (sum == 1234567) times[1] = value;
}
"""

BARRIER = r"""
extern "C" __global__ void %(name)s(u64* times, const void*) {
  unsigned at = place(shared);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared::cta.b64 [%%0], 1048575;" :: "r"(at));
  __syncthreads();
  long long start = clock64();
  if (threadIdx.x < %(lanes)d)
    for (int i = 0; i < %(accesses)d; i++)
      asm volatile("{\n.reg .b64 s;\nmbarrier.arrive.shared::cta.b64 s, [%%0];\n}" :: "r"(at) : "memory");
  long long end = clock64();
  if (threadIdx.x == 0) times[0] = end - start;
}
"""

MAIN = r"""
int main(int count, char** words) {
  int repeat = count > 1 ? atoi(words[1]) : 1;
  u64* times; CHECK(cudaMalloc(&times, 64));
  u64 size = 512ull << 20; unsigned char* data; CHECK(cudaMalloc(&data, size));
  CHECK(cudaMemset(data, 0x11, size));
  void* entry = nullptr; cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found));
  auto encode = (decltype(&cuTensorMapEncodeTiled))entry;
  for (auto& one : cases) {
    CUtensorMap map; memset(&map, 0, sizeof map);
    if (one.width) {
      cuuint64_t sizes[2] = {4096, size / 4096}, pitch[1] = {4096};
      cuuint32_t box[2] = {(cuuint32_t)one.width, 64}, step[2] = {1, 1};
      CUresult r = encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, data, sizes, pitch, box, step,
        CU_TENSOR_MAP_INTERLEAVE_NONE, one.swizzle ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
        CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
      if (r) { fprintf(stderr, "%s: map %d\n", one.name, (int)r); exit(1); }
    }
    CHECK(cudaFuncSetAttribute(one.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    u64 best = ~0ull;
    for (int i = 0; i < repeat; i++) {
      const void* none = data; void* tensor[2] = {&times, &map}; void* plain[2] = {&times, &none};
      CHECK(cudaMemset(times, 0, 64));
      CHECK(cudaLaunchKernel(one.kernel, dim3(one.grid), dim3(one.threads), one.width ? tensor : plain, 200 * 1024, 0));
      CHECK(cudaDeviceSynchronize());
      u64 now; CHECK(cudaMemcpy(&now, times, 8, cudaMemcpyDeviceToHost));
      best = std::min(best, now);
    }
    printf("%s,%d,%llu\n", one.name, one.work, best);
  }
}
"""


def wgmma(kind: str, n: int, way: str, groups: int, mode: str) -> tuple[str, str]:
    """Name and text of one product."""
    depth, types = TYPES[kind]
    sums = "s32" if kind == "s8" else "f32"
    count = n // 2
    outs = ", ".join(f"%{i}" for i in range(count))
    a = (
        f"%{count + 1}"
        if way == "ss"
        else "{" + ", ".join(f"%{count + i}" for i in range(1, 5)) + "}"
    )
    tail = {"s8": "", "f16": ", 1, 1, 0, 0" if way == "ss" else ", 1, 1, 0"}.get(kind, ", 1, 1")
    text = f"wgmma.mma_async.sync.aligned.m64n{n}k{depth}.{sums}.{types} {{{outs}}}, {a}, %{count}, p{tail};"
    letter = "r" if sums == "s32" else "f"
    field, leading, stride = MODES[mode]
    name = f"wgmma_{kind}_n{n}_{way}_g{groups}_{mode}"
    return name, WGMMA % {
        "name": name, "field": field, "leading": leading, "stride": stride, "rounds": ROUNDS,
        "kind": "int" if sums == "s32" else "float", "registers": count, "text": text,
        "outs": ", ".join(f'"+{letter}"(d[{i}])' for i in range(count)),
        "ins": '"l"(b), ' + ('"l"(a)' if way == "ss" else '"r"(r0), "r"(r1), "r"(r2), "r"(r3)'),
    }  # fmt: skip


def tma(width: int, source: str, blocks: int = 1) -> tuple[str, str]:
    """Name and text of one copy; ``source``: l2, dram."""
    name = f"tma_load_{width}_{source}" + (f"_multicast{blocks}" if blocks > 1 else "")
    many = blocks > 1
    return name, TMA % {
        "name": name, "bytes": 64 * width, "boxes": BOXES,
        "row": "i % 8" if source == "l2" else "(i * 251 + 7) % 2048",
        "cluster": f"__cluster_dims__({blocks}, 1, 1)" if many else "",
        "meet": "meet();" if many else "", "gate": "if (me) continue;" if many else "",
        "cast": ".multicast::cluster" if many else "", "mask": ", %5" if many else "",
        "maskin": f', "h"((unsigned short){(1 << blocks) - 1})' if many else "",
    }  # fmt: skip


def dsmem(way: str, ways: int, own: bool = False) -> tuple[str, str]:
    """Name and text of accesses to the other block of a cluster, or to the block's own memory."""
    name = f"{'own' if own else 'dsmem'}_{way}_{ways}"
    there = 'unsigned other = rank() ^ 1; asm("mapa.shared::cluster.u32 %0, %0, %1;" : "+r"(from) : "r"(other));'
    space = "shared::cta" if own else "shared::cluster"
    load = f'asm volatile("ld.volatile.{space}.u32 %0, [%1];" : "=r"(value) : "r"(from)); sum += value;'
    store = (
        f'asm volatile("st.volatile.{space}.u32 [%1], %0;" :: "r"(value), "r"(from) : "memory");'
    )
    return name, DSMEM % {
        "name": name, "cluster": "__cluster_dims__(2, 1, 1)", "step": ways, "accesses": ACCESSES,
        "map": "" if own else there, "touch": load if way == "ld" else store,
    }  # fmt: skip


def all_cases() -> Iterator[tuple[str, str, tuple[int, int, int, int, int]]]:
    """Name, text, and: threads, blocks, work, bytes of a box row, whether it is swizzled."""
    for kind in TYPES:
        for n in (16, 64, 256):
            for way in ("ss", "rs"):
                for groups in (1, 2):
                    for mode in MODES if n == 64 else ("128B",):
                        yield *wgmma(kind, n, way, groups, mode), (128 * groups, 1, ROUNDS, 0, 0)
    for width in (16, 32, 64, 128):
        for source in ("l2", "dram"):
            yield *tma(width, source), (32, 1, BOXES * 64, width, int(width == 128))
        for blocks in (2, 4):
            shape = (32, blocks, BOXES * 64, width, int(width == 128))
            yield *tma(width, "l2", blocks), shape
    for ways in (1, 2, 8, 32):
        for way in ("ld", "st"):
            yield *dsmem(way, ways), (32, 2, ACCESSES, 0, 0)
            yield *dsmem(way, ways, own=True), (32, 2, ACCESSES, 0, 0)
    for lanes in (1, 4, 32):
        name = f"mbarrier_{lanes}"
        text = BARRIER % {"name": name, "lanes": lanes, "accesses": ACCESSES}
        yield name, text, (32, 1, ACCESSES, 0, 0)


def build(folder: Path) -> Path:
    """The program of all cases."""
    found = list(all_cases())
    rows = ",\n".join(
        f'  {{"{name}", (void*){name}, {threads}, {grid}, {work}, {width}, {swizzle}}}'
        for name, _, (threads, grid, work, width, swizzle) in found
    )
    table = "struct Case { const char* name; void* kernel; int threads, grid, work, width, swizzle; };\n"
    table += f"static Case cases[] = {{\n{rows}\n}};\n"
    source = folder / "hopper.cu"
    source.write_text(HEAD + "".join(text for _, text, _ in found) + table + MAIN, "utf-8")
    program = folder / "hopper"
    code = "arch=compute_90a,code=sm_90a"
    command = ["nvcc", "-std=c++17", "-O3", "-gencode", code, "-o", str(program), str(source)]
    subprocess.run(command, check=True)
    return program


def counters(program: Path) -> list[list[object]]:
    """A row for each launch: the case, then its counters."""
    options = ["--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none"]
    command = ["ncu", *options, "--metrics", ",".join(COUNTERS), str(program), "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = list(csv.DictReader(io.StringIO(done.stdout[done.stdout.find('"ID"') :])))[1:]
    assert found, (done.stdout + done.stderr)[-2000:]
    return [
        [row["Kernel Name"].split("(")[0], *(row[name].replace(",", "") for name in COUNTERS)]
        for row in found
    ]


def write(path: Path, header: list[str], body: list[list[object]]) -> None:
    with path.open("w", newline="") as file:
        file.write("# NVIDIA H200: tests/data/measure_hopper.py\n")
        csv.writer(file, lineterminator="\n").writerows([header, *body])
    print(path, len(body))


def main(folder: Path, only_text: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    program = build(folder)
    if only_text:
        return
    done = subprocess.run([str(program), "9"], capture_output=True, text=True, check=True)
    times = [line.split(",") for line in done.stdout.splitlines()]
    write(folder / "h200_units_times.csv", ["case", "work", "cycles"], list(times))
    write(folder / "h200_units.csv", ["case", *COUNTERS], counters(program))


if __name__ == "__main__":
    main(Path(sys.argv[1]), "--text" in sys.argv)
