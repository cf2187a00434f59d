"""The most threads that a kernel was compiled for stand for fewer ones, unless it asks how many."""

from __future__ import annotations

from typing import Any

import pytest

from bankwise.read.amd.dialect import AMD
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow import under
from bankwise.read.follow.dialect import Dialect
from bankwise.read.follow.driver import check_code
from bankwise.read.ptx.dialect import PTX
from bankwise.read.sass.dialect import SASS
from isa_texts import amd_text, ptx_text
from sass_texts import sass_text

# Each stores at word (1024 / threads) * thread, or at word thread where it does not ask.
PTX_ASKS = """\
mov.u32 %r2, %ntid.x;
mov.u32 %r3, 4096;
div.u32 %r4, %r3, %r2;
"""
PTX_STORE = """\
mul.lo.u32 %r5, %r1, %r4;
mov.u32 %r6, tile;
add.u32 %r7, %r6, %r5;
st.shared.u32 [%r7], %r1;
"""
SIZE_AMD = """\
      - .offset:         16
        .size:           2
        .value_kind:     hidden_group_size_x
"""
AMD_ASKS = """\
	s_load_dword s4, s[0:1], 0x10
	s_waitcnt lgkmcnt(0)
	s_and_b32 s4, s4, 0xffff
	s_ff1_i32_b32 s4, s4
	s_sub_u32 s4, 12, s4
"""
AMD_STORE = """\
	v_lshlrev_b32_e32 v1, s4, v0
	ds_write_b32 v1, v0
"""
SASS_ASKS = """\
ULDC UR4, c[0x0][0x0]
MOV R3, 0x1000
MOV R2, UR4
FLO.U32 R2, R2
IADD3 R2, -R2, 0xc, RZ
"""
SASS_STORE = """\
S2R R0, SR_TID.X
SHF.L.U32 R1, R0, R2, RZ
STS [R1], R0
"""


def bounded(dialect: Dialect, text: str) -> AssemblyKernel:  # type: ignore[type-arg]
    return check_code(dialect, text, "k")[0]


def ptx(body: str) -> AssemblyKernel:
    return bounded(PTX, ptx_text(body, threads=1024).replace(".reqntid", ".maxntid"))


def amd(body: str) -> AssemblyKernel:
    return bounded(AMD, amd_text(body, threads=1024, arguments=SIZE_AMD))


def sass(body: str) -> AssemblyKernel:
    text = sass_text(body, threads=1024)
    return bounded(SASS, text.replace("0x04, 0x10", "0x04, 0x05").replace("REQNTID", "MAX_THREADS"))


LANGUAGES = [
    (ptx, PTX_ASKS, PTX_STORE, "mov.u32 %r4, 4;\n"),
    (amd, AMD_ASKS, AMD_STORE, "\ts_mov_b32 s4, 2\n"),
    (sass, SASS_ASKS, SASS_STORE, "MOV R2, 0x2\n"),
]


@pytest.mark.parametrize(("check", "asks", "store", "plain"), LANGUAGES)
def test_a_kernel_that_asks_for_its_size_is_not_bounded_by_its_most_threads(
    check, asks: str, store: str, plain: str
) -> None:
    free = check(plain + store)
    assert (free.workgroup_size, free.assumed, free.others) == ((1024, 1, 1), "", ())
    read = check(asks + plain + store)
    assert (read.assumed, read.others) == ("", ()), "it asks, and nothing depends on it"
    found = check(asks + store)
    assert found.workgroup_size == (1024, 1, 1)
    assert "1024,1,1 threads" in found.assumed
    assert [one.workgroup_size for one in found.others] == [(512, 1, 1), (256, 1, 1)]
    steps = [_step(one) for one in (found, *found.others)]
    assert steps == [4, 8, 16], "bytes from a thread to the next: 4096 / threads"


def _step(kernel: AssemblyKernel) -> int:
    (access,) = kernel.accesses
    (pattern,) = access.access.patterns
    return int(pattern.offsets_bytes[0, 1] - pattern.offsets_bytes[0, 0])


@pytest.mark.parametrize(("check", "asks", "store", "plain"), LANGUAGES)
def test_a_kernel_that_reads_no_size_is_followed_once(
    check, asks: str, store: str, plain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran, follow = [], under.follow

    def heard(*given: Any) -> Any:
        ran.append(given)
        return follow(*given)

    monkeypatch.setattr(under, "follow", heard)
    check(plain + store)
    assert len(ran) == 1
    found = check(asks + store)
    assert len(ran) > 1 + len(found.others)
