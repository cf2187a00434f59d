"""What the family of optimal layouts counts: every mask of the row tried, every access counted."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from bankwise.algebra.layout import table
from bankwise.ask.solve import solve as solve_question
from bankwise.counting import conflict
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.solver.family import family, family_size
from bankwise.solver.problem import BitTile, Problem, Request, TileAccess, problem
from bankwise.solver.search import Solution, solve
from command import bankwise
from tile_problems import count_passes, request, spread


def solved(p: Problem) -> Solution:
    found = solve(p)
    assert not isinstance(found, Refusal)
    return found


def as_good(p: Problem, solution: Solution) -> int:
    """Masks f with ``row * m + (n ^ f(m))`` as cheap as the solution; f linear, f(m) any words of a
    row no longer than the banks are wide."""
    columns, rows = (bits for _, bits in p.tile.dims)
    word = max(len(a.vector) for a in p.accesses)
    masks = range(0, 1 << columns, 1 << word)
    every = np.arange(1 << p.tile.bits)
    images = np.array(list(product(masks, repeat=rows)))
    folds = np.zeros((len(images), len(every)), np.int64)
    for bit in range(rows):
        folds ^= images[:, bit, None] * (every >> columns + bit & 1)
    costs = sum(a.weight * passes_of_each(p, every ^ folds, a) for a in p.accesses)
    return int(np.sum(costs == solution.certificate.total_passes))


def passes_of_each(
    p: Problem, places: npt.NDArray[np.int64], access: TileAccess
) -> npt.NDArray[np.int64]:
    """Passes of one execution under many layouts of words, a layout a row, by counting."""
    offsets = places[:, spread(access.lanes)] * p.tile.element_bits // 8
    return conflict.count(access.instruction, offsets).passes


def test_every_member_of_the_family_of_eight_rows_of_eight_floats_keeps_rows() -> None:
    tile = BitTile((("n", 3), ("m", 3)), 32)
    store = request(tile, "store", "write", "n0 n1 n2 m0 m1", registers="m2")
    read = request(tile, "read", "read", "m0 m1 m2 n0 n1", registers="n2")
    p = problem(machine("sm_90"), tile, [store, read])
    solution = solved(p)
    size = as_good(p, solution)
    assert family_size(solution) == size > 0
    members = {tuple(table(layout).tolist()) for layout in family(solution)}
    assert len(members) == size
    for member in members:
        places = np.array(member)
        assert np.array_equal(places >> 3, np.arange(64) >> 3), "a row stays where it is"
        total = sum(a.weight * count_passes(p, places, a) for a in p.accesses)
        assert total == solution.certificate.total_passes


@pytest.mark.parametrize("seed", range(40))
def test_the_size_of_the_family_is_what_trying_every_mask_finds(seed: int) -> None:
    rng = random.Random(seed)
    columns = rng.choice((2, 3, 4, 5))
    rows = 12 // columns if columns > 2 else 4
    rows = min(rows, 6 - columns // 2)
    tile = BitTile((("n", columns), ("m", rows)), 32)
    if tile.bits < 5:
        pytest.skip("fewer elements than lanes")
    requests = [
        Request(f"r{i}", "read", tuple(1 << x for x in rng.sample(range(tile.bits), 5)))
        for i in range(rng.randint(2, 3))
    ]
    p = problem(machine("sm_90"), tile, requests)
    solution = solved(p)
    size = family_size(solution)
    assert size is not None
    if (1 << columns * rows) <= 1 << 12:
        assert size == as_good(p, solution)


def test_where_no_row_keeping_layout_is_as_good_that_is_said() -> None:
    """Rows of 32 f16 on 64 banks: the optimum folds into the row's own bank bit."""
    example = Path(__file__).parents[1] / "examples" / "solve" / "ck_kernel04_gfx950.toml"
    assert solve_question(example).family_size == 0
    assert "\nno XOR layout that keeps rows is as good\n" in bankwise("solve", example).out
