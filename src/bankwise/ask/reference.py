"""``fix --reference FILE.py:FUNCTION``: the user's own word on what a kernel computes."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bankwise.errors import InputError

Buffers = list[np.ndarray[Any, Any]]
Expect = Callable[[Buffers], Sequence[np.ndarray[Any, Any] | None]]

_TOLERANCE = 1e-2
"""The most relative distance (Euclidean norms) to a reference: half precision sums stay below."""
_HINT = "FUNCTION gets the list of input buffers, returns the expected ones (None: any)"


def load(reference: str) -> Expect:
    """The function of ``FILE.py:FUNCTION``, which answers with a sequence or :class:`InputError`.

    The file is run. Whatever it raises, and whatever the function raises later, is bad input.
    """
    path, _, name = reference.rpartition(":")
    try:
        function = runpy.run_path(path)[name]
    except (Exception, SystemExit) as error:
        message = f"--reference {reference}: no function {name!r} in {path!r}: {_error_text(error)}"
        raise InputError(message, hint="--reference FILE.py:FUNCTION") from error
    if not callable(function):
        message = f"--reference {reference}: {name!r} is no function but {type(function).__name__}"
        raise InputError(message, hint="--reference FILE.py:FUNCTION")

    def expect(inputs: Buffers) -> Sequence[np.ndarray[Any, Any] | None]:
        try:
            found = function(inputs)
            return [None if x is None else np.asarray(x, np.float64) for x in found]
        except (Exception, SystemExit) as error:
            message = (
                f"--reference {reference}: the function gives no buffers: {_error_text(error)}"
            )
            raise InputError(message, hint=_HINT) from error

    return expect


def against(expect: Expect, inputs: Buffers, outputs: Buffers) -> tuple[bool, str]:
    """Whether the outputs are close to what the reference makes of the inputs, and how close."""
    expected = expect([x.copy() for x in inputs])
    sizes = [None if e is None else np.size(e) for e in expected]
    if len(sizes) != len(outputs) or not any(sizes):
        return False, f"the reference gives {len(sizes)} buffers, the kernel has {len(outputs)}"
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
