"""What headers do with the arrays of a source: copied into it, changed there, or taken back.

    source --copies--> the same program --plans, judges--> fixed --without what stayed--> patch

That both ends are one program with the text between them is no matter of trust: the compiler makes
the same code of them, or there are no copies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from bankwise.ask.source_text import Author, CompiledText
from bankwise.change.cxx.cast_sums import with_sums
from bankwise.change.cxx.copies import (
    CopiedText,
    FunctionCopy,
    changed_copies,
    with_copies,
    without_copies,
)
from bankwise.change.cxx.expansion import with_expansions
from bankwise.change.cxx.same_code import code_of, same_in_some
from bankwise.change.cxx.spelling import CxxEdit, edited, lines_before
from bankwise.errors import InputError, Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.cxx.headers import OwnHeaders
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.launch.headers import defined_macros, header_texts
from bankwise.read.line_marks import line_places
from bankwise.read.names import listed
from bankwise.read.source import Compilation


class CopiedAuthor(ByIdentity, frozen=True, eq=False):
    """A source with copies, as its own author. ``before``: as it is compiled, at the lines that the
    author knows, since it is the same code."""

    text: CopiedText
    author: Author
    before: CompiledText


class LeftCopies(ByIdentity, frozen=True, eq=False):
    """A changed text with the copies that it needs. ``lines``: by its lines those of the author's;
    ``proved``: what is said of them beside the proof; ``notes``: what they are."""

    compiled: CompiledText
    lines: Mapping[Location, Location]
    proved: str
    notes: tuple[str, ...]


def copied_text(source: CxxSource, what: Compilation) -> CopiedText:
    """A source with copies of what its own headers do with its arrays, or with why there are none;
    and with calls of macros written out behind which arrays cannot be changed."""
    found = header_texts(source.text, Path(source.file), what.flags)
    headers = OwnHeaders(found, "".join(defined_macros(what.flags)))
    text = with_copies(source, headers) if found else CopiedText(source, ())
    expanded, calls = with_expansions(text.source)
    return replace(text, source=expanded, expanded=calls)


def summed(text: CopiedText) -> CopiedText:
    """The same with what is added to arrays before casts."""
    source, calls = with_sums(text.source, text.expanded)
    return replace(text, source=source, expanded=calls)


def copied(author: Author, before: CompiledText) -> CopiedAuthor | tuple[str, ...]:
    """The same of an author; why it has no copies, also where the compiler makes other code of a
    text with them. Sums before casts are the same places by the meaning of the language: the code
    may be another one."""
    made = copied_text(author.source, author.what)
    copied_ = replace(before, text=made.source.text, between="")
    if (made.copies or made.expanded) and not same_program(author, before, copied_, made.copies):
        names = listed(tuple(dict.fromkeys(one.function for one in made.copies)))
        left = (_OTHER.format(names=names),) if names else ()
        made = CopiedText(author.source, (), left)
    made = summed(made)
    if not made.copies and not made.expanded:
        return made.left
    copied_ = replace(before, text=made.source.text)
    return CopiedAuthor(made, replace(author, source=made.source), copied_)


def _compiled(author: Author, text: str) -> CompiledText | None:
    try:
        return author.compiled(text)
    except InputError:
        return None


def same_program(
    author: Author,
    before: CompiledText,
    after: CompiledText,
    copies: Sequence[FunctionCopy] = (),
) -> bool:
    """Whether the compiler makes the same code of a text and of one with copies, if any."""
    language = author.language
    renamed = {one.name: one.function for one in copies}
    known = {one.text: one.between for one in (before, after)}

    def emitted(one: CompiledText, names: Mapping[str, str]) -> str:
        text = known.pop(one.text, "") or language.emitted(replace(author.what, text=one.text))
        return code_of(text, names, language.remark)

    try:
        return same_in_some(partial(emitted, before, {}), partial(emitted, after, renamed))
    except InputError:
        return False


def remaining(made: CopiedAuthor, edits: Sequence[CxxEdit], compiled: CompiledText) -> LeftCopies:
    """A changed text without the copies that no edit is in; with them where that is another
    program."""
    back, after = tuple[CxxEdit, ...](), compiled
    sums = {one.span for one in made.text.expanded if not one.macros}
    every = without_copies(made.text, edits)
    for some in (every, tuple(one for one in every if one.span not in sums), ()):
        text = edited(made.text.source, (*edits, *some)) if some else compiled.text
        shorter = None if isinstance(text, Refusal) else _compiled(made.author, text)
        if shorter is None:
            continue
        if not some or same_program(made.author, shorter, compiled, made.text.copies):
            back, after = some, shorter.under(compiled.emitted.passes.keys())
            break
    copies = changed_copies(made.text, back)
    lines = _lines(made.text, (*edits, *back), after.text, copies)
    told = tuple(_said(one) for one in copies)
    names = listed([one.name for one in copies])
    macros = {name for one in made.text.expanded for name in one.macros}
    proved = _ONE.format(names=names) if copies else ""
    proved += _EXPANDED.format(names=listed(sorted(macros))) if macros else ""
    proved += _SUMMED if sums - {edit.span for edit in back} else ""
    return LeftCopies(after, lines, proved, told)


def _lines(
    text: CopiedText,
    edits: Sequence[CxxEdit],
    after: str,
    copies: Sequence[FunctionCopy],
) -> dict[Location, Location]:
    """By line of a changed text that of the author's; of a copy the one that calls it."""
    calls: dict[str, set[Location]] = {}
    for one in copies:
        calls.setdefault(one.header, set()).add(one.called_at)
    found: dict[Location, Location] = {}
    for line, at in lines_of(text.source, edits, after).items():
        called = calls.get(at.file, {at})
        if len(called) == 1:
            (found[line],) = called
    return found


def lines_of(source: CxxSource, edits: Sequence[CxxEdit], after: str) -> dict[Location, Location]:
    """By place of a line of a changed text, as the compiler calls it, that of the line before."""
    moved = lines_before(source, edits)
    numbers = moved or {n: n for n in range(1, after.count("\n") + 2)}
    places = line_places(after, source.file)
    return {
        places[n - 1] if places else Location(source.file, n): source.line(old)
        for n, old in numbers.items()
        if not places or n <= len(places)
    }


def _said(copy: FunctionCopy) -> str:
    return _COPIED.format(name=copy.name, function=copy.function, header=Path(copy.header).name)


_ONE = (
    "; {names}: copied from a header, and with the copies as they are there the compiler makes the "
    "same code"
)
_EXPANDED = (
    "; calls of {names} are read as what they stand for: with them written out the compiler makes "
    "the same code, before and after"
)
_SUMMED = (
    "; what is added to a pointer behind a cast is added before it, which is the same place by the "
    "meaning of pointer arithmetic"
)
_OTHER = "{names} of a header: not copied, since the compiler makes other code of a copy"
_COPIED = (
    "{name} is {function} of {header} with the new layout: a copy of this source's own, since "
    "whoever else includes the header has arrays with the old one"
)
