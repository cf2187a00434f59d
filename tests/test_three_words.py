"""12 bytes a lane: vectors of three words, and of 16 packed numbers of 6 bits, by brute force."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bankwise.ask.solve import solve
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.solver.plan import Plan
from brute import brute_count
from command import bankwise

LANES = 64


def question(target: str, bits: int, vector: int, offset: str) -> dict[str, object]:
    read = {
        "name": "read",
        "op": "read",
        "offset": offset,
        "vector": vector,
        "registers": 2,
    }
    tile = {"shape": [32, 96 * 8 // bits], "element_bits": bits}
    return {"machine": target, "policy": "ck", "tile": tile, "access": [read]}


def by_hand(target: str, bits: int, plan: Plan, first: Callable[[int, int], int]) -> int:
    """Passes of both executions under a plan, byte by byte."""
    row = machine(target).instruction("ds_read_b96")
    total = 0
    for reg in range(2):
        places = []
        for lane in range(LANES):
            element = first(lane, reg)
            start = _place(plan, element)
            step = [_place(plan, element + i) - start for i in range(96 // bits)]
            assert step == list(range(96 // bits)), "a lane's numbers lie side by side"
            assert start * bits % 8 == 0
            places.append(start * bits // 8)
        total += brute_count(row, [places], [True] * LANES)[0]
    return total


def _place(plan: Plan, element: int) -> int:
    row, column = divmod(element, plan.shape.row)
    names = {plan.shape.dims[1][0]: row, plan.shape.dims[0][0]: column}
    return int(eval(plan.offset, {}, names))


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
@pytest.mark.parametrize(("bits", "vector"), [(32, 3), (6, 16)])
def test_twelve_bytes_a_lane_are_counted_as_they_lie(target: str, bits: int, vector: int) -> None:
    columns = 96 * 8 // bits
    offset = f"(lane % 32) * {columns} + (lane / 32) * {vector} + reg * {2 * vector}"
    report = solve(question(target, bits, vector, offset))
    assert [a.instruction for a in report.accesses] == ["ds_read_b96"]
    assert report.layout is not None
    seen = set()
    for plan in (one for one in report.pareto if not one.splits):
        hand = by_hand(
            target,
            bits,
            plan,
            lambda lane, reg: lane % 32 * columns + lane // 32 * vector + reg * 2 * vector,
        )
        assert plan.passes * 2 == hand, plan.name
        seen.add(plan.passes)
    whole = [p for p in report.pareto if p.lds_bytes == 32 * 96 and not p.splits]
    assert report.total_passes == min(p.passes for p in whole)
    assert len(seen) > 1, "layouts differ"


def test_pieces_of_an_access_have_no_floor_above_what_they_take() -> None:
    """At 4 bytes of alignment the compiler makes 2 x b32 and b32 of it: fewer passes than b96."""
    asked = question("gfx942", 32, 3, "(lane % 32) * 24 + (lane / 32) * 3 + reg * 6")
    report = solve({**asked, "policy": "iree"})
    (read,) = report.accesses
    assert "ds_read2_b32" in read.instruction
    assert read.floor <= read.passes


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"vector": 0}, "vector = 0"),
        ({"vector": 65}, "vector = 65"),
        ({"vector": True}, "vector = True"),
        ({"vector": [3]}, "vector = [3]"),
        ({"vector": "n1"}, "vector = 'n1'"),
        ({"instruction": "ds_read_b64"}, "moves 64 bits"),
    ],
)
def test_a_bad_vector_is_named(change: dict[str, object], said: str) -> None:
    asked = question("gfx942", 32, 3, "lane * 3 + reg * 192")
    (read,) = asked["access"]  # type: ignore[misc]
    with pytest.raises(InputError) as caught:
        solve({**asked, "access": [{**read, **change}]})
    assert said in caught.value.message


def test_numbers_of_6_bits_have_no_directions(tmp_path: Path) -> None:
    path = tmp_path / "tile.toml"
    path.write_text(
        'machine = "gfx950"\ntile = { shape = [32, 128], element_bits = 6 }\n[[access]]\n'
        'name = "a"\nop = "read"\nlanes = "m0 m1 m2 m3 m4 n4"\nvector = "n0 n1 n2 n3"\n',
        "utf-8",
    )
    ended = bankwise("solve", path)
    assert ended.code == 2
    assert "6 bits" in ended.err
    assert "tile.toml:6" in ended.err
    path.write_text(path.read_text("utf-8") + 'layout = "row-major"\n', "utf-8")
    assert bankwise("check", path).code == 2
