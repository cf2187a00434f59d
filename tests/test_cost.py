"""Mix, waits, issue cycles and bounds: published numbers, and the two traces of the IREE talk."""

from __future__ import annotations

from string import Template

import numpy as np
import pytest

from bankwise.ask.sweep_case import run_case
from bankwise.cost.bound import busy, global_bytes, matrix_flops
from bankwise.cost.issue import cycles
from bankwise.cost.mix import InstructionCount, executed, loops, mix, trips
from bankwise.cost.waits import compare_waits, waits
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.read.amd import listing as amd
from bankwise.read.amd.parse import fragment
from bankwise.read.emitted import EmittedStep, Listing
from bankwise.sweep.spec import Case
from bankwise.sweep.store import Row
from kernel_texts import EXAMPLES

GFX942 = machine("gfx942")
LANES = np.arange(64)


def steps_of(text: str) -> tuple[EmittedStep, ...]:
    return amd.steps(*fragment(text))


PADDING_TRACE = """\
ds_read2_b32 v[86:87], v63, ...

s_waitcnt lgkmcnt(0)

v_mfma_f32_16x16x4_f32 ...
"""
SWIZZLE_TRACE = """\
ds_read_b32 v125, v68
ds_read_b32 v130, v99, offset:496
s_waitcnt lgkmcnt(1)
v_mfma... consumes v125
"""
"""The two traces of the talk's slide "Why f32 Speeds Up Even When BC Matches", as printed."""

CONFLICTS, F32_INSTRUCTIONS, F32_PER_INSTRUCTION = 532, (298, 514), (1.78, 1.04)
"""Hardware counters of that slide: thousands, and conflicts per LDS instruction."""


def attention(kind: str, mitigation: str) -> Row:
    text = Template((EXAMPLES / "sweep" / "attention.mlir").read_text("utf-8"))
    shape = {"b": 1, "n": 1024, "d": 128}
    filled = text.substitute(shape, type=kind)
    return run_case(Case("attention", tuple(shape.items()), kind, "gfx942", mitigation, filled))


@pytest.fixture(scope="module")
def f32() -> tuple[Row, Row]:
    """The talk's kernel, 1x1024x128 in f32: with padding, and with the swizzle of the PR."""
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    return attention("f32", "padding"), attention("f32", "pr23778")


def test_the_conflict_counter_measured_on_an_mi300x_comes_out_for_both(
    f32: tuple[Row, Row],
) -> None:
    assert [round(row["extra_launch"] / 1000) for row in f32] == [CONFLICTS, CONFLICTS]


def test_the_lds_instructions_measured_on_an_mi300x_come_out_for_both(
    f32: tuple[Row, Row],
) -> None:
    assert tuple(round(row["lds_instructions"] / 1000) for row in f32) == F32_INSTRUCTIONS


def test_the_conflicts_per_instruction_of_the_talk_come_out(f32: tuple[Row, Row]) -> None:
    ratios = tuple(round(row["extra_launch"] / row["lds_instructions"], 2) for row in f32)
    assert ratios == F32_PER_INSTRUCTION


def test_the_swizzled_f32_kernel_has_the_same_conflicts_and_fewer_full_drains(
    f32: tuple[Row, Row],
) -> None:
    padded, swizzled = f32
    assert padded["extra_launch"] == swizzled["extra_launch"]
    assert padded["full_drains"] > swizzled["full_drains"]
    assert padded["matrix_static"] == swizzled["matrix_static"]


def test_the_talk_s_two_traces_are_told_as_same_conflicts_fewer_full_drains() -> None:
    padded, swizzled = waits(steps_of(PADDING_TRACE)), waits(steps_of(SWIZZLE_TRACE))
    assert (padded.full, padded.partial, padded.matrix[0].outstanding) == (1, 0, 0)
    assert (swizzled.full, swizzled.partial, swizzled.matrix[0].outstanding) == (0, 1, 1)
    told = compare_waits(padded, swizzled, 532_000, 532_000)
    assert told.startswith("same conflicts, fewer full drains")


def test_a_matrix_instruction_without_a_new_wait_waits_for_nothing_new() -> None:
    code = "ds_read_b32 v0, v1\ns_waitcnt lgkmcnt(0)\nv_mfma_a v0\nds_read_b32 v2, v3\nv_mfma_b v0"
    first, second = waits(steps_of(code)).matrix
    assert (first.waits_for, second.waits_for, second.outstanding) == (0, None, 1)


def test_a_wait_for_global_loads_is_no_wait_for_lds() -> None:
    code = "ds_read_b32 v0, v1\ns_waitcnt vmcnt(0)\nv_mfma_a v0"
    assert waits(steps_of(code)).matrix[0].waits_for is None


LOOP = """\
k:
  ds_write_b32 v0, v1
.LBB0_1:
  ds_read2_b32 v[2:3], v0 offset1:1
  ds_bpermute_b32 v4, v5, v6
  s_cbranch_scc1 .LBB0_1
  s_endpgm
"""


def listing(text: str) -> Listing:
    operations, _ = fragment(text)
    return Listing("k", "gfx942", shared=amd.shared(operations), steps=steps_of(text))


def test_a_loop_reaches_from_its_label_to_the_branch_back() -> None:
    (loop,) = loops(steps_of(LOOP))
    assert (loop.first, loop.last) == (4, 6)
    assert mix(listing(LOOP)) == (
        InstructionCount("ds_bpermute_b32", 0, 1),
        InstructionCount("ds_read2_b32", 0, 1),
        InstructionCount("ds_write_b32", 1, 0),
    )


def test_the_trip_count_follows_from_the_bytes_of_a_lane() -> None:
    # 4 bytes are written before the loop, 2 x 4 read in each round: 5 rounds move 44.
    assert trips(listing(LOOP), 44, GFX942) == 5
    assert trips(listing(LOOP), 45, GFX942) is None
    assert executed(mix(listing(LOOP)), 5) == 1 + 2 * 5


def test_code_without_loops_runs_once_or_is_not_what_the_ir_says() -> None:
    straight = listing("k:\n  ds_read_b64 v[0:1], v2\n")
    assert trips(straight, 8, GFX942) == 1
    assert trips(straight, 16, GFX942) is None


@pytest.mark.parametrize(("name", "bytes_each", "total"), [("b32", 4, 8), ("b128", 16, 20)])
def test_consecutive_stores_take_the_cycles_of_the_rocm_documentation(
    name: str, bytes_each: int, total: int
) -> None:
    found = cycles(GFX942, GFX942.instruction(f"ds_write_{name}"), LANES * bytes_each)
    assert not isinstance(found, Refusal)
    assert found.total == total


def test_a_column_of_words_is_bound_by_its_data() -> None:
    # Four groups of 16 lanes, each with 16 addresses on one bank.
    found = cycles(GFX942, GFX942.instruction("ds_read_b32"), LANES * 128)
    assert not isinstance(found, Refusal)
    assert (found.issue, found.data, found.total) == (4, 64, 64)


def test_gfx950_serves_twice_as_many_lanes_of_a_16_byte_read_in_a_group() -> None:
    gfx950 = machine("gfx950")
    old = cycles(GFX942, GFX942.instruction("ds_read_b128"), LANES * 16)
    new = cycles(gfx950, gfx950.instruction("ds_read_b128"), LANES * 16)
    assert not isinstance(old, Refusal)
    assert not isinstance(new, Refusal)
    assert (old.data, new.data) == (16, 8)


def test_inactive_lanes_cost_nothing() -> None:
    found = cycles(GFX942, GFX942.instruction("ds_read_b32"), LANES * 128, LANES < 1)
    assert not isinstance(found, Refusal)
    assert found.data == 1


def test_the_rule_says_nothing_of_nvidia() -> None:
    gpu = machine("sm_90")
    assert isinstance(cycles(gpu, gpu.instruction("ld.shared.b32"), np.arange(32) * 4), Refusal)


@pytest.mark.parametrize(
    ("name", "flops", "kind"),
    [
        ("v_mfma_f32_16x16x4_f32", 2048, "f32"),
        ("v_mfma_f32_32x32x8_f16", 16384, "f16"),
        ("v_mfma_f32_4x4x4_16b_f16", 2048, "f16"),
        ("v_mfma_f32_16x16x32_fp8_fp8", 16384, "fp8"),
    ],
)
def test_the_operations_of_a_matrix_instruction_are_in_its_name(
    name: str, flops: int, kind: str
) -> None:
    assert matrix_flops(name) == (flops, kind)


def test_the_lds_is_told_not_to_be_the_bottleneck_where_another_unit_is_busier() -> None:
    # 64 cycles of matrix work (32 f32 instructions of 2048 operations at 256 a cycle, 4 waves).
    uses = (
        InstructionCount("v_mfma_f32_16x16x4_f32", 2, 0),
        InstructionCount("buffer_load_dwordx4", 0, 0),
    )
    found = busy(GFX942, passes=60, ideal=40, uses=uses, trips=1, waves=4)
    assert found.matrix == 64
    assert found.bottleneck == "matrix"
    assert "the LDS is not the bottleneck" in str(found)
    assert busy(GFX942, 65, 40, uses, 1, 4).bottleneck == "LDS"


def test_memory_whose_time_is_only_bounded_from_above_never_clears_the_lds() -> None:
    uses = (InstructionCount("buffer_load_dwordx4", 100, 0),)
    found = busy(GFX942, passes=60, ideal=40, uses=uses, trips=1, waves=4)
    assert found.memory is not None
    assert found.memory > found.lds
    assert found.bottleneck == "LDS or memory"
    assert "not the bottleneck" not in str(found)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("buffer_load_dwordx4", 16),
        ("global_load_ushort", 2),
        ("buffer_store_short", 2),
        ("buffer_load_dword_lds", 4),
        ("ds_read_b32", 0),
    ],
)
def test_the_bytes_of_a_global_access_are_in_its_name(name: str, size: int) -> None:
    assert global_bytes(name) == size


def test_the_cost_of_a_kernel_holds_its_issue_cycles_and_its_occupancy() -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from bankwise.ask.cost import cost
    from bankwise.read.options import Options
    from bankwise.show.documents.costing import cost_document
    from bankwise.show.schema import plain

    path = EXAMPLES / "iree" / "attention_1x1024x128.gfx942.mlir"
    (found,), refusals = cost(path, Options("gfx942"))
    assert not refusals
    document = plain(cost_document([found], ()))["kernels"][0]
    assert document["issue_cycles"] >= 4 * (found.run.ideal // 8)
    assert document["occupancy"]["limited_by"] == ["shared memory"]
    assert document["trips"] == 1024 // 64
