"""Problems that are counted: equal cycles, the front of all preferences, against counts by hand."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import pytest

from bankwise.algebra.address import Fold, Identity, Padded
from bankwise.algebra.offset import Shape
from bankwise.ask.solve import solve
from bankwise.hardware.machine import machine
from bankwise.show.solving import SolveReport
from bankwise.solver.plan import Plan, Prefer, priced
from bankwise.solver.price import Workload
from bankwise.solver.variants import split
from bankwise.tile import Tile, Use, runs
from brute import brute_count

LANE = np.arange(64)
WORKING = (LANE < 60).tolist()
ROWS, COLUMNS = 96, 80
ODD: dict[str, Any] = {
    "machine": "gfx942",
    "tile": [ROWS, COLUMNS],
    "dims": ["m", "n"],
    "element_bits": 16,
    "access": [
        {
            "name": "store",
            "op": "write",
            "offset": "(lane // 10 + 6 * reg) * 80 + (lane % 10) * 8",
            "active": "lane < 60",
            "registers": 16,
            "vector": 8,
        },
        {
            "name": "read",
            "op": "read",
            "offset": "(lane % 16 + 16 * (reg % 6)) * 80 + (lane // 16) * 4 + 16 * (reg // 6)",
            "registers": 30,
            "vector": 4,
        },
    ],
}
"""A tile of 10 chunks of 16 bytes a row, stored by 60 lanes and read as operands of an MFMA."""

STARTS = {
    "store": [(LANE // 10 + 6 * reg) * COLUMNS + LANE % 10 * 8 for reg in range(16)],
    "read": [
        (LANE % 16 + 16 * (reg % 6)) * COLUMNS + LANE // 16 * 4 + 16 * (reg // 6)
        for reg in range(30)
    ],
}


def by_hand(plan: Plan) -> tuple[Fraction, int]:
    """Passes and issue cycles of one execution of each access, every instruction counted alone."""
    passes, issue = Fraction(), 0
    for use in plan.cost.uses:
        on = WORKING if use.name == "store" else [True] * 64
        each = 8 if use.name == "store" else 4
        width = each // use.parts
        assert len(use.issues) == 1
        row = machine("gfx942").instruction(use.issues[0].instruction)
        assert row.width_bytes * row.addresses == 2 * width
        total = 0
        for starts in STARTS[use.name]:
            for part in range(0, each, width):
                placed = 2 * plan.layout(np.where(on, starts + part, 0))
                rounds = [(placed + n * row.width_bytes).tolist() for n in range(row.addresses)]
                total += brute_count(row, rounds, on)[0]
        passes += Fraction(total, len(STARTS[use.name]))
        words = 1 + width // 2 if use.name == "store" else 1
        issue += 4 * words * use.parts
    return passes, issue


def prices(plans: tuple[Plan, ...]) -> Iterator[tuple[Any, ...]]:
    yield from ((p.passes, p.issue_cycles, p.instructions, p.lds_bytes) for p in plans)


@pytest.fixture(scope="module", params=get_args(Prefer))
def report(request: pytest.FixtureRequest) -> SolveReport:
    return solve(ODD, prefer=request.param)


def test_of_equal_cycles_the_plan_without_conflicts_comes_first() -> None:
    plan = solve(ODD).layout
    assert plan is not None
    assert by_hand(plan) == (plan.passes, plan.issue_cycles) == (12, 28)
    assert plan.passes == plan.ideal
    whole = solve({**ODD, "solve": {"allow_narrowing": False}}).layout
    assert whole is not None
    assert by_hand(whole) == (whole.passes, whole.issue_cycles) == (16, 24)


def test_the_front_has_what_every_preference_answers(report: SolveReport) -> None:
    found = set(prices(report.pareto))
    assert (12, 28, 3, 2 * ROWS * COLUMNS) in found, "stores in halves"
    assert (16, 24, 2, 2 * ROWS * COLUMNS) in found, "all whole"
    for plan in report.pareto:
        assert by_hand(plan) == (plan.passes, plan.issue_cycles)
        mine = plan.full_price
        beaten = [
            p
            for p in report.pareto
            if p is not plan
            and not any(theirs > own for theirs, own in zip(p.full_price, mine, strict=True))
        ]
        assert not beaten


@pytest.mark.parametrize(
    ("layout", "assumed"),
    [
        (Identity(), ("ds_write2_b64",)),  # halves of 16 bytes, side by side in every lane
        (Padded(COLUMNS, 8), ("ds_write2_b64",)),
        (Fold(64, 4, 4), ()),  # the column of a half depends on the row
    ],
)
def test_parts_that_a_compiler_may_join_are_assumed(layout, assumed) -> None:
    elements = runs(np.stack(STARTS["store"]), 8)
    active = np.broadcast_to(WORKING, elements.shape[:2])
    shape = Shape((("n", COLUMNS), ("m", ROWS)), 16)
    gpu = machine("gfx942")
    tile = Tile(shape, (Use("store", "write", elements, active),))
    plan = priced(Workload(gpu, split(tile, [2], gpu, "iree")), "", layout)
    assert isinstance(plan, Plan)
    assert plan.splits == ("store as 2 x ds_write_b64",)
    assert plan.assumed == assumed


def test_a_front_is_looked_for_when_somebody_asks() -> None:
    answer = solve(ODD, prefer="fewest-instructions").answer
    assert answer is not None
    assert answer.tables is not None
    assert not any(p.splits for table in answer.tables for plans in table.values() for p in plans)
    assert any(plan.splits for plan in answer.front)
