"""The sessions that pages show: read from the page, run, compared, or written anew.

A block of ```` ```console ```` holds commands, each with what it prints below it. The commands of a
page run in order, in a folder of their own in which the files of the repository seem to lie. After
a change of what is printed, ``python tests/pages.py`` writes the pages; read the difference.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bankwise.read.toolkit import find_program
from command import bankwise

ROOT = Path(__file__).parents[1]
PAGES = (
    "README.md",
    *(f"docs/{name}.md" for name in ("index", "tutorial", "session", "faq", "ck", "profile")),
)
_BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_ASKED = re.compile(
    r"bankwise ((?:'[^']*'|[^'|<>])+?)( 2>&1)?( >/dev/null)?(?: \| ((?:'[^']*'|[^'<>])+))?"
)
"""A command of bankwise, whether its talk goes into the pipe, and its data not, and what is behind
that."""
_FOLDERS = ("docs", "examples", "tests")


@dataclass(frozen=True, slots=True)
class Shown:
    """One command of a page, and what the page says that it prints."""

    command: str
    output: str


def shown(page: str) -> tuple[Shown, ...]:
    """Every command of a page, in order."""
    blocks = _BLOCK.findall((ROOT / page).read_text("utf-8"))
    return tuple(Shown(*found) for block in blocks for found in _COMMAND.findall(block))


def can_run(command: str) -> bool:
    """False where a compiler is missing that this machine need not have."""
    return ".cu" not in command or None not in (find_program("nvcc"), find_program("nvdisasm"))


@contextlib.contextmanager
def reader() -> Iterator[Path]:
    """A folder as the reader of a page has it: the repository's files, and room for more."""
    with TemporaryDirectory() as made, contextlib.chdir(made):
        for name in _FOLDERS:
            Path(made, name).symlink_to(ROOT / name)
        yield Path(made)


def printed(command: str) -> str:
    """What a command prints on stdout; other programs and pipes are the shell's."""
    found = _ASKED.fullmatch(command)
    if found is None:
        done = subprocess.run(command, shell=True, capture_output=True, check=False)
        return done.stdout.decode()
    asked, talk, no_data, behind = found.groups()
    ended = bankwise(*shlex.split(asked))
    text = (ended.printed if talk else "") + ("" if no_data else ended.out)
    if not behind:
        return text
    done = subprocess.run(behind, shell=True, input=text.encode(), capture_output=True, check=False)
    return done.stdout.decode()


def write(page: str) -> None:
    """Write what the commands of a page print now below each of them."""
    path = ROOT / page

    def again(found: re.Match[str]) -> str:
        command, output = found.groups()
        return f"$ {command}\n{printed(command) if can_run(command) else output}"

    with reader():
        text = _BLOCK.sub(lambda block: _COMMAND.sub(again, block[0]), path.read_text("utf-8"))
    path.write_text(text, "utf-8")


if __name__ == "__main__":
    for name in sys.argv[1:] or PAGES:
        write(name)
