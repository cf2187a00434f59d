"""``bankwise explain``: the rules that findings name, and the words of reports."""

from __future__ import annotations

from bankwise.show.nouns import Noun, noun
from bankwise.show.rules import Rule, rule, rules


def explain(name: str) -> Rule | Noun:
    """The rule called ``name``, or the word; InputError if there is neither."""
    if name not in {one.name for one in rules()} and (found := noun(name)):
        return found
    return rule(name)


def explain_all() -> tuple[Rule, ...]:
    """All rules: findings, causes, hints."""
    return rules()
