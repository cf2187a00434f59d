"""Floors against counting: no layout of any kind gets below one; and other lower bounds."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.algebra.address import Identity, Padded
from bankwise.algebra.offset import Shape
from bankwise.ask.solve import solve
from bankwise.counting import conflict
from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine, machine
from bankwise.solver.floors import Floors, floors, leaves_whole
from bankwise.solver.price import Workload, as_written, workload
from bankwise.solver.search import solve as solve_exactly
from bankwise.tile import Tile, Use, runs
from tile_problems import random_problem, subsets_problem

ODD = {
    "machine": "gfx942",
    "tile": {"shape": [48, 80], "element_bits": 16},
    "access": [
        {
            "name": "store",
            "op": "write",
            "offset": "(lane + 64*reg)*8",
            "vector": "n0 n1 n2",
            "registers": 8,
            "active": "lane + 64*reg < 480",
        },
        {
            "name": "read",
            "op": "read",
            "offset": "(lane%16 + 16*(reg//5))*80 + (reg%5)*16 + 4*(lane//16)",
            "vector": "n0 n1",
            "registers": 15,
        },
    ],
}
"""48 x 80 f16: 480 vectors of 16 bytes stored, fragments of an MFMA operand read."""


def swizzled(element: np.ndarray) -> np.ndarray:
    """``Swizzle<1,3,3>`` on the flat offset: bit 6 of the element folds into bit 3."""
    return element ^ (element >> 6 & 1) << 3


def test_the_odd_tile_takes_what_a_swizzle_of_the_flat_offset_takes_and_nothing_takes_less() -> (
    None
):
    gpu, lane = machine("gfx942"), np.arange(64)
    store = 8 * (lane + 64 * np.arange(8)[:, None])
    inside = lane + 64 * np.arange(8)[:, None] < 480
    step = np.arange(15)[:, None]
    read = (lane % 16 + 16 * (step // 5)) * 80 + step % 5 * 16 + 4 * (lane // 16)
    assert sorted(swizzled(np.arange(48 * 80))) == list(range(48 * 80))
    written, asked = (
        conflict.count(gpu.instruction(name), 2 * swizzled(np.where(on, starts, 0)), on).passes
        for name, starts, on in (
            ("ds_write_b128", store, inside),
            ("ds_read_b64", read, np.ones(read.shape, np.bool_)),
        )
    )
    total = Fraction(int(written.sum()), 8) + Fraction(int(asked.sum()), 15)
    report = solve({**ODD, "solve": {"allow_narrowing": False}})
    assert report.total_passes == report.total_floor == total == Fraction(31, 2)
    assert str(report.known) == (
        "optimal among all layouts, with accesses left whole: reaches the floor"
    )


def test_two_addresses_of_one_instruction_have_a_floor_and_with_it_a_proof() -> None:
    """Each of the addresses sees half of the banks, which the store's vector leaves it."""
    tile = {"shape": [64, 64], "element_bits": 32}
    store = {"name": "store", "op": "write", "lanes": "n2 n3 n4 n5 m0 m1", "vector": "n0 n1"}
    read = {
        "name": "read",
        "op": "read",
        "lanes": "m0 m1 m2 m3 m4 n2",
        "vector": "n0 n1",
        "instruction": "ds_read2_b64",
    }
    asked = {"machine": "gfx942", "tile": tile, "access": [store, read]}
    report = solve({**asked, "solve": {"allow_narrowing": False, "max_lds_bytes": 16384}})
    assert [a.passes for a in report.accesses] == [8, 16]
    assert report.optimal
    assert report.exit_code == 0


class Blocks:
    """Blocks of elements in any order: as far from linear as a layout gets."""

    def __init__(self, order: np.ndarray, size: int) -> None:
        self.order, self.size = order, size

    def __call__(self, offsets: np.ndarray) -> np.ndarray:
        return self.order[offsets // self.size] * self.size + offsets % self.size


def random_uses(rng: np.random.Generator, gpu: Machine, elements: int) -> tuple[Use, ...]:
    names = {
        "gfx942": (
            ("ds_write_b128", 8),
            ("ds_read_b64", 4),
            ("ds_read_b32", 2),
            ("ds_read_u16", 1),
        ),
        "sm_90": (("st.shared.b128", 8), ("ld.shared.b64", 4), ("ld.shared.b16", 1)),
    }[gpu.name]
    uses = []
    for number in range(3):
        name, span = names[int(rng.integers(len(names)))]
        row = gpu.instruction(name)
        lanes = (2, gpu.wave_size)
        starts = rng.permutation(elements // span)[: 2 * gpu.wave_size].reshape(lanes) * span
        active = rng.random(lanes) < 0.8
        active[:, 0] = True
        uses.append(Use(f"a{number}", row.direction, runs(starts, span), active, *as_written(row)))
    return tuple(uses)


@pytest.mark.parametrize("name", ["gfx942", "sm_90"])
@given(seed=st.integers(0, 10**9))
def test_no_order_of_blocks_gets_below_the_floor(name: str, seed: int) -> None:
    rng, gpu, elements = np.random.default_rng(seed), machine(name), 3 * 512
    uses = random_uses(rng, gpu, elements)
    work = Workload(gpu, Tile(Shape((("n", 48), ("m", 32)), 16), uses))
    found = floors(work)
    assert isinstance(found, Floors)
    size = max(use.span for use in uses)
    for _ in range(3):
        layout = Blocks(rng.permutation(elements // size), size)
        assert leaves_whole(work, layout)
        for use, floor in zip(uses, found.uses, strict=True):
            row = gpu.instruction(use.issues[0].instruction)
            passes = conflict.count(row, 2 * layout(use.elements[..., 0]), use.active).passes
            assert floor.passes <= Fraction(int(passes.sum()), len(passes))


def test_of_linear_accesses_it_is_the_floor_of_the_theorem() -> None:
    """Two roads: counting elements by their place, and ranks."""
    compared = 0
    for seed in range(60):
        stated = random_problem(random.Random(seed), 3, sums=seed % 2 == 0)
        solution = solve_exactly(stated, nodes=50, address_nodes=0)
        if isinstance(solution, Refusal):
            continue
        found = floors(workload(stated))
        assert isinstance(found, Floors)
        assert [u.passes for u in found.uses] == [c.floor for c in solution.certificate.accesses]
        compared += 1
    assert compared > 40


def test_a_layout_that_misaligns_an_access_is_not_judged_by_its_floor() -> None:
    gpu = machine("gfx942")
    row = gpu.instruction("ds_write_b128")
    starts = 8 * np.arange(64)[None, :]
    use = Use("store", "write", runs(starts, 8), np.ones((1, 64), np.bool_), *as_written(row))
    work = Workload(gpu, Tile(Shape((("n", 64), ("m", 8)), 16), (use,)))
    assert leaves_whole(work, Identity())
    assert not leaves_whole(work, Blocks(np.arange(512) ^ 4, 1))


def test_a_search_that_ends_early_says_what_nothing_undercuts() -> None:
    """Against the optimum of a search that does not end early."""
    early = raised = 0
    for seed in range(12):
        rng = random.Random(seed)
        p = subsets_problem(8, [rng.sample(range(8), 5) for _ in range(40)])
        whole = solve_exactly(p, address_nodes=0)
        stopped = solve_exactly(p, nodes=60, address_nodes=0)
        assert not isinstance(whole, Refusal)
        assert not isinstance(stopped, Refusal)
        assert whole.certificate.how != "budget"
        assert whole.at_least == whole.certificate.total_passes
        floor = stopped.certificate.total_floor
        assert floor <= stopped.at_least <= whole.certificate.total_passes
        early += stopped.certificate.how == "budget"
        raised += stopped.at_least > floor
    assert early > 3
    assert raised > 3


def test_a_copy_fixes_no_place_because_its_rows_may_be_padded() -> None:
    """The read sees half of the banks if the copy's units have to be aligned, all if not."""
    gpu = machine("gfx950")
    read = gpu.instruction("ds_read_b32")
    lanes = 4 * np.arange(64)[None, :]
    whole = np.ones((1, 64), np.bool_)
    reading = Use("read", "read", runs(lanes, 1), whole, *as_written(read))
    copy = Use("copy", "write", runs(lanes, 4), whole, (), 16, kind="dma")
    work = Workload(gpu, Tile(Shape((("n", 64), ("m", 4)), 32), (copy, reading)))
    found = floors(work)
    assert isinstance(found, Floors)
    counted = conflict.count(read, 4 * Padded(4, 1)(lanes), whole)
    assert found.uses[1].passes <= int(counted.passes[0])
