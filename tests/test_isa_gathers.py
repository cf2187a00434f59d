"""Where lanes that parted run together: SASS says it with barriers, PTX leaves it to ptxas.

Expected values come from ``sass_groups``, which runs each warp by the barriers alone.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from bankwise.read.follow.prepared import Preparations
from bankwise.read.follow.run import Trace, follow
from bankwise.read.sass.cubin import cubin_kernels
from bankwise.read.sass.dialect import SASS
from bankwise.read.sass.parse import SassKernel, kernels
from isa_texts import lanes, ptx
from sass_groups import Made, accesses
from sass_texts import SHARED, sass, sass_text

FALLS = """\
ISETP.EQ.U32.AND P0, PT, R0, 0x0, PT
ISETP.LT.U32.AND P1, PT, R0, 0x8, PT
ISETP.LT.U32.AND P2, PT, R0, 0x10, PT
LEA R1, R0, R2, 0x4
BSSY B0, `(.L_out)
BSSY B1, `(.L_c)
@P0 BRA `(.L_a)
@P1 BRA `(.L_b)
@!P2 BREAK B1
@P2 BRA `(.L_join)
BRA `(.L_last)
.L_a:
STS [R1], R0
.L_b:
STS [R1+0x4], R0
.L_join:
BSYNC B1
.L_c:
STS [R1+0x8], R0
.L_last:
BSYNC B0
.L_out:
STS [R1+0xc], R0
"""
"""Lane 0 falls from a to b, lanes 1 to 7 come to b, 8 to 15 to c, the rest to the end: b is run by
lane 0 and by seven lanes, what stands behind a barrier once."""


def _made(kernel: SassKernel, seed: int = 0) -> Counter[tuple[int, Made]]:
    start = SASS.start(kernel, (64, 1, 1), {})
    every = accesses(kernel, SASS.decode(kernel), start, seed)
    return Counter((warp, made) for warp, row in enumerate(every) for made in row)


def _trace(kernel: SassKernel) -> Trace:
    start = SASS.start(kernel, (64, 1, 1), {})
    return follow(Preparations(SASS.decode(kernel).program).of(start), start)


def _said(trace: Trace) -> Counter[tuple[int, Made]]:
    found: Counter[tuple[int, Made]] = Counter()
    for number, touched in trace.touched.items():
        for (offsets, active), count in zip(touched.patterns, touched.counts, strict=True):
            places = np.broadcast_to(offsets, active.shape)
            for warp in np.flatnonzero(active.any(axis=1)):
                row = tuple((int(n), int(places[warp, n])) for n in np.flatnonzero(active[warp]))
                found[int(warp), (number, row)] += count
    return found


def test_lanes_of_sass_meet_where_a_barrier_waits_and_nowhere_else() -> None:
    a, b, c, behind = sass(SHARED + FALLS).accesses
    rows = [[len(lanes(one, n)) for n in range(len(one.access.patterns))] for one in (a, b, c)]
    assert rows == [[1], [1, 7], [16]]
    assert len(lanes(behind)) == 32
    assert all(one.counted for one in (a, b, c, behind))


def test_a_text_of_barriers_runs_as_a_warp_does_by_these_alone() -> None:
    (kernel,) = kernels(sass_text(SHARED + FALLS), "k")
    assert _said(_trace(kernel)) == _made(kernel)


KNOWN = """
extern "C" __global__ void falls(float* out) {
  __shared__ volatile float s[4096]; int t = threadIdx.x; float a = 0;
  if ((t & 3) == 0) goto A; if ((t & 3) == 1) goto B; if ((t & 3) == 2) goto C; goto D;
  A: a += s[t * 2]; out[t + 64] = a;
  B: a += s[t * 4]; out[t + 128] = a;
  C: a += s[t * 8]; out[t + 256] = a;
  D: a += s[t * 16]; out[t] = a;
}
extern "C" __global__ void leaves(float* out) {
  __shared__ volatile float s[4096]; int t = threadIdx.x; float a = 0;
#pragma unroll 1
  for (int i = 0; i < 6; i++) {
    if ((t >> i) & 1) { a += s[t * 2 + i]; out[t + 64 + i] = a; if (t % 16 == i) break; }
    else { a *= s[t * 4 + i]; if (t % 8 == i) continue; a -= s[t * 8 + i]; }
    a += s[t + i];
  }
  out[t] = a;
}
"""
DATA = """
extern "C" __global__ void both(float* out, const int* in) {
  __shared__ volatile float s[4096]; int t = threadIdx.x; float a = 0;
  if (t < 38 && in[t + 13] > 1) { a += s[t * 32]; out[t + 64] = a; }
  else { a += s[t * 16]; out[t + 128] = a; }
  a += s[t];
  out[t] = a;
}
"""


def _compiled(folder: Path, source: str) -> tuple[SassKernel, ...]:
    if not shutil.which("nvcc"):
        pytest.skip("needs nvcc")
    (folder / "k.cu").write_text(source)
    command = ["nvcc", "-arch=sm_90", "-cubin", "k.cu", "-o", "k.cubin"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return cubin_kernels(folder / "k.cubin")[1]


@pytest.mark.compiles
def test_what_ptxas_makes_of_falling_through_and_of_leaving_loops(tmp_path: Path) -> None:
    for kernel in _compiled(tmp_path, KNOWN):
        trace = _trace(kernel)
        assert all(touched.counted for touched in trace.touched.values())
        assert _said(trace) == _made(kernel)


@pytest.mark.compiles
@pytest.mark.parametrize("seed", range(4))
def test_lanes_that_data_send_to_others_at_a_barrier_run_with_them(
    tmp_path: Path, seed: int
) -> None:
    (kernel,) = _compiled(tmp_path, DATA)
    trace = _trace(kernel)
    rows = [(warp, number, dict(row)) for warp, (number, row) in _said(trace)]
    assert len({number for _, number, _ in rows}) == 2
    for warp, (number, row) in _made(kernel, seed):
        assert trace.touched[number].unknown or any(
            (w, n) == (warp, number) and dict(row).items() <= held.items() for w, n, held in rows
        )


CHAIN = """\tsetp.eq.u32 %p1, %r1, 0;
\tsetp.lt.u32 %p2, %r1, 8;
\tshl.b32 %r2, %r1, 2;
\t@%p1 bra $A;
\t@%p2 bra $B;
\tbra.uni $C;
$A:
\tst.shared.b32 [%r2], %r1;
\txor.b32 %r2, %r2, 128;
$B:
\tst.shared.b32 [%r2+1024], %r1;
$C:
\tst.shared.b32 [%r2+2048], %r1;"""


def test_of_ptx_what_both_sides_fall_into_is_a_bound() -> None:
    a, b, c = ptx(CHAIN).accesses
    assert a.counted
    assert c.counted
    assert not b.counted
    ends = [(one.really.low, one.really.high) for one in b.access.patterns if one.really]
    assert ends == [(0, 1)] * 3
    assert sorted(len(lanes(b, n)) for n in range(3)) == [1, 7, 8]
    assert "may run together or apart" in b.access.note


def test_of_ptx_a_loop_that_is_entered_in_its_middle_is_not_counted() -> None:
    body = """\tand.b32 %r2, %r1, 1;
\tsetp.eq.u32 %p1, %r2, 0;
\tshl.b32 %r2, %r1, 2;
\tmov.u32 %r3, 0;
\t@%p1 bra $M;
$H:
\tst.shared.b32 [%r2], %r1;
$M:
\tst.shared.b32 [%r2+2048], %r1;
\tadd.u32 %r3, %r3, 1;
\tadd.u32 %r2, %r2, 128;
\tsetp.lt.u32 %p2, %r3, 3;
\t@%p2 bra $H;
\tst.shared.b32 [%r2+4096], %r1;"""
    found = ptx(body)
    assert any("which of its lanes run together" in one.reason for one in found.refusals)
    assert not any(one.counted and one.access.note == "" for one in found.accesses[:-1])
