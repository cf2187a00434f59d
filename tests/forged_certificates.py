"""Certificates of many kinds, and forgeries of them: every field changed, signed again."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from bankwise.algebra import f2
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.show.schema import dumps
from bankwise.solver.certificate import Certificate, digest
from bankwise.solver.certificate_json import certificate_document
from bankwise.solver.claims import certificate
from bankwise.solver.problem import BitTile, Problem, Request, problem
from bankwise.solver.search import solve
from bankwise.solver.theorem import pins
from tile_problems import random_problem, subsets_problem

Body = dict[str, Any]

WORDS = ("floor", "lemma", "search", "budget")


def sources(count: int, seed: int) -> Iterator[Problem]:
    """Problems above their floor, of mixed banks, of elements below a word, and plain ones."""
    rng = random.Random(seed)
    yield subsets_problem(7, [(0, 1, 2, 3, 4), (2, 3, 4, 5, 6), (0, 2, 4, 5, 6), (0, 1, 3, 5, 6)])
    for number in range(count - 1):
        if number % 3 == 0:
            yield _many_subsets(rng)
        elif number % 7 == 1:
            yield _copied(rng)
        else:
            yield random_problem(rng, rng.randint(2, 4), sums=number % 2 == 0, bits=8)


def _many_subsets(rng: random.Random) -> Problem:
    """Few bits and many accesses: seldom at the floor. Some see 64 banks, some 32."""
    gpu = machine(rng.choice(("sm_90", "gfx950")))
    tile = BitTile((("n", 4), ("m", 4)), rng.choice((16, 32)))
    names = {
        ("sm_90", 16): ("ld.shared.b16",),
        ("sm_90", 32): ("ld.shared.b32",),
        ("gfx950", 16): ("ds_read_u16",),
        ("gfx950", 32): ("ds_read_b32",),
    }[gpu.name, tile.element_bits]
    lanes = gpu.wave_size.bit_length() - 1
    requests = [
        Request(
            f"a{i}",
            "read",
            tuple(1 << x for x in rng.sample(range(8), lanes)),
            (),
            (),
            rng.randint(1, 3),
            rng.choice(names),
        )
        for i in range(rng.randint(4, 8))
    ]
    return problem(gpu, tile, requests, widen=False)


def _copied(rng: random.Random) -> Problem:
    """A direct-to-LDS copy and a read of what it wrote."""
    tile = BitTile((("n", 6), ("m", 4)), 16)
    name = rng.choice(("buffer_load_dwordx4_lds", "global_load_lds_dwordx4"))
    vector, lanes = tile.directions("n0 n1 n2"), tile.directions("n3 n4 n5 m0 m1 m2")
    read = tile.directions("m0 m1 m2 m3 n3 n4")
    requests = [
        Request("copy", "write", lanes, vector, (), rng.randint(1, 3), name, "dma"),
        Request("read", "read", read, vector, tile.directions("n5"), rng.randint(1, 3)),
    ]
    return problem(machine("gfx950"), tile, requests, widen=False)


def body(stated: Certificate) -> Body:
    """A certificate as parsed JSON."""
    found: Body = json.loads(dumps(certificate_document(stated)))
    return found


def signed(forged: Body) -> Body:
    """With the flag and the digest that fit the rest, as a forger would."""
    forged["optimal"] = forged["how"] != "budget"
    forged["nodes"] = max(1, forged["nodes"]) if forged["how"] in ("search", "budget") else 0
    forged["digest"] = digest(forged)
    return forged


def other_layouts(p: Problem, rng: random.Random) -> Iterator[Body]:
    """True claims of a layout that is not the best, with a false word about optimality."""
    pinned = pins(p)
    assert not isinstance(pinned, Refusal)
    low, free = len(pinned.vector), len(pinned.free)
    for how in WORDS[:3]:
        images = [1 << i for i in range(free)]
        for _ in range(rng.randint(0, 40) if free > 1 else 0):
            i, j = rng.sample(range(free), 2)
            images[i] ^= images[j]
        rng.shuffle(images)
        whole = [1 << i for i in range(low)] + [x << low for x in images]
        bases = tuple(f2.apply(whole, column) for column in pinned.frame)
        yield body(certificate(p, pinned, bases, how, 1))


def fields(true: Body, rng: random.Random, count: int) -> Iterator[Body]:
    """One or two fields changed."""
    places = [path for path, _ in _leaves(true) if path[0] not in ("digest", "schema", "optimal")]
    for _ in range(count):
        forged = copy.deepcopy(true)
        for path in rng.sample(places, rng.randint(1, 2)):
            _put(forged, path, _other(_get(true, path), path[-1], rng, true))
        yield forged


def _other(value: Any, key: Any, rng: random.Random, true: Body) -> Any:
    gpu = machine(true["machine"])
    directions = [f"{name}{i}" for name, bits in true["dims"] for i in range(bits)]
    if isinstance(value, int):
        return max(0, rng.choice((value + 1, value - 1, 2 * value, value // 2, value ^ 4, 1)))
    if key == "instruction":
        return rng.choice(sorted(gpu.instructions))
    if key == "kind":
        return rng.choice(("dma", "plain"))
    if key == "how":
        return rng.choice(WORDS)
    if key in ("lanes", "vector", "registers", "conflicts"):
        words = value.split()
        change = rng.randrange(4)
        if change == 0 or not words:
            words.insert(rng.randint(0, len(words)), rng.choice(directions))
        elif change == 1:
            words.pop(rng.randrange(len(words)))
        elif change == 2:
            words[rng.randrange(len(words))] = rng.choice((*directions, "0"))
        else:
            words[rng.randrange(len(words))] += f"^{rng.choice(directions)}"
        return " ".join(words)
    return rng.choice((f"{value}x", "sm_90", "gfx942", "gfx950"))


def forgeries(count: int, seed: int, each: int) -> Iterator[Body]:
    """From ``count`` certificates about ``each`` forgeries, all signed."""
    rng = random.Random(seed)
    for p in sources(count, seed):
        solution = solve(p, address_nodes=0)
        if isinstance(solution, Refusal):
            continue
        true = body(solution.certificate)
        yield from map(signed, other_layouts(p, rng))
        for how in WORDS:
            yield signed({**copy.deepcopy(true), "how": how})
        yield from map(signed, fields(true, rng, each))


def problem_of(stated: Certificate) -> Problem:
    """The problem that a certificate is about."""
    gpu = machine(stated.machine)
    tile = BitTile(stated.dims, stated.element_bits)
    requests = [
        Request(
            a.name,
            gpu.instruction(a.instruction).direction,
            tile.directions(a.lanes),
            tile.directions(a.vector),
            tile.directions(a.registers),
            a.weight,
            a.instruction,
            "dma" if a.kind == "dma" else "plain",
        )
        for a in stated.accesses
    ]
    return problem(gpu, tile, requests, widen=False)


def _leaves(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(data, dict | list):
        items = data.items() if isinstance(data, dict) else enumerate(data)
        for key, value in items:
            yield from _leaves(value, (*path, key))
    else:
        yield path, data


def _get(data: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        data = data[key]
    return data


def _put(data: Any, path: tuple[Any, ...], value: Any) -> None:
    _get(data, path[:-1])[path[-1]] = value
