"""Reports without colours, held to what rich prints where there is no terminal."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich import markup as rich_markup
from rich.errors import MarkupError

from bankwise.show.columns import say, table
from bankwise.show.consoles import console_of
from bankwise.show.page import Page
from bankwise.show.plain import PlainPage, escape, plain

KERNEL = Path(__file__).parent / "data" / "isa" / "triton_attention.gfx950.amdgcn"
PIECES = [
    "[",
    "]",
    "\\",
    "/",
    "[bold]",
    "[/]",
    "[dim]",
    "a",
    "1",
    " ",
    "word",
    "#x",
    "=",
    "@",
    "\n",
]
TEXTS = st.lists(st.sampled_from([*PIECES, "\t", "\r", "\b", "long_word, " * 9]), max_size=12).map(
    "".join
)


@given(TEXTS)
def test_escaped_texts_are_as_rich_escapes_them(text: str) -> None:
    assert escape(text) == rich_markup.escape(text)


@given(TEXTS)
def test_styles_are_left_out_as_rich_does(markup: str) -> None:
    try:
        shown = rich_markup.render(markup, emoji=False).plain
    except MarkupError:
        return  # the end of a style that was not begun
    assert plain(markup).translate(dict.fromkeys(map(ord, "\r\b"))) == shown


def test_the_end_of_a_style_that_nothing_began_is_a_defect() -> None:
    with pytest.raises(AssertionError, match=re.escape("[/dim] ends a style")):
        plain("a[/dim]")


@given(TEXTS, st.booleans())
def test_a_plain_page_prints_what_rich_prints_into_a_file(text: str, soft_wrap: bool) -> None:
    shown, said = io.StringIO(), io.StringIO()
    options = {"soft_wrap": True} if soft_wrap else {}
    for page in (Page(file=shown), PlainPage(said)):
        page.print(escape(text), **options)  # type: ignore[arg-type]
        page.print(f"[bold]{text.replace('[', '(')}", **options)  # type: ignore[arg-type]
        page.print(text, markup=False, **options)  # type: ignore[arg-type]
        page.print()
        say(page, text, "note: ", style="dim")
        table(page, ["many", "text"], [["1", text.replace("\n", "")], ["22", "b"]], ["", "red"])
    assert said.getvalue() == shown.getvalue()


def test_only_a_terminal_has_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    assert isinstance(console_of(), PlainPage)
    monkeypatch.setattr(sys, "stderr", None)
    console_of(stderr=True).print("nobody reads this")
    monkeypatch.setenv("FORCE_COLOR", "1")
    console_of().print("[red]a[/]")
    assert sys.stdout.getvalue() == "\x1b[31ma\x1b[0m\n"


def test_a_check_in_a_pipe_loads_neither_rich_nor_what_reads_encodings() -> None:
    """What is imported is most of what a short command takes."""
    script = (
        "import atexit, sys; from bankwise.cli import main; atexit.register(lambda: print(*"
        "{'rich', 'bankwise.notation.triton'} & set(sys.modules), file=sys.stderr)); main()"
    )
    words = [sys.executable, "-c", script, "check", str(KERNEL)]
    ended = subprocess.run(words, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (1, "\n")
    assert "attention on gfx950" in ended.stdout
