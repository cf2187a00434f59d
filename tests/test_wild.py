"""docs/wild.md: its findings, recomputed without bankwise, and by it from the same addresses."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bankwise.counting.conflict import count
from bankwise.hardware.machine import machine

ROOT = Path(__file__).parent.parent
SCRIPT = ROOT / "benchmarks" / "wild.py"
FINDINGS: Any = runpy.run_path(str(SCRIPT))["FINDINGS"]


def owns(finding: Any) -> bool:
    """Whether the rule is the machine's; a rival one is judged by the script alone."""
    rule = finding.rule
    return machine(rule.target).instruction(rule.instruction).banks == rule.banks


def test_the_page_shows_what_the_script_prints() -> None:
    page = (ROOT / "docs" / "wild.md").read_text("utf-8")
    printed = subprocess.run(
        [sys.executable, "-I", str(SCRIPT)], capture_output=True, text=True, check=True
    ).stdout
    assert re.findall(r"```text\n(.*?)```", page, re.S) == [printed]


def test_the_script_shares_no_code_with_what_it_judges() -> None:
    modules = re.findall(r"^\s*(?:from|import) (\w+)", SCRIPT.read_text("utf-8"), re.M)
    assert set(modules) <= {"__future__", "collections", "typing"}


@pytest.mark.parametrize(
    "finding",
    [one for one in FINDINGS if owns(one)],
    ids=lambda one: f"{one.name} {one.rule.target}",
)
def test_bankwise_counts_the_same(finding: Any) -> None:
    ways = runpy.run_path(str(SCRIPT))["ways"]
    rule = finding.rule
    row = machine(rule.target).instruction(rule.instruction)
    for address in filter(None, (finding.found, finding.better)):
        found = count(row, np.array([[address(t) for t in range(row.wave_size)]]))
        wanted = ways(rule, address)
        assert (found.passes[0], found.ways[0]) == (sum(wanted), max(wanted))
        assert found.extra[0] == sum(wanted) - len(wanted)
