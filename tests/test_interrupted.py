"""Ctrl-C ends a command with a word."""

from __future__ import annotations

import sys

import pytest

from bankwise.cli import main, verbs


def test_ctrl_c_within_a_command_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import typer

    app = typer.Typer()

    @app.command()
    def check() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "argv", ["bankwise", "check"])
    monkeypatch.setattr(verbs, "application", lambda words: lambda: app(args=[]))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"
