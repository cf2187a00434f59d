"""Pipelines in Wave's manner: padded tiles of one byte pool that take turns in a loop."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.algebra.address import Fold, RowFolds
from bankwise.ask.analysis import analyse
from bankwise.ask.check import check
from bankwise.ask.check_isa import not_contradicted
from bankwise.ask.check_mlir import report_of
from bankwise.ask.fix import fix
from bankwise.ask.fix_wave import PatchedCode, PromotedPadding, beside_patch
from bankwise.ask.judge_isa import EmittedCode, emitted_code
from bankwise.ask.text_price import ReportedText, TextPrice
from bankwise.change.compile.compilers import HOST_FUNCTION
from bankwise.change.passes.unpad import unpad
from bankwise.change.prove import MapClaim, prove
from bankwise.counting.cost import Cost
from bankwise.errors import InputError
from bankwise.notation.padding import Unpadded
from bankwise.notation.wave.settings import NOT_COMPILED
from bankwise.read.mlir.module import Opened, open_text
from bankwise.read.options import Options
from bankwise.show import words
from bankwise.show.fixing import FixReport
from command import bankwise
from kernel_texts import changed, written
from passes_cases import GFX942, opened
from patches import verdict

LDS = "#gpu.address_space<workgroup>"
TILE = f"memref<64x36xf16, {LDS}>"
SHORT = f"memref<64x32xf16, {LDS}>"
ROUNDS = 3
LOOP_TYPES = f"-> (vector<8xf16>, {TILE}, {TILE}) {{"

PIPELINE = f"""
func.func @k(%in: memref<256x32xf16>, %out: memref<256x32xf16>) attributes {{
    gpu.known_block_size = array<i32: 256, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant {ROUNDS} : index
  %half = arith.constant 4608 : index
  %x = gpu.thread_id x upper_bound 256
  %w = affine.apply affine_map<()[s0] -> (s0 floordiv 4)>()[%x]
  %j = affine.apply affine_map<()[s0] -> ((s0 mod 4) * 8)>()[%x]
  %r = affine.apply affine_map<()[s0] -> (s0 mod 16 + (s0 floordiv 64) * 16)>()[%x]
  %c = affine.apply affine_map<()[s0] -> (((s0 mod 64) floordiv 16) * 8)>()[%x]
  %pool = memref.alloc() : memref<9216xi8, {LDS}>
  %p = memref.view %pool[%c0][] : memref<9216xi8, {LDS}> to {TILE}
  %q = memref.view %pool[%half][] : memref<9216xi8, {LDS}> to {TILE}
  %first = vector.load %in[%w, %j] : memref<256x32xf16>, vector<8xf16>
  vector.store %first, %p[%w, %j] : {TILE}, vector<8xf16>
  %last:3 = scf.for %n = %c0 to %c3 step %c1 iter_args(%v = %first, %now = %p, %next = %q)
      {LOOP_TYPES}
    %from = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64 + 64)>()[%w, %n]
    %to = affine.apply affine_map<()[s0, s1] -> (s0 + s1 * 64)>()[%r, %n]
    %a = vector.load %in[%from, %j] : memref<256x32xf16>, vector<8xf16>
    gpu.barrier
    vector.store %a, %next[%w, %j] : {TILE}, vector<8xf16>
    %b = vector.load %now[%r, %c] : {TILE}, vector<8xf16>
    vector.store %b, %out[%to, %c] : memref<256x32xf16>, vector<8xf16>
    gpu.barrier
    scf.yield %a, %next, %now : vector<8xf16>, {TILE}, {TILE}
  }}
  %end = affine.apply affine_map<()[s0] -> (s0 + {64 * ROUNDS})>()[%r]
  %z = vector.load %last#1[%r, %c] : {TILE}, vector<8xf16>
  vector.store %z, %out[%end, %c] : memref<256x32xf16>, vector<8xf16>
  return
}}
"""
"""256 threads copy 4 blocks of 64 rows, each through one tile while the other one is filled."""

IDEAL = 2 * (ROUNDS + 1) * 4 * 8
"""Stores and loads of 4 waves: 1,024 bytes are 8 passes of 128."""


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> FixReport:
    report = fix(written(Path(tmp_path_factory.mktemp("wave")), PIPELINE), "gfx942")
    assert isinstance(report, FixReport)
    return report


def test_tiles_that_go_round_a_loop_lose_their_padding_together(fixed: FixReport) -> None:
    assert not fixed.refusals
    [change] = fixed.changes
    assert change.allocations == ("p", "q")
    assert fixed.before.totals.run.passes > IDEAL
    assert fixed.after.totals.run == Cost(IDEAL, IDEAL)
    assert TILE not in fixed.fixed_text


@pytest.mark.parametrize("judge", ["proof", "execution", "isa"])
def test_every_judge_agrees(fixed: FixReport, judge: str) -> None:
    assert verdict(fixed, judge).status == "passed", verdict(fixed, judge)


@pytest.mark.parametrize(
    "spelled",
    [
        f"-> ( vector<8xf16>,\n   {TILE} // one\n , {TILE}) {{",
        f"->(vector<8xf16>,{TILE},{TILE}){{",
    ],
)
def test_a_list_of_types_may_be_written_anyhow(tmp_path: Path, spelled: str) -> None:
    text = changed(PIPELINE, (LOOP_TYPES, spelled))
    report = fix(written(tmp_path, text), "gfx942", execute=False, isa=False)
    assert report.accepted, report.refusals
    assert report.after.totals.run == Cost(IDEAL, IDEAL)


def test_a_type_that_an_alias_stands_for_loses_its_padding_like_any(tmp_path: Path) -> None:
    alias = changed(PIPELINE, (LOOP_TYPES, f"-> (vector<8xf16>, !tile, {TILE}) {{"))
    report = fix(written(tmp_path, f"!tile = {TILE}\n{alias}"), "gfx942", isa=False)
    assert [(v.judge, v.status) for v in report.verdicts] == [
        ("proof", "passed"),
        ("execution", "passed"),
    ]
    assert f": {TILE}" not in report.fixed_text
    assert report.after.totals.run == Cost(IDEAL, IDEAL)


def joined(pitch: int) -> str:
    """256 threads fill 64 rows of 32 f16; each reads columns 16 apart of two rows 16 apart, which
    the compiler joins in pairs. Marked as a text of Wave's; ``pitch``: f16 from row to row."""
    tile, pool = f"memref<64x{pitch}xf16, {LDS}>", f"memref<{128 * pitch}xi8, {LDS}>"
    four = "memref<64x32xf16>, vector<4xf16>"
    places = [("r", "c"), ("r", "d"), ("q", "c"), ("q", "d")]
    reads = [
        f"  %b{n} = vector.load %p[%{r}, %{c}] : {tile}, vector<4xf16>"
        for n, (r, c) in enumerate(places)
    ]
    writes = [f"  vector.store %b{n}, %out[%{r}, %{c}] : {four}" for n, (r, c) in enumerate(places)]
    return f"""
// {HOST_FUNCTION}
func.func @k(%in: memref<64x32xf16>, %out: memref<64x32xf16>) attributes {{
    gpu.known_block_size = array<i32: 256, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %x = gpu.thread_id x upper_bound 256
  %w = affine.apply affine_map<()[s0] -> (s0 floordiv 4)>()[%x]
  %j = affine.apply affine_map<()[s0] -> ((s0 mod 4) * 8)>()[%x]
  %r = affine.apply affine_map<()[s0] -> (s0 mod 16 + (s0 floordiv 128) * 32)>()[%x]
  %q = affine.apply affine_map<()[s0] -> (s0 + 16)>()[%r]
  %c = affine.apply affine_map<()[s0] -> (((s0 mod 64) floordiv 16) * 4)>()[%x]
  %d = affine.apply affine_map<()[s0] -> (s0 + 16)>()[%c]
  %pool = memref.alloc() : {pool}
  %p = memref.view %pool[%c0][] : {pool} to {tile}
  %a = vector.load %in[%w, %j] : memref<64x32xf16>, vector<8xf16>
  vector.store %a, %p[%w, %j] : {tile}, vector<8xf16>
  gpu.barrier
{chr(10).join((*reads, *writes))}
  return
}}
"""


JOINED_IDEAL = 64 * 32 * 2 // 128 + 4 * 256 * 8 // 128
"""Stores of 4,096 bytes and reads of 8,192, of which a pass serves 128 where reads are in pairs."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> FixReport:
    file = written(Path(tmp_path_factory.mktemp("joined")), joined(36))
    report = fix(file, "gfx950", execute=False)
    assert isinstance(report, FixReport)
    return report


def test_where_the_compiler_joins_reads_the_layout_is_planned_for_that(told: FixReport) -> None:
    rows = {name: (old, new) for name, old, new in verdict(told, "isa").rows}
    assert rows["ds_read2st64_b64"] == (0, 2)
    assert rows["passes of a workgroup"][1] == JOINED_IDEAL < rows["passes of a workgroup"][0]
    [note] = told.notes
    assert "another layout was planned first" in note


def test_a_gain_that_rests_on_an_unknown_rule_is_told_with_the_loss(told: FixReport) -> None:
    """4 waves write 2 addresses in 4 phases, twice as many by the assumed rule; a pair takes 20
    cycles to issue, both halves apart 24."""
    [line] = [each for each in told.incomplete if each.startswith("whether it gains")]
    assert told.exit_code == 3
    rows = {name: (old, new) for name, old, new in verdict(told, "isa").rows}
    old, new = rows["data and issue cycles of a workgroup"]
    assert f"{old:,} -> {new:,} cycles if ds_write2_b64 conflicts as assumed" in line
    assert f"{old - 4 * 2 * 4:,} -> {new:,} if it does not" in line
    assert old - 4 * 2 * 4 < new < old


def test_numbers_of_the_text_beside_those_of_its_code_say_so(tmp_path: Path) -> None:
    file = written(tmp_path, joined(36))
    label, doubt = "by the text, each read alone", "assumed: rests on"
    compiled = bankwise("fix", file, "-t", "gfx950", "--no-execute").err
    assert label in compiled
    assert doubt not in compiled, "the code has it"
    alone = bankwise("fix", file, "-t", "gfx950", "--no-execute", "--no-isa").err
    assert label not in alone
    assert doubt in alone


@pytest.mark.parametrize("bits", [0, 128])
def test_paddings_of_waves_python_are_told_by_the_code_of_their_text(
    told: FixReport, tmp_path: Path, bits: int
) -> None:
    [line] = [one for one in told.settings if one.startswith(f"  {bits} bits: ")]
    file = written(tmp_path, joined(32 + bits // 16))
    code = check(file, "gfx950", isa=True)
    passes, size = code.totals.run.passes, code.kernels[0].allocations[0].bytes
    assert line.startswith(f"  {bits} bits: {passes:,} passes, ")
    listed = re.fullmatch(r".*, ([\d,]+) bytes, (\d+) VGPRs, (\d+) waves", line)
    assert listed
    assert int(listed[1].replace(",", "")) == size
    registers = int(listed[2])
    by_lds, by_registers = 160 * 1024 // size, 512 // (-(-registers // 8) * 8)
    assert int(listed[3]) == min(32, 4 * by_lds, 4 * by_registers)


def test_no_padding_is_advised_that_is_worse_in_code(told: FixReport) -> None:
    """By its loads 128 bits are better than Wave's 64; the code says otherwise."""
    assert told.settings[-1].startswith("none of these paddings is better than Wave's own")
    assert not any("apply_padding" in line for line in told.settings)


@pytest.mark.parametrize(
    ("cycles", "held", "said"),
    [
        (
            100,
            16,
            "better: 128 bits of padding; as many cycles as the patch, of the padding a "
            "unit holds 20 waves, not 16",
        ),
        (
            100,
            24,
            "better: the patch; as many cycles as the patch, of the padding a unit holds 20 "
            "waves, not 24",
        ),
        (
            100,
            20,
            "better: 128 bits of padding; as many cycles as the patch, and no text to override",
        ),
        (
            100,
            None,
            "better: 128 bits of padding; as many cycles as the patch, and no text to override",
        ),
        (90, 16, "better: the patch; the padding takes 10 cycles more than the patch"),
        (110, 24, "better: 128 bits of padding; the padding takes 10 cycles fewer than the patch"),
    ],
)
def test_patch_and_padding_are_compared_by_cycles_then_waves_then_what_they_need(
    told: FixReport, cycles: int, held: int | None, said: str
) -> None:
    code = emitted_code(read(told.source_text), 0)
    assert isinstance(code, EmittedCode)
    padding = PromotedPadding(128, TextPrice(0, 60, 100, 0), 20, code)
    assert beside_patch(padding, PatchedCode(60, cycles, held)) == said


def read(text: str) -> ReportedText:
    opened, options = open_text(text), Options("gfx950")
    analyses = analyse(opened, options)
    return ReportedText(opened, analyses, report_of(opened, options, analyses))


def test_what_differs_is_counted_by_the_rows_that_stand_below(told: FixReport) -> None:
    found = verdict(told, "isa")
    differ = sum(old != new for _, old, new in found.rows)
    assert f"no worse; {differ} of {len(found.rows)} rows differ" in found.detail


def test_without_the_compiler_no_padding_is_advised(tmp_path: Path) -> None:
    report = fix(written(tmp_path, joined(36)), "gfx950", execute=False, isa=False)
    assert isinstance(report, FixReport)
    assert report.settings[-1] == NOT_COMPILED


def test_a_text_whose_reads_may_be_joined_promises_no_conflict_that_its_code_lacks(
    tmp_path: Path,
) -> None:
    """Alone the reads of rows of 36 meet in 64 banks, in pairs they do not; of 32 it is more in
    pairs. A count of the text holds what the code has, and says that it is not sure."""
    for pitch, conflict in ((36, "possible"), (32, "sure")):
        file = written(tmp_path, joined(pitch))
        [text], [code] = (check(file, "gfx950", isa=isa).kernels for isa in (False, True))
        reads = [each for each in text.accesses if each.direction == "read"]
        assert {each.conflict for each in reads} == {conflict}
        assert all(words.joined(each).startswith("the read of line ") for each in reads)
        assert code.added.known.extra in text.added.known.ends.extra
        assert text.added.known.extra != code.added.known.extra


def test_nothing_is_advised_that_the_emitted_code_contradicts(tmp_path: Path) -> None:
    """Whoever takes a padding away because of a count of the text has conflicts in the code. Rows
    of 40: stores take 64 passes, and reads 8 each alone, 64 in pairs."""
    [text], [code] = (
        check(written(tmp_path, joined(36)), "gfx950", isa=isa).kernels for isa in (False, True)
    )
    [best] = text.optima
    assert best.best.passes < best.present.passes
    reads = [a for a in code.accesses if a.direction == "read"]
    assert not any(a.run.extra for a in reads)
    assert not list(not_contradicted((best,), reads)), "in its reads the code has nothing to gain"
    assert list(not_contradicted((best,), code.accesses)) == [best], "its store has a conflict"
    [other] = check(written(tmp_path, joined(40)), "gfx950", isa=True).kernels
    assert other.optima[0].present.passes == 64 + 4 * 8
    assert sum(a.run.passes for a in other.accesses) == 64 + 2 * 64
    assert other.optima[0].notes[0] == "by the text; its code takes other passes"


def test_a_read_without_another_one_near_is_sure(tmp_path: Path) -> None:
    text = re.sub(r"  (%b[123] =|vector.store %b[123],).*\n", "", joined(36))
    [kernel] = check(written(tmp_path, text), "gfx950").kernels
    [read] = [each for each in kernel.accesses if each.direction == "read"]
    assert (read.conflict, read.run.exact) == ("sure", True)
    apart = changed(joined(36), ("  %b1 =", "  gpu.barrier\n  %b1 ="))
    apart = changed(apart, ("  %b2 =", "  gpu.barrier\n  %b2 ="))
    apart = changed(apart, ("  %b3 =", "  gpu.barrier\n  %b3 ="))
    [kernel] = check(written(tmp_path, apart), "gfx950").kernels
    assert kernel.conflict == "sure"


def test_the_code_has_the_last_word(told: FixReport) -> None:
    assert told.after.totals.run.passes != JOINED_IDEAL
    assert told.ends.totals.run == Cost(JOINED_IDEAL, JOINED_IDEAL)


def test_the_pass_packs_the_pool_too() -> None:
    done = unpad(opened(PIPELINE), GFX942)
    assert not done.refusals
    assert "memref<9216xi8" not in done.text
    assert "memref<8192xi8" in done.text


def test_the_pass_takes_padding_of_buffers_that_go_round_a_loop() -> None:
    apart = ("memref.view %pool[%c0][] : ", "memref.view %pool[%half][] : ")
    text = PIPELINE
    for view in apart:
        text = changed(
            text, (f"{view}memref<9216xi8, {LDS}> to {TILE}", f"memref.alloc() : {TILE}")
        )
    done = unpad(opened(text), GFX942)
    assert not done.refusals
    assert TILE not in done.text
    assert done.text.count(SHORT) == PIPELINE.count(TILE)


def test_a_pool_ends_behind_its_shorter_tiles(fixed: FixReport) -> None:
    """64 rows of 32 halves are 4,096 bytes; both tiles begin where the one before ends."""
    [kernel] = fixed.after.kernels
    assert [a.bytes for a in kernel.allocations] == [4096, 4096]
    assert "memref<9216xi8" not in fixed.fixed_text
    assert fixed.fixed_text.count("memref<8192xi8") == 3


@pytest.mark.parametrize(
    ("place", "pool"),
    [(4080, 8192), (4096, 8176), (4104, 8208), (0, 8192), (-16, 8192)],
    ids=["overlapping", "outside", "unaligned", "one on the other", "before it"],
)
def test_tiles_that_do_not_lie_apart_are_not_proved(
    fixed: FixReport, place: int, pool: int
) -> None:
    [change] = fixed.changes
    claim = MapClaim("k", ("p", "q"), folds(change.address), Unpadded(36, 32))
    before = open_text(fixed.source_text)
    assert proved(before, fixed.fixed_text, claim)
    text = fixed.fixed_text.replace("arith.constant 4096 :", f"arith.constant {place} :")
    assert not proved(before, text.replace("memref<8192xi8", f"memref<{pool}xi8"), claim)


def folds(address: str) -> RowFolds:
    """``xor<width, unit, stride, per_phase, period>`` as the fold that it is."""
    width, unit, stride, per_phase, period = map(int, re.findall(r"\d+", address))
    return RowFolds(width, (Fold(stride * per_phase, unit, period),))


def proved(before: Opened, text: str, claim: MapClaim) -> bool:
    """Whether an edit is proved; a text that MLIR refuses is not."""
    try:
        [proof] = prove(before, open_text(text), [claim])
    except InputError:
        return False
    return proof.refusal is None
