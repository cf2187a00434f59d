"""The rows of a report: sorted, filtered and grouped, also where there are a thousand."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bankwise.ask.check import check_file
from bankwise.ask.scan import scan
from bankwise.read.options import Options
from bankwise.show.answers import check_document
from bankwise.show.schema import plain
from bankwise.workbench.page import html
from bankwise.workbench.scan_page import scan_html
from workbench_browser import Tab, chromium

PTX = Path(__file__).parent / "data" / "profile" / "tiles.ptx"
MANY = 1_000
ROWS = "[...document.querySelectorAll('.looked .accesses tbody tr:not(.group)')]"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """A check of a few kernels, its accesses repeated on other lines until there are many."""
    found: dict[str, Any] = plain(check_document(check_file(PTX, Options())))
    once = found["accesses"]
    found["accesses"] = [copy.deepcopy(once[i % len(once)]) for i in range(MANY)]
    for i, access in enumerate(found["accesses"]):
        access["location"]["line"] = (i * 37) % MANY + 1
    return found


@pytest.fixture(scope="module")
def tab(document: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    path = tmp_path_factory.mktemp("rows") / "report.html"
    path.write_text(html(document), "utf-8")
    with chromium() as browser:
        opened = Tab(browser).open(path.as_uri())
        yield opened
        opened.close()


def column(tab: Tab, number: int) -> list[str]:
    found = tab.page.evaluate(f"{ROWS}.map((row) => row.cells[{number}].firstChild.textContent)")
    return [str(text) for text in found]


def test_rows_are_sorted_by_a_heading_and_back(tab: Tab, document: dict[str, Any]) -> None:
    tab.page.get_by_label("Group by").select_option("")
    head = tab.page.get_by_role("columnheader", name="line")
    head.get_by_role("button").click()
    lines = [int(text.partition(":")[0]) for text in column(tab, 0)]
    assert lines == sorted(range(1, MANY + 1), reverse=True)
    assert head.get_attribute("aria-sort") == "descending"
    head.get_by_role("button").click()
    assert [int(text.partition(":")[0]) for text in column(tab, 0)] == list(range(1, MANY + 1))
    tab.page.get_by_role("columnheader", name="extra").get_by_role("button").click()
    wanted = sorted((a["run"]["extra"] for a in document["accesses"]), reverse=True)
    assert [int(text.replace(",", "")) for text in column(tab, 5)] == wanted


def test_rows_are_filtered_and_grouped(tab: Tab, document: dict[str, Any]) -> None:
    accesses = document["accesses"]
    tab.page.get_by_label("filter the accesses").fill("ldmatrix")
    wanted = sum("ldmatrix" in json.dumps(a["instruction"]) for a in accesses)
    assert tab.page.evaluate(f"{ROWS}.length") == wanted > 0
    tab.page.get_by_label("filter the accesses").fill("")
    tab.page.get_by_role("button", name="Conflicts only").click()
    bad = [a for a in accesses if a["run"]["extra"] > 0]
    assert tab.page.evaluate(f"{ROWS}.length") == len(bad) < MANY
    tab.page.get_by_label("Group by").select_option("kernel")
    titles = tab.page.locator(".looked .group").all_text_contents()
    called = {k["name"]: k["demangled"] for k in document["kernels"]}
    kernels = {a["kernel"] for a in bad}
    sums = {k: sum(a["run"]["extra"] for a in bad if a["kernel"] == k) for k in kernels}
    worst = sorted(kernels, key=lambda k: -sums[k])
    assert [text.partition(" · ")[0] for text in titles] == [called[k] for k in worst]
    assert f"{sums[worst[0]]:,} extra passes" in titles[0]
    tab.page.get_by_label("Group by").select_option("cause")
    assert len(tab.page.locator(".looked .group").all()) >= 2
    tab.page.locator(".looked tbody tr:not(.group)").nth(3).focus()
    assert tab.page.locator(".looked tr.seen").count() == 1


def test_a_report_stands_in_three_columns_and_links_to_its_rows(
    tab: Tab, document: dict[str, Any], tmp_path: Path
) -> None:
    """The 400th access in file order is told by an address; its line lights up beside it."""
    (tmp_path / "r.html").write_text(html(document, "nop\n" * MANY), "utf-8")
    opened = Tab(tab.context.browser, viewport={"width": 1440, "height": 900})
    opened.open((tmp_path / "r.html").as_uri() + "#access-400")
    row = opened.page.locator("#access-400")
    line = document["accesses"][400]["location"]["line"]
    assert "seen" in str(row.get_attribute("class"))
    assert str(row.locator("a").get_attribute("href")) == "#access-400"
    lit = opened.page.locator(f'[data-source-line="{line}"]')
    assert "lit" in str(lit.get_attribute("class"))
    places = [
        opened.page.locator(one).bounding_box()
        for one in (".source", "[aria-label=accesses]", ".lens")
    ]
    assert all(places)
    left, middle, right = (p for p in places if p)
    assert left["x"] + left["width"] <= middle["x"]
    assert middle["x"] + middle["width"] <= right["x"]
    for box in (left, right, lit.bounding_box()):
        assert box, "in sight"
        assert 0 <= box["y"] < 900
    opened.close()


def test_what_mends_a_conflict_stands_above_its_rows(
    tab: Tab, document: dict[str, Any], tmp_path: Path
) -> None:
    """Two texts that one command writes: it stands there once, in sight on a small screen too."""
    one = {"language": "PTX", "effect": "1 pass instead of 32", "snippet": None, "notes": []}
    told = [one | {"what": w, "command": "bankwise fix k.ptx"} for w in ("swap a", "swap b")]
    (tmp_path / "m.html").write_text(html(document | {"snippets": told}), "utf-8")
    opened = Tab(tab.context.browser, viewport={"width": 390, "height": 800})
    opened.open((tmp_path / "m.html").as_uri())
    shown = opened.page.get_by_label("what mends it")
    assert shown.get_by_role("listitem").all_text_contents() == [
        f"swap {name} PTX: 1 pass instead of 32" for name in "ab"
    ]
    assert shown.locator("pre").all_text_contents() == ["bankwise fix k.ptx"]
    box = shown.locator("pre").bounding_box()
    assert box, "in sight"
    assert box["y"] + box["height"] < 800
    assert box["x"] + box["width"] <= 390
    opened.close()


def test_the_kernels_of_a_scan_are_sorted_by_a_heading(tab: Tab, tmp_path: Path) -> None:
    report = scan([PTX], Options())
    (tmp_path / "scan.html").write_text(scan_html(report), "utf-8")
    opened = Tab(tab.context.browser).open((tmp_path / "scan.html").as_uri())
    rows = opened.page.locator("tbody tr[data-file]")
    assert rows.count() == len(report.kernels) > 1
    opened.page.get_by_role("columnheader", name="LDS bytes").get_by_role("button").click()
    sizes = [
        int(text.replace(",", "")) for text in rows.locator("td:nth-child(3)").all_text_contents()
    ]
    assert sizes == sorted((k.lds_bytes for k in report.kernels), reverse=True)
    opened.close()
