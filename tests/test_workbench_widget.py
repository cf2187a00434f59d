"""The notebook widget: what Python synchronises, and what a notebook's browser makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
const model = {
  get: (name) => state[name],
  set: (name, value) => { state[name] = value; },
  save_changes: () => {},
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
        names = ("_esm", "page", "height")
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
        assert data["method"] == "update"
        self.tab.page.evaluate("(state) => receive(state)", data["state"])

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
    assert cell.height() == "46rem"
    cell.widget.height = "12rem"
    assert cell.height() == "12rem"
    # One page after the other: a frame told to change while it still loads may keep neither.
    cell.frame.get_by_role("button", name="XOR 2m", exact=True).wait_for()
    cell.widget.page = "<!doctype html><p id=other>another page</p>"
    cell.frame.locator("#other").wait_for()


def test_a_cell_that_is_gone_listens_no_more(cell: Cell) -> None:
    assert cell.tab.page.evaluate("listening()") == 2
    cell.tab.page.evaluate("dispose()")
    assert cell.tab.page.evaluate("listening()") == 0
    cell.widget.height = "9rem"
    assert cell.height() == "46rem"


def test_a_report_is_a_widget_too(browser: Any, tmp_path: Path) -> None:
    document = plain(check_document(check_file(KERNEL, Options()), lanes=True))
    shown = Cell(browser, report(document, KERNEL.read_text()), tmp_path)
    extra = shown.frame.locator('[data-claim="report-extra"]').get_attribute("data-value")
    assert extra == str(document["totals"]["run"]["extra"])
    shown.tab.close()
