"""Restricted families: their formulas, their costs, and that none beats the solver."""

import random
import re
from functools import cache

import numpy as np
import pytest

from bankwise.algebra.address import Fold, Linear, Padded, is_bijection
from bankwise.algebra.offset import Shape, footprint, offset_text, operations
from bankwise.counting import conflict
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.notation.framework import Ground
from bankwise.notation.frameworks import frameworks, members
from bankwise.solver.best import ranked
from bankwise.solver.fit import family, fit, masks
from bankwise.solver.linear_totals import linear_totals
from bankwise.solver.plan import Plan, front
from bankwise.solver.price import Workload, cost, costs, workload
from bankwise.solver.problem import BitTile, problem
from bankwise.solver.search import solve
from bankwise.solver.theorem import pins
from brute import brute_count
from tile_problems import random_problem, request, spread, transpose_problem

SHAPE = Shape((("n", 32), ("m", 16)), 16)
GROUND = Ground(SHAPE, 64, 4)
FAMILIES = tuple(frameworks())
ODD = Ground(Shape((("n", 24), ("m", 10)), 16), 64)


def numbers(text):
    return [int(x) for x in re.findall(r"-?\d+", text)]


def cute(text, x, n, m):
    count, low, shift = numbers(text)
    mask = (2**count - 1) << low + max(0, shift)
    return x ^ ((x & mask) >> shift if shift >= 0 else (x & mask) << -shift)


def iree(text, x, n, m):
    width, unit, stride, per = numbers(text)
    groups, start = width // unit, x - x % unit
    phase = start // stride // per % groups
    return start - start % width + (start % width // unit ^ phase) * unit + x % unit


def wave(text, x, n, m):
    unit, phases = numbers(text)
    return 32 * m + (n // unit ^ m % phases) * unit + n % unit


def ck(text, x, n, m):
    if text.startswith("xor transform"):
        source, target, phases = numbers(text)
        return x ^ x // source % phases * target
    pack, banks = numbers(text)
    layer = max(1, banks * 4 // 32 // 2)
    outer, inner, slots = m // layer, m % layer, 32 // pack * layer
    slot = (inner * 32 // pack + n // pack) ^ outer % slots
    return outer * 32 * layer + slot * pack + n % pack


def triton(text, x, n, m):
    vec, per, phases = numbers(text)[:3]
    return 32 * m + (n ^ vec * (m // per % phases) % 32)


@pytest.mark.parametrize("formula", [cute, iree, wave, ck, triton])
def test_members_are_what_their_framework_computes(formula):
    x = np.arange(512)
    plain, *every = members(formula.__name__, GROUND)
    assert np.array_equal(plain.address(x), x)
    assert every
    for member in every:
        assert np.array_equal(member.address(x), formula(member.label, x, x % 32, x // 32))


@pytest.mark.parametrize("name", sorted(set(FAMILIES) - {"padding"}))
@pytest.mark.parametrize("ground", [GROUND, ODD], ids=["16x32", "10x24"])
def test_members_are_bijections_of_the_tile(name, ground):
    for member in members(name, ground):
        assert is_bijection(member.address, ground.shape.elements), member


@pytest.mark.parametrize("name", sorted(FAMILIES))
@pytest.mark.parametrize("ground", [GROUND, ODD], ids=["16x32", "10x24"])
def test_the_text_of_every_member_is_its_map(name, ground):
    shape = ground.shape
    x = np.arange(shape.elements)
    for member in members(name, ground):
        text = offset_text(shape, member.address)
        values = eval(text, {"n": x % shape.row, "m": x // shape.row})
        assert np.array_equal(values, member.address(x)), member
        assert footprint(shape, member.address) >= int(values.max()) + 1


def test_texts_of_three_dimensions_and_of_one():
    three = Shape((("n", 8), ("m", 4), ("b", 2)), 32)
    x = np.arange(64)
    for address in (Padded(8, 3), Fold(8, 2, 4), Linear((1, 2, 4, 9, 18, 36))):
        text = offset_text(three, address)
        values = eval(text, {"n": x % 8, "m": x // 8 % 4, "b": x // 32})
        assert np.array_equal(values, address(x)), text
    assert offset_text(Shape((("n", 8),), 32), Linear((1, 2, 5))) == "n ^ (n >> 2)"


def test_the_price_of_an_address_is_its_operations_beyond_row_major():
    n_xor_2m = Linear((1, 2, 4, 8, 16, 34, 68, 136, 272))
    assert offset_text(Shape((("n", 32), ("m", 16)), 32), n_xor_2m) == "32 * m + (n ^ 2 * m)"
    assert operations(SHAPE, n_xor_2m) == 2
    assert operations(SHAPE, Padded(32, 2)) == 0


def test_counting_a_layout_is_the_counting_rule_over_all_executions():
    p = transpose_problem()
    work = workload(p)
    x = np.arange(512)
    for address in (Padded(32, 1), Linear((1, 2, 4, 8, 16, 33, 66, 132, 264))):
        found = cost(work, address)
        for use, access in zip(found.uses, p.accesses, strict=True):
            registers = [32 << i for i in range(4)] if access.name == "store" else [2, 4, 8, 16]
            total = 0
            for start in spread(registers):
                lanes = address(x)[spread(access.lanes) ^ start] * 4
                total += brute_count(access.instruction, [lanes.tolist()], [True] * 32)[0]
            assert use.passes * 16 == total


@pytest.mark.parametrize("seed", range(40))
def test_linear_maps_judged_together_cost_what_each_costs_alone(seed):
    p = random_problem(random.Random(seed), 2)
    work = workload(p)
    maps = [m.address for m in members("cute", work.ground)][seed::7]
    for total, alone in zip(linear_totals(work, maps), costs(work, maps), strict=True):
        assert total == (-1 if isinstance(alone, Refusal) else alone.passes)


def padded(work: Workload) -> tuple[Plan, ...]:
    return ranked(family(work, "padding"), work, {})


def test_fits_of_the_transpose():
    p = transpose_problem()
    best = {name: fit(p, name, 2) for name in FAMILIES}
    found = {name: (f.best.label, f.best.passes, f.lost) for name, f in best.items()}
    assert found["cute"] == ("Swizzle<4,1,4>", 2, 0)
    assert found["iree"] == ("xor_shuffle<32, 2, 32, 1>", 2, 0)
    assert found["rotation"] == ("rotate by 2 every row", 2, 0)
    assert found["padding"] == ("rows padded by 2 elements", 2, 0)
    assert found["row-major"] == ("row-major", 17, 15)
    assert best["padding"].best.lds_bytes == 2048 + 15 * 8
    pads = {c.label: c.passes for c in padded(workload(p))}
    assert pads["rows padded by 1 element"] == 3


def test_a_pad_below_16_bytes_turns_a_16_byte_access_into_two_8_byte_ones():
    tile = BitTile((("n", 6), ("m", 6)), 16)
    load = request(tile, "read", "read", "m0 m1 m2 m3 n3 n4", "n0 n1 n2")
    p = problem(machine("gfx942"), tile, [load])
    issued = {
        policy: {
            c.layout.pad: [i.instruction for i in c.cost.uses[0].issues]
            for c in padded(workload(p, (), policy))
        }
        for policy in ("iree", "triton")
    }
    assert issued["iree"][4] == ["ds_read2_b64"]
    assert issued["iree"][2] == ["ds_read2_b32"] * 2
    assert issued["iree"][8] == ["ds_read_b128"]
    assert issued["triton"][4] == ["ds_read_b128"]
    named = padded(workload(p, ("read",)))
    assert all(c.layout.pad % 8 == 0 for c in named)


def test_padding_below_a_copy_in_lane_order_is_refused():
    tile = BitTile((("n", 5), ("m", 6)), 16)
    copy = request(
        tile,
        "copy",
        "write",
        "n3 n4 m0 m1 m2 m3",
        "n0 n1 n2",
        kind="dma",
        instruction="buffer_load_dwordx4_lds",
    )
    work = workload(problem(machine("gfx950"), tile, [copy]))
    found = cost(work, Padded(32, 8))
    assert isinstance(found, Refusal)
    assert "without a gap" in found.reason
    assert not isinstance(cost(work, Padded(512, 8)), Refusal)


def test_the_masks_of_a_row_are_searched_exactly():
    rng = random.Random(11)
    compared = 0
    while compared < 40:
        p = random_problem(rng, rng.choice((1, 2, 3, 5)), bits=8)
        pinned = pins(p)
        if isinstance(pinned, Refusal):
            continue
        work = workload(p)
        best = masks(p, pinned, work)
        folds = fit(work, "xor")
        if best is None or isinstance(folds, Refusal):
            continue
        assert best.passes <= folds.best.passes
        compared += 1


def test_no_row_mask_of_a_small_tile_is_better_than_the_one_found():
    tile = BitTile((("n", 3), ("m", 3)), 32)
    one = request(tile, "a", "read", "m0 m1 m2 n0 n1")
    two = request(tile, "b", "read", "n0 n1 n2 m1 m2")
    p = problem(machine("sm_90"), tile, [one, two])
    every = [Linear((1, 2, 4, 8 | c & 7, 16 | c >> 3 & 7, 32 | c >> 6)) for c in range(512)]
    work = workload(p)
    assert masks(p, pins(p), work).passes == min(t for t in linear_totals(work, every) if t >= 0)


def test_the_pareto_table_keeps_what_nothing_beats():
    work = workload(transpose_problem())
    every = [c for name in FAMILIES for c in ranked(family(work, name), work, {})]
    table = front(every, lambda plan: plan.full_price)
    for one in every:
        assert any(
            all(a <= b for a, b in zip(c.full_price, one.full_price, strict=True)) for c in table
        )
    for one in table:
        others = [c for c in table if c is not one]
        assert not any(
            all(a <= b for a, b in zip(c.full_price, one.full_price, strict=True)) for c in others
        )


LINEAR = ("row-major", "xor", "cute", "triton", "iree", "wave", "ck")


@cache
def linear_members(ground):
    """Every linear map of any family, once: many problems ask for it on the same tile."""
    every = [m.address for name in LINEAR for m in members(name, ground)]
    return list({a: None for a in every if isinstance(a, Linear)})


def least_of_all_families(p, thorough):
    """The fewest passes of any member that keeps the instructions; every member is counted."""
    work = workload(p)
    maps = linear_members(work.ground)
    totals = [int(t) for t in linear_totals(work, maps) if t >= 0]
    if thorough:
        rest = [m.address for name in ("rotation", "padding") for m in members(name, work.ground)]
        instructions = [(a.instruction.name,) for a in p.accesses]
        for found in costs(work, rest):
            if not isinstance(found, Refusal):
                issued = [tuple(i.instruction for i in u.issues) for u in found.uses]
                totals += [found.passes] * (issued == instructions)
    return min(totals, default=None)


def test_1000_two_access_problems_reach_the_floor_and_no_member_of_any_family_is_better():
    rng = random.Random(2024)
    compared = 0
    while compared < 1000:
        p = random_problem(rng, 2, bits=rng.randint(8, 10))
        solution = solve(p)
        if isinstance(solution, Refusal):
            continue
        stated = solution.certificate
        assert stated.total_passes == stated.total_floor
        least = least_of_all_families(p, thorough=compared % 10 == 0)
        assert least is None or stated.total_passes <= least
        compared += 1


@pytest.mark.parametrize("accesses", [3, 4, 6, 8])
def test_more_accesses_are_never_worse_than_the_best_of_all_families(accesses):
    rng = random.Random(accesses)
    compared = 0
    while compared < 25:
        p = random_problem(rng, accesses, bits=rng.randint(8, 10))
        solution = solve(p)
        if isinstance(solution, Refusal):
            continue
        least = least_of_all_families(p, thorough=compared % 3 == 0)
        assert least is None or solution.certificate.total_passes <= least
        compared += 1


def test_a_layout_of_the_solver_costs_by_counting_what_its_certificate_says():
    rng = random.Random(3)
    for _ in range(60):
        p = random_problem(rng, 3)
        solution = solve(p)
        if isinstance(solution, Refusal):
            continue
        found = cost(workload(p), Linear(solution.layout.columns))
        assert found.passes == solution.certificate.total_passes


def test_equal_executions_are_counted_once_and_weigh_what_they_are():
    p = transpose_problem()
    work = workload(p)
    x = np.arange(512)
    padded = Padded(32, 3)
    read = work.uses[1]
    alone = conflict.count(p.accesses[1].instruction, padded(x)[read.elements[..., 0]] * 4).passes
    assert cost(work, padded).uses[1].passes * len(alone) == alone.sum()
