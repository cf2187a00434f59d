"""Guards over a launch whose grid is known: which blocks run what, and how often, all of them.

Expectations are worked out here block by block and thread by thread, from what the source says.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bankwise.read.amd.dialect import AMD
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.blocks import (
    OverBlocks,
    bitwise,
    block_index,
    compared,
    summed,
    upper_word,
)
from bankwise.read.follow.driver import check_code
from bankwise.read.follow.functions import Bitwise
from bankwise.read.follow.values import Unknown
from bankwise.read.launch.boxes import Box, Residues, where
from bankwise.read.launch.expression import launch_of
from bankwise.read.launch.facts import Launches
from bankwise.read.ptx.dialect import PTX
from bankwise.read.toolkit import find_program
from command import bankwise
from isa_texts import amd_text, lanes, ptx_text

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)
BANKS = 32


# A number over a part of a grid.


def numbers(of: OverBlocks, box: Box) -> dict[tuple[int, ...], list[int]]:
    """What a number is in every block, worked out with whole numbers."""
    found = {}
    for block in itertools.product(*box):
        steps = [int(step.ravel()[0]) for step in of.steps]
        moved = sum(s * (i - along.start) for s, i, along in zip(steps, block, box, strict=True))
        found[block] = [(int(first) + moved) % (1 << 32) for first in of.first.ravel()]
    return found


def some_box(draw: random.Random) -> Box:
    x, y, z = (range(a, a + draw.choice((1, 2, 5, 9))) for a in (draw.randrange(6), 0, 2))
    return x, y, z


@pytest.mark.parametrize("seed", range(60))
def test_what_is_decided_of_a_part_holds_in_each_of_its_blocks(seed: int) -> None:
    draw = random.Random(seed)
    box = some_box(draw)
    lanes = np.arange(4, dtype=np.uint32)[None, :]
    a, b = draw.choice((1, 3, 32, 0xFFFFFFFF)), draw.choice((0, 1, 7, 0xFFFFFFF0))
    indices = block_index(0, box), block_index(1, box)
    one = summed(lambda i, j, t: i * np.uint32(a) + j * np.uint32(b) + t, [*indices, lanes])
    limit = np.full((1, 1), draw.choice((0, 5, 40, 200, 0xFFFFFFFE)), np.uint32)
    signed, name = draw.random() < 0.5, draw.choice("<=")

    def number(x: int) -> int:
        return x - (1 << 32) if signed and x >> 31 else x

    def test(a: Any, b: Any) -> Any:
        if name == "=":
            return a == b
        return a.view(np.int32) < b.view(np.int32) if signed else a < b

    every = numbers(one, box)
    end = number(int(limit[0, 0]))
    truths = {
        block: [number(x) < end if name == "<" else number(x) == end for x in some]
        for block, some in every.items()
    }
    found = compared(test, [one, limit], signed, name == "<")
    if isinstance(found, np.ndarray):
        told = np.broadcast_to(found, (1, 4))[0].tolist()
        assert all(told == truth for truth in truths.values())
    elif found is not None:
        axis, at = found
        assert 0 < at < len(box[axis])
        assert len({tuple(truth) for truth in truths.values()}) > 1


def test_where_a_guard_ends_a_part_is_cut() -> None:
    box: Box = (range(32), range(16), range(1))
    lanes = np.arange(32, dtype=np.uint32)[None, :]
    x = summed(lambda i, t: i * np.uint32(32) + t, [block_index(0, box), lanes])
    limit = np.full((1, 1), 1000, np.uint32)
    # 1000 = 31 * 32 + 8: block 31 is the first in which a lane is outside.
    assert compared(lambda a, b: a < b, [x, limit], False, True) == (0, 31)


def test_a_number_that_wraps_around_decides_nothing() -> None:
    box: Box = (range(8), range(1), range(1))
    step = np.full((1, 1), 1 << 30, np.uint32)
    x = summed(lambda i, s: i * s, [block_index(0, box), step])
    assert not isinstance(compared(lambda a, b: a < b, [x, step], False, True), np.ndarray)


def test_blocks_in_words() -> None:
    edge, corner = range(31, 32), range(15, 16)
    assert where([(range(31), range(15), range(1))], (32, 16, 1)) == "x 0-30, y 0-14"
    assert where([(edge, corner, range(1))], (32, 16, 1)) == "x 31, y 15"
    assert where([(edge, range(16), range(1))], (32, 16, 1)) == "x 31"
    assert where([(range(32), range(16), range(1))], (32, 16, 1)) == "all"
    every_other = [(range(n, 32, 2), range(1), range(1)) for n in (0, 1)]
    assert where(every_other, (32, 1, 1)) == "x 0, 2, .. 30 or x 1, 3, .. 31"
    assert where([(range(1, 6, 2), range(1), range(1))], (6, 1, 1)) == "x 1, 3, 5"


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("x | t", lambda x, t: x | t),
        ("x & 31", lambda x, t: x & 31),
        ("(x & 0xFFFFFFE0) | t", lambda x, t: (x & 0xFFFFFFE0) | t),
        ("x ^ t", lambda x, t: x ^ t),
        ("x & t", lambda x, t: x & t),
    ],
)
def test_bits_below_all_steps_are_those_of_every_block(text: str, of: Any) -> None:
    """``blockIdx.x * 32`` has five bits that are nought in all blocks."""
    box: Box = (range(3, 12), range(1), range(1))
    lanes = np.arange(32, dtype=np.uint32)[None, :]
    x = summed(lambda i: i * np.uint32(32), [block_index(0, box)])
    found = bitwise(lambda a, t: of(a, t).astype(np.uint32), [x, lanes])
    assert found is not None, text
    for block in box[0]:
        wanted = [of(32 * block, t) % (1 << 32) for t in range(32)]
        if isinstance(found, np.ndarray):
            told = np.broadcast_to(found, (1, 32))[0].tolist()
        else:
            step = found.steps[0].astype(np.int64) * (block - box[0].start)
            told = np.broadcast_to(found.first + step, (1, 32))[0].tolist()
        assert told == wanted, text


def test_bits_that_blocks_have_of_their_own_and_a_mask_takes_away_are_those_of_residues() -> None:
    """``blockIdx.x * 32 & 0x5f`` asks bit 6, which is bit 1 of the index: it decides modulo 4."""
    box: Box = (range(8), range(1), range(1))
    mask = np.full((1, 1), 0x5F, np.uint32)
    x = summed(lambda i: i * np.uint32(32), [block_index(0, box)])
    assert bitwise(lambda a, m: a & m, [x, mask]) == Residues(0, 4)
    for first in range(4):
        part: Box = (box[0][first::4], *box[1:])
        x = summed(lambda i: i * np.uint32(32), [block_index(0, part)])
        told = bitwise(lambda a, m: a & m, [x, mask])
        assert isinstance(told, np.ndarray)
        assert {int(told[0, 0])} == {32 * block & 0x5F for block in part[0]}
    far = np.full((1, 1), 32 * 64, np.uint32)
    many: Box = (range(1 << 12), *box[1:])
    assert bitwise(lambda a, m: a & m, [block_index(0, many), far]) is None


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("x & 0x3fffff80", lambda x: x & 0x3FFFFF80),
        ("x - (x & ~127)", lambda x: x & 0x7F),
        ("x >> 13", lambda x: x >> 13),
        ("x & 0x80000000", lambda x: x & 0x80000000),
    ],
)
def test_bits_that_no_block_reaches_are_nought_in_all(text: str, of: Any) -> None:
    """``blockIdx.x * 128 + 5`` of 40 blocks ends below 1 << 13: an int's remainder by 128 asks its
    sign and masks bits that are not there."""
    box: Box = (range(40), range(1), range(1))
    x = summed(lambda i: i * np.uint32(128) + np.uint32(5), [block_index(0, box)])
    found = bitwise(lambda a: np.asarray(of(a), np.uint32), [x])
    assert found is not None, text
    for block in box[0]:
        steps = found.steps[0] if isinstance(found, OverBlocks) else np.uint32(0)
        first = found.first if isinstance(found, OverBlocks) else found
        assert int(np.max(first + np.uint32(block) * steps)) == of(128 * block + 5), text


RESIDUES = {
    "x & 1": ("and.b32 %r20, %r5, 1;", lambda x, y: x & 1),
    "x + y & 3": ("add.u32 %r21, %r5, %r6;\nand.b32 %r20, %r21, 3;", lambda x, y: (x + y) & 3),
    "x * 3 & 7": ("mul.lo.u32 %r21, %r5, 3;\nand.b32 %r20, %r21, 7;", lambda x, y: x * 3 & 7),
    "(x ^ 5) & 3": ("xor.b32 %r21, %r5, 5;\nand.b32 %r20, %r21, 3;", lambda x, y: (x ^ 5) & 3),
    "y & 4 | x & 1": (
        "and.b32 %r21, %r6, 4;\nand.b32 %r22, %r5, 1;\nor.b32 %r20, %r21, %r22;",
        lambda x, y: (y & 4) | (x & 1),
    ),
}


@pytest.mark.parametrize("name", RESIDUES)
@pytest.mark.parametrize("grid", [(1000, 1), (331, 7), (5, 300)])
@pytest.mark.parametrize("guard", [False, True])
def test_low_bits_of_an_index_make_classes_of_a_large_grid(
    name: str, grid: tuple[int, int], guard: bool
) -> None:
    """They decide where lanes store, or whether: every block is in one class, which stores so."""
    text, of = RESIDUES[name]
    use = "shl.b32 %r24, %r20, 12;\nadd.s32 %r13, %r13, %r24;"
    if guard:
        use = "setp.gt.u32 %p1, %r20, 1;\n@%p1 bra DONE;"
    found = classes(f"{text}\n{use}", grid, (16, 8), 1, 1)
    plain = [64 * tx + 4 * ty for tx in range(16) for ty in range(8)]
    seen = Counter[tuple[int, ...]]()
    for one in found:
        for box in one.boxes:
            for place in itertools.product(*box):
                seen[place] += 1
                number = of(*place[:2])  # type: ignore[no-untyped-call]
                moved = 0 if guard else number << 12
                bytes_ = tuple(sorted(byte + moved for byte in plain))
                runs = not guard or number <= 1
                assert stored(one) == (Counter({bytes_: 1}) if runs else Counter()), place
    assert seen == Counter(itertools.product(range(grid[0]), range(grid[1]), range(1)))
    assert sum(one.blocks for one in found) == grid[0] * grid[1]


# Machine code: every block of a launch is the class that it is said to be.

GUARDED = """\
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1, .param .u32 k_param_2)
{
    .reg .pred %p<9>;
    .reg .b32 %r<40>;
    .shared .align 4 .b8 tile[8192];
    ld.param.u32 %r1, [k_param_1];
    ld.param.u32 %r2, [k_param_2];
    mov.u32 %r3, %tid.x;
    mov.u32 %r4, %tid.y;
    mov.u32 %r5, %ctaid.x;
    mov.u32 %r6, %ctaid.y;
    mad.lo.s32 %r7, %r5, 16, %r3;
    mad.lo.s32 %r8, %r6, 8, %r4;
    mov.u32 %r9, tile;
    shl.b32 %r10, %r3, 6;
    add.s32 %r11, %r9, %r10;
    shl.b32 %r12, %r4, 2;
    add.s32 %r13, %r11, %r12;
GUARD
    st.shared.u32 [%r13], %r3;
DONE:
    ret;
}
"""
GUARDS = {
    "x < w and y < h": (
        "setp.ge.s32 %p1, %r7, %r1;\n@%p1 bra DONE;\nsetp.ge.u32 %p2, %r8, %r2;\n@%p2 bra DONE;",
        lambda x, y, bx, w, h: x < w and y < h,
    ),
    "x + y < w": (
        "add.s32 %r20, %r7, %r8;\nsetp.ge.s32 %p1, %r20, %r1;\n@%p1 bra DONE;",
        lambda x, y, bx, w, h: x + y < w,
    ),
    "w - x > 5": (
        "sub.s32 %r20, %r1, %r7;\nsetp.le.s32 %p1, %r20, 5;\n@%p1 bra DONE;",
        lambda x, y, bx, w, h: w - x > 5,
    ),
    "x != 37": (
        "setp.eq.s32 %p1, %r7, 37;\n@%p1 bra DONE;",
        lambda x, y, bx, w, h: x != 37,
    ),
    "blockIdx.x % 3 == 0": (
        "rem.u32 %r20, %r5, 3;\nsetp.ne.u32 %p1, %r20, 0;\n@%p1 bra DONE;",
        lambda x, y, bx, w, h: bx % 3 == 0,
    ),
}


def classes(
    guard: str, grid: tuple[int, int], block: tuple[int, int], w: int, h: int
) -> tuple[AssemblyKernel, ...]:
    sizes = f"{grid[0]}x{grid[1]}, {block[0]}x{block[1]}"
    launch = launch_of(f"k<<<{sizes}>>>(_, {w}, {h})")
    text = GUARDED.replace("GUARD", guard)
    (found,) = check_code(PTX, text, "k.ptx", launches=Launches(((launch,), (), ())))
    return found, *found.others


def stored(found: AssemblyKernel) -> Counter[tuple[int, ...]]:
    """The bytes that the threads of a block store to, as often as they do."""
    counts: Counter[tuple[int, ...]] = Counter()
    for access in found.accesses:
        assert access.counted
        assert not access.some_lanes
        assert not access.unknown
        for pattern in access.access.patterns:
            counts[tuple(sorted(pattern.offsets_bytes[pattern.active].tolist()))] += (
                pattern.executions
            )
    return counts


@pytest.mark.parametrize("name", GUARDS)
@pytest.mark.parametrize(
    ("grid", "w", "h"), [((4, 3), 50, 20), ((9, 2), 144, 16), ((12, 1), 37, 3), ((3, 40), 48, 313)]
)
@pytest.mark.parametrize("block", [(16, 8), (20, 5)])  # 100 threads leave a warp in part
def test_every_block_runs_as_its_class(
    name: str, grid: tuple[int, int], block: tuple[int, int], w: int, h: int
) -> None:
    guard, holds = GUARDS[name]
    seen: dict[tuple[int, ...], AssemblyKernel] = {}
    for one in classes(guard, grid, block, w, h):
        for box in one.boxes:
            for place in itertools.product(*box):
                assert place not in seen
                seen[place] = one
    assert len(seen) == grid[0] * grid[1]
    for (bx, by, _), one in seen.items():
        threads = [(tx, ty) for ty in range(block[1]) for tx in range(block[0])]
        bytes_ = tuple(
            sorted(
                64 * tx + 4 * ty
                for tx, ty in threads
                if holds(16 * bx + tx, 8 * by + ty, bx, w, h)  # type: ignore[no-untyped-call]
            )
        )
        assert stored(one) == (Counter({bytes_: 1}) if bytes_ else Counter())


def test_a_guard_by_an_argument_that_nobody_says_stays_open() -> None:
    guard, _ = GUARDS["x < w and y < h"]
    launch = launch_of("k<<<4x3, 16x8>>>(_, _, 24)")
    text = GUARDED.replace("GUARD", guard)
    (found,) = check_code(PTX, text, "k.ptx", launches=Launches(((launch,), (), ())))
    assert not found.others
    assert found.accesses[0].some_lanes
    assert found.facts


def test_a_block_that_is_named_is_not_said_to_be_all() -> None:
    guard, _ = GUARDS["x < w and y < h"]
    launch = launch_of("k<<<4x3, 16x8>>>(_, 50, 20)")
    text = GUARDED.replace("GUARD", guard)
    stated = Launches(((launch,), (), ()))
    (found,) = check_code(PTX, text, "k.ptx", args={"ctaid.x": 3}, launches=stated)
    assert not found.boxes


# CUDA: the counts of every class, and of the whole launch.

TRANSPOSE = """\
#define T 32
__global__ void transpose(float *out, const float *in, int width, int height) {
  __shared__ float tile[T][T];
  int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
  if (x < width && y < height)
    tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * T + threadIdx.x;
  y = blockIdx.x * T + threadIdx.y;
  if (x < height && y < width)
    out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
"""
LAUNCHED = """\
void go(float *a, float *b) {
  const int width = WIDTH, height = HEIGHT;
  transpose<<<dim3((width + T - 1) / T, (height + T - 1) / T), dim3(T, T)>>>(b, a, width, height);
}
"""


def reads(bx: int, by: int, width: int, height: int) -> Iterator[set[tuple[int, int]]]:
    """The (bank, word) pairs that each warp of a block reads."""
    for ty in range(32):
        inside = [tx for tx in range(32) if by * 32 + tx < height and bx * 32 + ty < width]
        yield {((32 * tx + ty) % BANKS, 32 * tx + ty) for tx in inside}


def extra(bx: int, by: int, width: int, height: int) -> int:
    """The passes of a block's reads less those without a conflict; its writes have none."""
    total = 0
    for words in reads(bx, by, width, height):
        banks = Counter(bank for bank, _ in words)
        total += max(banks.values(), default=0) - bool(words)
    return total


@real
@pytest.mark.parametrize(("width", "height"), [(1000, 500), (1024, 512), (96, 33), (31, 64)])
def test_the_classes_of_a_guarded_transpose_are_exact(
    tmp_path: Path, width: int, height: int
) -> None:
    file = tmp_path / "t.cu"
    host = LAUNCHED.replace("WIDTH", str(width)).replace("HEIGHT", str(height))
    file.write_text(TRANSPOSE + host, "utf-8")
    ended = bankwise("check", file, "--target", "sm_80", "--format", "json")
    assert ended.code == 1, ended.err
    (kernel,) = json.loads(ended.out)["kernels"]
    blocks = list(itertools.product(range(-(-width // 32)), range(-(-height // 32))))
    every = Counter(extra(bx, by, width, height) for bx, by in blocks)
    total = sum(adds * many for adds, many in every.items())
    assert kernel["counted"]
    assert kernel["totals"]["launch"]["extra"] == total
    if len(every) == 1:
        assert "classes" not in kernel
        assert any(f"all {len(blocks)} blocks" in note for note in kernel["notes"])
        return
    told: Counter[int] = Counter()
    for one in kernel["classes"]:
        assert one["added"]["kind"] == "exact"
        told[one["added"]["low"]] += one["count"]
    assert told == every
    assert kernel["launch_added"]["low"] == kernel["launch_added"]["high"] == total
    assert f"{total:,} in the launch" in kernel["verdict"]


@real
def test_what_is_missing_of_a_launch_is_named_with_how_to_give_it(tmp_path: Path) -> None:
    file = tmp_path / "t.cu"
    file.write_text(TRANSPOSE, "utf-8")
    ended = bankwise("check", file, "--target", "sm_80")
    assert ended.code == 3
    said = " ".join(ended.out.split())
    assert "grid and arguments decide it for every block" in said
    assert "--launch 'transpose<<<GRID, BLOCK>>>(_, _, N, N)'" in said
    given = bankwise(
        *("check", file, "--target", "sm_80"),
        *("--launch", "transpose<<<32x16, 32x32>>>(_, _, 1000, 500)"),
    )
    # 31 * 15 blocks of 32 * 31, 31 of 32 * 19 (20 rows), 15 of 8 * 31 (8 columns), one of 8 * 19.
    assert 465 * 992 + 31 * 608 + 15 * 248 + 152 == 484_000
    assert given.code == 1
    told = " ".join(given.out.split())
    assert "465 (x 0-30, y 0-14) add 992 each; 31 (x 0-30, y 15) add 608 each" in told
    assert "15 (x 31, y 0-14) add 248 each; 1 (x 31, y 15) adds 152: 484,000 in the launch" in told


ONLY_AT_THE_EDGE = """\
__global__ void k(float *out, const float *in, int n) {
  __shared__ float s[32][32];
  int i = blockIdx.x * 32 + threadIdx.x;
  if (blockIdx.x * 32 + 32 <= n)
    s[0][threadIdx.x] = in[i];
  else if (i < n)
    s[threadIdx.x][1] = in[i];
  __syncthreads();
  out[i] = s[0][threadIdx.x ^ 1];
}
void go(float *a, float *b) { k<<<5, 32>>>(a, b, 130); }
"""


@real
def test_an_access_that_border_blocks_alone_execute_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "edge.cu"
    file.write_text(ONLY_AT_THE_EDGE, "utf-8")
    ended = bankwise("check", file, "--target", "sm_80", "--format", "json")
    assert ended.code == 1, ended.err
    found = json.loads(ended.out)
    (kernel,) = found["kernels"]
    # 130 = 4 * 32 + 2: two lanes of block 4 store to one bank, 1 pass more than without.
    assert [(one["blocks"], one["count"], one["added"]["low"]) for one in kernel["classes"]] == [
        ("x 4", 1, 1),
        ("x 0-3", 4, 0),
    ]
    assert kernel["launch_added"]["low"] == 1
    runs = {(a["location"]["line"], a["executions"]) for a in found["accesses"]}
    assert {(7, 1), (5, 0)} <= runs


@real
def test_fix_counts_what_it_writes_in_every_class_of_blocks(tmp_path: Path) -> None:
    file = tmp_path / "t.cu"
    host = LAUNCHED.replace("WIDTH", "1000").replace("HEIGHT", "500")
    file.write_text(TRANSPOSE + host, "utf-8")
    ended = bankwise("fix", file, "--target", "sm_80", "--accept-sampled")
    said = " ".join(ended.err.split())
    assert "+  __shared__ float tile[T][T + 1];" in ended.out, ended.err
    assert "over 4 kinds of blocks together" in said
    # Writes of 32, 20, 32 and 20 warps, and reads of 32, 32, 8 and 8: 31, 19, 31 and 19 more each.
    then = 465 * (64 + 32 * 31) + 31 * (52 + 32 * 19) + 15 * (40 + 8 * 31) + 28 + 8 * 19
    now = 465 * 64 + 31 * 52 + 15 * 40 + 28
    assert f"passes of the launch: {then:,} -> {now:,}" in said


AMD_GUARD = """\
    s_load_dword s6, s[0:1], 0x8
    s_lshl_b32 s3, s2, 6
    s_waitcnt lgkmcnt(0)
    v_add_u32_e32 v1, s3, v0
    v_cmp_gt_i32_e32 vcc, s6, v1
    s_and_saveexec_b64 s[4:5], vcc
    s_cbranch_execz .LBB0_2
    v_lshlrev_b32_e32 v2, 3, v0
    ds_write_b32 v2, v0
.LBB0_2:
"""


def test_a_guard_in_an_execution_mask_is_decided_for_every_workgroup() -> None:
    launch = launch_of("k<<<5, 64>>>(_, 200)")
    text = amd_text(AMD_GUARD)
    (found,) = check_code(AMD, text, "k.s", launches=Launches(((launch,), (), ())))
    bytes_ = {
        box[0]: [tuple(one) for one in stored(kernel)]
        for kernel in (found, *found.others)
        for box in kernel.boxes
    }
    # 200 = 3 * 64 + 8
    assert bytes_ == {
        range(3): [tuple(range(0, 512, 8))],
        range(3, 4): [tuple(range(0, 64, 8))],
        range(4, 5): [],
    }


LONG = """\
__global__ void k(float *out, const float *in, TYPE n) {
  __shared__ float s[32][32];
  TYPE i = (TYPE)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    s[threadIdx.x % 32][threadIdx.x / 32] = in[i];
  __syncthreads();
  if (i < n)
    out[i] = s[threadIdx.x / 32][threadIdx.x % 32];
}
void run(float *x, TYPE n) { k<<<(n + 1023) / 1024, 1024>>>(x, x, n); }
void go(float *x) { run(x, 5000000); }
"""


@real
@pytest.mark.parametrize("kind", ["long", "size_t", "unsigned", "int"])
def test_an_index_of_64_bits_is_decided_for_every_block(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "long.cu"
    file.write_text(LONG.replace("TYPE", kind), "utf-8")
    ended = bankwise("check", file, "--target", "sm_80", "--format", "json")
    (kernel,) = json.loads(ended.out)["kernels"]
    # 5,000,000 = 4,882 * 1,024 + 832: of the last block 26 warps write a column of 32 words.
    told = [(one["blocks"], one["count"], one["added"]["low"]) for one in kernel["classes"]]
    assert told == [("x 0-4881", 4882, 32 * 31), ("x 4882", 1, 26 * 31)]
    assert kernel["launch_added"]["low"] == 4882 * 32 * 31 + 26 * 31


@pytest.mark.parametrize("is_signed", [False, True])
@pytest.mark.parametrize(
    ("factor", "low", "high"), [(7, 5, 0), (1 << 20, 9, 3), (3, 0xFFFFFFF0, 1)]
)
def test_an_upper_word_is_told_where_it_is_one_in_all_blocks(
    is_signed: bool, factor: int, low: int, high: int
) -> None:
    box: Box = (range(2, 40), range(1), range(1))
    y, z, top = (np.full((1, 1), n, np.uint32) for n in (factor, low, high))
    found = upper_word(block_index(0, box), y, z, top, is_signed)
    wanted = {(block * factor + (high << 32) + low) >> 32 for block in box[0]}
    assert (None if found is None else {int(found[0, 0])}) == (wanted if len(wanted) == 1 else None)


def test_a_grid_of_blocks_that_fill_no_warp_is_cut_at_its_borders_alone() -> None:
    guard, _ = GUARDS["x < w and y < h"]
    found = classes(guard, (4_000, 3_000), (20, 5), 63_999, 23_995)
    assert len(found) == 4
    assert sum(one.blocks for one in found) == 12_000_000


@real
def test_the_class_that_is_shown_is_not_scaled_by_the_whole_grid(tmp_path: Path) -> None:
    """What a profile measured is of all blocks; the numbers of one class are not multiplied."""
    from bankwise.ask.beside.beside import _unsure
    from bankwise.ask.check import check_file
    from bankwise.read.options import Options

    for width, differ in ((1000, True), (1024, False)):
        file = tmp_path / f"t{width}.cu"
        host = LAUNCHED.replace("WIDTH", str(width)).replace("HEIGHT", "512")
        file.write_text(TRANSPOSE + host, "utf-8")
        (kernel,) = check_file(file, Options(target="sm_80")).kernels
        assert bool(_unsure(kernel)) == differ


TWICE = """\
void run(float *a, float *b, int width, int height) {
  transpose<<<dim3((width + T - 1) / T, (height + T - 1) / T), dim3(T, T)>>>(b, a, width, height);
}
void go(float *a, float *b) {
  run(a, b, 1024, 512);
  run(a, b, 1000, 500);
}
"""


@real
def test_another_launch_is_told_with_its_total(tmp_path: Path) -> None:
    file = tmp_path / "twice.cu"
    file.write_text(TRANSPOSE + TWICE, "utf-8")
    ended = bankwise("check", file, "--target", "sm_80", "--format", "json")
    (kernel,) = json.loads(ended.out)["kernels"]
    assert "classes" not in kernel
    (other,) = kernel["launch"]["others"]
    blocks = itertools.product(range(32), range(16))
    assert other["launch_added"]["low"] == sum(extra(x, y, 1000, 500) for x, y in blocks)
    assert (other["blocks"], other["added"]["low"]) == ("x 0-30, y 0-14", 992)
    plain = bankwise("check", file, "--target", "sm_80").out
    assert "adds 992 in blocks x 0-30, y 0-14, 484,000 in the launch" in " ".join(plain.split())


@real
def test_arguments_that_are_missing_of_a_known_grid_are_tried_in_one_of_its_blocks(
    tmp_path: Path,
) -> None:
    file = tmp_path / "args.cu"
    host = (
        "void go(float *a, int w, int h) { transpose<<<dim3(4, 3), dim3(T, T)>>>(a, a, w, h); }\n"
    )
    file.write_text(TRANSPOSE + host, "utf-8")
    ended = bankwise("check", file, "--target", "sm_80", "--format", "json")
    assert ended.code == 3
    found = json.loads(ended.out)
    assert [one["option"] for one in found["openers"]] == ["--arg 2=16 --arg 3=16"]
    (kernel,) = found["kernels"]
    assert not any("depends on arguments of the launch" in note for note in kernel["notes"])
    printed = bankwise("check", file, "--target", "sm_80").out
    assert "open: transpose: --arg 2=16 --arg 3=16" in " ".join(printed.split())
    given = bankwise("check", file, "--target", "sm_80", "--arg", "width=128", "--arg", "height=96")
    assert given.code == 1
    assert "all 12 blocks of the launch run so" in " ".join(given.out.split())


# Several launches whose blocks differ.

SEVERAL = """
__global__ void k(float* out, const float* in, int width, int height) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y][threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x; y = blockIdx.x * 32 + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y];
}
void run(float* o, const float* i, int w, int h) {
  k<<<dim3((w + 31) / 32, (h + 31) / 32), dim3(32, 32)>>>(o, i, w, h);
}
int main() { float *a, *b; run(a, b, 1000, 500); run(a, b, 2048, 1024); run(a, b, 40, 64); }
"""


def transposed(width: int, height: int) -> Counter[int]:
    """What each block adds: a row that has n elements inside is read as a column of n words of one
    bank."""
    found: Counter[int] = Counter()
    for x, y in itertools.product(range(-(-width // 32)), range(-(-height // 32))):
        rows, lanes = min(32, width - 32 * x), min(32, height - 32 * y)
        found[rows * (lanes - 1)] += 1
    return found


@real
def test_classes_of_a_launch_are_its_own_where_others_stand_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(SEVERAL)
    told = json.loads(bankwise("check", str(path), "-t", "sm_80", "--format", "json").out)
    (kernel,) = told["kernels"]
    first, second, third = (transposed(*size) for size in ((1000, 500), (2048, 1024), (40, 64)))
    classes = Counter({one["added"]["low"]: 0 for one in kernel["classes"]})
    for one in kernel["classes"]:
        classes[one["added"]["low"]] += one["count"]
    assert classes == first
    assert kernel["launch_added"]["low"] == sum(added * n for added, n in first.items())
    others = {tuple(one["grid"]): one for one in kernel["launch"]["others"]}
    assert others[64, 32, 1]["added"]["low"] == max(second)
    assert others[2, 2, 1]["added"]["low"] == max(third)
    total = others[2, 2, 1]["launch_added"]["low"]
    assert total == sum(added * n for added, n in third.items())


REMAINDERS = """\
mov.u32 %r5, %ctaid.x;
shl.b32 %r6, %r5, 7;
or.b32 %r7, %r6, %r1;
shr.s32 %r8, %r7, 31;
shr.u32 %r9, %r8, 25;
add.s32 %r10, %r7, %r9;
and.b32 %r11, %r10, -128;
sub.s32 %r12, %r7, %r11;
shl.b32 %r13, %r12, 2;
mov.u32 %r14, tile;
add.s32 %r15, %r14, %r13;
st.shared.u32 [%r15], %r1;
"""


def test_a_remainder_of_an_int_is_followed_over_more_blocks_than_are_cut_apart() -> None:
    """``(blockIdx.x * 128 + threadIdx.x) % 128``: what compilers make of it asks the sign."""
    (kernel,) = check_code(
        PTX,
        ptx_text(REMAINDERS),
        "k.ptx",
        launches=Launches(stated=((launch_of("k<<<5000, 32>>>()"),),)),
    )
    assert (kernel.blocks, len(kernel.others), len(kernel.refusals)) == (5000, 0, 0)
    (access,) = kernel.accesses
    assert lanes(access) == [4 * lane for lane in range(32)]


TAKING = {
    "shr": (lambda v, k: v >> k, (0,)),
    "sar": (lambda v, k: (v.view(np.int32) >> k.view(np.int32)).view(np.uint32), (0,)),
    "and": (lambda v, k: v & (k * np.uint32(0x1F35_7BD1)), ()),
    "or": (lambda v, k: v | (np.uint32(1) << k), ()),
    "xor": (lambda v, k: v ^ (k * np.uint32(0x0010_0804)), ()),
}


@pytest.mark.parametrize("seed", range(200))
def test_bits_that_are_taken_of_a_number_are_those_of_each_block(seed: int) -> None:
    draw = random.Random(seed)
    box: Box = (
        range(draw.randrange(4), draw.randrange(5, 60)),
        range(draw.choice((1, 7))),
        range(1),
    )
    a, b = draw.choice((1, 8, 128, 0xFFFFFF80)), draw.choice((0, 64, 4096))
    c = draw.choice((0, 5, 1 << 20, 0x7FFFFF00, 0xFFFFF000))
    x = summed(
        lambda i, j: i * np.uint32(a) + j * np.uint32(b) + np.uint32(c),
        [block_index(0, box), block_index(1, box)],
    )
    count = np.full((1, 1), draw.randrange(32), np.uint32)
    function, of = TAKING[draw.choice(list(TAKING))]
    told = Bitwise(function, of).unknown(Unknown("x"), (Unknown("x", over=x), count))
    over = told if isinstance(told, np.ndarray) else told.over
    for i, j in itertools.product(*box[:2]) if over is not None else ():
        number = np.full((1, 1), (i * a + j * b + c) % (1 << 32), np.uint32)
        found = over
        if isinstance(over, OverBlocks):
            moved = (np.uint32(i - box[0].start), np.uint32(j))
            found = over.first + moved[0] * over.steps[0] + moved[1] * over.steps[1]
        assert int(found[0, 0]) == int(function(number, count)[0, 0])


def test_most_bits_that_are_taken_are_known() -> None:
    """The law above is not empty: of an int that is not negative the sign is nought in all."""
    box: Box = (range(5000), range(1), range(1))
    x = summed(lambda i: i * np.uint32(128), [block_index(0, box)])
    sign = np.full((1, 1), 31, np.uint32)
    function, of = TAKING["sar"]
    told = Bitwise(function, of).unknown(Unknown("x"), (Unknown("x", over=x), sign))
    assert isinstance(told, np.ndarray)
    assert not told.any()
