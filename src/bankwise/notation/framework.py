"""One record per framework: how its layouts are recognised, read, written and listed.

A :class:`Language` is what texts are in. A :class:`Framework` is one family of memory layouts in a
language: IREE has two, ``xor_shuffle`` and ``rotate_rows``. Laws that hold for every framework
(tests/test_frameworks.py), with ``==`` on every element of the tile:

    read(write(m)) == m
    m in members(tile)  exactly if  write(m) is no Refusal     for the layouts that are listed

Listed are those that permute the elements of a row-major tile, and rows of any padding. What
``write`` can say besides (strides in another order, several pads, ``shared_linear``) has no end.
All frameworks: :mod:`bankwise.notation.frameworks`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from bankwise.algebra.address import AddressMap
from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import Machine
from bankwise.notation.values import Distribution, Memory, collision

if TYPE_CHECKING:
    from bankwise.notation.mfma import Operand


class Setting(Struct, frozen=True):
    """What a text does not say itself: machine, numbers for names, threads.

    ``workgroup``: threads in x, y, z, which Wave's ``$T0 $T1 $T2`` number. ``operand``: of a
    matrix instruction.
    """

    machine: Machine
    symbols: Mapping[str, int]
    workgroup: tuple[int, int, int]
    operand: Operand = "A"


class Ground(Struct, frozen=True):
    """What a family depends on: the tile, and two numbers of the question.

    ``banks``: the most that an instruction of the machine sees. ``span``: the most elements that a
    lane moves at once; 0 if nobody asks about accesses. Wave computes its swizzle from it.
    """

    shape: Shape
    banks: int = 64
    span: int = 0


class Member(Struct, frozen=True):
    """One layout of a family: ``label`` says in few words which."""

    label: str
    address: AddressMap

    def __str__(self) -> str:
        return self.label


def _clash(memory: Memory) -> str:
    clash = collision(memory)
    return str(clash) if clash else ""


def _no_memory(text: str, shape: Shape, setting: Setting) -> Memory:
    raise InputError(f"{text.strip()!r} is no memory layout")


def _nothing(shape: Shape) -> Member | None:
    return None


def _no_others(text: str, shape: Shape, plans: Iterable[Memory]) -> Iterator[str]:
    return iter(())


def _no_distribution(text: str, shape: Shape, setting: Setting) -> Distribution:
    raise InputError(f"{text.strip()!r} is a memory layout, no distribution")


class Language(Struct, frozen=True):
    """In whose words a text is; ``sign``: how its texts begin.

    ``read``: where the elements of a tile lie; ``hold``: who holds which. Both raise
    :class:`InputError` for a text that means something else, and give a Refusal where the notation
    itself is in dispute. ``fault``: why a memory does not hold every element; empty if it does.
    ``policy``: how the compiler behind it picks instructions (:mod:`bankwise.hardware.policies`).
    ``kernels``: what names of its emitted kernels contain, ``heads``: what the first characters of
    their texts do; patterns, empty for none. ``unasked``: what its compiler does to a tile of
    shared memory that nobody lays out, where that is known from the tile alone. ``others``: for a
    language that no framework writes, what may stand in the place of a text about a tile: its own
    layouts, what reads best first, then those of ``plans`` that it can say. ``proviso``: what has
    to be true beside such a text. ``example``: a text of a layout, as somebody would type it.
    """

    name: str
    sign: re.Pattern[str]
    read: Callable[[str, Shape, Setting], Memory | Refusal] = _no_memory
    hold: Callable[[str, Shape, Setting], Distribution | Refusal] = _no_distribution
    fault: Callable[[Memory], str] = _clash
    policy: str = "iree"
    kernels: str = ""
    heads: str = ""
    unasked: Callable[[Shape], Member | None] = _nothing
    others: Callable[[str, Shape, Iterable[Memory]], Iterator[str]] = _no_others
    proviso: str = ""
    example: str = ""


class Framework(Struct, frozen=True):
    """A family of memory layouts and the language that says them.

    ``about``: in words. ``members``: those that are listed, the simplest first. ``write``: a value
    whose ``str`` is the text, or the reason why there is none. ``linear``: every linear layout can
    be written, also one that is not listed. ``complete``: a Refusal of ``write`` means that there
    is no text; else that none of the forms looked at gives the layout. ``notation``: whether it is
    a framework's own, not a formula. ``flat``: whether it lays out a row of
    bytes in words of its own, for code that knows no tile.
    """

    name: str
    language: Language
    about: str
    members: Callable[[Ground], Iterator[Member]]
    write: Callable[[Memory, Ground], object]
    linear: bool = False
    complete: bool = True
    notation: bool = True
    flat: bool = False

    @property
    def said_as(self) -> str:
        """What reports call the notation: the language, if it has this family alone."""
        return self.name if self.name.startswith(self.language.name) else self.language.name

    def __str__(self) -> str:
        return self.name
