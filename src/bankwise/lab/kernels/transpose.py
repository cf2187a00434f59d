"""The text of a transpose kernel, one for CUDA and HIP, from its plan.

Elements are moved as bits, so ``fp16`` is any 16-bit type. Two shapes of kernel come from one
text: a thread moves vectors along k into shared memory and gathers columns from it (source 002),
or it holds a small block, transposes it in registers, and both sides of shared memory are vectors.

    for each tile:   g = global vectors along k        rows of ``g``: [step][row][word]
                     shared[offset(..)] = g            as wide as the layout allows
                     h = shared[offset(..)]            ``h``: [vector][word]
                     global vectors along m = h
"""

from __future__ import annotations

from collections.abc import Iterator

from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine as machine_named
from bankwise.lab.kernels import transpose_edges
from bankwise.lab.kernels.transpose_hints import macros
from bankwise.lab.kernels.transpose_order import advance, first, more
from bankwise.lab.kernels.transpose_plan import Transpose, checked, pieces
from bankwise.lab.kernels.transpose_text import (
    ELEMENTS,
    VECTORS,
    coordinates,
    fill,
    indented,
    move_vector,
    out_elements,
    out_vectors,
    parts,
    registers,
    steps,
)
from bankwise.lab.kernels.transpose_tma import AnyTranspose, TensorTranspose
from bankwise.lab.kernels.transpose_tma_text import engine_kernel
from bankwise.notation.code import formula, write

STATIC_BYTES = 48 * 1024

Lines = Iterator[str]


def kernel(plan: AnyTranspose) -> str:
    """The text of ``extern "C" __global__ void NAME(const E* in, E* out, int M, int K)``.

    ``in`` is [M, K] row-major, ``out`` [K, M]; of a ``grid`` schedule as many of them as the grid
    has layers. Where the copy engine moves the tiles both are tensor maps (:func:`engine_kernel`).
    InputError for a plan that has no kernel.
    """
    if isinstance(plan, TensorTranspose):
        return engine_kernel(plan)
    checked(plan)
    grid = plan.schedule.kind == "grid"
    body = "\n".join(indented(transpose_edges.body(plan) if grid else _body(plan)))
    return "\n".join([*_head(plan), body, "}", ""])


def dynamic_bytes(plan: AnyTranspose) -> int:
    """Shared memory that a launch has to bring; 0 where the text declares all of it."""
    if isinstance(plan, TensorTranspose):
        return plan.dynamic_bytes
    return plan.shared_bytes if plan.shared_bytes > STATIC_BYTES else 0


def _head(plan: Transpose) -> Lines:
    element, size = ELEMENTS[plan.element_bytes], plan.shared_bytes
    yield f"// {plan.title}"
    (m, k), threads = plan.tile, plan.threads
    yield f"// Tile {m} x {k}, {threads} threads, shared: {plan.address}."
    yield f"typedef {element} E;"
    yield from macros(plan.schedule.load, plan.schedule.store)
    yield _offset(plan)
    yield from transpose_edges.helpers(plan)
    bound = f", {plan.schedule.blocks}" if plan.schedule.blocks else ""
    together = f" CLUSTER({plan.schedule.cluster})" if plan.schedule.cluster > 1 else ""
    yield f'extern "C" __global__ void{together} __launch_bounds__({plan.threads}{bound})'
    yield f"{plan.name}(const E* __restrict__ in, E* __restrict__ out, int M, int K) {{"
    if size <= STATIC_BYTES:
        yield f"  __shared__ __align__(1024) unsigned char tile[{size}];"
    else:
        yield "  extern __shared__ __align__(1024) unsigned char tile[];"


def _offset(plan: Transpose) -> str:
    found = formula(plan.memory, plan.order)
    if isinstance(found, Refusal):
        raise InputError(f"{plan.name}: {found.reason}")
    code = write(found, "cuda")
    assert not isinstance(code, Refusal), "CUDA has every operation"
    return code.text


def _body(plan: Transpose) -> Lines:
    schedule = plan.schedule
    yield "const int t = threadIdx.x;"
    yield from coordinates("w", plan.write)
    yield from coordinates("r", plan.read)
    yield from registers(plan)
    yield from first(plan)
    if schedule.prefetch and schedule.kind != "tile":
        yield from _load(plan)
    if schedule.kind != "tile":
        yield f"while ({more(plan)}) {{"
    if not schedule.prefetch or schedule.kind == "tile":
        yield from _load(plan)
    yield from fill(plan)
    yield "__syncthreads();"
    yield "const int om = m0, ok = k0;"
    if schedule.kind != "tile":
        yield from advance(plan)
    if schedule.prefetch and schedule.kind != "tile":
        yield f"if ({more(plan)}) {{"
        yield from _load(plan)
        yield "}"
    yield from _drain(plan)
    if schedule.kind != "tile":
        yield "__syncthreads();"
        yield "}"


def _load(plan: Transpose) -> Lines:
    """Global vectors along k into ``g``."""
    rows, columns = plan.write.block
    size = columns * plan.element_bytes
    yield from steps(plan.write, "w")
    yield "const E* from = in + (long long)(m0 + m) * K + (k0 + k);"
    for i in range(rows):
        yield f"const {VECTORS[size]} v{i} = LOAD((const {VECTORS[size]}*)(from + {i}ll * K));"
    for i in range(rows):
        yield from (f"g[s][{i}][{w}] = v{i}{part};" for w, part in enumerate(parts(size)))
    yield "}"


def _drain(plan: Transpose) -> Lines:
    """Shared memory into registers, and out along m."""
    walk = plan.read
    yield from steps(walk, "r")
    words = -(-walk.span * plan.element_bytes // 4)
    yield f"unsigned h[{walk.others}][{words}];"
    cut = pieces(plan, "read", machine_named("sm_90"))
    for i in range(walk.others):
        yield from move_vector(plan, "read", cut, i, [f"h[{i}][{w}]" for w in range(words)])
    yield "E* to = out + (long long)(ok + k) * M + (om + m);"
    yield from out_vectors(plan) if plan.store > 1 else out_elements(plan)
    yield "}"
