"""One layout for each buffer of emitted code: found, named, certified, and counted again."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from functools import cache
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

import bankwise
from bankwise.ask import advice as advice_of
from bankwise.ask.certify import certify
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.notation import ck
from bankwise.notation.triton import memory, parse_shared
from bankwise.read.amd.dialect import AMD
from bankwise.read.buffers import buffers
from bankwise.read.follow.driver import check_code
from bankwise.show.documents.checking import check_document
from bankwise.show.schema import plain
from brute import brute_count
from command import bankwise as run
from isa_texts import DATA, amd, amd_text, ptx_text

FORMULA = re.compile(r"a( \^ \(\(a >> \d+\) & 0x[0-9a-f]+\))+")

TILE = """\tv_and_b32_e32 v1, 15, v0
\tv_lshrrev_b32_e32 v2, 4, v0
\tv_lshlrev_b32_e32 v3, 8, v1
\tv_lshl_or_b32 v3, v2, 4, v3
\tv_lshlrev_b32_e32 v4, 4, v0
\tds_write_b128 v4, v[8:11]
\tds_write_b128 v4, v[8:11] offset:1024
\tds_write_b128 v4, v[8:11] offset:2048
\tds_write_b128 v4, v[8:11] offset:3072
\tds_read_b128 v[8:11], v3
\tds_read_b128 v[8:11], v3 offset:64
\tds_read_b128 v[8:11], v3 offset:128
\tds_read_b128 v[8:11], v3 offset:192"""
"""16 rows of 256 bytes, written in order and read as an operand: lane mod 16 is the row."""


def place(formula: str, a: np.ndarray) -> np.ndarray:
    """What a printed formula says, without the code that printed it."""
    assert FORMULA.fullmatch(formula), formula
    return eval(formula, {"a": a})


@cache
def sample(name: str) -> bankwise.CheckReport:
    return bankwise.check(DATA / name)


def checked(tmp_path: Path, text: str, name: str = "k.s") -> bankwise.CheckReport:
    path = tmp_path / name
    path.write_text(text)
    return bankwise.check(path)


def passes(file: Path, optimum, *, formula: str) -> int:
    """All passes of a buffer by brute force, its bytes moved by the formula from each part's start.

    Direct-to-LDS copies are left out, as in an optimum.
    """
    from bankwise.read.ptx.dialect import PTX

    dialect = PTX if file.suffix == ".ptx" else AMD
    (kernel,) = check_code(dialect, file.read_text(), str(file))
    gpu = machine(kernel.target)
    total = 0
    for found in kernel.accesses:
        row = gpu.instruction(found.instruction)
        for pattern in found.access.patterns:
            apart = [0] if row.addresses == 1 else [0, found.apart_bytes]
            for more in apart:
                here = pattern.offsets_bytes + more
                start = _start(optimum, pattern.allocation, here[pattern.active])
                if start is None or found.access.kind in ("dma", "async"):
                    continue
                moved = start + place(formula, here - start) if formula else here
                for wave, active in zip(moved, pattern.active, strict=True):
                    taken, _, _ = brute_count(row, [wave.tolist()], active.tolist())
                    total += taken * pattern.executions
    return total


def _start(optimum, allocation: str, offsets: np.ndarray) -> int | None:
    """Where the part begins that these offsets lie in; None for another buffer."""
    for name in optimum.allocations:
        if name == allocation:
            return 0
        found = re.fullmatch(r"(.*)\[(\d+):(\d+)\](?: in parts of (\d+))?", name)
        assert found, name
        first, stop = int(found[2]), int(found[3])
        part = int(found[4] or stop - first)
        if found[1] == allocation and first <= offsets.min() and offsets.max() < stop:
            return first + (int(offsets.min()) - first) // part * part
    return None


@pytest.mark.parametrize(
    "name",
    [
        "gemm_gfx950.s",
        "matmul_1024.gfx942.s",
        "matmul_1024.gfx950.s",
        "attention_1x1024x128.gfx950.s",
        "ldmatrix.ptx",
        "triton_transpose.gfx950.amdgcn",
        "triton_attention.gfx942.amdgcn",
    ],
)
def test_the_formula_of_every_buffer_gives_the_passes_that_it_promises(name: str) -> None:
    file = DATA / name
    (kernel,) = sample(file.name).kernels
    helped = [o for o in kernel.optima if o.address]
    assert helped
    for optimum in helped:
        assert optimum.best.passes < optimum.present.passes
        assert passes(file, optimum, formula="") == optimum.present.passes
        assert passes(file, optimum, formula=optimum.address) == optimum.best.passes


def test_all_buffers_together_have_the_passes_of_the_kernel() -> None:
    for file in sorted(DATA.glob("*gfx9*.s")):
        report = sample(file.name)
        counted = report.totals.run + report.totals_assumed.run
        (kernel,) = report.kernels
        assert sum(o.present.passes for o in kernel.optima) == counted.passes
        assert sum(o.present.ideal for o in kernel.optima) == counted.ideal


def test_the_layout_is_a_bijection_that_keeps_every_16_bytes_in_one_piece(tmp_path) -> None:
    (kernel,) = checked(tmp_path, amd_text(TILE)).kernels
    (optimum,) = kernel.optima
    a = np.arange(4096)
    moved = place(optimum.address, a)
    assert np.array_equal(np.sort(moved), a)
    assert np.array_equal(moved, moved[a // 16 * 16] + a % 16)


def test_the_advice_written_into_the_assembly_brings_what_it_says(tmp_path) -> None:
    (before,) = checked(tmp_path, amd_text(TILE)).kernels
    (optimum,) = before.optima
    shift, mask = re.fullmatch(r"a \^ \(\(a >> (\d+)\) & (0x\w+)\)", optimum.address).groups()
    lines = []
    for line in TILE.splitlines():
        if line.startswith("\tds_"):
            register = re.search(r"v[34]", line)[0]
            constant = re.search(r"offset:(\d+)", line)
            lines += [
                f"\tv_add_u32_e32 v20, {constant[1] if constant else 0}, {register}",
                f"\tv_lshrrev_b32_e32 v21, {shift}, v20",
                f"\tv_and_b32_e32 v21, {mask}, v21",
                "\tv_xor_b32_e32 v20, v20, v21",
                line.replace(register, "v20").partition(" offset")[0],
            ]
        else:
            lines.append(line)
    after = checked(tmp_path, amd_text("\n".join(lines)), "after.s")
    assert after.totals.run.passes == optimum.best.passes == optimum.present.ideal
    assert after.kernels[0].optima[0].address == ""


def test_the_judge_accepts_every_certificate_of_a_report() -> None:
    certificates = 0
    for file in [*sorted(DATA.glob("*.s")), DATA / "ldmatrix.ptx"]:
        document = plain(check_document(sample(file.name)))
        for optimum in (o for k in document["kernels"] for o in k["optima"]):
            if optimum["certificate"] is None:
                continue
            claim, verdict = certify(json.loads(json.dumps(optimum["certificate"])))
            assert verdict.accepted, verdict.errors
            assert claim.total_passes == optimum["best"]["passes"]
            assert claim.optimal or not optimum["optimal"]
            certificates += 1
    assert certificates >= 12


def test_a_certificate_goes_from_a_report_to_the_judge_through_a_pipe(monkeypatch) -> None:
    document = json.loads(run("check", DATA / "gemm_gfx950.s", "--format", "json").out)
    certificate = document["kernels"][0]["optima"][0]["certificate"]
    monkeypatch.setattr(sys, "stdin", _pipe(json.dumps(certificate)))
    assert run("certify", "-").code == 0
    certificate["accesses"][0]["passes"] += 1
    monkeypatch.setattr(sys, "stdin", _pipe(json.dumps(certificate)))
    assert run("certify", "-").code == 2


def _pipe(text: str) -> io.TextIOWrapper:
    """The end of a pipe that this text comes through."""
    end, start = os.pipe()
    Thread(target=_send, args=(start, text), daemon=True).start()
    return os.fdopen(end)


def _send(start: int, text: str) -> None:
    with os.fdopen(start, "w") as sink:
        sink.write(text)


def test_mlir_reports_and_fixes_carry_certificates_of_the_layouts_they_name() -> None:
    kernel = Path(__file__).parents[1] / "examples" / "gemm_gather_to_lds" / "gemm_gfx950.mlir"
    document = json.loads(run("check", kernel, "--format", "json").out)
    fixed = json.loads(run("fix", kernel, "--format", "json", "--no-execute", "--no-isa").out)
    assert len(fixed["changes"]) == len(document["kernels"][0]["optima"]) == 2
    for found in (*document["kernels"][0]["optima"], *fixed["changes"]):
        claim, verdict = certify(found["certificate"])
        assert verdict.accepted
        assert claim.total_passes == found.get("best", found.get("after"))["passes"]


def test_a_part_that_a_loop_visits_in_turn_is_a_copy_of_one_buffer() -> None:
    body = """\tv_lshlrev_b32_e32 v1, 4, v0
\ts_mov_b32 s4, 0
.Lloop:
\tds_write_b128 v1, v[4:7]
\tds_read_b128 v[4:7], v1
\tv_xor_b32_e32 v1, 0x1000, v1
\ts_add_i32 s4, s4, 1
\ts_cmp_lt_i32 s4, 6
\ts_cbranch_scc1 .Lloop"""
    found = buffers(amd(body).accesses, machine("gfx942"))
    assert [b.parts for b in found] == [((0, 1024), (4096, 5120))]
    assert [b.names for b in found] == [("shared[0:1024]", "shared[4096:5120]")]
    assert all(int(u.offsets_bytes.max()) < 1024 for b in found for u in b.uses)


def test_buffers_that_no_instruction_shares_are_two_and_interleaved_ones_are_one() -> None:
    apart = "\tv_lshlrev_b32_e32 v1, 2, v0\n\tds_read_b32 v2, v1\n\tds_read_b32 v2, v1 offset:256"
    assert [b.parts for b in buffers(amd(apart).accesses, machine("gfx942"))] == [
        ((0, 256),),
        ((256, 512),),
    ]
    mixed = "\tv_lshlrev_b32_e32 v1, 3, v0\n\tds_read_b32 v2, v1\n\tds_read_b32 v2, v1 offset:4"
    assert [b.parts for b in buffers(amd(mixed).accesses, machine("gfx942"))] == [((0, 512),)]


def test_the_second_address_of_an_instruction_may_lie_in_another_buffer() -> None:
    body = "\tv_lshlrev_b32_e32 v1, 3, v0\n\tds_read2st64_b64 v[2:5], v1 offset1:4"
    found = buffers(amd(body).accesses, machine("gfx942"))
    assert [b.parts for b in found] == [((0, 512),), ((2048, 2560),)]


def test_unequal_ranges_of_one_instruction_are_one_buffer() -> None:
    body = """\tv_lshlrev_b32_e32 v1, 4, v0
\tv_add_u32_e32 v3, 0x1000, v1
\tds_read_b128 v[4:7], v3 offset:1024
\ts_mov_b32 s4, 0
.Lloop:
\tds_read_b128 v[4:7], v1
\tds_read_b128 v[4:7], v1 offset:512
\tv_xor_b32_e32 v1, 0x1000, v1
\ts_add_i32 s4, s4, 1
\ts_cmp_lt_i32 s4, 2
\ts_cbranch_scc1 .Lloop
\tds_read_b128 v[4:7], v3 offset:512"""
    found = buffers(amd(body).accesses, machine("gfx942"))
    assert [b.parts for b in found] == [((0, 6144),)]


def test_an_address_beyond_all_memory_is_refused_not_searched() -> None:
    body = "\tv_lshlrev_b32_e32 v1, 4, v0\n\tv_add_u32_e32 v1, -4096, v1\n\tds_read_b32 v2, v1"
    found = buffers(amd(body).accesses, machine("gfx942"))
    assert isinstance(found, Refusal)
    assert "byte 4,294,964" in found.reason


@pytest.mark.parametrize(
    "body",
    [
        TILE + "\n\tds_read_b32 v2, v30",
        TILE + "\n\tds_consume v1",
    ],
)
def test_an_access_with_an_unknown_address_forbids_all_advice(tmp_path, body: str) -> None:
    (kernel,) = checked(tmp_path, amd_text(body)).kernels
    assert kernel.optima == ()
    (note,) = [n for n in kernel.notes if "no layout" in n]
    assert "not all accesses are known: " in note
    assert f"k.s:{2 + len(body.splitlines())}: ds_" in note


def test_a_generic_ptx_access_of_unknown_address_forbids_advice(tmp_path) -> None:
    body = """\tshl.b32 %r2, %r1, 7;
\tmov.u32 %r3, tile;
\tadd.s32 %r4, %r3, %r2;
\tld.shared.u32 %r5, [%r4];"""
    unseen = "\n\tld.param.u64 %rd2, [k_param_0];\n\tld.u64 %rd1, [%rd2];\n\tld.u32 %r6, [%rd1];"
    (known,) = checked(tmp_path, ptx_text(body), "a.ptx").kernels
    (blind,) = checked(tmp_path, ptx_text(body + unseen), "b.ptx").kernels
    assert known.optima[0].address
    assert blind.optima == ()
    assert any("no layout is suggested" in n for n in blind.notes)


def test_what_restricts_a_layout_is_said() -> None:
    (dma,) = sample("gemm_gfx950.s").kernels
    assert any("fills memory in lane order" in n for o in dma.optima for n in o.notes)
    (two,) = sample("matmul_1024.gfx942.s").kernels
    assert any("two addresses a constant apart" in n for o in two.optima for n in o.notes)
    (transposed,) = sample("matmul_1024.gfx950.s").kernels
    assert any("8-byte units hold: these stay" in n for o in transposed.optima for n in o.notes)
    (loop,) = sample("triton_attention.gfx942.amdgcn").kernels
    assert any("is not known: each of their patterns" in n for o in loop.optima for n in o.notes)


def test_a_tile_that_cannot_be_better_is_said_to_be_optimal(tmp_path) -> None:
    """All 64 lanes read one column of 64 words: 256 bytes apart, but each row holds that word only.

    Two-byte lanes in 128-byte rows, written as whole rows of 16 bytes: the pins leave no bank.
    """
    body = """\tv_lshlrev_b32_e32 v1, 6, v0
\tds_write_b128 v1, v[4:7]
\tds_write_b128 v1, v[4:7] offset:16
\tds_write_b128 v1, v[4:7] offset:32
\tds_write_b128 v1, v[4:7] offset:48
\tds_read_b32 v2, v1
\tds_read_b32 v2, v1 offset:4"""
    (kernel,) = checked(tmp_path, amd_text(body)).kernels
    (optimum,) = kernel.optima
    assert optimum.known.optimal
    assert optimum.best.passes > optimum.best.ideal
    assert optimum.certificate is not None


def test_padding_is_named_where_no_layout_of_the_same_size_is_ideal(tmp_path) -> None:
    """Rows of 256 bytes in a buffer of 16,144 bytes, with another one right behind it: longer rows
    are what is named, and no blocks with gaps besides."""
    body = """\tv_lshlrev_b32_e32 v1, 8, v0
\tds_read_b32 v2, v1
\tds_read_b32 v2, v1 offset:12
\tv_mov_b32_e32 v3, 0
\tds_read_b32 v2, v3 offset:16144"""
    text = amd_text(body).replace("65536", "16384")
    (kernel,) = checked(tmp_path, text).kernels
    tile = kernel.optima[0]
    assert tile.allocations == ("shared[0:16144]",)
    assert tile.best.passes > tile.best.ideal
    assert tile.pitch is not None
    assert not any("padded" in note for note in tile.notes)
    row, pad = tile.pitch.row_bytes, tile.pitch.pitch_bytes - tile.pitch.row_bytes
    column = np.arange(64) * 256
    row_of = machine("gfx942").instruction("ds_read_b32")
    moved = [c + c // row * pad for c in (column, column + 12)]
    taken = sum(brute_count(row_of, [m.tolist()], [True] * 64)[0] for m in moved)
    assert taken == tile.pitch.run.passes == tile.present.ideal
    assert tile.pitch.more_bytes == -(-16144 // row) * pad


def test_the_same_text_has_the_notation_of_the_framework_that_it_comes_from(tmp_path) -> None:
    plain = amd_text(TILE)
    (cute,) = checked(tmp_path, plain).kernels[0].optima
    assert cute.notation.startswith("Swizzle<")
    name = "_ZN7ck_tile6kentryILi256ELi1EEEvv"
    (made,) = checked(tmp_path, re.sub(r"\bk\b(?!\.)", name, plain), "ck.s").kernels[0].optima
    assert "make_xor_transform" in made.notation
    iree = re.sub(r"\bk\b(?!\.)", "main_dispatch_0_matmul", plain)
    (shuffle,) = checked(tmp_path, iree, "iree.s").kernels[0].optima
    assert shuffle.notation.startswith("#iree_codegen.xor_shuffle<")
    assert cute.address == shuffle.address


def test_cute_and_iree_notations_say_what_the_formula_says(tmp_path) -> None:
    from bankwise.algebra.address import Fold
    from bankwise.notation.cute.swizzle import Swizzle

    (cute,) = checked(tmp_path, amd_text(TILE)).kernels[0].optima
    a = np.arange(4096)
    numbers = map(int, re.findall(r"-?\d+", cute.notation)[:3])
    assert np.array_equal(Swizzle(*numbers)(a), place(cute.address, a))
    iree = re.sub(r"\bk\b(?!\.)", "main_dispatch_0_matmul", amd_text(TILE))
    (shuffle,) = checked(tmp_path, iree, "iree.s").kernels[0].optima
    width, unit, stride, per = map(int, re.findall(r"\d+", shuffle.notation)[:4])
    fold = Fold(stride * per, unit, width // unit)
    assert np.array_equal(fold(a), place(shuffle.address, a))


def test_the_ck_descriptor_says_what_the_formula_says(tmp_path) -> None:
    name = "_ZN7ck_tile6kentryILi256ELi1EEEvv"
    text = re.sub(r"\bk\b(?!\.)", name, amd_text(TILE))
    (optimum,) = checked(tmp_path, text, "ck.s").kernels[0].optima
    told = ck.descriptor(optimum.notation.partition(" on bytes")[0])
    assert np.array_equal(told.offset([np.arange(4096)]), place(optimum.address, np.arange(4096)))
    assert optimum.best.passes == optimum.best.ideal


def test_beside_its_ttgir_the_layout_is_a_triton_encoding(tmp_path) -> None:
    (tmp_path / "k.ttgir").write_text(
        "#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>\n"
        "#smem = #ttg.shared_memory\n"
        "module { %0 = ttg.local_alloc : () -> !ttg.memdesc<16x128xf16, #shared, #smem, mutable> }"
    )
    (optimum,) = checked(tmp_path, amd_text(TILE), "k.amdgcn").kernels[0].optima
    encoding = optimum.notation.partition(" on ")[0]
    table = memory(parse_shared(encoding), (16, 128))
    from bankwise.notation.values import tabulate

    offsets = 2 * tabulate(table).table.ravel()
    assert np.array_equal(offsets, place(optimum.address, 2 * np.arange(2048)))


def test_a_neighbour_that_cannot_be_read_costs_the_notation_alone(tmp_path) -> None:
    for number, bad in enumerate((b"", b"\xff\xfe", b"no module at all")):
        (tmp_path / f"k{number}.ttgir").write_bytes(bad)
        (found,) = checked(tmp_path, amd_text(TILE), f"k{number}.s").kernels[0].optima
        assert found.address
        assert found.notation.startswith("Swizzle<")


def test_more_buffers_than_are_searched_are_named(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(advice_of, "MOST_SEARCHES", 1)
    body = TILE + "\n\tv_lshlrev_b32_e32 v5, 7, v0\n\tds_read_b32 v2, v5 offset:8192"
    (kernel,) = checked(tmp_path, amd_text(body)).kernels
    assert len(kernel.optima) == 1
    assert any(n.startswith("no layout of shared[8192:") for n in kernel.notes)


def test_the_text_report_shows_the_layout_and_its_restrictions() -> None:
    out = run("check", DATA / "gemm_gfx950.s").out
    assert "byte a of it moves to a ^ ((a >> 3) & 0x60)" in out
    assert "optimum 1,024" in out
    assert "fills memory in lane order" in out


def test_a_kernel_with_too_many_different_accesses_is_told_so() -> None:
    reads = "\n".join(f"\tds_read_b32 v2, v1 offset:{4 * n}" for n in range(801))
    kernel = amd(f"\tv_lshlrev_b32_e32 v1, 2, v0\n{reads}")
    found = buffers(kernel.accesses, machine("gfx942"))
    assert isinstance(found, Refusal)
    assert "801 different accesses" in found.reason
