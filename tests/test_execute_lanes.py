"""What AMD lanes tell each other, against a loop over the lanes written from the ISA document."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("iree.compiler")

from bankwise.errors import InputError
from run_mlir import run

LANES = range(64)

SOURCES = {
    # CDNA3 ISA, table of DPP_CTRL: the lane that lane n reads, None where there is none
    "quad_perm([2, 0, 3, 1])": lambda n: n - n % 4 + [2, 0, 3, 1][n % 4],
    "row_shl(3 : i32)": lambda n: n + 3 if n % 16 + 3 < 16 else None,
    "row_shr(5 : i32)": lambda n: n - 5 if n % 16 >= 5 else None,
    "row_ror(6 : i32)": lambda n: n - n % 16 + (n - 6) % 16,
    "wave_shl": lambda n: n + 1 if n < 63 else None,
    "wave_shr": lambda n: n - 1 if n > 0 else None,
    "wave_rol": lambda n: (n + 1) % 64,
    "wave_ror": lambda n: (n + 63) % 64,
    "row_mirror": lambda n: n - n % 16 + 15 - n % 16,
    "row_half_mirror": lambda n: n - n % 8 + 7 - n % 8,
    "row_bcast_15": lambda n: n - n % 16 - 1 if n >= 16 else None,
    "row_bcast_31": lambda n: 31 if n >= 32 else None,
}
CONTROLS = {
    # the same movements by number, CDNA3 ISA
    "quad_perm([2, 0, 3, 1])": 2 | 0 << 2 | 3 << 4 | 1 << 6,
    "row_shl(3 : i32)": 0x103,
    "row_shr(5 : i32)": 0x115,
    "row_ror(6 : i32)": 0x126,
    "wave_shl": 0x130,
    "wave_rol": 0x134,
    "wave_shr": 0x138,
    "wave_ror": 0x13C,
    "row_mirror": 0x140,
    "row_half_mirror": 0x141,
    "row_bcast_15": 0x142,
    "row_bcast_31": 0x143,
}
MASKS = [(15, 15, False), (15, 15, True), (10, 15, False), (15, 6, True), (5, 9, False)]


def lanes(body: str, kind: str = "i32", size: int = 64):
    """What each lane gives (100 + lane) as ``%v`` and what it stores as ``%r``; ``%old`` is -1."""
    text = f"""func.func @k(%in: memref<{size}x{kind}>, %out: memref<{size}x{kind}>) {{
  %t = gpu.thread_id x
  %v = memref.load %in[%t] : memref<{size}x{kind}>
  %old = arith.constant -1 : i32
{body}
  memref.store %r, %out[%t] : memref<{size}x{kind}>
  return
}}"""
    given, out = np.arange(100, 100 + size, dtype=np.int32), np.zeros(size, np.int32)
    assert run(text, given, out, size=size).faults == ()
    return given, out


def expected(given, source, rows: int, banks: int, zero: bool):
    """Lane by lane: not enabled keeps the old value, no source is 0 or keeps it."""
    out = []
    for lane in LANES:
        enabled = rows >> lane // 16 & 1 and banks >> lane % 16 // 4 & 1
        giver = source(lane)
        if not enabled or (giver is None and not zero):
            out.append(-1)
        else:
            out.append(0 if giver is None else given[giver])
    return out


@pytest.mark.parametrize(("rows", "banks", "zero"), MASKS)
@pytest.mark.parametrize("kind", SOURCES)
def test_dpp_moves_as_the_isa_says(kind, rows, banks, zero):
    options = f"row_mask({rows}) bank_mask({banks})" + (" bound_ctrl(true)" if zero else "")
    given, out = lanes(f"  %r = amdgpu.dpp %old %v {kind} {options} : i32")
    assert out.tolist() == expected(given, SOURCES[kind], rows, banks, zero)


@pytest.mark.parametrize("kind", CONTROLS)
def test_the_number_of_a_movement_means_the_same(kind):
    number = CONTROLS[kind]
    given, out = lanes(f"  %r = rocdl.update.dpp %old, %v with {number}, 10, 15, false : i32")
    assert out.tolist() == expected(given, SOURCES[kind], 10, 15, False)


def test_dpp_does_not_guess_what_a_lane_that_does_not_run_gives():
    body = """  %c8 = arith.constant 8 : index
  %low = arith.cmpi ult, %t, %c8 : index
  %r = scf.if %low -> i32 {
    %x = amdgpu.dpp %old %v row_shl(1 : i32) : i32
    scf.yield %x : i32
  } else {
    scf.yield %v : i32
  }"""
    with pytest.raises(InputError, match="does not run"):
        lanes(body)


def test_a_reduction_over_a_row_by_dpp_sums_sixteen_lanes():
    """IREE's own ladder: after 1, 2, 4 and 8 shifts lane 15 of a row has the sum of the row."""
    steps = "\n".join(
        f"  %s{n} = amdgpu.dpp %zero %x{n} row_shr({n} : i32) bound_ctrl(true) : i32\n"
        f"  %x{2 * n} = arith.addi %x{n}, %s{n} : i32"
        for n in (1, 2, 4, 8)
    )
    body = "  %zero = arith.constant 0 : i32\n  %x1 = arith.addi %v, %zero : i32\n" + steps
    given, out = lanes(body + "\n  %r = arith.addi %x16, %zero : i32")
    assert out[15::16].tolist() == given.reshape(4, 16).sum(axis=1).tolist()


@pytest.mark.parametrize(
    "op",
    [
        "rocdl.readfirstlane %v : i32",
        'llvm.call_intrinsic "llvm.amdgcn.readfirstlane"(%v) : (i32) -> i32',
        'llvm.call_intrinsic "llvm.amdgcn.readfirstlane.i32"(%v) : (i32) -> i32',
    ],
)
def test_the_first_lane_that_runs_tells_its_wave(op):
    body = f"""  %c5 = arith.constant 5 : index
  %high = arith.cmpi uge, %t, %c5 : index
  %r = scf.if %high -> i32 {{
    %x = {op}
    scf.yield %x : i32
  }} else {{
    scf.yield %old : i32
  }}"""
    given, out = lanes(body, size=128)
    wanted = [-1] * 5 + [given[5]] * 59 + [given[64]] * 64
    assert out.tolist() == wanted


def test_one_lane_tells_its_wave():
    body = """  %l = arith.constant 37 : i32
  %r = rocdl.readlane %v, %l : (i32, i32) -> i32"""
    given, out = lanes(body, size=128)
    assert out.tolist() == [given[37]] * 64 + [given[64 + 37]] * 64


@pytest.mark.parametrize(("lane", "told"), [("%tn", "different lanes"), ("%high", "does not run")])
def test_a_lane_is_asked_for_by_all_and_runs(lane, told):
    body = f"""  %c32 = arith.constant 32 : index
  %high = arith.constant 40 : i32
  %tn = arith.index_cast %t : index to i32
  %low = arith.cmpi ult, %t, %c32 : index
  %r = scf.if %low -> i32 {{
    %x = rocdl.readlane %v, {lane} : (i32, i32) -> i32
    scf.yield %x : i32
  }} else {{
    scf.yield %old : i32
  }}"""
    with pytest.raises(InputError, match=told):
        lanes(body)


def test_another_intrinsic_is_refused_by_name():
    with pytest.raises(InputError, match=r"llvm\.amdgcn\.perm"):
        lanes('  %r = llvm.call_intrinsic "llvm.amdgcn.perm"(%v, %v, %v) : (i32, i32, i32) -> i32')


def test_ds_bpermute_pulls_by_byte_addresses_and_gives_zero_for_lanes_that_do_not_run():
    body = """  %c4 = arith.constant 4 : i32
  %c32 = arith.constant 32 : index
  %tn = arith.index_cast %t : index to i32
  %seven = arith.constant 7 : i32
  %from = arith.muli %tn, %seven : i32
  %at = arith.muli %from, %c4 : i32
  %low = arith.cmpi ult, %t, %c32 : index
  %r = scf.if %low -> i32 {
    %x = rocdl.ds_bpermute %at, %v : (i32, i32) -> i32
    scf.yield %x : i32
  } else {
    scf.yield %old : i32
  }"""
    given, out = lanes(body)
    pulled = [given[7 * lane % 64] if 7 * lane % 64 < 32 else 0 for lane in range(32)]
    assert out.tolist() == pulled + [-1] * 32


def test_swizzle_bitmode_works_inside_groups_of_32():
    given, out = lanes("  %r = amdgpu.swizzle_bitmode %v 28 1 2 : i32")
    wanted = [given[lane - lane % 32 + (((lane % 32 & 28) | 1) ^ 2)] for lane in LANES]
    assert out.tolist() == wanted
