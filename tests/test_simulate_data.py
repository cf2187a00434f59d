"""Execution where data decide an index: with data that leave the text as it is in its arrays."""

from __future__ import annotations

import pytest

from bankwise.ask.judge_emitted import judge_code
from bankwise.read.follow.driver import check_code
from bankwise.read.launch.expression import launch_of
from bankwise.read.launch.facts import Launches
from bankwise.read.ptx.dialect import PTX
from bankwise.show.fixing import Verdict

TEXT = """
.version 8.3
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)
{{
  .reg .b32 %r<20>;
  .reg .b64 %rd<9>;
  .shared .align 16 .b8 tile[512];
  .shared .align 16 .b8 lut[256];
  ld.param.u64 %rd1, [k_param_0];
  ld.param.u64 %rd2, [k_param_1];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  add.s64 %rd5, %rd2, %rd3;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  mov.u32 %r4, lut;
  ld.global.u32 %r5, [%rd4];
  {place}
  add.s32 %r7, %r3, %r6;
  st.shared.u32 [%r7], %r5;
  add.s32 %r8, %r4, %r2;
  st.shared.u32 [%r8], %r5;
  bar.sync 0;
  {index}
  shl.b32 %r9, %r9, 2;
  add.s32 %r10, %r4, %r9;
  ld.shared.u32 %r11, [%r10];
  xor.b32 %r12, %r2, 4;
  {again}
  add.s32 %r13, %r3, %r12;
  ld.shared.u32 %r14, [%r13];
  add.s32 %r15, %r14, %r11;
  st.global.u32 [%rd5], %r15;
  ret;
}}
"""
PLAIN, FOLDED = "mov.u32 %r6, %r2;", "xor.b32 %r6, %r2, 8;"
BACK = "xor.b32 %r12, %r12, 8;"


def judged(index: str, place: str = FOLDED, again: str = BACK, *, one: bool = False) -> Verdict:
    """What is said of 64 threads that exchange elements of a tile, and read a table at an index of
    data. ``one``: tile and table are one variable."""
    before = TEXT.format(place=PLAIN, index=index, again="")
    after = TEXT.format(place=place, index=index, again=again)
    if one:
        texts = (
            text.replace("  .shared .align 16 .b8 lut[256];\n", "").replace(
                "%r4, lut;", "%r4, tile; add.s32 %r4, %r4, 256;"
            )
            for text in (before, after)
        )
        before, after = texts
    said = Launches(((launch_of("k<<<1, 64>>>(_, _)"),),))
    return judge_code("PTX", before, after, check_code(PTX, before, "k.ptx", launches=said))


@pytest.mark.parametrize(
    ("index", "data"),
    [
        ("and.b32 %r9, %r5, 63;", ""),
        ("rem.s32 %r9, %r5, 64;", "with no data below zero"),
        ("cvt.s32.s8 %r9, %r5; rem.s32 %r9, %r9, 64;", "with no data below zero, bytes neither"),
        ("mov.u32 %r9, %r5;", "with data from 0 to 63 alone"),
        ("shl.b32 %r9, %r5, 3;", "with data from 0 to 7 alone"),
        ("cvt.rzi.s32.f32 %r9, %r5;", "with data from 0 to 63 alone"),
    ],
)
def test_data_are_tried_that_leave_no_array_of_the_text_as_it_is(index: str, data: str) -> None:
    told = judged(index)
    assert told.status == "passed"
    assert told.complete == (not data)
    assert told.detail.startswith("PTX of 1 block, values as terms: 64 words written alike")
    said = f", {data}: with others an index that data decide leaves its array"
    assert (said in told.detail) == bool(data)
    assert ("leaves its array" in told.detail) == bool(data)


def test_a_text_that_leaves_its_arrays_with_all_data_is_not_run() -> None:
    told = judged("and.b32 %r9, %r5, 63; add.s32 %r9, %r9, 64;")
    assert told.status == "not available"
    assert told.detail.endswith("so it is in the text as it is with all data that were tried")


@pytest.mark.parametrize(
    ("place", "again", "why"),
    [
        (FOLDED, "", "block 0,0,0 writes another value 0 bytes behind pointer 2"),
        ("add.s32 %r6, %r2, 512;", "add.s32 %r12, %r12, 512;", "not in the text as it was"),
    ],
)
def test_a_text_that_is_wrong_whatever_data_are_fails(place: str, again: str, why: str) -> None:
    for index in ("and.b32 %r9, %r5, 63;", "rem.s32 %r9, %r5, 64;"):
        told = judged(index, place, again)
        assert told.status == "failed"
        assert why in told.detail


def test_what_other_data_write_otherwise_in_one_variable_is_not_known_to_be_wrong() -> None:
    """Before the table lies the tile there, for all the machine code tells."""
    assert judged("and.b32 %r9, %r5, 63;", one=True).status == "passed"
    told = judged("rem.s32 %r9, %r5, 64;", one=True)
    assert told.status == "not available"
    assert told.detail.endswith(
        "with no data below zero both write alike: an index that data decide may leave its array"
    )
    assert judged("rem.s32 %r9, %r5, 64;", FOLDED, "", one=True).status == "failed"


TWO = """.version 8.0
.target sm_90
.address_size 64
"""
ONE = """.visible .entry {name}(.param .u64 out)
{{
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	{does}
	ret;
}}
"""


def test_of_a_kernel_that_writes_nothing_beside_others_nothing_is_compared() -> None:
    """It is no part of what passed, and the launch is not seen as a whole."""
    writes = ONE.format(name="a", does="st.global.u32 [%rd1], %r1;")
    silent = ONE.format(name="b", does="add.u32 %r2, %r1, 1;")
    said = Launches((tuple(launch_of(f"{name}<<<1, 1>>>(_)") for name in "ab"),))
    text = TWO + writes + silent
    told = judge_code("PTX", text, text, check_code(PTX, text, "k.ptx", launches=said))
    assert (told.status, told.complete) == ("passed", False)
    assert "1 words written alike; of b nothing was compared" in told.detail
    alone = TWO + writes
    said = Launches(((launch_of("a<<<1, 1>>>(_)"),),))
    assert judge_code("PTX", alone, alone, check_code(PTX, alone, "k.ptx", launches=said)).complete
