"""``fix --reference FILE.py:FUNCTION``: the user's own word on what a kernel computes.

The function runs in a process of its own: whatever it does (raise, end the process, crash, print,
never end) is an answer or one :class:`InputError`, and never the end of this process.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bankwise.errors import InputError

Buffers = list[np.ndarray[Any, Any]]
Expect = Callable[[Buffers], Sequence[np.ndarray[Any, Any] | None]]

_TOLERANCE = 1e-2
"""The most relative distance (Euclidean norms) to a reference: half precision sums stay below."""
_LIMIT_S = 600
_HINT = "FUNCTION gets the list of input buffers, returns the expected ones (None: any)"
_FORM = "--reference FILE.py:FUNCTION"
_CHILD = "import sys; from bankwise.ask.reference import answer; answer(*sys.argv[1:])"


def load(reference: str) -> Expect:
    """The function of ``FILE.py:FUNCTION``, which answers with a sequence or :class:`InputError`.

    The file is run once here, to see that it has the function, and once more to ask it.
    """
    path, _, name = reference.rpartition(":")
    _ask(reference, path, name, None)
    return lambda inputs: _ask(reference, path, name, inputs)


def _ask(
    reference: str, path: str, name: str, inputs: Buffers | None
) -> list[np.ndarray[Any, Any] | None]:
    """What the function makes of ``inputs``; without them only whether there is a function."""
    with TemporaryDirectory(prefix="bankwise-") as folder:
        if inputs is not None:
            np.savez(Path(folder, "in.npz"), *inputs)
        command = [sys.executable, "-c", _CHILD, path, name, folder]
        try:
            # The user's prints belong to the talk, not to the data.
            code = subprocess.run(command, stdout=2, timeout=_LIMIT_S, check=False).returncode
        except subprocess.TimeoutExpired as error:
            message = f"--reference {reference}: no answer within {_LIMIT_S} seconds"
            raise InputError(message, hint=_HINT) from error
        return _answered(reference, name, Path(folder), code)


def _answered(
    reference: str, name: str, folder: Path, code: int
) -> list[np.ndarray[Any, Any] | None]:
    said = folder / "said"
    if not said.exists():
        message = f"--reference {reference}: its process ended before {name!r} answered ({code})"
        raise InputError(message, hint=_HINT)
    kind, _, text = said.read_text("utf-8", errors="replace").partition("\n")
    if kind != "answer":
        raise InputError(f"--reference {reference}: {text}", hint=kind)
    with np.load(folder / "out.npz") as found:
        given = found["arr_0"]
        return [found[f"arr_{i}"] if some else None for i, some in enumerate(given, 1)]


def answer(path: str, name: str, folder: str) -> None:
    """The child: run the file, ask the function, and leave the answer in ``folder``."""
    try:
        function = _function(path, name)
        given = Path(folder, "in.npz")
        if isinstance(function, str):
            told = f"{_FORM}\n{function}"
        elif not given.exists():
            told = "answer\n"
            np.savez(Path(folder, "out.npz"), np.zeros(0, np.bool_))
        else:
            with np.load(given) as held:
                inputs = [held[f"arr_{i}"] for i in range(len(held.files))]
            told = _call(function, inputs, Path(folder, "out.npz"))
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        told = f"{_HINT}\nthe function gives no buffers: {_error_text(error)}"
    Path(folder, "said").write_text(told, "utf-8", errors="replace")


def _function(path: str, name: str) -> Callable[[Buffers], Any] | str:
    """The function that a file defines, or why there is none."""
    try:
        function = runpy.run_path(path)[name]
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        return f"no function {name!r} in {path!r}: {_error_text(error)}"
    if not callable(function):
        return f"{name!r} is no function but {type(function).__name__}"
    found: Callable[[Buffers], Any] = function
    return found


def _call(function: Callable[[Buffers], Any], inputs: Buffers, out: Path) -> str:
    found = list(islice(function(inputs), len(inputs) + 1))
    given = [x is not None for x in found]
    arrays = [np.asarray(x if x is not None else [], np.float64) for x in found]
    np.savez(out, np.array(given), *arrays)
    return "answer\n"


def against(expect: Expect, inputs: Buffers, outputs: Buffers) -> tuple[bool, str]:
    """Whether the outputs are close to what the reference makes of the inputs, and how close."""
    expected = expect([x.copy() for x in inputs])
    sizes = [None if e is None else np.size(e) for e in expected]
    if len(sizes) != len(outputs) or not any(sizes):
        more = "more than " if len(sizes) > len(outputs) else ""
        given = f"{more}{min(len(sizes), len(outputs))}"
        return False, f"the reference gives {given} buffers, the kernel has {len(outputs)}"
    if any(n not in (None, o.size) for n, o in zip(sizes, outputs, strict=True)):
        return False, f"the reference gives {sizes} elements, not {[o.size for o in outputs]}"
    pairs = zip(expected, outputs, strict=True)
    worst = float(np.max([_distance(e, o) for e, o in pairs if e is not None]))
    return worst <= _TOLERANCE, f"relative distance to the reference {worst:.1e}"


def _distance(expected: np.ndarray[Any, Any], got: np.ndarray[Any, Any]) -> float:
    wide = np.asarray(expected, np.float64).ravel()
    norm = float(np.linalg.norm(wide)) or 1.0
    return float(np.linalg.norm(wide - got.astype(np.float64).ravel()) / norm)


def _error_text(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
