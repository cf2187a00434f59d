"""The README tells the truth: its session is run and its Python examples are executed."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
SESSION = re.findall(r"```console\n\$ (.*?)\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize(("command", "output"), SESSION, ids=[c for c, _ in SESSION])
def test_the_session_in_the_readme_is_what_the_commands_print(command: str, output: str) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    words = command.replace("bankwise ", f"{sys.executable} -m bankwise ", 1)
    done = subprocess.run(
        words, shell=True, cwd=ROOT, capture_output=True, text=True, env=os.environ, check=False
    )
    assert done.stdout == output


def test_the_session_shows_every_main_verb() -> None:
    assert {c.split()[1] for c, _ in SESSION} >= {"count", "check", "fix"}


def test_the_python_examples_in_the_readme_run(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    monkeypatch.chdir(ROOT)
    results = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert results.attempted > 0
    assert results.failed == 0


def test_every_page_is_reached_from_the_readme() -> None:
    linked = set(re.findall(r"\]\((\S+?)\)", README))
    assert {f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md")} <= linked
    assert all((ROOT / link).exists() for link in linked if "://" not in link)
