"""Kernels of IREE and Triton on an H200, before and after: the table, and what is said of it."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def table(name: str = "h200_fix") -> list[dict[str, str]]:
    path = ROOT / "docs" / "data" / name / "results.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_fixed_kernels_left_the_same_bits_and_none_was_slower() -> None:
    rows = table()
    kernels: dict[str, dict[str, dict[str, str]]] = {}
    for row in rows:
        kernels.setdefault(row["name"], {})[row["version"]] = row
        assert row["equal"] == "True"
    assert len(kernels) == 24
    for versions in kernels.values():
        before = versions.pop("before")
        versions.pop("padded", None)
        (after,) = versions.values()
        assert float(after["median_us"]) < float(before["median_us"])
        assert int(after["predicted_passes"]) < int(before["predicted_passes"])


def test_counters_are_as_predicted_but_for_arbitration() -> None:
    rows = table()
    exact = 0
    for row in rows:
        for what in ("passes", "conflicts"):
            seen, said = int(row[f"alone_{what}"]), int(row[f"predicted_{what}"])
            assert 0 <= seen - said <= 0.002 * int(row["predicted_passes"])
        exact += row["alone_passes"] == row["predicted_passes"]
    assert exact == 57
    assert len(rows) == 66


def test_the_tables_of_the_page_are_the_generators() -> None:
    command = [sys.executable, "benchmarks/h200_fix_run.py", "tables"]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    text = (ROOT / "docs" / "results_h200_fix.md").read_text("utf-8")
    for block in made.stdout.strip().split("\n\n"):
        assert block in text


def test_thirteen_kernels_of_triton_are_faster_with_the_same_bits() -> None:
    """And the page has their table, and how many versions were as predicted."""
    rows = table("h200_triton")
    assert all(row["equal"] == "True" for row in rows)
    pairs = list(zip(rows[::2], rows[1::2], strict=True))
    assert [one["version"] for one in rows[:2]] == ["before", "after"]
    assert len(pairs) == 13
    for before, after in pairs:
        assert before["name"] == after["name"]
        assert float(after["median_us"]) < float(before["median_us"])
    exact = sum(
        all(row[f"alone_{what}"] == row[f"predicted_{what}"] for what in ("passes", "conflicts"))
        for row in rows
    )
    data = "docs/data/h200_triton/results.csv"
    command = [sys.executable, "benchmarks/h200_fix_run.py", "tables", data]
    made = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    text = (ROOT / "docs" / "triton.md").read_text("utf-8")
    assert f"in {exact} of {len(rows)} versions exactly" in text
    for line in made.stdout.strip().splitlines()[2:]:
        assert line.removesuffix("  |").rstrip() in text


def test_distributions_that_leave_fewer_workgroups_are_slower_than_those_that_leave_all() -> None:
    """By hand: an H200 has 65,536 registers a unit, and gives them to a warp by eights. The page
    has what is taken, the first that leaves as many, beside that with the fewest passes."""
    with (ROOT / "docs" / "data" / "h200_distributions.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    page = (ROOT / "docs" / "triton.md").read_text("utf-8")
    shapes = dict.fromkeys(tuple(row[key] for key in ("d", "bm", "bn", "waves")) for row in rows)
    assert len(shapes) == 3
    for shape in shapes:
        before, *others = (r for r in rows if (r["d"], r["bm"], r["bn"], r["waves"]) == shape)
        assert before["distribution"] == "before"
        roomy = [one for one in others if _workgroups(one) >= _workgroups(before)]
        crowded = [float(one["median_ms"]) for one in others if one not in roomy]
        slowest = max(float(one["median_ms"]) for one in roomy)
        assert slowest < min([float(before["median_ms"]), *crowded])
        fewest = min(others, key=lambda one: int(one["passes"]))
        cells = (
            f"{int(r['passes']):,} passes, {r['registers']} registers, {r['median_ms']} ms"
            for r in (before, fewest, roomy[0])
        )
        d, bm, bn, waves = shape
        assert f"| {d}, {bm} x {bn}, {waves} | {' | '.join(cells)} |" in page
    assert all(row["equal"] == "True" for row in rows)


def _workgroups(row: dict[str, str]) -> int:
    """That fit a unit, by registers alone."""
    a_thread = -(-int(row["registers"]) // 8) * 8
    return 65_536 // (32 * int(row["waves"]) * a_thread)
