"""The text of a transpose by the tensor copy engine, CUDA for sm_90, from its plan.

One thread asks for the boxes of a tile and waits for none of them; all wait for their bytes at one
barrier. Between two barriers of the block every element is in a register, so the transposed tile
takes the place of the first one. What the threads wrote is fenced before the engine reads it.

Source: PTX ISA, ``cp.async.bulk.tensor``, ``mbarrier``, ``createpolicy``, and on the async proxy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bankwise.errors import InputError, Refusal
from bankwise.lab.kernels.transpose_hints import policy
from bankwise.lab.kernels.transpose_order import first
from bankwise.lab.kernels.transpose_text import (
    ELEMENTS,
    column_words,
    indented,
    packed,
    parts,
    plus,
)
from bankwise.lab.kernels.transpose_tma import (
    BLOCK_BYTES,
    ROW_BYTES,
    SQUARE,
    TensorTranspose,
)
from bankwise.notation.code import formula, write

Lines = Iterator[str]

_ENGINE = r"""__device__ __forceinline__ unsigned shared(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void expect(unsigned long long* arrived, unsigned bytes) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared(arrived)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :: "r"(shared(arrived)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void wait_for(unsigned long long* arrived) {
  asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
               "@!p bra again;\n}" :: "r"(shared(arrived)) : "memory");
}
__device__ __forceinline__ void load_box(void* to, const Map& map, int column, int row,
                                         unsigned long long* arrived) {
  LOAD_POLICY
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
               "LOAD_HINT [%0], [%1, {%2, %3}], [%4]LOAD_LAST;"
               :: "r"(shared(to)), "l"(&map), "r"(column), "r"(row), "r"(shared(arrived))LOAD_VALUE
               : "memory");
}
__device__ __forceinline__ void fence() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ __forceinline__ void store_box(const Map& map, int column, int row, const void* from) {
  STORE_POLICY
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group"
               "STORE_HINT [%0, {%1, %2}], [%3]STORE_LAST;"
               :: "l"(&map), "r"(column), "r"(row), "r"(shared(from))STORE_VALUE : "memory");
}
__device__ __forceinline__ void finish() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}"""


def engine_kernel(plan: TensorTranspose) -> str:
    """The text of ``extern "C" __global__ void NAME(Map in, Map out, int M, int K)``.

    ``in`` and ``out`` are tensor maps of matrices [M, K] and [K, M] in the plan's mode, whose boxes
    are 128 bytes wide and as high as the tile is in m, and in k.
    """
    body = "\n".join(indented(_body(plan)))
    return "\n".join([*_head(plan), body, "}", ""])


def engine(plan: TensorTranspose) -> str:
    """What the body calls of the copy engine, as functions."""
    text = _ENGINE
    for word, hint, slot in (("LOAD", plan.schedule.load, 5), ("STORE", plan.schedule.store, 4)):
        text = text.replace(f"  {word}_POLICY\n", _policy(hint))
        text = text.replace(f"{word}_HINT", ".L2::cache_hint" if hint else "")
        text = text.replace(f"{word}_LAST", f", %{slot}" if hint else "")
        text = text.replace(f"{word}_VALUE", ', "l"(policy)' if hint else "")
    return text


def _policy(hint: str) -> str:
    return f"  unsigned long long policy;\n  {policy(hint)}\n" if hint else ""


def _head(plan: TensorTranspose) -> Lines:
    (m, k), mode = plan.tile, plan.mode
    yield f"// {plan.title}"
    yield f"// Tile {m} x {k}, {plan.threads} threads, shared: {plan.address}, tensor map: {mode}."
    # A limit belongs to a function: launches of other sizes need a text, and a module, of their own
    yield f"// Dynamic shared memory: {plan.dynamic_bytes} bytes."
    yield f"typedef {ELEMENTS[plan.element_bytes]} E;"
    yield "struct alignas(64) Map {"
    yield "  unsigned long long words[16];"
    yield "};"
    yield engine(plan)
    yield _offset(plan)
    yield f'extern "C" __global__ void __launch_bounds__({plan.threads})'
    yield (
        f"{plan.name}(const __grid_constant__ Map in, const __grid_constant__ Map out, "
        "int M, int K) {"
    )
    yield "  extern __shared__ __align__(1024) unsigned char tile[];"
    yield "  __shared__ __align__(8) unsigned long long arrived;"


def _offset(plan: TensorTranspose) -> str:
    found = formula(plan.memory, ("row", "column"))
    code = found if isinstance(found, Refusal) else write(found, "cuda")
    if isinstance(code, Refusal):
        raise InputError(f"{plan.name}: {code.reason}")
    return code.text


def _body(plan: TensorTranspose) -> Lines:
    (m, k), words = plan.tile, BLOCK_BYTES // 4
    yield "const int t = threadIdx.x;"
    yield from first(plan)
    yield "if (t == 0) {"
    yield f"expect(&arrived, {plan.tile_bytes});"
    for i in range(k // plan.wide):
        to, column = plus("tile", i * m * ROW_BYTES), plus("k0", i * plan.wide)
        yield f"load_box({to}, in, {column}, m0, &arrived);"
    yield "}"
    yield "__syncthreads();"
    yield "wait_for(&arrived);"
    yield f"unsigned v[{plan.steps}][{plan.each}][{words}];"
    yield from _loop(plan, _take)
    yield "__syncthreads();"
    yield from _loop(plan, _put)
    yield "fence();"
    yield "__syncthreads();"
    yield "if (t == 0) {"
    for i in range(m // plan.wide):
        column, start = plus("m0", i * plan.wide), plus("tile", i * k * ROW_BYTES)
        yield f"store_box(out, {column}, k0, {start});"
    yield "finish();"
    yield "}"


def _loop(plan: TensorTranspose, move: Callable[[TensorTranspose], Lines]) -> Lines:
    """What ``move`` does with every block of a thread: ``x`` along m, ``y`` along k."""
    along_m = plan.tile[0] // plan.wide
    yield "#pragma unroll"
    yield f"for (int s = 0; s < {plan.steps}; ++s) {{"
    yield f"const int u = t + s * {plan.threads}, square = u / {SQUARE * SQUARE};"
    yield f"const int x = u % {SQUARE}, y = x ^ (u / {SQUARE} % {SQUARE});"
    yield f"const int at_m = square % {along_m}, at_k = square / {along_m};"
    yield from move(plan)
    yield "}"


def _take(plan: TensorTranspose) -> Lines:
    """A block of the tile as it came, into registers."""
    each = plan.each
    yield f"const int row = at_k * {plan.tile[0]} + at_m * {plan.wide} + x * {each};"
    for i in range(each):
        place = f"offset({plus('row', i)}, y * {each})"
        yield f"const uint4 r{i} = *(const uint4*)((E*)tile + {place});"
        yield from (f"v[s][{i}][{w}] = r{i}{part};" for w, part in enumerate(parts(BLOCK_BYTES)))


def _put(plan: TensorTranspose) -> Lines:
    """Its columns as rows of the tile that goes."""
    each = plan.each
    yield f"const int row = at_m * {plan.tile[1]} + at_k * {plan.wide} + y * {each};"
    for j in range(each):
        words = [f"p{j}_{w}" for w in range(BLOCK_BYTES // 4)]
        yield from column_words(plan.element_bytes, "v[s]", words, j, each)
        value = packed(BLOCK_BYTES, words, 0)
        place = f"offset({plus('row', j)}, x * {each})"
        yield f"*(uint4*)((E*)tile + {place}) = {value};"
