"""Byte pools: views that share no byte are allocations of their own, to all who ask."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.analysis import analyse
from bankwise.ask.check_mlir import check_opened
from bankwise.ask.fix import fix
from bankwise.change.passes.pad import pad
from bankwise.change.passes.repad import PaddedTiles, repadded
from bankwise.errors import Refusal
from bankwise.notation.padding import Unpadded
from bankwise.read.mlir.module import open_text
from bankwise.read.options import Options
from bankwise.show.fix_story import print_fix
from bankwise.show.fixing import FixReport
from kernel_texts import written
from passes_cases import GFX942, opened
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
    report = check_opened(open_text(texts.before), Options("gfx950"))
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


REFUSED = {
    "overlap": (
        "%far = memref.view %pool[%half][] : POOL to memref<64x32xf16, SPACE>",
        "its views memref<64x64xf16> (bytes 0 to 8,191) and memref<64x32xf16> (bytes 4,096 to "
        "8,191) overlap: what is stored by one may be read by the other",
    ),
    "another type": (
        "%far = memref.view %pool[%c0][] : POOL to memref<64x64xbf16, SPACE>",
        "its views memref<64x64xf16> (bytes 0 to 8,191) and memref<64x64xbf16> (bytes 0 to "
        "8,191) overlap: what is stored by one may be read by the other",
    ),
    "before it": (
        "%far = memref.view %pool[%before][] : POOL to memref<64x64xf16, SPACE>",
        "its view memref<64x64xf16> (bytes -8,192 to -1) does not lie in its 24,576 bytes",
    ),
    "behind it": (
        "%far = memref.view %pool[%late][] : POOL to memref<64x64xf16, SPACE>",
        "its view memref<64x64xf16> (bytes 20,480 to 28,671) does not lie in its 24,576 bytes",
    ),
    "unaligned": (
        "%far = memref.view %pool[%odd][] : POOL to memref<8x8xf16, SPACE>",
        "its view memref<8x8xf16> begins at byte 16,392, no multiple of 16",
    ),
    "where only a run can tell": (
        "%far = memref.view %pool[%far_off][] : POOL to memref<8x8xf16, SPACE>",
        "its view memref<8x8xf16> begins where only a run can tell",
    ),
    "dynamic": (
        "%far = memref.view %pool[%last][%far_off] : POOL to memref<?x8xf16, SPACE>",
        "its view memref<?x8xf16> has no fixed size, or elements of unknown bytes",
    ),
    "all of it": (
        "%far = memref.subview %pool[0] [16] [1] : POOL to memref<16xi8, strided<[1]>, SPACE>",
        "memref.subview uses all of its bytes, beside views of them",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_pool_that_is_one_allocation_says_why_and_is_not_touched(
    case: str, tmp_path: Path
) -> None:
    """The text that a moved tile would have is not proved either."""
    view, reason = REFUSED[case]
    places = {"half": 4096, "before": -8192, "late": 20480, "odd": 16392, "last": 16384}
    made = "".join(f"  %{n} = arith.constant {at} : index\n" for n, at in places.items())
    made += "  %far_off = gpu.block_id x upper_bound 4\n"
    view = view.replace("POOL", f"memref<{3 * BYTES}xi8, {LDS}>").replace("SPACE", LDS)
    texts = pooled(more=f"{made}  {view}\n")
    assert "has no allocation lds" in refusal(texts)
    report = fix(written(tmp_path, texts.before), "gfx950", execute=False, isa=False)
    assert isinstance(report, FixReport)
    assert not report.changes
    assert f"pool: {reason}" in [each.reason for each in report.refusals]


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


# Padded tiles of a pool: 16-byte stores at rows that are aligned to 8, 8-byte reads


def padded(columns: int, stores: str, reads: int, *, pad: int = 4) -> str:
    """256 threads store 64 rows of so many halves and ``pad`` more; waves read 16 rows each."""
    tile = f"memref<64x{columns + pad}xf16, {LDS}>"
    pool, out = f"memref<{2 * 64 * (columns + pad) * 2}xi8, {LDS}>", f"memref<64x{columns}xf16>"
    loads = "".join(
        f"""
  %at{k} = affine.apply affine_map<()[s0] -> (((s0 mod 64) floordiv 16) * 4 + {16 * k})>()[%x]
  %v{k} = vector.load %tile[%r, %at{k}] : {tile}, vector<4xf16>
  vector.store %v{k}, %out[%r, %at{k}] : {out}, vector<4xf16>"""
        for k in range(reads)
    )
    return f"""
func.func @k(%in: {out}, %out: {out}) attributes {{
    gpu.known_block_size = array<i32: 256, 1, 1>}} {{
  %c0 = arith.constant 0 : index
  %half = arith.constant {64 * (columns + pad) * 2} : index
  %x = gpu.thread_id x upper_bound 256
  %pool = memref.alloc() : {pool}
  %tile = memref.view %pool[%half][] : {pool} to {tile}
{stores.replace("TILE", tile).replace("OUT", out)}
  gpu.barrier
  %r = affine.apply affine_map<()[s0] -> (s0 mod 16 + (s0 floordiv 64) * 16)>()[%x]
{loads}
  return
}}
"""


WHOLE_ROWS = """
  %w = affine.apply affine_map<()[s0] -> (s0 floordiv 4)>()[%x]
  %j = affine.apply affine_map<()[s0] -> ((s0 mod 4) * 8)>()[%x]
  %a = vector.load %in[%w, %j] : OUT, vector<8xf16>
  vector.store %a, %tile[%w, %j] : TILE, vector<8xf16>"""
EVEN_AND_ODD_ROWS = """
  %w = affine.apply affine_map<()[s0] -> ((s0 mod 32) * 2)>()[%x]
  %u = affine.apply affine_map<()[s0] -> ((s0 mod 32) * 2 + 1)>()[%x]
  %j = affine.apply affine_map<()[s0] -> ((s0 floordiv 32) * 8)>()[%x]
  %a = vector.load %in[%w, %j] : OUT, vector<8xf16>
  %b = vector.load %in[%u, %j] : OUT, vector<8xf16>
  vector.store %a, %tile[%w, %j] : TILE, vector<8xf16>
  vector.store %b, %tile[%u, %j] : TILE, vector<8xf16>"""


def test_a_padded_tile_loses_its_padding_and_is_stored_in_halves(tmp_path: Path) -> None:
    """Ideal are 8 passes of each of 4 waves for 1,024 bytes stored, 4 for 512 bytes read."""
    report = fix(written(tmp_path, padded(32, WHOLE_ROWS, 2)), TARGET)
    assert isinstance(report, FixReport)
    [change] = report.changes
    assert (change.before.passes, change.after.passes) == (4 * (16 + 4 + 4), 4 * (8 + 4 + 4))
    assert report.fixed_text.count(f"memref<64x32xf16, {LDS}>") > 1
    for judge in ("proof", "execution", "isa"):
        assert verdict(report, judge).status == "passed", verdict(report, judge)


def test_a_split_that_is_no_cheaper_is_told_and_not_made(tmp_path: Path) -> None:
    """Odd rows alone collide: 32 passes too many, and two stores more of each of 4 waves."""
    report = fix(written(tmp_path, padded(64, EVEN_AND_ODD_ROWS, 4)), TARGET)
    assert isinstance(report, FixReport)
    assert not report.changes
    [refusal] = report.refusals
    assert "in parts the emitted code is worse" in refusal.reason
    assert "384 data and issue cycles where 352 were" in refusal.reason


def test_padding_a_tile_of_a_pool_is_told_and_not_written() -> None:
    done = pad(opened(pooled().before), GFX942)
    assert done.text == pooled().before
    reasons = [refusal.reason for refusal in done.refusals]
    assert any(
        "all parts of its byte pool would move" in r and "behind each row" in r for r in reasons
    ), reasons


@pytest.mark.parametrize("host", ["isolated_benchmark$async", "main"])
def test_who_fixes_a_text_of_wave_hears_where_to_put_it(
    host: str, fixed: FixReport, tmp_path: Path
) -> None:
    text = f"{fixed.source_text}\nfunc.func @{host}() {{ return }}\n"
    report = fix(written(tmp_path, text), TARGET, execute=False, isa=False)
    assert isinstance(report, FixReport)
    console = Console(file=StringIO(), width=200)
    print_fix(report, console)
    assert isinstance(console.file, StringIO)
    assert ("override_mlir=" in console.file.getvalue()) == (host != "main")


@pytest.mark.parametrize("bits", [0, 32, 64, 128, 256])
def test_another_padding_takes_what_the_text_with_it_takes(bits: int) -> None:
    """The tile is 64 rows of 64 halves; it is the only one, and fills its half of the pool."""
    now = opened(padded(64, EVEN_AND_ODD_ROWS, 4))
    [kernel] = analyse(now, Options("gfx950"))
    *_, tile = kernel.extraction.allocations
    rows = PaddedTiles(frozenset([tile.name]), Unpadded(68, 64), bits // 16)
    found = repadded(now, kernel.kernel.name, (rows,))
    assert not isinstance(found, Refusal)
    by_hand = opened(padded(64, EVEN_AND_ODD_ROWS, 4, pad=bits // 16))
    one, other = (check_opened(text, Options("gfx950")) for text in (found, by_hand))
    assert one.totals == other.totals
    assert one.kernels[0].allocations[0].bytes == 64 * (128 + bits // 8)
