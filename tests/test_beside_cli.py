"""``check`` with a profile, with ``--worth``, and of a folder, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import bankwise
from isa_texts import amd_text

DATA = Path(__file__).parent / "data" / "profile"
TILES = DATA / "tiles.ptx"


def test_a_profile_is_compared_below_the_check_and_changes_no_exit_code() -> None:
    ended = bankwise("check", TILES, "--counters", DATA / "source.csv")
    assert ended.code == bankwise("check", TILES).code == 1
    assert ended.out.count("as predicted") == 20
    assert ended.out.count("workgroups (8 waves a workgroup executed its first instruction)") == 4


def test_json_has_the_comparison_under_counters_and_only_if_asked_for() -> None:
    words = ("check", TILES, "--format", "json")
    document = json.loads(bankwise(*words, "--counters", DATA / "raw.csv", "--worth").out)
    assert all(k["agrees"] for k in document["counters"]["kernels"])
    assert len(document["worth"]) == 4
    assert not {"counters", "worth"} & json.loads(bankwise(*words).out).keys()


def test_a_folder_is_checked_and_its_worth_told(tmp_path: Path) -> None:
    body = "\tv_lshlrev_b32_e32 v1, 8, v0\n\tds_read_b32 v2, v1"
    (tmp_path / "k.s").write_text(amd_text(body), "utf-8")
    ended = bankwise("check", tmp_path, "--worth")
    assert ended.code == 1
    assert "k: checked k.s" in ended.out
    assert "shared memory is the busiest of the known units" in ended.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--counters", "missing.csv"), "no such file"),
        (("--counters", str(TILES)), "this is PTX; `check --counters` takes a profile"),
        (("--counters", str(DATA / "rocprof.csv")), "measured no sm_90"),
        (("--worth", "--format", "sarif"), "print no sarif"),
    ],
)
def test_what_cannot_be_compared_is_told_without_a_traceback(
    words: tuple[str, ...], says: str
) -> None:
    ended = bankwise("check", TILES, *words)
    assert ended.code == 2
    assert says in ended.err


@pytest.mark.parametrize(
    ("words", "says"),
    [((), "folder is empty"), (("--isa",), "--isa says nothing about a folder")],
)
def test_a_folder_without_kernels_is_told(
    tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    ended = bankwise("check", tmp_path, *words)
    assert ended.code == 2
    assert says in ended.err
