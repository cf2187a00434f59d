"""Comparisons, and truth tables of predicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from bankwise.read.follow.bitwise import truth_table
from bankwise.read.follow.functions import apply
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Array, Value, constant
from bankwise.read.sass.forms import Form, Meaning, carries, reads
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.integers import COMPARISONS, comparison
from bankwise.read.sass.operands import names, number, predicate, predicate_name, word

BOOLEAN: Mapping[str, Callable[[Array, Array], Array]] = {
    "AND": lambda a, b: a & b,
    "OR": lambda a, b: a | b,
    "XOR": lambda a, b: a ^ b,
}


def compare(f: Form) -> Meaning | None:
    """ISETP.LT.U32.AND P0, P1, a, b, P2: (a < b) & P2 and !(a < b) & P2; .EX: the upper words."""
    words = f.name.split(".")[1:]
    joining = BOOLEAN.get(words[-1 - ("EX" in words)])
    if words[0] not in COMPARISONS or joining is None or len(f.sources) != 2 or len(f.outs) > 2:
        return None
    if set(words[1:]) - {"U32", "EX", *BOOLEAN} or len(f.ins) != 1 + ("EX" in words):
        return None
    is_signed = "U32" not in words
    ordering = comparison(words[0], is_signed)

    def extended(a: Array, b: Array, lower: Array) -> Array:
        return _extended(words[0], is_signed, a, b, lower)

    def both(found: Array, last: Array) -> Array:
        return np.stack(np.broadcast_arrays(joining(found, last), joining(~found, last)))

    def run(state: State) -> tuple[Value, ...]:
        values = [word(state, text) for text in f.sources]
        last, *lower = (predicate(state, text) for text in f.ins)
        found = apply(extended if lower else ordering, *values, *lower)
        told = apply(both, found, last)
        return tuple(apply(lambda t, n=n: t[n], told) for n in range(len(f.outs)))

    return Meaning(carries(f), reads(f), run)


def _extended(name: str, is_signed: bool, x: Array, y: Array, lower: Array) -> Array:
    """Compared by the upper words; where they are equal, as the lower words were."""
    if name == "EQ":
        return np.asarray((x == y) & lower)
    if name == "NE":
        return np.asarray((x != y) | lower)
    strict = comparison(name.replace("E", "T"), is_signed)
    return np.asarray(strict(x, y) | ((x == y) & lower))


def combine(instruction: SassInstruction) -> Meaning | None:
    """PLOP3.LUT P0, P1, a, b, c, table of P0, table of P1."""
    texts = instruction.operands
    if instruction.name.removeprefix("U") != "PLOP3.LUT" or len(texts) != 7:
        return None
    outs, sources = texts[:2], texts[2:5]
    tables = [t for text in texts[5:] if (t := number(text)) is not None]
    if len(tables) != 2 or not all(map(predicate_name, (*outs, *sources))):
        return None

    def run(state: State) -> tuple[Value, ...]:
        values = [predicate(state, text) for text in sources]
        return tuple(_table(values, table) for table in tables)

    found = tuple(dict.fromkeys(name for text in sources for name in names(text)))
    return Meaning(tuple(predicate_name(text) for text in outs), found, run)


def _table(values: list[Value], table: int) -> Value:
    """Known as well where an unknown predicate changes nothing."""
    places = [4, 2, 1]
    for n, value in enumerate(values):
        if not isinstance(value, np.ndarray):
            kept = [r for r in range(8) if not r & places[n]]
            if any((table >> r ^ table >> (r | places[n])) & 1 for r in kept):
                continue
            values = [*values[:n], constant(0, np.bool_), *values[n + 1 :]]
    return apply(lambda *rows: _looked_up(rows, table), *values)


def _looked_up(values: tuple[Array, ...], table: int) -> Array:
    a, b, c = (value.astype(np.uint32) for value in values)
    return truth_table(a, b, c, table) & np.uint32(1) > 0
