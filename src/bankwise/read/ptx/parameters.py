"""Parameters and results of calls: st.param and ld.param, as moves between registers; pointers into
the parameters of the kernel itself.

    mov.b64 %rd1, k_param_0            a parameter of many bytes is read through pointers
    add.s64 %rd2, %rd1, 640
    ld.param.u32 %r1, [%rd2+768]       k_param_0+1408
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from bankwise.identity import ByIdentity
from bankwise.read.follow.functions import LaneSum, apply
from bankwise.read.follow.state import read
from bankwise.read.integers import fit
from bankwise.read.ptx.operands import address, integer, registers, value
from bankwise.read.ptx.parse import BYTES, PtxKernel, Statement
from bankwise.read.ptx.semantics import Meaning, of_words

ParameterPointers = Mapping[str, tuple[str, int]]
"""Registers that point into a parameter: its name, and how many bytes behind its start."""


def parameter_pointers(kernel: PtxKernel) -> ParameterPointers:
    """The registers that are written once, with the address of a parameter, or a constant more."""
    size = {"mov": 2, "add": 3}
    made = [s for s in kernel.statements if size.get(s.parts[0]) == len(s.operands)]
    places = [one.operands[0] for one in kernel.statements if one.operands]
    written = Counter(name for text in places if "[" not in text for name in registers(text))
    found: dict[str, tuple[str, int]] = {name: (name, 0) for name, _ in kernel.parameters}
    for one in made:
        target, source = one.operands[0], found.get(one.operands[1])
        more = integer(one.operands[2]) if one.parts[0] == "add" else 0
        if source is not None and more is not None and written[target] == 1 and not one.guard:
            found[target] = (source[0], source[1] + _signed(more))
    return found


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


class Passed(ByIdentity, frozen=True, eq=False):
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
    name = at.registers[0]
    if name.startswith("%") or name in (known for known, _ in kernel.parameters):
        return None
    place = f"{name}+{at.offset_bytes}.{BYTES[kind]}"
    bits = 8 * BYTES[kind]
    if stores:
        cut = of_words(lambda x: fit(x, bits), LaneSum(fit), kind)
        held: Meaning = lambda state: (apply(cut, value(state, other, {})),)  # noqa: E731 - one of two
        return Passed((place,), registers(other), held)
    return Passed(registers(other), (place,), lambda state: (read(state, place),))
