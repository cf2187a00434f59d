"""The solver, the construction and the family, against counting and exhaustive small searches."""

import random
from itertools import combinations, islice, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.algebra.layout import table
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.solver import certify
from bankwise.solver.address import shifts, xor_terms
from bankwise.solver.colouring import Demand, search
from bankwise.solver.construct import construct
from bankwise.solver.copies import source_lines
from bankwise.solver.family import counted, family, family_size, predicted
from bankwise.solver.problem import BitTile, problem
from bankwise.solver.search import solve
from tile_problems import (
    count_passes,
    odd_problem,
    random_problem,
    request,
    spread,
    subsets_problem,
    transpose_problem,
    vectors_contiguous,
)


def passes(solution):
    return {claim.name: claim.passes for claim in solution.certificate.accesses}


def total_counted(p, offsets):
    return sum(a.weight * count_passes(p, offsets, a) for a in p.accesses)


# --- the worked cases of the theory -------------------------------------------------------------


def test_the_transpose_is_solved_by_n_xor_2m():
    solution = solve(transpose_problem())
    assert passes(solution) == {"store": 1, "read": 1}
    offsets = table(solution.layout)
    assert all(offsets[32 * m + n] == 32 * m + (n ^ 2 * m) for m in range(16) for n in range(32))
    assert solution.cheapest


def test_the_construction_replays_the_transpose():
    built = construct(transpose_problem())
    values = {label: text for step in built.steps for label, text in step.values}
    assert values["I"] == "n0"
    assert values["A"] == "n1 n2 n3 n4"
    assert values["B"] == "m0 m1 m2 m3"
    assert values["H"] == values["segment"] == "m0^n1 m1^n2 m2^n3 m3^n4"
    assert values["C"] == ""
    assert values["bank"] == "n0 n1 n2 n3 n4"
    assert built.certificate.how == "lemma"
    assert np.array_equal(table(built.layout), table(solve(transpose_problem()).layout))


@pytest.mark.parametrize(("bits", "optimum", "floor"), [(6, 6, 6), (7, 26, 21), (8, 72, 56)])
def test_all_5_subsets_of_d_bits(bits, optimum, floor):
    p = subsets_problem(bits, combinations(range(bits), 5))
    certificate = solve(p, address_nodes=0).certificate
    assert (certificate.total_passes, certificate.total_floor) == (optimum, floor)
    assert certificate.how == ("floor" if optimum == floor else "search")
    verdict = certify.check(certificate)
    assert verdict.accepted
    assert verdict.trusted == ()


@pytest.mark.parametrize(
    ("lanes", "vector", "expected"),
    [("n3 n4 n5 n6 m0 m1", "n0 n1 n2", 8), ("n2 n3 n4 n5 n6 m0", "n0 n1", 4)],
)
def test_gfx942_reads_take_8_passes_after_16_byte_stores_and_4_after_8_byte_stores(
    lanes, vector, expected
):
    tile = BitTile((("n", 7), ("m", 6)), 16)
    store = request(tile, "store", "write", lanes, vector)
    read = request(tile, "read", "read", "m0 m1 m2 m3 n2 n3", "n0 n1")
    solution = solve(problem(machine("gfx942"), tile, [store, read]))
    assert passes(solution)["read"] == expected
    assert solution.certificate.how == "floor"


def wave_read(columns):
    """gfx950 16-byte MFMA read of f16: lane l reads row l mod 16, chunk l div 16."""
    tile = BitTile((("n", columns), ("m", 6)), 16)
    read = request(tile, "read", "read", "m0 m1 m2 m3 n3 n4", "n0 n1 n2")
    return problem(machine("gfx950"), tile, [read])


@pytest.mark.parametrize("columns", [7, 8])
def test_gfx950_chunk_xor_of_period_8_takes_8_passes_and_the_optimum_4_has_period_16(columns):
    p = wave_read(columns)
    element = np.arange(1 << columns + 6)
    row, chunk, inside = element >> columns, element % (1 << columns) >> 3, element & 7

    def passes_of(period):
        return total_counted(p, (row << columns) + ((chunk ^ row % period) << 3) + inside)

    assert (passes_of(8), passes_of(16)) == (8, 4)
    assert passes(solve(p)) == {"read": 4}


def test_gfx950_32_element_rows_are_free_with_chunk_xor_row_div_2_mod_4():
    p = wave_read(5)
    element = np.arange(1 << 11)
    row, chunk, inside = element >> 5, element % 32 >> 3, element & 7
    by = {"plain": 0 * row, "row mod 4": row % 4, "row / 2 mod 4": row // 2 % 4}
    found = {k: total_counted(p, (row << 5) + ((chunk ^ x) << 3) + inside) for k, x in by.items()}
    assert found == {"plain": 8, "row mod 4": 8, "row / 2 mod 4": 4}
    assert passes(solve(p)) == {"read": 4}


def test_the_toggle_space_by_counting_and_by_rank():
    toggles = np.arange(1 << 20)
    lanes = [32 * (t % 16) + t // 16 for t in range(32)]
    by_count = counted(lanes, 5, toggles)
    assert np.array_equal(by_count, predicted([32, 64, 128, 256, 1], 5, toggles))
    values, numbers = np.unique(by_count, return_counts=True)
    expected = {1: 322_560, 2: 604_800, 4: 117_600, 8: 3_600, 16: 16}
    assert dict(zip(values.tolist(), numbers.tolist(), strict=True)) == expected


def test_a_toggle_setting_is_free_exactly_when_its_masks_and_n0_are_independent():
    toggles = np.arange(1 << 20)
    lanes = [32 * (t % 16) + t // 16 for t in range(32)]
    vectors = [toggles >> 5 * j & 31 for j in range(4)] + [np.ones_like(toggles)]
    independent = np.ones(len(toggles), bool)
    for chosen in range(1, 32):
        total = np.zeros_like(toggles)
        for bit, vector in enumerate(vectors):
            if chosen >> bit & 1:
                total = total ^ vector
        independent &= total != 0
    assert np.array_equal(counted(lanes, 5, toggles) == 1, independent)


def test_the_family_of_the_transpose_is_counted_and_every_member_is_free():
    p = transpose_problem()
    solution = solve(p)
    assert family_size(solution) == 322_560
    for layout in islice(family(solution), 0, 4000, 100):
        assert total_counted(p, table(layout)) == 2


def fp8_problem(name, store, read):
    """128x64 fp8 operand, eight warps: a 16-byte blocked writer and a fragment reader."""
    tile = BitTile((("k", 6), ("m", 7)), 8)
    return problem(machine(name), tile, [request(tile, *store), request(tile, *read)])


@pytest.mark.parametrize(
    ("name", "store", "read", "expected"),
    [
        # mma.m16n8k32, operand A: lane l holds 4 bytes at row l div 4, byte 4 * (l mod 4)
        ("sm_90", "k4 k5 m0 m1 m2", ("k2 k3 m0 m1 m2", "k0 k1"), (4, 1)),
        # mfma 16x16x32 fp8: lane l holds 8 bytes at row l mod 16, byte 8 * (l div 16)
        ("gfx942", "k4 k5 m0 m1 m2 m3", ("m0 m1 m2 m3 k3 k4", "k0 k1 k2"), (8, 8)),
    ],
)
def test_fp8_fragments_of_an_mma_and_an_mfma_are_solved_at_the_floor(name, store, read, expected):
    vector = "k0 k1 k2 k3"
    p = fp8_problem(name, ("store", "write", store, vector), ("read", "read", *read))
    for found in (solve(p), construct(p)):
        assert tuple(passes(found).values()) == expected
        assert found.certificate.total_passes == found.certificate.total_floor
        assert total_counted(p, table(found.layout)) == sum(expected)
        assert certify.check(found.certificate).accepted


# --- laws on random problems --------------------------------------------------------------------


@settings(max_examples=400)
@given(st.integers(0, 10**9), st.booleans())
def test_two_accesses_reach_the_floor_and_the_construction_agrees(seed, sums):
    p = random_problem(random.Random(seed), 2, sums=sums)
    solution, built = solve(p, address_nodes=200), construct(p)
    if isinstance(solution, Refusal):
        assert isinstance(built, Refusal)
        return
    for found in (solution, built):
        offsets = table(found.layout)
        assert sorted(offsets.tolist()) == list(range(len(offsets)))
        assert total_counted(p, offsets) == found.certificate.total_passes
        assert found.certificate.total_passes == found.certificate.total_floor
        assert all(vectors_contiguous(offsets, a) for a in p.accesses)
        assert certify.check(found.certificate).accepted


@settings(max_examples=300)
@given(st.integers(0, 10**9))
def test_tiny_and_odd_problems_are_solved_refused_or_an_input_error(seed):
    try:
        p = odd_problem(random.Random(seed))
    except InputError:
        return
    solution = solve(p)
    if isinstance(solution, Refusal):
        return
    offsets = table(solution.layout)
    assert certify.check(solution.certificate).errors == ()
    for access in p.accesses:
        assert vectors_contiguous(offsets, access)
        if access.kind == "plain":
            assert count_passes(p, offsets, access) == passes(solution)[access.name]


def restricted_families(p):
    """Offsets of the XOR swizzles that tools ship: (vec, per phase, max phase) and one shift."""
    tile = p.tile
    columns, bits = tile.dims[0][1], tile.bits
    element = np.arange(1 << bits)
    row, column = element >> columns, element & (1 << columns) - 1
    for vec, per, most in product(range(columns), range(4), range(1, 6)):
        phase = (row >> per) % (1 << most)
        yield (row << columns) + (column ^ (phase << vec) % (1 << columns))
    for distance in range(1, bits):
        for base in range(bits - distance):
            yield element ^ (element >> distance) & ~((1 << base) - 1) % (1 << bits - distance)


@pytest.mark.parametrize("accesses", [2, 3, 5, 8])
def test_no_shipped_swizzle_is_better(accesses):
    rng = random.Random(accesses)
    compared = 0
    while compared < 12:
        p = random_problem(rng, accesses, bits=9 if accesses < 5 else 8)
        solution = solve(p)
        if isinstance(solution, Refusal):
            continue
        for offsets in islice(restricted_families(p), 0, None, 7):
            if all(vectors_contiguous(offsets, a) for a in p.accesses):
                assert solution.certificate.total_passes <= total_counted(p, offsets)
        compared += 1


@settings(max_examples=30)
@given(st.data())
def test_the_search_is_exhaustive_against_every_colouring_of_a_small_space(data):
    dimension, bits = data.draw(st.sampled_from([(4, 2), (5, 2), (4, 3)]))
    vector = st.integers(1, 2**dimension - 1)
    wanted = []
    for _ in range(data.draw(st.integers(1, 5))):
        space = _echelon(data.draw(st.lists(vector, min_size=1, max_size=3)))
        seen = data.draw(st.sampled_from([bits, bits - 1]))
        wanted.append(Demand(space, seen, data.draw(st.integers(1, 3))))
    best = min(
        sum(_cost(demand, colours) for demand in wanted)
        for colours in product(range(1 << bits), repeat=dimension)
    )
    found = search(wanted, dimension, bits, natural=False)
    assert found.complete
    assert found.cost == best == sum(_cost(d, found.colours) for d in wanted)
    rows = search(wanted, dimension, bits, natural=True)
    low = min(bits, *(d.bits for d in wanted))
    choices = [(1 << i,) for i in range(low)]
    choices += [tuple(1 << i | c for c in range(1 << low)) for i in range(low, bits)]
    choices += [range(1 << bits)] * (dimension - bits)
    assert rows.cost == min(sum(_cost(d, cs) for d in wanted) for cs in product(*choices))


def test_a_direction_that_occurs_in_sums_only_is_tried_with_every_colour():
    wanted = [Demand((0b0011,), 2, 1), Demand((0b1000,), 1, 1), Demand((0b1001,), 1, 1)]
    assert search(wanted, 4, 2, natural=False).cost == 3
    sums = [Demand((0b10100,), 2, 1), Demand((0b1011,), 1, 1), Demand((0b1110,), 1, 1)]
    assert search(sums, 5, 2, natural=True).cost == 3


def _echelon(vectors):
    kept = []
    for v in vectors:
        for k in kept:
            v = min(v, v ^ k)
        if v:
            kept.append(v)
    return tuple(sorted(kept))


def _cost(demand, colours):
    """Weighted passes by enumeration: how many members of the space have colour 0."""
    mask = (1 << demand.bits) - 1
    members = spread(demand.space)
    zero = sum(1 for x in members if spread_colour(x, colours) & mask == 0)
    return demand.cost * zero


def spread_colour(vector, colours):
    total = 0
    for bit, colour in enumerate(colours):
        if vector >> bit & 1:
            total ^= colour
    return total


def test_an_optimum_that_cannot_keep_rows_is_found_all_the_same():
    wanted = [Demand((2,), 1, 1), Demand((3,), 1, 1)]
    assert search(wanted, 2, 1, natural=True).cost == 3
    assert search(wanted, 2, 1, natural=False).cost == 2
    tile = BitTile((("n", 6),), 32)
    lanes = "n5 n1 n2 n3 n4", "n0^n5 n1 n2 n3 n4"
    reads = [request(tile, f"r{i}", "read", text) for i, text in enumerate(lanes)]
    p = problem(machine("sm_90"), tile, reads)
    solution = solve(p)
    assert passes(solution) == {"r0": 1, "r1": 1}
    assert total_counted(p, table(solution.layout)) == 2
    assert family_size(solution) == 0
    assert list(family(solution)) == []


@pytest.mark.parametrize("element_bits", [8, 16])
def test_without_vectors_the_word_is_shared_so_that_most_is_free(element_bits):
    tile = BitTile((("n", 6), ("m", 5)), element_bits)
    rows = request(tile, "rows", "write", "n0 n1 n2 n3 n4 n5")
    columns = request(tile, "columns", "read", "m0 m1 m2 m3 m4 n0")
    p = problem(machine("gfx942"), tile, [rows, columns], widen=False)
    for found in (solve(p), construct(p)):
        assert found.certificate.total_passes == 4
        assert total_counted(p, table(found.layout)) == 4
        assert certify.check(found.certificate).accepted


def test_a_vectorless_word_is_searched_to_the_best_of_all_layouts_that_share_it():
    tile = BitTile((("x", 7),), 16)
    lanes = combinations([f"x{i}" for i in range(7)], 5)
    chosen = [" ".join(names) for names in lanes][::3]
    reads = [request(tile, f"r{i}", "read", text) for i, text in enumerate(chosen)]
    solution = solve(problem(machine("sm_90"), tile, reads, widen=False), address_nodes=0)
    assert solution.certificate.how == "floor"
    assert solution.certificate.total_passes == len(chosen)


@pytest.mark.parametrize("seed", range(40))
def test_the_cheapest_address_has_no_more_shifts_and_the_same_passes(seed):
    p = random_problem(random.Random(seed), 2)
    cheap, first = solve(p), solve(p, address_nodes=0)
    assert cheap.certificate.total_passes == first.certificate.total_passes
    assert solve(p) == cheap


@pytest.mark.parametrize("seed", range(60))
def test_xor_terms_are_the_layout_wherever_rows_are_kept(seed):
    solution = solve(random_problem(random.Random(seed), 3))
    terms = xor_terms(solution.layout.columns)
    x = np.arange(1 << solution.problem.tile.bits)
    if terms is None:
        kept = solution.pins.vector + solution.pins.free
        in_place = list(kept) == [1 << i for i in range(len(kept))]
        assert not in_place or family_size(solution) == 0
        return
    offsets = x.copy()
    for shift, mask in terms:
        offsets ^= x >> shift & mask
    assert np.array_equal(offsets, table(solution.layout))


def test_xor_terms_of_the_transpose_are_one_shift_by_4():
    assert xor_terms(solve(transpose_problem()).layout.columns) == ((4, 0b11110),)


def test_shifts_count_distances_not_bits():
    assert shifts((1, 2, 4, 8, 16, 2, 4, 8, 16), 5) == (4,)
    assert shifts((1, 2, 4, 8, 16, 3, 4, 8, 16), 5) == (4, 5)


def test_a_copy_in_lane_order_is_ideal_and_only_its_unit_is_pinned():
    tile = BitTile((("n", 6), ("m", 6)), 16)
    copy = request(tile, "copy", "write", "n1 n2 n3 n4 n5 m0", "n0", kind="dma")
    read = request(tile, "read", "read", "m0 m1 m2 m3 n3 n4", "n0")
    p = problem(machine("gfx942"), tile, [copy, read])
    solution = solve(p)
    assert passes(solution) == {"copy": 2, "read": 2}
    assert vectors_contiguous(table(solution.layout), p.accesses[0])
    assert certify.check(solution.certificate).accepted
    assert source_lines(tile, solution.layout, p.accesses[0]) == (2,) * 32


def test_construction_and_budget_say_honestly_what_they_cannot_do():
    three = subsets_problem(6, islice(combinations(range(6), 5), 3))
    assert isinstance(construct(three), Refusal)
    p = subsets_problem(8, combinations(range(8), 5))
    stopped = solve(p, nodes=20, address_nodes=0).certificate
    assert stopped.how == "budget"
    assert not stopped.optimal
    assert certify.check(stopped).accepted
