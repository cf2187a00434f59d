"""Pieces of a transpose kernel's text: coordinates, registers, shared memory, vectors.

Every function yields lines of CUDA and HIP; braces are indented by :func:`indented`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from bankwise.hardware.machine import machine as machine_named
from bankwise.lab.kernels.transpose_plan import Pieces, Transpose, Walk, pieces

VECTORS = {2: "unsigned short", 4: "unsigned", 8: "uint2", 16: "uint4"}
ELEMENTS = {2: "unsigned short", 4: "unsigned"}

Lines = Iterator[str]


def indented(lines: Lines) -> Lines:
    """The lines of a body, two blanks a brace."""
    depth = 1
    for line in lines:
        depth -= line.startswith("}")
        yield "  " * depth + line
        depth += line.endswith("{")


def coordinates(prefix: str, walk: Walk) -> Lines:
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


def registers(plan: Transpose) -> Lines:
    """What a thread holds between global and shared memory."""
    number = int(np.prod(plan.write.steps))
    rows, words = plan.write.block[0], plan.write.block[1] * plan.element_bytes // 4
    yield f"unsigned g[{number}][{rows}][{words}];"


def steps(walk: Walk, prefix: str) -> Lines:
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


def parts(size: int) -> tuple[str, ...]:
    """The words of a vector value."""
    return {2: ("",), 4: ("",), 8: (".x", ".y"), 16: (".x", ".y", ".z", ".w")}[size]


def fill(plan: Transpose) -> Lines:
    """Registers into shared memory, transposed before if the vectors lie along m."""
    yield from steps(plan.write, "w")
    rows, columns = plan.write.block
    along_k = plan.write.vector == "k"
    cut = pieces(plan, "write", machine_named("sm_90"))
    for i in range(rows if along_k else columns):
        if along_k:
            words = [f"g[s][{i}][{w}]" for w in range(columns * plan.element_bytes // 4)]
        else:
            words = [f"p{i}_{w}" for w in range(-(-rows * plan.element_bytes // 4))]
            yield from column_words(plan.element_bytes, "g[s]", words, i, rows)
        yield from move_vector(plan, "write", cut, i, words)
    yield "}"


def column_words(
    element_bytes: int, block: str, words: Sequence[str], column: int, rows: int
) -> Lines:
    """Column ``column`` of a block of rows as words: two halves make a word."""
    for w, word in enumerate(words):
        if element_bytes == 4:
            yield f"const unsigned {word} = {block}[{w}][{column}];"
        elif rows == 1:
            yield f"const unsigned {word} = {block}[0][{column // 2}] >> {column % 2 * 16};"
        else:
            low, high = (f"{block}[{2 * w + i}][{column // 2}]" for i in (0, 1))
            halves = "0x7632" if column % 2 else "0x5410"
            yield f"const unsigned {word} = __byte_perm({low}, {high}, {halves});"


def move_vector(
    plan: Transpose,
    half: str,
    cut: Pieces,
    number: int,
    words: Sequence[str],
    place: tuple[str, str] = ("m", "k"),
) -> Lines:
    """Move vector ``number`` of the block at ``place`` between shared memory and ``words``."""
    walk = plan.write if half == "write" else plan.read
    for start, size in cut:
        row, column = (number, start) if walk.vector == "k" else (start, number)
        at = {"m": plus(place[0], row), "k": plus(place[1], column)}
        index = f"offset({at[plan.order[0]]}, {at[plan.order[1]]})"
        pointer = f"({VECTORS[size]}*)((E*)tile + {index})"
        held = words[start * plan.element_bytes // 4 :][: -(-size // 4)]
        odd = start * plan.element_bytes % 4
        if half == "write":
            yield f"*{pointer} = {packed(size, held, odd)};"
        elif size >= 4:
            value = f"{place[0]}{number}_{start}"
            yield f"const {VECTORS[size]} {value} = *{pointer};"
            words_of = zip(held, parts(size), strict=True)
            yield from (f"{word} = {value}{part};" for word, part in words_of)
        else:
            yield f"{held[0]} {'|=' if odd else '='} (unsigned)*{pointer}{' << 16' if odd else ''};"


def plus(name: str, number: int) -> str:
    """A sum, without a zero."""
    return f"{name} + {number}" if number else name


def packed(size: int, words: Sequence[str], odd: int) -> str:
    """Words as one vector; of a single half word the upper half if ``odd``."""
    if size == 2:
        return f"(unsigned short)({words[0]}{' >> 16' if odd else ''})"
    return words[0] if size == 4 else f"make_{VECTORS[size]}({', '.join(words)})"


def out_vectors(plan: Transpose, guard: str = "") -> Lines:
    """Column ``j`` of a block to ``to``, where ``guard`` says so (``{j}`` in its text)."""
    rows, columns = plan.read.block
    size = rows * plan.element_bytes
    for j in range(columns):
        if plan.read.vector == "m":
            words = [f"h[{j}][{w}]" for w in range(size // 4)]
        else:
            words = [f"q{j}_{w}" for w in range(size // 4)]
            yield from column_words(plan.element_bytes, "h", words, j, rows)
        target = f"({VECTORS[size]}*)(to + {j}ll * M)"
        yield f"{guard.format(j=j)}STORE({target}, {packed(size, words, 0)});"


def out_elements(plan: Transpose, guard: str = "") -> Lines:
    """A block to ``to``, element by element, where ``guard`` says so (``{j}`` in its text)."""
    rows, columns = plan.read.block
    for j in range(columns):
        for i in range(rows):
            other, along = (j, i) if plan.read.vector == "m" else (i, j)
            word = f"h[{other}][{along * plan.element_bytes // 4}]"
            value = packed(plan.element_bytes, [word], along * plan.element_bytes % 4)
            yield f"{guard.format(j=j)}STORE(to + {j}ll * M + {i}, {value});"
