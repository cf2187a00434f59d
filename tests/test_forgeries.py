"""The judge against forgers: a certificate that is accepted is true.

Truth is found another way: what a layout takes by counting each access of the problem, and what
the best takes by the solver, which shares no code with the judge.
"""

from __future__ import annotations

import json
import random
from itertools import combinations, permutations
from pathlib import Path

import pytest
from msgspec.structs import replace

from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.solver import certify
from bankwise.solver.certificate import Certificate
from bankwise.solver.certificate_json import read_certificate
from bankwise.solver.judge_search import Wants, better
from bankwise.solver.problem import BitTile, Request, problem
from bankwise.solver.search import solve
from command import bankwise
from forged_certificates import Body, body, forgeries, problem_of, signed
from tile_problems import count_passes, spread, subsets_problem


def accepted(forged: Body) -> Certificate | None:
    """The certificate, if the judge takes all of it."""
    try:
        stated = read_certificate(forged)
    except InputError:
        return None
    verdict = certify.check(stated)
    return stated if verdict.accepted and not verdict.trusted else None


def lie(stated: Certificate) -> str:
    """What is false about a certificate; empty if it is true."""
    p = problem_of(stated)
    offsets = spread(stated.bases)
    for claim, access in zip(stated.accesses, p.accesses, strict=True):
        if access.kind == "dma" and "_lds" not in access.instruction.name:
            return f"{claim.name} is no copy"
        if access.kind == "plain" and count_passes(p, offsets, access) != claim.passes:
            return f"{claim.name} takes {count_passes(p, offsets, access)}"
    found = solve(p, address_nodes=0)
    if isinstance(found, Refusal):
        return str(found)
    if stated.total_floor > found.certificate.total_passes:
        return f"{found.certificate.total_passes} passes are below its floor"
    best = found.certificate.total_passes
    return f"{best} passes exist" if stated.optimal and stated.total_passes > best else ""


def test_no_forgery_that_is_false_is_accepted() -> None:
    tried = taken = 0
    for forged in forgeries(24, 1, 16):
        tried += 1
        stated = accepted(forged)
        if stated is not None:
            taken += 1
            assert not lie(stated), (lie(stated), forged)
    assert tried > 400
    assert taken < tried / 2


EVERY = subsets_problem(7, list(combinations(range(7), 5)))
"""All 21 choices of 5 lanes from 7 bits: 26 passes at best, floor 21."""


def test_a_search_is_done_again_and_not_believed() -> None:
    best = solve(EVERY).certificate
    assert (best.how, best.total_passes, best.total_floor) == ("search", 26, 21)
    verdict = certify.check(best)
    assert (verdict.accepted, verdict.trusted, verdict.exit_code) == (True, (), 0)
    worse = solve(EVERY, nodes=1).certificate
    assert worse.how == "budget"
    assert worse.total_passes > 26
    (error,) = certify.check(replace(worse, how="search")).errors
    assert error.startswith("a linear layout takes ")
    assert error.endswith(f"passes, fewer than {worse.total_passes}")


def test_a_search_that_the_judge_cannot_repeat_stays_on_trust_and_exits_with_3(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certify, "STEPS", 100)
    file = tmp_path / "cert.json"
    file.write_text(json.dumps(body(solve(EVERY).certificate)))
    answer = bankwise("certify", file)
    assert answer.code == 3
    assert "taken on trust" in answer.out
    assert "that no linear layout takes fewer passes" in answer.out


def test_a_step_that_misaligns_its_vector_is_seen_behind_any_number_of_others() -> None:
    """The ninth register moves inside the vector of the others."""
    tile = BitTile((("n", 8), ("m", 8)), 16)
    lanes = tile.directions("n3 n4 n5 n6 n7")
    steps = tile.directions("m0 m1 m2 m3 m4 m5 m6 m7")
    wide = Request("store", "write", lanes, tile.directions("n0 n1 n2"), steps)
    true = body(solve(problem(machine("sm_90"), tile, [wide])).certificate)
    assert accepted(true) is not None
    true["accesses"][0]["registers"] += " n0"
    assert accepted(signed(true)) is None


def words(rng: random.Random, bits: int) -> frozenset[int]:
    found = {0}
    for direction in rng.sample(range(1, 1 << bits), rng.randint(1, bits)):
        found |= {x ^ direction for x in found}
    return frozenset(found)


def brute(wanted: list[Wants], bits: int, shared: int) -> int:
    """The least over every linear bijection, all of them tried and every word counted."""
    best = 1 << 62
    for images in permutations(range(1, 1 << bits), bits):
        place = [int(p) for p in spread(images)]
        if len(set(place)) == 1 << bits:
            best = min(best, sum(_passes(w, place, shared) for w in wanted))
    return best


def _passes(wants: Wants, place: list[int], shared: int) -> int:
    found = {place[x] >> shared for x in wants.words}
    return wants.price * sum(word % wants.banks == 0 for word in found)


@pytest.mark.parametrize("seed", range(30))
def test_the_judges_search_finds_what_trying_every_bijection_finds(seed: int) -> None:
    rng = random.Random(seed)
    bits, shared = 3 + (seed % 5 == 0), rng.choice((0, 0, 1, 2))
    wanted = [
        Wants(words(rng, bits), rng.choice((2, 4)), rng.randint(1, 3))
        for _ in range(rng.randint(1, 4))
    ]
    least = brute(wanted, bits, shared)
    assert better(wanted, bits, shared, least) is None
    found = better(wanted, bits, shared, least + 1)
    assert found == least
