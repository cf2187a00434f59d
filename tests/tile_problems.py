"""Problems for the tests of proof and synth: written ones, and a seeded random supply."""

import random

import numpy as np

from bankwise.algebra import f2
from bankwise.counting import conflict
from bankwise.hardware.machine import machine
from bankwise.solver.problem import BitTile, Request, problem

MACHINES = ("gfx942", "gfx950", "sm_90")


def request(tile, name, op, lanes, vector=None, registers="", **more):
    """A request in the notation of directions."""
    moved = None if vector is None else tile.directions(vector)
    registers = tile.directions(registers)
    return Request(name, op, tile.directions(lanes), moved, registers, **more)


def transpose_problem():
    """The worked 16x32 transpose of f32 with one warp."""
    tile = BitTile((("n", 5), ("m", 4)), 32)
    store = request(tile, "store", "write", "n0 n1 n2 n3 n4", registers="m0 m1 m2 m3")
    read = request(tile, "read", "read", "m0 m1 m2 m3 n0", registers="n1 n2 n3 n4")
    return problem(machine("sm_90"), tile, [store, read])


def subsets_problem(bits, subsets):
    """f32 tile, one access for each subset of coordinate bits (5 lanes)."""
    tile = BitTile((("x", bits),), 32)
    requests = [
        Request(f"a{number}", "write", tuple(1 << i for i in chosen))
        for number, chosen in enumerate(subsets)
    ]
    return problem(machine("sm_90"), tile, requests)


def random_problem(rng: random.Random, accesses, *, sums=False, vectors=True, bits=None):
    """Random machine, tile, chain of vectors and lanes; ``sums``: lanes that are no single bits."""
    m = machine(rng.choice(MACHINES))
    lane_bits = m.wave_size.bit_length() - 1
    element_bits = rng.choice((4, 8, 16, 32, 64))
    bits = bits or rng.randint(lane_bits + 2, 12)
    columns = rng.randint(1, bits - 1)
    tile = BitTile((("n", columns), ("m", bits - columns)), element_bits)
    least = 1 if element_bits == 4 else 0
    most = min({4: 5, 8: 4, 16: 3, 32: 2, 64: 1}[element_bits], bits - lane_bits)
    units = [1 << i for i in range(bits)]
    if rng.random() < 0.5:
        rng.shuffle(units)
    widest = units[: rng.randint(least, most) if vectors else least]
    requests = []
    for number in range(accesses):
        vector = widest[: rng.randint(least, len(widest))]
        rest = [x for x in units if x not in vector]
        rng.shuffle(rest)
        lanes = rest[:lane_bits]
        if sums:
            outside = [x for x in rest if x not in widest]
            lanes = [x ^ (rng.choice(outside) if rng.random() < 0.4 else 0) for x in lanes]
        op = rng.choice(("read", "write")) if f2.rank(lanes) == lane_bits else "read"
        if op == "read" and rng.random() < 0.2:
            lanes[rng.randrange(lane_bits)] = 0
        weight = rng.randint(1, 3)
        requests.append(Request(f"a{number}", op, tuple(lanes), tuple(vector), (), weight))
    return problem(m, tile, requests)


def odd_problem(rng: random.Random):
    """Tiny tiles down to one element, broadcasts, sums everywhere, copies; InputError at times."""
    m = machine(rng.choice(MACHINES))
    bits = rng.randint(0, 8)
    columns = rng.randint(0, bits)
    tile = BitTile((("n", columns), ("m", bits - columns)), rng.choice((4, 8, 16, 32, 64)))
    some = [0, 0, *(1 << i for i in range(bits))]
    widest = tuple(rng.choice(some) for _ in range(rng.randint(0, 4)))
    mixed = rng.random() < 0.3
    requests = []
    for number in range(rng.randint(1, 4)):
        lane_bits = m.wave_size.bit_length() - 1
        lanes = [rng.choice(some) ^ (rng.choice(some) * mixed) for _ in range(lane_bits)]
        registers = [rng.choice(some) for _ in range(rng.randint(0, 2))]
        vector = widest[: rng.randint(0, len(widest))] if rng.random() < 0.8 else None
        kind = rng.choice(("plain", "plain", "dma"))
        name = f"a{number}"
        op = "write" if kind == "dma" else "read"
        requests.append(Request(name, op, tuple(lanes), vector, tuple(registers), kind=kind))
    return problem(m, tile, requests)


def spread(directions):
    """The sums at the set bits of 0, 1, 2, ...: enumerated, one by one."""
    out = []
    for index in range(1 << len(directions)):
        total = 0
        for bit, direction in enumerate(directions):
            if index >> bit & 1:
                total ^= direction
        out.append(total)
    return np.array(out)


def count_passes(problem, element_offsets, access):
    """Passes of one execution by counting; ``element_offsets[x]``: where element x lies."""
    lanes = element_offsets[spread(access.lanes)]
    return int(conflict.count(access.instruction, lanes * problem.tile.element_bits // 8).passes)


def vectors_contiguous(element_offsets, access):
    """Whether every lane's vector is contiguous, aligned and in order in every execution."""
    starts = spread((*access.lanes, *access.registers))
    first = element_offsets[starts]
    if (first % (1 << len(access.vector))).any():
        return False
    elements = spread(access.vector)
    return all(
        np.array_equal(element_offsets[starts ^ x], first + place)
        for place, x in enumerate(elements)
    )
