"""Issue cycles of an H200: the tables of benchmarks/h200_issue_run.py, and what is said of them.

Passes are counted here by hand.
"""

from __future__ import annotations

import csv
import importlib
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from types import ModuleType

import pytest

from bankwise.ask.solve import solve
from bankwise.hardware.issue_cycles import issue_cycles
from bankwise.hardware.machine import machine

ROOT = Path(__file__).parent.parent
DATA = ROOT / "docs" / "data"
BANK_ROW_BYTES = 128
SATURATED = 16
"""Warps on an SM, four for each of its sub-partitions."""
EXECUTIONS = {"odd_48x80_f16": 15}
"""Of every access in a round; four of any other tile."""


def table(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def questions() -> ModuleType:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return importlib.import_module("h200_issue")
    finally:
        sys.path.pop(0)


def passes_of(row: dict[str, str]) -> int:
    """Lanes, or rows of matrices, that lie apart by so many times their width."""
    name, degree = row["instruction"], int(row["degree"])
    if "matrix" in name:
        return int(name[-1]) * degree
    width = int(name.rpartition("b")[2]) // 8
    return max(1, degree * 32 * width // BANK_ROW_BYTES)


def test_an_sm_takes_a_pass_a_cycle_whatever_the_instruction() -> None:
    rows = [r for r in table("h200_issue/issue.csv") if not r["instruction"].startswith("chased")]
    for row in (r for r in rows if r["warps"] == str(SATURATED)):
        assert float(row["cycles_per_instruction"]) == pytest.approx(passes_of(row), rel=0.01)
    half = [r for r in rows if r["warps"] == str(SATURATED // 2)]
    assert len(half) == 16 * 4
    off = [r for r in half if abs(float(r["cycles_per_instruction"]) / passes_of(r) - 1) > 0.02]
    assert {(r["instruction"], r["degree"]) for r in off} == {("ldmatrix.x1", "1")}


def test_a_sub_partition_alone_takes_two_cycles_and_two_a_word_for_a_store() -> None:
    """It is an SM's quarter: hidden behind a store's passes where all four are busy."""
    stores = [r for r in table("h200_issue/issue.csv") if r["instruction"].startswith("st.")]
    for row in stores:
        if row["sub_partitions"] == "1" and row["warps"] == "4":
            words = max(1, int(row["instruction"].rpartition("b")[2]) // 32)
            busy = max(2 + 2 * words, passes_of(row))
            assert float(row["cycles_per_instruction"]) == pytest.approx(busy, rel=0.01)


def test_a_round_of_any_plan_takes_its_passes_in_cycles() -> None:
    for row in table("h200_issue/tiles.csv"):
        assert float(row["passes_read"]) == pytest.approx(int(row["passes"]), abs=0.01)
        if int(row["warps"]) == SATURATED:
            cycles = float(row["cycles_per_round_and_warp"])
            assert cycles == pytest.approx(int(row["passes"]), rel=0.04), row["plan"]


@pytest.mark.parametrize("warps", [4, 8, 16])
def test_of_two_plans_the_one_with_fewer_passes_is_faster_split_or_not(warps: int) -> None:
    compared = 0
    rows = [r for r in table("h200_issue/tiles.csv") if r["warps"] == str(warps)]
    rows = [r for r in rows if r["barrier"] == "1"]
    for one, other in permutations(rows, 2):
        if one["question"] == other["question"] and int(one["passes"]) < int(other["passes"]):
            times = [float(r["cycles_per_round_and_warp"]) for r in (one, other)]
            assert times[0] < times[1], (one["plan"], other["plan"])
            compared += int(one["instructions"]) > int(other["instructions"])
    assert compared > 10, "plans of more instructions and fewer passes"


def test_what_solve_calls_the_cheapest_was_the_fastest(questions: ModuleType) -> None:
    rows = [r for r in table("h200_issue/tiles.csv") if r["warps"] == str(SATURATED)]
    split = 0
    for name, question in questions.QUESTIONS.items():
        report = solve(question)
        assert report.standing.proved
        split += bool(report.layout.splits)
        times = {r["plan"]: r for r in rows if r["question"] == name and r["barrier"] == "1"}
        fastest = min(times.values(), key=lambda r: float(r["cycles_per_round_and_warp"]))
        executions = EXECUTIONS.get(name, 4)
        assert report.layout.passes * executions == int(fastest["passes"])
        assert report.layout.instructions * executions == int(fastest["instructions"])
    assert split == 4


def test_only_what_was_measured_is_stated() -> None:
    known = {"sm_90"}
    for name in ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"):
        gpu = machine(name)
        rows = [gpu.instruction("ld.shared.b32"), gpu.instruction("st.shared.b128")]
        assert {issue_cycles(gpu, row) for row in rows} == {0 if name in known else None}
        if "red.shared.b32" in gpu.instructions:
            assert issue_cycles(gpu, gpu.instruction("red.shared.b32")) is None, "not measured"


def test_the_tables_of_the_page_are_the_generators() -> None:
    command = [sys.executable, "benchmarks/h200_issue_run.py", "tables"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    text = (ROOT / "docs" / "hardware.md").read_text("utf-8")
    for block in made.stdout.strip().split("\n\n"):
        assert block in text
