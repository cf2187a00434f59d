"""Speed of the solver with its certificate, of the toggle space and of layouts.

    PYTHONPATH=src python -m pytest benchmarks/bench_solver.py

The battery is random but seeded: tiles of 8 to 64-bit elements with 5 and 6 lane bits, a chain of
vectors, random lanes. ``median_ms`` and ``worst_ms`` in the extra information are over problems,
each solved once after one warm-up run of the battery.
"""

import random
import statistics
import time

import numpy as np
import pytest

from bankwise.algebra.layout import Layout, table
from bankwise.hardware.machine import machine
from bankwise.solver.family import counted, predicted
from bankwise.solver.problem import BitTile, Problem, Request, problem
from bankwise.solver.search import solve

PROBLEMS = 200
LANES = {"sm_90": 5, "gfx942": 6, "gfx950": 6}
VECTOR_BITS = {8: 4, 16: 3, 32: 2, 64: 1}


def one_problem(rng: random.Random, name: str, accesses: int, bits: int) -> Problem:
    element_bits = rng.choice([w for w in VECTOR_BITS if w << bits <= 8 * 65536])
    tile = BitTile((("n", 7), ("m", bits - 7)), element_bits)
    units = [1 << i for i in range(bits)]
    widest = units[: rng.randint(0, VECTOR_BITS[element_bits])]
    requests = []
    for number in range(accesses):
        vector = widest[: rng.randint(0, len(widest))]
        rest = [x for x in units if x not in vector]
        lanes = tuple(rng.sample(rest, LANES[name]))
        op = rng.choice(("read", "write"))
        requests.append(Request(f"a{number}", op, lanes, tuple(vector), weight=rng.randint(1, 4)))
    return problem(machine(name), tile, requests)


def battery(accesses: int, bits: int | None = None) -> list[Problem]:
    rng = random.Random(20_240_601 + accesses)
    return [
        one_problem(rng, rng.choice(sorted(LANES)), accesses, bits or rng.randint(9, 14))
        for _ in range(PROBLEMS)
    ]


def measure(benchmark, problems, **options):
    def run():
        times = []
        for p in problems:
            start = time.perf_counter()
            solve(p, **options)
            times.append(1e3 * (time.perf_counter() - start))
        return times

    run()
    times = benchmark.pedantic(run, rounds=5)
    benchmark.extra_info["median_ms"] = round(statistics.median(times), 3)
    benchmark.extra_info["worst_ms"] = round(max(times), 3)
    print(f" median {statistics.median(times):.3f} ms, worst {max(times):.3f} ms per problem")


@pytest.mark.parametrize("effort", [{"address_nodes": 0}, {}], ids=["optimum", "cheapest"])
def test_two_accesses(benchmark, effort):
    measure(benchmark, battery(2), **effort)


@pytest.mark.parametrize("effort", [{"address_nodes": 0}, {}], ids=["optimum", "cheapest"])
def test_eight_accesses_on_a_tile_of_16384_elements(benchmark, effort):
    measure(benchmark, battery(8, 14), **effort)


def question(stated: Problem) -> dict[str, object]:
    """The problem as a file would pose it."""
    tile = stated.tile
    accesses = [
        {
            "name": a.name,
            "op": a.instruction.direction,
            "lanes": tile.text(a.lanes),
            "vector": tile.text(a.vector),
            "weight": a.weight,
        }
        for a in stated.accesses
    ]
    shape = {"shape": [1 << bits for _, bits in reversed(tile.dims)]}
    shape["element_bits"] = tile.element_bits
    return {"machine": stated.machine.name, "tile": shape, "access": accesses}


@pytest.mark.parametrize(("accesses", "bits"), [(2, None), (8, 14)], ids=["two", "eight"])
def test_the_public_solve(benchmark, accesses, bits):
    """``bankwise.solve`` itself: read, checked, planned; the ratio is to the bare solver."""
    import bankwise

    stated = battery(accesses, bits)
    asked = [question(p) for p in stated]

    def run():
        times = []
        for one, bare in zip(asked, stated, strict=True):
            start = time.perf_counter()
            bankwise.solve(one)
            between = time.perf_counter()
            solve(bare)
            times.append((between - start, time.perf_counter() - between))
        return times

    run()
    times = benchmark.pedantic(run, rounds=3)
    whole, bare = (1e3 * statistics.median(t[i] for t in times) for i in range(2))
    benchmark.extra_info["median_ms"] = round(whole, 3)
    benchmark.extra_info["ratio_to_the_solver"] = round(whole / bare, 1)
    print(f" median {whole:.3f} ms, {whole / bare:.1f} times the bare solver")


def test_all_toggles_counted_at_step_0(benchmark):
    lanes = [32 * (t % 16) + t // 16 for t in range(32)]
    benchmark.pedantic(counted, (lanes, 5, np.arange(1 << 20)), rounds=3)


def test_4096_toggles_at_all_16_steps_counted_and_by_rank(benchmark):
    toggles = np.random.default_rng(3).integers(0, 1 << 20, 4096)

    def run():
        for step in range(16):
            lanes = [32 * (t % 16) + 2 * step + t // 16 for t in range(32)]
            by_rank = predicted([32, 64, 128, 256, 1], 5, toggles)
            assert np.array_equal(counted(lanes, 5, toggles), by_rank)

    benchmark.pedantic(run, rounds=3)


def test_a_layout_as_an_index_array_of_16384_elements(benchmark):
    columns = tuple(1 << i ^ (1 << i >> 7) for i in range(14))
    layout = Layout((("n", 7), ("m", 7)), (("offset", 14),), columns)
    benchmark(table, layout)
