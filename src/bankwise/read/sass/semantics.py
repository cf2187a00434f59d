"""What SASS instructions do to registers, as functions of a state; None for those not followed.

The uniform forms (UIADD3, ULEA, ...) do the same to UR and UP registers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

import numpy as np
from msgspec.structs import replace

from bankwise.read import bits
from bankwise.read.follow.bitwise import truth_table
from bankwise.read.follow.functions import Bitwise, LaneSum, apply, choose, operands_of
from bankwise.read.follow.state import State
from bankwise.read.follow.units import other_block
from bankwise.read.follow.values import Array, Unknown, Value, constant, either
from bankwise.read.integers import halves
from bankwise.read.sass import integers
from bankwise.read.sass.cluster import RANK_BIT
from bankwise.read.sass.forms import Form, Meaning, carries, form, one_word, reads
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.integers import UNARY
from bankwise.read.sass.operands import following, number, pair, predicate, word
from bankwise.read.sass.predicates import BOOLEAN, combine, compare
from bankwise.read.sass.sums import add, multiply, scaled

_MAPA = 0x654
"""The bytes that PRMT picks of an address and a rank."""

Handler = Callable[[Form], Meaning | None]


def meaning(instruction: SassInstruction) -> Meaning | None:
    """What ``instruction`` writes; None if it is not followed."""
    word_, _, rest = instruction.name.partition(".")
    base = word_[1:] if word_[0] == "U" and word_[1:] in _HANDLERS else word_
    handler = _WIDE.get(f"{base}.{rest}") or _HANDLERS.get(base)
    if base == "PLOP3":
        return combine(instruction)
    if handler is None:
        return None
    found = form(instruction)
    name = f"{base}.{rest}" if rest else base
    return handler(Form(name, found.target, found.outs, found.sources, found.ins))


def _unary(f: Form) -> Meaning | None:
    function = UNARY.get(f.name)
    if function is None or len(f.sources) != 1 or f.outs or f.ins:
        return None
    return one_word(f, function, 1)


def _logic(f: Form) -> Meaning | None:
    """LOP3.LUT: a truth table of three words; its predicate: whether a bit is set, or the last."""
    if f.name not in ("LOP3.LUT", "LOP3.LUT.PAND") or len(f.sources) != 4 or len(f.outs) > 1:
        return None
    table = number(f.sources[3])
    if table is None:
        return None

    looked_up = Bitwise(lambda a, b, c: truth_table(a, b, c, table))

    def run(state: State) -> tuple[Value, ...]:
        values = [word(state, text) for text in f.sources[:3]]
        found = apply(looked_up, *values)
        result = (found,) if following(f.target, 1) else ()
        if not f.outs:
            return result
        join_ = BOOLEAN["AND" if f.name.endswith("PAND") else "OR"]
        last = predicate(state, f.ins[0]) if f.ins else constant(0, np.bool_)
        return (*result, apply(lambda x, p: join_(x != 0, p), found, last))

    return Meaning((*following(f.target, 1), *carries(f)), reads(f), run)


def _shift(f: Form) -> Meaning | None:
    """SHF.R.U32.HI R7, RZ, 0x3, R0: of the 64 bits R0:RZ, shifted, the upper word."""
    words = f.name.split(".")[1:]
    kind = next((w for w in words if w in ("U32", "S32", "U64", "S64")), None)
    if kind is None or words[0] not in ("L", "R") or len(f.sources) != 3 or f.outs or f.ins:
        return None

    def run(lo: Array, count: Array, hi: Array) -> Array:
        moved = integers.shift_pair(
            lo, count, hi, left=words[0] == "L", is_signed=kind[0] == "S",
            wrap="W" in words, bits=int(kind[1:]),
        )  # fmt: skip
        return halves(moved)["HI" in words]

    low = words[0] == "L" and "HI" not in words
    return one_word(f, LaneSum(run, (0, 1), (1,)) if low else Bitwise(run, of=(0, 2)), 3)


def _bits(f: Form) -> Meaning | None:
    """BMSK, SGXT, PRMT."""
    functions: Mapping[str, tuple[Callable[..., Array], int]] = {
        "BMSK": (integers.mask, 2),
        "SGXT": (bits.sign_extend, 2),
        "SGXT.U32": (bits.zero_extend, 2),
        "PRMT": (lambda a, selector, c: bits.permute_bytes(a, c, selector), 3),
    }
    function, count = functions.get(f.name, (None, 0))
    if function is None or len(f.sources) != count or f.outs or f.ins:
        return None
    if f.name == "PRMT" and number(f.sources[1]) == _MAPA:
        return _mapped(f, function)
    return one_word(f, function, count)


def _mapped(f: Form, function: Callable[..., Array]) -> Meaning:
    """PRMT R4, R7, 0x654, R2: mapa, where R2 is a byte of shared memory."""
    plain = one_word(f, function, 3)

    def run(state: State) -> tuple[Value, ...]:
        of = word(state, f.sources[2])
        if isinstance(of, Unknown) or (of >> np.uint32(RANK_BIT)).any():
            return plain.run(state)
        return (other_block(of),)

    return replace(plain, run=run)


def _select(f: Form) -> Meaning | None:
    """SEL: a where the predicate holds, else b."""
    plain = f.name == "SEL" or all(text[:1] in ("R", "U") for text in f.sources)
    if f.name not in ("SEL", "FSEL") or len(f.sources) != 2 or len(f.ins) != 1 or not plain:
        return None
    plain_ = one_word(f, lambda a, b, p: choose(p, a, b), 2)

    def run(state: State) -> tuple[Value, ...]:
        chosen = predicate(state, f.ins[0])
        if not isinstance(chosen, Unknown):
            return plain_.run(state)
        return (either(chosen, *(word(state, text) for text in f.sources)),)

    return replace(plain_, run=run)


def _smaller(f: Form) -> Meaning | None:
    """VIMNMX, IMNMX: the smaller where the predicate holds, else the larger; VIMNMX3: of three;
    VIADDMNMX: of a + b and c."""
    words = f.name.split(".")
    count = 3 if words[0] in ("VIADDMNMX", "VIMNMX3") else 2
    is_signed = "U32" not in words
    if set(words[1:]) - {"U32"} or len(f.sources) != count or len(f.ins) != 1 or f.outs:
        return None
    pick = integers.pick
    if words[0] == "VIMNMX3":
        return one_word(f, lambda a, b, c, p: pick(pick(a, b, p, is_signed), c, p, is_signed), 3)
    if words[0] == "VIADDMNMX":
        return one_word(f, lambda a, b, c, p: integers.pick(a + b, c, p, is_signed), 3)
    return one_word(f, lambda a, b, p: integers.pick(a, b, p, is_signed), 2)


_HIGHEST_SET = re.compile(r"0x[89a-f][0-9a-f]{7}")


def _wide(function: Callable[..., Array], count: int) -> Handler:
    """MOV.64, IADD.64, SEL.64: two registers from ``count`` pairs, and a predicate. A constant of
    32 bits with the highest one set is refused: whether it is widened with its sign is not known.
    """

    def handler(f: Form) -> Meaning | None:
        asked = operands_of(function) - count
        if len(f.sources) != count or len(f.ins) != asked or f.outs:
            return None
        if any(_HIGHEST_SET.fullmatch(text) for text in f.sources):
            return None

        def run(state: State) -> tuple[Value, ...]:
            values = [pair(state, text) for text in f.sources]
            found = apply(function, *values, *(predicate(state, text) for text in f.ins))
            return tuple(apply(lambda x, n=n: halves(x)[n], found) for n in (0, 1))

        writes = following(f.target, 2)
        return Meaning(writes, reads(f, f.sources), run) if writes else None

    return handler


_WIDE: Mapping[str, Handler] = {
    "MOV.64": _wide(lambda a: a, 1),
    "IADD.64": _wide(lambda a, b: a + b, 2),
    "IADD3.64": _wide(lambda a, b, c: a + b + c, 3),
    "SEL.64": _wide(lambda a, b, p: choose(p, a, b), 2),
}

_HANDLERS: Mapping[str, Handler] = {
    **{name.split(".")[0]: _unary for name in UNARY},
    "IADD3": add,
    "IADD": add,
    "VIADD": add,
    "IMAD": multiply,
    "LEA": scaled,
    "LOP3": _logic,
    "SHF": _shift,
    "BMSK": _bits,
    "SGXT": _bits,
    "PRMT": _bits,
    "SEL": _select,
    "FSEL": _select,
    "VIMNMX": _smaller,
    "VIMNMX3": _smaller,
    "IMNMX": _smaller,
    "VIADDMNMX": _smaller,
    "ISETP": compare,
    "PLOP3": lambda form: None,
}
