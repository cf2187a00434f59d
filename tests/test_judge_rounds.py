"""A block that goes on for too long to be executed: which launch would do is said, and does."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from bankwise.ask.array_posed import SizedArray, posed_of
from bankwise.ask.judge_emitted import judge_code
from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import machine
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import parse
from bankwise.read.follow.driver import check_code
from bankwise.read.launch.expression import launch_of
from bankwise.read.launch.facts import Launches
from bankwise.read.ptx.dialect import PTX
from bankwise.show.fixing import Verdict

TEXT = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry _Z1kPfii(.param .u64 _Z1kPfii_param_0, .param .u32 _Z1kPfii_param_1,
    .param .u32 _Z1kPfii_param_2)
.maxntid 32, 1, 1
{
  .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<2>;
  .shared .align 4 .b8 s[4096];
  ld.param.u64 %rd1, [_Z1kPfii_param_0];
  ld.param.u32 %r1, [_Z1kPfii_param_2];
  mov.u32 %r2, %tid.x;
  shl.b32 %r3, %r2, 2;
  mov.u32 %r4, s;
  add.s32 %r4, %r4, %r3;
  mov.u32 %r5, 0;
L:
  st.shared.u32 [%r4], %r5;
  add.s32 %r5, %r5, 1;
  setp.lt.s32 %p1, %r5, %r1;
  @%p1 bra L;
  ld.shared.u32 %r6, [%r4];
  st.global.u32 [%rd1], %r6;
  ret;
}
"""


def judged(launch: str) -> Verdict:
    said = Launches(((launch_of(launch),),))
    return judge_code("PTX", TEXT, TEXT, check_code(PTX, TEXT, "k.ptx", launches=said))


@pytest.mark.parametrize("last", [4_096, 4_000_000])
def test_a_launch_that_is_too_long_names_one_that_is_not(
    last: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round has four statements: 128 rounds are 512, 4,096 are more than are run here."""
    monkeypatch.setattr("bankwise.change.simulate.run.MOST_STEPS", 10_000)
    monkeypatch.setattr("bankwise.read.follow.leap.MOST_ITERATIONS", 5_000)
    told = judged(f"k<<<8, 32>>>(_, 7, {last})")
    assert told.status == "not available"
    (less,) = re.findall("--launch '(.*)'$", told.detail)
    assert less == "k<<<8x1x1, 32x1x1>>>(_, 7, 128)"
    assert judged(less).status == "passed"


@pytest.mark.parametrize(("why", "told"), [("more work than 500 steps", True), ("x", False)])
def test_an_array_whose_accesses_take_too_many_rounds_says_that_fewer_can_be_followed(
    why: str, told: bool
) -> None:
    (array,) = shared_arrays(parse("__global__ void k() { __shared__ float s[1024]; }", "k.cu"))
    place = Location("k.cu", 1)
    made = AssemblyKernel(*("k", "sm_90", place, 4_096, 32, (32, 1, 1), (), (), (), {}))
    kernel = replace(
        made,
        refusals=(Refusal(why, place),),
        launch=launch_of("k<<<8, 32>>>(_, 4096)"),
    )
    size = ArraySize(4_096, 4, (1_024,), 4, 0)
    found = posed_of(SizedArray(0, array, (size,), (kernel,), ()), machine("sm_90"))
    assert isinstance(found, Refusal)
    assert ("--launch 'k<<<8x1x1, 32x1x1>>>(_, 128)'" in found.reason) == told
