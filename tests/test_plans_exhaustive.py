"""Plans against an exhaustive judge that shares nothing with the solver but the phases.

A toy machine has 8 lanes and 4 banks, so that a tile of 32 or 64 words has few enough colourings to
try them all: every linear map into the bank bits, every way to issue every access, every pad. A map
is legal where the words of each lane lie in order from an aligned one on, by looking at them.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.algebra import f2
from bankwise.algebra.address import Linear, Padded
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.solver.answer import Limits, exact
from bankwise.solver.problem import BitTile, Request, problem

BANKS, LANES = 4, 8
LANES_AT_ONCE = {"b128": 2, "b64": 4, "b32": 8}


def toy():
    gpu = machine("gfx942")
    rows = {}
    for stem in ("ds_write", "ds_read"):
        for width, together in LANES_AT_ONCE.items():
            for name in (f"{stem}_{width}", f"{stem}2_{width}"):
                if name in gpu.instructions:
                    phases = [range(i, i + together) for i in range(0, LANES, together)]
                    rows[name] = replace(
                        gpu.instructions[name],
                        banks=BANKS,
                        wave_size=LANES,
                        phases=tuple(map(tuple, phases)),
                        span=tuple(1 << i for i in range(together.bit_length() - 1)),
                    )
    return replace(gpu, wave_size=LANES, instructions=rows)


TOY = toy()


def one_problem(rng: random.Random):
    bits, columns = rng.choice(((5, 2), (5, 3), (6, 3)))
    tile = BitTile((("n", columns), ("m", bits - columns)), 32)
    units = [1 << i for i in range(bits)]
    requests = []
    for number in range(rng.randint(2, 4)):
        vector = tuple(units[: rng.randint(0, 2)])
        rest = [x for x in units if x not in vector]
        rng.shuffle(rest)
        op = rng.choice(("write", "read"))
        weight = rng.randint(1, 3)
        requests.append(Request(f"a{number}", op, tuple(rest[:3]), vector, tuple(rest[3:]), weight))
    return tile, requests


def one_of_sums(rng: random.Random):
    """The same in a random basis: vectors, lanes and steps are sums of coordinate bits."""
    bits, columns = rng.choice(((5, 2), (5, 3), (6, 3)))
    tile = BitTile((("n", columns), ("m", bits - columns)), 32)
    basis = [0]
    while f2.rank(basis) < bits:
        basis = [rng.randrange(1, 1 << bits) for _ in range(bits)]
    requests = []
    for number in range(rng.randint(1, 4)):
        keep = rng.randint(0, 2)
        moved = [*basis[2:], *basis[keep:2]]
        rng.shuffle(moved)
        op, weight = rng.choice(("write", "read")), rng.randint(1, 3)
        lanes, steps = tuple(moved[:3]), tuple(moved[3:])
        requests.append(Request(f"a{number}", op, lanes, tuple(basis[:keep]), steps, weight))
    return tile, requests


def spanned(directions):
    found = [0]
    for direction in directions:
        found += [x ^ direction for x in found]
    return found


def executions(request, parts):
    """The words of each lane, [executions, lanes, words]: the parts one after the other."""
    keep = len(request.vector) - (parts.bit_length() - 1)
    steps = spanned((*request.registers, *request.vector[keep:]))
    lanes, words = spanned(request.lanes), spanned(request.vector[:keep])
    return np.array([[[s ^ lane ^ w for w in words] for lane in lanes] for s in steps])


def worst(banks, words, together):
    """Passes of one execution, [..]: distinct words of the fullest bank, phase by phase."""
    total = 0
    for first in range(0, LANES, together):
        group = words[first : first + together].reshape(-1)
        of = banks[..., group]
        total = total + np.stack([(of == b).sum(axis=-1) for b in range(BANKS)]).max(axis=0)
    return total


def issued(op, words, addresses=1):
    return 4 if op == "read" else 4 + 4 * words * addresses


def linear_prices(tile, request, parts, colourings):
    """(passes, legal) of one access for every colouring of every word, [maps, words]."""
    moved = executions(request, parts)
    width = moved.shape[-1]
    aligned = (colourings[:, moved] % width == np.arange(width)).all(axis=(1, 2, 3))
    together = {1: 8, 2: 4, 4: 2}[width]
    passes = sum(worst(colourings, one, together) for one in moved) * parts / len(moved)
    return passes, aligned


def by_all_linear_maps(tile, requests):
    """The least (cycles, passes) of every choice of parts under every colouring."""
    words = np.arange(1 << tile.bits)
    every = np.array(list(product(range(BANKS), repeat=tile.bits)))
    full = every[[len(set(spanned(row.tolist()))) == BANKS for row in every]]
    colourings = np.zeros((len(full), len(words)), np.int64)
    for bit in range(tile.bits):
        colourings ^= (words >> bit & 1) * full[:, bit, None]
    found = []
    choices = [[1 << i for i in range(len(r.vector) + 1)] for r in requests]
    known = [
        {n: linear_prices(tile, r, n, colourings) for n in parts}
        for r, parts in zip(requests, choices, strict=True)
    ]
    for chosen in product(*choices):
        passes, legal, issue = 0.0, True, 0
        for request, parts, prices in zip(requests, chosen, known, strict=True):
            passes = passes + request.weight * prices[parts][0]
            legal = legal & prices[parts][1]
            width = (1 << len(request.vector)) // parts
            issue += request.weight * parts * issued(request.op, width)
        if np.any(legal):
            least = float(passes[legal].min())
            found.append((least + issue, least))
    return found


SPLIT_BY_ALIGNMENT = {
    (4, 4): ((4, 1, 0),),
    (4, 2): ((2, 2, 0),),
    (4, 1): ((1, 2, 0), (1, 2, 2)),
    (2, 4): ((2, 1, 0),),
    (2, 2): ((2, 1, 0),),
    (2, 1): ((1, 2, 0),),
}
"""What LLVM makes of an access of so many words at such an alignment: (words of an address,
addresses, first word) of each instruction."""


def by_all_pads(tile, requests):
    """The same of padded rows with accesses as the alignment issues them; none where row-major
    does not keep the words of a lane together, in order."""
    columns = tile.dims[0][1]
    found = []
    for request in requests:
        moved = executions(request, 1)
        if (moved - moved[..., :1] != np.arange(moved.shape[-1])).any():
            return found
    for pad in range(1, BANKS):
        place = np.arange(1 << tile.bits)
        place = place + (place >> columns) * pad
        passes, issue = Fraction(), 0
        for request in requests:
            moved, width = executions(request, 1), 1 << len(request.vector)
            alignment = min(pad & -pad, 4)
            for words, addresses, first in SPLIT_BY_ALIGNMENT.get((width, alignment), ((1, 1, 0),)):
                issue += request.weight * issued(request.op, words, addresses)
                for at in range(addresses):
                    start = first + at * words
                    part = moved[:, :, start : start + words]
                    together = {1: 8, 2: 4, 4: 2}[words]
                    each = [int(worst(place % BANKS, one, together)) for one in part]
                    passes += Fraction(request.weight * sum(each), len(each))
        found.append((passes + issue, passes))
    return found


@pytest.mark.parametrize("made", [one_problem, one_of_sums])
@pytest.mark.parametrize("seed", range(30))
def test_no_linear_map_no_split_and_no_pad_is_cheaper_than_the_plan(seed, made):
    tile, requests = made(random.Random(seed))
    stated = problem(TOY, tile, requests, widen=False)
    judged = [*by_all_linear_maps(tile, requests), *by_all_pads(tile, requests)]
    for prefer, place in (("cheapest", 0), ("fewest-passes", 1)):
        answer = exact(stated, Limits(1 << 16, prefer=prefer))
        assert not isinstance(answer, Refusal), "words alone always have a layout"
        found = (answer.layout.cycles, answer.layout.passes)[place]
        most = min(plan.passes for plan in answer.baselines) if answer.baselines else 1 << 30
        assert answer.layout.passes <= most
        least = min(pair[place] for pair in judged)
        if not answer.standing.proved:
            assert found >= least
            assert "no more passes than what is there" in str(answer.standing)
            assert all(passes > most for cycles, passes in judged if cycles == least)
        elif isinstance(answer.layout.layout, Linear | Padded):
            assert found == least
        else:
            assert found < least, "a rotation is not in the judge's space"


def test_the_judge_sees_splits_that_pay_and_splits_that_do_not():
    """Else the comparison above would not be one."""
    splits = set()
    for seed in range(40):
        tile, requests = one_problem(random.Random(seed))
        answer = exact(problem(TOY, tile, requests, widen=False), Limits(1 << 16))
        splits.add(bool(answer.layout.splits))
    assert splits == {True, False}
