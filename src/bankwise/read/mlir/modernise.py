"""Rewriting older MLIR syntax for the parser, by the rules of :mod:`bankwise.read.mlir.syntax`.

Rules only run on a text that does not parse as it is, and only the parsed text changes: the
user's file keeps its syntax. Each rule that fired is reported with its first place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bankwise.read.mlir.source import Edit, SourceText, apply_edits, masked, source_of
from bankwise.read.mlir.syntax import RULES, OlderForm


def modernise(source: SourceText) -> tuple[SourceText, tuple[str, ...]]:
    """``source`` in today's syntax, and one note per rule that fired (none: nothing to do)."""
    text = source.text
    parts = _parts(source)
    quiet = _quiet(text, parts, source.edits)
    made: list[Edit] = []
    around: list[Edit] = []
    notes: list[str] = []
    for rule in RULES:
        matches = (m for start, end in parts for m in rule.pattern.finditer(quiet, start, end))
        found = [edits for m in matches if (edits := _edits(rule, m, text))]
        if not found:
            continue
        edits = [edit for place in found for edit in place]
        quiet = _blank(quiet, edits)
        made += edits
        around += edits if rule.around else ()
        notes.append(_note(source, rule, edits[0].start, len(found)))
    written = apply_edits(text, (*source.edits, *around))
    return source_of(source.file, text, (*source.edits, *made), written=written), tuple(notes)


_FAR = 4096
"""Characters that are cut at once between two parts of a text: dumps of other passes, say."""


def _parts(source: SourceText) -> list[tuple[int, int]]:
    """Where the text that is read lies in the user's: a dump of all passes is mostly left out."""
    cuts = [edit for edit in source.edits if edit.end - edit.start >= _FAR]
    starts = [0, *(cut.end for cut in cuts)]
    ends = [*(cut.start for cut in cuts), len(source.text)]
    return [(a, b) for a, b in zip(starts, ends, strict=True) if a < b]


def _quiet(text: str, parts: Iterable[tuple[int, int]], edits: Iterable[Edit]) -> str:
    """The text of the parts without strings, comments and what is edited; offsets stay."""
    out: list[str] = []
    at = 0
    for start, end in parts:
        out += ("\0" * (start - at), masked(text[start:end]))
        at = end
    return _blank("".join((*out, "\0" * (len(text) - at))), edits)


def _blank(quiet: str, edits: Iterable[Edit]) -> str:
    """What is edited already is no business of the next rule."""
    return apply_edits(quiet, (Edit(e.start, e.end, "\0" * (e.end - e.start)) for e in edits))


def _edits(rule: OlderForm, match: re.Match[str], text: str) -> list[Edit]:
    if rule.words:
        start, end = match.span("old")
        new = _rewritten(rule, text[start:end])
        return [] if new is None else [Edit(start, end, new)]
    return [
        Edit(*match.span(group), match.expand(template)) for group, template in rule.changes.items()
    ]


def _rewritten(rule: OlderForm, old: str) -> str | None:
    """The words of ``old`` in their new spelling and order; None if they are not this rule's."""
    items = _items(old)
    new: dict[str, str] = {}
    for word, form in rule.words.items():
        key, _, wanted = word.partition("=")
        if key in items and wanted in ("", items[key]):
            new[key] = form.format(_TYPE.sub("", items[key]))
    rest = [f"{key} = {value}" if value else key for key, value in items.items() if key not in new]
    if not new or (rest and not rule.rest):
        return None
    if rule.positional and list(new) != list(rule.words)[: len(new)]:
        return None
    words = rule.frame.format(rule.joint.join(form for form in new.values() if form))
    return f"{words} {{{', '.join(rest)}}}" if rest else words


_TYPE = re.compile(r"\s*:\s*(?:i\d+|index)$")
_COMMA = re.compile(r"->|[(\[{<]|[)\]}>]|,")


def _items(old: str) -> dict[str, str]:
    """The values of ``{key = value, word}`` or ``key = value key = value``; a bare word has ""."""
    inner = old.removeprefix("attributes").strip()
    if inner.startswith("{"):
        parts = _split(inner[1:-1])
    else:
        parts = [word for part in _split(inner) for word in re.split(r"\s+(?=\w+ = )", part)]
    pairs = (part.partition("=") for part in parts if part.strip())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _split(text: str) -> list[str]:
    """``text`` cut at its commas outside of brackets."""
    parts: list[str] = []
    depth = at = 0
    for token in _COMMA.finditer(text):
        if token[0] == "," and not depth:
            parts.append(text[at : token.start()])
            at = token.end()
        elif token[0] not in (",", "->"):
            depth += 1 if token[0] in "([{<" else -1
    return [*parts, text[at:]]


def _note(source: SourceText, rule: OlderForm, offset: int, count: int) -> str:
    places = "1 place" if count == 1 else f"{count} places"
    return f"{source.location(offset)}: {_OLDER}: {rule.says}, {places}"


_OLDER = "older syntax read"


def is_older(notes: Iterable[str]) -> bool:
    """Whether a rule fired, by what was told of a text."""
    return any(_OLDER in note for note in notes)
