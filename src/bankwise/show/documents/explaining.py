"""``bankwise explain`` as JSON: one rule, or all of them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from bankwise.show.documents.parts import view
from bankwise.show.nouns import Noun
from bankwise.show.rules import Kind, Rule

Markdown = Annotated[str, Meta(description="paragraphs of Markdown")]


class RuleDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.rule/1"):
    """A finding that a report can name, a cause of a count, or a hint that was refused."""

    name: str
    kind: Kind
    summary: Annotated[str, Meta(description="one sentence")]
    what: Markdown
    why: Markdown
    example: Markdown
    instead: Markdown
    source: Markdown


class RulesDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.rules/1"):
    """All rules: findings, causes, hints; by name within."""

    rules: tuple[RuleDocument, ...]


class NounDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.noun/1"):
    """A word of reports, what it means, and who says so."""

    name: str
    also: Annotated[tuple[str, ...], Meta(description="what else it is called")]
    meaning: str
    source: str
    rule: Annotated[str, Meta(description="the rule that says more; empty for none")]


def explained_document(found: Rule | Noun) -> RuleDocument | NounDocument:
    """``bankwise.rule/1`` or ``bankwise.noun/1``."""
    return view(NounDocument, found) if isinstance(found, Noun) else rule_document(found)


def rule_document(rule: Rule) -> RuleDocument:
    """``bankwise.rule/1``."""
    return view(RuleDocument, rule)


def rules_document(rules: tuple[Rule, ...]) -> RulesDocument:
    """``bankwise.rules/1``."""
    return RulesDocument(tuple(rule_document(rule) for rule in rules))
