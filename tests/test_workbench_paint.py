"""What a change repaints: no more than differs, exactly what a fresh page shows, readable."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bankwise.ask.spec import check_spec
from bankwise.show.documents.checking import spec_document
from bankwise.workbench.page import html, page
from workbench_browser import Tab, chromium

SPEC = Path(__file__).parent.parent / "examples" / "mfma_readback" / "plain.toml"
SMALLEST_PX = 10
LARGE = "g=sm_90&t=6x6x32&l=f&a=columns:r:m0.m1.m2.m3.m4:,blocks:r:n0.n1.m0.m1.m2:&v=0&z=1"
TEXT_SIZES = """[...document.querySelectorAll("body *")]
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()))
    .filter((e) => e.getBoundingClientRect().width > 0)
    .map((e) => {
        const picture = e.ownerSVGElement;
        const wide = picture?.getBoundingClientRect().width;
        const scale = picture ? wide / picture.viewBox.baseVal.width : 1;
        return [parseFloat(getComputedStyle(e).fontSize) * scale, e.textContent.slice(0, 40)];
    })"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("paint") / "page.html"
    path.write_text(page(), "utf-8")
    return path.as_uri()


def painted(tab: Tab) -> str:
    return str(tab.page.evaluate("document.querySelector('.wb-tile.side-B').toDataURL()"))


def toggle(tab: Tab, row: int, column: int) -> None:
    tab.page.evaluate(f"""document.querySelector("[data-focus='{row},{column}']").click()""")


def test_a_repainted_tile_is_the_picture_of_a_fresh_page(browser: Any, address: str) -> None:
    tab = Tab(browser).open(f"{address}#{LARGE}")
    seen = {painted(tab)}
    for row, column in ((0, 1), (3, 4), (0, 1), (5, 4), (2, 0)):
        toggle(tab, row, column)
        seen.add(painted(tab))
    tab.press("blocks ld.shared.b32")
    again = Tab(browser).open(tab.link())
    assert painted(again) == painted(tab)
    assert len(seen) == 6, "every toggle changes the picture"
    again.close()
    tab.close()


def test_a_toggle_stamps_rows_and_rings_and_not_every_cell(browser: Any, address: str) -> None:
    tab = Tab(browser).open(f"{address}#{LARGE}")
    for row, column in ((1, 1), (1, 1)):
        toggle(tab, row, column)
    tab.page.evaluate("""() => {
        const draw = CanvasRenderingContext2D.prototype.drawImage;
        window.stamps = 0;
        CanvasRenderingContext2D.prototype.drawImage = function (...given) {
            window.stamps += 1;
            return draw.apply(this, given);
        };
    }""")
    # A pane that learns of its room late is painted beside a toggle, once: the least is a toggle.
    seen = []
    for _ in range(6):
        tab.page.evaluate("window.stamps = 0")
        toggle(tab, 1, 1)
        seen.append(tab.page.evaluate("window.stamps"))
        tab.page.wait_for_timeout(20)
    rows, rings, cells = 32, 32, 32 * 64
    assert rows <= min(seen) <= sorted(seen)[2] <= rows + rings < cells, seen
    tab.close()


def test_a_drag_writes_the_address_a_few_times_and_at_last_rightly(
    browser: Any, address: str
) -> None:
    tab = Tab(browser).open(address)
    written = tab.page.evaluate("""() => {
        const replace = history.replaceState;
        window.writes = 0;
        history.replaceState = function (...given) {
            window.writes += 1;
            return replace.apply(this, given);
        };
        const slider = document.querySelector("#workbench input[aria-label='Register step r']");
        for (let i = 0; i < 150; i++) {
            slider.value = 1 + (i % 15);
            slider.dispatchEvent(new Event("input"));
        }
        return window.writes;
    }""")
    assert written == 0, "the picture comes first"
    assert tab.link().endswith("#r=15")
    assert tab.page.evaluate("window.writes") == 1
    tab.close()


def test_another_link_wins_over_what_was_not_written_yet(browser: Any, address: str) -> None:
    tab = Tab(browser).open(address)
    tab.page.evaluate("""() => {
        document.querySelector("[data-focus='0,0']").click();
        location.hash = "l=f1.2.4.8";
    }""")
    assert tab.link().endswith("#l=f1.2.4.8")
    assert tab.number("passes-read") == 2
    tab.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_no_text_is_smaller_than_ten_pixels(
    browser: Any, address: str, tmp_path: Path, width: int
) -> None:
    report = tmp_path / "report.html"
    report.write_text(html(spec_document(check_spec(SPEC), lanes=True)), "utf-8")
    large = "#t=7x7x32&al=1&a=columns:r:m0.m1.m2.m3.m4:,blocks:r:n0.n1.m0.m1.m2:"
    for place in (address, address + large, report.as_uri()):
        tab = Tab(browser, viewport={"width": width, "height": 900}).open(place)
        sizes = tab.page.evaluate(TEXT_SIZES)
        assert len(sizes) > 30
        assert [found for found in sizes if found[0] < SMALLEST_PX - 0.01] == []
        tab.close()
