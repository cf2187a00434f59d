"""What the source knows of joined stores and forwarded loads, held against iree-compile."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.check import check
from bankwise.counting.counted import AccessReport
from bankwise.show.values import CheckReport
from kernel_texts import written

BYTES = {"f16": 2, "f32": 4, "i8": 1}


def kernel(
    element: str, elements: int, pitch: int, start: int, between: str = "", more: str = ""
) -> str:
    """64 threads store so many neighbours, from ``start`` on, to rows of their own of ``pitch``
    elements. ``between``: what stands before the last store; ``more``: before the barrier."""
    tile = f"memref<64x{pitch}x{element}, #gpu.address_space<workgroup>>"
    memory = f"memref<64x64x{element}>"
    constants = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in range(64))
    loads = "".join(f"  %v{n} = memref.load %in[%c{n}, %t] : {memory}\n" for n in range(elements))
    stores = [f"  memref.store %v{n}, %lds[%t, %c{start + n}] : {tile}\n" for n in range(elements)]
    words = {"tile": tile, "memory": memory, "element": element}
    return f"""\
func.func @k(%in: {memory}, %out: {memory}) attributes {{
    gpu.known_block_size = array<i32: 64, 1, 1>, gpu.known_grid_size = array<i32: 4, 1, 1>}} {{
{constants}  %t = gpu.thread_id x upper_bound 64
  %other = arith.subi %c63, %t : index
  %lds = memref.alloc() : {tile}
{loads}{"".join(stores[:-1])}{between.format(**words)}{stores[-1]}{more.format(**words)}\
  gpu.barrier
  %r = memref.load %lds[%other, %c{start}] : {tile}
  memref.store %r, %out[%t, %c0] : {memory}
  return
}}
"""


def issued(report: CheckReport) -> Counter[str]:
    """Every instruction that runs, as often as it stands in the text."""
    return Counter(name for a in report.accesses if a.executions for name in a.issued)


SHAPES = [
    *(
        ("f16", n, pitch, start)
        for n in (2, 3, 4, 5, 6, 8, 12)
        for pitch, start in ((64, 0), (64, 1))
    ),
    *(("f16", n, pitch, 0) for n in (4, 6, 8) for pitch in (65, 66, 68)),
    *(("f32", n, pitch, 0) for n in (2, 3, 5, 6) for pitch in (64, 65, 66)),
    *(("i8", n, 64, start) for n in (3, 4, 6, 8, 12, 16) for start in (0, 1, 2, 4)),
]


@pytest.mark.parametrize(("element", "elements", "pitch", "start"), SHAPES)
def test_stores_of_neighbours_are_what_the_compiler_makes_of_them(
    tmp_path: Path, element: str, elements: int, pitch: int, start: int
) -> None:
    path = written(tmp_path, kernel(element, elements, pitch, start))
    source, emitted = check(path, "gfx942"), check(path, "gfx942", isa=True)
    assert issued(source) == issued(emitted)
    costs = [report.kernels[0].totals.run for report in (source, emitted)]
    assert costs[0] == costs[1]


@pytest.mark.parametrize("gpu", ["gfx942", "gfx950"])
@pytest.mark.parametrize(
    ("between", "more", "joined"),
    [
        ("", "", True),
        ("  %x = memref.load %in[%t, %c5] : {memory}\n", "", False),
        ("  gpu.barrier\n", "", False),
        ("  memref.store %v0, %lds[%other, %c9] : {tile}\n", "", False),
        (
            "  %p = memref.load %lds[%other, %c9] : {tile}\n"
            "  memref.store %p, %out[%t, %c7] : {memory}\n",
            "",
            False,
        ),
        (
            "",
            "  %own = memref.load %lds[%t, %c0] : {tile}\n"
            "  memref.store %own, %out[%t, %c9] : {memory}\n",
            True,
        ),
    ],
    ids=["nothing", "a load", "a barrier", "another store", "a shared load", "a forwarded load"],
)
def test_what_the_source_calls_joined_or_dropped_the_compiler_does(
    tmp_path: Path, gpu: str, between: str, more: str, joined: bool
) -> None:
    path = written(tmp_path, kernel("f16", 4, 64, 0, between, more))
    source, emitted = check(path, gpu), check(path, gpu, isa=True)
    whole = [a for a in source.accesses if a.issued == ("ds_write_b64",)]
    assert [bool(a.executions) for a in sorted(whole, key=line)] == [True] * joined
    known = issued(source)
    if joined:
        assert known == issued(emitted)
    width = {"ds_write_b16": 2, "ds_write_b32": 4, "ds_write_b64": 8}
    stores = [
        sum(width[n] * k for n, k in c.items() if n in width) for c in (known, issued(emitted))
    ]
    assert stores[0] >= stores[1], "what is stored is stored once"


def line(access: AccessReport) -> int:
    return access.location.line


def test_what_is_joined_or_dropped_says_so(tmp_path: Path) -> None:
    text = kernel(
        *("f16", 4, 64, 0),
        more="  %own = memref.load %lds[%t, %c0] : {tile}\n"
        "  memref.store %own, %out[%t, %c9] : {memory}\n",
    )
    report = check(written(tmp_path, text), "gfx942")
    first = text[: text.index("memref.store %v0")].count("\n") + 1
    notes = {a.location.line: a.note for a in report.accesses}
    assert notes[first] == f"one store with lines {first + 1}, {first + 2}, {first + 3}"
    assert all(notes[first + n] == f"part of the store of line {first}" for n in (1, 2, 3))
    assert notes[first + 4] == f"dropped: its bytes are known from line {first}"
    assert {a.conflict for a in report.accesses if not a.executions} == {"none"}


def test_nothing_is_joined_for_a_compiler_that_nobody_asked(tmp_path: Path) -> None:
    path = written(tmp_path, kernel("f16", 4, 64, 0))
    for gpu, policy in (("sm_90", ""), ("gfx942", "triton"), ("gfx942", "ck")):
        report = check(path, gpu, policy=policy)
        assert len([a for a in report.accesses if a.direction == "write" and a.executions]) == 4
