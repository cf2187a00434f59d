"""The command line inside this process: fast, and no less real than a new one."""

from __future__ import annotations

import io
import re
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass

from bankwise.cli import main


@dataclass(frozen=True)
class Ended:
    """How a command ended: exit code, standard output, what it said on standard error with every
    message in one line, and the same as it was printed."""

    code: int
    out: str
    err: str
    printed: str = ""


_WORD = re.compile(r"`[^`]*`\S*|'[^']*'\S*|[^\s<]+<[^<>\n]{1,64}>\S*|\S+")
"""What a line is never broken in: quoted text, a layout."""


def unfolded(text: str) -> str:
    """Lines that go on in the next one, indented by two and with no room for its first word, in
    one piece again."""
    found: list[str] = []
    last = ""
    for line in text.split("\n"):
        word = (re.match(_WORD, line.strip()) or [""])[0]
        deeper = found and _indent(line) == _indent(found[-1]) + 2
        if deeper and word != "hint:" and last and len(last) + 1 + len(word) > 80:
            found[-1] += f" {line.strip()}"
        else:
            found.append(line)
        last = line
    return "\n".join(found)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def bankwise(*words: object) -> Ended:
    """``bankwise WORDS``. An internal error is no answer: it is a defect of bankwise."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["bankwise", *map(str, words)]
    try:
        with redirect_stdout(out), redirect_stderr(err):
            main()
    except SystemExit as end:
        assert "internal error:" not in err.getvalue(), err.getvalue()
        code = int(end.code or 0)
        return Ended(code, out.getvalue(), unfolded(err.getvalue()), err.getvalue())
    finally:
        sys.argv = before
    return Ended(0, out.getvalue(), unfolded(err.getvalue()), err.getvalue())
