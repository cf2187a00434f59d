"""The gallery: every link is counted as it says, in Python and in a real browser."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bankwise.workbench import facts
from bankwise.workbench.page import page
from gallery_links import passes
from workbench_browser import Tab, chromium

DATA = Path(__file__).parent.parent / "docs" / "data"
GALLERY = json.loads((Path(facts.__file__).parent / "static" / "gallery.json").read_text("utf-8"))
LEAST = 30
MEASURED = {
    "row-major, n XOR m": ("row_major", "n_xor_m"),
    "row-major, n XOR 2m": ("row_major", "n_xor_2m"),
}
"""Ends of titles whose passes an H200 counted: the measurements of A and of B."""
BLOCKS = {"tile[32][33]": "transpose_f32", "double, padded by one": "transpose_f64"}
BLOCKS["64x64 f16, padded by two"] = "transpose_f16"
"""Ends of titles whose conflicts of a block an H200 counted: the kernel."""
CK = {
    "01": "rows padded by 2: the read down columns",
    "08": "the read along k",
    "10": "10, the XOR for 64 banks: the read down columns",
}
"""Kernels of Composable Kernel whose counters were published, and the ends of their titles."""


def entry(end: str) -> dict[str, Any]:
    return next(one for one in GALLERY if one["title"].endswith(end))


def test_there_are_enough_of_them_each_with_an_address() -> None:
    assert len(GALLERY) >= LEAST
    assert all(one["source"].startswith("https://") for one in GALLERY)
    assert len({one["link"] for one in GALLERY}) >= len(GALLERY) - 4, "few say the same"


@pytest.mark.parametrize("one", GALLERY, ids=lambda one: one["title"])
def test_what_is_predicted_is_what_is_counted(one: dict[str, Any]) -> None:
    assert {side: counted.passes for side, counted in passes(one["link"]).items()} == one["passes"]


def test_what_was_measured_is_what_the_measurements_say() -> None:
    for end, names in MEASURED.items():
        one = entry(end)
        for side, name in zip("AB", names, strict=True):
            rows = json.loads((DATA / "h200_verify" / f"{name}.json").read_text("utf-8"))["rows"]
            read = next(row for row in rows if row["access"] == "read")
            assert set(read["measured_passes"]) == {one["passes"][side]}
            assert str(one["passes"][side]) in one["counter"]
    with (DATA / "h200_cuda.csv").open() as lines:
        counted = {row["name"]: float(row["counted_before"]) for row in csv.DictReader(lines)}
    for end, kernel in BLOCKS.items():
        one = entry(end)
        extra = int(passes(one["link"])["A"].extra)
        assert f"{counted[kernel]:,.0f} conflicts a block" in one["counter"]
        assert f", {extra} a read" in one["counter"]
        assert counted[kernel] % extra == 0


def test_what_was_published_is_what_the_examples_say() -> None:
    folder = Path(__file__).parent.parent / "examples" / "ck_transpose"
    example = {n: tomllib.loads((folder / f"{n}.toml").read_text("utf-8")) for n in CK}
    conflicts = {n: example[n]["published"]["conflicts"] for n in CK}
    for name, end in CK.items():
        assert f"published for {name}: {conflicts[name]:,} conflicts" in entry(end)["counter"]
    extra = int(passes(entry(CK["01"])["link"])["A"].extra)
    assert f", {extra} a read" in entry(CK["01"])["counter"]
    launch = example["01"]["launch"]
    waves, reads = 4, 8
    assert conflicts["01"] == launch["workgroups"] * launch["iterations"] * waves * reads * extra


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


def test_every_link_shows_what_it_says(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(page(), "utf-8")
    tab = Tab(browser).open((tmp_path / "page.html").as_uri())
    tab.press("Gallery")
    links = tab.page.locator(".gallery li")
    assert links.count() == len(GALLERY)
    tab.page.get_by_label("search the gallery").fill("wgmma")
    assert 0 < links.count() < len(GALLERY)
    tab.page.locator(".gallery li a").first.click()
    assert tab.page.is_hidden(".gallery")
    for one in GALLERY:
        tab.go(one["link"])
        sides = {side: tab.number(f"side-{side}") for side in one["passes"]}
        assert sides == one["passes"], one["title"]
        assert tab.page.is_hidden(".strange"), one["title"]
    tab.close()
