"""Which instruction people mean: by the name of a machine file, in PTX or in SASS."""

from __future__ import annotations

import re
from typing import NoReturn

from bankwise.errors import InputError
from bankwise.hardware.machine import Instruction, machine, names
from bankwise.hardware.sass_names import kind_of

_PTX = re.compile(r"(ld|st)\b[\w.:]*\.shared(?:::\w+)?(?:\.v([248]))?\.[bfus](8|16|32|64)")
"""ld.shared.v4.f32, ld.volatile.shared.u32: a vector is one access of all its elements."""


def spelled(target: str, said: str) -> Instruction:
    """The row of a machine: LDS.128 and ld.shared.v4.f32 are ld.shared.b128. InputError where the
    machine has none, or none is named, that says which machines have one."""
    called = said.strip().lower()
    found = _PTX.fullmatch(called)
    wide = found and f"{found[1]}.shared.b{int(found[2] or 1) * int(found[3])}"
    tried = (said, called, wide or kind_of(said.strip().upper()))
    rows = machine(target).instructions if target else {}
    row = next((rows[name] for name in tried if name in rows), None)
    return row if row is not None else _elsewhere(target, said, tried)


def _elsewhere(target: str, said: str, tried: tuple[str, ...]) -> NoReturn:
    """Refuse with the machines that have the instruction: all machine files are read for it."""
    has = [name for name in names() if {*tried} & {*machine(name).instructions}]
    if not has and target:
        machine(target).instruction(said)
    if not has:
        raise InputError(
            f"no machine has a shared-memory instruction {said!r}",
            hint="-t GPU says for which; `bankwise machines GPU` lists its own",
        )
    missing = f"{target} has no {said}" if target else "--target is missing"
    hint = f"-t {has[-1]} or another of them"
    raise InputError(f"{missing}: it is an instruction of {', '.join(has)}", hint=hint)
