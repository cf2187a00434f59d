"""A report where Python shows a value: one line at the prompt, the whole of it printed or in a
notebook.

All are what the terminal prints: ``printed`` names the function that prints the report.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

_Report = TypeVar("_Report", bound=type)
_ENDLESS = 10_000
_PAGE = '<pre style="white-space:pre;overflow-x:auto;line-height:1.3">{code}</pre>'


def printed(printer: str, line: int = 0) -> Callable[[_Report], _Report]:
    """A class whose instances ``printer`` ("module:function") prints to a console. Of the text
    that ``line``, by its place among those that are not empty, is the short form."""

    def short(report: object) -> str:
        text = _text(report, printer, _ENDLESS)[0]
        lines = [one.strip() for one in text.splitlines() if one.strip()]
        return f"<{type(report).__name__}: {lines[line] if lines else 'nothing'}>"

    def dress(of: _Report) -> _Report:
        of.__repr__ = short  # type: ignore[method-assign, assignment]
        if "__str__" not in vars(of):
            of.__str__ = lambda report: _text(report, printer)[0].rstrip()  # type: ignore
        of._repr_html_ = lambda report: _text(report, printer)[1]  # type: ignore[attr-defined]
        return of

    return dress


def _text(report: object, printer: str, columns: int = 0) -> tuple[str, str]:
    """What is printed, plain and as HTML. ``columns``: of a line, 0 for those of a terminal."""
    from bankwise.show.page import Page

    module, _, function = printer.partition(":")
    print_: Callable[[Any, Page], None] = getattr(import_module(module), function)
    # In a notebook a console of rich would show each line by itself, whatever its file is.
    console = Page(columns, file=io.StringIO(), record=True, force_jupyter=False)
    print_(report, console)
    plain = console.export_text(clear=False)
    return plain, console.export_html(inline_styles=True, code_format=_PAGE)
