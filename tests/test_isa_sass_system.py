"""Functions of the driver (printf, assert, malloc): calls that touch no shared memory."""

from __future__ import annotations

import struct

import pytest

from bankwise.errors import Location
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.driver import check_kernels
from bankwise.read.sass.dialect import SASS
from bankwise.read.sass.facts import Facts, from_cubin
from bankwise.read.sass.parse import kernels
from sass_texts import sass, sass_text
from test_isa_sass_cubin import FACTS, cubin

CALL = "MOV R0, 0x{place:x}\nLDC.64 R2, c[0x4][R0]\nLEPC R20, 0x40000\nCALL.ABS.NOINC R2"
BODY = """S2R R9, SR_TID.X
ISETP.NE.AND P0, PT, R9, c[0x0][0x210], PT
@P0 BRA `(.L_x_1)
{call}
.L_x_1:
IMAD.SHL.U32 R9, R9, 0x8, RZ
STS [R9+0x400], R8"""
NAMES = {8: "vprintf", 16: "__assertfail", 24: "nothing_known"}


def followed(call: str, names: dict[int, str] = NAMES) -> AssemblyKernel:
    text = sass_text(BODY.format(call=call))
    found = kernels(text, "k", {"k": Facts((32, 1, 1), externals=names)})
    where = lambda one: Location("k", one.line)  # noqa: E731 - of the record
    (kernel,) = check_kernels(SASS, found, "k", "sm_90", where, {}, None)
    return kernel


def test_an_assertion_does_not_come_back() -> None:
    """What stands behind it was reached past it alone: with the registers as they were."""
    kernel = followed(CALL.format(place=16))
    assert not kernel.refusals
    (access,) = kernel.accesses
    (pattern,) = access.access.patterns
    assert pattern.offsets_bytes[0].tolist() == list(range(0, 256, 8))


def test_a_function_that_comes_back_leaves_what_its_caller_goes_on_with() -> None:
    kernel = followed(f"{CALL.format(place=8)}\nSTS [R4+0x400], R8")
    assert ["STS at 0x0070" in one.reason for one in kernel.refusals] == [True]
    assert "what a function of the driver returns" in kernel.refusals[0].reason
    (access,) = kernel.accesses
    found = {tuple(p.offsets_bytes[0].tolist()) for p in access.access.patterns}
    assert found == {tuple(range(0, 256, 8))}


@pytest.mark.parametrize(
    "call",
    [
        CALL.format(place=24),
        CALL.format(place=32),
        CALL.format(place=8).replace("0x4", "0x3"),
        CALL.format(place=8).replace("LDC.64", "@P1 LDC.64"),
        CALL.format(place=8).replace("MOV R0, 0x8", "LDG.E R0, desc[UR4][R8.64]"),
        "CALL.ABS.NOINC R2",
    ],
)
def test_any_other_function_is_refused_by_name(call: str) -> None:
    reasons = [one.reason for one in followed(call).refusals]
    assert any("the called function is not named, or is not in the file" in r for r in reasons)


def test_the_linker_names_them_in_the_cubin() -> None:
    names = b"\0vprintf\0__assertfail\0"
    rows = [(0, 0), (1, 0), (9, 0)]
    symbols = b"".join(struct.pack("<IBBHQQ", at, 0, 0, 0, 0, 0) for at, _ in rows)
    moved = struct.pack("<QQQ", 8, 1 << 32 | 2, 0) + struct.pack("<QQQ", 16, 2 << 32 | 2, 0)
    more = (
        (".symtab", symbols),
        (".strtab", names),
        (".rela.nv.constant4", moved + bytes(7) + struct.pack("<Q", 99 << 32)),
    )
    facts = from_cubin(cubin(FACTS, more=more), "k.cubin")["k"]
    assert facts.externals == {8: "vprintf", 16: "__assertfail"}


def test_a_number_under_an_unknown_guard_is_not_the_same_in_all_lanes() -> None:
    """The guard is one for the warp, the number is not: a branch on it parts the lanes."""
    body = """S2R R0, SR_TID.X
UMOV UR4, RZ
LDS R4, [UR4+0x400]
ISETP.NE.AND P0, PT, R4, RZ, PT
@P0 IMAD.SHL.U32 R5, R0, 0x4, RZ
ISETP.GT.AND P1, PT, R5, 0x20, PT
@P1 BRA `(.L_x_1)
STS [R0.X4+0x400], R0
.L_x_1:"""
    store = next(one for one in sass(body).accesses if "STS" in one.access.note)
    assert store.some_lanes
