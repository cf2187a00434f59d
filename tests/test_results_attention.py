"""docs/results_attention.md against the tables it cites; every number is computed here anew."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median

import pytest
from msgspec.structs import replace

from bankwise.hardware.machine import machine
from bankwise.lab.report.bench_choice import chosen
from bankwise.lab.report.bench_row import BenchRow
from command import bankwise

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "data" / "h200_attention"
PAGE = " ".join((ROOT / "docs" / "results_attention.md").read_text("utf-8").split())
Row = dict[str, str]
Table = dict[tuple[str, str], Row]


def table(name: str, group: str) -> Table:
    """(variant, shape) to row."""
    with (FOLDER / f"{name}.csv").open() as file:
        return {(r["variant"], r["shape"]): r for r in csv.DictReader(file) if r["group"] == group}


def ratios(rows: Table, slow: str, fast: str, column: str = "median_ms") -> dict[str, float]:
    """Time over time by shape."""
    shapes = [shape for variant, shape in rows if variant == slow]
    return {s: float(rows[slow, s]["median_ms"]) / float(rows[fast, s][column]) for s in shapes}


def rate(rows: Table, variant: str) -> float:
    """The best TFLOP/s."""
    return max(
        int(r["flops"]) / float(r["median_ms"]) / 1e9 for (v, _), r in rows.items() if v == variant
    )


def column(cells: Callable[[Table], str], name: str, groups: tuple[str, ...]) -> str:
    return " | ".join(cells(table(name, group)) for group in groups)


PAIRS = {
    "median padding speed against none": ("none", "padding"),
    "median swizzle speed against none": ("none", "swizzle"),
    "median swizzle speed against padding": ("padding", "swizzle"),
}


@pytest.mark.parametrize("groups", [("f16",), ("f32", "f32 blocked")])
def test_the_tables_of_attention(groups: tuple[str, ...]) -> None:
    for title, (slow, fast) in PAIRS.items():
        words = column(
            lambda rows, s=slow, f=fast: f"{median(ratios(rows, s, f).values()):.3f}x",
            "attention",
            groups,
        )
        assert f"| {title} | {words} |" in PAGE
    faster = column(
        lambda rows: f"{sum(x > 1 for x in ratios(rows, 'padding', 'swizzle').values())} of 110",
        "attention",
        groups,
    )
    assert f"| swizzle faster than padding | {faster} |" in PAGE


def test_where_the_f32_swizzle_is_faster_it_is_occupancy() -> None:
    rows = table("attention", "f32")
    found = {s: x for s, x in ratios(rows, "padding", "swizzle").items() if x > 1.02}
    low, high = min(found.values()), max(found.values())
    assert f"On {len(found)} shapes the swizzle is faster by {low:.2f}x to {high:.2f}x" in PAGE
    assert min(int(rows["padding", s]["workgroups"]) for s in found) == 192
    assert {s.rsplit("x", 1)[1] for s in found} == {"128"}
    both = {(rows["padding", s]["resident"], rows["swizzle", s]["resident"]) for s in found}
    assert both == {("1", "2")}
    same = ratios(rows, "padding", "swizzle", "same_lds_ms")
    assert f"slower there as well ({median(same[s] for s in found):.2f}x)" in PAGE
    assert max(same[s] for s in found) < 1


def test_blocked_rows_by_head_and_f16_by_rate_spill_and_length() -> None:
    blocked = ratios(table("attention", "f32 blocked"), "padding", "swizzle")
    assert f"{100 * median(blocked.values()) - 100:.1f} % is what the conflicts" in PAGE
    heads = [median(x for s, x in blocked.items() if s.endswith(f"x{h}")) for h in (64, 128)]
    assert f"by head {heads[0]:.3f}x and {heads[1]:.3f}x" in PAGE
    half = table("attention", "f16")
    best = max(rate(half, v) for v in ("none", "padding", "swizzle"))
    assert f"best 16-bit rate is {best:.0f} TFLOP/s" in PAGE
    short = [r for (v, _), r in half.items() if v == "swizzle" and float(r["median_ms"]) < 0.01]
    assert f"{len(short)} of the f16 shapes take less than 10 µs" in PAGE
    assert "No kernel spills." in PAGE
    rows = [r for g in ("f16", "f32", "f32 blocked") for r in table("attention", g).values()]
    assert {r["local_bytes"] for r in rows} == {"0"}


def test_how_often_the_swizzle_is_within_a_percent_or_two_of_the_fastest() -> None:
    for group, words in (
        ("f16", "within 1 % of the fastest of the three on {} shapes and within 2 % on {}."),
        ("f32", "within 1 % of the fastest on {} shapes and within 2 % on all {}."),
    ):
        rows = table("attention", group)
        slower = [
            min(ratios(rows, v, "swizzle")[s] for v in ("none", "padding", "swizzle"))
            for s in {s for _, s in rows}
        ]
        counts = [sum(1 / x <= 1 + limit for x in slower) for limit in (0.01, 0.02)]
        assert words.format(*counts) in PAGE


def test_the_table_of_products() -> None:
    groups = ("f16", "f32")
    words = column(
        lambda r: ", ".join(
            f"{median(ratios(r, 'none', v).values()):.3f}x" for v in ("padding", "swizzle")
        ),
        "gemm",
        groups,
    )
    assert f"| median padding, swizzle speed against none | {words} |" in PAGE
    against = [ratios(table("gemm", g), "padding", "swizzle") for g in groups]
    middle = " | ".join(f"{median(x.values()):.3f}x" for x in against)
    assert f"| median swizzle speed against padding | {middle} |" in PAGE
    faster = " | ".join(f"{sum(r > 1 for r in x.values())} of 10" for x in against)
    assert f"| swizzle faster | {faster} |" in PAGE
    rates = column(
        lambda r: (
            ", ".join(f"{rate(r, v):.0f}" for v in ("none", "padding", "swizzle")) + " TFLOP/s"
        ),
        "gemm",
        groups,
    )
    assert f"| best rate: none, padding, swizzle | {rates} |" in PAGE


def test_launches_that_differ_as_launched_are_large_and_too_high_alike() -> None:
    parts = ("read_passes", "read_extra", "write_passes", "write_extra")
    differ = []
    for group in ("f16", "f32", "f32 blocked"):
        for row in table("attention", group).values():
            over = [int(row[f"measured_{p}"]) - int(row[f"predicted_{p}"]) for p in parts]
            assert min(over) >= 0
            assert (over[0], over[2]) == (over[1], over[3])
            if any(over):
                assert int(row["workgroups"]) >= 192
                passes = sum(int(row[f"predicted_{p}"]) for p in (parts[0], parts[2]))
                differ.append((over[0] + over[2]) / passes)
    assert f"{990 - len(differ)} of 990 exact; the others at most {100 * max(differ):.1f} %" in PAGE
    assert f"all {len(differ)} launches that differ" in PAGE


def test_how_passes_rank_times_stands_where_trust_is_asked_for() -> None:
    page = (ROOT / "docs" / "trust.md").read_text("utf-8")
    for words, lines in ((["ranking.py"], 4), (["h200_worth.py", "table"], 6)):
        command = [sys.executable, str(ROOT / "benchmarks" / words[0]), *words[1:]]
        table = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        assert table.count("\n") == lines
        assert table in page


def test_the_bound_of_worth_held_in_every_launch_and_by_how_much_it_is_too_large() -> None:
    """Its formula, from the counters of the data."""
    page = " ".join((ROOT / "docs" / "trust.md").read_text("utf-8").split())
    with (ROOT / "docs" / "data" / "h200_worth" / "results.csv").open() as file:
        rows = list(csv.DictReader(file))
    over = []
    for before, after in zip(rows[::2], rows[1::2], strict=True):
        left = 1 - int(before["extra"]) / int(before["passes"])
        units = [float(before[f"{u}_pct"]) for u in ("matrix", "issue", "L2", "memory")]
        bound = min(1 / left, 100 / max(units))
        over.append(bound * float(after["median_us"]) / float(before["median_us"]))
    assert min(over) > 1
    assert f"{min(over):.1f} times what a fix brings at least, {median(over):.0f} times" in page
    assert f"{max(over):.0f} times at most, where a launch" in page


def test_the_choice_that_is_made_before_timing_is_judged_as_the_page_says() -> None:
    words = [sys.executable, str(ROOT / "benchmarks" / "h200_noise.py"), "table"]
    found = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert " ".join(found.split()) in PAGE
    near = {}
    with (FOLDER / "interleaved.csv").open() as file:
        for row in csv.DictReader(file):
            time = float(row["first_us"]) + float(row["again_us"])
            near.setdefault((row["group"], row["shape"]), {})[row["variant"]] = time
    padding = [x["padding"] / min(x.values()) <= 1.01 for (g, _), x in near.items() if g == "f16"]
    assert f"| f16 | 110, 0 | {sum(padding)} of 110 |" in PAGE


def test_the_choice_is_printed_with_how_it_fared_as_the_page_says() -> None:
    ended = bankwise("bench", "attention", "--replay", str(FOLDER / "attention.csv"))
    assert "f16: padding 110 chosen untimed, 94 of 110 within 1% of the fastest" in ended.out
    for group, count in (("f32: padding 94, swizzle 16", 110), ("f32 blocked: swizzle 110", 110)):
        assert f"{group} chosen untimed, {count} of 110 within 1% of the fastest" in ended.out
    assert "the choice is within 1 % on 94, in f32 on 110 and 110" in PAGE
    rows = table("attention", "f16")
    near = [
        float(rows["padding", s]["median_ms"])
        <= 1.01 * min(float(rows[v, s]["median_ms"]) for v in ("none", "padding", "swizzle"))
        for v, s in rows
        if v == "padding"
    ]
    assert sum(near) == 94


def test_of_equal_passes_bytes_count_only_where_they_cost_a_workgroup() -> None:
    """Rows of 118 KiB leave room for one workgroup on an SM, of 112 KiB for two."""
    row = BenchRow("attention", "f32", "a", "padding", "q: rows padded", 128, 1, 120832, 9, 0, 9, 0)
    other = replace(row, variant="swizzle", layouts="q: m ^ n", lds_bytes=114688)
    fewer = replace(other, predicted_read_passes=8)
    gpu = machine("sm_90")
    assert chosen((row, other), gpu) is row
    assert chosen((row, fewer), gpu) is fewer
    more = [replace(one, workgroups=133) for one in (row, other)]
    assert chosen(more, gpu) is more[1]
