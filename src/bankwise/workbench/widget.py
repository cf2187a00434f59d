"""The workbench inside a notebook (Jupyter, marimo), through the extra ``[notebook]``.

from bankwise.read.extra import install
from bankwise.workbench.widget import report, workbench
shown = workbench(layout="Sw<4,1,4> o 0 o (16,32):(32,1)")
shown.layout, shown.passes                     # what is on the tile now, and what it costs
report(check_document(check("kernel.mlir")))   # a report of check, fix or solve
"""

from __future__ import annotations

from typing import Any

from bankwise.errors import InputError
from bankwise.workbench.page import html, page

MODULE = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.title = "bankwise workbench";
  frame.sandbox = "allow-scripts allow-downloads";
  frame.style.cssText = "width: 100%; border: 0;";
  const fill = () => { frame.srcdoc = model.get("page"); };
  const size = () => { frame.style.height = model.get("height"); };
  let told = { link: "", layout: "" };
  const set = (name) => {
    const value = model.get(name);
    if (value === told[name]) return;
    frame.contentWindow?.postMessage({ bankwise: { [name]: value } }, "*");
  };
  const setLink = () => set("link");
  const setLayout = () => set("layout");
  let first = true;
  const hear = ({ source, data }) => {
    if (source !== frame.contentWindow || !data?.bankwise) return;
    const wanted = { link: model.get("link"), layout: model.get("layout") };
    told = data.bankwise;
    if (first && (wanted.link || wanted.layout)) {
      first = false;
      if (wanted.link) setLink();
      if (wanted.layout) setLayout();
      return;
    }
    first = false;
    for (const [name, value] of Object.entries(data.bankwise)) model.set(name, value);
    model.save_changes();
  };
  addEventListener("message", hear);
  model.on("change:page", fill);
  model.on("change:height", size);
  model.on("change:link", setLink);
  model.on("change:layout", setLayout);
  fill();
  size();
  el.append(frame);
  return () => {
    removeEventListener("message", hear);
    model.off("change:page", fill);
    model.off("change:height", size);
    model.off("change:link", setLink);
    model.off("change:layout", setLayout);
  };
}
export default { render };
"""
"""What the notebook's browser runs: the page in a frame that shares nothing with the notebook, but
says what it shows and is told what to show."""


def workbench(layout: str = "", link: str = "", height: str = "56rem") -> Any:
    """The page as a widget. Raises :class:`InputError` where the extra is not installed.

    ``layout``: where the elements of the tile lie, in any notation that the page reads; ``link``:
    the whole state, what stands behind ``#`` in the address of the page. Both may be read and set
    later, as ``height`` (CSS) and ``page`` (HTML); the notebook follows. Read, ``layout`` is an
    expression of the row-major offset ``x``, ``passes`` what each access costs with it, and
    ``refusal`` why the layout that was set last is none (it is then left as it was).
    """
    return _framed(page(), height, link=link, layout=layout)


def report(document: object, source: str = "", height: str = "46rem") -> Any:
    """A report (the JSON document of check, fix or solve) as a widget, like :func:`workbench`.

    ``source``: the text of the kernel, shown beside the report if given.
    """
    return _framed(html(document, source), height)


def _framed(text: str, height: str, **shown: str) -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        from bankwise.read.extra import install

        message = "the notebook widget needs anywidget"
        raise InputError(message, hint=install("notebook")) from error

    class Workbench(anywidget.AnyWidget):  # type: ignore[misc]
        """A frame that holds one self-contained page."""

        _esm = MODULE
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Unicode().tag(sync=True)
        link = traitlets.Unicode().tag(sync=True)
        layout = traitlets.Unicode().tag(sync=True)
        passes = traitlets.Dict().tag(sync=True)
        refusal = traitlets.Unicode().tag(sync=True)

    return Workbench(page=text, height=height, **shown)
