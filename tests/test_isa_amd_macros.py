"""Assembly as people keep it: symbols, macros, repetition, conditions. LLVM's assembler judges."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from bankwise.errors import InputError
from bankwise.read.amd import macros
from bankwise.read.amd.dialect import AMD
from bankwise.read.amd.expressions import evaluate
from bankwise.read.amd.macros import unfolded
from bankwise.read.follow.driver import check_code
from isa_texts import amd, lanes
from test_isa_amd_disassemble import text_of, tool

LANE = np.arange(64)

HAND_WRITTEN = """\
/* a header of
   several lines; with ds_read_b32 v0, v1 in it */
.set vgprAddr, 4
.set vgprData, vgprAddr+4      // behind it
.equ LDS_B, 0x400
sgprArgs = 0
.macro FETCH dst:req, base=vgprAddr, off=0   ; with defaults
    ds_read_b128 v[\\dst:\\dst+3], v[\\base] offset:\\off
.endm
.macro TWICE what, args:vararg
    \\what \\args
    \\what \\args
.endm
.macro ROUND n
    .if \\n > 2
        s_nop \\n
    .elseif \\n == 2
        s_sleep \\n
    .else
        s_nop 0
    .endif
.L\\()mark\\@_\\n:
.endm
    s_load_dword s[sgprArgs+8], s[sgprArgs:sgprArgs+1], 0x8
    v_lshlrev_b32 v[vgprAddr], 4, v0
    v_add_u32 v[vgprAddr+1], LDS_B*2, v[vgprAddr]
    FETCH vgprData
    FETCH vgprData+4, vgprAddr+1
    FETCH dst=vgprData+8, off=LDS_B/2+16*(1+1)
    TWICE v_add_u32, v[vgprData], v[vgprData + 1], v0
    .rept 3
    v_xor_b32 v[vgprData], LDS_B|1, v[vgprData]
    .endr
    .irp r, 1, 2, 3
    ROUND \\r
    v_mov_b32 v[vgprData+\\r], \\r
    .endr
    .irpc c, 012
    v_mov_b32 v1\\c, \\c
    .endr
    .set vgprData, 20
    .ifdef vgprData
    ds_write_b64 v[vgprAddr], v[vgprData:vgprData+1] offset:(LDS_B>>1)&0xff0
    .endif
    .ifndef LDS_C
    .set LDS_C, -(LDS_B) + 2*LDS_B
    .endif
    .ifc abc, abc
    ds_write_b32 v4, v5 offset:LDS_C
    .else
    .error "not here"
    .endif
    s_endpgm
"""


def code(text: str, folder: Path) -> bytes:
    """The machine code that LLVM makes of ``text``."""
    made = folder / "a.o"
    run = [tool("llvm-mc"), "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj"]
    done = subprocess.run(
        [*run, "-o", str(made)], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return text_of(made.read_bytes())


def test_what_is_unfolded_assembles_to_the_same_code(tmp_path: Path) -> None:
    plain = "\n".join(line for _, line in unfolded(HAND_WRITTEN))
    assert not re.search(r"^\s*\.(macro|rept|irp|if|set|equ)", plain, re.MULTILINE)
    assert not re.search(r"vgpr|LDS_|sgpr", plain.split("header")[-1].replace("LDS_B*2", ""))
    assert code(plain, tmp_path) == code(HAND_WRITTEN, tmp_path)


def test_lines_keep_the_place_that_they_come_from() -> None:
    lines = {line.strip(): number for number, line in unfolded(HAND_WRITTEN)}
    source = HAND_WRITTEN.splitlines()
    assert source[lines["ds_read_b128  v[8:11], v[4] offset:0"] - 1].strip() == "FETCH vgprData"
    assert source[lines["s_endpgm"] - 1].strip() == "s_endpgm"


def operand(depth: int, pick: random.Random) -> str:
    if not depth or pick.random() < 0.3:
        return pick.choice(["A", "B", "7", "0x10", "010", "0b11", "1", "0"])
    if pick.random() < 0.3:
        return pick.choice("-~!") + f"({operand(depth - 1, pick)})"
    words = [
        "+",
        "-",
        "*",
        "/",
        "%",
        "<<",
        ">>",
        "|",
        "&",
        "^",
        "==",
        "!=",
        "<",
        ">",
        "<=",
        ">=",
        "&&",
        "||",
    ]
    return f"{operand(depth - 1, pick)} {pick.choice(words)} {operand(depth - 1, pick)}"


def test_expressions_are_what_the_assembler_computes(tmp_path: Path) -> None:
    pick = random.Random(11)
    texts = [operand(4, pick) for _ in range(300)]
    values = [(one, evaluate(one, {"A": 5, "B": -12})) for one in texts]
    known = [(one, value) for one, value in values if value is not None]
    assert len(known) > 200
    quads = "".join(f".quad {one}\n" for one, _ in known)
    made = code(f".set A, 5\n.set B, -12\n{quads}", tmp_path)
    words = [made[at : at + 8] for at in range(0, len(made), 8)]
    expected = [int.from_bytes(word, "little", signed=True) for word in words]
    assert [value for _, value in known] == expected[: len(known)]


@pytest.mark.parametrize(
    "text", ["", "1+", "(1", "1)", "X", "1/0", "1%0", "1 2", "1<<64", "v[1]", "(" * 500, "²", "0.5"]
)
def test_what_has_no_number_is_none(text: str) -> None:
    assert evaluate(text, {}) is None


def test_a_kernel_of_macros_is_followed() -> None:
    body = """.set vgprAt, 3
.set tile, 0x1000
.macro SWIZZLE to, row, mask=7
\tv_and_b32 v[\\to], \\mask, v[\\row]
\tv_lshlrev_b32 v[\\to], 4, v[\\to]
.endm
\tv_mov_b32 v5, v0
\tSWIZZLE vgprAt, 5
\tSWIZZLE to=vgprAt+1, row=5, mask=3
\tds_read_b128 v[8:11], v[vgprAt] offset:tile+16
\tds_read_b128 v[8:11], v[vgprAt+1] offset:tile"""
    first, second = amd(body).accesses
    assert lanes(first) == (0x1010 + 16 * (LANE & 7)).tolist()
    assert lanes(second) == (0x1000 + 16 * (LANE & 3)).tolist()
    assert first.access.location.line == 12


@pytest.mark.parametrize(
    "line",
    [
        ".if N > 1\n\ts_nop 0\n.endif",
        ".rept N\n\ts_nop 0\n.endr",
        "NONE v1, v2",
        "ONE",
        "ONE 1, 2, 3",
    ],
)
def test_what_cannot_be_unfolded_is_refused_where_it_stands(line: str) -> None:
    macro = ".macro ONE a:req, b\n\ts_nop \\a\n.endm\n"
    kernel = amd(f"{macro}{line}\n\tds_read_b32 v1, v0")
    assert kernel.refusals
    assert not [one for one in kernel.accesses if one.counted and not kernel.refusals]


def test_text_that_would_unfold_without_an_end_stays_as_it_is(monkeypatch) -> None:
    monkeypatch.setattr(macros, "MOST_LINES", 5_000)
    assert len(unfolded(".macro A\nA\nA\n.endm\nA\n" + "x\n" * 10)) < 10_000
    assert len(unfolded(".rept 5000\n.rept 5000\ns_nop 0\n.endr\n.endr\n")) < 10_000
    assert unfolded(".macro X\n.if 1\n")[0] == (1, ".macro X")


HAND = """.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
.section .rodata,#alloc
.amdhsa_kernel first
  .amdhsa_user_sgpr_kernarg_segment_ptr 1 // a pointer
  .amdhsa_group_segment_fixed_size LDS // bytes
.end_amdhsa_kernel
.amdhsa_kernel second
.end_amdhsa_kernel
.text
.set LDS, 4096
first:
  ds_read_b32 v1, v0
  s_endpgm
second:
  ds_write_b32 v0, v1
  s_branch last
last:
  s_endpgm
"""


def test_a_kernel_without_a_written_end_ends_where_the_next_begins() -> None:
    first, second = check_code(AMD, HAND, "k.s", workgroup_size=(64, 1, 1))
    assert [a.instruction for a in first.accesses] == ["ds_read_b32"]
    assert [a.instruction for a in second.accesses] == ["ds_write_b32"]
    assert not first.refusals + second.refusals


def test_a_text_that_ends_in_the_middle_is_still_cut_off() -> None:
    cut = HAND[: HAND.index("  s_branch last")]
    with pytest.raises(InputError, match="the code of second has no end"):
        check_code(AMD, cut, "k.s", workgroup_size=(64, 1, 1))
