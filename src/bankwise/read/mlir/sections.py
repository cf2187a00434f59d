"""Where the MLIR is in a text: code blocks, compiler dumps, files split by ``// -----``.

Every finder returns sections of the user's text. :func:`candidates` turns them into the readings
worth trying, the fullest first: all sections together, then one alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bankwise.read.mlir.source import Edit, SourceText, line_and_column, masked, source_of

Kind = Literal["block", "dump", "split"]


@dataclass(frozen=True, slots=True)
class Section:
    """``text[start:end]`` is MLIR. ``name``: the symbol a dump shows, "" where it has none."""

    kind: Kind
    start: int
    end: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class TextReading:
    """One reading of a text, and what to tell the user if it is the one that opens."""

    source: SourceText
    notes: tuple[str, ...] = ()


_DIRECTIVE = re.compile(r"^([ \t]*)\.\. (?:code-block|code|sourcecode)::[ \t]*mlir[ \t]*\r?$", re.M)
_OPTION = re.compile(r"[ \t]+:[\w-]+:")
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*\{?[.]?mlir\b[^\n]*$", re.M)
_BANNER = re.compile(r"^[ \t]*// -----// IR Dump [^\n]*$", re.M)
_SPLIT = re.compile(r"^// -----[ \t]*\r?$", re.M)
_FUNCTION = re.compile(r"\bfunc\.func (?:public |private )?@([\w$.-]+)")
_SYMBOL = re.compile(r'@([\w$.-]+|"[^"]*")')
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
        yield TextReading(_read(file, text, (Section("split", 0, len(text)),)))
        return
    used = _used(text, found)
    yield TextReading(_read(file, text, used), _section_notes(text, found, used))
    if len(used) > 1:
        alone = sorted(used, key=lambda s: (not _has_shared_memory(text, s), -s.start))
        for section in alone:
            yield TextReading(
                _read(file, text, (section,)), _section_notes(text, found, (section,))
            )


def _read(file: str, text: str, used: tuple[Section, ...]) -> SourceText:
    edits: list[Edit] = []
    at = 0
    for section in used:
        edits.append(Edit(at, section.start, "\n" if at else ""))
        edits += _debug_locations(text, section)
        at = section.end
    edits.append(Edit(at, len(text), ""))
    if text.startswith("\ufeff") and edits[0].end == 0:
        edits[0] = Edit(0, 1, "")
    return source_of(file, text, (edit for edit in edits if edit.end > edit.start))


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
    note = f"of {len(found)} {kind}s the one{s} at {where} used, {left} left out"
    return (note, *_unread(text, found, used))


def _unread(text: str, found: tuple[Section, ...], used: tuple[Section, ...]) -> tuple[str, ...]:
    """The kernels that are in other dumps alone: those of the whole module show one kernel after
    the other at the stage that can be read."""
    if used[0].kind != "dump":
        return ()
    read = {name for section in used for name in _kernels(text, section)}
    all_ = {name for section in found for name in _kernels(text, section)}
    if not read or all_ <= read:
        return ()
    names = ", ".join(sorted(all_ - read))
    return (f"not read: {names}: print it without --mlir-print-ir-module-scope",)


def _kernels(text: str, section: Section) -> set[str]:
    """The functions of a section that have shared memory."""
    functions = [*_FUNCTION.finditer(text, section.start, section.end)]
    ends = [*(match.start() for match in functions), section.end][1:]
    pairs = zip(functions, ends, strict=True)
    return {match[1] for match, end in pairs if _SHARED.search(text, match.start(), end)}


def _first_line(text: str, section: Section) -> int:
    blank = len(text[section.start : section.end]) - len(text[section.start : section.end].lstrip())
    return line_and_column(text, section.start + blank)[0]


def _used(text: str, found: tuple[Section, ...]) -> tuple[Section, ...]:
    """Of each name the last dump. Where dumps go on past the stage that can be read (printed after
    all passes, say), of each kernel the one of that stage, and nothing else."""
    if found[0].kind != "dump":
        return found
    last = {section.name: section for section in found}
    kernels = [s for s in found if _is_kernel(text[s.start : s.end])]
    if kernels and len(found) > len(last):
        named = [section for section in kernels if section.name] or kernels
        last = {section.name: section for section in named}
        last |= {s.name: s for s in named if _STAGE in text[s.start : s.start + _BANNER_LENGTH]}
    return tuple(sorted(last.values(), key=lambda section: section.start))


_STAGE, _BANNER_LENGTH = "resolve-swizzle-hints", 200
"""The pass of IREE after which addresses are whole and loops and types are still there."""
_SHARED = re.compile(r"\bmemref<[^\n]*\baddress_space<workgroup>|\bmemref<[^<>\n]*, 3(?: : i\d+)?>")
_LOWERED = re.compile(r"\bllvm\.|\bcf\.(?:cond_)?br\b|\bvm\.")


def _is_kernel(dump: str) -> bool:
    """Whether shared memory is accessed through memrefs, in loops that are still loops."""
    return bool(_SHARED.search(dump)) and not _LOWERED.search(dump)


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
    starts = [match.start() for match in _BANNER.finditer(text)]
    ends = [*starts[1:], len(text)]
    return tuple(
        Section("dump", start, end, _symbol(text[start:end]))
        for start, end in zip(starts, ends, strict=False)
    )


def _symbol(dump: str) -> str:
    """The symbol of the operation a dump shows: in its banner if the whole module was printed,
    otherwise on its first line that is not a definition."""
    banner, *lines = dump.split("\n")
    code = (
        line for line in lines if line.strip() and not line.lstrip().startswith(("#", "!", "//"))
    )
    found = _SYMBOL.search(banner) or _SYMBOL.search(next(code, ""))
    return found[1] if found else ""


def _splits(text: str) -> tuple[Section, ...]:
    cuts = list(_SPLIT.finditer(text))
    if not cuts:
        return ()
    starts = [0, *(cut.end() for cut in cuts)]
    ends = [*(cut.start() for cut in cuts), len(text)]
    parts = (Section("split", s, e) for s, e in zip(starts, ends, strict=True))
    return tuple(part for part in parts if masked(text[part.start : part.end]).strip())


def _debug_locations(text: str, section: Section) -> list[Edit]:
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


_LOCATION = re.compile(r"(?:^[ \t]*#\w+ = |(?<![ \t])[ \t]*\b)loc\(", re.M)


def _closing(quiet: str, at: int, end: int) -> int:
    """Just behind the parenthesis that closes the one before ``at``."""
    depth = 1
    while depth and at < end:
        depth += {"(": 1, ")": -1}.get(quiet[at], 0)
        at += 1
    return at
