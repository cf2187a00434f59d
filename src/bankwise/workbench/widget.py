"""The workbench inside a notebook (Jupyter, marimo), through the extra ``[notebook]``.

from bankwise.workbench.widget import report, workbench
workbench()                                    # the page
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
  model.on("change:page", fill);
  model.on("change:height", size);
  fill();
  size();
  el.append(frame);
  return () => {
    model.off("change:page", fill);
    model.off("change:height", size);
  };
}
export default { render };
"""
"""What the notebook's browser runs: the page in a frame that shares nothing with the notebook."""


def workbench(height: str = "46rem") -> Any:
    """The page as a widget. Raises :class:`InputError` where the extra is not installed.

    ``page`` (HTML) and ``height`` (CSS) may be set later; the notebook follows.
    """
    return _framed(page(), height)


def report(document: object, source: str = "", height: str = "46rem") -> Any:
    """A report (the JSON document of check, fix or solve) as a widget, like :func:`workbench`.

    ``source``: the text of the kernel, shown beside the report if given.
    """
    return _framed(html(document, source), height)


def _framed(text: str, height: str) -> Any:
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        hint = "pip install 'bankwise[notebook]'"
        raise InputError("the notebook widget needs anywidget", hint=hint) from error

    class Workbench(anywidget.AnyWidget):  # type: ignore[misc]
        """A frame that holds one self-contained page."""

        _esm = MODULE
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Unicode().tag(sync=True)

    return Workbench(page=text, height=height)
