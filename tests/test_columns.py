"""Whatever a command prints into a pipe fits 80 columns, and its verdict stands last."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bankwise.show.columns import table, told_apart
from bankwise.show.page import Page
from bankwise.show.wrap import wrapped
from command import bankwise

ROOT = Path(__file__).parents[1]
DATA = "tests/data"
CK = "examples/ck_transpose"
COMMANDS = (
    f"check {CK}/04_reads.s",
    f"check {CK}/04_reads.s --worth --min-evidence measured",
    f"check {CK}/04_reads.s --statistics",
    f"check {CK}/01.toml --all",
    f"check {DATA}/profile/tiles.ptx --all",
    f"check {DATA}/profile/tiles.ptx --counters {DATA}/profile/raw.csv",
    f"check {DATA}/isa/triton_transpose.gfx942.ttgir",
    "check examples/demo.py",
    f"check {CK}/04_reads.s --arg n=4 --isa",
    "check examples/solve",
    f"fix {CK}/04_reads.s",
    f"fix {DATA}/profile/tiles.ptx --no-execute -o /dev/null",
    f"fix {DATA}/isa/triton_transpose.gfx942.ttgir --no-execute -o /dev/null",
    f"scan {CK} {DATA}/profile",
    f"scan {DATA}/sass/threads.sass",
    f"coalesce {CK}/01.toml",
    f"explain choose {CK}/01.toml",
    f"explain choose {CK}/08.toml",
    "solve examples/solve/wgmma_operand_sm90.toml",
    "solve examples/solve/transpose_sm90.toml --steps",
    "solve examples/faq/ldmatrix_64x32.toml",
    f"solve {CK}/01.toml",
    f"triton-plan {DATA}/isa/triton_transpose.gfx942.ttgir "
    f"{DATA}/isa/triton_transpose.gfx942.amdgcn",
    "sweep examples/sweep/mfma_tile.toml --workers 1",
    "machines",
    "machines gfx950",
    "machines sm_90",
    "explain",
    "explain padding-narrows",
    "explain bank",
    "explain no-such-word-anywhere",
    "show Swizzle<3,4,3>",
    "count -t sm_90 ds_read_b64 lane",
    "count -t gfx950 ds_read_b128 lane*128",
    "bench attention --replay docs/data/h200_attention/attention.csv",
    f"probe --target sm_90 --replay {DATA}/h200_probe.csv",
    "doctor",
    "demo",
    "schema",
)
PASTED = re.compile(
    r"\s*(?:[$+-] ?|@@|.*(?:#ttg\.|#iree_codegen|transform_tensor|padded_layout|tile_to_shape|"
    r"\(offset:\d+\)|a \^ \(\(|Sw<|bankwise \w+ \S+))"
)
"""Texts to be copied: they stand whole, however long."""


@pytest.mark.parametrize("words", COMMANDS)
def test_what_is_printed_into_a_pipe_fits_80_columns(
    words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """But texts to paste, and a line that is one long name or begins with a place in a file."""
    monkeypatch.delenv("COLUMNS", raising=False)
    for folder in ("examples", "tests", "docs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    monkeypatch.chdir(tmp_path)
    ended = bankwise(*words.split())
    lines = (ended.out + ended.printed).splitlines()
    assert lines
    wide = [line for line in lines if len(line) > 80 and not PASTED.match(line)]
    assert [line for line in wide if len(line.split()) > 1] == []


@pytest.mark.parametrize("more", ["", "--statistics", "--concise"])
@pytest.mark.parametrize("question", [True, False])
def test_the_verdict_is_the_last_thing_said(
    question: bool, more: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Behind what ``--min-evidence`` left out, and behind the worth."""
    monkeypatch.chdir(ROOT)
    words = ["check", f"{DATA}/isa/ldmatrix.ptx", "--worth"]
    if question:
        text = Path("examples/transpose_16x32/row_major.toml").read_text("utf-8")
        words = ["check", str(tmp_path / "q.toml")]
        Path(words[1]).write_text(text.replace("sm_90", "sm_80"), "utf-8")
    out = bankwise(*words, "--min-evidence", "measured", *more.split()).out
    said = " ".join(out.split())
    assert "left out by --min-evidence measured: " in said
    assert question or "(of a workgroup: " in said
    assert re.search(
        r"conflicts: l1tex__data_bank_conflicts_pipe_lsu_mem_shared \+= [^:]*$", said
    ), said[-300:]


def test_a_line_ends_neither_in_a_name_nor_in_what_is_quoted() -> None:
    path = "/" + "folder/" * 20 + "kernel.mlir"
    command = "`bankwise check kernel.ptx --launch 'k<<<64, 256>>>(_, _, 4096)'`"
    text = f"error: {path}: no launch is known of this kernel, say it with {command} or give a TOML"
    lines = wrapped(text).splitlines()
    assert [line for line in lines if len(line) > 80] == [next(x for x in lines if path in x)]
    assert any(command in line for line in lines)
    assert " ".join(line.strip() for line in lines) == text
    assert wrapped("a kernel's own 'x y'", 12) == "a kernel's\n  own 'x y'"


def test_a_layout_stays_whole() -> None:
    layout = "xor<width=64, unit=8, stride=64, per_phase=1, period=8>"
    told = wrapped(f"gemm_gather_to_lds: a_tile: {layout}: 2,048 -> 512 passes per workgroup")
    assert layout in told
    assert max(map(len, told.split("\n"))) <= 80


def test_a_table_that_is_too_wide_keeps_every_cell(capsys: pytest.CaptureFixture[str]) -> None:
    titles = [f"long title {n}" for n in range(12)]
    row = [f"{10**9 + n:,}" for n in range(11)]
    table(Page(), [*titles, "name"], [[*row, "0", "_ZN6kernel" * 9]], whole=True)
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= 80 or "_ZN6kernel" * 9 in line for line in lines)
    assert set(row) <= set(" ".join(lines).split())


@pytest.mark.parametrize(
    ("names", "most", "shown"),
    [
        (
            ("two_dispatch_0_matmul_512x512_f16", "two_dispatch_1_matmul_512x512_f16"),
            18,
            ("two_dispatch_0..16", "two_dispatch_1..16"),
        ),
        (
            (f"{'x' * 30}1{'y' * 30}", f"{'x' * 30}2{'y' * 30}"),
            12,
            ("..1yyyyyyyyy", "..2yyyyyyyyy"),
        ),
        (
            ("two_dispatch_0_matmul_like_8x128", "two_dispatch_1_matmul_like_8x512", "write tile"),
            18,
            ("two_dispatch_0..28", "two_dispatch_1..12", "write tile"),
        ),
        (("short", "other"), 12, ("short", "other")),
    ],
)
def test_names_that_are_cut_stay_apart(
    names: tuple[str, ...], most: int, shown: tuple[str, ...]
) -> None:
    assert tuple(told_apart(names, most).values()) == shown


def test_a_row_names_its_kernel_apart_from_one_that_no_row_shows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = [f"two_dispatch_{n}_matmul_like_8x256x512x128_f16xf16xf32" for n in (0, 1)]
    row = ["1" * 30, "2" * 25, names[0]]
    table(Page(), ["one", "two", "kernel"], [row], beside=names)
    assert "two_dispatch_0.." in capsys.readouterr().out
