"""Statements that follow each other, in an order in which those that are alike stand together.

    ld.shared.f32 %f1, [%r1];         level 0, with the other loads
    fma.rn.f32 %f3, %f1, %f2, %f3;    level 1, with the other multiplications
    ld.shared.f32 %f4, [%r1+4];       level 0
    st.shared.f32 [%r2], %f3;         level 2

A level may run once all below have run, in any order within it: no statement reads what another one
of its level writes, and of a memory that is written the accesses keep their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct, field

from bankwise.change.simulate.accesses import space_of
from bankwise.change.simulate.computed import Alike, alike
from bankwise.change.simulate.deciding import REGISTER
from bankwise.change.simulate.operands import address_of, listed
from bankwise.read.ptx.parse import BYTES, Statement

_SPACES = ("shared", "global", "local")


class Accesses(Struct, frozen=True):
    """What loads, or stores, have in common: of the memory ``space`` so many bytes."""

    word: Literal["ld", "st"]
    space: str
    size: int
    signed: bool


class StatementPart(Struct, frozen=True):
    """One thing that a statement does, as others do it: what they have in common, ``what``; the
    operands that it ``reads``, the register that it ``writes`` (of a store none), and the bytes
    behind an address."""

    what: Alike | Accesses
    name: str
    reads: tuple[str, ...]
    writes: str = ""
    offset: int = 0


class Item(Struct, frozen=True):
    """Statements that are done at once; or one, by its number ``alone``."""

    parts: tuple[StatementPart, ...] = ()
    alone: int = -1


class _Effects(Struct, frozen=True):
    """What decides when a statement may run. ``memory``: how it touches which spaces; ``last``: it
    stays behind all that stand before it, and before all behind it."""

    reads: frozenset[str]
    writes: frozenset[str]
    memory: Literal["", "ld", "st"] = ""
    spaces: Sequence[str] = ()
    last: bool = False


class _Levels(Struct):
    """The levels so far: of the last write and read of each register, of the last load and store of
    each space; ``floor``: below which nothing may run any more; ``top``: the highest one."""

    written: dict[str, int] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    loaded: dict[str, int] = field(default_factory=dict)
    stored: dict[str, tuple[int, object]] = field(default_factory=dict)
    floor: int = 0
    top: int = -1


def scheduled(statements: Sequence[Statement], plain: Sequence[bool]) -> tuple[Item, ...]:
    """What to do for ``statements``, one item after the other. ``plain``: of each whether it does
    no more than its registers and its operation say."""
    levels = _Levels()
    found: dict[int, dict[object, list[StatementPart]]] = {}
    alone: dict[int, list[int]] = {}
    for number, (one, is_plain) in enumerate(zip(statements, plain, strict=True)):
        parts = _parts(one) if is_plain else ()
        what = parts[0].what if parts else None
        level = _level(levels, _effects(one, parts, is_plain), what)
        if what is None:
            alone.setdefault(level, []).append(number)
        for part in parts:
            found.setdefault(level, {}).setdefault(part.what, []).append(part)
    return tuple(_items(found, alone, levels.top))


def _items(
    found: dict[int, dict[object, list[StatementPart]]], alone: dict[int, list[int]], top: int
) -> Iterable[Item]:
    for level in range(top + 1):
        yield from (Item(alone=number) for number in alone.get(level, ()))
        yield from (Item(tuple(parts)) for parts in found.get(level, {}).values())


def needed(items: Sequence[Item], statements: Sequence[Statement]) -> tuple[str, ...]:
    """The registers that have to have a value before ``statements`` run."""
    together = {part.writes for item in items for part in item.parts} | {
        text for item in items for part in item.parts for text in part.reads
    }
    written: set[str] = set()
    wanted: dict[str, None] = {}
    for one in statements:
        first, *others = one.operands or ("",)
        stores = one.parts[0] in ("st", "red", "cp")
        sources = [*others, one.guard, *([first] if stores else [])]
        names = [name for text in sources for name in REGISTER.findall(text)]
        wanted.update((n, None) for n in names if n not in written and n in together)
        written.update(() if stores else REGISTER.findall(first))
    return tuple(wanted)


def _parts(one: Statement) -> tuple[StatementPart, ...]:
    """What a statement without a guard does as others do it; nothing if it is done alone."""
    if one.guard or len(one.operands) < 2:
        return ()
    if one.parts[0] in ("ld", "ldu", "st"):
        return _accesses(one)
    what = alike(one)
    if what is None:
        return ()
    reads = tuple(text.strip() for text in one.operands[1:])
    return (StatementPart(what, one.name, reads, one.operands[0].strip()),)


def _accesses(one: Statement) -> tuple[StatementPart, ...]:
    space, kind = space_of(one), one.parts[-1]
    size, stores = BYTES.get(kind, 0), one.parts[0] == "st"
    if space not in _SPACES or not 0 < size <= 8 or len(one.operands) != 2:
        return ()
    place, data = one.operands if stores else one.operands[::-1]
    name, offset = address_of(place)
    what = Accesses("st" if stores else "ld", space, size, kind.startswith("s"))
    steps = ((int(offset) + n * size) % (1 << 64) for n in range(len(listed(data))))
    some = zip(listed(data), steps, strict=True)
    if stores:
        return tuple(StatementPart(what, one.name, (name, value), "", at) for value, at in some)
    return tuple(StatementPart(what, one.name, (name,), register, at) for register, at in some)


def _effects(one: Statement, parts: Sequence[StatementPart], is_plain: bool) -> _Effects:
    word = one.parts[0]
    access = is_plain and word in ("ld", "ldu", "st")
    if not is_plain and not parts:
        return _Effects(frozenset(), frozenset(), last=True)
    first, *others = one.operands
    stores = word == "st"
    reads = [*others, one.guard, *([first] if stores or one.guard else [])]
    writes = [] if stores else [first]
    named, made = (
        frozenset(name for text in some for name in REGISTER.findall(text))
        for some in (reads, writes)
    )
    if not access:
        return _Effects(named, made)
    space = space_of(one)
    if space in ("param", "const"):
        return _Effects(frozenset(), frozenset(), last=True)
    return _Effects(named, made, "st" if stores else "ld", (space,) if space else _SPACES)


def _level(levels: _Levels, does: _Effects, what: object) -> int:
    """The level of a statement, which is noted."""
    found = levels.floor
    for name in does.reads:
        found = max(found, levels.written.get(name, -1) + 1)
    for name in does.writes:
        found = max(found, levels.written.get(name, -1) + 1, levels.read.get(name, -1) + 1)
    for space in does.spaces:
        at, kind = levels.stored.get(space, (-1, None))
        same = does.memory == "st" and what is not None and what == kind
        found = max(found, at if same else at + 1)
        if does.memory == "st":
            found = max(found, levels.loaded.get(space, -1) + 1)
    if does.last:
        found = levels.top + 1
        levels.floor = found + 1
    for name in does.reads:
        levels.read[name] = max(found, levels.read.get(name, -1))
    levels.written.update(dict.fromkeys(does.writes, found))
    for space in does.spaces:
        if does.memory == "st":
            levels.stored[space] = found, what
        else:
            levels.loaded[space] = max(found, levels.loaded.get(space, -1))
    levels.top = max(levels.top, found)
    return found
