"""Rows that are aligned to less than their accesses: why these take more passes, told by check."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.ask.check import check
from command import bankwise
from kernel_texts import changed, written
from test_weak_gain import GEMM_TILE

WHY = (
    "rows of 136 bytes are aligned to 8: 16-byte reads are pairs of 8 bytes, ds_read2_b64, 8 "
    "passes at best over 32 banks; aligned to 16 they would be ds_read_b128, 4 over 64 banks"
)
"""A wave moves 1,024 bytes: 8 times 128 over 32 banks, 4 times 256 over 64. Writes take 8 either
way, and are not told."""


def test_check_says_why_accesses_take_more_passes_without_a_conflict(tmp_path: Path) -> None:
    file = written(tmp_path, GEMM_TILE)
    [snippet] = check(file, "gfx950").snippets
    assert snippet.notes == (WHY,)
    said = bankwise("check", file, "-t", "gfx950").out
    assert WHY in " ".join(said.split())


def test_rows_that_are_aligned_are_not_the_reason(tmp_path: Path) -> None:
    rows = written(tmp_path, changed(GEMM_TILE, ("64x68xf16", "64x64xf16")))
    [snippet] = check(rows, "gfx950").snippets
    assert snippet.notes == ()


def test_where_whole_accesses_take_as_many_passes_nothing_is_told(tmp_path: Path) -> None:
    """gfx942 has 32 banks for both."""
    for snippet in check(written(tmp_path, GEMM_TILE), "gfx942").snippets:
        assert not any("rows of" in note for note in snippet.notes)
