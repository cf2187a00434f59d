"""Unknown values know which fact of the launch they are made of, as ``--arg`` names it."""

from __future__ import annotations

import pytest

from bankwise.read.follow.driver import check_code
from bankwise.read.ptx.dialect import PTX

_TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .align 8 .b8 k_param_0[24])
.maxntid 32, 1, 1
{
  .reg .b32 %r<9>;
  .shared .align 4 .b8 tile[4096];
  ld.param.v2.u32 {%r1, %r2}, [k_param_0+8];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, tile;
  mad.lo.s32 %r5, %r3, %r2, %r4;
  st.shared.u32 [%r5], %r3;
  ret;
}
"""


def _ways(stride: int) -> int:
    """Distinct words of the fullest bank, counted here."""
    words = {lane * stride // 4 for lane in range(32)}
    return max(sum(word % 32 == bank for word in words) for bank in range(32))


def test_a_part_of_a_parameter_is_named_by_its_place() -> None:
    (kernel,) = check_code(PTX, _TEXT, "k.ptx")
    (refusal,) = kernel.refusals
    assert "kernel parameter k_param_0+12" in refusal.reason


@pytest.mark.parametrize("stride", [4, 8, 128])
def test_a_part_of_a_parameter_can_be_given(stride: int) -> None:
    (kernel,) = check_code(PTX, _TEXT, "k.ptx", args={"k_param_0+12": stride, "k_param_0+8": 64})
    (found,) = kernel.accesses
    (pattern,) = found.access.patterns
    words = {int(at) // 4 for at in pattern.offsets_bytes.ravel()}
    assert max(sum(w % 32 == bank for w in words) for bank in range(32)) == _ways(stride)
