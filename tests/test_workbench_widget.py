"""The notebook widget: what Python synchronises, and what a notebook's browser makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bankwise.ask.check import check_file
from bankwise.read.options import Options
from bankwise.show.documents.checking import check_document
from bankwise.show.schema import plain
from bankwise.workbench.page import page
from bankwise.workbench.widget import report, workbench
from workbench_browser import Tab, chromium

pytest.importorskip("anywidget", reason="the extra [notebook] is not installed")

KERNEL = Path(__file__).parent.parent / "examples" / "ldmatrix_sm80" / "ldmatrix.mlir"

HOST = """<!doctype html><meta charset=utf-8><div id=cell></div><script type=module>
const state = JSON.parse(document.getElementById("state").textContent);
const listeners = new Map();
const sent = (window.sent = []);
const model = {
  get: (name) => state[name],
  set: (name, value) => { state[name] = value; },
  save_changes: () => { sent.push(JSON.parse(JSON.stringify({ ...state, page: undefined }))); },
  on: (event, listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
  off: (event, listener) =>
    listeners.set(event, (listeners.get(event) ?? []).filter((one) => one !== listener)),
};
window.receive = (update) => {
  for (const [name, value] of Object.entries(update)) {
    state[name] = value;
    for (const listener of listeners.get(`change:${name}`) ?? []) listener();
  }
};
window.listening = () => [...listeners.values()].flat().length;
const address = URL.createObjectURL(new Blob([state._esm], { type: "text/javascript" }));
const { default: widget } = await import(address);
window.dispose = await widget.render({ model, el: document.getElementById("cell") });
document.documentElement.dataset.ready = "yes";
</script>"""
"""A notebook as far as anywidget's contract goes: it imports the module that the widget's state
carries, and passes on what Python sends."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


class Cell:
    """A widget shown in a browser, joined by the messages that Python sends over its comm."""

    def __init__(self, browser: Any, widget: Any, folder: Path) -> None:
        self.widget = widget
        names = ("_esm", "page", "height", "link", "layout", "passes", "refusal")
        state = json.dumps({name: widget.get_state()[name] for name in names})
        carried = state.replace("<", "\\u003c")
        text = HOST.replace(
            "<script", f'<script type="application/json" id=state>{carried}</script><script', 1
        )
        (folder / "notebook.html").write_text(text, "utf-8")
        self.tab = Tab(browser).open((folder / "notebook.html").as_uri())
        self.frame = self.tab.page.frame_locator("iframe")
        widget.comm.send = self._pass_on

    def _pass_on(self, data: Any = None, **_: Any) -> None:
        if data["method"] == "echo_update":
            return  # Its own, which a notebook knows.
        assert data["method"] == "update"
        self.tab.page.evaluate("(state) => receive(state)", data["state"])

    def heard(self) -> Any:
        """Python gets what the browser has sent last, as a comm would bring it."""
        self.tab.until("sent.length > 0")
        self.tab.page.wait_for_timeout(100)
        state = self.tab.page.evaluate("sent.at(-1)")
        names = ("link", "layout", "passes", "refusal")
        self.widget.set_state({name: state[name] for name in names})
        return self.widget

    def height(self) -> str:
        return str(self.tab.page.locator("iframe").evaluate("(frame) => frame.style.height"))


@pytest.fixture
def cell(browser: Any, tmp_path: Path) -> Iterator[Cell]:
    shown = Cell(browser, workbench(), tmp_path)
    yield shown
    shown.tab.close()


def test_the_state_is_what_a_notebook_needs_and_nothing_secret() -> None:
    state = workbench(height="20rem").get_state()
    assert state["page"] == page()
    assert state["height"] == "20rem"
    assert "export default { render }" in state["_esm"]
    assert 'name="bankwise-server" content=""' in state["page"]


def test_the_page_works_inside_the_cell(cell: Cell) -> None:
    cell.frame.get_by_role("button", name="XOR 2m", exact=True).click()
    assert cell.frame.locator('[data-claim="passes-read"]').get_attribute("data-value") == "1"


def test_the_frame_shares_nothing_with_the_notebook(cell: Cell) -> None:
    sandbox = cell.tab.page.locator("iframe").get_attribute("sandbox")
    assert sandbox is not None
    assert "allow-same-origin" not in sandbox
    outside = "try { parent.document.title } catch (error) { String(error.name) }"
    inside = cell.tab.page.frames[1]
    assert inside.evaluate(f"() => {{ {outside.replace('String', 'return String')} }}") == (
        "SecurityError"
    )


def test_what_python_sets_reaches_the_browser(cell: Cell) -> None:
    assert cell.height() == "56rem"
    cell.widget.height = "12rem"
    assert cell.height() == "12rem"
    # One page after the other: a frame told to change while it still loads may keep neither.
    cell.frame.get_by_role("button", name="XOR 2m", exact=True).wait_for()
    cell.widget.page = "<!doctype html><p id=other>another page</p>"
    cell.frame.locator("#other").wait_for()


def test_python_reads_and_sets_what_is_on_the_tile(cell: Cell) -> None:
    cell.frame.get_by_role("button", name="Padding", exact=True).click()
    widget = cell.heard()
    x = np.arange(512)
    assert (eval(widget.layout, {"x": x}) == 33 * (x // 32) + x % 32).all()
    assert widget.passes == {"store": 1, "read": 2}
    assert widget.link == "l=p1"
    widget.layout = "Sw<4,1,4> o 0 o (16,32):(32,1)"
    cell.tab.until("sent.at(-1).passes.read === 1")
    widget = cell.heard()
    assert (eval(widget.layout, {"x": x}) == (x ^ (x >> 4 & 30))).all()
    widget.layout = "row * 3"
    cell.tab.until("sent.at(-1).refusal !== ''")
    assert "one place" in cell.heard().refusal
    assert widget.passes == {"store": 1, "read": 1}
    widget.link = "t=5x5x32&l=f&a=column:r:m0.m1.m2.m3.m4:&v=0"
    cell.tab.until("'column' in sent.at(-1).passes")
    assert cell.heard().passes == {"column": 32}


def test_a_widget_begins_with_the_layout_that_it_is_given(browser: Any, tmp_path: Path) -> None:
    shown = Cell(browser, workbench(layout="pad 4"), tmp_path)
    x = np.arange(512)
    assert (eval(shown.heard().layout, {"x": x}) == 36 * (x // 32) + x % 32).all()
    shown.tab.close()


def test_a_cell_that_is_gone_listens_no_more(cell: Cell) -> None:
    assert cell.tab.page.evaluate("listening()") == 4
    cell.tab.page.evaluate("dispose()")
    assert cell.tab.page.evaluate("listening()") == 0
    cell.widget.height = "9rem"
    assert cell.height() == "56rem"


def test_a_report_is_a_widget_too(browser: Any, tmp_path: Path) -> None:
    document = plain(check_document(check_file(KERNEL, Options()), lanes=True))
    shown = Cell(browser, report(document, KERNEL.read_text()), tmp_path)
    extra = shown.frame.locator('[data-claim="report-extra"]').get_attribute("data-value")
    assert extra == str(document["totals"]["run"]["extra"])
    shown.tab.close()
