"""The Triton wheel, asked in a process of its own: it ends the process on bad input.

Three questions: whether it accepts a TTGIR text, what it makes of that, and of a kernel. None needs
a GPU or a driver. Without the wheel nothing here runs; the text is then read unverified.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from base64 import b64decode
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from bankwise.errors import InputError, Location
from bankwise.identity import ByIdentity
from bankwise.read.extra import install

SECONDS = 300
"""The longest that a compilation may take."""
WITHIN = "BANKWISE_WITHIN_TRITON_WORKER"
"""Set in the environment of a process that answers."""

_ERROR = re.compile(r'(?:"([^"\n]*)")?:(\d+):(\d+)\)*: error: (.*)')
"""Places of MLIR: of the text itself, or, in brackets, of the source that the text says."""
_OWN = "kernel.ttgir"
_ANSWER = "bankwise:"


def installed() -> bool:
    """Whether the wheel can be asked."""
    return find_spec("triton") is not None


def needed() -> InputError:
    """What is said where nothing goes without the wheel."""
    return InputError("Triton is not installed", hint=install("triton"))


def verified(text: str, file: str) -> str:
    """The text as Triton prints it again. Raises :class:`InputError` if it does not accept it."""
    return str(_run_worker({"task": "verify", "text": text}, Location(file))["text"])


def compiled(request: Mapping[str, Any], file: str) -> LoweredKernel:
    """A compiled ``@triton.jit`` function.

    ``request``: as :mod:`bankwise.read.ttgir.worker` reads it.
    """
    return _kernel_of(_run_worker({"task": "compile", **request}, Location(file)))


class LoweredKernel(ByIdentity, frozen=True, eq=False):
    """What Triton makes of a kernel. ``texts`` and ``binaries`` by stage ("ttgir", "ptx", "cubin",
    ..); ``metadata``: what it says of it; ``version``: of Triton; ``source_hash``: the name of the
    folder below TRITON_OVERRIDE_DIR, empty where it was made of TTGIR."""

    texts: Mapping[str, str]
    binaries: Mapping[str, bytes]
    metadata: Mapping[str, Any]
    version: str
    source_hash: str = ""

    @property
    def shared_bytes(self) -> int:
        """Of a workgroup."""
        return int(self.metadata["shared"])

    @property
    def assembly(self) -> tuple[str, str]:
        """The suffix and the text of the assembly."""
        suffix = "amdgcn" if "amdgcn" in self.texts else "ptx"
        return suffix, self.texts[suffix]


def lowered(text: str, file: str, options: Mapping[str, Any]) -> LoweredKernel:
    """Machine code of a TTGIR text, for the GPU that it names. ``options``: Triton's own.

    Raises :class:`InputError` in Triton's words if it does not compile.
    """
    return _kernel_of(
        _run_worker({"task": "lower", "text": text, "options": dict(options)}, Location(file))
    )


def _kernel_of(made: Mapping[str, Any]) -> LoweredKernel:
    binaries = {name: b64decode(data) for name, data in made["binaries"].items()}
    found = (made["asm"], binaries, made["metadata"], made["version"])
    return LoweredKernel(*found, made.get("source_hash", ""))


class ImportedAgain(BaseException):
    """A script that asks at its top level is imported by the process that answers.

    That reads it up to its first question, and asks nothing itself. No ``except Exception`` of a
    script is meant.
    """


def _run_worker(question: Mapping[str, Any], where: Location) -> dict[str, Any]:
    if os.environ.get(WITHIN):
        raise ImportedAgain
    if not installed():
        raise needed()
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        try:
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-m", "bankwise.read.ttgir.worker", folder],
                input=json.dumps(question),
                capture_output=True,
                text=True,
                env={**os.environ, WITHIN: "1"},
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


_PARTS = "of several modules in one file (parted by `// -----`) one is read: a file for each"


def _refused(message: str, printed: str, where: Location) -> InputError:
    """What Triton printed, at the line it names: of the text, or of its source."""
    found = _ERROR.search(printed)
    if found:
        own = not found[1] or found[1].endswith(_OWN)
        place = Location(where.file if own else found[1], int(found[2]), int(found[3]))
        hint = _PARTS if found[4].startswith("redefinition of") else ""
        return InputError(f"Triton does not accept it: {found[4]}", location=place, hint=hint)
    lines = [line for line in printed.splitlines() if line.strip()]
    last = "\n  ".join(lines[-4:])
    hint = f"it printed:\n  {last}" if last else ""
    return InputError(message, location=where, hint=hint)
