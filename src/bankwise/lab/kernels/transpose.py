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

from collections.abc import Iterator, Sequence

import numpy as np

from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine as machine_named
from bankwise.lab.kernels.transpose_hints import macros
from bankwise.lab.kernels.transpose_order import advance, first, more
from bankwise.lab.kernels.transpose_plan import Pieces, Transpose, Walk, checked, pieces
from bankwise.notation.code import formula, write

STATIC_BYTES = 48 * 1024
_VECTORS = {2: "unsigned short", 4: "unsigned", 8: "uint2", 16: "uint4"}
_ELEMENTS = {2: "unsigned short", 4: "unsigned"}

Lines = Iterator[str]


def kernel(plan: Transpose) -> str:
    """The text of ``extern "C" __global__ void NAME(const E* in, E* out, int M, int K)``.

    ``in`` is [M, K] row-major, ``out`` [K, M]. InputError for a plan that has no kernel.
    """
    checked(plan)
    body = "\n".join(_indented(_body(plan)))
    return "\n".join([*_head(plan), body, "}", ""])


def _head(plan: Transpose) -> Lines:
    element, size = _ELEMENTS[plan.element_bytes], plan.shared_bytes
    yield f"// {plan.title}"
    (m, k), threads = plan.tile, plan.threads
    yield f"// Tile {m} x {k}, {threads} threads, shared: {plan.address}."
    yield f"typedef {element} E;"
    yield from macros(plan.schedule.load, plan.schedule.store)
    yield _offset(plan)
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


def _indented(lines: Lines) -> Lines:
    depth = 1
    for line in lines:
        depth -= line.startswith("}")
        yield "  " * depth + line
        depth += line.endswith("{")


def _body(plan: Transpose) -> Lines:
    schedule = plan.schedule
    yield "const int t = threadIdx.x;"
    yield from _coordinates("w", plan.write)
    yield from _coordinates("r", plan.read)
    yield from _registers(plan)
    yield from first(plan)
    if schedule.prefetch and schedule.kind != "tile":
        yield from _load(plan)
    if schedule.kind != "tile":
        yield f"while ({more(plan)}) {{"
    if not schedule.prefetch or schedule.kind == "tile":
        yield from _load(plan)
    yield from _fill(plan)
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


def _coordinates(prefix: str, walk: Walk) -> Lines:
    """The place of thread t in the first step."""
    for axis in "mk":
        parts = []
        for name, divisor, size, factor in walk.digits():
            if name == axis and size > 1:
                text = f"t / {divisor}" if divisor > 1 else "t"
                outer = divisor * size == walk.threads
                text = text if outer else f"{text} % {size}"
                parts.append(text if factor == 1 else f"({text}) * {factor}")
        yield f"const int {prefix}{axis} = {' + '.join(parts) or '0'};"


def _registers(plan: Transpose) -> Lines:
    steps = int(np.prod(plan.write.steps))
    rows, words = plan.write.block[0], plan.write.block[1] * plan.element_bytes // 4
    yield f"unsigned g[{steps}][{rows}][{words}];"


def _steps(walk: Walk, prefix: str) -> Lines:
    """The head of the loop over steps; ``m`` and ``k`` are the first element of the block."""
    (by_m, by_k), (over_m, over_k) = walk.covered, walk.steps
    if over_m * over_k == 1:
        yield "{"
        yield f"const int s = 0, m = {prefix}m, k = {prefix}k;"
        return
    yield "#pragma unroll"
    yield f"for (int s = 0; s < {over_m * over_k}; ++s) {{"
    m = f"s * {by_m}" if over_k == 1 else f"s % {over_m} * {by_m}"
    k = f"s * {by_k}" if over_m == 1 else f"s / {over_m} * {by_k}"
    yield f"const int m = {prefix}m{'' if over_m == 1 else f' + {m}'};"
    yield f"const int k = {prefix}k{'' if over_k == 1 else f' + {k}'};"


def _load(plan: Transpose) -> Lines:
    """Global vectors along k into ``g``."""
    rows, columns = plan.write.block
    size = columns * plan.element_bytes
    yield from _steps(plan.write, "w")
    yield "const E* from = in + (long long)(m0 + m) * K + (k0 + k);"
    for i in range(rows):
        yield f"const {_VECTORS[size]} v{i} = LOAD((const {_VECTORS[size]}*)(from + {i}ll * K));"
    for i in range(rows):
        yield from (f"g[s][{i}][{w}] = v{i}{part};" for w, part in enumerate(_parts(size)))
    yield "}"


def _parts(size: int) -> tuple[str, ...]:
    """The words of a vector value."""
    return {2: ("",), 4: ("",), 8: (".x", ".y"), 16: (".x", ".y", ".z", ".w")}[size]


def _fill(plan: Transpose) -> Lines:
    """Registers into shared memory, transposed before if the vectors lie along m."""
    yield from _steps(plan.write, "w")
    rows, columns = plan.write.block
    along_k = plan.write.vector == "k"
    cut = pieces(plan, "write", machine_named("sm_90"))
    for i in range(rows if along_k else columns):
        if along_k:
            words = [f"g[s][{i}][{w}]" for w in range(columns * plan.element_bytes // 4)]
        else:
            words = [f"p{i}_{w}" for w in range(-(-rows * plan.element_bytes // 4))]
            yield from _column_words(plan, "g[s]", words, i, rows)
        yield from _move_vector(plan, "write", cut, i, words)
    yield "}"


def _column_words(
    plan: Transpose, block: str, words: Sequence[str], column: int, rows: int
) -> Lines:
    """Column ``column`` of a block of rows as words: two halves make a word."""
    for w, word in enumerate(words):
        if plan.element_bytes == 4:
            yield f"const unsigned {word} = {block}[{w}][{column}];"
        elif rows == 1:
            yield f"const unsigned {word} = {block}[0][{column // 2}] >> {column % 2 * 16};"
        else:
            low, high = (f"{block}[{2 * w + i}][{column // 2}]" for i in (0, 1))
            halves = "0x7632" if column % 2 else "0x5410"
            yield f"const unsigned {word} = __byte_perm({low}, {high}, {halves});"


def _move_vector(
    plan: Transpose, half: str, cut: Pieces, number: int, words: Sequence[str]
) -> Lines:
    """Move vector ``number`` of a block between shared memory and ``words``."""
    walk = plan.write if half == "write" else plan.read
    for start, size in cut:
        row, column = (number, start) if walk.vector == "k" else (start, number)
        at = {"m": _plus("m", row), "k": _plus("k", column)}
        index = f"offset({at[plan.order[0]]}, {at[plan.order[1]]})"
        place = f"({_VECTORS[size]}*)((E*)tile + {index})"
        held = words[start * plan.element_bytes // 4 :][: -(-size // 4)]
        odd = start * plan.element_bytes % 4
        if half == "write":
            yield f"*{place} = {_packed(size, held, odd)};"
        elif size >= 4:
            value = f"v{number}_{start}"
            yield f"const {_VECTORS[size]} {value} = *{place};"
            parts = zip(held, _parts(size), strict=True)
            yield from (f"{word} = {value}{part};" for word, part in parts)
        else:
            yield f"{held[0]} {'|=' if odd else '='} (unsigned)*{place}{' << 16' if odd else ''};"


def _plus(name: str, number: int) -> str:
    return f"{name} + {number}" if number else name


def _packed(size: int, words: Sequence[str], odd: int) -> str:
    if size == 2:
        return f"(unsigned short)({words[0]}{' >> 16' if odd else ''})"
    return words[0] if size == 4 else f"make_{_VECTORS[size]}({', '.join(words)})"


def _drain(plan: Transpose) -> Lines:
    """Shared memory into registers, and out along m."""
    walk = plan.read
    yield from _steps(walk, "r")
    words = -(-walk.span * plan.element_bytes // 4)
    yield f"unsigned h[{walk.others}][{words}];"
    cut = pieces(plan, "read", machine_named("sm_90"))
    for i in range(walk.others):
        yield from _move_vector(plan, "read", cut, i, [f"h[{i}][{w}]" for w in range(words)])
    yield "E* to = out + (long long)(ok + k) * M + (om + m);"
    yield from _out_vectors(plan) if plan.store > 1 else _out_elements(plan)
    yield "}"


def _out_vectors(plan: Transpose) -> Lines:
    rows, columns = plan.read.block
    size = rows * plan.element_bytes
    for j in range(columns):
        if plan.read.vector == "m":
            words = [f"h[{j}][{w}]" for w in range(size // 4)]
        else:
            words = [f"q{j}_{w}" for w in range(size // 4)]
            yield from _column_words(plan, "h", words, j, rows)
        target = f"({_VECTORS[size]}*)(to + {j}ll * M)"
        yield f"STORE({target}, {_packed(size, words, 0)});"


def _out_elements(plan: Transpose) -> Lines:
    rows, columns = plan.read.block
    for j in range(columns):
        for i in range(rows):
            other, along = (j, i) if plan.read.vector == "m" else (i, j)
            word = f"h[{other}][{along * plan.element_bytes // 4}]"
            value = _packed(plan.element_bytes, [word], along * plan.element_bytes % 4)
            yield f"STORE(to + {j}ll * M + {i}, {value});"
