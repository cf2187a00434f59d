"""PTX: what every shared-memory instruction touches, from small texts with known answers."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from bankwise.ask.check_assembly import check_assembly_file
from bankwise.errors import InputError
from bankwise.read.follow.driver import check_code
from bankwise.read.options import Options
from bankwise.read.ptx.dialect import PTX
from bankwise.read.ptx.parse import kernels
from bankwise.show.as_text import print_check
from bankwise.show.documents.checking import check_document
from bankwise.show.gate import Gate, github_annotations
from bankwise.show.marks import marks
from isa_texts import lanes, ptx, ptx_text

LANE = np.arange(32)
M32 = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("code", "name", "width", "kind"),
    [
        ("ld.shared.u8 %rs1, [%r3+16]", "ld.shared.b8", 1, "plain"),
        ("ld.volatile.shared.f32 %f1, [%r3+16]", "ld.shared.b32", 4, "plain"),
        ("ld.shared.v2.f64 {%fd1, %fd2}, [%r3+16]", "ld.shared.b128", 16, "plain"),
        ("st.shared.v4.b32 [%r3+16], {%r4, %r5, %r6, %r7}", "st.shared.b128", 16, "plain"),
        ("st.shared::cta.v4.b16 [%r3+16], {%rs4, %rs5, %rs6, %rs7}", "st.shared.b64", 8, "plain"),
        ("atom.shared.add.u32 %r4, [%r3+16], 1", "atom.shared.b32", 4, "atomic"),
        ("red.shared.add.u32 [%r3+16], 1", "red.shared.inc.b32", 4, "atomic"),
        ("atom.shared.cas.b32 %r4, [%r3+16], %r5, %r6", "atom.shared.cas.b32", 4, "atomic"),
        ("red.shared.add.f32 [%r3+16], %f1", "red.shared.cast.b32", 4, "atomic"),
        ("atom.shared.exch.b64 %rd1, [%r3+16], %rd1", "atom.shared.b64", 8, "atomic"),
        ("atom.shared.add.u64 %rd1, [%r3+16], %rd1", "atom.shared.cast.b64", 8, "atomic"),
        ("cp.async.cg.shared.global [%r3+16], [%rd1], 16", "cp.async.cg.b128", 16, "async"),
        ("cp.async.ca.shared.global [ %r3 + 16 ], [ %rd1 + 0 ], 0x8", "cp.async.b64", 8, "async"),
        (
            "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r4, %r5, %r6, %r7}, [%r3+16]",
            "ldmatrix.x4.trans",
            16,
            "matrix",
        ),
        ("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r3+16], {%r4}", "stmatrix.x1", 16, "matrix"),
    ],
)
def test_every_form_is_read_with_the_names_of_the_machine_files(
    code: str, name: str, width: int, kind: str
) -> None:
    body = f"\tshl.b32 %r2, %r1, 4;\n\tmov.u32 %r8, tile;\n\tadd.s32 %r3, %r8, %r2;\n\t{code};"
    (found,) = ptx(body).accesses
    assert (found.instruction, found.access.width_bytes, found.access.kind) == (name, width, kind)
    assert lanes(found) == (16 * LANE + 16).tolist()
    assert found.access.allocations == ("tile",)


def test_memory_that_is_not_shared_is_no_access() -> None:
    body = "\tld.global.b32 %r2, [%rd1];\n\tst.local.b32 [%rd1], %r2;\n"
    body += "\tld.param.u32 %r2, [k_param_1];"
    kernel = ptx(body)
    assert (kernel.accesses, kernel.refusals) == ((), ())


def test_generic_accesses_count_where_their_address_is_shared() -> None:
    body = """\tmov.u64 %rd1, tile;
\tcvta.shared.u64 %rd2, %rd1;
\tmul.wide.u32 %rd3, %r1, 8;
\tadd.s64 %rd4, %rd2, %rd3;
\tst.b64 [%rd4], %rd1;
\tld.param.u64 %rd5, [k_param_0];
\tld.b32 %r2, [%rd5];"""
    kernel = ptx(body)
    (found,) = kernel.accesses
    assert lanes(found) == (8 * LANE).tolist()
    assert not kernel.refusals


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("ld.global.u64 %rd6, [%rd5];", "a value loaded from memory"),
        ("selp.b64 %rd6, %rd4, %rd5, %p1;", "kernel parameter k_param_0"),
        ("ld.global.u64 %rd7, [%rd5]; add.s64 %rd6, %rd4, %rd7;", "a value loaded from memory"),
        ("ld.global.u64 %rd7, [%rd5]; add.s64 %rd6, %rd5, %rd7;", "kernel parameter k_param_0"),
        ("add.s64 %rd6, %rd4, %rd5;", "kernel parameter k_param_0"),
    ],
)
def test_a_generic_access_that_nobody_can_decide_is_refused(code: str, why: str) -> None:
    start = "mov.u64 %rd1, tile; cvta.shared.u64 %rd4, %rd1; ld.param.u64 %rd5, [k_param_0];"
    kernel = ptx(f"\t{start}\n\t{code}\n\tld.b32 %r2, [%rd6];")
    assert not kernel.accesses
    (refusal,) = kernel.refusals
    assert refusal.reason.startswith("ld.b32: whether it touches shared memory is not known")
    assert why in refusal.reason


def test_the_space_of_an_address_is_asked() -> None:
    body = """\tmov.u64 %rd1, tile;
\tcvta.shared.u64 %rd2, %rd1;
\tisspacep.shared %p1, %rd2;
\tcvta.to.shared.u64 %rd3, %rd2;
\t@%p1 st.shared.b32 [%rd3+4], %r1;
\t@!%p1 st.shared.b32 [%rd3+8], %r1;"""
    (found,) = ptx(body).accesses
    assert lanes(found) == [4] * 32


def test_each_shared_variable_is_an_allocation_of_its_own() -> None:
    text = ptx_text(
        "\tmov.u32 %r2, one;\n\tst.shared.b32 [%r2], %r1;\n\tst.shared.b32 [two+8], %r1;"
    ).replace(".shared .align 16 .b8 tile[4096];", ".shared .b8 one[64];\n.shared .b32 two[16];")
    (kernel,) = check_code(PTX, text, "k.ptx")
    assert [(a.access.allocations[0], lanes(a)[0]) for a in kernel.accesses] == [
        ("one", 0),
        ("two", 8),
    ]
    assert kernel.lds_bytes == 128


def test_a_known_predicate_is_the_active_lanes() -> None:
    body = """\tsetp.lt.u32 %p1, %r1, 5;
\tshl.b32 %r2, %r1, 2;
\t@%p1 st.shared.b32 [%r2], %r1;
\t@!%p1 st.shared.b32 [%r2], %r1;"""
    first, second = ptx(body).accesses
    assert lanes(first) == (4 * LANE[:5]).tolist()
    assert lanes(second) == (4 * LANE[5:]).tolist()


def test_an_unknown_predicate_makes_the_active_lanes_a_bound() -> None:
    body = """\tld.param.u32 %r3, [k_param_1];
\tsetp.lt.u32 %p1, %r1, %r3;
\tshl.b32 %r2, %r1, 2;
\t@%p1 st.shared.b32 [%r2], %r1;"""
    (found,) = ptx(body).accesses
    assert lanes(found) == (4 * LANE).tolist()
    assert "which do depends on kernel parameter k_param_1 (line 16)" in found.access.note
    for name in ("k_param_1", 1):
        assert lanes(ptx(body, args={name: 3}).accesses[0]) == [0, 4, 8]


def test_lanes_that_part_at_a_branch_meet_again() -> None:
    body = """\tshl.b32 %r2, %r1, 2;
\tsetp.lt.u32 %p1, %r1, 8;
\t@%p1 bra $L1;
\tshl.b32 %r2, %r1, 3;
\tst.shared.b32 [%r2], %r1;
$L1:
\tst.shared.b32 [%r2], %r1;"""
    parted, after = ptx(body).accesses
    assert lanes(parted) == (8 * LANE[8:]).tolist()
    assert lanes(after) == np.where(LANE < 8, 4 * LANE, 8 * LANE).tolist()
    assert after.counted
    assert len(after.access.patterns) == 1


def test_lanes_meet_though_some_of_them_return_in_a_branch() -> None:
    body = """\tsetp.gt.u32 %p1, %r1, 15;
\tsetp.lt.u32 %p2, %r1, 4;
\tshl.b32 %r2, %r1, 4;
\t@%p1 bra $L1;
\t@%p2 bra $L2;
$L1:
\tst.shared.b32 [%r2], %r1;
$L2:"""
    (found,) = ptx(body).accesses
    assert lanes(found) == (16 * LANE[4:]).tolist()


def test_a_side_that_leaves_an_address_as_it_was_does_not_speak_for_the_other() -> None:
    body = """\tld.global.b32 %r3, [%rd1];
\tsetp.eq.u32 %p1, %r3, 1;
\tshl.b32 %r2, %r1, 2;
\t@%p1 bra $L2;
\tld.global.b32 %r4, [%rd1+4];
\tsetp.eq.u32 %p2, %r4, 5;
\t@%p2 bra $L3;
\tshl.b32 %r2, %r1, 7;
$L2:
\tst.shared.b32 [%r2], %r1;
$L3:"""
    found = ptx(body)
    assert not found.accesses
    assert any("its address depends on a value loaded" in r.reason for r in found.refusals)


@pytest.mark.parametrize("inner", ["%r3, 0", "%r1, 4"])
@pytest.mark.parametrize("shift", [5, 0])
def test_lanes_of_both_sides_of_a_data_branch_meet_though_some_return(
    inner: str, shift: int
) -> None:
    body = f"""\tld.global.b32 %r3, [%rd1];
\tsetp.eq.u32 %p1, %r3, 1;
\tsetp.eq.u32 %p2, {inner};
\t@%p1 bra $L1;
\t@%p2 bra $L3;
\tshl.b32 %r2, %r1, 2;
\tbra.uni $L2;
$L1:
\tshl.b32 %r2, %r1, {2 + shift};
$L2:
\tst.shared.b32 [%r2], %r1;
$L3:"""
    found = ptx(body)
    if shift:
        assert not found.accesses
        assert any("its address depends on a value loaded" in r.reason for r in found.refusals)
    else:
        assert lanes(found.accesses[0]) == (4 * LANE).tolist()


def test_where_lanes_may_meet_at_one_of_two_places_both_are_open() -> None:
    """ptxas 13.0 puts BSYNC before one of the two stores: lanes of both sides make it together, and
    each side alone has no conflict."""
    body = """\tld.global.b32 %r3, [%rd1];
\tsetp.eq.u32 %p1, %r3, 1;
\tsetp.lt.u32 %p2, %r1, 16;
\tshl.b32 %r2, %r1, 2;
\t@%p1 bra $L1;
\t@%p2 bra $L2;
\tbra.uni $L3;
$L1:
\txor.b32 %r2, %r2, 132;
\t@%p2 bra $L2;
\tbra.uni $L3;
$L2:
\tst.shared.b32 [%r2], %r1;
\tret;
$L3:
\tst.shared.b32 [%r2+2048], %r1;"""
    found = ptx(body)
    assert not found.accesses
    assert sum("which of its lanes run together" in one.reason for one in found.refusals) == 2


def test_a_loop_that_lanes_leave_one_by_one_runs_for_those_that_stay() -> None:
    body = """\tmov.u32 %r2, 0;
$L1:
\tshl.b32 %r3, %r2, 2;
\tst.shared.b32 [%r3], %r1;
\tadd.u32 %r2, %r2, 1;
\tsetp.le.u32 %p1, %r2, %r1;
\t@%p1 bra $L1;
\tst.shared.b32 [%r3], %r1;"""
    inside, after = ptx(body, threads=4).accesses
    assert [lanes(inside, n) for n in range(4)] == [[0, 0, 0, 0], [4, 4, 4], [8, 8], [12]]
    assert lanes(after) == [0, 4, 8, 12]


def test_lanes_that_may_part_are_a_bound_until_they_meet() -> None:
    body = """\tld.param.u32 %r3, [k_param_1];
\tshl.b32 %r2, %r1, 2;
\tsetp.lt.u32 %p1, %r1, %r3;
\t@%p1 bra $L1;
\tst.shared.b32 [%r2], %r1;
$L1:
\tst.shared.b32 [%r2+128], %r1;"""
    inside, after = ptx(body).accesses
    assert "k_param_1" in inside.access.note
    assert after.access.note == ""


def test_a_block_wide_branch_is_taken_by_all_or_none() -> None:
    body = """\tld.param.u32 %r3, [k_param_1];
\tshl.b32 %r2, %r1, 2;
\tsetp.eq.u32 %p1, %r3, 0;
\t@%p1 bra $L1;
\tst.shared.b32 [%r2], %r1;
$L1:"""
    (found,) = ptx(body).accesses
    assert found.access.note == ""
    assert not found.counted


def test_a_loop_over_an_unknown_length_gives_both_buffers() -> None:
    body = """\tld.param.u32 %r3, [k_param_1];
\tmov.u32 %r4, 0;
\tmov.u32 %r5, 0;
$L1:
\txor.b32 %r5, %r5, 2048;
\tshl.b32 %r6, %r1, 2;
\tadd.u32 %r6, %r6, %r5;
\tst.shared.b32 [%r6], %r1;
\tadd.u32 %r4, %r4, 1;
\tsetp.lt.u32 %p1, %r4, %r3;
\t@%p1 bra $L1;"""
    (found,) = ptx(body).accesses
    assert [lanes(found, n)[0] for n in range(2)] == [2048, 0]
    (counted,) = ptx(body, args={1: 5}).accesses
    assert [p.executions for p in counted.access.patterns] == [3, 2]


def test_descriptors_barriers_and_calls_are_refused_by_name() -> None:
    body = """\twgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, 1, 1, 1;
\tmbarrier.arrive.shared.b64 %rd1, [%r99];
\tcall.uni (retval0), vprintf, (param0);"""
    reasons = [r.reason for r in ptx(body).refusals]
    assert reasons[1].startswith(
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16: its address depends on"
    )
    assert reasons[2].startswith("mbarrier.arrive.shared.b64: its address depends on")
    assert "called function" in reasons[0]


def test_an_instruction_over_several_lines_has_the_line_where_it_starts() -> None:
    (kernel,) = kernels(ptx_text("\tst.shared.v2.b32\n\t\t[%r1],\n\t\t{%r2, %r3};"))
    assert [(s.name, s.line) for s in kernel.statements[1:2]] == [("st.shared.v2.b32", 16)]


def test_inline_assembly_scopes_are_transparent() -> None:
    body = "\t{ .reg .b32 t; shl.b32 t, %r1, 2; st.shared.b32 [t], %r1; }"
    assert lanes(ptx(body).accesses[0]) == (4 * LANE).tolist()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (".entry", ".x", "no .entry"),
        (".target sm_90", ".target gfx942", "not followed"),
        ("\tret;\n}", "\tret;", "has no end"),
    ],
)
def test_text_that_cannot_be_used_is_bad_input(old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_code(PTX, ptx_text("").replace(old, new), "k.ptx")


def test_a_parameter_that_the_kernel_has_not_is_bad_input() -> None:
    with pytest.raises(InputError, match="no parameter 'm'"):
        ptx("", args={"m": 1})


def s32(x: int) -> int:
    return x - (1 << 32) if x >> 31 & 1 else x


def bfe_signed(x: int, start: int, length: int) -> int:
    """As the PTX ISA defines it, bit by bit."""
    start, length = start & 255, length & 255
    if not length:
        return 0
    sign = x >> min(start + length - 1, 31) & 1
    bits = [(x >> start + i & 1) if i < length and start + i <= 31 else sign for i in range(32)]
    return sum(bit << i for i, bit in enumerate(bits))


def bfi(x: int, y: int, start: int, length: int) -> int:
    for i in range(length & 255):
        at = (start & 255) + i
        if at < 32:
            y = y & ~(1 << at) | (x >> i & 1) << at
    return y


def lop3(x: int, y: int, z: int) -> int:
    return x & y ^ z


def prmt(x: int, y: int, selector: int) -> int:
    both, out = (y << 32 | x).to_bytes(8, "little"), []
    for n in range(4):
        nibble = selector >> 4 * n & 15
        byte = both[nibble & 7]
        out.append((0xFF if byte & 0x80 else 0) if nibble & 8 else byte)
    return int.from_bytes(bytes(out), "little")


INTEGERS: dict[str, Callable[..., int]] = {
    "add.s32 %r9, %r2, %r3": lambda x, y, z: x + y,
    "sub.u32 %r9, %r2, %r3": lambda x, y, z: x - y,
    "mul.lo.s32 %r9, %r2, %r3": lambda x, y, z: x * y,
    "mul.hi.u32 %r9, %r2, %r3": lambda x, y, z: x * y >> 32,
    "mul.hi.s32 %r9, %r2, %r3": lambda x, y, z: s32(x) * s32(y) >> 32,
    "mad.lo.s32 %r9, %r2, %r3, %r4": lambda x, y, z: x * y + z,
    "min.s32 %r9, %r2, %r3": lambda x, y, z: min(s32(x), s32(y)),
    "max.u32 %r9, %r2, %r3": lambda x, y, z: max(x, y),
    "and.b32 %r9, %r2, %r3": lambda x, y, z: x & y,
    "or.b32 %r9, %r2, %r3": lambda x, y, z: x | y,
    "xor.b32 %r9, %r2, %r3": lambda x, y, z: x ^ y,
    "not.b32 %r9, %r2": lambda x, y, z: ~x,
    "neg.s32 %r9, %r2": lambda x, y, z: -x,
    "abs.s32 %r9, %r2": lambda x, y, z: abs(s32(x)),
    "shl.b32 %r9, %r2, %r3": lambda x, y, z: x << y if y < 32 else 0,
    "shr.u32 %r9, %r2, %r3": lambda x, y, z: x >> y if y < 32 else 0,
    "shr.s32 %r9, %r2, %r3": lambda x, y, z: s32(x) >> min(y, 31),
    "bfe.u32 %r9, %r2, %r3, %r4": lambda x, y, z: x >> (y & 255) & (1 << (z & 255)) - 1,
    "bfe.s32 %r9, %r2, %r3, %r4": bfe_signed,
    "bfi.b32 %r9, %r2, %r3, %r4, 7": lambda x, y, z: bfi(x, y, z, 7),
    "lop3.b32 %r9, %r2, %r3, %r4, 0x6a": lop3,
    "prmt.b32 %r9, %r2, %r3, %r4": prmt,
    "popc.b32 %r9, %r2": lambda x, y, z: x.bit_count(),
    "clz.b32 %r9, %r2": lambda x, y, z: 32 - x.bit_length(),
    "brev.b32 %r9, %r2": lambda x, y, z: int(f"{x:032b}"[::-1], 2),
    "shf.l.wrap.b32 %r9, %r2, %r3, %r4": lambda x, y, z: (y << 32 | x) << (z & 31) >> 32,
    "shf.r.clamp.b32 %r9, %r2, %r3, %r4": lambda x, y, z: (y << 32 | x) >> min(z, 32),
    "div.u32 %r9, %r2, %r3": lambda x, y, z: x // max(y, 1),
    "rem.s32 %r9, %r2, 7": lambda x, y, z: s32(x) - int(s32(x) / 7) * 7,
    "sad.u32 %r9, %r2, %r3, %r4": lambda x, y, z: abs(x - y) + z,
    "mul.wide.u32 %rd1, %r2, %r3;\n\tshr.u64 %rd2, %rd1, 32;\n\tcvt.u32.u64 %r9, %rd2": (
        lambda x, y, z: x * y >> 32
    ),
    "mul.wide.u32 %rd1, %r2, -858993459;\n\tshr.u64 %rd2, %rd1, 36;\n\tcvt.u32.u64 %r9, %rd2": (
        lambda x, y, z: x // 20
    ),
    "mad.wide.u32 %rd1, %r2, %r3, %rd1;\n\tshr.u64 %rd1, %rd1, 32;\n\tcvt.u32.u64 %r9, %rd1": (
        lambda x, y, z: x * y >> 32
    ),
}
"""By code, the last of which is the number: of x, y, z in %r2, %r3, %r4, and 0 in %rd1."""


@pytest.mark.parametrize("code", sorted(INTEGERS))
def test_integer_instructions_compute_what_the_isa_says(code: str) -> None:
    """The result is shown as addresses: shifted right and left, for its low and high bits."""
    rng = random.Random(code)
    pick = (lambda: rng.getrandbits(32), lambda: rng.randrange(40), lambda: M32 - rng.randrange(9))
    for _ in range(12):
        x, y, z = (rng.choice(pick)() for _ in range(3))
        body = "\n".join(f"\tmov.u32 %r{n}, {v};" for n, v in ((2, x), (3, y), (4, z)))
        body += f"\n\tmov.u64 %rd1, 0;\n\t{code};"
        body += "\n\tand.b32 %r10, %r9, 0xffff;\n\tshr.u32 %r11, %r9, 16;"
        body += "\n\tst.shared.b8 [%r10], %r1;\n\tst.shared.b8 [%r11], %r1;"
        low, high = ptx(body).accesses
        wanted = INTEGERS[code](x, y, z) & M32
        assert lanes(low)[0] | lanes(high)[0] << 16 == wanted, (x, y, z)


def test_wide_arithmetic_and_conversions_keep_signs() -> None:
    body = """\tneg.s32 %r2, %r1;
\tmul.wide.s32 %rd1, %r2, 16;
\tcvt.s64.s32 %rd2, %r2;
\tmad.wide.u32 %rd3, %r1, 20, %rd1;
\tshl.b64 %rd4, %rd2, 2;
\tsub.s64 %rd5, %rd3, %rd4;
\tcvt.u32.u64 %r3, %rd5;
\tst.shared.b32 [%r3], %r1;"""
    assert lanes(ptx(body).accesses[0]) == ((20 - 16 + 4) * LANE).tolist()


def test_registers_are_packed_and_unpacked() -> None:
    body = """\tmov.b64 %rd1, {%r1, 3};
\tmov.b64 {%r2, %r3}, %rd1;
\tmad.lo.u32 %r4, %r2, %r3, 0;
\tst.shared.b8 [%r4], %r1;"""
    assert lanes(ptx(body).accesses[0]) == (3 * LANE).tolist()


@pytest.mark.parametrize(
    ("mode", "wanted"),
    [
        ("idx.b32 %r2, %r1, 5, 31, -1", [5] * 32),
        ("bfly.b32 %r2, %r1, 3, 31, -1", (LANE ^ 3).tolist()),
        ("up.b32 %r2, %r1, 2, 0, -1", [0, 1, *range(30)]),
        ("down.b32 %r2, %r1, 2, 31, -1", [*range(2, 32), 30, 31]),
    ],
)
def test_shuffles_move_values_between_lanes(mode: str, wanted: list[int]) -> None:
    body = f"\tshfl.sync.{mode};\n\tst.shared.b8 [%r2], %r1;"
    assert lanes(ptx(body).accesses[0]) == wanted


MISALIGNED = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k()
.reqntid 64,1,1
{
.reg .b32 %r<9>;
.shared .align 16 .b8 buf[4096];
mov.u32 %r1, %tid.x;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, buf;
add.s32 %r4, %r3, %r2;
ld.shared.b32 %r5, [%r4];
ld.shared.v4.b32 {%r5,%r6,%r7,%r8}, [%r4+1024];
ret;
}
"""


def test_an_address_that_the_machine_refuses_costs_that_instruction_alone(tmp_path: Path) -> None:
    file = tmp_path / "k.ptx"
    file.write_text(MISALIGNED)
    report = check_assembly_file(file, Options())
    (seen,) = report.kernels[0].accesses
    assert seen.instruction == "ld.shared.b32"
    (refusal,) = report.refusals
    assert refusal.location is not None
    assert MISALIGNED.split("\n")[refusal.location.line - 1].startswith("ld.shared.v4")
    assert "offset 1028 is not a multiple of 16" in refusal.reason
    console = Console(file=io.StringIO(), width=200)
    print_check(report, console)
    printed = console.file.getvalue()  # type: ignore[attr-defined]
    assert printed.index("fault: ") < printed.index("ld.shared.b32"), "a fault is the headline"
    assert "\n1 access faults; no conflicts in what is known" in printed
    assert "not analysed" not in printed
    (said,) = (line for line in github_annotations(report, Gate()).split("\n") if "fault" in line)
    assert said.startswith("::error file=")
    assert [mark.level for mark in marks(report) if mark.rule == refusal.rule] == ["error"]
    assert check_document(report).refusals[0].fault


def test_a_parameter_is_read_through_pointers_into_it() -> None:
    """nvcc reads a parameter of many bytes so: 640 - 628 bytes behind its start."""
    body = """
    mov.b64 %rd1, k_param_0;
    add.s64 %rd2, %rd1, 640;
    ld.param.u32 %r2, [%rd2+-628];
    mad.lo.u32 %r3, %r1, %r2, 0;
    mov.u32 %r4, tile;
    add.u32 %r4, %r4, %r3;
    st.shared.u32 [%r4], %r1;
"""
    (refusal,) = ptx(body).refusals
    assert "kernel parameter k_param_0+12" in refusal.reason
    (access,) = ptx(body, args={"k_param_0+12": 8}).accesses
    assert lanes(access) == [8 * n for n in range(32)]


def test_what_points_nowhere_in_the_parameters_names_no_argument() -> None:
    """The register is written twice: which parameter is read is not known, nor asked for."""
    body = """
    mov.b64 %rd1, k_param_0;
    add.s64 %rd1, %rd1, 8;
    ld.param.u32 %r2, [%rd1];
    mov.u32 %r4, tile;
    add.u32 %r4, %r4, %r2;
    @%p1 bra done;
    st.shared.u32 [%r4], %r1;
done:
"""
    kernel = ptx(body)
    assert not kernel.openers
    (access,) = kernel.accesses
    assert access.unknown.startswith("a kernel parameter")
    assert not access.counted
