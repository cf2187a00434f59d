"""The part of the proof that is about types: a text with ``bankwise::tile``, read without it.

What is left is compared with the author's text as any other, so the type is all that is new. It
has to be the one that bankwise ships, to the letter; what its layout does to an index is evaluated
from its own expression.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.cxx.tree import CxxSource, Node, named, parse, walk
from bankwise.read.macro_lines import macro_lines

_TYPE = re.compile(r"\bbankwise::(tile|line)<")
_FOLD = re.compile(r"bankwise::fold<(\d+), (\d+), (\d+)>")
_DECLARED = re.compile(r"\s*(\w+)((?:\[[^\[\]]*\])*)\s*(?=;)")
_NAMES = {"bankwise", "tile", "line", "fold", "both"}


class TypedText(ByIdentity, frozen=True, eq=False):
    """A text with plain arrays again. ``layouts``: by name those that had a type, in order;
    ``header``: the type, parsed."""

    source: CxxSource
    layouts: Sequence[tuple[str, str]]
    header: CxxSource


def without_types(before: CxxSource, after: CxxSource) -> TypedText | Refusal:
    """A text without the types that an edit put into it."""
    header = Path(__file__).with_name("tile.h").read_text("utf-8")
    first, stands, text = after.text.partition(f"{header}\n")
    if not stands or "bankwise::" in before.text or header in text:
        return Refusal("its types are not those of bankwise")
    if any(True for _ in macro_lines(first)) or _NAMES & {one.name for one in macro_lines(text)}:
        return Refusal("a macro changes what the types are")
    layouts: list[tuple[str, str]] = []
    done = first
    while found := _TYPE.search(text):
        stop, words = _arguments(text, found.end())
        declared = _DECLARED.match(text, stop)
        if declared is None or len(words) != {"tile": 4, "line": 3}[found[1]]:
            return Refusal("a type stands where no array is declared")
        extents = "".join(f"[{one}]" for one in words[1:-1])
        done += f"{text[: found.start()]}{words[0]} {declared[1]}{declared[2]}{extents}"
        text = text[declared.end() :]
        layouts.append((declared[1], words[-1]))
    parsed = parse(header, "tile.h")
    return TypedText(parse(done + text, after.file, beside=after.beside), layouts, parsed)


def _arguments(text: str, start: int) -> tuple[int, list[str]]:
    """Where a list of arguments ends, behind its bracket, and they."""
    depth, words = 1, [""]
    for at in range(start, len(text)):
        sign = text[at]
        depth += (sign in "<([{") - (sign in ">)]}")
        if not depth:
            return at + 1, [one.strip() for one in words]
        if sign == "," and depth == 1:
            words.append("")
        else:
            words[-1] += sign
    return len(text), []


def folds_of(layout: str) -> list[tuple[int, int, int]] | None:
    """The divisor, phases and unit of each fold of a layout, in order; None where it is no layout.

    ``both<A, B>`` applies A first: as the folds stand in the text.
    """
    plain = _FOLD.sub("F", layout)
    while "bankwise::both<F, F>" in plain:
        plain = plain.replace("bankwise::both<F, F>", "F")
    found = [(int(a), int(b), int(c)) for a, b, c in _FOLD.findall(layout)]
    return found if plain == "F" else None


def expression_of(header: CxxSource) -> Node:
    """What ``fold::column`` of the type returns."""
    (fold,) = (
        node
        for node in walk(header.root)
        if node.type == "struct_specifier" and header.of(node.child_by_field_name("name")) == "fold"
    )
    (returned,) = (node for node in walk(fold) if node.type == "return_statement")
    return named(returned)[0]
