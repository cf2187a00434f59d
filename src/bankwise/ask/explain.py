"""``bankwise explain``: the rules that findings name, the words of reports, and instructions."""

from __future__ import annotations

from itertools import groupby

from bankwise.hardware.machine import Instruction, machine, names
from bankwise.show.nouns import Noun, noun
from bankwise.show.rules import Rule, rule, rules


def explain(name: str) -> Rule | Noun:
    """The rule called ``name``, the word, or the instruction as every machine serves it; InputError
    if there is none."""
    if name in {one.name for one in rules()}:
        return rule(name)
    return noun(name) or _instruction(name) or rule(name)


def _instruction(name: str) -> Noun | None:
    """A shared-memory instruction, by the machine files that have it."""
    machines = [machine(each) for each in names()]
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
