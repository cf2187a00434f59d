"""Byte pools: views that share no byte are allocations of their own, to all who ask."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.check_mlir import check_opened
from bankwise.ask.fix import fix
from bankwise.read.mlir.module import open_text
from bankwise.read.options import Options
from bankwise.show.fixing import FixReport
from kernel_texts import written
from patches import verdict
from prove_texts import DRAIN, FILL, TILE, TwoTexts, claim, proofs, refusal, two

LDS = "#gpu.address_space<workgroup>"
BYTES = 64 * 64 * 2
OTHER = FILL.replace("%lds[%t, COLUMN]", "%next[%t, %i]")


def pooled(second: int = BYTES, *, more: str = "") -> TwoTexts:
    """Two tiles in 24,576 bytes, the second from byte ``second`` on; the first one is edited."""
    pool = f"memref<{3 * BYTES}xi8, {LDS}>"
    made = f"""
  %place = arith.constant {second} : index
  %pool = memref.alloc() : {pool}
  %lds = memref.view %pool[%c0][] : {pool} to {TILE}
  %next = memref.view %pool[%place][] : {pool} to {TILE}
{more}"""
    return two(FILL + OTHER + DRAIN, made=made)


def allocations(texts: TwoTexts) -> dict[str, int]:
    """The allocations of the text before, and their bytes."""
    opened = open_text(texts.before)
    report = check_opened(opened, Options("gfx950"))
    return {a.name: a.bytes for kernel in report.kernels for a in kernel.allocations}


def test_views_that_share_no_byte_are_allocations_and_so_is_what_no_view_shows() -> None:
    assert allocations(pooled()) == {"lds": BYTES, "next": BYTES, "pool": BYTES}


@pytest.mark.parametrize("second", [BYTES - 16, BYTES + 8, 3 * BYTES - 16])
def test_views_that_overlap_or_begin_anywhere_or_end_outside_leave_the_pool_whole(
    second: int,
) -> None:
    if second + BYTES <= 3 * BYTES:
        assert allocations(pooled(second)) == {"pool": 3 * BYTES}
    assert "has no allocation lds" in refusal(pooled(second))


def test_a_tile_moves_and_the_one_beside_it_stays() -> None:
    [proof] = proofs(pooled())
    assert (proof.refusal, proof.accesses) == (None, 2)
    assert "accesses to a view of a byte pool stay inside of the view" in proof.facts
    assert "may not" in refusal(pooled(), claim("next")), "the first one was edited"


def test_two_views_of_the_same_bytes_are_one_tile() -> None:
    texts = pooled(0)
    assert allocations(texts) == {"lds": BYTES, "pool": 2 * BYTES}
    assert "the map is not proved" in refusal(texts), "the other view was not edited"
    assert refusal(texts.edited("%next[%t, %i]", "%next[%t, %moved]")) == ""


def test_what_may_look_beyond_its_tile_lets_all_of_them_escape() -> None:
    long = f"memref<128x64xf16, {LDS}>"
    cast = (
        "  %both = memref.reinterpret_cast %next to offset: [0], sizes: [128, 64], "
        f"strides: [64, 1] : {TILE} to {long}\n"
    )
    assert "may show more than a part of a pool" in refusal(pooled(more=cast))


# What Wave emits: tiles of one pool, filled by copies whose row readfirstlane makes uniform

TARGET = "gfx942"
SMALL = f"memref<16x64xf16, {LDS}>"
POOL = f"memref<{2 * 16 * 128}xi8, {LDS}>"
ROWS = "affine_map<()[s0, s1] -> (s1 * 4 + (s0 floordiv 64) * 2 + FIRST)>"
GLOBAL = "memref<16x64xf16>"


def copied(tile: str, source: str, first: int) -> str:
    """Four waves fill 8 rows of a tile, 4 bytes a lane."""
    n = f"{tile}{first}"
    return f"""
  %row{n} = affine.apply {ROWS.replace("FIRST", str(first))}()[%x, %y]
  %short{n} = arith.index_cast %row{n} : index to i32
  %one{n} = llvm.call_intrinsic "llvm.amdgcn.readfirstlane"(%short{n}) : (i32) -> i32
  %to{n} = arith.index_cast %one{n} : i32 to index
  %from{n} = affine.apply affine_map<()[s0, s1] -> (s0 floordiv 32 + s1 * 4 + {first})>()[%x, %y]
  amdgpu.gather_to_lds {source}[%from{n}, %column], %{tile}[%to{n}, %c0]
      : vector<2xf16>, {GLOBAL}, {SMALL}
"""


def read(tile: str) -> str:
    """Every lane 8 bytes of row ``lane mod 16``."""
    return f"""
  %v{tile} = vector.load %{tile}[%r, %c] : {SMALL}, vector<4xf16>
  vector.store %v{tile}, %out[%r, %c] : {GLOBAL}, vector<4xf16>
  amdgpu.lds_barrier
"""


WAVE = f"""
#launch = #iree_codegen.translation_info<pipeline = None workgroup_size = [128, 2, 1]
    subgroup_size = 64>
func.func @k(%a: {GLOBAL}, %b: {GLOBAL}, %out: {GLOBAL}) attributes {{
    translation_info = #launch}} {{
  %c0 = arith.constant 0 : index
  %half = arith.constant 2048 : index
  %x = gpu.thread_id x upper_bound 128
  %y = gpu.thread_id y upper_bound 2
  %pool = memref.alloc() : {POOL}
  %p = memref.view %pool[%c0][] : {POOL} to {SMALL}
  %q = memref.view %pool[%half][] : {POOL} to {SMALL}
  %column = affine.apply affine_map<()[s0] -> ((s0 mod 32) * 2)>()[%x]
{copied("p", "%a", 0)}{copied("p", "%a", 8)}{copied("q", "%b", 0)}{copied("q", "%b", 8)}
  rocdl.s.waitcnt 16368
  amdgpu.lds_barrier
  %r = affine.apply affine_map<()[s0] -> (s0 mod 16)>()[%x]
  %c = affine.apply affine_map<()[s0, s1]
      -> (((s0 mod 64) floordiv 16) * 4 + (s0 floordiv 64) * 16 + s1 * 32)>()[%x, %y]
{read("p")}{read("q")}
  return
}}
"""


@pytest.fixture(scope="module")
def fixed(tmp_path_factory: pytest.TempPathFactory) -> FixReport:
    """The kernel in Wave's manner, fixed."""
    report = fix(written(Path(tmp_path_factory.mktemp("pools")), WAVE), TARGET)
    assert isinstance(report, FixReport)
    return report


def test_copies_into_tiles_of_a_pool_are_permuted_by_both_thread_ids(fixed: FixReport) -> None:
    """512 bytes of a wave are 4 passes; 16 rows of 128 bytes on the same banks were 16 times 4."""
    assert not fixed.refusals
    assert {c.allocations: (c.before.passes, c.after.passes) for c in fixed.changes} == {
        ("p",): (4 * 64, 4 * 4),
        ("q",): (4 * 64, 4 * 4),
    }


@pytest.mark.parametrize("judge", ["proof", "execution", "isa"])
def test_every_judge_agrees(fixed: FixReport, judge: str) -> None:
    assert verdict(fixed, judge).status == "passed", verdict(fixed, judge)
