"""Generic accesses, calls and the stack in SASS: small texts with known answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bankwise.ask.check_assembly import check_assembly_file
from bankwise.hardware.machine import machine
from bankwise.lab.gpu import records
from bankwise.lab.gpu.probe import compare
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.read.options import Options
from bankwise.read.sass.effects import results
from bankwise.read.sass.parse import kernel_names, kernels
from sass_texts import DATA, sass, sass_text

LANE = np.arange(32)
POINTER = """\
S2R R0, SR_TID.X
MOV R4, 0x400
S2R R5, SR_SWINHI
IMAD.WIDE R2, R0, 0x8, R4
"""
"""R2, R3: a generic address of shared memory, 8 bytes from thread to thread."""


def offsets(access: AssemblyAccess) -> list[int]:
    (pattern,) = access.access.patterns
    return pattern.offsets_bytes[pattern.active].tolist()


def reasons(kernel: AssemblyKernel) -> str:
    return "\n".join(refusal.reason for refusal in kernel.refusals)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("LD.E R6, [R2.64+0x10]", "ld.b32"),
        ("LD.E.STRONG.SYS R6, desc[UR4][R2.64+0x10]", "ld.b32"),
        ("LD.E.U8 R6, [R2.64+0x10]", "ld.b8"),
        ("LD.E.128 R8, desc[UR4][R2.64+0x10]", "ld.b128"),
        ("ST.E.64 [R2.64+0x10], R6", "st.b64"),
        ("ATOM.E.ADD.STRONG.GPU PT, R6, desc[UR4][R2.64+0x10], R7", "atom.b32"),
        ("ATOM.E.CAS.64.STRONG.GPU PT, R6, [R2+0x10], R6, R8", "atom.b64"),
        ("RED.E.ADD.F64.RN.STRONG.GPU [R2.64+0x10], R6", "atom.b64"),
    ],
)
def test_an_address_in_the_window_of_shared_memory_is_counted(code: str, name: str) -> None:
    kernel = sass(POINTER + code)
    (found,) = kernel.accesses
    assert (found.instruction, found.access.written) == (name, code.split()[0])
    assert found.access.address == 0x40
    assert offsets(found) == (8 * LANE + 16).tolist()
    assert not kernel.refusals
    assert "generic" in found.access.note


def test_before_sm_90_the_window_stands_in_bank_0() -> None:
    code = "S2R R0, SR_TID.X\nMOV R3, 0x4\nIMAD.WIDE R2, R0, R3, c[0x0][0x18]\nST.E [R2.64], R0"
    (found,) = sass(code, target="sm_80").accesses
    assert offsets(found) == (4 * LANE).tolist()


def test_an_offset_that_goes_below_is_carried_to_the_upper_word() -> None:
    lower, upper = "IADD3 R6, P0, R2, -0x200, RZ", "IADD3.X R7, R3, -0x1, RZ, P0, !PT"
    code = f"{POINTER}{lower}\n{upper}\nLD.E R8, [R6.64]"
    (found,) = sass(code, target="sm_80").accesses
    assert offsets(found) == (0x200 + 8 * LANE).tolist()


def test_lanes_of_other_memory_take_no_part() -> None:
    code = f"{POINTER}LOP3.LUT P0, RZ, R0, 0x3, RZ, 0xc0, !PT\nSEL R3, R3, RZ, P0\nLD.E R6, [R2.64]"
    (found,) = sass(code).accesses
    assert offsets(found) == [8 * lane for lane in range(32) if lane % 4]
    host = sass(POINTER + "MOV R3, 0x7f00\nLD.E R6, [R2.64]")
    assert not host.accesses
    assert not host.refusals


@pytest.mark.parametrize(
    "code",
    [
        "LDC.64 R2, c[0x0][0x210]\nLD.E R6, desc[UR4][R2.64]",
        "IMAD.WIDE R2, R0, 0x4, c[0x0][0x210]\nST.E [R2.64], R0",
        "LDG.E R6, [R8.64]\nIMAD.WIDE R2, R6, 0x4, c[0x0][0x210]\nLD.E R6, [R2.64]",
        "LDC.64 R8, c[0x0][R0+0x210]\nSHF.R.S32.HI R5, RZ, 0x1f, R0\nSHF.L.U64.HI R5, R0, 0x2, R5\n"
        "IADD3.X R3, R5, R9, RZ, P0, !PT\nLD.E R6, [R2.64]",
        "VIADD R1, R1, 0xfffffff0\nLDC.64 R8, c[0x0][0x210]\nSTL.64 [R1+0x8], R8\n"
        "LDL.64 R2, [R1+0x8]\nLD.E R6, [R2.64]",
    ],
)
def test_a_pointer_of_the_host_is_no_shared_memory(code: str) -> None:
    kernel = sass(f"S2R R0, SR_TID.X\nLDC R1, c[0x0][0x28]\n{code}")
    assert not kernel.accesses
    assert not kernel.refusals


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("LDG.E.64 R2, [R8.64]\nLD.E R6, [R2.64]", "a value loaded from memory"),
        ("LDC.64 R6, c[0x0][0x210]\nISETP.NE.AND P0, PT, R6, RZ, PT\nSEL R2, R2, R6, P0\n"
         "SEL R3, R3, R7, P0\nST.E [R2.64], R0", "kernel parameter 0"),
        ("LDG.E.64 R6, [R8.64]\nPRMT R3, RZ, 0x7654, R7\nLD.E R6, [R2.64]", "loaded from memory"),
        ("LDG.E R6, [R8.64]\nSHF.R.U64 R3, RZ, 0x20, R6\nLD.E R6, [R2.64]", "from memory"),
        ("LDG.E R6, [R8.64]\nIMAD.WIDE R2, R6, 0x4, R4\nLD.E R6, [R2.64]", "loaded from memory"),
        ("LDC.64 R6, c[0x0][0x210]\nIADD3 R3, R3, R7, RZ\nLD.E R6, [R2.64]", "kernel parameter 0"),
    ],
)  # fmt: skip
def test_what_nobody_knows_is_refused_by_name(code: str, why: str) -> None:
    kernel = sass(POINTER + code)
    assert not kernel.accesses
    (refusal,) = kernel.refusals
    assert "whether it touches shared memory is not known" in refusal.reason
    assert why in refusal.reason


def test_an_open_generic_access_is_never_no_conflicts(tmp_path: Path) -> None:
    path = tmp_path / "k.sass"
    path.write_text(sass_text(POINTER + "LDS R7, [R4]\nLDG.E.64 R2, [R8.64]\nLD.E R6, [R2.64]"))
    report = check_assembly_file(path, Options())
    assert any("whether it touches shared memory" in r.reason for r in report.refusals)


def test_the_space_of_an_address_is_asked() -> None:
    code = f"{POINTER}QSPC.E.S P0, RZ, [R2]\n@P0 STS [R2], R0\n@!P0 STS [R2+0x40], R0"
    (found,) = sass(code).accesses
    assert offsets(found) == (8 * LANE).tolist()
    host = "S2R R2, SR_TID.X\nLDC.64 R6, c[0x0][0x210]\nQSPC.E.S P0, RZ, [R6]\n@P0 STS [R2], R0"
    assert not sass(host).accesses


CALLS = """\
S2R R0, SR_TID.X
MOV R4, 0x400
MOV R20, 0x40
CALL.REL.NOINC `($k$poke)
IADD3 R4, R4, 0x100, RZ
MOV R20, 0x70
CALL.REL.NOINC `($k$poke)
EXIT
$k$poke:
IMAD.SHL.U32 R6, R0, 0x4, RZ
IADD3 R7, R6, R4, RZ
STS [R7], R0
RET.REL.NODEC R20 `(k)
"""


def test_a_function_of_the_file_is_followed_for_every_call() -> None:
    kernel = sass(CALLS)
    (found,) = kernel.accesses
    starts = [int(p.offsets_bytes.min()) for p in found.access.patterns]
    assert starts == [0, 0x100]
    assert [p.executions for p in found.access.patterns] == [1, 1]
    assert found.counted
    assert not kernel.refusals


def test_lanes_that_return_early_meet_the_others_at_the_barrier_behind_the_call() -> None:
    early = CALLS.replace("STS [R7], R0", "ISETP.GT.AND P0, PT, R0, 0xf, PT\n"
                          "@P0 RET.REL.NODEC R20 `(k)\nSTS [R7], R0")  # fmt: skip
    early = early.replace("MOV R20, 0x40", "BSSY B0, `(.L_x_0)\nMOV R20, 0x50")
    early = early.replace("MOV R20, 0x70", "MOV R20, 0x80")
    kernel = sass(early.replace("\nEXIT\n", "\nBSYNC B0\n.L_x_0:\nSTS [R4], R0\nEXIT\n"))
    inside, behind = sorted(kernel.accesses, key=lambda found: -len(found.access.patterns))
    assert [int(p.active.sum()) for p in inside.access.patterns] == [16, 16]
    (pattern,) = behind.access.patterns
    assert (int(pattern.active.sum()), pattern.executions) == (32, 1)
    assert not kernel.refusals


def test_a_function_in_its_own_section_is_no_kernel_and_is_followed() -> None:
    other = sass_text("STS [R4], R0\nRET.ABS.NODEC R20 0x0").replace(".text.k", ".text.poke")
    code = "MOV R4, 0x400\nMOV R20, 32@lo((k + .L_back@srel))\nMOV R21, 32@hi((k + .L_back@srel))\n"
    code += "CALL.ABS.NOINC `(poke)\n.L_back:\nNOP"
    entry = '        .other          k,@"STO_CUDA_ENTRY STV_DEFAULT"\nk:\n.text.k:'
    text = sass_text(code).replace("k:\n.text.k:", entry)
    text += other[other.index("\t.section\t.text.poke") : other.index("\t.section\t.nv.shared")]
    assert kernel_names(text) == ("k",)
    (kernel,) = kernels(text, "k")
    names = [one.name for one in kernel.instructions]
    assert names.count("STS") == 1
    assert not kernel.code.refused


@pytest.mark.parametrize(
    ("code", "why"),
    [
        (CALLS.replace("NOINC `($k$poke)", "NOINC `(elsewhere)"), "not in the file"),
        (CALLS.replace("CALL.REL.NOINC `($k$poke)", "CALL.REL.NOINC R8 `(k)"), "is not named"),
        (CALLS.replace("STS [R7], R0", "CALL.REL.NOINC `($k$poke)"), "calls itself"),
        (CALLS.replace("MOV R20, 0x70", "MOV R20, 0x10"), "where control goes from here"),
    ],
)  # fmt: skip
def test_a_call_that_is_not_followed_is_refused(code: str, why: str) -> None:
    assert why in reasons(sass(code))


LEAVES_BY_CALL = """\
S2R R0, SR_TID.X
IMAD.SHL.U32 R6, R0, 0x4, RZ
MOV R5, RZ
.L_again:
MOV R3, RZ
.L_top:
STS [R6], R0
IADD3 R3, R3, 0x1, RZ
ISETP.GE.AND P0, PT, R3, 0x3, PT
@P0 CALL.REL.NOINC `(.L_out)
BRA `(.L_top)
.L_out:
LDS R4, [R6+0x80]
IADD3 R5, R5, 0x1, RZ
ISETP.GE.AND P0, PT, R5, 0x2, PT
@P0 CALL.REL.NOINC `(.L_done)
BRA `(.L_again)
.L_done:
NOP
"""


def test_a_call_from_which_nothing_returns_is_a_jump() -> None:
    """So ptxas leaves loops whose warp may be apart: no register holds where to go on."""
    kernel = sass(LEAVES_BY_CALL)
    runs = {
        one.instruction: sum(p.executions for p in one.access.patterns) for one in kernel.accesses
    }
    assert runs == {"st.shared.b32": 6, "ld.shared.b32": 2}
    assert not kernel.refusals
    assert all(one.counted for one in kernel.accesses)


STACK = """\
S2R R0, SR_TID.X
LDC R1, c[0x0][0x28]
VIADD R1, R1, 0xfffffff0
IMAD.SHL.U32 R2, R0, 0x4, RZ
STL.64 [R1+0x8], R2
LDG.E.64 R2, [R8.64]
"""


def test_a_word_on_the_stack_is_what_was_put_there() -> None:
    (found,) = sass(f"{STACK}LDL R4, [R1+0x8]\nSTS [R4], R0").accesses
    assert offsets(found) == (4 * LANE).tolist()
    beside = f"{STACK}STL.S16 [R1+0xe], R0\nSTL.U8 [R1+0x7], R0\nLDL R4, [R1+0x8]\nSTS [R4], R0"
    assert offsets(sass(beside).accesses[0]) == (4 * LANE).tolist()
    moved = f"{STACK}IADD3 R1, R1, -0x8, RZ\nLDL R4, [R1+0x10]\nSTS [R4], R0"
    assert offsets(sass(moved).accesses[0]) == (4 * LANE).tolist()


@pytest.mark.parametrize(
    "code",
    [
        "LDL R4, [R1+0xc]",
        "IADD3 R5, R1, R0, RZ\nSTL [R5], R0\nLDL R4, [R1+0x8]",
        "IADD3 R5, R1, R0, RZ\nST.E [R2.64], R0\nLDL R4, [R1+0x8]",
        "STL.U8 [R1+0x8], R0\nLDL R4, [R1+0x8]",
        "STL.U16 [R1+0xa], R0\nLDL R4, [R1+0x8]",
        "IADD3 R5, R1, R0, RZ\nSTL.U8 [R5], R0\nLDL R4, [R1+0x8]",
        "@P3 VIADD R1, R1, 0x8\nLDL R4, [R1+0x8]",
        "LDG.E.64 R0, [R8.64]\nLDL R4, [R1+0x8]",
    ],
)
def test_a_word_that_may_have_changed_is_not_known(code: str) -> None:
    assert "its address depends on" in reasons(sass(f"{STACK}{code}\nSTS [R4], R0"))


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("HMMA.16816.F16 R64, R4, R8, R64", ["R64", "R65"]),
        ("HMMA.16816.F32 R64, R4, R8, R64", ["R64", "R65", "R66", "R67"]),
        ("FHADD R7, R5, R0", ["R7"]),
        ("FADD2 R8, R4.F32x2.HI_LO, R6.F32x2.HI_LO", ["R8", "R9"]),
        ("FFMA2 R8, R4.F32x2.HI_LO, R6.F32x2.HI_LO, R10.F32x2.HI_LO", ["R8", "R9"]),
        ("SHF.L.U64.HI R5, R4, 0x2, R5", ["R5"]),
        ("MATCH.ANY.U64 R5, R2", ["R5"]),
        ("I2F.U64.RP R5, R2", ["R5"]),
        ("I2F.F64.U64 R4, R2", ["R4", "R5"]),
        ("F2I.U64.TRUNC R4, R2", ["R4", "R5"]),
    ],
)
def test_an_instruction_writes_as_many_registers_as_it_has_results(
    code: str, written: list[str]
) -> None:
    (kernel,) = kernels(sass_text(code), "k")
    assert list(results(kernel.instructions[0])) == written


GENERIC = DATA / "h200_generic.csv"


Counted = tuple[str, tuple[int, int]]


def _twins() -> list[tuple[Counted, Counted]]:
    """Instruction, passes and conflicts of LD.E or ST.E, and of LDS or STS at the same bytes."""
    cases, counters = records.loads(GENERIC.read_text("utf-8"), str(GENERIC))
    assert counters.passes is not None
    assert all(case.active.all() for case in cases)
    half = len(cases) // 2
    for one, other in zip(cases[:half], cases[half:], strict=True):
        assert one.instruction.replace(".", ".shared.") == other.instruction
        assert one.offsets_bytes.tolist() == other.offsets_bytes.tolist()
    numbers = zip(counters.passes.tolist(), counters.conflicts.tolist(), strict=True)
    found = [(case.instruction, one) for case, one in zip(cases, numbers, strict=True)]
    return list(zip(found[:half], found[half:], strict=True))


def test_the_h200_serves_generic_accesses_like_named_ones_but_for_merging() -> None:
    twins = _twins()
    assert len(twins) == 60
    assert all(one[1][1] == other[1][1] for one, other in twins)
    passes = [(one[0], one[1][0], other[1][0]) for one, other in twins]
    assert [found for found in passes if found[1] != found[2]] == [
        ("ld.b64", 2, 1),
        ("ld.b128", 4, 2),
    ]


def test_every_generic_access_of_the_h200_is_as_predicted() -> None:
    cases, counters = records.loads(GENERIC.read_text("utf-8"), str(GENERIC))
    found = compare(machine("sm_90"), cases, counters)
    assert (found.measured, found.disagreements) == (120, ())


@pytest.mark.parametrize(
    ("target", "code", "passes", "evidence"),
    [
        ("sm_90", "LD.E.64 R6, [R4.64]", 2, "measured"),
        ("sm_90", "LD.E.128 R8, [R4.64]", 4, "measured"),
        ("sm_90", "LD.E R6, [R4.64]", 1, "measured"),
        ("sm_90", "ST.E.64 [R4.64], R6", 2, "measured"),
        ("sm_90", "LD.E.U8 R6, [R4.64]", 1, "inferred"),
        ("sm_90", "ATOM.E.ADD PT, R6, [R4.64], R7", 32, "unknown"),
        ("sm_90", "LDS.64 R6, [R4]", 1, "measured"),
        ("sm_80", "LD.E.64 R6, [R4.64]", 2, "inferred"),
        ("sm_120", "ST.E [R4.64], R6", 1, "inferred"),
    ],
)
def test_a_generic_access_has_a_row_and_an_evidence_of_its_own(
    target: str, code: str, passes: int, evidence: str, tmp_path: Path
) -> None:
    path = tmp_path / "k.sass"
    path.write_text(sass_text("MOV R4, 0x400\nS2R R5, SR_SWINHI\n" + code, target=target), "utf-8")
    (found,) = check_assembly_file(path, Options()).accesses
    assert (found.cost.passes, found.evidence) == (passes, evidence)
