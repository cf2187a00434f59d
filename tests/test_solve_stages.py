"""``solve`` on problems that it used to refuse: stages, 4-bit elements, vectors that exclude."""

from __future__ import annotations

import numpy as np
import pytest

from bankwise.ask.solve import solve
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.show.documents.solving import solve_document
from bankwise.show.schema import plain
from bankwise.solver import certify as judge
from brute import brute_count

STORE = {"name": "store", "op": "write", "lanes": "n0 n1 n2 n3 n4", "registers": "m0 m1 m2 m3"}
READ = {"name": "read", "op": "read", "lanes": "m0 m1 m2 m3 n0", "weight": 4}


def staged(count, **solve_options):
    tile = {"shape": [count, 16, 32], "element_bits": 32, "dims": ["stage", "m", "n"]}
    problem = {"machine": "sm_90", "tile": tile, "access": [STORE, READ]}
    return solve({**problem, "solve": solve_options} if solve_options else problem)


@pytest.mark.parametrize("count", [3, 5, 7])
def test_stages_of_any_number_are_proved_as_one_and_addressed_as_all(count):
    report = staged(count)
    assert report.optimal
    assert (report.total_passes, report.total_floor) == (5, 5)
    assert judge.check(report.certificate).accepted
    document = plain(solve_document(report))
    stage, m, n = np.meshgrid(range(count), range(16), range(32), indexing="ij")
    offsets = eval(document["layout"]["offset"], {"stage": stage, "m": m, "n": n})
    assert np.array_equal(np.sort(offsets.ravel()), np.arange(count * 512))
    for number in range(count):
        lanes = [4 * int(offsets[number, lane % 16, lane // 16]) for lane in range(32)]
        row = machine("sm_90").instruction("ld.shared.b32")
        assert brute_count(row, [lanes], [True] * 32)[0] == 1
    assert {c.lds_bytes for c in report.pareto} >= {count * 2048}
    assert any(f"stage ({count})" in note for note in report.notes)


def test_padded_stages_take_what_all_of_them_take():
    report = staged(3, family="padding")
    assert report.layout.offset == "544 * stage + (34 * m + n)"
    assert report.layout.lds_bytes == 3 * 16 * 34 * 4
    with pytest.raises(InputError, match="takes 6144 bytes"):
        staged(3, max_lds_bytes=6000)


def test_a_stage_that_an_access_moves_is_none():
    moving = {**READ, "lanes": "m0 m1 m2 stage0 n0"}
    tile = {"shape": [3, 16, 32], "element_bits": 32, "dims": ["stage", "m", "n"]}
    with pytest.raises(InputError, match="powers of two"):
        solve({"machine": "sm_90", "tile": tile, "access": [STORE, moving]})


def test_four_bit_elements_without_a_vector_take_their_registers_into_one():
    tile = {"shape": [64, 64], "element_bits": 4}
    store = {"name": "w", "op": "write", "lanes": "n3 n4 n5 m0 m1", "registers": "n0 n1 n2"}
    read = {"name": "r", "op": "read", "lanes": "m0 m1 m2 m3 m4", "registers": "n0 n1 n2"}
    report = solve({"machine": "sm_90", "tile": tile, "access": [store, read]})
    assert [a.instruction for a in report.accesses] == ["st.shared.b32", "ld.shared.b32"]
    assert report.optimal
    assert report.total_passes == 2
    alone = {**store, "registers": ""}
    with pytest.raises(InputError, match="less than a byte"):
        solve({"machine": "sm_90", "tile": tile, "access": [alone, read]})


def test_narrowing_is_the_remedy_for_vectors_that_exclude_each_other():
    tile = {"shape": [64, 64], "element_bits": 16}
    store = {"name": "store", "op": "write", "lanes": "n3 n4 n5 m0 m1", "vector": "n0 n1 n2"}
    read = {"name": "read", "op": "read", "lanes": "n0 n1 n2 n3 n4", "vector": "m0 m1"}
    problem = {"machine": "sm_90", "tile": tile, "access": [store, read]}
    refused = solve({**problem, "solve": {"allow_narrowing": False}})
    assert refused.refusal is not None
    report = solve(problem)
    assert report.refusal is None
    assert report.notes == ("read as 4 x ld.shared.b16",)
    assert judge.check(report.certificate).accepted
    assert report.total_passes == 4 + 4


def test_lanes_that_do_not_take_part_may_repeat_what_others_write():
    store = {
        "name": "store",
        "op": "write",
        "lanes": "n0 n1 n2 n3 n4 0",
        "active": "lane < 32",
    }
    read = {"name": "read", "op": "read", "lanes": "m0 m1 m2 m3 m4 n0"}
    tile = {"shape": [32, 32], "element_bits": 32}
    report = solve({"machine": "gfx950", "tile": tile, "access": [store, read]})
    assert [int(a.passes) for a in report.accesses] == [1, 2]
    for mask in ("lane < 33", "lane >= 0"):
        with pytest.raises(InputError, match="two lanes write the same element"):
            solve(
                {
                    "machine": "gfx950",
                    "tile": tile,
                    "access": [{**store, "active": mask}, read],
                }
            )
    with pytest.raises(InputError, match="no lane is ever active"):
        solve({"machine": "gfx950", "tile": tile, "access": [{**store, "active": "0"}, read]})
