"""The theorem against counting, the floors against enumeration, certificates against damage."""

import ast
import copy
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.show.schema import dumps
from bankwise.solver import certify, theorem
from bankwise.solver.certificate import digest
from bankwise.solver.certificate_json import certificate_document, read_certificate
from bankwise.solver.problem import BitTile, Request, problem
from bankwise.solver.search import solve
from tile_problems import (
    count_passes,
    random_problem,
    request,
    spread,
    subsets_problem,
    transpose_problem,
)


def random_bases(rng, problem):
    """A random invertible layout that keeps the pinned vector, as offsets of coordinate bits."""
    pinned = theorem.pins(problem)
    assert not isinstance(pinned, Refusal)
    low, free = len(pinned.vector), len(pinned.free)
    images = [1 << i for i in range(free)]
    for _ in range(60):
        i, j = rng.randrange(free), rng.randrange(free)
        if i != j:
            images[i] ^= images[j]
    rng.shuffle(images)
    images = [1 << i for i in range(low)] + [x << low for x in images]
    return tuple(_sum(images, column) for column in pinned.frame)


def _sum(images, vector):
    total = 0
    for bit, image in enumerate(images):
        if vector >> bit & 1:
            total ^= image
    return total


@settings(max_examples=300)
@given(st.integers(0, 10**9), st.booleans(), st.booleans())
def test_passes_are_the_size_of_the_intersection_as_counted(seed, sums, vectors):
    rng = random.Random(seed)
    p = random_problem(rng, 2, sums=sums, vectors=vectors)
    if isinstance(theorem.pins(p), Refusal):
        return
    bases = random_bases(rng, p)
    offsets = spread(bases)
    for access in p.accesses:
        counted = count_passes(p, offsets, access)
        assert theorem.passes(p.tile, bases, access) == counted
        found = theorem.conflict_directions(p.tile, bases, access)
        assert access.phases * 2 ** len(found) == counted
        assert theorem.floor(p.tile, theorem.pins(p), access) <= counted


def test_the_worked_transpose_takes_16_2_and_1_passes():
    p = transpose_problem()
    columns = tuple(1 << i for i in range(5))
    for shift, expected in ((None, 16), (0, 2), (1, 1)):
        fold = [0 if shift is None else 1 << j + shift for j in range(4)]
        bases = (*columns, *(32 << j ^ fold[j] for j in range(4)))
        assert theorem.passes(p.tile, bases, p.accesses[0]) == 1
        assert theorem.passes(p.tile, bases, p.accesses[1]) == expected
    xor = (*columns, *(32 << j ^ 1 << j for j in range(4)))
    conflicts = theorem.conflict_directions(p.tile, xor, p.accesses[1])
    assert p.tile.text(conflicts) == "m0^n0"


def test_a_16_byte_nvidia_load_whose_lane_bit_moves_nothing_has_two_phases():
    tile = BitTile((("n", 7), ("m", 4)), 32)
    reads = [
        request(tile, "all", "read", "n2 n3 n4 n5 n6", "n0 n1"),
        request(tile, "pairs", "read", "0 n2 n3 n4 n5", "n0 n1"),
        request(tile, "high", "read", "n2 n3 0 n4 n5", "n0 n1"),
    ]
    p = problem(machine("sm_90"), tile, reads)
    assert [a.phases for a in p.accesses] == [4, 2, 4]


def test_pins_put_the_floor_of_a_narrow_read_at_8_passes():
    tile = BitTile((("n", 7), ("m", 6)), 16)
    wide = request(tile, "store", "write", "n3 n4 n5 n6 m0 m1", "n0 n1 n2")
    narrow = request(tile, "store", "write", "n2 n3 n4 n5 n6 m0", "n0 n1")
    read = request(tile, "read", "read", "m0 m1 m2 m3 n2 n3", "n0 n1")
    for store, expected in ((wide, 8), (narrow, 4)):
        p = problem(machine("gfx942"), tile, [store, read])
        assert theorem.floor(tile, theorem.pins(p), p.accesses[1]) == expected


def test_two_vectors_that_cannot_both_be_low_bits_are_refused_by_name():
    tile = BitTile((("n", 5), ("m", 5)), 32)
    rows = request(tile, "by_row", "write", "n2 n3 n4 m0 m1", "n0 n1")
    columns = request(tile, "by_column", "read", "m1 m2 m3 m4 n0", "m0")
    refusal = theorem.pins(problem(machine("sm_90"), tile, [rows, columns]))
    assert isinstance(refusal, Refusal)
    assert "'by_row'" in refusal.reason
    assert "'by_column'" in refusal.reason
    inside = request(tile, "inside", "read", "m1 m2 m3 m4 n4^n0", "n0")
    mixed = problem(machine("sm_90"), tile, [rows, inside])
    assert isinstance(theorem.pins(mixed), Refusal)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lanes": "n0 n1 n2 n3"}, "4 lane directions.* so 5 lane bits"),
        ({"lanes": "n0 n1 n2 n3 n9"}, "no bit 'n9'"),
        ({"lanes": "n0 n1 n2 n3 n3", "op": "write"}, "two lanes write the same element"),
        ({"vector": "n0"}, "two of its elements are one"),
        ({"instruction": "ds_read_b32"}, "no shared-memory instruction 'ds_read_b32'"),
        ({"instruction": "ld.shared.b64"}, "moves 64 bits per lane"),
        ({"weight": 0}, "weights are 1 or more"),
    ],
)
def test_a_bad_request_is_one_clear_error(change, message):
    tile = BitTile((("n", 5), ("m", 4)), 32)
    fields = {"op": "read", "lanes": "n0 n1 n2 n3 n4", **change}
    op, lanes = fields.pop("op"), fields.pop("lanes")
    with pytest.raises(InputError, match=message):
        problem(machine("sm_90"), tile, [request(tile, "a", op, lanes, **fields)])


def test_a_tile_beyond_shared_memory_is_an_error():
    tile = BitTile((("n", 10), ("m", 7)), 32)
    with pytest.raises(InputError, match=r"524288 bytes.*gfx942 has 65536"):
        problem(machine("gfx942"), tile, [Request("a", "read", (1, 2, 4, 8, 16, 32))])


def test_a_vector_beyond_16_bytes_is_split_and_shared_registers_are_moved_with_a_note():
    tile = BitTile((("n", 6), ("m", 5)), 32)
    wide = request(tile, "wide", "write", "n3 n4 n5 m0 m1", "n0 n1 n2")
    (access,) = problem(machine("sm_90"), tile, [wide]).accesses
    assert tile.text(access.vector) == "n0 n1"
    assert access.notes == ("256 bits per lane are issued as 2 instructions",)
    store = request(tile, "store", "write", "n2 n3 n4 n5 m0", registers="n0 n1 m1")
    read = request(tile, "read", "read", "m0 m1 m2 m3 m4", registers="n1 n0 n2 n3")
    moved = problem(machine("sm_90"), tile, [store, read]).accesses
    assert [a.instruction.name for a in moved] == ["st.shared.b128", "ld.shared.b128"]
    assert all("registers n0 n1 moved into the vector" in a.notes for a in moved)
    kept = problem(machine("sm_90"), tile, [store, read], widen=False).accesses
    assert [a.instruction.name for a in kept] == ["st.shared.b32", "ld.shared.b32"]


@settings(max_examples=150)
@given(st.integers(0, 10**9), st.integers(1, 5), st.booleans())
def test_certificates_survive_json_and_are_accepted(seed, accesses, sums):
    solution = solve(random_problem(random.Random(seed), accesses, sums=sums), address_nodes=0)
    if isinstance(solution, Refusal):
        return
    certificate = read_certificate(stated(solution.certificate))
    assert certificate == solution.certificate
    verdict = certify.check(certificate)
    assert verdict.errors == ()


def test_the_judge_imports_neither_solver_nor_theorem():
    source = Path(certify.__file__).parents[1]
    seen, waiting = set(), ["bankwise.solver.certify"]
    while waiting:
        name = waiting.pop()
        file = source.joinpath(*name.split(".")[1:])
        file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
        if name in seen or not file.is_file():  # the name of a value, not of a module
            continue
        seen.add(name)
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bankwise"):
                waiting += [node.module, *(f"{node.module}.{a.name}" for a in node.names)]
    forbidden = (
        "bankwise.algebra.f2",
        "bankwise.algebra.layout",
        "bankwise.solver.theorem",
        "bankwise.solver.colouring",
        "bankwise.solver.construct",
        "bankwise.solver.search",
        "bankwise.solver.answer",
    )
    assert "bankwise.counting.conflict" in seen
    assert not [name for name in seen if name.startswith(forbidden)]


def stated(certificate):
    """A certificate as parsed JSON."""
    return json.loads(dumps(certificate_document(certificate)))


def _leaves(data, path=()):
    if isinstance(data, dict | list):
        items = data.items() if isinstance(data, dict) else enumerate(data)
        for key, value in items:
            yield from _leaves(value, (*path, key))
    else:
        yield path, data


def _mutated(body, path, value):
    body = copy.deepcopy(body)
    place = body
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return body


def _rejected(body):
    try:
        return not certify.check(read_certificate(body)).accepted
    except InputError:
        return True


def _mutations(value):
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1, value * 2 + 1, value ^ 2, -value - 1)
    return (f"{value}x", "", "n0", f"{value} n1")


CERTIFIED = [
    transpose_problem(),
    subsets_problem(7, [(0, 1, 2, 3, 4), (2, 3, 4, 5, 6), (0, 2, 4, 5, 6), (0, 1, 3, 5, 6)]),
    random_problem(random.Random(11), 3),
    random_problem(random.Random(12), 2, sums=True),
]


@pytest.mark.parametrize("p", CERTIFIED)
def test_every_mutated_certificate_is_rejected(p):
    body = stated(solve(p).certificate)
    assert not _rejected(body)
    for path, value in _leaves(body):
        for other in _mutations(value):
            if other != value:
                assert _rejected(_mutated(body, path, other)), (path, value, other)


@pytest.mark.parametrize("p", CERTIFIED)
def test_claims_are_re_derived_even_when_the_digest_is_repaired(p):
    body = stated(solve(p).certificate)
    claims = ("passes", "ideal", "floor", "total_passes", "total_floor", "bases", "colours")
    checked = 0
    for path, value in _leaves(body):
        if not {"conflicts", "how", *claims} & set(path):
            continue
        for other in _mutations(value):
            if other == value:
                continue
            mutated = _mutated(body, path, other)
            mutated["digest"] = digest(mutated)
            assert _rejected(mutated), (path, value, other)
            checked += 1
    assert checked > 50


def _resigned(body):
    return {**body, "digest": digest(body)}


@pytest.mark.parametrize("instruction", ["ld.shared.b32", "st.shared.b32", "cp.async.b32"])
def test_a_16_way_conflict_that_calls_itself_a_copy_is_rejected(instruction):
    """Row-major 16 x 32 of f32, read by column; a copy would be counted in lane order, free."""
    body = stated(solve(transpose_problem()).certificate)
    body["bases"] = [1 << i for i in range(9)]
    body["colours"] = [1, 2, 4, 8, 16, 0, 0, 0, 0]
    for claim in body["accesses"]:
        free = {"passes": 1, "ideal": 1, "floor": 1, "conflicts": ""}
        claim.update(free, kind="dma", instruction=instruction)
    body["total_passes"] = body["total_floor"] = sum(a["weight"] for a in body["accesses"])
    body["how"], body["nodes"], body["optimal"] = "floor", 0, True
    errors = certify.check(read_certificate(_resigned(body))).errors
    assert len(errors) == len(body["accesses"]) == 2
    assert all(f"{instruction} is no direct-to-LDS copy" in error for error in errors)


def _copied(instruction):
    tile = BitTile((("n", 6), ("m", 4)), 16)
    lanes, vector = "n3 n4 n5 m0 m1 m2", "n0 n1 n2"
    copied = request(tile, "copy", "write", lanes, vector, kind="dma", instruction=instruction)
    read = request(tile, "read", "read", "m0 m1 m2 m3 n3 n4", vector, registers="n5")
    return stated(solve(problem(machine("gfx950"), tile, [copied, read])).certificate)


@pytest.mark.parametrize("copy_", ["buffer_load_dwordx4_lds", "global_load_lds_dwordx4"])
def test_copies_are_copies_and_nothing_else_is(copy_):
    body = _copied(copy_)
    assert certify.check(read_certificate(body)).accepted
    copied, read = ("accesses", 0), ("accesses", 1)
    for store in ("ds_write_b128", "ds_read_b128"):
        assert _rejected(_resigned(_mutated(body, (*copied, "instruction"), store))), store
    assert "ds_read_b128 is no direct-to-LDS copy" in str(
        certify.check(read_certificate(_resigned(_mutated(body, (*read, "kind"), "dma")))).errors
    )
