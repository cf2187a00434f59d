"""Looking at a fix: its verdicts, and the lines of its patch."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bankwise.show.fixing import FixReport, Verdict

INSERTED = re.compile(r"\s*(%swz\d+) = (affine\.apply|arith\.(constant|xori|addi|subi)) .*")
"""A line that a fix adds; its first group is the name of the value."""


def verdict(report: FixReport, judge: str) -> Verdict:
    (found,) = (v for v in report.verdicts if v.judge == judge)
    return found


def applied(patch: str, folder: Path, name: str) -> str:
    """The text of a file in ``folder`` after ``git apply`` of the patch."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(command, cwd=folder, input=patch.encode(), check=True)
    return (folder / name).read_bytes().decode()


def edits(patch: str) -> tuple[list[str], list[str]]:
    """The removed and the added lines."""
    lines = patch.split("\n")
    removed = [x[1:] for x in lines if x.startswith("-") and not x.startswith("---")]
    added = [x[1:] for x in lines if x.startswith("+") and not x.startswith("+++")]
    return removed, added


def values(line: str) -> list[str]:
    return re.findall(r"%[\w$.\-]+(?:#\d+)?", line)
