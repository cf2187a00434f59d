"""Pages that teach tell the truth: what they show is run, their Python examples are executed."""

from __future__ import annotations

import doctest

import pytest

from pages import PAGES, ROOT, Shown, printed, shown

SESSIONS = [s for page in PAGES for s in shown(page)]


@pytest.mark.parametrize("session", SESSIONS, ids=[f"{s.page}: {s.command}" for s in SESSIONS])
def test_a_page_shows_what_the_command_prints(session: Shown) -> None:
    """After a change that is meant: ``python tests/pages.py``."""
    if ".mlir" in session.command:
        pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    assert printed(session.command) == session.output


@pytest.mark.parametrize("page", [p for p in PAGES if ">>> " in (ROOT / p).read_text("utf-8")])
def test_the_python_examples_of_a_page_run(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(ROOT / page), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0
