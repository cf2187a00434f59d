"""``bankwise evidence``: rival rules, counted lane by lane here, and the likelihood by hand."""

from __future__ import annotations

import json
import re
from math import isclose, log10, prod
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.ask.evidence import evidence, log_ratios
from bankwise.ask.rivals import rivals_of
from bankwise.ask.scan import ScanLimits
from bankwise.hardware.machine import machine, names
from bankwise.show.evidence import EvidenceReport, RowEvidence
from command import bankwise
from isa_texts import amd_text

LANE = np.arange(64)
MACHINES = [machine(name) for name in names()]

FREE_BY_ORDER = (
    "\tv_and_b32_e32 v1, 3, v0\n\tv_lshlrev_b32_e32 v1, 4, v1\n"
    "\tv_and_b32_e32 v2, 16, v0\n\tv_lshlrev_b32_e32 v2, 2, v2\n\tv_or_b32_e32 v1, v1, v2\n"
    "\tv_and_b32_e32 v2, 12, v0\n\tv_lshlrev_b32_e32 v2, 5, v2\n\tv_or_b32_e32 v1, v1, v2\n"
    "\tv_and_b32_e32 v2, 32, v0\n\tv_lshlrev_b32_e32 v2, 4, v2\n\tv_or_b32_e32 v1, v1, v2"
)
"""Lanes 0-3 and 20-23, which gfx942 serves together, fill a row of 128 bytes; 0-3 and 4-7 meet."""
FREE_BY_OWN = FREE_BY_ORDER.replace("v2, 5, v2", "v2, 6, v2").replace("v2, 4, v2", "v2, 5, v2")
"""The same with rows of 256 bytes, which gfx950's order on 64 banks meets, too."""
FREE_BY_BOTH = "\tv_lshlrev_b32_e32 v1, 4, v0"
BY_CONSECUTIVE = (
    "\tv_and_b32_e32 v2, 7, v0\n\tv_lshlrev_b32_e32 v1, 4, v2\n\tv_lshrrev_b32_e32 v2, 3, v0\n"
    "\tv_lshlrev_b32_e32 v2, 8, v2\n\tv_add_u32_e32 v1, v1, v2"
)
"""8 neighbours a row, rows 256 bytes apart: free under every order that keeps the neighbours."""


def offsets_of(code: str) -> np.ndarray:
    """What the code computes, as numpy says it."""
    if code is FREE_BY_ORDER:
        return (LANE & 3) * 16 + (LANE & 16) * 4 + (LANE & 12) * 32 + (LANE & 32) * 16
    if code is FREE_BY_OWN:
        return (LANE & 3) * 16 + (LANE & 16) * 4 + (LANE & 12) * 64 + (LANE & 32) * 32
    return LANE * 16 if code is FREE_BY_BOTH else (LANE & 7) * 16 + (LANE >> 3) * 256


def is_free(offsets: np.ndarray, phases: tuple[tuple[int, ...], ...], banks: int) -> bool:
    """Whether no two different words of a phase fall on one bank, counted word by word."""
    for phase in phases:
        words = {int(offsets[lane]) // 4 + n for lane in phase for n in range(4)}
        if len({word % banks for word in words}) < len(words):
            return False
    return True


def kernel(name: str, code: str) -> str:
    text = amd_text(f"{code}\n\tds_read_b128 v[4:7], v1")
    return re.sub(r"(?m)^k:|(?<=amdhsa_kernel )k$|(?<=\.name:           )k$",
                  lambda found: found[0].replace("k", name), text)  # fmt: skip


def asked(folder: Path, **texts: str) -> EvidenceReport:
    folder.mkdir()
    for name, code in texts.items():
        (folder / f"{name}.s").write_text(kernel(name, code), "utf-8")
    return evidence([folder], "gfx942", limits=ScanLimits(workers=1))


def row_of(report: EvidenceReport) -> RowEvidence:
    (row,) = report.rows
    assert row.instruction == "ds_read_b128"
    return row


@pytest.mark.parametrize("code", [FREE_BY_ORDER, FREE_BY_OWN, FREE_BY_BOTH, BY_CONSECUTIVE])
def test_each_rule_judges_as_a_count_of_words_does(code: str, tmp_path: Path) -> None:
    row = row_of(asked(tmp_path / "k", one=code))
    offsets, wanted = offsets_of(code), {}
    for rival in rivals_of(machine("gfx942").instruction("ds_read_b128"), MACHINES):
        rule = rival.instruction
        wanted[rival.name] = is_free(offsets, rule.phases, rule.banks)
    telling = len(set(wanted.values())) > 1
    assert row.telling.layouts == telling
    assert row.free == wanted["gfx942 ds_read_b128"]
    if telling:
        assert {s.name: s.free.accesses for s in row.scores} == {
            n: int(f) for n, f in wanted.items()
        }


def test_copies_of_a_layout_count_once_and_kernels_apart(tmp_path: Path) -> None:
    report = asked(tmp_path / "k", a=FREE_BY_ORDER, b=FREE_BY_ORDER + "\n\tv_mov_b32_e32 v9, v0")
    row = row_of(report)
    assert report.kernels == 2
    assert (row.layouts, row.accesses) == (1, 2)
    assert (row.telling.layouts, row.telling.kernels, row.telling.accesses) == (1, 2, 2)


def test_the_ratio_is_the_product_of_the_model_layout_by_layout() -> None:
    """Of 12 telling layouts 11 are free under the first rule, 5 and 2 under the others."""
    free, telling = (11, 5, 2), 12
    p = (11 + 1) / (telling + 2)
    q = (5 + 2 + 1) / (2 * telling + 2)

    def likelihood(true: int) -> float:
        chances = (p if rule == true else q for rule in range(3))
        return prod(
            chance**n * (1 - chance) ** (telling - n)
            for chance, n in zip(chances, free, strict=True)
        )

    found = log_ratios(free, telling)
    for rule in range(3):
        assert isclose(found[rule], log10(likelihood(0) / likelihood(rule)), abs_tol=1e-9)


def test_nothing_is_said_where_no_rule_does_better_than_chance() -> None:
    assert log_ratios((3, 3, 3), 12) == (0, 0, 0)
    assert log_ratios((), 0) == ()
    assert log_ratios((0, 0), 0) == (0, 0)


def test_the_machine_file_is_told_what_it_may_say_and_never_measured(tmp_path: Path) -> None:
    shifts = {f"k{n}": f"{FREE_BY_OWN}\n\tv_xor_b32_e32 v1, {n * 16}, v1" for n in range(1, 8)}
    row = row_of(asked(tmp_path / "k", **shifts))
    assert row.best == (row.own,)
    text = bankwise("evidence", tmp_path / "k", "-t", "gfx942", "--jobs", "1").out
    assert "never to measured" in text
    assert 'evidence = "measured"' not in text
    assert row.line.startswith('evidence = "inferred"')
    assert f"{row.telling.layouts} of {row.telling.layouts} telling layouts" in row.line


def test_tuned_for_another_order_speaks_against_the_machine(tmp_path: Path) -> None:
    """A machine file of the user's own is a rival, and one that fits better is a finding."""
    own = machine("gfx942").instruction("ds_read_b128")
    mine = tmp_path / "mine.toml"
    mine.write_text(
        'name = "mine"\nproduct = "x"\nvendor = "amd"\nwave_size = 64\ncounter = "c"\n'
        '[sources]\nme = "me"\n[[instruction]]\nnames = ["ds_read_b128"]\ndirection = "read"\n'
        "width_bytes = 16\nbanks = 32\nphases = "
        + json.dumps([" ".join(str(8 * k + n) for k in range(8)) for n in range(8)])
        + '\nspan = [8, 16, 32]\nsource = ["me"]\nevidence = "claimed"\nconfidence = 0.5\n',
        "utf-8",
    )
    strided = "\tv_lshrrev_b32_e32 v1, 3, v0\n\tv_lshlrev_b32_e32 v1, 4, v1\n\tv_and_b32_e32 v2, 7, v0\n\tv_lshlrev_b32_e32 v2, 8, v2\n\tv_add_u32_e32 v1, v1, v2"  # fmt: skip  # noqa: E501
    folder = tmp_path / "k"
    folder.mkdir()
    for n in range(1, 8):
        code = f"{strided}\n\tv_xor_b32_e32 v1, {n * 16}, v1"
        (folder / f"k{n}.s").write_text(kernel(f"k{n}", code), "utf-8")
    words = ("evidence", folder, "-t", "gfx942", "--jobs", "1", "--rival", mine)
    ended = bankwise(*words, "--format", "json")
    (row,) = json.loads(ended.out)["rows"]
    scores = {score["name"]: score["free"]["layouts"] for score in row["scores"]}
    offsets = (LANE >> 3) * 16 + (LANE & 7) * 256
    assert not is_free(offsets, own.phases, own.banks)
    assert scores["mine ds_read_b128"] == row["telling"]["layouts"] == 7
    assert scores["gfx942 ds_read_b128"] == 0
    assert ended.code == 1
    assert row["verdict"].startswith(
        "laid out for mine ds_read_b128: the machine's rule is measured"
    )
    found = evidence([folder], "gfx942", rival_files=[mine], limits=ScanLimits(workers=1))
    doubted = replace(row_of(found), evidence="documented")
    assert doubted.verdict == "speaks against the machine's rule; left are mine ds_read_b128"


def test_kernels_that_no_rule_explains_better_decide_nothing(tmp_path: Path) -> None:
    row = row_of(asked(tmp_path / "k", one=FREE_BY_ORDER))
    assert row.telling.layouts == 1
    assert row.verdict == "decides nothing: too few, or of both kinds"


@pytest.mark.parametrize(
    ("words", "says"),
    [(("-t", "gfx1"), "unknown target"), (("-t", "gfx950"), "no kernel for gfx950 here"),
     (("-t", "gfx942", "--rival", "none.toml"), "no such file"),
     (("-t", "gfx942", "--rival", __file__), "bad machine file")],
)  # fmt: skip
def test_bad_input_is_told(words: tuple[str, ...], says: str, tmp_path: Path) -> None:
    (tmp_path / "k.s").write_text(kernel("k", FREE_BY_BOTH), "utf-8")
    ended = bankwise("evidence", tmp_path, *words)
    assert ended.code == 2
    assert says in ended.err


def test_two_addresses_may_be_one_access(tmp_path: Path) -> None:
    """A rival of ds_read2_b64 serves both addresses of a lane at once, as ds_read_b128 does."""
    row = machine("gfx942").instruction("ds_read2_b64")
    joined = [rival for rival in rivals_of(row, MACHINES) if rival.joined]
    assert joined
    offsets = LANE[None, :] * 16
    for rival in joined:
        lanes = [tuple(lane for lane in phase if lane < 64) for phase in rival.instruction.phases]
        wanted = is_free(offsets[0], tuple(lanes), rival.instruction.banks)
        assert rival.free(offsets, np.ones((1, 64), bool), 8).tolist() == [wanted]
