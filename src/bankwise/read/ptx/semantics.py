"""What PTX instructions do to registers, as functions of a state; None for those not followed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np
from msgspec.structs import replace

from bankwise.read.follow.choices import conjunction, difference, disjunction
from bankwise.read.follow.functions import Bitwise, LaneSum, apply, choose, operands_of
from bankwise.read.follow.spaces import from_window, in_window, to_window
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Array, Unknown, Value, constant, in_step
from bankwise.read.follow.warp import SHUFFLES, alike, among, ballot, elected, shuffle
from bankwise.read.integers import fit
from bankwise.read.ptx.integers import (
    FUNCTIONS,
    ONLY_SIGNED,
    ONLY_WORDS,
    SIGNED,
    Function,
    comparison,
    convert,
    narrow,
)
from bankwise.read.ptx.operands import value
from bankwise.read.ptx.parse import BYTES, Statement

Meaning = Callable[[State], tuple[Value, ...]]
"""The values of the destinations, in order."""

_TYPE = re.compile(r"[bus](?:8|16|32|64)")
_COUNT = "b32"
"""Counts and positions stay words, whatever the type of what is shifted: no ``wide`` is of bits."""
_BITS = {"and": conjunction, "or": disjunction, "xor": difference}
_FIELDS = ("shr", "bfe")
"""What takes bits of the first operand as the others say."""


def meaning(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    """What ``statement`` writes; None if it is not followed. ``known``: the shared symbols."""
    parts = statement.parts
    if len(statement.operands) < 2 and parts[0] != "activemask":
        return None
    if parts[0] == "elect":
        return lambda state: elected(state, statement.line)
    if parts[0] in ("vote", "activemask"):
        return _vote(statement, known)
    if parts[0] == "match":
        return _match(statement, known)
    if parts[0] == "isspacep":
        return _space(statement, known)
    if parts[-1] == "pred":
        return _predicate(statement, known)
    if parts[0] == "mov" and any("{" in text for text in statement.operands):
        return _pack(statement, known)
    if parts[0] == "setp":
        return _compare(statement, known)
    if parts[0] == "selp":
        return _select(statement, known)
    if parts[0] == "shfl":
        return _shuffle(statement, known)
    if parts[0] in ("cvt", "cvta"):
        return _convert(statement, known)
    if not _TYPE.fullmatch(parts[-1]):
        return None
    return _integer(statement, known)


def _sources(statement: Statement, known: Mapping[str, int], state: State) -> tuple[Value, ...]:
    return tuple(value(state, text, known) for text in statement.operands[1:])


def _integer(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    """One result from a table. ``mul.wide`` has twice the width of its operands."""
    *words, kind = statement.parts
    wide = "wide" in words
    name = ".".join("lo" if word == "wide" else word for word in words)
    is_signed = kind[0] == "s"
    function = (SIGNED.get(name) if is_signed else None) or FUNCTIONS.get(name)
    bits = 8 * BYTES[kind]
    if (
        function is None
        or operands_of(function) != len(statement.operands) - 1
        or (bits != 32 and words[0] in ONLY_WORDS)
        or (bits > 32 and wide)
        or (words[0] in ONLY_SIGNED and not is_signed)
    ):
        return None
    kinds = _kinds(words[0], kind, wide, len(statement.operands) - 1)
    out = f"{kind[0]}{2 * bits if wide else bits}"
    typed = _typed(function, kinds, out)
    if words[0] in _BITS and bits == 32:
        bitwise = Bitwise(typed)
        return lambda state: (
            apply(bitwise, *(_word(one, kind) for one in _sources(statement, known, state))),
        )

    taking = Bitwise(typed, of=(0,)) if words[0] in _FIELDS and bits == 32 else typed

    def run(state: State) -> tuple[Value, ...]:
        return (apply(taking, *_sources(statement, known, state)),)

    return run


def _kinds(word: str, kind: str, wide: bool, count: int) -> list[str]:
    """The type of each source."""
    kinds = [kind] * count
    for at in {"shl": (1,), "shr": (1,), "bfe": (1, 2), "bfi": (2, 3)}.get(word, ()):
        if at < count:
            kinds[at] = _COUNT
    if wide and count == 3:
        kinds[2] = f"{kind[0]}{2 * int(kind[1:])}"
    return kinds


def _typed(function: Function, kinds: list[str], out: str) -> Function:
    """``function`` of sources of these types, extended where its result is wider."""
    bits = int(out[1:])

    def run(*values: Array) -> Array:
        typed = [
            narrow(v, k) if k in (out, _COUNT) or int(k[1:]) == bits else convert(v, k, out)
            for v, k in zip(values, kinds, strict=True)
        ]
        return narrow(function(*typed, bits=bits), out)

    return of_words(run, function, *kinds, out)


def of_words(run: Function, function: Function, *kinds: str) -> Function:
    """``run`` as the sum that ``function`` is, where no type is narrower than a word."""
    words = all(BYTES[kind] >= 4 for kind in kinds)
    return replace(function, function=run) if isinstance(function, LaneSum) and words else run


def _compare(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    """setp: one predicate, or two ("p|q", the second negated), joined with a third operand."""
    parts = statement.parts
    kind = parts[-1]
    if not _TYPE.fullmatch(kind):
        return None
    function = comparison(parts[1], kind)
    if function is None:
        return None
    if len(parts) not in (3, 4) or len(statement.operands) != len(parts):
        return None
    join = _BITS.get(parts[2]) if len(parts) == 4 else None
    if len(parts) == 4 and join is None:
        return None

    def run(state: State) -> tuple[Value, ...]:
        first, second, *_ = _sources(statement, known, state)
        # A plain number is one of 64 bits, of which a comparison of words asks the lower half.
        found = apply(function, *(_word(one, kind) for one in (first, second)))
        both = (found, apply(lambda p: ~p, found))
        if join is not None:
            third = _boolean(state, statement.operands[3], known)
            both = (join(both[0], third), join(both[1], third))
        return both

    return run


def _word(one: Value, kind: str) -> Value:
    """An operand as the type of an instruction has it; what is unknown is that already."""
    return one if isinstance(one, Unknown) else narrow(one, kind)


def _boolean(state: State, text: str, known: Mapping[str, int]) -> Value:
    found = value(state, text.lstrip("!"), known)
    return apply(lambda p: p.astype(np.bool_) != text.startswith("!"), found)


def _predicate(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    word, texts = statement.parts[0], statement.operands[1:]
    if word in ("mov", "not") and len(texts) != 1:
        return None
    if word == "mov":
        return lambda state: (_boolean(state, texts[0], known),)
    if word == "not":
        return lambda state: (apply(lambda p: ~p, _boolean(state, texts[0], known)),)
    function = _BITS.get(word)
    if function is None or len(texts) != 2:
        return None
    return lambda state: (function(*(_boolean(state, text, known) for text in texts)),)


def _select(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    kind = statement.parts[-1]
    if kind not in BYTES or len(statement.operands) != 4:
        return None
    bits = 8 * BYTES[kind]
    cut = of_words(lambda x: fit(x, bits), LaneSum(fit), kind)

    def run(state: State) -> tuple[Value, ...]:
        yes, no, _ = _sources(statement, known, state)
        chosen = _boolean(state, statement.operands[3], known)
        if not isinstance(chosen, Unknown):
            here = np.broadcast_to(chosen, state.active.shape)[state.active]
            if here.all() or not here.any():
                return (apply(cut, yes if here.all() else no),)
        pick = apply(lambda x, y, c: fit(choose(c, x, y), bits), yes, no, chosen)
        if isinstance(chosen, Unknown) and isinstance(pick, Unknown) and bits >= 32:
            return (in_step(pick, (yes, no)) if chosen.uniform else pick,)
        return (pick,)

    return run


def _convert(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    """cvt between integers; cvta, between addresses of a space and generic ones."""
    parts = statement.parts
    if len(statement.operands) != 2:
        return None
    kinds = [p for p in parts[1:] if _TYPE.fullmatch(p)]
    if parts[0] == "cvta":
        return _change_space(statement, known)
    if len(kinds) != 2 or len(parts) != 3:
        return None
    to, of = kinds
    converted = of_words(lambda x: convert(x, of, to), LaneSum(convert), *kinds)

    def run(state: State) -> tuple[Value, ...]:
        (found,) = _sources(statement, known, state)
        return (apply(converted, found),)

    return run


def _change_space(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    """cvta: only shared memory has a window of its own here. Of 32 bits it is not followed."""
    parts = statement.parts
    if parts[-1] != "u64":
        return None
    function: Function = LaneSum(lambda x: fit(x, 64))
    if "shared" in parts[:3]:
        function = from_window if "to" in parts else to_window
    return lambda state: (apply(function, *_sources(statement, known, state)),)


def _space(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    if "shared" not in statement.parts or len(statement.operands) != 2:
        return None
    return lambda state: (apply(in_window, *_sources(statement, known, state)),)


def _pack(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    """mov between one register and a vector of narrower ones."""
    to, source = statement.operands[:2]
    bits = 8 * BYTES.get(statement.parts[-1], 0)
    if len(statement.operands) != 2 or not 0 < bits <= 64:
        return None
    if "{" in to:
        count = len(to.split(","))
        piece = bits // count
        width = np.full((1, 1), piece)

        def unpack(state: State) -> tuple[Value, ...]:
            whole = value(state, source, known)
            return tuple(
                apply(_field, whole, np.full((1, 1), n * piece, np.uint64), width)
                for n in range(count)
            )

        return unpack if count > 1 else None
    names = [text.strip() for text in source.strip("{} ").split(",")]
    piece = bits // len(names)

    def pack(state: State) -> tuple[Value, ...]:
        values = tuple(value(state, name, known) for name in names)
        return (apply(lambda *parts: _concatenated(parts, piece, bits), *values),)

    return pack


def _field(whole: Array, start: Array, width: Array) -> Array:
    return fit(np.right_shift(whole.astype(np.uint64), start), int(width.flat[0]))


def _concatenated(parts: tuple[Array, ...], piece: int, bits: int) -> Array:
    out = np.zeros((1, 1), np.uint64)
    for n, part in enumerate(parts):
        out = out | (part.astype(np.uint64) << np.uint64(n * piece))
    return fit(out, bits)


def _shuffle(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    """shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, mask: the value of another lane; whether it is."""
    mode = next((p for p in statement.parts if p in SHUFFLES), None)
    if mode is None or len(statement.operands) != 5 or statement.parts[-1] != "b32":
        return None

    def run(state: State) -> tuple[Value, ...]:
        found, count, part, _ = _sources(statement, known, state)
        return shuffle(state, mode, found, count, part, statement.line)

    return run


def _vote(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    """vote.sync.ballot.b32, .any.pred, .all.pred; activemask.b32."""
    parts, line = statement.parts, statement.line
    if parts[0] == "activemask":
        return lambda state: (ballot(state, constant(1, np.bool_), line),)
    mode = next((p for p in parts if p in ("ballot", "any", "all")), None)
    if mode is None or len(statement.operands) != 3:
        return None

    def run(state: State) -> tuple[Value, ...]:
        members = value(state, statement.operands[2], known)
        found = ballot(state, _boolean(state, statement.operands[1], known), line)
        found = among(state, found, members)
        if mode == "ballot":
            return (found,)
        every = among(state, ballot(state, constant(1, np.bool_), line), members)
        return (apply(lambda x, y: x == y if mode == "all" else x != 0, found, every),)

    return run


def _match(statement: Statement, known: Mapping[str, int]) -> Meaning | None:
    """match.any.sync.b32, .b64: the lanes that hold the same."""
    if statement.parts[1] != "any" or len(statement.operands) != 3:
        return None
    bits = 8 * BYTES.get(statement.parts[-1], 4)

    def run(state: State) -> tuple[Value, ...]:
        found = apply(lambda x: fit(x, bits), value(state, statement.operands[1], known))
        members = value(state, statement.operands[2], known)
        return (among(state, alike(state, found, statement.line), members),)

    return run
