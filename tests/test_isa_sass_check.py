"""SASS: what every shared-memory instruction touches, from small texts with known answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bankwise.ask.check_assembly import check_assembly_file
from bankwise.errors import InputError
from bankwise.read.assembly import AssemblyAccess
from bankwise.read.follow.driver import check_code
from bankwise.read.options import Options
from bankwise.read.sass.dialect import SASS
from bankwise.read.sass.parse import kernels
from sass_texts import FOLDER, cost, sass, sass_text

LANE = np.arange(32)
TILE = "S2R R0, SR_TID.X\nIMAD.SHL.U32 R2, R0, 0x10, RZ\nIADD3 R3, R2, 0x400, RZ"


def offsets(access: AssemblyAccess, number: int = 0) -> list[int]:
    pattern = access.access.patterns[number]
    return pattern.offsets_bytes[pattern.active].tolist()


@pytest.mark.parametrize(
    ("code", "name", "width", "kind"),
    [
        ("LDS.U8 R4, [R3+0x10]", "ld.shared.b8", 1, "plain"),
        ("LDS.S8 R4, [R3+0x10]", "ld.shared.b8", 1, "plain"),
        ("LDS.U16 R4, [R3+0x10]", "ld.shared.b16", 2, "plain"),
        ("LDS R4, [R3+0x10]", "ld.shared.b32", 4, "plain"),
        ("LDS.64 R4, [R3+0x10]", "ld.shared.b64", 8, "plain"),
        ("LDS.128 R4, [R3+0x10]", "ld.shared.b128", 16, "plain"),
        ("STS.U8 [R3+0x10], R4", "st.shared.b8", 1, "plain"),
        ("STS.U16 [R3+0x10], R4", "st.shared.b16", 2, "plain"),
        ("STS [R3+0x10], RZ", "st.shared.b32", 4, "plain"),
        ("STS.64 [R3+0x10], R4", "st.shared.b64", 8, "plain"),
        ("STS.128 [R3+0x10], R4", "st.shared.b128", 16, "plain"),
        ("LDSM.16.M88 R4, [R3+0x10]", "ldmatrix.x1", 16, "matrix"),
        ("LDSM.16.MT88.2 R4, [R3+0x10]", "ldmatrix.x2.trans", 16, "matrix"),
        ("LDSM.16.MT88.4 R4, [R3+0x10]", "ldmatrix.x4.trans", 16, "matrix"),
        ("STSM.16.M88.4 [R3+0x10], R4", "stmatrix.x4", 16, "matrix"),
        ("LDGSTS.E [R3+0x10], desc[UR4][R4.64]", "cp.async.b32", 4, "async"),
        ("LDGSTS.E.64 [R3+0x10], desc[UR4][R4.64+0x8]", "cp.async.b64", 8, "async"),
        ("LDGSTS.E.BYPASS.128 [R3+0x10], [R4.64], P0", "cp.async.cg.b128", 16, "async"),
        ("LDGSTS.E.128 [R3+0x10], [R4.64], P0", "cp.async.b128", 16, "async"),
        ("ATOMS.POPC.INC.32 RZ, [R3+0x10]", "atom.shared.inc.b32", 4, "atomic"),
        ("ATOMS.CAS.64 R4, [R3+0x10], R4, R6", "atom.shared.cas.b64", 8, "atomic"),
        ("ATOMS.ADD R4, [R3+0x10], R5", "atom.shared.b32", 4, "atomic"),
        ("ATOMS.CAST.SPIN.64 P0, [R3+0x10], R4, R6", "atom.shared.cast.b64", 8, "atomic"),
    ],
)
def test_every_form_is_read_with_the_names_of_the_machine_files(
    code: str, name: str, width: int, kind: str
) -> None:
    (found,) = sass(f"{TILE}\n{code}").accesses
    assert (found.instruction, found.access.width_bytes, found.access.kind) == (name, width, kind)
    assert offsets(found) == (16 * LANE + 16).tolist()
    assert found.access.note == f"{code.split()[0]} at 0x0030"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("[R0.X4]", 4 * LANE),
        ("[R0.X8+0x40]", 8 * LANE + 0x40),
        ("[R0.X16+UR4+-0x10]", 16 * LANE + 0xF0),
        ("[R2+UR4]", 16 * LANE + 0x100),
        ("[UR4]", 0 * LANE + 0x100),
        ("[RZ]", 0 * LANE),
        ("[0x30]", 0 * LANE + 0x30),
    ],
)
def test_every_form_of_address(address: str, expected: np.ndarray) -> None:
    (found,) = sass(f"{TILE}\nUMOV UR4, 0x100\nLDS R5, {address}", target="sm_80").accesses
    assert offsets(found) == expected.tolist()


def test_what_the_driver_keeps_is_no_part_of_the_shared_memory_of_the_block() -> None:
    kernel = sass(f"{TILE}\nSTS [R3], R4")
    assert kernel.lds_bytes == 5120 - 1024
    assert offsets(kernel.accesses[0])[:2] == [0, 16]
    older = sass(f"{TILE}\nSTS [R3], R4", target="sm_80")
    assert older.lds_bytes == 5120
    assert offsets(older.accesses[0])[:2] == [1024, 1040]


def test_guarded_instructions_touch_and_compute_for_their_lanes_alone() -> None:
    """R5 is loaded data in odd lanes; the guarded address never needs it there."""
    body = f"""{TILE}
LDG.E R5, desc[UR4][R8.64]
LOP3.LUT P0, RZ, R0, 0x1, RZ, 0xc0, !PT
@!P0 IADD3 R5, R3, 0x4, RZ
@!P0 LDS R6, [R5]
@!PT LDS RZ, [RZ]
LDS R7, [R5]"""
    kernel = sass(body)
    (even,) = kernel.accesses
    assert offsets(even) == (16 * LANE[::2] + 4).tolist()
    (refusal,) = kernel.refusals
    assert "LDS at 0x0080: its address depends on a value loaded from memory" in refusal.reason
    assert [n.mnemonic for n in kernel.not_followed] == ["LDG.E"]


def test_a_loop_is_followed_as_often_as_it_runs() -> None:
    body = f"""{TILE}
IMAD.MOV.U32 R6, RZ, RZ, RZ
.L_x_1:
LDS R5, [R3]
IADD3 R6, R6, 0x1, RZ
IADD3 R3, R3, 0x80, RZ
ISETP.GE.AND P0, PT, R6, 0x3, PT
@!P0 BRA `(.L_x_1)"""
    (found,) = sass(body).accesses
    assert [offsets(found, n)[0] for n in range(3)] == [0, 128, 256]
    assert found.counted


def test_branches_name_labels_or_addresses() -> None:
    for target in ("`(.L_x_1)", "0x50"):
        body = f"{TILE}\nBRA {target}\nSTS [R3], R4\n.L_x_1:\nSTS [R3+0x8], R4"
        (found,) = sass(body).accesses
        assert offsets(found)[0] == 8


def test_lanes_that_part_meet_again() -> None:
    body = f"""{TILE}
ISETP.GT.U32.AND P0, PT, R0, 0x7, PT
BSSY B0, `(.L_x_1)
@P0 BRA `(.L_x_1)
STS [R3], R4
.L_x_1:
BSYNC B0
STS [R3+0x4], R4"""
    inside, after = sass(body).accesses
    assert offsets(inside) == (16 * LANE[:8]).tolist()
    assert offsets(after) == (16 * LANE + 4).tolist()


def test_lanes_meet_though_some_of_them_end_in_a_branch() -> None:
    """As nvcc 13.0 writes ``if (t < 16) { if (t < 4) return; .. } else ..; rest``."""
    body = f"""{TILE}
ISETP.GT.U32.AND P0, PT, R0, 0xf, PT
ISETP.GT.U32.AND P1, PT, R0, 0x3, PT
BSSY B0, `(.L_x_1)
@P0 BRA `(.L_x_0)
@!P1 EXIT
STS [R3+0x4], R4
.L_x_0:
BSYNC B0
.L_x_1:
STS [R3], R4"""
    inside, after = sass(body).accesses
    assert offsets(inside) == (16 * LANE[4:16] + 4).tolist()
    assert offsets(after) == (16 * LANE[4:]).tolist()
    assert after.access.patterns[0].executions == 1


def test_lanes_meet_behind_a_loop_in_which_some_end() -> None:
    """Lane t leaves the loop before round t mod 8, but those of rounds 6 and 7 end in it."""
    body = f"""{TILE}
LOP3.LUT R5, R0, 0x7, RZ, 0xc0, !PT
MOV R6, RZ
BSSY B0, `(.L_x_2)
.L_x_0:
ISETP.GE.U32.AND P0, PT, R6, R5, PT
@P0 BRA `(.L_x_1)
ISETP.EQ.U32.AND P1, PT, R6, 0x5, PT
@P1 EXIT
IADD3 R6, R6, 0x1, RZ
BRA `(.L_x_0)
.L_x_1:
BSYNC B0
.L_x_2:
STS [R3], R4"""
    (after,) = sass(body).accesses
    assert offsets(after) == [16 * lane for lane in range(32) if lane % 8 < 6]
    assert after.access.patterns[0].executions == 1


def test_where_nobody_knows_which_lanes_end_the_others_are_no_count() -> None:
    body = f"""{TILE}
LDC R5, c[0x0][0x218]
ISETP.GT.U32.AND P0, PT, R0, 0xf, PT
ISETP.GT.U32.AND P1, PT, R0, R5, PT
@P0 BRA `(.L_x_0)
@!P1 EXIT
STS [R3+0x4], R4
.L_x_0:
STS [R3], R4"""
    patterns = sass(body).accesses[-1].access.patterns
    touched = {int(o) for one in patterns for o in one.offsets_bytes[one.active]}
    sure = {int(o) for one in patterns if not one.really for o in one.offsets_bytes[one.active]}
    assert touched == set((16 * LANE).tolist())
    assert sure <= set((16 * LANE[16:]).tolist())


TILE_VOTE = f"""{TILE}
LOP3.LUT R4, R0, 0x18, RZ, 0xc0, !PT
MOV R5, 0xff
SHF.L.U32 R4, R5, R4, RZ
LOP3.LUT R6, R0, 0x1, RZ, 0xc0, !PT
ISETP.NE.U32.AND P0, PT, R6, RZ, PT
BSSY B0, `(.L_1)
WARPSYNC.EXCLUSIVE R4
VOTE.ANY R7, PT, P0
BSYNC B0
.L_1:
VOTE.ANY R8, PT, P0
POPC R7, R7
POPC R8, R8
IMAD R7, R7, R0, RZ
IMAD R8, R8, R0, RZ
STS.U8 [R7+0x400], R0
STS.U8 [R8+0x400], R0"""
"""Each lane asks the eight lanes of its tile, four of which are odd; behind that it asks all."""


def test_a_vote_in_a_parted_warp_asks_the_lanes_of_its_mask() -> None:
    tile, warp = sass(TILE_VOTE).accesses
    assert offsets(tile) == [4 * lane for lane in range(32)]
    assert offsets(warp) == [16 * lane for lane in range(32)]


def test_a_vote_whose_mask_was_overwritten_is_not_known() -> None:
    kernel = sass(TILE_VOTE.replace("VOTE.ANY R7", "MOV R4, RZ\nVOTE.ANY R7"))
    assert len(kernel.accesses) == 1
    assert "which lanes VOTE.ANY asks" in kernel.refusals[0].reason


def test_parameters_are_unknown_until_told() -> None:
    body = f"{TILE}\nLDC R5, c[0x0][0x218]\nIMAD R5, R0, R5, R3\nSTS [R5], R4"
    (refusal,) = sass(body).refusals
    assert "kernel parameter 1" in refusal.reason
    for args in ({1: 4}, {"1": 4}, {"c[0x0][0x218]": 4}):
        (found,) = sass(body, args=args).accesses
        assert offsets(found) == (20 * LANE).tolist()


@pytest.mark.parametrize(
    ("load", "given", "number"),
    [
        ("U8", 0x218, 0x18),
        ("S8", 0x1FC, -4),
        ("S8", 0x7, 7),
        ("U16", 0x1_0104, 0x104),
        ("S16", 0x1_FFF8, -8),
        ("S16", 0x8, 8),
    ],
)
def test_less_than_a_word_of_a_parameter_is_a_part_of_it(
    load: str, given: int, number: int
) -> None:
    body = f"{TILE}\nULDC.{load} UR4, c[0x0][0x218]\nIMAD R5, R0, UR4, R3\nSTS [R5], R4"
    (refusal,) = sass(body).refusals
    assert "kernel parameter 1" in refusal.reason
    (found,) = sass(body, args={1: given}).accesses
    assert (np.array(offsets(found)) - offsets(found)[0]).tolist() == (
        (16 + number) * LANE
    ).tolist()


def test_the_upper_half_of_a_word_of_a_parameter() -> None:
    body = f"{TILE}\nLDC.U16 R5, c[0x0][0x21a]\nIMAD R5, R0, R5, R3\nSTS [R5], R4"
    (found,) = sass(body, args={1: 0x8_0004}).accesses
    assert offsets(found) == (24 * LANE).tolist()


def test_block_size_and_block_index_come_from_constants_and_registers() -> None:
    body = f"""{TILE}
ULDC UR4, c[0x0][0x0]
S2R R6, SR_CTAID.X
IMAD R5, R6, UR4, R0
LEA R5, R5, 0x400, 0x2
STS [R5], R4"""
    (anywhere,) = sass(body).accesses
    assert "blockIdx.x" in anywhere.unknown
    assert offsets(anywhere) == (4 * LANE).tolist()
    (found,) = sass(body, args={"ctaid.x": 2}).accesses
    assert offsets(found) == (4 * (64 + LANE)).tolist()


def test_newer_machines_keep_the_block_size_elsewhere() -> None:
    body = f"{TILE}\nLDCU UR4, c[0x0][0x360]\nIADD3 R5, R3, UR4, RZ\nSTS [R5], R4"
    (found,) = sass(body, target="sm_100").accesses
    assert offsets(found)[0] == 32


def test_an_open_branch_gives_every_pattern_and_no_count() -> None:
    body = f"""{TILE}
LDC R5, c[0x0][0x218]
ISETP.NE.AND P0, PT, R5, RZ, PT
@P0 BRA `(.L_x_1)
STS [R3], R4
.L_x_1:"""
    (found,) = sass(body).accesses
    assert not found.counted
    assert sass(body).open_branches


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("HGMMA.64x64x16.F32 R24, gdesc[UR8], R24", "that nothing has written"),
        ("UTMALDG.2D [UR8], [UR4]", "that nothing has written"),
        ("UBLKCP [UR4], [UR6], UR7", "a form that is not modelled"),
        ("SYNCS.ARRIVE.TRANS64 RZ, [R9], R4", "that nothing has written"),
        ("CALL.REL.NOINC `(f)", "the called function is not named"),
        ("BRX R2 -0x260", "where control goes from here"),
        ("RET.REL.NODEC R2 `(k)", "where control goes from here"),
        ("LDSM.U8 R4, [R3]", "its shape or address is not understood"),
        ("LDS R4, [R3.64]", "its address is not understood"),
    ],
)
def test_what_is_not_followed_is_refused_by_name(code: str, reason: str) -> None:
    reasons = [r.reason for r in sass(f"{TILE}\n{code}").refusals]
    assert any(r.startswith(code.split(".")[0].split()[0]) and reason in r for r in reasons), (
        reasons
    )


def test_what_lies_behind_a_lost_jump_is_refused() -> None:
    kernel = sass(f"{TILE}\nBRX R2 -0x260\nSTS [R3], R4")
    assert not kernel.accesses
    assert any("no way to this instruction" in r.reason for r in kernel.refusals)


def test_an_unknown_instruction_is_listed_and_its_registers_are_lost() -> None:
    kernel = sass(f"{TILE}\nFROB R2, R0\nSTS [R3], R4")
    assert [(n.mnemonic, n.count) for n in kernel.not_followed] == [("FROB", 1)]
    assert not kernel.accesses
    assert "a result of FROB" in kernel.refusals[0].reason


def test_a_product_of_halves_leaves_the_registers_behind_it_alone() -> None:
    """mma.m16n8k16 with f16 results: 128 of them, 32 lanes, two to a register."""
    body = "S2R R0, SR_TID.X\nIMAD.SHL.U32 R66, R0, 0x4, RZ\n"
    body += "HMMA.16816.F16 R64, R8, R12, R64\nSTS [R66], R64"
    kernel = sass(body)
    assert [a.instruction for a in kernel.accesses] == ["st.shared.b32"]
    assert kernel.refusals == ()


def test_source_lines_are_the_innermost_of_inlined_ones() -> None:
    body = f"""{TILE}
//## File "inner.h", line 7 inlined at "outer.cu", line 40
//## File "outer.cu", line 40
STS [R3], R4"""
    (found,) = sass(body).accesses
    assert str(found.source) == "inner.h:7"


def test_a_dump_of_cuobjdump_is_the_same_kernel() -> None:
    """Its head, its encodings, its branches by address; block size and arguments are not in it."""
    listed = "".join(
        f"        /*{n * 16:04x}*/   {code} ;   /* 0x000078e00ff077224 */\n"
        f"                                     /* 0x000fe20000000800 */\n"
        for n, code in enumerate(
            [*TILE.splitlines(), "BRA 0x50", "STS [R3], R4", "STS [R3+0x8], R4", "EXIT"]
        )
    )
    head = '\n\tcode for sm_90\n\t.target\tsm_90\n\n\t\tFunction : k\n\t.headerflags\t@"E"\n'
    text = f"{head}{listed}\t\t..........\n\n"
    (kernel,) = check_code(SASS, text, "k.sass")
    assert kernel.assumed.endswith("threads a block")
    (kernel,) = check_code(SASS, text, "k.sass", workgroup_size=(32, 1, 1))
    assert [offsets(a)[0] for a in kernel.accesses] == [8]


OLD_HEAD = (
    '.headerflags\t@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS {} EF_CUDA_VIRTUAL_SM({})"'
)
"""What nvdisasm 13.1 prints in the place of ``.target`` for the ELF that ptxas 12.9 writes."""


@pytest.mark.parametrize(
    ("head", "target"),
    [
        (OLD_HEAD.format("EF_CUDA_SM80", "EF_CUDA_SM80"), "sm_80"),
        (OLD_HEAD.format("EF_CUDA_SM90", "EF_CUDA_SM80"), "sm_90"),
        (OLD_HEAD.format("EF_CUDA_ACCELERATORS EF_CUDA_SM90", "EF_CUDA_SM90"), "sm_90"),
        ('.headerflags @"EF_CUDA_SM90"', "sm_90"),
        (".target\tsm_90a", "sm_90"),
        (".target\tsm_100a", "sm_100"),
    ],
)
def test_the_head_that_cuda_12_leaves_names_the_machine(head: str, target: str) -> None:
    text = sass_text(f"{TILE}\nSTS [R3], R4")
    assert ".target\tsm_90" in text
    (kernel,) = check_code(SASS, text.replace(".target\tsm_90", head, 1), "k.sass")
    (plain,) = check_code(SASS, text.replace("sm_90", target, 1), "k.sass")
    assert kernel.target == plain.target == target
    assert [offsets(a) for a in kernel.accesses] == [offsets(a) for a in plain.accesses]


def test_flags_without_a_machine_name_none() -> None:
    text = sass_text(TILE).replace(".target\tsm_90", '.headerflags\t@"EF_CUDA_VIRTUAL_SM(9)"', 1)
    with pytest.raises(InputError, match="an unknown machine is not followed"):
        check_code(SASS, text, "k.sass")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (".target\tsm_90", ".target\tsm_75", "SASS for sm_75 is not followed"),
        (".target\tsm_90", "", "an unknown machine is not followed"),
        (".section\t.text.k", ".section\t.data", "no code in this SASS"),
        ("        /*0010*/   ", "        /*0020*/   ", "0x0020 follows 0x0000"),
        ("        /*0010*/   ", "//", "0x0020 follows 0x0000"),
        ("IMAD.SHL", "%imad", "no instruction"),
        (".L_x_9:", "", "has no end"),
        (".word\t0x00000020", ".word\t0x00001000", "a block of 4096 threads"),
    ],
)
def test_text_that_cannot_be_used_is_bad_input(old: str, new: str, message: str) -> None:
    text = sass_text(f"{TILE}\nSTS [R3], R4")
    assert old in text
    with pytest.raises(InputError, match=message):
        check_code(SASS, text.replace(old, new, 1), "k.sass")


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_a_kernel_that_is_cut_off_is_bad_input(part: float) -> None:
    text = sass_text(f"{TILE}\n" + "STS [R3], R4\n" * 20)
    start, end = text.index("k:\n"), text.index(".L_x_9:\n")
    with pytest.raises(InputError, match=r"has no end|no instruction"):
        check_code(SASS, text[: int(start + part * (end - start))], "k.sass")


def test_another_vendors_target_and_unknown_names_are_bad_input() -> None:
    text = sass_text(TILE)
    with pytest.raises(InputError, match="gfx942 is not followed"):
        check_code(SASS, text, "k.sass", "gfx942")
    with pytest.raises(InputError, match=r"no kernel 'm'.*\n.*it has k"):
        check_code(SASS, text, "k.sass", kernel="m")
    with pytest.raises(InputError, match=r"no parameter 2.*\n.*parameters 0 to 1"):
        check_code(SASS, text, "k.sass", args={2: 1})


def test_maxntid_is_a_bound_and_said_to_be_one() -> None:
    text = sass_text(TILE).replace("0x04, 0x10", "0x04, 0x05").replace("REQNTID", "MAX_THREADS")
    (kernel,) = check_code(SASS, text, "k.sass")
    assert kernel.workgroup_size == (32, 1, 1)
    assert "the most" in kernel.notes[0]
    assert not sass(TILE).notes


def test_check_of_a_text_reports_passes_witness_and_source() -> None:
    path = FOLDER / "tiles.sass"
    report = check_assembly_file(path, Options(kernel="transpose_none"))
    (kernel,) = report.kernels
    worst = max(kernel.accesses, key=lambda a: a.run.extra)
    assert (worst.cost.passes, worst.cost.ideal, worst.ways) == (256, 8, 32)
    assert worst.witness is not None
    assert "LDS at 0x" in worst.note
    assert worst.origin is not None
    assert (worst.origin.file, worst.origin.line) == ("tiles.cu", 13)
    assert (report.target, report.exit_code) == ("sm_90", 1)


def test_generations_with_another_encoding_give_the_same_answer() -> None:
    """The same text for sm_80, sm_90, sm_100 (sm_90 and later reserve 1024 bytes in front)."""
    body = f"{TILE}\nLDS.128 R4, [R3]"
    for target in ("sm_80", "sm_89", "sm_90", "sm_100", "sm_120"):
        (found,) = sass(body, target=target).accesses
        assert cost(found, target) == (4, 4)


def test_every_kernel_of_a_text_is_found_with_its_facts() -> None:
    text = (FOLDER / "tiles.sass").read_text()
    found = {k.name: k for k in kernels(text, "tiles.sass")}
    assert len(found) == 12
    assert found["several_buffers"].facts.parameters == ((0, 8), (8, 8), (16, 4))
    assert found["several_buffers"].facts.parameter_base == 0x210
    assert found["several_buffers"].facts.shared_bytes == 4 * (2 * 128 * 5 + 32 * 6)
    assert found["block_of_two_axes"].facts.workgroup_size == (240, 1, 1)


def test_no_text_of_the_set_names_a_folder() -> None:
    for path in Path(FOLDER).glob("*.sass"):
        assert 'File "/' not in path.read_text(), path.name
