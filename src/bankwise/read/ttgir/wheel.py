"""The Triton wheel, asked in a process of its own: it ends the process on bad input.

Two questions: whether it accepts a TTGIR text, and what it makes of a kernel. Neither needs a GPU
or a driver. Without the wheel nothing here runs; the text is then read unverified.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from bankwise.errors import InputError, Location

SECONDS = 300
"""The longest that a compilation may take."""

_ERROR = re.compile(r":(\d+):(\d+)\)?: error: (.*)")
_ANSWER = "bankwise:"


def installed() -> bool:
    """Whether the wheel can be asked."""
    return find_spec("triton") is not None


def needed() -> InputError:
    """What is said where nothing goes without the wheel."""
    return InputError("Triton is not installed", hint="pip install 'bankwise[triton]'")


def verified(text: str, file: str) -> str:
    """The text as Triton prints it again. Raises :class:`InputError` if it does not accept it."""
    return str(_run_worker({"task": "verify", "text": text}, Location(file))["text"])


def compiled(request: Mapping[str, Any], file: str) -> dict[str, Any]:
    """The texts of a compiled kernel by stage (``asm``), its ``shared`` bytes and the ``version``.

    ``request``: as :mod:`bankwise.read.ttgir.worker` reads it.
    """
    return _run_worker({"task": "compile", **request}, Location(file))


def _run_worker(question: Mapping[str, Any], where: Location) -> dict[str, Any]:
    if not installed():
        raise needed()
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-m", "bankwise.read.ttgir.worker", folder],
                input=json.dumps(question),
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise InputError(f"Triton took more than {SECONDS} s", location=where) from error
    answers = [line for line in done.stdout.splitlines() if line.startswith(_ANSWER)]
    if done.returncode == 0 and answers:
        answer = json.loads(answers[-1].removeprefix(_ANSWER))
        if "error" not in answer:
            return dict(answer)
        raise _refused(str(answer["error"]), done.stderr, where)
    raise _refused(f"Triton ended with status {done.returncode}", done.stderr, where)


def _refused(message: str, printed: str, where: Location) -> InputError:
    """What Triton printed, at the line it names."""
    found = _ERROR.search(printed)
    if found:
        place = Location(where.file, int(found[1]), int(found[2]))
        return InputError(f"Triton does not accept it: {found[3]}", location=place)
    lines = [line for line in printed.splitlines() if line.strip()]
    last = "\n  ".join(lines[-4:])
    hint = f"it printed:\n  {last}" if last else ""
    return InputError(message, location=where, hint=hint)
