"""Asynchronous units: an H200's counters and cycles against the machine file and the documents.

tests/data/h200_units.csv and h200_units_times.csv, by tests/data/measure_hopper.py. What a kernel
does stands in its name; what that costs is said here once more.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bankwise.ask.check_assembly import check_assembly_file
from bankwise.hardware.machine import machine
from bankwise.read.options import Options
from isa_texts import ptx_text
from sass_texts import sass_text

DATA = Path(__file__).parent / "data"
HOPPER = (DATA.parent.parent / "docs" / "hopper.md").read_text("utf-8")
ROUNDS = 256
PASS_BYTES = 128
BLOCKS = 2
ACCESSES = 256
"""Of a cluster."""


def rows(name: str) -> dict[str, dict[str, int]]:
    with (DATA / name).open() as lines:
        found = csv.DictReader(line for line in lines if not line.startswith("#"))
        return {one.pop("case"): {k: int(v) for k, v in one.items()} for one in found}


COUNTED, TIMED = rows("h200_units.csv"), rows("h200_units_times.csv")


def passes(case: str, op: str = "") -> int:
    end = f"_op_{op}" if op else ""
    return COUNTED[case][f"l1tex__data_pipe_lsu_wavefronts_mem_shared{end}.sum"]


def conflicts(case: str) -> int:
    return COUNTED[case]["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"]


def cycles(case: str) -> float:
    return TIMED[case]["cycles"] / TIMED[case]["work"]


@dataclass(frozen=True)
class Product:
    case: str
    kind: str
    n: int
    both: bool
    groups: int
    mode: str

    @property
    def bytes_(self) -> int:
        """Rows of 32 bytes: 64 of A where it is in shared memory, N of B."""
        return 32 * (64 * self.both + self.n)


def products() -> Iterator[Product]:
    for case in COUNTED:
        found = re.fullmatch(r"wgmma_(\w+)_n(\d+)_(ss|rs)_g(\d)_(\w+)", case)
        if found:
            kind, n, way, groups, mode = found.groups()
            yield Product(case, kind, int(n), way == "ss", int(groups), mode)


PRODUCTS = list(products())


def test_both_tables_are_of_the_same_kernels() -> None:
    assert list(COUNTED) == list(TIMED)
    assert len(PRODUCTS) == 64
    assert {one.kind for one in PRODUCTS} == {"f16", "tf32", "e4m3", "s8"}
    for case in COUNTED:
        assert passes(case) == sum(passes(case, op) for op in ("ld", "st", "atom", "gmma", "misc"))


@pytest.mark.parametrize("one", PRODUCTS, ids=lambda one: one.case)
def test_an_operand_is_read_at_128_bytes_a_pass_without_a_conflict(one: Product) -> None:
    assert passes(one.case, "gmma") == ROUNDS * one.groups * one.bytes_ // PASS_BYTES
    assert conflicts(one.case) == 0


def test_the_mode_changes_no_cycle_and_two_warpgroups_hide_none() -> None:
    """Beyond what two warpgroups vary from run to run, 2 %."""
    pairs = [(one.case, one.case.replace("none", "128B")) for one in PRODUCTS if one.mode == "none"]
    assert len(pairs) == 16
    for plain, swizzled in pairs:
        assert passes(plain, "gmma") == passes(swizzled, "gmma")
        assert cycles(swizzled) == pytest.approx(cycles(plain), rel=0.02)
    for one in PRODUCTS:
        if one.n == 256 and one.groups == 2:
            assert 1.85 < cycles(one.case) / cycles(one.case.replace("g2", "g1")) <= 2


FORMS = {
    "f16": ("k16.f32.f16.f16", ", 1, 1, 0, 0", "HGMMA.64x{n}x16.F32"),
    "tf32": ("k8.f32.tf32.tf32", ", 1, 1", "HGMMA.64x{n}x8.F32.TF32"),
    "e4m3": ("k32.f32.e4m3.e4m3", ", 1, 1", "QGMMA.64x{n}x32.F32.E4M3.E4M3"),
    "s8": ("k32.s32.s8.s8", "", "IGMMA.64x{n}x32.S8.S8"),
}
"""In PTX, what stands behind its operands, and what ptxas 13.0 makes of it."""

HIGH = {"none": 0 << 30 | 256 >> 4, "128B": 1 << 30 | 1024 >> 4}


def as_ptx(one: Product) -> str:
    out = ", ".join(f"%f{i}" for i in range(one.n // 2))
    a, (shape, tail, _) = "%rd1" if one.both else "{%r1, %r2, %r3, %r4}", FORMS[one.kind]
    tail = tail if one.both else tail.removesuffix(", 0")
    body = f"\tmov.b64 %rd1, {{{128 >> 4 << 16 if one.mode == 'none' else 0}, {HIGH[one.mode]}}};\n"
    body += f"\twgmma.mma_async.sync.aligned.m64n{one.n}{shape} {{{out}}}, {a}, %rd1, %p1{tail};"
    return ptx_text(body, threads=128 * one.groups)


def as_sass(one: Product) -> str:
    low = 128 >> 4 << 16 if one.mode == "none" else 0
    code = "".join(
        f"UMOV UR{4 + n}, 0x{value:x}\n" for n, value in enumerate([low, HIGH[one.mode]] * 2)
    )
    operands = "gdesc[UR4], R24" if one.both else "R152, gdesc[UR4], R24"
    code += f"{FORMS[one.kind][2].format(n=one.n)} R24, {operands}, gsb0"
    return sass_text(code, threads=128 * one.groups)


@pytest.mark.parametrize("language", ["ptx", "sass"])
@pytest.mark.parametrize("one", PRODUCTS, ids=lambda one: one.case)
def test_a_product_is_counted_as_the_gpu_counts_it(
    tmp_path: Path, one: Product, language: str
) -> None:
    path = tmp_path / f"k.{language}"
    path.write_text(as_ptx(one) if language == "ptx" else as_sass(one), "utf-8")
    report = check_assembly_file(path, Options())
    assert not report.refusals
    assert len(report.accesses) == 1 + one.both
    assert ROUNDS * report.totals_assumed.run.passes == passes(one.case, "gmma")
    assert report.totals_assumed.run.extra == conflicts(one.case)
    assert {access.evidence for access in report.accesses} == {"measured"}


COPIES = [case for case in COUNTED if case.startswith("tma_load_")]


def test_no_counter_of_shared_memory_moves_with_a_bulk_copy() -> None:
    """What moves is counted for the barriers: the same for boxes of 1 and of 8 KiB."""
    assert len(COPIES) == 16
    for case in COPIES:
        assert not any(passes(case, op) for op in ("ld", "st", "atom", "gmma"))
        assert conflicts(case) == 0
        assert passes(case, "misc") == passes(re.sub(r"\d+", "16", case, count=1), "misc")
    assert machine("sm_90").instruction("tma.load").evidence == "inferred"


@pytest.mark.parametrize("source", ["l2", "dram", "l2_multicast2", "l2_multicast4"])
def test_a_box_row_takes_as_long_however_short_it_is(source: str) -> None:
    first, *others = [cycles(f"tma_load_{width}_{source}") for width in (16, 32, 64, 128)]
    assert others == [pytest.approx(first, rel=1e-3)] * 3
    assert f"{first:.2f}" in HOPPER


def test_lanes_that_meet_in_a_bank_of_another_block_take_longer_all_the_same() -> None:
    """No counter shows it; the cycles of 256 loads do, and the page says them."""
    each = [cycles(f"dsmem_ld_{ways}") for ways in (1, 2, 8, 32)]
    assert each == sorted(each)
    assert each[-1] > 5 * each[0]
    assert ", ".join(f"{n:.0f}" for n in each) in HOPPER


@pytest.mark.parametrize("ways", [1, 2, 8, 32])
@pytest.mark.parametrize(("way", "filled"), [("ld", 0), ("st", 32 * 1024 // PASS_BYTES)])
def test_accesses_of_another_block_move_no_counter_of_either(
    way: str, filled: int, ways: int
) -> None:
    """Both blocks fill their memory with stores; then each accesses it so many times."""
    theirs, own = f"dsmem_{way}_{ways}", f"own_{way}_{ways}"
    assert passes(theirs, way) == BLOCKS * filled
    assert passes(own, way) == BLOCKS * (filled + ACCESSES * ways)
    assert (conflicts(theirs), conflicts(own)) == (0, BLOCKS * ACCESSES * (ways - 1))
    assert passes(theirs, "misc") == passes(own, "misc")
    row = machine("sm_90").instruction(f"{way}.shared.b32")
    assert row.evidence == "measured"


@pytest.mark.parametrize("lanes", [1, 4, 32])
def test_an_arrival_at_a_barrier_is_no_load_store_or_atomic(lanes: int) -> None:
    case = f"mbarrier_{lanes}"
    assert not any(passes(case, op) for op in ("ld", "st", "atom", "gmma"))
    assert passes(case, "misc") < TIMED[case]["work"]
    assert conflicts(case) == 0
    assert machine("sm_90").instruction("mbarrier").evidence == "inferred"
