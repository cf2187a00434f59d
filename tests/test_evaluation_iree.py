"""The page about IREE's own kernels is what its tables say, and no kernel in them is worse."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TABLES = ROOT / "docs" / "data" / "iree_corpus"


def test_the_page_is_made_of_the_tables() -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    command = [sys.executable, "benchmarks/iree_fixes.py", "page", str(TABLES)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert (ROOT / "docs" / "evaluation_iree.md").read_text("utf-8") == made.stdout


def rows(table: Path) -> list[dict[str, str]]:
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("table", sorted(TABLES.glob("*.csv")), ids=lambda path: path.stem)
def test_no_kernel_is_worse_than_iree_left_it(table: Path) -> None:
    assert rows(table)
    for row in rows(table):
        for what in ("passes", "cycles", "emitted_passes", "emitted_cycles", "spilled"):
            if row[what]:
                assert int(row[f"{what}_fixed"]) <= int(row[what]), (row["kernel"], what)
        assert int(row["passes_fixed"]) >= int(row["ideal_fixed"])


@pytest.mark.parametrize("table", sorted(TABLES.glob("models_*.csv")), ids=lambda path: path.stem)
def test_what_is_changed_of_models_was_proved_executed_and_compiled(table: Path) -> None:
    for row in rows(table):
        if int(row["changes"]):
            assert row["compiled"] == "yes", row["kernel"]
            assert row["proved"] == "passed", row["kernel"]
            assert row["executed"].startswith("passed: bit-identical"), row["kernel"]
