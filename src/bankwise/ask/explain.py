"""``bankwise explain``: the rules that findings name."""

from __future__ import annotations

from bankwise.show.rules import Rule, rule, rules


def explain(name: str) -> Rule:
    """The rule called ``name``; :class:`bankwise.errors.InputError` if there is none."""
    return rule(name)


def explain_all() -> tuple[Rule, ...]:
    """All rules: findings, causes, hints."""
    return rules()
