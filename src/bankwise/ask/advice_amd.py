"""AMD assembly: a fold as the instructions to splice, before which lines, on which registers.

    v_lshrrev_b32 vT, 5, v12
    v_and_b32 vT, 0x70, vT
    v_xor_b32 vT, v12, vT          and the access takes vT for v12

A register is called free only where that is sure whatever runs: no instruction of the kernel names
it, none names registers by an index, none calls. Which registers are dead between two uses of the
same name is not worked out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bankwise.algebra.address_fold import AddressFold
from bankwise.read.amd.operands import operand
from bankwise.read.amd.parse import AmdInstruction, AmdKernel, kernels
from bankwise.read.amd.shared import touch
from bankwise.read.buffers import EmittedBuffer
from bankwise.read.follow.decoded import DecodedAccess
from bankwise.regex import regex

_BY_INDEX = regex(r"v_movrel|v_swaprel|s_set_gpr_idx|s_(?:swappc|setpc|call)")
_SHOWN = 6
"""Lines of one register that are named."""


def splice(
    text: str, name: str, target: str, buffer: EmittedBuffer, fold: AddressFold
) -> tuple[str, tuple[str, ...]] | None:
    """The instructions that fold a buffer, lines of a kernel's text, and where they go and on which
    registers; None where its addresses are not a register and a constant."""
    kernel = next((one for one in kernels(text, only=name) if one.name.strip('"') == name), None)
    if kernel is None or any(start % fold.block for start, _ in buffer.parts):
        return None
    lines = {use.access.access.location.line for use in buffer.uses}
    found = _addresses([one for one in kernel.operations if one.line in lines], fold)
    if found is None:
        return None
    registers, sums = found
    said = tuple(_instructions(fold, sums, target))
    made = sorted(set(re.findall(r"v[TUW]", " ".join(said))))
    where = "; ".join(_named(name, places) for name, places in registers.items())
    offset = " and no offset (OFFSET: its own)" if sums else ""
    return "\n".join(said), (
        f"each access then takes vT{offset}",
        f"vA is {where}",
        f"{', '.join(made)}: {_free(kernel, len(made))}",
    )


Places = dict[str, list[int]]
"""Lines, by the register of the address."""


def _addresses(
    operations: Sequence[AmdInstruction], fold: AddressFold
) -> tuple[Places, bool] | None:
    """The registers, and whether the constant of some access has to be added first. None where an
    address is no vector register and a constant, or an access has two."""
    found: Places = {}
    sums = False
    for op in operations:
        at = touch(op)
        if not isinstance(at, DecodedAccess) or len(at.address.registers) != 1:
            return None
        if at.apart_bytes is not None:
            return None
        sums |= bool(at.address.offset_bytes % fold.reach)
        found.setdefault(at.address.registers[0], []).append(op.line)
    return found, sums


def _instructions(fold: AddressFold, sums: bool, target: str) -> Iterator[str]:
    """One fold of ``vA``, or of the sum of it and a constant."""
    base = "vU" if sums else "vA"
    if sums:
        add = "v_add_u32" if target.startswith("gfx9") else "v_add_nc_u32"
        yield f"{add} vU, OFFSET, vA"
    parts = "vT" if len(fold.terms) == 1 else "vW"
    before = base
    for shift, mask in fold.terms:
        yield f"v_lshrrev_b32 {parts}, {shift}, {base}"
        yield f"v_and_b32 {parts}, {mask:#x}, {parts}"
        yield f"v_xor_b32 vT, {before}, {parts}"
        before = "vT"


def _named(register: str, lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:_SHOWN]))
    more = f" and {len(lines) - _SHOWN} more" if len(lines) > _SHOWN else ""
    return f"{register} at {'lines' if len(lines) > 1 else 'line'} {shown}{more}"


def _free(kernel: AmdKernel, wanted: int) -> str:
    """Vector registers that nothing in a kernel names; or that there is none."""
    had = kernel.bits("accum_offset") or kernel.bits("next_free_vgpr")
    if not had:
        return "which registers are free is not known: the text does not say how many it has"
    if any(_BY_INDEX.match(op.name) for op in kernel.operations):
        return "no register is proved free: some are named by an index, or in what is called"
    named = {
        one
        for op in kernel.operations
        for text in (*op.operands, *op.modifiers.values())
        for one in operand(text).registers
    }
    free = [f"v{n}" for n in range(had) if f"v{n}" not in named][:wanted]
    if len(free) == wanted:
        return f"{', '.join(free)}, which no instruction names"
    return f"of its {had} registers none is free all the time: one more, or one that is dead here"
