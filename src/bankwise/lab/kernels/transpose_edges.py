"""The text of a transpose of any size: tiles at the edge, rows that start anywhere, batches.

A block takes the tile that its place in the grid names. A tile that lies wholly inside the matrix
is moved without a question; only those at the edge compare. Shared memory is written by all lanes
of a tile, wherever it lies.

Rows of K elements start at multiples of a vector only where K is one. Elsewhere a thread reads the
two aligned vectors that hold its own and shifts them (here vectors of 4, a row that starts at 3)

    element    0 1 2 3 | 4 5 6 7 | 8 ..
    row              a   b c d e   f        thread 0: a b c d, thread 1: e f ..

and stores the aligned vectors of its output row, each from two vectors of shared memory. What is
left of a row, before its first aligned vector (``h`` elements) and behind its last one, is
stored by the element. ``in`` and ``out`` start at multiples of 16 bytes themselves.
"""

from __future__ import annotations

from bankwise.hardware.machine import machine as machine_named
from bankwise.lab.kernels.transpose_plan import Transpose, ahead, pieces
from bankwise.lab.kernels.transpose_text import (
    VECTORS,
    Lines,
    coordinates,
    fill,
    move_vector,
    out_elements,
    out_vectors,
    packed,
    parts,
    registers,
    steps,
)


def helpers(plan: Transpose) -> Lines:
    """The functions that the body calls, of the halves that shift."""
    for half, size in zip(("in", "out"), _vector_bytes(plan), strict=True):
        if not plan.aligned[half == "out"]:
            yield from _shifted(half, size // 4, plan.element_bytes)


def body(plan: Transpose) -> Lines:
    """What a block does."""
    (m, k), columns = plan.tile, plan.write.block[1]
    yield "const int t = threadIdx.x;"
    yield from coordinates("w", plan.write)
    yield from coordinates("r", plan.read)
    yield from registers(plan)
    along_m, along_k = "yx" if plan.schedule.group == 1 else "xy"
    yield f"const int m0 = blockIdx.{along_m} * {m}, k0 = blockIdx.{along_k} * {k};"
    yield "const long long matrix = (long long)M * K;"
    yield "in += blockIdx.z * matrix, out += blockIdx.z * matrix;"
    yield f"const bool whole = m0 + {m} <= M && k0 + {k if plan.aligned[0] else k + columns} <= K;"
    yield "if (whole) {"
    yield from _load(plan, whole=True)
    if not plan.aligned[0]:
        yield f"}} else if ({_at_the_end(plan)}) {{"
        yield from _load_end(plan)
    yield "} else {"
    yield from _load(plan, whole=False)
    yield "}"
    yield from fill(plan)
    yield "__syncthreads();"
    if not plan.aligned[1]:
        yield f"const int length = M - m0 < {m} ? M - m0 : {m};"
    yield "if (whole) {"
    yield from _drain(plan, whole=True)
    yield "} else {"
    yield from _drain(plan, whole=False)
    yield "}"


def _at_the_end(plan: Transpose) -> str:
    """Whether fewer elements than a vector follow the tile's last one in the last matrix."""
    m, k = (
        f"({n} - {n.lower()}0 < {s} ? {n} : {n.lower()}0 + {s})"
        for n, s in zip("MK", plan.tile, strict=True)
    )
    last = f"matrix - ((long long)({m} - 1) * K + {k}) < {plan.write.block[1]}"
    return f"blockIdx.z == gridDim.z - 1 && {last}"


def _vector_bytes(plan: Transpose) -> tuple[int, int]:
    """Bytes of a global vector of (in, out)."""
    return plan.write.block[1] * plan.element_bytes, plan.read.block[0] * plan.element_bytes


def _shifted(half: str, words: int, element_bytes: int) -> Lines:
    """Of two vectors of ``words`` the one that starts ``s`` elements on."""
    per = 4 // element_bytes
    yield f"__device__ __forceinline__ void shifted_{half}(unsigned* to, unsigned* u, int s) {{"
    step = words // 2
    while step:
        yield "#pragma unroll"
        yield f"  for (int i = 0; i < {2 * words - step}; ++i)"
        yield f"    u[i] = s & {step * per} ? u[i + {step}] : u[i];"
        step //= 2
    yield "#pragma unroll"
    yield f"  for (int i = 0; i < {words}; ++i)"
    shift = "u[i]" if per == 1 else "__funnelshift_r(u[i], u[i + 1], s % 2 * 16)"
    yield f"    to[i] = {shift};"
    yield "}"


def _load(plan: Transpose, *, whole: bool) -> Lines:
    """Global vectors along k into ``g``; of a tile that is not whole, 0 where the matrix ends.

    All loads stand before the first use of one, so that they are under way together.
    """
    rows, columns = plan.write.block
    size = columns * plan.element_bytes
    vector = VECTORS[size]
    yield from steps(plan.write, "w")
    yield "const E* from = in + (long long)(m0 + m) * K + (k0 + k);"
    for i in range(rows):
        there = "" if whole else f"m0 + m + {i} < M && k0 + k < K"
        if plan.aligned[0]:
            yield from _vector(vector, f"v{i}", there, f"from + {i}ll * K")
            continue
        yield f"const E* row{i} = from + {i}ll * K;"
        yield f"const int s{i} = (size_t)row{i} % sizeof({vector}) / sizeof(E);"
        yield f"const E* at{i} = row{i} - s{i};"
        yield from _vector(vector, f"v{i}", there, f"at{i}")
        ahead_too = f"s{i}" if whole else f"{there} && s{i} && k0 + k + {columns} - s{i} < K"
        yield from _vector(vector, f"b{i}", ahead_too, f"at{i} + {columns}")
    for i in range(rows):
        if plan.aligned[0]:
            yield from (f"g[s][{i}][{w}] = v{i}{part};" for w, part in enumerate(parts(size)))
            continue
        both = [f"{name}{i}{part}" for name in "vb" for part in parts(size)]
        yield f"unsigned u{i}[{2 * size // 4}] = {{{', '.join(both)}}};"
        yield f"shifted_in(g[s][{i}], u{i}, s{i});"
    yield "}"


def _vector(vector: str, name: str, there: str, place: str) -> Lines:
    """The vector at ``place`` if ``there``, or 0."""
    read = f"LOAD((const {vector}*)({place}))"
    if not there:
        yield f"const {vector} {name} = {read};"
        return
    yield f"{vector} {name} = {{}};"
    yield f"if ({there}) {name} = {read};"


def _load_end(plan: Transpose) -> Lines:
    """Element by element, where a vector might reach beyond the end of the last matrix."""
    rows, columns = plan.write.block
    per = 4 // plan.element_bytes
    yield from steps(plan.write, "w")
    yield "const E* from = in + (long long)(m0 + m) * K + (k0 + k);"
    yield f"for (int i = 0; i < {rows * columns}; ++i) {{"
    yield f"const int e = i % {columns}, r = i / {columns};"
    yield "const bool there = m0 + m + r < M && k0 + k + e < K;"
    yield "const unsigned one = there ? from[(long long)r * K + e] : 0;"
    word = f"g[s][r][e / {per}]"
    yield f"{word} = e % {per} ? {word} | one << 16 : one;" if per > 1 else f"{word} = one;"
    yield "}"
    yield "}"


def _drain(plan: Transpose, *, whole: bool) -> Lines:
    """Shared memory into registers, and out along m."""
    if not plan.aligned[1]:
        yield from _drain_shifted(plan, whole=whole)
        yield from _left_over(plan, whole=whole)
        return
    walk = plan.read
    yield from steps(walk, "r")
    yield f"{'' if whole else 'if (m0 + m < M && k0 + k < K) '}{{"
    words = -(-walk.span * plan.element_bytes // 4)
    yield f"unsigned h[{walk.others}][{words}];"
    cut = pieces(plan, "read", machine_named("sm_90"))
    for i in range(walk.others):
        yield from move_vector(plan, "read", cut, i, [f"h[{i}][{w}]" for w in range(words)])
    yield "E* to = out + (long long)(k0 + k) * M + (m0 + m);"
    guard = "" if whole or plan.read.block[1] == 1 else "if (k0 + k + {j} < K) "
    yield from (out_elements if plan.store == 1 else out_vectors)(plan, guard)
    yield "}"
    yield "}"


def _row(number: int) -> Lines:
    """The tile's part of an output row, and the elements before its first aligned vector."""
    yield "E* row = out + (long long)(k0 + k) * M + m0;"
    yield f"const int h = ({number} - (int)((size_t)row / sizeof(E) % {number})) % {number};"


def _drain_shifted(plan: Transpose, *, whole: bool) -> Lines:
    """The aligned vectors of output rows that start anywhere."""
    number, size = plan.read.block[0], _vector_bytes(plan)[1]
    yield from steps(plan.read, "r")
    yield from _row(number)
    inside = f"h + m + {number} <= {plan.tile[0] if whole else 'length'}"
    yield f"if ({inside if whole else f'k0 + k < K && {inside}'}) {{"
    yield f"unsigned u[{size // 2}] = {{}}, q[{size // 4}];"
    yield f"const int n = (m + {number}) % {plan.tile[0]};"
    cut = pieces(plan, "read", machine_named("sm_90"))
    yield from move_vector(plan, "read", cut, 0, [f"u[{w}]" for w in range(size // 4)])
    if ahead(plan) < number:
        cut = ((0, ahead(plan) * plan.element_bytes),)
    words = [f"u[{w}]" for w in range(size // 4, size // 2)]
    yield from move_vector(plan, "read", cut, 0, words, ("n", "k"))
    yield "shifted_out(q, u, h);"
    value = packed(size, [f"q[{w}]" for w in range(size // 4)], 0)
    yield f"STORE(({VECTORS[size]}*)(row + h + m), {value});"
    yield "}"
    yield "}"


def _left_over(plan: Transpose, *, whole: bool) -> Lines:
    """The elements before the first and behind the last aligned vector of each row."""
    (m, k), number = plan.tile, plan.read.block[0]
    slots = number if whole else 2 * number
    index = "offset(" + ", ".join(plan.order) + ")"
    yield f"for (int i = t; i < {k * slots}; i += {plan.threads}) {{"
    yield f"const int e = i % {slots}, k = i / {slots};"
    yield from _row(number)
    if whole:
        yield f"const int m = e < h ? e : {m - number} + e;"
        yield f"if (h) row[m] = ((E*)tile)[{index}];"
    else:
        tail = f"h + (length - h) / {number} * {number} + e - {number}"
        yield f"const int m = e < {number} ? e : {tail};"
        there = f"e < {number} ? e < h && e < length : length > h && m < length"
        yield f"if (k0 + k < K && ({there})) row[m] = ((E*)tile)[{index}];"
    yield "}"
