"""What a user may say about a kernel that its text does not."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bankwise.errors import InputError

MOST_THREADS = 1024
"""Of one workgroup, on every machine."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the user may say about a kernel that its text does not.

    ``dims``: ``NAME=SIZE`` texts; ``workgroup_size``: ``X,Y,Z``; ``policy``: a width policy.
    """

    target: str = ""
    kernel: str = ""
    dims: tuple[str, ...] = ()
    workgroup_size: str = ""
    policy: str = "iree"
    arguments: tuple[str, ...] = ()


def three(text: str) -> tuple[int, int, int]:
    """Read ``X,Y,Z``; InputError if it is not a workgroup size."""
    parts = text.replace("x", ",").split(",")
    if not 1 <= len(parts) <= 3 or not all(_is_number(p) and int(p) > 0 for p in parts):
        raise InputError(f"workgroup size {text!r} is not X,Y,Z", hint="for example 256,1,1")
    x, y, z = [int(p) for p in (*parts, "1", "1")[:3]]
    if x * y * z > MOST_THREADS:
        message = f"a workgroup of {x * y * z} threads; {MOST_THREADS} is the most a GPU takes"
        raise InputError(message)
    return x, y, z


def _is_number(text: str) -> bool:
    """Whether a text is digits of ASCII, few enough for a size; `int` refuses others or hangs."""
    return re.fullmatch(r"\s*[0-9]{1,18}\s*", text) is not None


def dims_of(options: Options) -> dict[str, int]:
    """Read the ``NAME=SIZE`` texts; InputError for a text that is none."""
    out: dict[str, int] = {}
    for text in options.dims:
        name, equals, size = text.partition("=")
        if not (name and equals and _is_number(size)):
            raise InputError(f"--dim {text!r} is not NAME=SIZE", hint="for example --dim M=4096")
        out[name.strip().removeprefix("%")] = int(size)
    return out
