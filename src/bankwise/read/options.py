"""What a user may say about a kernel that its text does not."""

from __future__ import annotations

from dataclasses import dataclass

from bankwise.errors import InputError


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
    if not 1 <= len(parts) <= 3 or not all(p.strip().isdigit() and int(p) > 0 for p in parts):
        raise InputError(f"workgroup size {text!r} is not X,Y,Z", hint="for example 256,1,1")
    x, y, z = [int(p) for p in (*parts, "1", "1")[:3]]
    if x * y * z > 1024:
        raise InputError(f"a workgroup of {x * y * z} threads; 1024 is the most a GPU takes")
    return x, y, z


def dims_of(options: Options) -> dict[str, int]:
    """Read the ``NAME=SIZE`` texts; InputError for a text that is none."""
    out: dict[str, int] = {}
    for text in options.dims:
        name, equals, size = text.partition("=")
        if not (name and equals and size.strip().isdigit()):
            raise InputError(f"--dim {text!r} is not NAME=SIZE", hint="for example --dim M=4096")
        out[name.strip().removeprefix("%")] = int(size)
    return out
