"""What ``--launch`` names: an expression, a file of launches in TOML, or a profile.

[[launch]]
kernel = "reduce*"                     a name or a glob; without it: all kernels
grid = [64]
block = [256, 1, 1]
shared = 1024                          dynamic, in bytes
arguments = { n = 4096, 8 = 7 }        as --arg has them, or a list in the author's order;
                                       fractions, too
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Any

from bankwise.errors import InputError, Location
from bankwise.files import read_text
from bankwise.profile.names import plain
from bankwise.read.launch.facts import Given, KernelLaunch, Launches, Size, check_block
from bankwise.read.names import spelled_alike
from bankwise.read.options import MOST_THREADS, argument_key

_KEYS = ("kernel", "grid", "block", "shared", "arguments")
_MOST = 1 << 63


def read_launches(texts: Sequence[str]) -> Launches:
    """The launches that ``--launch`` gives: expressions are trusted most, profiles least."""
    if not texts:
        return Launches()
    from bankwise.read.launch.expression import launch_of

    expressions = tuple(launch_of(one) for one in texts if not _is_file(one))
    files = [one for one in texts if _is_file(one)]
    tables = chain(*(launches_in_toml(one) for one in files if not _is_profile(one)))
    profiles = chain(*(launches_in_profile(one) for one in files if _is_profile(one)))
    return Launches((expressions, tuple(tables), tuple(profiles)))


def _is_file(text: str) -> bool:
    return text.lower().endswith((".toml", ".csv"))


def _is_profile(text: str) -> bool:
    return text.lower().endswith(".csv")


def launches_in_toml(path: str | Path) -> tuple[KernelLaunch, ...]:
    """The launches of a file; :class:`InputError` at what is none."""
    import tomllib

    place = Location(str(path))
    try:
        table = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"not TOML: {error}", location=place) from error
    entries = table.get("launch")
    if set(table) != {"launch"} or not isinstance(entries, list) or not entries:
        raise InputError("a file of launches has [[launch]] tables alone", location=place)
    return tuple(_entry(one, n, place) for n, one in enumerate(entries, 1))


def _entry(entry: object, number: int, place: Location) -> KernelLaunch:
    def no(why: str) -> InputError:
        return InputError(f"launch {number}: {why}", location=place, hint=f"keys: {_LISTED}")

    if not isinstance(entry, dict) or not set(entry) <= set(_KEYS):
        raise no("unknown keys" if isinstance(entry, dict) else "no table")
    kernel, shared, given = entry.get("kernel", ""), entry.get("shared"), entry.get("arguments", {})
    if not isinstance(kernel, str) or not (shared is None or _whole(shared, 0)):
        raise no("the kernel is a text, shared a number of bytes")
    block, grid = (_size(entry.get(key)) for key in ("block", "grid"))
    if any(key in entry and found is None for key, found in (("block", block), ("grid", grid))):
        raise no("block and grid are one to three positive numbers")
    named, positional = _arguments(given)
    if named is None:
        raise no("arguments are a table of numbers, or a list of numbers and '_'")
    return KernelLaunch(
        kernel,
        check_block(block) if block else None,
        grid,
        shared,
        named,
        positional,
        f"as {place.file} says",
    )


_LISTED = ", ".join(_KEYS)


def _whole(value: object, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < _MOST


def _size(value: object) -> Size | None:
    numbers = value if isinstance(value, list) else [value]
    if not 1 <= len(numbers) <= 3 or not all(_whole(n, 1) for n in numbers):
        return None
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def _number(value: object) -> bool:
    return _whole(value, -_MOST) or (isinstance(value, float) and isfinite(value))


def _arguments(given: Any) -> tuple[Given | None, tuple[int | float | None, ...]]:
    if isinstance(given, list):
        fits = all(_number(one) or one == "_" for one in given)
        return ({} if fits else None), tuple(None if one == "_" else one for one in given)
    try:
        fits = isinstance(given, dict) and all(map(_number, given.values()))
        return {argument_key(name): one for name, one in given.items()} if fits else None, ()
    except ValueError:
        return None, ()


def launches_in_profile(path: str) -> tuple[KernelLaunch, ...]:
    """The launches of a profile that say how many threads a workgroup has. Where only their number
    is told they are taken along x, which is said."""
    from bankwise.profile.read import read_profile

    found = []
    for launch in read_profile(path).launches:
        size = launch.block or ((launch.threads, 1, 1) if launch.threads else None)
        if size is not None and launch.threads and launch.threads <= MOST_THREADS:
            axes = "" if launch.block else " (threads taken along x: it tells their number alone)"
            kernel, said = spelled_alike(plain(launch.kernel)), f"as {path} measured it{axes}"
            shared = launch.shared_bytes
            found.append(KernelLaunch(kernel, size, launch.grid, shared, said=said))
    return tuple(found)
