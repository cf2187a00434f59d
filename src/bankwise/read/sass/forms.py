"""An instruction's operands by their part, and what it does with them.

Operands stand in this order: predicates and the register that it writes, predicates that it writes
too (carries), sources, predicates that it reads.

    IADD3 R2, P0, R2, R4, RZ           LOP3.LUT P1, R4, R4, 0x3, RZ, 0xc0, !PT
    ISETP.GE.U32.AND P0, PT, R2, 0x3, PT            IMAD.WIDE R4, R2, 0x4, R4    (R4 and R5)
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from bankwise.identity import ByIdentity
from bankwise.read.follow.functions import apply
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Array, Value
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import following, names, predicate, predicate_name, word


class Form(Struct, frozen=True):
    """An instruction's operands by their part. ``target``: the register written, empty if none."""

    name: str
    target: str
    outs: tuple[str, ...]
    sources: tuple[str, ...]
    ins: tuple[str, ...]


class Meaning(ByIdentity, frozen=True, eq=False):
    """``run`` gives the values of ``writes``, in order, from what ``reads`` hold; ``asks``, ``own``
    as of a step."""

    writes: tuple[str, ...]
    reads: tuple[str, ...]
    run: Callable[[State], tuple[Value, ...]]
    asks: tuple[str, ...] | None = None
    own: bool = False


def form(instruction: SassInstruction) -> Form:
    """Sort the operands. An instruction that writes predicates alone has no target."""
    rest = list(instruction.operands)
    outs = _leading(rest)
    alone = instruction.parts[0].endswith(("SETP", "PLOP3"))
    target = rest.pop(0) if rest and not alone else ""
    outs += _leading(rest) if not alone else []
    at = next((n for n, text in enumerate(rest) if predicate_name(text)), len(rest))
    return Form(instruction.name, target, tuple(outs), tuple(rest[:at]), tuple(rest[at:]))


def _leading(rest: list[str]) -> list[str]:
    found = []
    while rest and predicate_name(rest[0]):
        found.append(rest.pop(0))
    return found


def one_word(f: Form, function: Callable[..., Array], count: int) -> Meaning:
    """One word from ``count`` words and the predicates read."""
    sources = f.sources[:count]

    def run(state: State) -> tuple[Value, ...]:
        values = [word(state, text) for text in sources]
        values += [predicate(state, text) for text in f.ins]
        return (apply(function, *values),)

    return Meaning(following(f.target, 1), reads(f), run)


def reads(f: Form, pairs: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Registers and predicates in the sources; of ``pairs`` the second register too."""
    found = [name for text in (*f.sources, *f.ins) for name in names(text)]
    found += [second for text in pairs for name in names(text) for second in following(name, 2)]
    return tuple(dict.fromkeys(found))


def carries(f: Form) -> tuple[str, ...]:
    """The carries written, without those thrown away."""
    return tuple(predicate_name(text) for text in f.outs)
