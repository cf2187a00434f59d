"""Asynchronous units in PTX and SASS: operands behind descriptors, bulk copies, barriers.

The kernels are tests/data/hopper/kernels.cu; where their operands lie is written out here once
more, element by element, as the documents of the instruction give it.
"""

from __future__ import annotations

import csv
import random
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

from bankwise.ask.check_assembly import check_assembly_file, kernels_of
from bankwise.errors import InputError
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.read.follow.driver import check_code
from bankwise.read.options import Options
from bankwise.read.ptx.dialect import PTX
from bankwise.read.sass.dialect import SASS
from isa_texts import ptx, ptx_text
from sass_texts import sass

FOLDER = Path(__file__).parent / "data" / "hopper"
TEXTS = ("kernels.ptx", "kernels.sass")
SPANS = {"none": 16, "32": 32, "64": 64, "128": 128}


@cache
def kernels(name: str) -> dict[str, AssemblyKernel]:
    return {one.name: one for one in kernels_of(FOLDER / name, Options())}


@cache
def report(name: str):
    return check_assembly_file(FOLDER / name, Options())


def pieces(access: AssemblyAccess, pattern: int = 0) -> list[int]:
    found = access.access.patterns[pattern]
    return [int(n) for n in found.offsets_bytes[found.active]]


def swizzled(byte: int, span: int) -> int:
    """Bits 4 and up of a swizzled row change with bits 7 and up."""
    bits = {16: 0, 32: 1, 64: 2, 128: 3}[span]
    return byte ^ ((byte >> 7) % (1 << bits)) << 4


def canonical(row: int, depth: int, span: int, major: str) -> int:
    """The byte of element (row of M or N, depth of K), of 2 bytes, as kernels.cu lays it out."""
    if major == "k" and span == 16:
        byte = row // 8 * 256 + depth // 8 * 128 + row % 8 * 16 + depth % 8 * 2
    elif major == "k":
        byte = row * span + depth * 2
    elif span == 16:
        byte = row // 8 * 256 + depth // 8 * 128 + depth % 8 * 16 + row % 8 * 2
    else:
        wide = span // 2
        byte = row // wide * 16 * span + depth * span + row % wide * 2
    return swizzled(byte, span)


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("mode", SPANS)
@pytest.mark.parametrize("major", ["k", "mn"])
def test_an_operand_is_read_where_its_canonical_layout_has_it(
    major: str, mode: str, text: str
) -> None:
    found = [a for a in kernels(text)[f"{major}_{mode}"].accesses if a.unit is not None]
    for access, base, rows in zip(found, (0, 8192), (64, 16), strict=True):
        wanted = {
            base + canonical(row, depth, SPANS[mode], major) // 16 * 16
            for row in range(rows)
            for depth in range(16)
        }
        assert set(pieces(access)) == wanted
        assert len(pieces(access)) == len(wanted)


@pytest.mark.parametrize("text", TEXTS)
def test_a_product_takes_the_passes_that_the_gpu_counts(text: str) -> None:
    """20 for N = 16 in every mode: NVIDIA H200, l1tex__data_pipe_lsu_wavefronts_.._op_gmma."""
    passes: dict[str, list[int]] = defaultdict(list)
    for access in report(text).accesses:
        if access.kind == "operand":
            passes[access.kernel].append(access.cost.passes)
            assert access.cost.extra == 0
            assert access.evidence == "measured"
    assert sum(passes.pop("pipeline")) == 16 * 20
    assert passes.pop("registers") == [4] * 4
    assert len(passes) == 10
    assert all(sum(one) == 20 for one in passes.values())


@pytest.mark.parametrize(("n", "passes"), [(16, 20), (64, 32), (256, 80)])
def test_wider_products_take_the_passes_that_the_gpu_counts(n: int, passes: int) -> None:
    out = ", ".join(f"%f{i}" for i in range(n // 2))
    name = f"wgmma.mma_async.sync.aligned.m64n{n}k16.f32.f16.f16"
    for mode in range(4):
        high = mode << 30 | 64
        body = f"\tmov.b64 %rd1, {{8, {high}}};\n\t{name} {{{out}}}, %rd1, %rd1, %p1, 1, 1, 0, 0;"
        (kernel,) = check_code(PTX, ptx_text(body, threads=128), "k.ptx")
        assert sum(map(_passes, kernel.accesses)) == passes


def _passes(access: AssemblyAccess) -> int:
    """Different words of the fullest bank, over all groups of 8 pieces: counted by hand."""
    found, total = pieces(access), 0
    for start in range(0, len(found), 8):
        banks = Counter(
            word % 32
            for byte in found[start : start + 8]
            for word in range(byte // 4, byte // 4 + 4)
        )
        total += max(banks.values())
    return total


def test_ptx_and_machine_code_touch_the_same() -> None:
    for name, kernel in kernels("kernels.ptx").items():
        both = []
        for one in (kernel, kernels("kernels.sass")[name]):
            kinds = ("plain", "matrix", "operand", "bulk")
            chosen = [a for a in one.accesses if a.access.kind in kinds]
            rows = ((a.instruction, *sorted(pieces(a, n))) for a in chosen
                    for n in range(len(a.access.patterns)))  # fmt: skip
            both.append(Counter(rows))
            assert not one.refusals
        assert both[0] == both[1], name


@pytest.mark.parametrize("text", TEXTS)
def test_a_pipeline_is_followed_through_its_barriers(text: str) -> None:
    kernel = kernels(text)["pipeline"]
    kinds = Counter(a.access.kind for a in kernel.accesses)
    assert (kinds["operand"], kinds["bulk"], kinds["matrix"]) == (32, 9, 1)
    loads = [a for a in kernel.accesses if a.instruction == "tma.load"]
    assert [pieces(a) for a in loads] == [[8192 * n] for n in (0, 1, 2, 3, 0, 1, 2, 3)]
    assert not any(a.counted for a in loads)
    (store,) = (a for a in kernel.accesses if a.instruction == "tma.store")
    assert pieces(store) == list(range(4 * 8192, 6 * 8192, 16))
    barriers = {b for a in kernel.accesses if a.access.kind == "barrier" for b in pieces(a)}
    assert barriers == {6 * 8192, 6 * 8192 + 8}


@pytest.mark.parametrize("text", TEXTS)
def test_with_a_in_registers_b_alone_is_read(text: str) -> None:
    found = [a for a in kernels(text)["registers"].accesses if a.unit is not None]
    for k, access in enumerate(found):
        wanted = {
            2048 + swizzled(128 * row + 32 * k + 16 * c, 128) for row in range(16) for c in (0, 1)
        }
        assert set(pieces(access)) == wanted
    assert len(found) == 4


@pytest.mark.parametrize("text", TEXTS)
def test_operands_in_another_swizzle_are_found_and_no_others(text: str) -> None:
    found = [f.message for f in report(text).findings if f.rule == "swizzle-mismatch"]
    starts = [m for m in found if "base offset" in m]
    modes = [m for m in found if m not in starts]
    # Operands from byte 256 on, which is row 2; that of row 6 differs by a bit of the column.
    assert [m[:38] for m in sorted(starts)] == [
        "operand A is read with base offset 0, ", "operand B is read with base offset 0, "
    ]  # fmt: skip
    assert all("as with 2 or 6: the 128B" in m for m in starts)
    # Row 1 of A: read at 64 (its row of 64 bytes, bits 7 and 8 are 0), stored at 128 ^ 1 << 4.
    assert len(modes) == 2
    assert "element (row 1, column 0) is read at byte 64, and lies at 144" in sorted(modes)[0]


def base_offsets() -> list[tuple[int, int, str, bool]]:
    """Rows of the 128-byte mode, as an H200 read them: row in which the operand starts, base offset
    of its descriptor, whether its pieces were placed by their address or by their place in the
    tile, and whether all elements came out right."""
    rows = list(csv.DictReader((FOLDER / "base_offset.csv").open()))
    return [
        (int(r["start_row"]), int(r["base_offset"]), r["placed"], r["right_of_512"] == "512")
        for r in rows
        if r["mode"] == "128B"
    ]


@pytest.mark.parametrize("placed", ["address", "tile"])
def test_a_base_offset_is_wrong_where_the_gpu_reads_wrong_elements(
    placed: str, tmp_path: Path
) -> None:
    """Rows 4 apart differ by a bit of the column alone, which the data may have, too."""
    for start, base, how, right in base_offsets():
        if how == placed and not base & 4 and not start & 4:
            at = 128 * start
            early = f"add.s32 %r2, %r2, {at};" if how == "address" else ""
            late, high = (0 if early else at), 1 << 30 | 64 | base << 17
            body = PLACED.format(before=early, late=late, start=at, high=high)
            path = tmp_path / f"{start}{base}.ptx"
            path.write_text(ptx_text(body, threads=128))
            found = [f.message for f in check_assembly_file(path, Options()).findings]
            assert bool(found) == (not right), (start, base, how, found)


PLACED = """
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 4;
    {before}
    shr.u32 %r3, %r2, 7;
    and.b32 %r3, %r3, 7;
    shl.b32 %r3, %r3, 4;
    xor.b32 %r4, %r2, %r3;
    mov.u32 %r5, tile;
    add.s32 %r6, %r4, %r5;
    st.shared.v4.b32 [%r6+{late}], {{%r1, %r1, %r1, %r1}};
    add.s32 %r7, %r5, {start};
    shr.u32 %r7, %r7, 4;
    and.b32 %r7, %r7, 16383;
    mov.b64 %rd1, {{%r7, {high}}};
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f1, %f2, %f3, %f4}}, \
{{%r1, %r1, %r1, %r1}}, %rd1, %p1, 1, 1, 0;
"""


SM_100 = ptx_text("BODY").replace("sm_90", "sm_100a")

TILE = """
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 4;
    shr.u32 %r3, %r1, 3;
    and.b32 %r3, %r3, {mask};
    shl.b32 %r3, %r3, 4;
    xor.b32 %r4, %r2, %r3;
    mov.u32 %r5, tile;
    add.s32 %r6, %r4, %r5;
    st.shared.v4.b32 [%r6], {{%r1, %r1, %r1, %r1}};
    shr.u32 %r7, %r5, 4;
    and.b32 %r7, %r7, 16383;
    mov.b64 %rd1, {{%r7, {high}}};
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f1, %f2, %f3, %f4}}, \
{{%r1, %r1, %r1, %r1}}, %rd1, %p1, 1, 1, 0;
"""


@pytest.mark.parametrize(
    ("mask", "mode", "wrong"),
    [(7, 1, False), (3, 2, False), (1, 3, False), (7, 2, True), (7, 3, True), (3, 1, True),
     (1, 1, True), (7, 0, True), (0, 1, False), (0, 0, False)],
)  # fmt: skip
def test_a_writer_in_another_mode_is_told(
    tmp_path: Path, mask: int, mode: int, wrong: bool
) -> None:
    """Without a swizzle of the stores nothing is said: the data may be permuted."""
    path = tmp_path / "k.ptx"
    text = ptx_text(TILE.format(mask=mask, high=mode << 30 | 64), threads=128)
    path.write_text(text.replace(".align 16", ".align 1024"))
    found = check_assembly_file(path, Options())
    assert not found.refusals
    assert [f.rule for f in found.findings] == ["swizzle-mismatch"] * wrong


def test_memory_that_two_tiles_share_is_not_judged(tmp_path: Path) -> None:
    """One store in the descriptor's mode, one in another: the first may be what is read."""
    path = tmp_path / "k.ptx"
    two = TILE.format(mask=7, high=2 << 30 | 64) + TILE.format(mask=3, high=2 << 30 | 64)
    path.write_text(ptx_text(two, threads=128).replace(".align 16", ".align 1024"))
    assert not check_assembly_file(path, Options()).findings


def test_one_lane_is_elected() -> None:
    body = "\tmov.u32 %r1, tile;\n\telect.sync %r2|%p1, -1;\n\t@%p1 st.shared.u32 [%r1], %r2;"
    (access,) = ptx(body).accesses
    assert pieces(access) == [0]
    code = "ELECT P0, UR4, PT\n@P0 STS [UR4+0x400], R1"
    (access,) = sass(code).accesses
    assert len(pieces(access)) == 1


def test_labels_of_inline_assembly_are_their_own() -> None:
    """Both waits have a label of the same name; the first must not lead behind the second."""
    wait = "\t{{\nagain:\n\tmbarrier.try_wait.parity.shared.b64 %p1, [%r1+{0}], 0;\n"
    wait += "\t@!%p1 bra again;\n\t}}"
    body = "\tmov.u32 %r1, tile;\n" + wait.format(0)
    body += "\n\tst.shared.u32 [%r1+64], %r1;\n" + wait.format(8)
    kernel = ptx(body)
    assert [pieces(a)[0] for a in kernel.accesses] == [0, 64, 8]
    assert kernel.accesses[1].counted


@pytest.mark.parametrize(
    ("form", "code", "row"),
    [
        ("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r5, %r6}, [%r4]",
         "LDSM.8.MT1616 R6, [R2]", "ldmatrix.x2.trans"),
        ("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%r5, %r6, %r7, %r8}, [%r4]",
         "LDSM.8.MT1616.2 R8, [R2]", "ldmatrix.x4.trans"),
        ("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b6x16_p32 {%r5, %r6, %r7, %r8}, [%r4]",
         "LDSM.U6x16P32TO8.M816.4 R12, [R2]", "ldmatrix.x4"),
        ("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%r4], {%r5, %r6}",
         "STSM.8.MT168.2 [R2], R16", "stmatrix.x2.trans"),
    ],
)  # fmt: skip
def test_matrices_of_bytes_have_rows_of_16_bytes(form: str, code: str, row: str) -> None:
    """PTX and what ptxas 13.0 makes of it for sm_100a."""
    body = "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; mov.u32 %r3, tile; add.u32 %r4, %r2, %r3; "
    body += f"{form};"
    (kernel,) = check_code(PTX, SM_100.replace("BODY", body), "k.ptx")
    (machine,) = sass(f"S2R R0, SR_TID.X\nIMAD.SHL.U32 R2, R0, 0x10, RZ\n{code}").accesses
    (access,) = kernel.accesses
    assert access.instruction == machine.instruction == row
    assert pieces(access) == pieces(machine) == list(range(0, 512, 16))


def test_a_barrier_in_a_uniform_register_is_one_for_the_warp() -> None:
    """Lane 0 alone writes the register; all lanes run the instruction."""
    code = """S2R R0, SR_TID.X
        UMOV UR4, 0x800
        ISETP.NE.AND P0, PT, R0, RZ, PT
        @!P0 R2UR UR4, R0
        UTCBAR [UR4+0x400], URZ"""
    (access,) = sass(code).accesses
    assert set(pieces(access)) == {0}
    assert access.access.kind == "barrier"


def test_a_load_of_bytes_writes_two_registers_a_matrix() -> None:
    """R9 is the second of LDSM.8.MT1616: what stood in it before is no address any more."""
    code = "MOV R9, 0x400\nLDSM.8.MT1616 R8, [0x400]\nLDS R1, [R9]"
    assert len(sass(code).accesses) == 1
    assert "read from shared memory" in sass(code).refusals[0].reason


BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"


@pytest.mark.parametrize(
    ("code", "bytes_"),
    [
        (f"{BULK} [%r1], [%rd1], 48, [%r1+64]", 48),
        ("cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 4096", 4096),
        ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 256", 256),
    ],
)  # fmt: skip
def test_a_bulk_copy_moves_as_many_bytes_as_it_says(code: str, bytes_: int) -> None:
    body = "\tmov.u32 %r1, tile;\n\tmov.u32 %r2, %tid.x;\n\tsetp.eq.u32 %p1, %r2, 0;\n"
    (access,) = ptx(f"{body}\t@%p1 {code};").accesses
    assert pieces(access) == list(range(0, bytes_, 16))
    assert access.counted


@pytest.mark.parametrize(("blocks", "rows_a", "rows_b"), [(1, 128, 64), (2, 64, 32)])
def test_tcgen05_takes_its_shape_from_the_instruction_descriptor(
    blocks: int, rows_a: int, rows_b: int
) -> None:
    shape = 128 // 16 << 24 | 64 // 8 << 17
    body = f"""
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p1, %r1, 0;
    mov.b64 %rd1, {{0, {2 << 29 | 64}}};
    mov.b64 %rd2, {{1024, {2 << 29 | 64}}};
    @%p1 tcgen05.mma.cta_group::{blocks}.kind::f16 [%r9], %rd1, %rd2, {shape}, %p2;
    tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [tile+64];
    tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r3}}, [%r9];
    """
    (kernel,) = check_code(PTX, SM_100.replace("BODY", body), "k.ptx")
    assert not kernel.refusals
    a, b, barrier = kernel.accesses
    for access, base, rows in ((a, 0, rows_a), (b, 16384, rows_b)):
        wanted = {base + swizzled(128 * r + 16 * c, 128) for r in range(rows) for c in (0, 1)}
        assert set(pieces(access)) == wanted
    assert (barrier.access.kind, barrier.access.width_bytes) == ("barrier", 8)


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%f1}, %rd1, %rd1", "sparse"),
        ("tcgen05.mma.ws.cta_group::1.kind::f16 [%r1]", "not modelled"),
        ("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2", "another block"),
        (f"{BULK} [%r9], [%rd1], 16, [%r2]", "nothing has written"),
        ("mbarrier.init.shared.b64 tile, 1", "its address is not understood"),
    ],
)  # fmt: skip
def test_what_is_not_modelled_is_refused_by_name(code: str, reason: str) -> None:
    (refusal,) = ptx(f"\t{code};").refusals
    assert reason in refusal.reason


ANYWHERE = {
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, %p1, 1, 1, 0, 0": [16, 2],
    f"{BULK} [%r9], [%rd1], 1024, [%r2]": [8],
    "@%p1 mbarrier.arrive.shared::cta.b64 _, [%r9]": [1],
}
"""Bytes / 128 of A and B, of a copy; one lane at one barrier: whatever the argument is."""


@pytest.mark.parametrize("code", ANYWHERE)
def test_what_costs_the_same_everywhere_is_counted_at_an_unknown_place(
    code: str, tmp_path: Path
) -> None:
    path = tmp_path / "k.ptx"
    body = f"""
    ld.param.u32 %r9, [k_param_1];
    cvt.u64.u32 %rd1, %r9;
    cvt.u64.u32 %rd2, %r9;
    mov.u32 %r2, %tid.x;
    setp.eq.u32 %p1, %r2, 0;
    {code};
"""
    path.write_text(ptx_text(body, threads=128))
    found = check_assembly_file(path, Options())
    once = [a.cost.passes for a in found.accesses]
    scale = 128 if code.startswith("cp.") else 1  # every thread issues the copy
    assert [n // scale for n in once] == ANYWHERE[code]
    assert all(a.cost.extra == 0 and "where it lies depends on" in a.note for a in found.accesses)
    assert not found.refusals
    (kernel,) = kernels_of(path, Options())
    assert all(a.anywhere and a.unknown for a in kernel.accesses)


def test_a_barrier_of_another_block_is_one_place() -> None:
    """Its threads name the same byte of as many blocks as they like; loads of them are refused."""
    body = """
    mov.u32 %r2, tile;
    mapa.shared::cluster.u32 %r3, %r2, %r1;
"""
    arrive = "\tmbarrier.arrive.shared::cluster.b64 _, [%r3+8];"
    (access,) = ptx(body + arrive).accesses
    assert len(set(pieces(access))) == 1
    assert access.anywhere
    assert "mapa" in access.access.note
    assert not ptx(body + "\tst.shared::cluster.u32 [%r3], %r1;").accesses


def test_lanes_at_an_unknown_place_may_conflict() -> None:
    """A barrier of 32 lanes of which each may name another."""
    body = "ld.param.u32 %r9, [k_param_1];\n\tmul.lo.u32 %r9, %r9, %r1;"
    (refusal,) = ptx(f"\t{body}\n\tmbarrier.arrive.shared::cta.b64 _, [%r9];").refusals
    assert "nothing has written" in refusal.reason or "parameter" in refusal.reason


def test_two_shared_variables_leave_open_whose_bytes_a_descriptor_names() -> None:
    body = TILE.format(mask=7, high=1 << 30 | 64) + "\tst.shared.u32 [other], %r1;"
    text = ptx_text(body, threads=128).replace(
        ".visible .entry", ".shared .align 16 .b8 other[64];\n.visible .entry"
    )
    (kernel,) = check_code(PTX, text, "k.ptx")
    (refusal,) = kernel.refusals
    assert "which of the shared variables" in refusal.reason


@pytest.mark.parametrize(("text", "dialect"), [(TEXTS[0], PTX), (TEXTS[1], SASS)])
def test_mutated_texts_are_read_or_refused(text: str, dialect) -> None:
    """Numbers and words of one kernel changed at random: an answer, or one InputError."""
    draw = random.Random(20261122)
    whole = (FOLDER / text).read_text()
    odd = ["", "UR9999", "gdesc[", "%rd", "0x", "-1", "]", "9" * 30, "idesc[UR1]", "{", ","]
    for _ in range(25):
        lines = whole.split("\n")
        units = [n for n, line in enumerate(lines) if "GMMA" in line or "UTMA" in line
                 or "SYNCS" in line or "wgmma.mma" in line or "mbarrier" in line]  # fmt: skip
        for at in draw.sample(units, 4):
            words = lines[at].split(" ")
            words[draw.randrange(len(words))] = draw.choice(odd)
            lines[at] = " ".join(words)
        try:
            check_code(dialect, "\n".join(lines), text, kernel="k_128")
        except InputError:
            continue


def test_copies_of_several_lanes_share_no_pass(tmp_path: Path) -> None:
    """Two lanes copy 48 bytes each, 1,024 bytes apart: three pieces each, a pass each."""
    path = tmp_path / "k.ptx"
    body = """
    mov.u32 %r1, tile;
    mov.u32 %r2, %tid.x;
    shl.b32 %r3, %r2, 10;
    add.u32 %r4, %r1, %r3;
    setp.lt.u32 %p1, %r2, 2;
    @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r4], 48;
"""
    path.write_text(ptx_text(body))
    (access,) = check_assembly_file(path, Options()).accesses
    assert (access.cost.passes, access.cost.extra) == (2, 0)


def test_a_copy_to_an_unknown_place_conflicts_nowhere(tmp_path: Path) -> None:
    """Its second execution has an unknown address: passes are open, conflicts are not."""
    path = tmp_path / "k.ptx"
    body = """
    mov.u32 %r1, tile;
    mov.u32 %r2, %tid.x;
    setp.ne.u32 %p1, %r2, 0;
    ld.param.u32 %r7, [k_param_1];
again:
    @%p1 bra behind;
    cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 128;
behind:
    add.u32 %r1, %r1, %r7;
    setp.lt.u32 %p2, %r1, 4096;
    @%p2 bra again;
"""
    path.write_text(ptx_text(body))
    (access,) = check_assembly_file(path, Options()).accesses
    assert access.run.ends.extra.high == 0
    assert access.run.ends.passes.high is None
    assert access.conflict == "none"
