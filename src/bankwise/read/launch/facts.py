"""What is known of how kernels are launched, and by whose word.

A kernel's text rarely says how many threads a workgroup has, and never what its arguments are. Who
may say so, the most trusted first: ``--launch`` (an expression, a file of launches, a profile), the
text itself where it *requires* a size, ``--workgroup-size`` and ``--arg`` (of all kernels alike),
the host code of the same file. Each fills in what those before it left open. Where two launches of
one kernel differ, both are followed. What nobody says is assumed, and that is said
(:mod:`bankwise.read.launch.shapes`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.read.names import means
from bankwise.read.options import MOST_THREADS

Size = tuple[int, int, int]
"""Along x, y, z."""

Given = Mapping[str | int, int | float]
"""Numbers of arguments, by name, position or offset; a fraction stands for its IEEE bits."""

MOST_LAUNCHES = 4
"""Of one kernel, that are followed, whatever work that is."""
MOST_CHEAP_LAUNCHES = 16
"""And where it is little."""
MOST_TRIED = 3
"""Assumed shapes of one kernel, side by side."""

_FLOATS = {4: "<f", 8: "<d"}
"""By size in bytes."""


class KernelLaunch(Struct, frozen=True):
    """What somebody says of the launches of some kernels; what he does not say is None.

    ``kernel``: a name or glob, empty for all. ``block``: threads of a workgroup; ``grid``:
    workgroups; ``shared_bytes``: dynamic, beside what the text states. ``arguments``: as ``--arg``
    has them, and fractions; ``positional``: in the author's order, None for one that is not said.
    ``said``: who says it, in words that continue "block 256,1,1, ". ``assumed``: nobody does;
    ``fills``: of those that were tried its block fills the shared memory that the text states;
    ``whole``: its block is the most that the text allows, and fewer threads do what the first of
    these do.
    """

    kernel: str = ""
    block: Size | None = None
    grid: Size | None = None
    shared_bytes: int | None = None
    arguments: Given = field(default_factory=dict)
    positional: tuple[int | float | None, ...] = ()
    said: str = ""
    assumed: bool = False
    fills: bool = False
    whole: bool = False

    def __str__(self) -> str:
        """As ``--launch`` takes it."""
        grid, block = (_size(one) for one in (self.grid, self.block))
        shared = "" if self.shared_bytes is None else f", {self.shared_bytes}"
        values = ["_" if n is None else str(n) for n in self.positional]
        values += [f"{name}={value}" for name, value in self.arguments.items()]
        return f"{self.kernel or '*'}<<<{grid}, {block}{shared}>>>({', '.join(values)})"


class Launches(Struct, frozen=True):
    """What is said of the launches of a file's kernels, by whom. ``stated``: levels of falling
    trust, above the text itself; ``plain``: for all kernels alike; ``hosted``: by the host code
    beside them; ``supposed``: what is taken for numbers that nobody says, of the least trust. How
    much is done for a kernel: ``sample``: try values of what stays open, and tell
    what they open; ``tried``: so many shapes where nobody knows one; ``steps``: each launch is
    worth so much work (:func:`bankwise.read.follow.run.follow`), None for what its size is;
    ``samples``: what all that is tried of a kernel is worth, None for any."""

    stated: tuple[tuple[KernelLaunch, ...], ...] = ()
    plain: KernelLaunch = KernelLaunch()
    hosted: tuple[KernelLaunch, ...] = ()
    supposed: tuple[KernelLaunch, ...] = ()
    sample: bool = False
    tried: int = MOST_TRIED
    steps: int | None = None
    samples: int | None = None

    def concerning(self, kernel: str) -> Launches:
        """What of it is said of one kernel, or of all."""
        levels = (*self.stated, self.hosted, self.supposed)
        mine = [tuple(one for one in level if means(one.kernel, kernel)) for level in levels]
        *stated, hosted, supposed = mine
        return replace(self, stated=tuple(stated), hosted=hosted, supposed=supposed)


def _size(size: Size | None) -> str:
    return "_" if size is None else "x".join(map(str, size))


def check_block(size: Sequence[int]) -> Size:
    """Threads of a block along x, y, z; :class:`InputError` if no GPU takes them."""
    x, y, z = (*size, 1, 1, 1)[:3]
    if not 1 <= len(size) <= 3 or min(x, y, z) < 1 or x * y * z > MOST_THREADS:
        shown = ",".join(map(str, size))
        raise InputError(f"a block of {shown} threads", hint=f"1 to {MOST_THREADS} in all")
    return x, y, z


def launches_of(name: str, levels: Iterable[Sequence[KernelLaunch]]) -> tuple[KernelLaunch, ...]:
    """The launches of the kernel ``name`` as ``levels`` of falling trust say; at least one, of
    which nothing may be known."""
    found: tuple[KernelLaunch, ...] = (KernelLaunch(name),)
    for level in levels:
        mine = [one for one in level if means(one.kernel, name)]
        merged = (_filled(known, mine) for known in found)
        found = tuple(_distinct(one for some in merged for one in some))
    return found


def _filled(known: KernelLaunch, level: Sequence[KernelLaunch]) -> Iterable[KernelLaunch]:
    """``known`` with what each of a level adds; what contradicts it adds nothing."""
    fitting = [one for one in level if _fits(known, one)]
    return [_merged(known, one) for one in fitting] or [known]


def _fits(known: KernelLaunch, one: KernelLaunch) -> bool:
    pairs = ((known.block, one.block), (known.grid, one.grid))
    return all(a is None or b is None or a == b for a, b in pairs)


def _merged(known: KernelLaunch, one: KernelLaunch) -> KernelLaunch:
    said = one.said if known.block is None and one.said else known.said
    return replace(
        known,
        block=known.block or one.block,
        grid=known.grid or one.grid,
        shared_bytes=one.shared_bytes if known.shared_bytes is None else known.shared_bytes,
        arguments={**one.arguments, **known.arguments},
        positional=known.positional or one.positional,
        said=said,
    )


def _distinct(found: Iterable[KernelLaunch]) -> list[KernelLaunch]:
    kept: list[KernelLaunch] = []
    for one in found:
        if all(replace(one, said="") != replace(other, said="") for other in kept):
            kept.append(one)
    return kept


def as_passed(
    launches: Iterable[KernelLaunch], sizes: Mapping[str | int, int], types: Sequence[str] = ()
) -> Iterator[KernelLaunch]:
    """Launches of host code as the kernel gets them whose parameters have these ``sizes`` in bytes:
    numbers as C++ converts them. ``types``: of all parameters, where the kernel's name tells them;
    else a byte may be a bool. Without launches of more arguments, which are of another kernel of
    that name."""
    told = types if len(types) == len(sizes) else [""] * len(sizes)
    for one in launches:
        if not sizes or len(one.positional) <= len(sizes):
            each = zip(one.positional, sizes.values(), told, strict=False)
            passed = tuple(_passed(*argument) for argument in each)
            yield replace(one, positional=passed) if sizes else one


def _passed(number: int | float | None, size: int, kind: str) -> int | float | None:
    if not isinstance(number, int) or not size:
        return number
    if kind == "bool":
        return int(number != 0)
    if size == 1 and not kind and number not in (0, 1):
        return None
    return number if holds(size, number) else number % (1 << 8 * size)


def argument_bytes(name: str | int, sizes: Mapping[str | int, int]) -> int:
    """The size of an argument, by its name or its number; 0 if nobody knows it."""
    named = {str(key): size for key, size in sizes.items()}
    number_of = dict(zip(map(str, range(len(sizes))), sizes.values(), strict=True))
    return named.get(str(name), number_of.get(str(name), 0))


def holds(size: int, number: int) -> bool:
    """Whether an argument of so many bytes, 0 for nobody knows, holds a number, with a sign or
    without."""
    return not size or -(1 << 8 * size - 1) <= number < 1 << 8 * size


def as_tried(numbers: Given, sizes: Mapping[str | int, int]) -> Given:
    """Numbers that are tried for arguments of these ``sizes`` in bytes, as these hold them: one of
    a single byte may be a bool."""
    return {k: int(n != 0) if argument_bytes(k, sizes) == 1 else n for k, n in numbers.items()}


def bits_of(name: str | int, number: int | float, sizes: Mapping[str | int, int]) -> int:
    """The number that an argument holds: of a fraction its IEEE bits, in as many bytes as ``sizes``
    has of the argument. :class:`InputError` if that is no float, and for a number that needs more
    bytes."""
    size = argument_bytes(name, sizes)
    if isinstance(number, int):
        if not holds(size, number):
            raise InputError(f"argument {name} has {size} bytes; {number} needs more")
        return number
    if size not in _FLOATS:
        raise InputError(
            f"argument {name} is given as {number}, and has no 4 or 8 bytes",
            hint=f"fractions are for {', '.join(str(k) for k, n in sizes.items() if n in _FLOATS)}",
        )
    try:
        return int.from_bytes(struct.pack(_FLOATS[size], number), "little")
    except OverflowError as error:
        raise InputError(f"argument {name} is a float; {number} is too large") from error
