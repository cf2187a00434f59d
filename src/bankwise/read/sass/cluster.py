"""What may hold the rank of a block in its cluster, of which nothing is known.

From sm_90 on an address of shared memory has the rank above bit 23. A block's own bytes are counted
from zero, whatever its rank, so that the rank stands as 0 where it is put there, and nowhere else:

    S2UR UR5, SR_CgaCtaId
    ULEA UR4, UR5, UR4, 0x18            own: UR4
    ISETP.NE.AND P0, PT, R5, RZ, PT     unknown
    PRMT R4, R7, 0x654, R2              mapa: byte R2 of the block of rank R7

Source: what ptxas 13.0 makes of shared variables, %cluster_ctarank and mapa.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bankwise.read.follow.values import Unknown
from bankwise.read.follow.ways import facts_before
from bankwise.read.sass.calls import InlinedSass
from bankwise.read.sass.effects import results
from bankwise.read.sass.forms import form
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import names, number, predicate_name

RANK = Unknown("the block's rank in its cluster", uniform=True)
RANK_BIT = 24
"""From which on an address has the rank."""

_REGISTER = "SR_CgaCtaId"
_COPIES = ("MOV", "UMOV", "R2UR", "IMAD.MOV.U32")
_ANY = "*"
_BUT = " but "
Holders = Mapping[str, str]
"""Registers that may hold the rank, and under which guard it was written to them; ``@!P0 but @P2``
where something else was written under another guard since."""


def holders(code: InlinedSass) -> Mapping[int, Holders]:
    """What may hold the rank before each instruction, by number."""
    if not any(_REGISTER in one.operands for one in code.instructions):
        return {}

    def change(n: int, facts: dict[str, str]) -> None:
        _move(code.instructions[n], facts)

    return facts_before(code.ways(), change, lambda a, b: a if a == b else _ANY)


def asks_rank(one: SassInstruction, reads: tuple[str, ...], held: Holders) -> bool:
    """Whether a result may be made of the rank in another way than an own address is."""
    if not _any_holds(reads, held, one.guard) or _copies(one):
        return False
    sources = form(one).sources
    own = one.name in ("LEA", "ULEA") and number(sources[-1]) == RANK_BIT
    return not own or _any_holds(names(sources[1]), held, one.guard)


def _any_holds(registers: Iterable[str], held: Holders, guard: str) -> bool:
    """Whether one of them may hold the rank where ``guard`` does."""
    states = (held[name].partition(_BUT)[2] for name in registers if name in held)
    return any(not guard or cleared != guard for cleared in states)


def _copies(one: SassInstruction) -> bool:
    """``IMAD.U32 R3, RZ, RZ, UR13`` is a move, too."""
    plain = one.name == "IMAD.U32" and one.operands[1:3] == ("RZ", "RZ")
    return plain or one.name in _COPIES


def _move(one: SassInstruction, facts: dict[str, str]) -> None:
    """What an instruction writes holds the rank, or no longer; under a guard, where it wrote it."""
    sources = [name for text in one.operands[1:] for name in names(text)]
    copied = _copies(one) and _any_holds(sources, facts, one.guard)
    for name in results(one):
        before = facts.get(name, one.guard).partition(_BUT)[0]
        if predicate_name(name):
            facts.update({at: _ANY for at, guard in facts.items() if name in guard})
        elif copied or _REGISTER in one.operands:
            facts[name] = one.guard if before == one.guard else _ANY
        elif not one.guard or before == one.guard:
            facts.pop(name, None)
        else:
            facts[name] = f"{before}{_BUT}{one.guard}"
