"""Jumps through a table (BRX): the ways that a switch names, judged by ptxas and by a walk."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from bankwise.errors import Location
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.driver import check_kernels
from bankwise.read.sass.cubin import check_cubin
from bankwise.read.sass.dialect import SASS
from bankwise.read.sass.facts import Facts
from bankwise.read.sass.parse import kernels
from bankwise.read.toolkit import find_program
from isa_texts import ptx_text
from sass_texts import DATA, FOLDER, cost, sass, sass_text

real = pytest.mark.skipif(
    find_program("ptxas") is None or find_program("nvdisasm") is None,
    reason="needs ptxas and nvdisasm",
)
STRIDES = (4, 8, 12, 20, 36)
"""Bytes from lane to lane in each case: different for all of them."""
TABLE = struct.pack("<III", 0x2E0, 0x3A0, 0x260)
"""Constant bank 2 of ``jump_table``, as nvcc 13.0 -arch=sm_90 writes it."""


def touched(kernel: AssemblyKernel) -> set[tuple[int, ...]]:
    """The first three lanes of every pattern."""
    return {
        tuple((p.offsets_bytes[0, :3] - p.offsets_bytes[0, 0]).tolist())
        for one in kernel.accesses
        for p in one.access.patterns
    }


def _switch() -> str:
    cases = "".join(
        f"C{n}:\n    mul.lo.u32 %r4, %r1, {stride};\n    add.u32 %r4, %r4, %r3;\n"
        f"    st.shared.u32 [%r4], %r{n + 10};\n    bar.sync 0;\n    bra D;\n"
        for n, stride in enumerate(STRIDES)
    )
    labels = ", ".join(f"C{n}" for n in range(len(STRIDES)))
    return f"""    ld.param.u32 %r2, [k_param_1];
    mov.u32 %r3, tile;
    setp.gt.u32 %p1, %r2, {len(STRIDES) - 1};
    @%p1 bra D;
    ts: .branchtargets {labels};
    brx.idx %r2, ts;
{cases}D:
    ld.shared.u32 %r5, [%r3];
    ld.param.u64 %rd1, [k_param_0];
    st.global.u32 [%rd1], %r5;
"""


@real
@pytest.mark.parametrize("gpu", ["sm_80", "sm_90", "sm_100"])
def test_the_cases_of_a_switch_are_those_of_the_source(gpu: str, tmp_path: Path) -> None:
    """An index that is known leads to its own case; one that is not, to each of them."""
    source, path = tmp_path / "k.ptx", tmp_path / "k.cubin"
    text = ptx_text(_switch()).replace(".version 8.0", ".version 8.6").replace("sm_90", gpu)
    source.write_text(text)
    ptxas = find_program("ptxas")
    done = subprocess.run(
        [str(ptxas), f"-arch={gpu}", "-o", str(path), str(source)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("this ptxas does not take the text")
    every = {(0, stride, 2 * stride) for stride in STRIDES}
    (kernel,) = check_cubin(path)
    assert not kernel.refusals
    assert touched(kernel) == every | {(0, 0, 0)}
    for n, stride in enumerate(STRIDES):
        (kernel,) = check_cubin(path, args={1: n})
        assert touched(kernel) == {(0, stride, 2 * stride), (0, 0, 0)}
        assert not kernel.open_branches


def _followed(body: str, literals: bytes) -> AssemblyKernel:
    found = kernels(sass_text(body), "k", {"k": Facts((32, 1, 1), literals=literals)})
    where = lambda one: Location("k", one.line)  # noqa: E731 - of the record
    (kernel,) = check_kernels(SASS, found, "k", "sm_90", where, {}, None)
    return kernel


def _program(order: list[int], start: int, index: str) -> tuple[str, bytes]:
    """Cases of three instructions each behind a jump; ``order``: the case of every table row."""
    head = f"S2R R0, SR_TID.X\n{index}\nLDC R2, c[0x2][R4+0x{start:x}]\nBRX R2 -0x40"
    first = 4 * 16
    cases = [
        f"IMAD R3, R0, 0x{stride:x}, RZ\nSTS [R3+0x400], R0\nEXIT" for stride in STRIDES
    ]  # fmt: skip
    places = [first + 48 * case for case in order]
    table = struct.pack(f"<{len(places)}I", *places)
    return "\n".join([head, *cases]), bytes(start) + table + struct.pack("<I", 0x3F800001)


@pytest.mark.parametrize("seed", range(12))
def test_every_row_of_a_table_leads_where_it_says(seed: int) -> None:
    rng = random.Random(seed)
    order = [rng.randrange(len(STRIDES)) for _ in range(rng.randint(1, 9))]
    start = 8 * rng.randrange(4)
    for row, case in enumerate(order):
        kernel = _followed(*_program(order, start, f"MOV R4, 0x{4 * row:x}"))
        assert touched(kernel) == {(0, STRIDES[case], 2 * STRIDES[case])}
    kernel = _followed(*_program(order, start, "LDC R4, c[0x0][0x210]"))
    assert touched(kernel) == {(0, STRIDES[case], 2 * STRIDES[case]) for case in order}
    assert not any(one.counted for one in kernel.accesses if len(set(order)) > 1)


@pytest.mark.parametrize(
    ("change", "with_table"),
    [
        (("LDC R2, c[0x2][R4+0x0]", "LDC R2, c[0x3][R4+0x0]"), True),
        (("LDC R2, c[0x2][R4+0x0]", "LDG.E R2, desc[UR4][R8.64]"), True),
        (("BRX R2 -0x40", "BRX R2 -0x38"), True),
        (("MOV R4, RZ", "@P0 BRA `(.L_x_9)\nMOV R2, 0x40\n.L_x_9:"), False),
        (("", ""), False),
    ],
)
def test_a_jump_without_a_table_is_not_followed(change: tuple[str, str], with_table: bool) -> None:
    body, literals = _program([0, 1], 0, "MOV R4, RZ")
    kernel = _followed(body.replace(*change), literals if with_table else b"")
    assert any("where control goes from here is not followed" in r.reason for r in kernel.refusals)


def test_a_way_to_the_jump_past_its_table_is_not_taken_for_it() -> None:
    body, literals = _program([0, 1], 0, "MOV R4, RZ")
    body = body.replace("S2R R0, SR_TID.X", "S2R R0, SR_TID.X\nMOV R2, 0x60\n@P0 BRA `(.L_x_9)")
    body = body.replace("BRX R2 -0x40", ".L_x_9:\nBRX R2 -0x60")
    kernel = _followed(body, literals)
    assert any("where control goes from here is not followed" in r.reason for r in kernel.refusals)


LEADER = """S2R R0, SR_TID.X
LDS R4, [{address}]
ISETP.NE.AND P0, PT, R4, RZ, PT
@P0 BRA `(.L_x_1)
VOTEU.ANY UR4, UPT, PT
UFLO.U32 UR4, UR4
ISETP.EQ.U32.AND P1, PT, R0, UR4, PT
@P1 ATOMS.AND RZ, [UR6+0x414], R2
.L_x_1:"""


@pytest.mark.parametrize(("address", "lanes"), [("UR6+0x400", 1), ("R0.X4+0x400", 32)])
def test_lanes_that_read_one_word_decide_alike(address: str, lanes: int) -> None:
    """The guard of Triton's allocations on sm_100: one lane is left, if all go the same way."""
    body = LEADER.format(address=address).replace("S2R R0", "UMOV UR6, RZ\nS2R R0")
    (found,) = (one for one in sass(body).accesses if "ATOMS" in one.access.note)
    (pattern,) = found.access.patterns
    assert int(pattern.active.sum()) == lanes
    assert found.some_lanes == (lanes > 1)


def test_the_switch_of_a_measured_kernel_costs_what_an_h200_counted() -> None:
    """``jump_table`` of tests/data/sass/threads.cu: its warps take four ways through a table, whose
    words nvcc 13.0 puts into the cubin; the text beside it lacks them."""
    text = (FOLDER / "threads.sass").read_text()
    (plain,) = kernels(text, "threads", only="jump_table")
    known = replace(plain.facts, workgroup_size=(128, 1, 1), literals=TABLE)
    found = kernels(text, "threads", {"jump_table": known}, only="jump_table")
    where = lambda one: Location("threads", one.line)  # noqa: E731 - of the record
    (kernel,) = check_kernels(SASS, found, "threads", "sm_90", where, {}, None)
    passes = {one.access.address: cost(one)[0] for one in kernel.accesses}
    rows = [r.split(",") for r in (DATA / "sass_counters.csv").read_text().splitlines()]
    measured = {int(r[1], 16): int(r[3]) for r in rows if r[0] == "jump_table"}
    assert passes == measured
    assert len(measured) == 21
    assert not kernel.refusals


def test_a_kernel_without_accesses_that_jumps_nobody_knows_where_says_so() -> None:
    found = sass("LDC R4, c[0x0][R0]\nBRX R4 -0x80\nEXIT")
    assert not found.accesses
    assert [one.reason.split(":")[0] for one in found.refusals] == ["BRX"]
