"""Copies into workgroup memory: lanes of a wave fetch for each other, exactly as the map says."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.algebra.address import Fold, RowFolds
from prove_texts import GLOBAL, HEAD, TILE, TwoTexts, claim, proofs, refusal, two

FETCHES = "that each lane fetches what belongs into its slot is not proved"
READ = f"""
  gpu.barrier
  %rr = affine.apply affine_map<()[s0] -> (s0 mod 64)>()[%t]
  scf.for %i = %c0 to %c64 step %c8 {{
    %rp = affine.apply affine_map<()[s0] -> ((s0 mod 8) * 8)>()[%rr]
    %moved = arith.xori %i, %rp : index
    %v = vector.load %lds[%rr, COLUMN] : {TILE}, vector<8xf16>
    vector.store %v, %out[%rr, %i] : {GLOBAL}, vector<8xf16>
  }}
  gpu.barrier
"""
SIZE = "array<i32: 128, 1, 1>"
LOADED = f"""
  %x = memref.load %in[%t, %c0] : {GLOBAL}
  %xi = arith.fptosi %x : f16 to i32
  %where = arith.index_cast %xi : i32 to index
"""


def dma(row: str, column: str, *, lines: str = "", to: str = "%to", guard: str = "") -> TwoTexts:
    """One wave after the other fills 8 rows; ``SLOT`` is the lane whose element belongs there.

    ``row`` and ``column`` are the source, in ``s0`` (the lane asked, so to say) and ``s1`` (the
    workgroup).
    """
    body = f"""
  %wr = affine.apply affine_map<()[s0] -> ((s0 floordiv 64) * 8)>()[%t]
  %to = gpu.subgroup_broadcast %wr, first_active_lane : index
{lines}
  %row = affine.apply affine_map<()[s0, s1] -> ({row})>()[SLOT, %b]
  %column = affine.apply affine_map<()[s0, s1] -> ({column})>()[SLOT, %b]
  {guard}
  amdgpu.gather_to_lds %in[%row, %column], %lds[{to}, %c0]
      : vector<8xf16>, {GLOBAL}, {TILE}
  {"}" if guard else ""}
"""
    head = HEAD.replace("array<i32: 64, 1, 1>", SIZE)
    texts = two(body + READ, head=head)
    pi = """
  %high = affine.apply affine_map<()[s0] -> ((s0 floordiv 8) mod 8)>()[%t]
  %pi = arith.xori %t, %high : index
"""
    after = texts.after.replace("  %row = ", pi + "  %row = ").replace("SLOT", "%pi")
    return TwoTexts(texts.before.replace("SLOT", "%t"), after)


ROW, COLUMN = "s0 floordiv 8", "(s0 mod 8) * 8"


@pytest.mark.parametrize(
    ("row", "column"),
    [
        (ROW, COLUMN),
        (f"({ROW} + s1 * 8) mod 64", f"({COLUMN} + s1 * 8) mod 64"),
        (f"({ROW}) * 3 + s1", f"(({COLUMN}) floordiv 16) * 7"),
    ],
)
def test_a_source_cloned_for_the_other_lane_is_proved(row: str, column: str) -> None:
    (proof,) = proofs(dma(row, column))
    assert proof.refusal is None
    assert proof.accesses == 2
    assert "waves of 64 threads" in proof.facts


def test_the_other_chunk_of_the_same_row_is_the_other_lane() -> None:
    """What the rewriter writes where the source shows the chunk: ``chunk XOR phase``."""
    texts = dma(ROW, COLUMN)
    chunk = "affine.apply affine_map<()[s0, s1] -> ((s0 mod 8) * 8)>()[%pi, %b]"
    phase = "affine.apply affine_map<()[s0] -> (((s0 floordiv 8) mod 8) * 8)>()[%t]"
    plain = chunk.replace("%pi", "%t")
    lines = f"{plain}\n  %ph = {phase}\n  %column2 = arith.xori %column, %ph : index"
    texts = texts.edited(chunk, lines).edited("%in[%row, %column]", "%in[%row, %column2]")
    assert refusal(texts) == ""


@pytest.mark.parametrize(
    "column",
    [
        f"({COLUMN} + s1 * 8) mod 64",
        f"(({COLUMN}) floordiv 16) * 7",
    ],
)
def test_an_index_that_is_not_linear_in_the_chunk_takes_no_difference(column: str) -> None:
    """``index + (new - old)`` behind a remainder is another address."""
    texts = dma(ROW, column)
    new = "  %d = affine.apply affine_map<()[s0, s1] -> ((s1 mod 8 - s0 mod 8) * 8)>()[%t, %pi]\n"
    texts = texts.edited("()[%pi, %b]\n  %column", "()[%pi, %b]\n  %kept")
    texts = TwoTexts(
        texts.before,
        texts.after.replace(
            "  amdgpu.gather",
            f"  %kept2 = affine.apply affine_map<()[s0, s1] -> ({column})>()[%t, %b]\n{new}"
            "  %column3 = arith.addi %kept2, %d : index\n  amdgpu.gather",
        ).replace("%in[%row, %column]", "%in[%row, %column3]"),
    )
    assert FETCHES in refusal(texts)


@pytest.mark.parametrize(
    "fold", [RowFolds(64, (Fold(64, 8, 4),)), RowFolds(64, (Fold(64, 16, 4),))]
)
def test_another_map_than_the_claimed_one_is_refused(fold: RowFolds) -> None:
    assert FETCHES in refusal(dma(ROW, COLUMN), claim(fold=fold))


def test_slots_of_other_waves_cannot_be_fetched_for() -> None:
    """Rows 16 to 23 change places with rows 24 to 31, which are another wave's."""
    lines = "  %later = affine.apply affine_map<()[s0] -> (s0 + 16)>()[%to]\n"
    far = RowFolds(1024, (Fold(1024, 512, 2),))
    said = refusal(dma(ROW, COLUMN, lines=lines, to="%later"), claim(fold=far))
    assert "not permuted among themselves" in said


def test_the_elements_of_a_slot_stay_in_their_order() -> None:
    """The second fold leaves the first element of a slot where it is, and exchanges others."""
    torn = RowFolds(64, (Fold(64, 8, 8), Fold(4, 1, 2)))
    said = refusal(dma(ROW, COLUMN), claim(fold=torn))
    assert "amdgpu.gather_to_lds" in said
    assert "that the slots of a wave are permuted among themselves is not proved" in said


def test_where_a_wave_writes_must_be_known() -> None:
    """Of lanes that differ, lane 0 counts: that is its own row, here the wave's first."""
    assert "where a wave begins to write is not known" in refusal(
        dma(ROW, COLUMN, lines=LOADED, to="%where")
    )
    own = "  %own = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%t]\n"
    assert refusal(dma(ROW, COLUMN, lines=own, to="%own")) == ""


def test_a_source_that_was_loaded_cannot_be_asked_for_of_another_lane() -> None:
    texts = dma(ROW, COLUMN, lines=LOADED)
    said = refusal(texts.replace("%in[%row,", "%in[%where,"))
    assert "may differ from lane to lane" in said


def test_only_whole_waves_fetch_for_each_other() -> None:
    some = "  %half = arith.constant 32 : index\n  %some = arith.cmpi ult, %t, %half : index\n"
    texts = dma(ROW, COLUMN, lines=some, guard="scf.if %some {")
    assert "only some lanes of a wave" in refusal(texts)
    wave = some.replace("constant 32", "constant 64")
    assert refusal(dma(ROW, COLUMN, lines=wave, guard="scf.if %some {")) == ""
    sized = "  %some = arith.cmpi slt, %t, %n : index\n"
    texts = dma(ROW, COLUMN, lines=sized, guard="scf.if %some {")
    assert "lanes of a wave may differ in the scf.if" in refusal(texts)
    group = "  %some = arith.cmpi slt, %b, %n : index\n"
    assert refusal(dma(ROW, COLUMN, lines=group, guard="scf.if %some {")) == ""


def test_a_launch_that_the_text_does_not_say_is_refused() -> None:
    said = dma(ROW, COLUMN).replace(f"gpu.known_block_size = {SIZE}", "")
    assert "the text does not say how many threads" in refusal(said)
    bound = said.replace("gpu.thread_id x", "gpu.thread_id x upper_bound 128")
    assert "the text does not say how many threads" in refusal(bound)


def test_how_long_a_wave_is_must_be_said_where_gpus_differ() -> None:
    """Four bytes a lane: GPUs with waves of 32 have such copies, too."""
    narrow = dma(ROW, COLUMN).replace(f"vector<8xf16>, {GLOBAL}", f"vector<2xf16>, {GLOBAL}")
    silent = "does not say how many threads a wave has"
    assert silent in refusal(narrow)
    target = f'{SIZE}, targets = [#rocdl.target<chip = "gfx942">]'
    assert silent not in refusal(narrow.replace(SIZE, target, count=1))


def test_a_loop_carried_source_is_the_same_step_in_every_lane() -> None:
    texts = dma(ROW, COLUMN)
    loop = "  %e = scf.for %k = %c0 to %n step %c1 iter_args(%far = %column) -> (index) {\n  amdgpu"
    texts = texts.replace("  amdgpu", loop).replace("%in[%row, %column]", "%in[%row, %far]")
    after = f"{GLOBAL}, {TILE}\n  %g = arith.addi %far, %c64 : index\n  scf.yield %g : index\n  }}"
    texts = texts.replace(f"{GLOBAL}, {TILE}\n", after + "\n", count=1)
    gap = f"affine_map<()[s0, s1] -> ({COLUMN} - (s1 mod 8) * 8)>()[%pi, %t]"
    ahead = f"  %ahead = affine.apply {gap}\n"
    texts = texts.edited(f"({COLUMN})>()[%pi, %b]", f"({COLUMN})>()[%t, %b]")
    texts = texts.edited("  amdgpu", ahead + "  %fetch = arith.addi %far, %ahead : index\n  amdgpu")
    texts = texts.edited("%in[%row, %far]", "%in[%row, %fetch]")
    assert refusal(texts) == ""
    loaded = texts.replace("%far, %c64", "%far, %s").replace("  %g =", LOADED + "  %g =")
    assert "may differ from lane to lane" in refusal(loaded.replace("%where", "%s"))


def test_lanes_that_hold_other_memrefs_are_refused() -> None:
    texts = dma(ROW, COLUMN).replace("%n: index", "%n: index, %more: memref<64x64xf16>")
    pick = "  %odd = arith.cmpi slt, %t, %c8 : index\n"
    pick += f"  %from = arith.select %odd, %in, %more : {GLOBAL}\n"
    texts = texts.replace("  amdgpu", pick + "  amdgpu").replace("lds %in[", "lds %from[")
    assert "different memrefs" in refusal(texts)


ASYNC = f"""
  %row = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%t]
  %column = affine.apply affine_map<()[s0] -> ((s0 mod 8) * 8)>()[%t]
  %ph = affine.apply affine_map<()[s0] -> (((s0 floordiv 8) mod 8) * 8)>()[%t]
  %other = arith.xori %column, %ph : index
  %token = nvgpu.device_async_copy %in[%row, FROM], %lds[%row, TO], 8 : {GLOBAL} to {TILE}
  %group = nvgpu.device_async_create_group %token
  nvgpu.device_async_wait %group {{numGroups = 0 : i32}}
"""


def asynchronous(source: str, to: str, read: str = READ) -> TwoTexts:
    texts = two(ASYNC + read, head=HEAD.replace("array<i32: 64, 1, 1>", SIZE))
    before = texts.before.replace("FROM", "%column").replace("TO", "%column")
    return TwoTexts(before, texts.after.replace("FROM", source).replace("TO", to))


def test_an_asynchronous_copy_may_write_elsewhere_or_fetch_for_another_lane() -> None:
    assert refusal(asynchronous("%column", "%other")) == ""
    assert refusal(asynchronous("%other", "%column")) == ""
    assert "not proved" in refusal(asynchronous("%column", "%column"))
    assert "both" in refusal(asynchronous("%other", "%other"))


def test_what_a_lane_copied_for_itself_alone_no_other_lane_may_copy() -> None:
    """Without a barrier it sees its own copies, and no others."""
    read = READ.replace("  gpu.barrier\n", "", 1)
    assert "no barrier stands" in refusal(asynchronous("%other", "%column", read))
    assert refusal(asynchronous("%column", "%other", read)) == ""


def test_copies_of_the_next_round_wait_for_the_reads_of_this_one() -> None:
    loop = ("  scf.for %round = %c0 to %n step %c1 {\n", "  }\n")
    last = READ.rindex("  gpu.barrier\n")
    for read, expected in ((READ, ""), (READ[:last], "no barrier stands")):
        texts = asynchronous("%other", "%column", read + loop[1])
        texts = texts.replace("  %row = ", loop[0] + "  %row = ", count=1)
        assert expected in refusal(texts)
        assert bool(refusal(texts)) == bool(expected)
