"""Parameters and results of calls: st.param and ld.param, as moves between registers."""

from __future__ import annotations

from dataclasses import dataclass

from bankwise.read.follow.state import read
from bankwise.read.follow.values import apply
from bankwise.read.integers import fit
from bankwise.read.ptx.operands import address, registers, value
from bankwise.read.ptx.parse import BYTES, PtxKernel, Statement
from bankwise.read.ptx.semantics import Meaning


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """A move of one value into a parameter, or out of one."""

    writes: tuple[str, ...]
    reads: tuple[str, ...]
    run: Meaning


def passed(statement: Statement, kernel: PtxKernel) -> Passed | None:
    """What a statement moves between a register and a parameter of a call; None if it does not, or
    moves several values."""
    kind = statement.parts[-1]
    if not statement.name.startswith(("st.param", "ld.param")) or len(statement.operands) != 2:
        return None
    stores = statement.parts[0] == "st"
    at = address(statement.operands[0 if stores else 1])
    other = statement.operands[1 if stores else 0]
    if at is None or kind not in BYTES or "{" in other:
        return None
    if at.registers[0] in (name for name, _ in kernel.parameters):
        return None
    place = f"{at.registers[0]}+{at.offset_bytes}.{BYTES[kind]}"
    bits = 8 * BYTES[kind]
    if stores:
        run: Meaning = lambda state: (apply(lambda x: fit(x, bits), value(state, other, {})),)  # noqa: E731 - one of two
        return Passed((place,), registers(other), run)
    return Passed(registers(other), (place,), lambda state: (read(state, place),))
