"""The sessions that pages show: read from the page, run, compared, or written anew.

A block of ```` ```console ```` holds commands, each with what it prints below it. After a change
of what is printed, ``python tests/pages.py`` runs them and writes the pages; read the difference.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from command import bankwise

ROOT = Path(__file__).parents[1]
PAGES = ("README.md", "docs/index.md")
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Shown:
    """One command of a page, and what the page says that it prints."""

    page: str
    command: str
    output: str


def shown(page: str) -> Iterator[Shown]:
    """Every command of a page, in order."""
    for block in _BLOCK.findall((ROOT / page).read_text("utf-8")):
        for command, output in _COMMAND.findall(block):
            yield Shown(page, command, output)


def printed(command: str) -> str:
    """What a command prints, run in the root of the repository; pipes and files are the shell's."""
    if re.search(r"[|<>]", re.sub(r"'[^']*'", "", command)):
        words = command.replace("bankwise ", f"{sys.executable} -m bankwise ")
        done = subprocess.run(words, shell=True, cwd=ROOT, capture_output=True, check=False)
        return done.stdout.decode()
    return _inside(command)


def _inside(command: str) -> str:
    program, *words = shlex.split(command)
    assert program == "bankwise", command
    with contextlib.chdir(ROOT):
        return bankwise(*words).out


def write(page: str) -> None:
    """Write what the commands of a page print now below each of them."""
    path = ROOT / page

    def block(found: re.Match[str]) -> str:
        return _COMMAND.sub(lambda c: f"$ {c[1]}\n{printed(c[1])}", found[0])

    path.write_text(_BLOCK.sub(block, path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUTF8", "1")
    for name in sys.argv[1:] or PAGES:
        write(name)
