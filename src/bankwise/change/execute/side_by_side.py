"""Workgroups of one launch that run side by side: every operation once for all of them.

One workgroup after the other is what is judged. Side by side they do the same work for a part of
the time, as rows of the same arrays, and leave the same bits: no workgroup touches an element of a
binding that another one writes. Where that does not hold, or anything else is out of the common (a
fault, an operation that is refused, more work than is allowed), :class:`ApartError` takes all of it
back, and they run one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from bankwise.counting.access import IntArray

_NOBODY = -1
_SEVERAL = -2


class ApartError(Exception):
    """These workgroups have to run one after the other."""


class Bindings(Struct, eq=False):
    """What runs of a kernel did to its bindings, by name.

    ``alone``: its workgroups have to run one after the other, as far as is known. ``owners``: of
    those that run side by side.
    """

    loaded: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    alone: bool = False
    owners: Owners | None = None


class Owners(Struct, eq=False):
    """Which workgroup wrote and read an element, and what was there before, to take it back.

    ``both``: the bindings of which elements may be read and written; one that is not among them
    is only read, or only written.
    """

    both: frozenset[str]
    writer: dict[str, npt.NDArray[np.int32]] = field(default_factory=dict)
    reader: dict[str, npt.NDArray[np.int32]] = field(default_factory=dict)
    undo: list[tuple[npt.NDArray[Any], IntArray, npt.NDArray[Any]]] = field(default_factory=list)


def note_load(bindings: Bindings, name: str, size: int, at: IntArray, who: IntArray) -> None:
    """A load of the elements ``at`` of ``size``, each by the workgroup ``who``."""
    bindings.loaded.add(name)
    owners = bindings.owners
    if owners is None:
        return
    if name not in owners.both:
        _only(name not in bindings.stored)
        return
    _only_by(_of(owners.writer, name, size)[at], who)
    reader = _of(owners.reader, name, size)
    first = reader[at]
    reader[at] = who
    others = (first != _NOBODY) & (first != who) | (reader[at] != who)
    reader[at[others]] = _SEVERAL


def note_store(
    bindings: Bindings, name: str, data: npt.NDArray[Any], at: IntArray, who: IntArray
) -> None:
    """A store to the elements ``at`` of ``data``, before it is done, each by ``who``."""
    bindings.stored.add(name)
    owners = bindings.owners
    if owners is None:
        return
    if name in owners.both:
        _only_by(_of(owners.reader, name, len(data))[at], who)
    else:
        _only(name not in bindings.loaded)
    writer = _of(owners.writer, name, len(data))
    _only_by(writer[at], who)
    writer[at] = who
    _only_by(writer[at], who)
    owners.undo.append((data, at, data[at]))


def note_update(bindings: Bindings) -> None:
    """An atomic update, before it is done: its order among workgroups is that of the sequence."""
    bindings.alone = True
    _only(bindings.owners is None)


def take_back(owners: Owners) -> None:
    """The bindings as they were."""
    for data, at, before in reversed(owners.undo):
        data[at] = before


def _of(table: dict[str, npt.NDArray[np.int32]], name: str, size: int) -> npt.NDArray[np.int32]:
    if name not in table:
        table[name] = np.full(size, _NOBODY, np.int32)
    _only(len(table[name]) == size)
    return table[name]


def _only_by(found: npt.NDArray[np.int32], who: IntArray) -> None:
    _only(not ((found != _NOBODY) & (found != who)).any())


def _only(holds: bool) -> None:
    if not holds:
        raise ApartError
