"""The HIP text of a kit: a kernel for each instruction, and the program that launches them.

A kernel executes its instruction :data:`REPEATS` times, by one wave, at offsets that it is given;
nothing else in it touches LDS. The counter of a launch is then a multiple of that, or something
else was counted. The kernels need no header: with ``-DBANKWISE_WITHOUT_ROCM`` a plain clang
compiles them, which is how they are tested where there is no ROCm.
"""

from __future__ import annotations

from collections.abc import Sequence

from bankwise.lab.gpu.source import copy_statement, ds_statement

REPEATS = 8
"""How often a launch executes its instruction."""

PREFIX = "access_"
"""Of the names of the kernels."""

_HEAD = """// Written by `bankwise probe --kit`: one LDS instruction a kernel, counted by rocprofv3.
// Build and run: run.sh. What it is for: README.md.
#ifdef BANKWISE_WITHOUT_ROCM
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#else
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#endif

typedef unsigned u2 __attribute__((ext_vector_type(2)));
typedef unsigned u3 __attribute__((ext_vector_type(3)));
typedef unsigned u4 __attribute__((ext_vector_type(4)));
#define REPEATED(statement) REPEATS
"""

_LDS = """
extern "C" __global__ void KERNEL(const int* offsets, unsigned* sink) {
  __shared__ __attribute__((aligned(1024))) unsigned char shared[LDS];
  const unsigned lane = __builtin_amdgcn_workitem_id_x();
  const int offset = offsets[lane];
  const unsigned address = (unsigned)(unsigned long long)(
      (__attribute__((address_space(3))) unsigned char*)shared) + (unsigned)offset;
  unsigned w = lane; u2 x = {1, 2}; u3 z = {1, 2, 3}; u4 y = {1, 2, 3, 4};
  if (offset >= 0) {
    REPEATED(STATEMENT)
  }
  sink[lane] = w + x.x + x.y + z.x + z.y + z.z + y.x + y.y + y.z + y.w;
}
"""

_COPY = """
extern "C" __global__ void KERNEL(const int* offsets, unsigned* sink) {
  __shared__ __attribute__((aligned(1024))) unsigned char shared[LDS];
  const unsigned lane = __builtin_amdgcn_workitem_id_x();
  const unsigned base = __builtin_amdgcn_readfirstlane((unsigned)(unsigned long long)(
      (__attribute__((address_space(3))) unsigned char*)shared) + (unsigned)offsets[lane]);
  const unsigned* from = sink + 4 * lane;
  REPEATED(STATEMENT)
  sink[lane] = lane;
}
"""

_HOST = r"""
#ifndef BANKWISE_WITHOUT_ROCM
struct Kernel { const char* name; const void* code; };
static const Kernel kernels[] = {
TABLE
};

static void need(hipError_t error, const char* what) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "probe: %s: %s\n", what, hipGetErrorString(error));
  std::exit(2);
}

static const Kernel& named(const char* name, long line) {
  for (const Kernel& kernel : kernels)
    if (!std::strcmp(kernel.name, name)) return kernel;
  std::fprintf(stderr, "probe: cases.txt, line %ld: no kernel for %s\n", line, name);
  std::exit(2);
}

int main(int count, char** words) {
  std::FILE* file = std::fopen(count > 1 ? words[1] : "cases.txt", "r");
  if (!file) { std::fprintf(stderr, "probe: cases.txt is not here\n"); return 2; }
  std::vector<int> offsets;
  std::vector<const Kernel*> order;
  char name[64];
  while (std::fscanf(file, "%63s", name) == 1) {
    order.push_back(&named(name, (long)order.size() + 1));
    int rest = 0, odd = 0;
    if (std::fscanf(file, "%d %d", &rest, &odd) != 2) {
      std::fprintf(stderr, "probe: cases.txt, line %zu is cut off\n", order.size());
      return 2;
    }
    offsets.insert(offsets.end(), WAVE, rest);
    for (int n = 0; n < odd; n++) {
      int lane = 0, offset = 0;
      if (std::fscanf(file, "%d %d", &lane, &offset) != 2 || lane < 0 || lane >= WAVE) {
        std::fprintf(stderr, "probe: cases.txt, line %zu is cut off\n", order.size());
        return 2;
      }
      offsets[(order.size() - 1) * WAVE + lane] = offset;
    }
  }
  std::fclose(file);
  hipDeviceProp_t device;
  need(hipGetDeviceProperties(&device, 0), "no GPU");
  if (std::FILE* about = std::fopen("device.txt", "w")) {
    std::fprintf(about, "%s\n%s\n", device.gcnArchName, device.name);
    std::fclose(about);
  }
  int* on_device = nullptr;
  unsigned* sink = nullptr;
  need(hipMalloc((void**)&on_device, offsets.size() * sizeof(int)), "memory");
  need(hipMalloc((void**)&sink, 4096), "memory");
  need(hipMemcpy(on_device, offsets.data(), offsets.size() * sizeof(int), hipMemcpyHostToDevice),
       "copy");
  for (size_t n = 0; n < order.size(); n++) {
    const int* mine = on_device + n * WAVE;
    void* arguments[] = {&mine, &sink};
    need(hipLaunchKernel(order[n]->code, dim3(1), dim3(WAVE), arguments, 0, 0), order[n]->name);
    if (n % 500 == 499) {
      need(hipDeviceSynchronize(), order[n]->name);
      std::printf("%zu of %zu accesses\n", n + 1, order.size());
    }
  }
  need(hipDeviceSynchronize(), "the last accesses");
  return 0;
}
#endif
"""

_LDS_BYTES = 20_480


def program(names: Sequence[str], copies: Sequence[str], wave: int) -> str:
    """The text of ``probe.hip`` for some LDS instructions and direct-to-LDS copies."""
    head = _HEAD.replace("REPEATS", " ".join(["statement"] * REPEATS))
    kernels = [_kernel(_LDS, name, ds_statement(name)) for name in names]
    kernels += [_kernel(_COPY, name, copy_statement(name)) for name in copies]
    every = (*names, *copies)
    table = ",\n".join(f'  {{"{name}", (const void*){PREFIX}{name}}}' for name in every)
    return head + "".join(kernels) + _HOST.replace("TABLE", table).replace("WAVE", str(wave))


def _kernel(text: str, name: str, statement: str) -> str:
    lines = text.replace("KERNEL", PREFIX + name).replace("STATEMENT", statement)
    return lines.replace("LDS", str(_LDS_BYTES))
