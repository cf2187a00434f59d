"""Where the MLIR is in a text: code blocks, compiler dumps, files split by ``// -----``.

Every finder returns sections of the user's text. :func:`candidates` turns them into the readings
worth trying, the fullest first: all sections together, then one alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from msgspec import Struct

from bankwise.errors import Refusal
from bankwise.read.mlir.dumps import Dump, KeptText, alone, blanked, dumps, renamed
from bankwise.read.mlir.dumps import used as used_dumps
from bankwise.read.mlir.source import Edit, SourceText, line_and_column, masked, source_of
from bankwise.read.mlir.unread import unread
from bankwise.regex import regex

Kind = Literal["block", "dump", "split"]


class Section(Struct, frozen=True):
    """``text[start:end]`` is MLIR. ``name``: the symbol a dump shows, "" where it has none."""

    kind: Kind
    start: int
    end: int
    name: str = ""


class TextReading(Struct, frozen=True):
    """One reading of a text, and what to tell the user if it is the one that opens: ``notes``, and
    the kernels that are ``unread`` in it."""

    source: SourceText
    notes: tuple[str, ...] = ()
    unread: tuple[Refusal, ...] = ()


_DIRECTIVE = regex(r"^([ \t]*)\.\. (?:code-block|code|sourcecode)::[ \t]*mlir[ \t]*\r?$", re.M)
_OPTION = regex(r"[ \t]+:[\w-]+:")
_FENCE = regex(r"^[ \t]*(`{3,}|~{3,})[ \t]*\{?[.]?mlir\b[^\n]*$", re.M)
_SPLIT = regex(r"^// -----[ \t]*\r?$", re.M)
_KINDS = {"block": "code block", "dump": "dump", "split": "part"}


def sections(text: str) -> tuple[Section, ...]:
    """The sections of MLIR in ``text``, in order; none if all of it is plain MLIR."""
    for found in (_blocks(text), _dumps(text), _splits(text)):
        if found:
            return found
    return ()


def candidates(file: str, text: str) -> Iterator[TextReading]:
    """The readings of ``text`` to try, in this order."""
    found = sections(text)
    if not found:
        yield TextReading(_read(file, text, [KeptText(0, len(text))]))
        return
    used = _used(text, found)
    yield from _readings(file, text, found, used)
    if len(used) > 1:
        alone = sorted(used, key=lambda s: (not _has_shared_memory(text, s), -s.start))
        for section in alone:
            yield from _readings(file, text, found, (section,))


def _readings(
    file: str, text: str, found: tuple[Section, ...], used: tuple[Section, ...]
) -> Iterator[TextReading]:
    """The sections ``used``: dumps in the executables of their kernels, then as they are."""
    if found[0].kind == "dump":
        yield _set_into_programs(file, text, found, used)
    yield _told(_read(file, text, used), text, found, used)


def _told(
    source: SourceText, text: str, found: tuple[Section, ...], used: tuple[Section, ...]
) -> TextReading:
    """A reading of ``text``, and what is left out in it."""
    missing: tuple[Refusal, ...] = ()
    if used[0].kind == "dump":
        missing = unread(source.file, text, _as_dumps(found), _as_dumps(used))
    return TextReading(source, _section_notes(text, found, used), missing)


def _as_dumps(some: Iterable[Section]) -> list[Dump]:
    return [Dump(section.start, section.end, section.name) for section in some]


def _set_into_programs(
    file: str, text: str, found: tuple[Section, ...], used: tuple[Section, ...]
) -> TextReading:
    """Dumps that are read, each in the executable of its kernel. Where others are left out, their
    lines are empty in what is read: a change costs what the kernel is long, not the dump."""
    read, whole = _as_dumps(used), text
    each = [alone(text, dump) for dump in read]
    kept = sorted((k for one in each for k in one), key=lambda k: k.start)
    if len(found) > len(used):
        text, moved = blanked(text, read, [k for one in each for k in one])
        new = iter(moved)
        each = [tuple(next(new) for _ in one) for one in each]
        kept = sorted(moved, key=lambda k: k.start)
    return _told(_read(file, text, kept, renamed(text, each)), whole, found, used)


def _read(
    file: str,
    text: str,
    used: Sequence[Section] | Sequence[KeptText],
    more: Iterable[Edit] = (),
) -> SourceText:
    edits = [*more]
    at, behind = 0, ""
    for section in used:
        before, after = _around(section)
        edits.append(Edit(at, section.start, f"{behind}{before}" or ("\n" if at else "")))
        edits += _debug_locations(text, section)
        at, behind = section.end, after
    edits.append(Edit(at, len(text), behind))
    if text.startswith("\ufeff") and edits[0].end == 0:
        edits[0] = Edit(0, 1, "")
    return source_of(file, text, filter(_changes, edits))


def _changes(edit: Edit) -> bool:
    """Nothing between two parts, and nothing put there, is no edit; nor is one inside another."""
    return edit.end > edit.start or (edit.end == edit.start and bool(edit.replacement.strip()))


def _around(section: Section | KeptText) -> tuple[str, str]:
    return (section.before, section.behind) if isinstance(section, KeptText) else ("", "")


def _section_notes(
    text: str, found: tuple[Section, ...], used: tuple[Section, ...]
) -> tuple[str, ...]:
    kind = _KINDS[used[0].kind]
    if len(found) == len(used) and used[0].kind != "block":
        return ()
    lines = ", ".join(str(_first_line(text, section)) for section in used)
    s = "s" if len(used) > 1 else ""
    where = f"line{s} {lines}"
    if len(found) == len(used):
        return (f"MLIR taken from the {kind}{s} at {where}",)
    left = len(found) - len(used)
    return (f"of {len(found)} {kind}s the one{s} at {where} used, {left} left out",)


def _first_line(text: str, section: Section) -> int:
    blank = len(text[section.start : section.end]) - len(text[section.start : section.end].lstrip())
    return line_and_column(text, section.start + blank)[0]


def _used(text: str, found: tuple[Section, ...]) -> tuple[Section, ...]:
    if found[0].kind != "dump":
        return found
    chosen = used_dumps(text, _as_dumps(found))
    starts = {dump.start for dump in chosen}
    return tuple(section for section in found if section.start in starts)


def _has_shared_memory(text: str, section: Section) -> bool:
    return "workgroup" in text[section.start : section.end]


def _blocks(text: str) -> tuple[Section, ...]:
    found = [_rst_block(text, match) for match in _DIRECTIVE.finditer(text)]
    at = 0
    while fence := _FENCE.search(text, at):
        close = re.compile(rf"^[ \t]*{re.escape(fence[1])}+[ \t]*\r?$", re.M)
        end = close.search(text, fence.end())
        at = end.end() if end else len(text)
        found.append(Section("block", fence.end(), end.start() if end else len(text)))
    return tuple(sorted(found, key=lambda section: section.start))


def _rst_block(text: str, directive: re.Match[str]) -> Section:
    """The block ends before the first line that is not indented deeper than its directive."""
    start = at = directive.end()
    options = True
    for line in text[at + 1 :].split("\n"):
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent <= len(directive[1]):
            break
        at = min(at + 1 + len(line), len(text))
        options = options and bool(_OPTION.match(line))
        start = at if options else start
    return Section("block", start, at)


def _dumps(text: str) -> tuple[Section, ...]:
    return tuple(Section("dump", dump.start, dump.end, dump.name) for dump in dumps(text))


def _splits(text: str) -> tuple[Section, ...]:
    cuts = list(_SPLIT.finditer(text))
    if not cuts:
        return ()
    starts = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(text)]
    parts = (Section("split", s, e) for s, e in zip(starts, ends, strict=True))
    return tuple(part for part in parts if masked(text[part.start : part.end]).strip())


def _debug_locations(text: str, section: Section | KeptText) -> list[Edit]:
    """Cut ``loc(..)``: with it the parser would name lines of another file, not of this one."""
    if "loc(" not in text[section.start : section.end]:
        return []
    quiet = masked(text[section.start : section.end])
    edits: list[Edit] = []
    at = 0
    while found := _LOCATION.search(quiet, at):
        at = _closing(quiet, found.end(), len(quiet))
        edits.append(Edit(section.start + found.start(), section.start + at, ""))
    return edits


_LOCATION = regex(r"(?:^[ \t]*#\w+ = |(?<![ \t])[ \t]*\b)loc\(", re.M)


def _closing(quiet: str, at: int, end: int) -> int:
    """Just behind the parenthesis that closes the one before ``at``."""
    depth = 1
    while depth and at < end:
        depth += {"(": 1, ")": -1}.get(quiet[at], 0)
        at += 1
    return at
