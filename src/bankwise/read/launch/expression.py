"""``--launch 'reduce*<<<64, 256, 1024>>>(_, 4096, n=7)'``: a launch as CUDA writes it.

    launch    = kernel [ "<<<" size "," size [ "," bytes ] ">>>" ] [ "(" values ")" ]
    values    = [ value { "," value } ]
    size      = "_" | number { ("x") number } | "(" number { "," number } ")" | "dim3" "(" .. ")"
    value     = "_" | argument | name "=" argument
    argument  = number | fraction

Sizes are the grid and the block, as in CUDA. ``_`` stands for what is not known. A number is an
integer of Python, or of C (hexadecimal, suffixes ``u``, ``l``), a fraction one of C (``0.1``,
``1e-3f``). The kernel is a name or a glob.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from math import isfinite

from bankwise.errors import InputError
from bankwise.read.launch.facts import KernelLaunch, Size, check_block

_HINT = "for example --launch 'reduce*<<<64, 256>>>(_, n=4096)'; _ for what is not known"
_MOST_GRID = 1 << 31
_NUMBER = re.compile(r"(-?)(0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})[uUlL]{0,3}")
_FRACTION = re.compile(
    r"-?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]{1,4})?(f?)", re.I
)


def launch_of(text: str) -> KernelLaunch:
    """Read one launch; :class:`InputError` if it is none."""
    before, opens, behind = text.rpartition("<<<")
    kernel, rest = (before, behind) if opens else (text, "")
    sizes: list[str] = []
    if opens:
        inside, closes, rest = rest.partition(">>>")
        sizes = _parts(inside)
        if not closes or not 2 <= len(sizes) <= 4:
            raise _no_launch(text, "<<<grid, block, shared bytes>>> is wanted")
    elif kernel.rstrip().endswith(")") and "(" in kernel:
        kernel, _, rest = kernel.rpartition("(")
        rest = f"({rest}"
    if not kernel.strip() or not re.fullmatch(r"\s*(\(.*\))?[\s;]*", rest, re.DOTALL):
        raise _no_launch(text, "a kernel's name, sizes, and arguments in brackets")
    grid, block, shared = (*sizes, *["_"] * 3)[:3]
    inside = rest.strip().rstrip("; ")[1:-1]
    values = [_value(part, text) for part in _parts(inside)] if inside.strip() else []
    return KernelLaunch(
        kernel=kernel.strip(),
        block=_block(block, text),
        grid=_size(grid, text),
        shared_bytes=_number(shared, text),
        arguments={name: number for name, number in values if name and number is not None},
        positional=tuple(number for name, number in values if not name),
        said="as --launch says",
    )


def _no_launch(text: str, why: str) -> InputError:
    return InputError(f"--launch {text!r}: {why}", hint=_HINT)


def _parts(text: str) -> list[str]:
    """Cut at commas outside of brackets."""
    return [part.strip() for part in _cut(text)]


def _cut(text: str) -> Iterator[str]:
    depth = start = 0
    for at, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            yield text[start:at]
            start = at + 1
    yield text[start:]


def _number(text: str, launch: str) -> int | None:
    if text in ("_", ""):
        return None
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise _no_launch(launch, f"{text!r} is no number")
    number = int(found[2], 16 if found[2][:2] in ("0x", "0X") else 10)
    return -number if found[1] else number


def _value(text: str, launch: str) -> tuple[str | int, int | float | None]:
    """The name of an argument, empty for a positional one, and its number."""
    name, equals, number = (part.strip() for part in text.rpartition("="))
    if equals and not name:
        raise _no_launch(launch, f"{text!r} is no NAME=VALUE")
    fraction = _FRACTION.fullmatch(number)
    return name, _fraction(fraction, launch) if fraction else _number(number, launch)


def _fraction(found: re.Match[str], launch: str) -> float:
    """As C has it: what ends in f is a float, and keeps its value as a double."""
    value = float(found[0].rstrip("fF"))
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0] if found[1] else _finite(value)
    except OverflowError as error:
        raise _no_launch(launch, f"{found[0]!r} is too large") from error


def _finite(value: float) -> float:
    if not isfinite(value):
        raise OverflowError
    return value


def _size(text: str, launch: str) -> Size | None:
    if text == "_":
        return None
    inside = re.fullmatch(r"(?:dim3\s*)?[({](.*)[)}]", text, re.DOTALL)
    parts = _parts(inside[1]) if inside else [text] if text.startswith("0x") else text.split("x")
    numbers = [_number(part.strip(), launch) for part in parts]
    sizes = [n for n in numbers if n is not None and 1 <= n <= _MOST_GRID]
    if not 1 <= len(numbers) <= 3 or len(sizes) != len(numbers):
        raise _no_launch(launch, f"{text!r} is no size")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _block(text: str, launch: str) -> Size | None:
    size = _size(text, launch)
    return None if size is None else check_block(size)
