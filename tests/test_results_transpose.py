"""docs/results_transpose.md against the data it cites: counters, times, shares, variants."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import pytest

from bankwise.hardware.machine import machine
from bankwise.lab.kernels.transpose_ladder import ladder, relaid
from bankwise.lab.kernels.transpose_launch import fitted, launch_counts
from bankwise.lab.kernels.transpose_tune import plan
from bankwise.lab.kernels.transpose_variant import Variant

ROOT = Path(__file__).parents[1]
H200 = machine("sm_90")
MEASURED = ROOT / "docs" / "data" / "h200_transpose" / "results.csv"


def measured() -> list[dict[str, str]]:
    """But for the launch that does nothing, which has no bandwidth."""
    return [row for row in csv.DictReader(MEASURED.open()) if row["kind"] != "empty"]


def named(text: str) -> Variant:
    """A variant from the words that name it in the tables."""
    tile, threads, block, late, *rest = text.split()
    order = next(w for w in rest if w.startswith("order"))
    kinds = ("tile", "persistent", "grid", "tma")
    hints, kind = rest[-1].split("/"), next(w for w in rest if w in kinds)
    blocks = [w for w in rest if w.startswith("x")]
    m, k = map(int, tile.split("x"))
    across, group = (int(n.replace("all", "0")) for n in order.removeprefix("order").split("x"))
    cluster = [w for w in rest if w.startswith("cluster")]
    skew = [w for w in rest if w.startswith("skew")]
    load, store = ("" if h == "plain" else h for h in hints)
    return Variant(
        m, k, int(threads[1:]), int(block[5:]), late == "late", group, across,
        int(skew[0][4:] or 1) if skew else 0,
        kind, "prefetch" in rest, int(blocks[0][1:]) if blocks else 0, load, store,
        int(cluster[0][7:]) if cluster else 1, "single" in rest,
    )  # fmt: skip


def test_the_measured_counters_of_the_h200_are_what_is_counted_here_from_the_layouts():
    rows = [r for r in measured() if r["measured_extra"]]
    names = {r["name"] for r in rows}
    assert {r.name for d in ("fp16", "fp32") for r in ladder(d, H200)} <= names
    for row in rows:
        size = (int(row["m"]), int(row["k"]))
        made = next((r for r in ladder(row["dtype"], H200) if r.name == row["name"]), None)
        if made is None:
            made = plan(named(row["variant"]), row["dtype"], H200)
            if row["kind"] == "relaid":
                made = next(r for r in relaid(made) if r.name[-7:] == row["name"][-7:])
        found = launch_counts(made, H200, size)
        assert int(row["measured_extra"]) == found.extra, row["name"]
        assert int(row["measured_passes"]) == found.write.passes + found.read.passes
        assert row["correct"] == "True"
    cases = {(r["dtype"], r["k"]) for r in rows}
    assert cases == {(d, k) for d in ("fp16", "fp32") for k in ("256", "4096")}


def test_the_measured_shares_follow_from_the_measured_times():
    rows = measured()
    copies = {(r["dtype"], r["k"]): r for r in rows if r["kind"] == "copy"}
    for row in rows:
        copy = copies[row["dtype"], row["k"]]
        share = float(copy["median_ms"]) / float(row["median_ms"])
        assert float(row["share"]) == pytest.approx(share, rel=1e-9)
        size = int(row["m"]) * int(row["k"]) * {"fp16": 2, "fp32": 4}[row["dtype"]] * 2
        assert float(row["gb_per_s"]) == pytest.approx(
            size / float(row["median_ms"]) / 1e6, rel=1e-3
        )


def test_one_kernel_is_at_98_per_cent_of_a_copy_warm_and_cold_and_ahead_of_triton_and_torch():
    rows = measured()
    for dtype, k in product(("fp16", "fp32"), ("256", "4096")):
        mine = [row for row in rows if (row["dtype"], row["k"]) == (dtype, k)]
        chosen = counted_one(mine)
        assert min(float(chosen["share"]), float(chosen["cold_share"])) >= 0.98
        for column in ("median_ms", "cold_ms"):
            least: dict[str, float] = {}
            for row in mine:
                least[row["kind"]] = min(least.get(row["kind"], 1e9), float(row[column]))
            assert float(chosen[column]) < least["triton"] < least["torch"]
            assert least["tuned"] <= float(chosen[column])


def counted_one(rows: list[dict[str, str]]) -> dict[str, str]:
    """The tuned kernel of the table: the one whose slower side is nearest to the copy."""
    (found,) = (r for r in rows if r["kind"] == "tuned" and r["measured_extra"])
    return found


def test_the_page_shows_the_tables_of_the_measured_data():
    words = [sys.executable, str(ROOT / "benchmarks" / "h200_transpose.py"), "tables"]
    found = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    assert found.count("\n| ") > 50
    assert found.strip() in (ROOT / "docs" / "results_transpose.md").read_text("utf-8")


def test_the_page_names_shares_and_factors_of_the_measured_data():
    words = page_words()
    fastest: dict[tuple[str, str, str], dict[str, str]] = {}
    for row in measured():
        key = (row["dtype"], row["k"], row["kind"])
        fastest[key] = min(fastest.get(key, row), row, key=lambda x: float(x["median_ms"]))
    said, torch, triton = {}, [], []
    for dtype, k in product(("fp16", "fp32"), ("256", "4096")):
        mine = [row for row in measured() if (row["dtype"], row["k"]) == (dtype, k)]
        chosen = counted_one(mine)
        said[dtype, k] = " and ".join(
            f"{100 * float(chosen[n]):.1f}" for n in ("share", "cold_share")
        )
        best = float(fastest[dtype, k, "tuned"]["median_ms"])
        torch.append(float(fastest[dtype, k, "torch"]["median_ms"]) / best)
        triton.append(float(fastest[dtype, k, "triton"]["median_ms"]) / best)
    small, large = said["fp16", "256"], said["fp16", "4096"]
    assert f"fp16 {small} % at 65536 x 256, {large} % at 65536 x 4096;" in words
    assert f"fp32 {said['fp32', '256']} %, and {said['fp32', '4096']} %." in words
    half, full = (fastest[d, "256", "tuned"] for d in ("fp16", "fp32"))
    warm = [f"{100 * float(r['share']):.1f} %" for r in (half, full)]
    cold = [f"{100 * float(r['cold_share']):.1f}" for r in (half, full)]
    assert f"reaches {warm[0]} (fp16) and {warm[1]} (fp32) at 65536 x 256" in words
    assert f"cold the two reach {' and '.join(cold)} %" in words
    assert all("el" in r["variant"].split()[-1] for r in (half, full))
    assert f"Faster than PyTorch {min(torch):.1f} to {max(torch):.1f} times" in words
    assert f"by {100 * min(triton) - 100:.0f} % (fp32, 65536 x 256) to" in words
    half_rows = [r for r in measured() if (r["dtype"], r["k"]) == ("fp16", "256")]
    colds = [
        min(float(r["cold_ms"]) for r in half_rows if r["kind"] == kind)
        for kind in ("triton", "tuned")
    ]
    lead = f"{100 * max(triton) - 100:.0f} % (fp16, 65536 x 256; cold by"
    assert f"to {lead} {100 * colds[0] / colds[1] - 100:.0f} %), everywhere" in words
    tried = list(csv.DictReader(MEASURED.with_name("variants.csv").open()))
    assert f"the {len(tried)} tuned variants" in words


def page_words() -> str:
    return " ".join((ROOT / "docs" / "results_transpose.md").read_text("utf-8").split())


def test_lines_that_were_kept_outlive_other_data_and_the_order_at_dram_is_all_that_changes():
    rows = csv.DictReader(MEASURED.with_name("kept.csv").open())
    found = {(r["name"], r["counter"]): float(r["value"]) for r in rows}
    read = {name: found[name, "dram__bytes_read.sum"] / 1e6 for name, _ in found}
    whole = 40 * 1.048576
    for name in ("plain", "ef", "el, forgotten", "el20, forgotten"):
        assert read[name] == pytest.approx(whole, rel=1e-3)
    words = page_words()
    assert f"{100 * (1 - read['el'] / whole):.0f} % are still in L2" in words
    assert f"{read['el']:.1f} MB for {whole:.1f}; with *el20* {read['el20']:.1f}" in words
    gains = []
    for case in ("fp32 65536 x 4096", "fp32 65536 x 256", "fp16 65536 x 4096"):
        plain, kept = (read[f"{case} {load}"] for load in ("plain", "el"))
        assert kept == pytest.approx(plain, rel=1e-4)
        times = [found[f"{case} {load}", "gpu__time_duration.sum"] for load in ("plain", "el")]
        gains.append(100 * times[0] / times[1] - 100)
        cells = [kept, found[f"{case} el", "dram__bytes_write.sum"] / 1e6, times[1] / 1e3]
        assert f"| {case} | kept | {' | '.join(f'{x:.1f}' for x in cells)} |" in words
    assert f"It is worth {min(gains):.1f} to {max(gains):.1f} % to every large" in words


def test_the_page_says_what_copies_without_a_transpose_reach():
    page = (ROOT / "docs" / "results_transpose.md").read_text("utf-8")
    rows = list(csv.DictReader(MEASURED.with_name("limits.csv").open()))
    large = [r for r in rows if r["k"] == "4096"]
    copy = {r["part"]: float(r["median_ms"]) for r in large if r["name"] == "copy"}
    share = {(r["part"], r["name"]): 100 * copy[r["part"]] / float(r["median_ms"]) for r in large}
    for vectors, kb in ((1, "4 KB, one"), (4, "16 KB"), (8, "32 KB")):
        for kept in (False, True):
            found = [
                s
                for (_, name), s in share.items()
                if name.endswith(f" x{vectors}") and name.startswith("el/") == kept
            ]
            assert len(found) == (4 if kept else 20)
            (line,) = [
                x
                for x in page.splitlines()
                if x.startswith(f"| blocks of {kb}") and ("loads kept" in x) == kept
            ]
            assert line.endswith(f"| {max(found):.1f} to {min(found):.1f} % |")
    best = max(share["copied", f"el/{store} x1"] for store in ("plain", "wt", "cs", "ef"))
    plain, kept = (share["copied", f"{load}/plain x1"] for load in ("plain", "el"))
    assert f"and {100 * kept / plain - 100:.1f} % to a plain copy" in " ".join(page.split())
    assert f"then {best - 100:.1f} % faster than the driver's" in " ".join(page.split())
    for read, write, text in (
        ("linear", "linear", "both in place; loads kept | "),
        ("strided", "linear", "read in the pieces of a transpose, written in one; loads kept | "),
        ("linear", "strided", "read in one, written in the pieces of a transpose; loads kept | "),
        ("strided", "strided", "both in the pieces of a transpose; loads kept | "),
    ):
        name = f"read {read} write {write} across 1"
        plain, kept = share["pieces", name], share["pieces", f"{name} el"]
        assert f"{text}{plain:.1f} %; {kept:.1f} % |" in page


def test_the_ceiling_is_that_of_the_copy_engine_in_a_transposes_pattern():
    words = " ".join((ROOT / "docs" / "results_transpose.md").read_text("utf-8").split())
    rows = list(csv.DictReader(MEASURED.with_name("limits.csv").open()))
    found = [r for r in rows if r["part"] == "tensor"]
    copy = next(float(r["median_ms"]) for r in found if r["name"] == "copy")
    best = min((r for r in found if r["name"] != "copy"), key=lambda r: float(r["median_ms"]))
    assert f"the best of all | {100 * copy / float(best['median_ms']):.1f} % |" in words
    assert f"The copy engine moves tiles of {best['name'].split(',')[0]} elements" in words


def ahead(table: str) -> list[int]:
    """Rows in which the tuned kernels are faster than all others, warm and cold, and equal so."""
    found = [0, 0, 0, 0]
    for line in table.splitlines()[2:]:
        cells = [c.strip() for c in line.strip("|").split("|")[3:] if c.strip() != "-"]
        kinds = [[float(x) for x in cell.split(",")] for cell in cells]
        for which in (0, 1):
            others = max(x[which] for x in kinds[1:])
            found[which] += kinds[0][which] > others
            found[2 + which] += kinds[0][which] == others
    return found


def printed(name: str) -> str:
    words = [sys.executable, str(ROOT / "benchmarks" / "h200_transpose.py"), name]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def test_other_shapes_stand_on_the_page_with_who_is_ahead():
    page = (ROOT / "docs" / "results_transpose.md").read_text("utf-8")
    table = printed("shape-table")
    assert table in page
    warm, cold, *equal = ahead(table)
    words = " ".join(page.split())
    assert f"Triton's best on {warm} of 20 and equal on {equal[0]}; cold on {cold}" in words
    assert f"cold on {cold} and equal on {equal[1]}" in words
    rows = list(csv.DictReader(MEASURED.with_name("shapes.csv").open()))
    assert all(r["correct"] == "True" for r in rows if r["kind"] == "tuned")


def test_odd_sizes_and_batches_stand_on_the_page_with_who_is_ahead():
    page = (ROOT / "docs" / "results_transpose.md").read_text("utf-8")
    table = printed("any-table")
    assert table in page
    rows = list(csv.DictReader(MEASURED.with_name("any.csv").open()))
    best: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for row in rows:
        if row["kind"] in ("tuned", "triton", "torch", "cublas"):
            kind = "tuned" if row["kind"] == "tuned" else "other"
            key = (row["dtype"], row["batch"], row["m"], row["k"])
            times = [float(row["median_ms"]), float(row["cold_ms"])]
            kept = best.setdefault(key, {}).setdefault(kind, times)
            best[key][kind] = [min(pair) for pair in zip(kept, times, strict=True)]
    faster = [sum(x["tuned"][i] < x["other"][i] for x in best.values()) for i in (0, 1)]
    words = " ".join(page.split())
    assert f"Ahead of all others on {faster[0]} of {len(best)} warm, on {faster[1]} cold" in words
    behind = [key for key, x in best.items() if x["tuned"][0] > x["other"][0]]
    assert behind == [("fp32", "256", "127", "129")]
    (one,) = (best[key] for key in behind)
    lost = 100 * one["tuned"][0] / one["other"][0] - 100
    assert f"Behind is 256 x 127 x 129 in fp32, warm, by {lost:.1f} %" in words
    leads = [[x["other"][i] / x["tuned"][i] for x in best.values()] for i in (0, 1)]
    assert [sum(lead < 1.01 for lead in each) for each in leads] == [3, 1]
    assert "Two leads are below 1 % warm, and one cold" in words
    assert f"by up to {100 * max(map(max, leads)) - 100:.0f} %" in words
    assert all(r["correct"] == "True" for r in rows if r["kind"] in ("tuned", "relaid", "rung"))


def test_the_counters_of_tiles_at_the_edge_are_what_is_counted_here_from_the_layouts():
    """Tuned codes; the small matrices, whose edges are the largest part."""
    rows = list(csv.DictReader(MEASURED.with_name("any.csv").open()))
    counted = [r for r in rows if r["measured_extra"]]
    words = " ".join((ROOT / "docs" / "results_transpose.md").read_text("utf-8").split())
    exact = [
        (r["predicted_passes"], r["predicted_extra"]) == (r["measured_passes"], r["measured_extra"])
        for r in counted
    ]
    assert f"{sum(exact)} of {len(exact)} launches are predicted exactly" in words
    others = [r for r, same in zip(counted, exact, strict=True) if not same]
    assert all(r["measured_passes"] == r["predicted_passes"] for r in others)
    assert {int(r["measured_extra"]) - int(r["predicted_extra"]) for r in others} == {1500}
    for row in counted:
        batch, m, k = (int(row[x]) for x in ("batch", "m", "k"))
        if row["kind"] != "tuned" or (m, k) not in ((127, 129), (999, 1001), (64, 96)):
            continue
        made = fitted(plan(named(row["variant"]), row["dtype"], H200), (m, k))
        found = launch_counts(made, H200, (m, k), batch)
        assert int(row["measured_passes"]) == found.write.passes + found.read.passes
        assert int(row["measured_extra"]) == found.extra


def test_at_least_200_variants_were_tried_for_every_matrix():
    rows = list(csv.DictReader(MEASURED.with_name("variants.csv").open()))
    tried = Counter((r["dtype"], r["k"]) for r in rows)
    assert set(tried) == {(d, k) for d in ("fp16", "fp32") for k in ("256", "4096")}
    assert min(tried.values()) >= 200
