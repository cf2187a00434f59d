"""docs/sources.md: every row is computed, and its verdict is what the two values say."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bankwise.algebra import expression
from bankwise.ask.choose_rules import doubled
from bankwise.ask.coalesce import coalesce_spec
from bankwise.ask.count import count_expression
from bankwise.ask.spec import check_spec, check_spec_text
from bankwise.ask.spec_moves import moves
from bankwise.ask.spec_solve import solve_question
from bankwise.counting.coalesce import LINE_BYTES, cache_swizzle, coalesce, sets_of_stride
from bankwise.counting.counted import AccessReport
from bankwise.errors import Refusal
from bankwise.hardware.lanes import lane_text
from bankwise.hardware.machine import machine
from bankwise.hardware.policies import select
from bankwise.notation import wave
from bankwise.read.tile_file.read import parse_question, read_question
from bankwise.show.coalescing import CoalesceRow
from bankwise.show.rules.checklist import extra_by_checklist, extra_by_halves

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "sources.md").read_text("utf-8")
ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split(" | "))
    for line in PAGE.splitlines()
    if line.startswith("| 00")
]


def example(name: str) -> Path:
    return EXAMPLES / f"{name}.toml"


@cache
def accesses(name: str) -> tuple[AccessReport, ...]:
    return check_spec(example(name)).check.kernels[0].accesses


def access(name: str, which: str = "") -> AccessReport:
    return next(a for a in accesses(name) if which in ("", a.allocations[0]))


def extra(name: str, which: str = "") -> int:
    return sum(a.cost.extra for a in accesses(name) if which in ("", a.allocations[0]))


def moved(name: str, which: str) -> Any:
    spec = read_question(example(name))
    return moves(spec, next(a for a in spec.accesses if a.name == which), spec.layout)


def conflicts(kernel: str, target: str = "") -> int:
    launch = check_spec(example(f"ck_transpose/{kernel}"), target=target).check.totals.launch
    return launch.extra


def instructions(kernel: str) -> int:
    published = check_spec(example(f"ck_transpose/{kernel}")).published
    return sum(p.counted for p in published if p.name in ("loads", "stores"))


def first_banks(name: str, chosen: list[int], banks: int, which: str = "") -> list[int]:
    offsets = moved(name, which or access(name).allocations[0])[0].offsets_bytes[0]
    return [int(offsets[lane]) // 4 % banks for lane in chosen]


def offset(name: str, *element: int) -> int:
    return int(read_question(example(name)).layout.memory.offsets(np.array(element)))


def wave_read(layout: str) -> AccessReport:
    text = f"""
        machine = "gfx950"
        tile = [32, 64]
        element_bits = 16
        [memory]
        layout = "{layout}"
        [[access]]
        name = "read"
        op = "read"
        distribution = "{{M : $T0 % 16 : 1 : 1, K : 8 * ($T0 // 16) : 8 : 1}}"
    """
    return check_spec_text(text).check.accesses[0]


def wave_head(rows: int, columns: int, gather: int, read: int) -> wave.SwizzledTile:
    found = wave.head(rows, columns, gather=gather, read=read)
    assert not isinstance(found, Refusal)
    return found


def wave_parameters(rows: int, columns: int, gather: int, read: int) -> list[int]:
    found = wave_head(rows, columns, gather, read)
    return [found.unit, found.max_phase]


def wave_offset(rows: int, columns: int, *element: int) -> int:
    return int(wave_head(rows, columns, 2, 8).offsets(np.array(element)))


def lane_step(name: str, which: str) -> int:
    offsets = moved(name, which)[0].offsets_bytes[0]
    return int(offsets[1] - offsets[0])


def by_halves(name: str, which: str) -> int:
    return extra_by_halves(moved(name, which), 32)


def by_checklist(name: str, banks: int) -> int:
    return sum(extra_by_checklist(moved(name, a.allocations[0]), banks) for a in accesses(name))


def moved_by_row_mul(name: str) -> int:
    memory = read_question(example(name)).layout.memory
    everything = np.moveaxis(np.indices(memory.shape), 0, -1)
    return int((memory.offsets(everything) != doubled(memory).offsets(everything)).sum())


def with_banks(kernel: str, banks: int) -> float:
    text = example(f"ck_transpose/{kernel}").read_text()
    return (
        check_spec_text(text.replace('"get_n_lds_banks()"', str(banks))).check.totals.once.extra / 4
    )


def rate(kernel: str, less: float = 0) -> float:
    """Read and written once: M = 65536 x K = 256 of 2 bytes. ``less``: before rounding."""
    published = parse_question(example(f"ck_transpose/{kernel}").read_text()).published
    return round(2 * 65536 * 256 * 2 / published["time_us"] / 1e6 - less, 2)


def touched(width: int, offsets: str) -> Any:
    at = expression.parse(offsets, ["lane"])(lane=np.arange(64))
    return coalesce(at, width, line_bytes=LINE_BYTES["amd"])


def store(kernel: str) -> CoalesceRow:
    rows = coalesce_spec(example(f"ck_transpose/{kernel}")).rows
    return next(r for r in rows if r.name == "store")


def row(target: str, instruction: str) -> Any:
    return machine(target).instruction(instruction)


NAMES: dict[str, Any] = {
    "access": access,
    "advance": lambda row_bytes, banks: row_bytes // 4 % banks,
    "banks": lambda target, name: row(target, name).banks,
    "best": lambda name: solve_question(example(name)).report.layout.offset,
    "by_checklist": by_checklist,
    "by_halves": by_halves,
    "conflicts": conflicts,
    "efficiency": lambda width, offsets: float(touched(width, offsets).efficiency),
    "extra": extra,
    "extra_of": lambda target, name, at: int(count_expression(target, name, at).extra),
    "fact": lambda target, name: int(machine(target).fact(name)),
    "family": lambda name: solve_question(example(name)).report.family_size,
    "first_banks": first_banks,
    "footprint": lambda name: check_spec(example(name)).footprint_bytes,
    "has_swizzle": lambda stride: not isinstance(cache_swizzle(stride), Refusal),
    "instructions": instructions,
    "issued": lambda t, op, width, at: [i.instruction for i in select(machine(t), op, width, at)],
    "lane_step": lane_step,
    "lanes": lambda target, name, phase: lane_text(row(target, name).phases[phase]),
    "lines": lambda width, offsets: int(touched(width, offsets).lines),
    "moved_by_row_mul": moved_by_row_mul,
    "offset": offset,
    "per_wave": lambda name, which: access(name, which).instructions,
    "phases": lambda target, name: len(row(target, name).phases),
    "rate": rate,
    "sets": lambda stride: sets_of_stride(machine("gfx942"), stride),
    "steps": lambda name, which: access(name, which).cost.passes // 16,
    "store": store,
    "straddling": lambda width, offsets: int(touched(width, offsets).straddling),
    "wave_offset": wave_offset,
    "wave_parameters": wave_parameters,
    "wave_read": wave_read,
    "ways": lambda name, which="": access(name, which).ways,
    "with_banks": with_banks,
}


@pytest.mark.parametrize(
    ("says", "counted", "verdict", "by"),
    [r[2:] for r in ROWS],
    ids=[f"{r[0]}: {r[1]}" for r in ROWS],
)
def test_a_source_says(says: str, counted: str, verdict: str, by: str) -> None:
    value = eval(by.strip("`"), dict(NAMES))
    assert value == json.loads(counted)
    assert verdict == ("holds" if json.loads(says) == value else "contradicted")


def test_the_table_covers_all_five_sources() -> None:
    assert {r[0] for r in ROWS} == {"000", "001", "002", "003", "004"}
    assert len(ROWS) > 90


def test_every_claim_is_made_once() -> None:
    claims = [r[:2] for r in ROWS]
    assert len(claims) == len(set(claims))
