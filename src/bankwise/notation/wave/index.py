"""Wave's index sequences: who holds which element of a register tile.

A register tile is one ``start : size : stride`` for every dimension, the start an expression of
the thread ids: ``{M : $T0 % 16 : 1 : 1, K : 4*(($T0 // 16) % 4) : 4 : 1}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import prod

import numpy as np
from msgspec import Struct

from bankwise.algebra import expression
from bankwise.counting.access import IntArray
from bankwise.errors import InputError
from bankwise.notation.reader import Cursor, placed
from bankwise.notation.values import DistributionTable, limit

_SEQUENCE = "{M : $T0 % 16 : 1 : 1, K : 4*($T0 // 16) : 4 : 1}"
_SIDES = (("size", 1), ("stride", 0))
_FUNCTIONS = ("Mod", "floor", "min", "max")


class Sequence(Struct, frozen=True):
    """One dimension of a register tile: ``start`` is the expression as written."""

    name: str
    start: str
    size: int = 1
    stride: int = 1

    def __str__(self) -> str:
        return f"{self.name} : {self.start} : {self.size} : {self.stride}"


class IndexMapping(Struct, frozen=True):
    """An index of a register tile: one sequence for every dimension. ``str`` is Wave's notation."""

    sequences: tuple[Sequence, ...]

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self.sequences)) + "}"


def parse_index(text: str, file: str = "wave") -> IndexMapping:
    """Read ``{M : start : size : stride, ...}``; the braces and the stride may be left out."""
    cursor = Cursor(text, file, comments=False)
    braces = cursor.accept("{")
    found: list[Sequence] = []
    while not found or cursor.accept(","):
        token = cursor.name(_SEQUENCE)
        if any(token.text == s.name for s in found):
            raise cursor.error(f"dimension {token.text} is given twice", _SEQUENCE, token)
        found.append(_sequence(cursor, token.text))
    if braces:
        cursor.expect("}", _SEQUENCE)
    cursor.finish(_SEQUENCE)
    return IndexMapping(tuple(found))


def distribution(
    index: IndexMapping,
    shape: tuple[int, ...],
    *,
    workgroup: tuple[int, int, int],
    lanes: int = 64,
    symbols: Mapping[str, int] | None = None,
) -> DistributionTable:
    """Who holds which element of a tile of ``shape``, dimensions in the order of the index.

    ``$T0 $T1 $T2`` are the thread ids of ``workgroup``, x fastest; ``$WG0`` and the like are 0
    unless ``symbols`` says otherwise. Raises :class:`InputError` for a name without a value, and
    for a start outside the tile.
    """
    threads = prod(workgroup)
    if threads % lanes or len(index.sequences) != len(shape):
        raise InputError(
            f"a workgroup of {workgroup} in waves of {lanes}, {len(index.sequences)} sequences "
            f"for a tile {shape}",
            hint="whole waves, and one sequence for every dimension",
        )
    limit(f"{index} for {threads} threads", threads * prod(s.size for s in index.sequences))
    ids = np.arange(threads)
    x, y, _ = workgroup
    values = {"_T0": ids % x, "_T1": ids // x % y, "_T2": ids // (x * y)}
    values |= {f"_WG{i}": np.zeros_like(ids) for i in range(3)}
    values |= {_identifier(n): np.full_like(ids, v) for n, v in (symbols or {}).items()}
    steps = np.indices([s.size for s in index.sequences]).reshape(len(shape), -1)
    axes = [
        _start(sequence, values)[:, None] + sequence.stride * step
        for sequence, step in zip(index.sequences, steps, strict=True)
    ]
    held = np.stack(axes, axis=-1)
    if (held < 0).any() or (held >= shape).any():
        raise InputError(f"{index} leaves the tile {shape}: from {held.min()} to {held.max()}")
    return DistributionTable(shape, held.reshape(-1, lanes, *held.shape[1:]))


def _sequence(cursor: Cursor, name: str) -> Sequence:
    cursor.expect(":", _SEQUENCE)
    words: list[str] = []
    depth = 0
    here = cursor.token
    while cursor.token.kind != "end" and (depth or cursor.token.text not in (":", ",", "}")):
        depth += {"(": 1, ")": -1}.get(cursor.token.text, 0)
        words.append(cursor.next().text)
    start = " ".join(words)
    placed(cursor, here, lambda: _parsed(start))
    sides = []
    for what, least in _SIDES:
        number = 1
        if cursor.accept(":"):
            number = cursor.number(_SEQUENCE)
        if not least <= number <= 1 << 20:
            raise cursor.error(f"a {what} of {number}", _SEQUENCE)
        sides.append(number)
    return Sequence(name, start, *sides)


def _start(sequence: Sequence, values: Mapping[str, IntArray]) -> IntArray:
    parsed = _parsed(sequence.start)
    missing = [name for name in parsed.variables if name not in values]
    if missing:
        name = missing[0].replace("_", "$", 1) if missing[0].startswith("_") else missing[0]
        raise InputError(
            f"{sequence.name}: no value for {name} in {sequence.start!r}",
            hint="give it as a symbol",
        )
    return parsed(**{name: values[name] for name in {"_T0", *parsed.variables}})


def _parsed(text: str) -> expression.Expression:
    """Sympy as Wave prints it: ``floor(a/b)`` is a quotient, ``Mod(a, b)`` a remainder."""
    words = [_identifier(word) for word in text.split(" ")]
    names = [w for w in words if re.fullmatch(r"[A-Za-z_]\w*", w) and w not in _FUNCTIONS]
    return expression.parse(_without_mod(words), list(dict.fromkeys(names)))


def _identifier(name: str) -> str:
    return name.replace("$", "_")


def _without_mod(words: list[str]) -> str:
    """``Mod ( a , b )`` as ``( ( a ) % ( b ) )``; ``floor ( a )`` as ``( a )``."""
    out: list[str] = []
    opened: list[bool] = []
    for i, word in enumerate(words):
        after = words[i - 1] if i else ""
        if word == "(":
            opened.append(after == "Mod")
            out.append("((" if after == "Mod" else "(")
        elif word == ")" and opened:
            out.append("))" if opened.pop() else ")")
        elif word == "," and opened and opened[-1]:
            out.append(") % (")
        elif word not in ("Mod", "floor"):
            out.append(word)
    return " ".join(out)
