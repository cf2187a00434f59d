"""Memory that TMA moves beside lanes: who places its bytes, and what modes would take of lanes."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import bankwise
from cuda_fixes import real
from isa_texts import ptx_text
from sass_texts import sass

LANES = """
    mov.u32 %r2, tile;
    shl.b32 %r3, %r1, 7;
    add.u32 %r4, %r2, %r3;
    st.shared.v4.b32 [%r4+{at}], {{%r1, %r1, %r1, %r1}};
    setp.eq.u32 %p1, %r1, 0;
    @%p1 {copy};
"""
"""Rows of 128 bytes, a lane each: without a mode the 32 lanes meet in the same four banks."""
BYTES = "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 4096"
TENSOR = "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%rd1, {%r5, %r6}], [%r2]"


def said(folder: Path, copy: str, at: int = 0, shared: str = "tile[8192]") -> str:
    path = folder / "k.ptx"
    path.write_text(ptx_text(LANES.format(at=at, copy=copy), shared=shared))
    return " ".join(bankwise("check", path, "-t", "sm_90", "--all").out.split())


def test_the_mode_of_a_tensor_map_is_counted_for_the_lanes(tmp_path: Path) -> None:
    """Eight lanes a phase, which the XOR spreads over all eight pieces of a row: 32 -> 4."""
    told = said(tmp_path, TENSOR)
    assert "finds bytes by the swizzle mode of its tensor map, which the host makes" in told
    assert "the mode 128B, with Sw<3,4,3> on the byte addresses of lanes" in told
    assert "takes 4 of their passes for 32, by counting" in told
    assert "begins at a multiple of 1,024 bytes" in told


def test_a_copy_of_bytes_has_no_mode_but_a_tensor_copy_in_its_place_would(tmp_path: Path) -> None:
    told = said(tmp_path, BYTES)
    assert "copies bytes in the order in which they lie; with a tensor copy in its place" in told
    assert "takes 4 of their passes for 32, by counting" in told


def test_what_may_be_the_rest_of_a_box_is_said(tmp_path: Path) -> None:
    """The layout of bytes 16 to 4,096 is one only if the box ends before them."""
    assert "if its box, which the host makes, reaches so far" in said(tmp_path, TENSOR, at=16)


def test_a_gap_ends_what_a_box_may_be(tmp_path: Path) -> None:
    assert "reaches so far" not in said(tmp_path, TENSOR, at=1024)


@pytest.mark.parametrize("hint", ["", ", desc[UR8]"])
def test_a_bulk_copy_with_a_hint_to_the_cache_is_one(hint: str) -> None:
    """As nvcc 13.0 writes it for ``.L2::cache_hint``; UR6 counts pieces of 16 bytes."""
    code = f"UMOV UR7, 0x400\nUMOV UR6, 0x4\nUBLKCP.G.S [UR4], [UR7], UR6{hint}"
    (access,) = sass(code).accesses
    (pattern,) = access.access.patterns
    assert access.access.direction == "read"
    assert pattern.offsets_bytes[pattern.active].tolist() == [1024, 1040, 1056, 1072]


SOURCE = """\
#include <cstdint>
__global__ void __launch_bounds__(32) k(float* out, const float* in) {
  __shared__ __align__(128) float s[32][32];
  for (int i = 0; i < 32; ++i) s[threadIdx.x][i] = in[i * 32 + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    uint32_t a = __cvta_generic_to_shared(&s[0][0]);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 4096;"
                 :: "l"(out), "r"(a) : "memory");
  }
}
void go(float* out, float* in) { k<<<1, 32>>>(out, in); }
"""


@real
def test_fix_names_no_map_by_hand_of_what_a_unit_copies(tmp_path: Path) -> None:
    """It was "by hand: rows of 32 become 32 + 4", after which the copy writes the padding out."""
    file = tmp_path / "k.cu"
    file.write_text(SOURCE)
    done = bankwise("fix", file, "-t", "sm_90a")
    told = " ".join((done.out + done.printed).split())
    assert "by hand" not in told
    assert "UBLKCP.G.S copies bytes in the order in which they lie" in told
