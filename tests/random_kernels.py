"""Random kernels that copy a tile through shared memory, valid by construction."""

from __future__ import annotations

from hypothesis import strategies as st

SPACE = "#gpu.address_space<workgroup>"
ELEMENTS = {"i8": 1, "f16": 2, "f32": 4}
PLACES = {
    "rows": ("d0 floordiv {per}", "(d0 mod {per}) * {width}"),
    "columns": ("d0 mod {rows}", "(d0 floordiv {rows}) * {width}"),
    "skewed": ("d0 mod {rows}", "((d0 floordiv {rows} + d0) mod {per}) * {width}"),
    "moving": ("(d0 + s0 * 5) mod {rows}", "(d0 floordiv {rows}) * {width}"),
}
"""Row and column of chunk number d0, in workgroup s0."""


@st.composite
def copies(draw: st.DrawFn) -> str:
    """``out = in``, by way of a tile that is written by rows and read in some other order."""
    element = draw(st.sampled_from(sorted(ELEMENTS)))
    rows = draw(st.sampled_from([16, 32, 40, 64]))
    columns = draw(st.sampled_from([16, 32, 48, 64, 128]))
    threads = draw(st.sampled_from([32, 64, 128]))
    view = draw(st.sampled_from(["plain", "flat", "expanded", "deep", "part"]))
    pitch = columns + draw(st.sampled_from([0, 8, columns])) if view == "part" else columns
    tile, lines = _tile(view, element, rows, columns, pitch)
    widths = [w for w in (1, 2, 4, 8, 16) if w * ELEMENTS[element] <= 16]
    write, read = draw(st.sampled_from(widths)), draw(st.sampled_from(widths))
    order = draw(st.sampled_from(sorted(PLACES)))
    branch = draw(st.booleans())
    lines += _loop("writes", "rows", write, rows, columns, threads)
    vector = f"vector<{write}x{element}>"
    size = rows * columns
    lines += [
        f"  %e = affine.apply affine_map<(d0) -> (d0 * {write})>(%n)",
        f"  %v = vector.load %in[%e] : memref<{size}x{element}>, {vector}",
        f"  vector.store %v, %lds{_indices(view)} : {tile}, {vector}",
        "}",
        "gpu.barrier",
    ]
    lines += _loop("reads", order, read, rows, columns, threads)
    vector = f"vector<{read}x{element}>"
    moved = [
        f"  %v = vector.load %lds{_indices(view)} : {tile}, {vector}",
        f"  vector.store %v, %out[%e] : memref<{2 * size}x{element}>, {vector}",
    ]
    twice = ["  scf.if %p {", *moved, "  } else {", *moved, "  }"]
    lines += [
        f"  %e = affine.apply affine_map<(d0)[s0] -> (d0 * {read} + s0 * {size})>(%n)[%b]",
        "  %p = arith.cmpi ult, %t, %c7 : index",
        *(twice if branch else moved),
        "}",
        "return",
    ]
    return _function(lines, element, size, threads)


def _tile(view: str, element: str, rows: int, columns: int, pitch: int) -> tuple[str, list[str]]:
    """The type of ``%lds`` and the lines that make it."""
    size = rows * columns
    whole = f"memref<{rows}x{columns}x{element}, {SPACE}>"
    flat = f"memref<{size}x{element}, {SPACE}>"
    deep = f"memref<2x{rows}x{columns}x{element}, {SPACE}>"
    wide = f"memref<{rows}x{pitch}x{element}, {SPACE}>"
    part = f"memref<{rows}x{columns}x{element}, strided<[{pitch}, 1]>, {SPACE}>"
    shape = f"[[0, 1]] output_shape [{rows}, {columns}]"
    cut = f"[0, 0] [{rows}, {columns}] [1, 1]"
    return {
        "plain": (whole, [f"%lds = memref.alloc() : {whole}"]),
        "flat": (flat, [f"%lds = memref.alloc() : {flat}"]),
        "deep": (deep, [f"%lds = memref.alloc() : {deep}"]),
        "expanded": (
            whole,
            [
                f"%a = memref.alloc() : {flat}",
                f"%lds = memref.expand_shape %a {shape} : {flat} into {whole}",
            ],
        ),
        "part": (
            part,
            [
                f"%a = memref.alloc() : {wide}",
                f"%lds = memref.subview %a{cut} : {wide} to {part}",
            ],
        ),
    }[view]


def _indices(view: str) -> str:
    return {"flat": "[%x]", "deep": "[%c1, %r, %c]"}.get(view, "[%r, %c]")


def _loop(name: str, order: str, width: int, rows: int, columns: int, threads: int) -> list[str]:
    """A loop over all chunks of ``width`` elements: number %n, row %r, column %c, place %x.

    ``name``: of its length.
    """
    chunks = rows * columns // width
    numbers = {"per": columns // width, "rows": rows, "width": width}
    row, column = (text.format(**numbers) for text in PLACES[order])
    return [
        f"%{name} = arith.constant {-(-chunks // threads)} : index",
        f"scf.for %j = %c0 to %{name} step %c1 {{",
        f"  %n = affine.apply affine_map<(d0)[s0] -> ((d0 * {threads} + s0) mod {chunks})>(%j)[%t]",
        f"  %r = affine.apply affine_map<(d0)[s0] -> ({row})>(%n)[%b]",
        f"  %c = affine.apply affine_map<(d0) -> ({column})>(%n)",
        f"  %x = affine.apply affine_map<(d0, d1) -> (d0 * {columns} + d1)>(%r, %c)",
    ]


def _function(lines: list[str], element: str, size: int, threads: int) -> str:
    head = (
        f"func.func @copy(%in: memref<{size}x{element}>, %out: memref<{2 * size}x{element}>) "
        f"attributes {{gpu.known_block_size = array<i32: {threads}, 1, 1>, "
        "gpu.known_grid_size = array<i32: 2, 1, 1>} {"
    )
    constants = [f"%c{n} = arith.constant {n} : index" for n in (0, 1, 7)]
    ids = [f"%t = gpu.thread_id x upper_bound {threads}", "%b = gpu.block_id x upper_bound 2"]
    return "\n  ".join([head, *constants, *ids, *lines]) + "\n}\n"
