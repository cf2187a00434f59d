"""Who else has a header that changes: files of the project that are not compiled with the source.

A kernel is a whole: whoever launches it launches the changed one. A function that is given an
array, a constant or a macro may be used there with an array that has the old layout, so it stays.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from bankwise.ask.array_posed import SizedArray
from bankwise.ask.source_text import Author
from bankwise.errors import Refusal
from bankwise.files import nearby
from bankwise.read.cxx.tree import CxxSource, Node, parse, walk
from bankwise.read.names import listed
from bankwise.read.project_files import includers, project_texts
from bankwise.show.fixing import EditedFile
from bankwise.show.patch import lines_of, opcodes


def texts_of_others(author: Author) -> Mapping[Path, str]:
    """The files of the project that are not compiled with a source, by their real paths."""
    joined, path = author.joined, author.what.path
    here = {path.resolve()}
    if joined is not None:
        here |= {one.resolve() for one in (*joined.headers, *joined.beside)}
    every = author.kept.once("project", path, lambda: project_texts(path), 1)
    return {one: text for one, text in every.items() if one not in here}


def needed_as_it_is(author: Author, arrays: Sequence[SizedArray]) -> Refusal | None:
    """Why arrays stay as they are: a function of a header that is given one is named by a file that
    is not compiled here."""
    source, headers = author.source, () if author.joined is None else author.joined.headers
    own = {str(one.resolve()) for one in headers}
    for use in (use for one in arrays for use in one.array.uses):
        place = source.place(use.span.start)
        inside = _function_at(source, use.span.start, use.span.stop)
        if os.path.realpath(place.file) not in own or inside is None:
            continue
        for name in _called(source, inside):
            if user := _user(name, [place.file], texts_of_others(author)):
                return Refusal(_NEEDED.format(name=name, file=place.file, user=user), place)
    return None


def named_elsewhere(source: CxxSource, path: Path, names: Sequence[str]) -> bool:
    """Whether a file of the project says one of some names of a text with headers in it, and is
    none of its files."""
    here = {os.path.realpath(file) for file in {one.file for one in source.lines}}
    texts = project_texts(path) if here else {}
    others = {one: text for one, text in texts.items() if str(one) not in here}
    return any(_user(name, here, others) for name in names)


def _user(name: str, headers: Iterable[str], others: Mapping[Path, str]) -> str:
    """A file that names something of some headers; empty for none, also where no file includes
    one of them: then it is another thing."""
    if not includers([Path(os.path.realpath(one)) for one in headers], others):
        return ""
    word = re.compile(rf"\b{re.escape(name)}\b")
    return next((nearby(path) for path, its in others.items() if word.search(its)), "")


def needed(headers: Sequence[EditedFile], others: Mapping[Path, str]) -> str:
    """What changes of headers besides whole kernels and is named by a file that is not compiled
    here; empty if nothing is."""
    for one in headers:
        for name in dict.fromkeys(_shared_names(parse(one.before, one.path), one.text)):
            if user := _user(name, [one.path], others):
                return _NEEDED.format(name=name, file=one.path, user=user)
    return ""


def _shared_names(source: CxxSource, after: str) -> Iterator[str]:
    """The names by which other files may use what changes of a header: of functions that are no
    kernels, and of what stands in none."""
    lines, begin = source.data.split(b"\n"), [0]
    for line in lines:
        begin.append(begin[-1] + len(line) + 1)
    for tag, i, j, _, _ in opcodes(lines_of(source.text), lines_of(after)):
        if tag == "insert" and (inside := _function_at(source, max(0, begin[i] - 1), begin[i])):
            yield from _called(source, inside)
        for number in range(i, j) if tag in ("replace", "delete") else ():
            first = begin[number] + len(lines[number]) - len(lines[number].lstrip())
            inside = _function_at(source, first, begin[number] + len(lines[number].rstrip()))
            yield from _declared(lines[number]) if inside is None else _called(source, inside)


_NAMES = re.compile(r"([A-Za-z_]\w*)\s*(?:=(?!=)|\[)|#\s*define\s+(\w+)")


def _declared(line: bytes) -> list[str]:
    """What a line outside of functions declares, else all words of it."""
    found = [one or other for one, other in _NAMES.findall(line.decode())]
    return found or re.findall(r"[A-Za-z_]\w*", line.decode())


def _function_at(source: CxxSource, start: int, stop: int) -> Node:
    """The function that bytes stand in; None for none."""
    node = source.root.descendant_for_byte_range(start, stop)
    while node is not None and node.type != "function_definition":
        node = node.parent
    return node


def _called(source: CxxSource, function: Node) -> Iterator[str]:
    """The name of a function that is no kernel."""
    head = source.of(function).partition("{")[0]
    names = (node for node in walk(function) if node.type == "function_declarator")
    first = next(names, None)
    if "__global__" not in head and first is not None:
        yield source.of(first.child_by_field_name("declarator")).rpartition("::")[2]


def said_users(headers: Sequence[Path], others: Mapping[Path, str]) -> str:
    """What there is to say of who else includes some headers that change."""
    found = includers([one.resolve() for one in headers], others)
    also = [nearby(one) for one in found]
    names = listed([one.name for one in headers])
    if not also:
        return _ALONE.format(names=names)
    most = also[:_MOST]
    more = [f"{len(also) - _MOST} more"] * (len(also) > _MOST)
    return _SHARED.format(names=names, also=listed([*most, *more]))


_MOST = 4
"""Files that are named."""
_NEEDED = (
    "{name} of {file} would change, which {user} names, and that is not compiled here: what is "
    "judged would not be all that changes"
)
_ALONE = (
    "whoever includes {names} gets what changes there; no other file of this project is seen to"
)
_SHARED = (
    "whoever includes {names} gets what changes there: {also}, not compiled here: check these as "
    "well"
)
