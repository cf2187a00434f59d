"""The workbench inside a notebook (Jupyter, marimo), through the extra ``[notebook]``.

from bankwise.workbench.widget import workbench
workbench()
"""

from __future__ import annotations

from typing import Any

from bankwise.errors import InputError
from bankwise.workbench.page import page

MODULE = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.srcdoc = model.get("page");
  frame.title = "bankwise workbench";
  frame.sandbox = "allow-scripts allow-downloads";
  frame.style.cssText = "width: 100%; border: 0;";
  frame.style.height = model.get("height");
  el.append(frame);
}
export default { render };
"""
"""What the notebook's browser runs: the page in a frame that shares nothing with the notebook."""


def workbench(height: str = "46rem") -> Any:
    """The page as a widget. Raises :class:`InputError` where the extra is not installed."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        hint = "pip install 'bankwise[notebook]'"
        raise InputError("the notebook widget needs anywidget", hint=hint) from error

    class Workbench(anywidget.AnyWidget):  # type: ignore[misc]
        """A frame that holds the self-contained page."""

        _esm = MODULE
        page = traitlets.Unicode().tag(sync=True)
        height = traitlets.Unicode().tag(sync=True)

    return Workbench(page=page(), height=height)
