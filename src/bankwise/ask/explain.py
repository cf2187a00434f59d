"""``bankwise explain``: the rules that findings name, the words of reports, and instructions."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby

from bankwise.ask.picture_texts import MOST_ELEMENTS
from bankwise.errors import InputError
from bankwise.hardware.machine import LEVELS, Instruction, canonical, machine, names
from bankwise.hardware.native import NATIVE
from bankwise.show.nouns import Noun, noun
from bankwise.show.rules import Rule, rule, rules

_SWIZZLE = re.compile(r"(?:Swizzle|Sw)\s*<\s*(\d{1,2})\s*,\s*(\d{1,2})\s*,\s*(\d{1,2})\s*>", re.I)
_OFFSET_BITS = 32


def explain(name: str, target: str = "") -> Rule | Noun:
    """The rule called ``name``, the word, or the instruction as every machine serves it, or as
    ``target`` does; InputError if there is none."""
    if target:
        return _on(name, canonical(target))
    spelled = "-".join(name.casefold().split())
    if spelled in {one.name for one in rules()}:
        return rule(spelled)
    return _swizzle(name) or noun(name) or _instruction(name) or _machine(name) or rule(name)


def _swizzle(name: str) -> Noun | None:
    """A swizzle of CuTe by its numbers: which bits it moves where. InputError for one that CuTe
    does not compile."""
    found = _SWIZZLE.fullmatch(name.strip())
    if found is None:
        return None
    bits, base, shift = map(int, found.groups())
    said = f"Swizzle<{bits},{base},{shift}>"
    if shift < bits:
        raise InputError(f"{said} is no layout: S, {shift}, is less than B, {bits}")
    if bits + base + shift > _OFFSET_BITS:
        raise InputError(f"{said} takes more bits than an offset has, {_OFFSET_BITS}")
    low, high = base, base + shift
    piece, row, mask = 1 << low, 1 << high, ((1 << bits) - 1) << low
    what = (
        f"{bits} bits of the offset, from bit {high} on, are XORed into those from bit {low} on: "
        f"x ^ (x >> {shift} & {mask}). Pieces of {piece} stay together; in row r of {row}, piece p "
        f"stands where p ^ (r mod {1 << bits}) was. x counts bytes or elements, as the layout says."
    )
    if row << bits <= MOST_ELEMENTS:
        what += f" `bankwise show '{said}' --bits 16` draws it over elements of 16 bits."
    return Noun(said, (), what, "NVIDIA CUTLASS, include/cute/swizzle.hpp")


def _on(name: str, target: str) -> Noun:
    """An instruction as one machine serves it. Whatever else is explained is the same on all."""
    found, every = _instruction(name, (machine(target).name,)), _instruction(name)
    if found is not None:
        return found
    if every is None:
        message = f"--target says something of an instruction, and {name!r} is none"
        raise InputError(message, hint="leave --target out")
    message = f"no row of {name} for {target}"
    raise InputError(message, hint=f"leave --target out, or `bankwise machines {target}`")


def _machine(name: str) -> Noun | None:
    """A GPU, by any of its names: how many banks serve how many lanes, and how that is known."""
    called = canonical(name) if name != NATIVE else ""
    if called not in names():
        return None
    gpu = machine(called)
    rows = gpu.instructions.values()
    known = Counter(row.evidence for row in rows)
    banks = sorted({row.banks for row in rows})
    how_many = " or ".join(map(str, banks)) + " banks" + " by instruction" * (len(banks) > 1)
    served = sorted({(row.width_bytes, len(row.phases)) for row in rows if row.addresses == 1})
    widths = {size: [n for wide, n in served if wide == size] for size in (4, 8, 16)}
    phases = ", ".join(
        f"{' or '.join(map(str, found))} of {size} bytes a lane" for size, found in widths.items()
    )
    evidence = ", ".join(f"{known[level]} {level}" for level in LEVELS if known[level])
    meaning = (
        f"{gpu.product}: waves of {gpu.wave_size} lanes, {gpu.lds_bytes // 1024} KiB of shared "
        f"memory, {how_many}. Phases of an access: "
        f"{phases}. Rules of {len(rows)} instructions: {evidence}. Conflicts are counted by "
        f"{gpu.counter}."
    )
    return Noun(
        gpu.name, gpu.also, meaning, f"`bankwise machines {gpu.name}`, each row with its own"
    )


def _instruction(name: str, of: tuple[str, ...] = ()) -> Noun | None:
    """A shared-memory instruction, by the machine files that have it, of these machines or all."""
    machines = [machine(each) for each in of or names()]
    rows = [one.instructions[name] for one in machines if name in one.instructions]
    if not rows:
        return None
    served = sorted((_served(row), row.machine) for row in rows)
    said = (
        f"{', '.join(each for _, each in group)}: {how}."
        for how, group in groupby(served, lambda pair: pair[0])
    )
    source = "; ".join(f"{row.machine}: {', '.join(row.source)}" for row in rows)
    return Noun(name, (), " ".join(said), f"{source} (`bankwise machines {rows[0].machine}`)")


def _served(row: Instruction) -> str:
    """How it is served, and how that is known."""
    lanes = max(map(len, row.phases), default=0)
    twice = f" at each of {row.addresses} addresses" * (row.addresses > 1)
    how = "unknown: a working assumption" if row.evidence == "unknown" else row.evidence
    phases = "1 phase" if len(row.phases) == 1 else f"{len(row.phases)} phases"
    return (
        f"a {row.direction} of {row.width_bytes} bytes a lane{twice}, in {phases} "
        f"of {lanes} lanes over {row.banks} banks; its rule is {how}, confidence {row.confidence}"
    )


def explain_all() -> tuple[Rule, ...]:
    """All rules: findings, causes, hints."""
    return rules()
