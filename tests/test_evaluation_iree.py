"""The page about IREE's own kernels is what its tables say."""

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
    command = [sys.executable, "benchmarks/iree_corpus.py", "page", str(TABLES)]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    assert (ROOT / "docs" / "evaluation_iree.md").read_text("utf-8") == made.stdout


@pytest.mark.parametrize("table", sorted(TABLES.glob("*.csv")), ids=lambda path: path.stem)
def test_no_kernel_is_worse_than_iree_left_it(table: Path) -> None:
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    for row in rows:
        for what in ("passes", "cycles", "unknown"):
            assert int(row[f"{what}_fixed"]) <= int(row[what]), row["dump"]
        assert int(row["passes_fixed"]) >= int(row["ideal_fixed"])
        assert (int(row["changes"]) > 0) == (row["passes"] != row["passes_fixed"]), row["dump"]
