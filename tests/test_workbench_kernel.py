"""Kernels and reports in a real browser: checked, fixed, refused in words."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bankwise.report.as_json import check_document
from bankwise.report.fixing import fix_document
from bankwise.verbs.check import Options, check_file
from bankwise.verbs.fix import fix_file
from bankwise.workbench.page import html, page
from bankwise.workbench.server import Server
from workbench_browser import Tab, chromium

KERNEL = Path(__file__).parent.parent / "examples" / "ldmatrix_sm80" / "ldmatrix.mlir"
SLOW_MS = 60_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture
def served(browser: Any) -> Iterator[Tab]:
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tab = Tab(browser).open(server.address)
    yield tab
    tab.close()
    server.shutdown()
    server.close()


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return check_document(check_file(KERNEL, Options()))


def press(tab: Tab, text: str) -> None:
    tab.page.locator("#kernel").get_by_role("button", name=text, exact=True).click()


def test_a_pasted_kernel_is_checked(served: Tab, document: dict[str, Any]) -> None:
    served.page.fill("#kernel textarea", KERNEL.read_text())
    press(served, "Check")
    served.page.wait_for_selector('[data-claim="report-extra"]', timeout=SLOW_MS)
    assert served.number("report-extra") == document["totals"]["run"]["extra"] > 0


def test_a_dropped_kernel_is_checked_under_its_name(served: Tab) -> None:
    served.page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.mlir"));
          document.getElementById("kernel")
            .dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
        }""",
        KERNEL.read_text(),
    )
    served.page.wait_for_selector('[data-claim="report-extra"]', timeout=SLOW_MS)
    assert "dropped.mlir" in str(served.page.text_content("#kernel .place"))


def test_a_fixed_kernel_shows_both_sides_and_the_patch(served: Tab) -> None:
    served.page.fill("#kernel textarea", KERNEL.read_text())
    press(served, "Fix")
    served.page.wait_for_selector('[data-claim="fix-after"]', timeout=SLOW_MS)
    assert served.number("fix-after") == 0
    assert "arith.xori" in str(served.page.text_content("#kernel .patch"))
    assert "bit-identical" in str(served.page.text_content("#kernel .verdicts"))


def test_a_broken_kernel_is_refused_with_its_line(served: Tab) -> None:
    served.page.fill("#kernel textarea", "module {\n  func.func @x( {\n")
    press(served, "Check")
    served.page.wait_for_selector("#kernel .error", timeout=SLOW_MS)
    assert "kernel.mlir:2" in str(served.page.text_content("#kernel .error"))


def test_nothing_but_the_own_server_is_asked(served: Tab) -> None:
    served.page.fill("#kernel textarea", KERNEL.read_text())
    press(served, "Check")
    served.page.wait_for_selector('[data-claim="report-extra"]', timeout=SLOW_MS)
    assert all(url.startswith("http://127.0.0.1:") for url in served.requests)


def test_without_a_server_a_report_can_be_pasted(
    browser: Any, tmp_path: Path, document: dict[str, Any]
) -> None:
    (tmp_path / "page.html").write_text(page(), "utf-8")
    tab = Tab(browser).open((tmp_path / "page.html").as_uri())
    tab.page.fill("#kernel textarea", json.dumps(document))
    press(tab, "Check")
    assert tab.number("report-extra") == document["totals"]["run"]["extra"]
    tab.page.fill("#kernel textarea", "module {}")
    press(tab, "Check")
    assert "bankwise workbench" in str(tab.page.text_content("#kernel .error"))
    tab.close()


def test_a_report_is_a_page_of_its_own(
    browser: Any, tmp_path: Path, document: dict[str, Any]
) -> None:
    target = tmp_path / "report.html"
    target.write_text(html(document, KERNEL.read_text()), "utf-8")
    tab = Tab(browser).open(target.as_uri())
    assert tab.requests == [target.as_uri()]
    for number, access in enumerate(document["accesses"]):
        assert tab.number(f"access-{number}-passes") == access["run"]["passes"]
    row = tab.page.locator("tbody tr").first
    assert not row.locator(".witness").is_visible()
    row.hover()
    assert row.locator(".witness").is_visible()
    line = document["accesses"][0]["location"]["line"]
    lit = tab.page.locator(f'[data-source-line="{line}"]')
    assert "lit" in str(lit.get_attribute("class"))
    assert lit.get_attribute("data-mark") == f"{document['accesses'][0]['ways']}-way"
    tab.close()


def test_a_fix_report_pairs_every_access_with_itself(browser: Any, tmp_path: Path) -> None:
    fixed = fix_document(fix_file(KERNEL, Options(), execute=False, isa=False))
    target = tmp_path / "fix.html"
    target.write_text(html(fixed), "utf-8")
    tab = Tab(browser).open(target.as_uri())
    shown = tab.page.eval_on_selector_all(
        "tbody tr", "rows => rows.map((r) => r.children[5].textContent)"
    )
    after = sorted(a["run"]["passes"] for a in fixed["after"]["accesses"])
    assert sorted(int(text.replace(",", "")) for text in shown) == after
    tab.close()
