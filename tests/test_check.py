"""``bankwise check`` on real kernels: the published numbers, places, causes and totals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.check import check
from bankwise.counting.cost import Cost
from bankwise.counting.counted import AccessReport
from bankwise.show.values import CheckReport
from command import bankwise
from kernel_texts import (
    EXAMPLES,
    LOAD,
    ROWS,
    SHARED,
    STORE,
    changed,
    naive_by_adding,
    naive_by_renaming,
    place_of,
    wave_page,
    written,
)

WAVES = 8
VARIANTS = [naive_by_adding, naive_by_renaming]


def loads(report: CheckReport) -> list[AccessReport]:
    return [a for a in report.accesses if a.operation == "vector.load"]


# The Wave GEMM, straight from its page


@pytest.fixture(scope="module")
def hand_made() -> CheckReport:
    return check(wave_page(), "gfx950")


@pytest.fixture(scope="module", params=VARIANTS, ids=lambda f: f.__name__)
def naive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> CheckReport:
    make: Callable[[str], str] = request.param
    text = make(wave_page().read_text("utf-8"))
    return check(written(tmp_path_factory.mktemp("wave"), text, "naive.rst"), "gfx950")


def test_the_hand_made_wave_kernel_is_clean(hand_made: CheckReport) -> None:
    assert (hand_made.exit_code, hand_made.clean) == (0, True)
    assert hand_made.totals.once == Cost(512, 512)
    assert hand_made.refusals == hand_made.findings == ()


def test_its_16_reads_take_4_passes_a_wave(hand_made: CheckReport) -> None:
    reads = loads(hand_made)
    assert len(reads) == 16
    assert {(a.instruction, a.waves, a.cost) for a in reads} == {
        ("ds_read_b128", WAVES, Cost(4 * WAVES, 4 * WAVES))
    }


def test_8_reads_run_in_7_rounds_of_the_loop_and_8_once_behind_it(hand_made: CheckReport) -> None:
    """The loop is ``0 to 14 step 2``; the grid is 2 x 8."""
    assert sorted(a.executions for a in loads(hand_made)) == [1] * 8 + [7] * 8
    assert hand_made.totals.run == Cost(8 * 7 * 32 + 8 * 32, 8 * 7 * 32 + 8 * 32)
    assert hand_made.totals.launch == Cost(16 * 2048, 16 * 2048)


def test_direct_copies_are_listed_apart_with_their_evidence(hand_made: CheckReport) -> None:
    """Two 4-byte copies of A and one 16-byte copy of B, four times: 64 lanes x 4 (or 16) bytes
    are 2 (or 8) passes of 128 bytes for each wave."""
    copies = [a for a in hand_made.accesses if a.operation == "amdgpu.gather_to_lds"]
    names = sorted(a.instruction for a in copies)
    assert names == ["buffer_load_dword_lds"] * 8 + ["buffer_load_dwordx4_lds"] * 4
    assert {(a.kind, a.evidence, a.run.extra) for a in copies} == {("dma", "inferred", 0)}
    assert hand_made.totals_dma.once == Cost(8 * 2 * WAVES + 4 * 8 * WAVES, 384)


def test_every_place_is_that_of_the_operation_on_the_page(hand_made: CheckReport) -> None:
    lines = wave_page().read_text("utf-8").split("\n")
    for a in hand_made.accesses:
        assert lines[a.location.line - 1][a.location.column - 1 :].startswith(a.operation)
    assert len({a.location for a in hand_made.accesses}) == 28


def test_the_six_buffers_take_36864_bytes_and_leave_room_for_four_workgroups(
    hand_made: CheckReport,
) -> None:
    (kernel,) = hand_made.kernels
    assert sorted(a.bytes for a in kernel.allocations) == [4096] * 3 + [8192] * 3
    assert kernel.lds_bytes == 36_864
    assert kernel.occupancy is not None
    assert kernel.occupancy.by("shared memory") == 163_840 // 36_864 == 4
    assert (kernel.workgroup_size, kernel.grid) == ((256, 2, 1), (2, 8, 1))


def test_the_older_syntax_of_the_page_is_told(hand_made: CheckReport) -> None:
    assert sum("older syntax" in note for note in hand_made.notes) == 4
    assert any("code block at line 219" in note for note in hand_made.notes)


def test_without_its_xors_it_takes_2048_passes_for_512(naive: CheckReport) -> None:
    assert naive.exit_code == 1
    assert naive.totals.once == Cost(2048, 512)
    assert naive.totals.launch == Cost(16 * 8192, 16 * 2048)


def test_every_naive_read_takes_16_passes_a_wave_instead_of_4(naive: CheckReport) -> None:
    reads = loads(naive)
    assert len(reads) == 16
    assert {(a.cost.passes // WAVES, a.cost.ideal // WAVES, a.ways) for a in reads} == {(16, 4, 4)}
    assert {a.rule for a in reads} == {"bank-conflict"}


def test_the_witness_of_a_naive_read_is_lanes_0_2_12_14_of_phase_0(naive: CheckReport) -> None:
    """Rows of 32 words on 64 banks: of the sixteen rows of phase 0, four are even at chunk 0."""
    for a in loads(naive):
        assert a.witness is not None
        assert (a.witness.phase, a.witness.lanes) == (0, (0, 2, 12, 14))
        assert len(set(a.witness.words)) == 4
        assert str(a.witness).startswith("lanes 0, 2, 12, 14 of phase 0 want different words of")
        assert "32 mod 64 banks = 32: the banks repeat every 2 rows" in str(a.reason)


def test_accesses_are_ranked_by_what_they_waste(naive: CheckReport) -> None:
    extra = [a.run.extra for a in naive.accesses]
    assert extra == sorted(extra, reverse=True)
    assert extra[:8] == [7 * 96] * 8
    assert sum(a.share for a in naive.accesses) == pytest.approx(1)


def test_gfx942_has_no_16_byte_direct_copy() -> None:
    report = check(wave_page(), "gfx942")
    lines = wave_page().read_text("utf-8").split("\n")
    assert report.exit_code == 1
    assert [f.rule for f in report.findings] == ["dma-width"] * 4
    for finding in report.findings:
        assert "16-byte direct-to-LDS" in finding.message
        line = lines[finding.location.line - 1]
        assert "gather_to_lds" in line
        assert "vector<8xf16>" in line


# The examples, lowered by IREE

IREE_RATIOS = [
    ("matmul_1024.gfx950", {"ds_read_b128": 8, "ds_read_b64_tr_b16": 2, "ds_write_b128": 1}),
    ("matmul_1024.gfx942", {"ds_read_b64": 16, "ds_read_u16": 2, "ds_write_b128": 1}),
    ("matmul_abt_4096.gfx950", {"ds_read_b128": 2, "ds_write_b128": 1}),
    ("matmul_abt_4096.gfx942", {"ds_read_b64": 8, "ds_write_b128": 1}),
    ("attention_1x1024x128.gfx950", {"ds_read_b128": 8, "ds_read_u16": 2, "ds_write_b128": 1}),
    ("attention_1x1024x128.gfx942", {"ds_read_b128": 4, "ds_read_u16": 2, "ds_write_b128": 1}),
]


def by_instruction(report: CheckReport) -> dict[str, Cost]:
    sums: dict[str, Cost] = {}
    for a in report.accesses:
        sums[a.instruction] = sums.get(a.instruction, Cost()) + a.cost
    return sums


@pytest.mark.parametrize(("name", "ratios"), IREE_RATIOS, ids=[n for n, _ in IREE_RATIOS])
def test_iree_kernels_conflict_as_often_as_known(name: str, ratios: dict[str, int]) -> None:
    report = check(EXAMPLES / "iree" / f"{name}.mlir")
    sums = by_instruction(report)
    assert {i: c.passes / c.ideal for i, c in sums.items()} == ratios
    assert report.target == name.split(".")[1]
    assert (report.exit_code, report.refusals) == (1, ())


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_the_2_byte_reads_of_attention_take_1024_passes_for_512(target: str) -> None:
    report = check(EXAMPLES / "iree" / f"attention_1x1024x128.{target}.mlir")
    assert by_instruction(report)["ds_read_u16"] == Cost(1024, 512)


def test_transposing_reads_are_summed_apart_from_ordinary_ones() -> None:
    report = check(EXAMPLES / "iree" / "matmul_1024.gfx950.mlir")
    transposing = [a for a in report.accesses if a.kind == "transpose"]
    assert len(transposing) == 64
    assert not {a.evidence for a in transposing} & {"measured", "documented"}
    assert report.totals_assumed.once == sum((a.cost for a in transposing), Cost())
    others = [a for a in report.accesses if a.kind == "plain"]
    assert report.totals.once == sum((a.cost for a in others), Cost())


def test_attention_holds_one_workgroup_on_gfx942_and_four_on_gfx950() -> None:
    """40,960 bytes of 65,536, or of 163,840."""
    found = []
    for target in ("gfx942", "gfx950"):
        report = check(EXAMPLES / "iree" / f"attention_1x1024x128.{target}.mlir")
        assert report.kernels[0].occupancy is not None
        found.append(report.kernels[0].occupancy.by("shared memory"))
    assert found == [1, 4]


def test_the_limit_on_resident_workgroups_counts_too(tmp_path: Path) -> None:
    """sm_86 (CUDA's table of compute capabilities): 48 warps, 16 blocks, 100 KB; a block of two
    warps with 1 KB, and 1 KB reserved, fits 50 times by memory and 24 times by warps."""
    shared = "memref<256xf32, #gpu.address_space<workgroup>>"
    text = f"""\
func.func @k() attributes {{gpu.known_block_size = array<i32: 64, 1, 1>}} {{
  %t = gpu.thread_id x upper_bound 64
  %lds = memref.alloc() : {shared}
  %v = memref.load %lds[%t] : {shared}
  memref.store %v, %lds[%t] : {shared}
  return
}}
"""
    path = written(tmp_path, text)
    (kernel,) = check(path, "sm_86").kernels
    assert kernel.occupancy is not None
    assert [kernel.occupancy.by(r) for r in ("shared memory", "wave slots")] == [50, 24]
    assert kernel.occupancy.limited_by == ("workgroups",)
    out = bankwise("check", path, "-t", "sm_86").out
    assert "(limit: 16 workgroups a unit; registers are not known here)" in " ".join(out.split())


def test_the_ldmatrix_kernel_conflicts_8_ways() -> None:
    report = check(EXAMPLES / "ldmatrix_sm80" / "ldmatrix.mlir", "sm_80")
    sums = by_instruction(report)
    assert {i: c.passes / c.ideal for i, c in sums.items()} == {
        "ldmatrix.x4": 8,
        "cp.async.b128": 1,
    }
    assert report.totals_dma.once == sums["cp.async.b128"]


def test_the_compiler_confirms_the_predicted_instructions() -> None:
    report = check(EXAMPLES / "gemm_gather_to_lds" / "gemm_gfx950.mlir", isa=True)
    assert {a.instruction_source for a in report.accesses} == {"emitted"}


def test_a_target_without_a_back_end_is_not_confirmed_but_told(tmp_path: Path) -> None:
    report = check(written(tmp_path, ROWS), "sm_90", isa=True)
    assert {a.instruction_source for a in report.accesses} == {"predicted"}
    assert any("not available for sm_90" in r.reason for r in report.refusals)


# Small kernels


def test_rows_of_32_words_conflict_8_ways(tmp_path: Path) -> None:
    """gfx950 writes 16 bytes in 8 phases of 8 lanes on 32 banks, reads in 4 of 16 on 64."""
    report = check(written(tmp_path, ROWS), "gfx950")
    write, read = (a for a in report.accesses)
    assert (write.direction, write.executions, write.cost, write.ways) == (
        "write",
        8,
        Cost(64, 8),
        8,
    )
    assert (read.direction, read.executions, read.cost, read.ways) == ("read", 8, Cost(32, 4), 8)
    assert (write.location.line, write.location.column) == place_of(ROWS, "vector.store %v, %lds")
    assert (read.location.line, read.location.column) == place_of(ROWS, "vector.load %lds")
    assert report.totals.launch == Cost(8 * 96, 8 * 12)


def test_a_pitch_of_136_bytes_halves_accesses_under_one_policy_only(tmp_path: Path) -> None:
    text = changed(ROWS, ("64x64xf16, #gpu", "64x68xf16, #gpu"))
    path = written(tmp_path, text)
    assert {a.instruction for a in check(path, "gfx950").accesses} == {
        "ds_read2_b64",
        "ds_write2_b64",
    }
    for policy in ("triton", "ck"):
        report = check(path, "gfx950", policy=policy)
        assert {a.instruction for a in report.accesses} == {"ds_read_b128", "ds_write_b128"}
        assert report.policy == policy


def test_the_launch_is_unknown_without_a_grid(tmp_path: Path) -> None:
    text = changed(ROWS, (", gpu.known_grid_size = array<i32: 1, 1, 1>", ""))
    report = check(written(tmp_path, text), "gfx950")
    assert report.totals.launch is None
    assert report.totals.run == Cost(768, 96)


def test_a_workgroup_size_may_be_given(tmp_path: Path) -> None:
    text = changed(
        ROWS, ("gpu.known_block_size = array<i32: 64, 1, 1>, ", ""), (" upper_bound 64", "")
    )
    report = check(written(tmp_path, text), "gfx950", workgroup_size="64")
    assert report.totals.once == Cost(96, 12)


def test_the_length_of_a_loop_may_be_given_by_name_or_number(tmp_path: Path) -> None:
    text = changed(
        ROWS,
        ("%out: memref<64x64xf16>", "%out: memref<64x64xf16>, %n: index"),
        ("to %c64", "to %n"),
    )
    path = written(tmp_path, text)
    unknown = check(path, "gfx950")
    assert unknown.exit_code == 3
    assert {r.location.line for r in unknown.refusals if r.location} == {7, 12}
    for dim in ("n=32", "%n=32", "arg2=32"):
        report = check(path, "gfx950", dims=(dim,))
        assert not report.refusals
        assert {a.executions for a in report.accesses} == {4}


def test_two_kernels_are_both_reported_and_one_may_be_picked(tmp_path: Path) -> None:
    path = written(tmp_path, ROWS + changed(ROWS, ("@k", "@other")))
    both = check(path, "gfx950")
    assert [k.name for k in both.kernels] == ["k", "other"]
    assert [k.totals.once for k in both.kernels] == [Cost(96, 12)] * 2
    one = check(path, "gfx950", kernel="other")
    assert [k.name for k in one.kernels] == ["other"]
    assert min(a.location.line for a in one.accesses) > ROWS.count("\n")


def test_lanes_that_are_switched_off_do_not_count(tmp_path: Path) -> None:
    guarded = f"%p = arith.cmpi ult, %t, %c8 : index\n    scf.if %p {{\n    {STORE}\n    }}"
    report = check(written(tmp_path, changed(ROWS, (STORE, guarded))), "gfx950")
    (write,) = (a for a in report.accesses if a.direction == "write")
    assert write.cost == Cost(8, 1)


def test_an_atomic_is_listed_and_kept_out_of_the_totals(tmp_path: Path) -> None:
    atomic = """\
  %sum = memref.alloc() : memref<64xi32, #gpu.address_space<workgroup>>
  %one = arith.constant 1 : i32
  %u = memref.atomic_rmw addi %one, %sum[%t] : (i32, memref<64xi32, #gpu.address_space<workgroup>>) -> i32
  gpu.barrier
"""  # noqa: E501
    report = check(written(tmp_path, changed(ROWS, ("  gpu.barrier\n", atomic))), "gfx950")
    (update,) = (a for a in report.accesses if a.kind == "atomic")
    assert update.evidence in ("assumed", "unknown")
    assert report.totals.once == Cost(96, 12)
    assert report.totals_assumed.once == update.cost


@pytest.mark.parametrize(
    "operation",
    [
        f"%f = arith.constant 0.0 : f16\n    %v = vector.transfer_read %lds[%t, %i], %f"
        f" {{in_bounds = [true]}} : {SHARED}, vector<8xf16>",
        f"%m = vector.constant_mask [8] : vector<8xi1>\n"
        "    %f = arith.constant dense<0.0> : vector<8xf16>\n"
        f"    %v = vector.maskedload %lds[%t, %i], %m, %f : {SHARED}, vector<8xi1>, vector<8xf16> "
        "into vector<8xf16>",
    ],
    ids=["transfer_read", "maskedload"],
)
def test_other_reads_of_8_elements_cost_the_same(tmp_path: Path, operation: str) -> None:
    report = check(written(tmp_path, changed(ROWS, (LOAD, operation))), "gfx950")
    (read,) = (a for a in report.accesses if a.direction == "read")
    assert (read.instruction, read.cost) == ("ds_read_b128", Cost(32, 4))


def test_line_ends_do_not_move_places(tmp_path: Path) -> None:
    crlf = written(tmp_path, ROWS.replace("\n", "\r\n"))
    unix = written(tmp_path, ROWS, "unix.mlir")
    places = [
        [(a.location.line, a.location.column) for a in check(p, "gfx950").accesses]
        for p in (crlf, unix)
    ]
    assert places[0] == places[1]
