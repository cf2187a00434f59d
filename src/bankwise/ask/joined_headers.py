"""Kernels in the headers of a source: changed there, as part of the source.

    source, headers --joined--> one program --plans, judges--> fixed --apart--> each file

That all ends are one program is no matter of trust: the compiler makes the same code of the joined
text as of the source with its headers, and of the files that are written the same as of the text
that the judges saw. What other files do with a header nobody compiles here: what they may use of it
besides a whole kernel stays as it is.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from bankwise.ask.header_copies import same_program
from bankwise.ask.header_users import needed, said_users, texts_of_others
from bankwise.ask.source_text import Author, CompiledText
from bankwise.change.cxx.same_code import code_of, same_in_some
from bankwise.errors import InputError, Refusal
from bankwise.files import bytes_of, read_text
from bankwise.read.cxx.headers import that_declare_shared
from bankwise.read.cxx.joined import JoinedText, joined_text
from bankwise.read.cxx.tree import CxxSource, parse
from bankwise.read.launch.headers import header_texts, others_folders
from bankwise.read.line_marks import line_mark, line_places
from bankwise.read.names import listed
from bankwise.read.project_files import is_header, is_own
from bankwise.read.source import Compilation
from bankwise.show.fixing import EditedFile, FixReport, Verdict
from bankwise.show.patch import is_patch, patch_path, unified_patch


def joined_source(source: CxxSource, what: Compilation) -> tuple[CxxSource, JoinedText | None]:
    """A source with those of its own headers in it that declare shared memory."""
    others = others_folders(what.flags)

    def own(header: Path) -> bool:
        below = any(header.is_relative_to(folder.resolve()) for folder in others)
        return not below and is_own(header, what.path)

    made = joined_text(source.text, what.path, what.flags, own) if what.path.is_file() else None
    if made is None:
        return source, None
    inside = {one.resolve() for one in made.headers}
    beside = tuple(one for one in source.beside if Path(one[0]).resolve() not in inside)
    return parse(made.text, source.file, line_places(made.text, source.file), beside), made


def with_headers(author: Author, before: CompiledText, why: str) -> tuple[Author, CompiledText]:
    """An author of a source with its own headers in it, where the compiler makes the same code of
    that. ``why`` these stay as they are, "" if nothing speaks against them."""
    source, joined = joined_source(author.source, author.what)
    why = why or _TYPED * author.options.accessor
    if joined is None or why:
        return replace(author, left=tuple(_left_headers(author, joined, why))), before
    what = replace(author.what, text=source.text)
    whole = replace(author, source=source, what=what, joined=joined)
    try:
        made = whole.compiled(source.text)
    except InputError:
        made = None
    if made is None or not same_program(author, before, made):
        names = listed([one.name for one in joined.headers])
        return replace(author, left=(_OTHER.format(names=names),)), before
    return whole, made


def is_folder(output: str) -> bool:
    """Whether an answer goes below a folder."""
    return output.endswith("/") or os.path.isdir(output)


def one_file(output: str) -> str:
    """Why an answer has no place for headers; "" where it may be several files: below a folder, in
    their places, or as a patch."""
    several = not output or is_folder(output) or is_patch(output)
    return "" if several else _ONE_FILE.format(output=output)


def in_files(author: Author, report: FixReport, emitted: str, output: str) -> FixReport | Refusal:
    """An answer about a text as one about its files; a Refusal where that text may not be written
    into them. ``emitted``: what the compiler made of the text on the way, as far as it is known."""
    joined, old, new = author.joined, report.source_text, report.fixed_text
    files: tuple[EditedFile, ...] = (EditedFile(report.before.file, old, new),)
    notes: tuple[str, ...] | Refusal = ()
    if joined is not None:
        files = edited_files(joined, old, new)
    if report.accepted:
        notes = _judged(author, files, new, emitted)
    if isinstance(notes, Refusal) and joined is not None:
        return notes
    if isinstance(notes, Refusal):
        failed = Verdict("proof", "failed", str(notes))
        report = replace(report, verdicts=(failed, *report.verdicts[1:]))
        notes = ()
    changed = tuple(one for one in files if one.before != one.text)
    return replace(
        report,
        source_text=files[0].before,
        fixed_text=files[0].text,
        patch="".join(unified_patch(Path(one.path), one.before, one.text) for one in changed),
        texts=changed if changed[1:] or changed[:1] != files[:1] else (),
        files=tuple((patch_path(Path(one.path)), bytes_of(one.text)) for one in changed)
        * is_folder(output),
        notes=(*notes, *report.notes),
    )


def edited_files(joined: JoinedText, before: str, after: str) -> tuple[EditedFile, ...]:
    """The source first, changed or not, and those of its headers that change. ``before``,
    ``after``: joined texts."""
    old, new = joined.apart(before), joined.apart(after)
    every = (joined.file, *(one for one in joined.headers if old[one] != new[one]))
    return tuple(EditedFile(str(one), old[one], new[one]) for one in every)


def _judged(
    author: Author, files: Sequence[EditedFile], after: str, emitted: str
) -> tuple[str, ...] | Refusal:
    """What there is to say of files that change; a Refusal where they are not the same program as
    the text that was judged, or where a file that is not compiled here may need something as it
    was."""
    joined, path = author.joined, author.what.path
    changed = [one for one in files if one.before != one.text]
    headers = [one for one in changed if Path(one.path) != path or is_header(path)]
    if not changed:
        return Refusal(_NO_FILE)
    others = texts_of_others(author) if headers else {}
    if why := needed(headers, others):
        return Refusal(why)
    texts = {Path(one.path): one.text for one in files}
    if joined and not _is_same(author, joined, after, emitted, texts):
        return Refusal(_NO_FILES)
    return (said_users([Path(one.path) for one in headers], others),) if headers else ()


def _is_same(
    author: Author, joined: JoinedText, after: str, emitted: str, files: Mapping[Path, str]
) -> bool:
    """Whether the files, in the place of the user's, are the same program as the joined text."""
    with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
        root = Path(folder)
        for path in (joined.file, *joined.headers, *joined.beside):
            place = _below(root, path)
            place.parent.mkdir(parents=True, exist_ok=True)
            data = bytes_of(files[path]) if path in files else path.read_bytes()
            real = f'#include "{path.resolve()}"' in after
            mark = line_mark(path.resolve() if real else path, 1)
            place.write_bytes(mark.encode() + data)
        what = replace(author.what, path=_below(root, joined.file), text=None, alone=None)
        what = replace(what, flags=tuple(_mapped(root, what.flags)))
        judged = replace(author.what, text=after, alone=None)
        language, known = author.language, {judged: emitted}

        def code(one: Compilation) -> str:
            text = known.pop(one, "") or language.emitted(one)
            return code_of(text, {}, language.remark)

        try:
            return same_in_some(partial(code, judged), partial(code, what))
        except InputError:
            return False


def _below(root: Path, path: Path) -> Path:
    """Where a file lies in a copy of the tree."""
    return root.joinpath(*Path(os.path.realpath(path)).parts[1:])


def _mapped(root: Path, flags: Sequence[str]) -> Iterator[str]:
    """The flags, with each folder of headers in the copy of the tree before the folder itself."""
    folder = False
    for one in flags:
        path = one if folder else one[2:] if one.startswith("-I") else ""
        if path:
            yield from ((f"-I{_below(root, Path(path))}", f"-I{path}"))
        elif one != "-I":
            yield one
        folder = one == "-I"


def _left_headers(author: Author, joined: JoinedText | None, why: str) -> Iterator[str]:
    """Which headers of a source declare shared memory and stay as they are, in words: its own, and
    ``why``; those of others."""
    what = author.what
    if joined is not None:
        mine = that_declare_shared({one: read_text(one) for one in joined.headers})
        yield f"{listed([one.name for one in mine])}: not changed, since {why}"
        return
    found = that_declare_shared(header_texts(author.source.text, what.path, what.flags))
    if others := [one.name for one in found if not is_own(one, what.path)]:
        yield f"{listed(others)}: not changed, since {_FOREIGN}"


_OTHER = "{names}: not changed, since the compiler makes other code of the source with them in it"
_NO_FILE = "what changes is in no one file"
_NO_FILES = "the compiler makes other code of the files than of the text that was judged"
_ONE_FILE = "-o {output} is one file: --write, -o FOLDER/ and -o FILE.patch change headers as well"
_TYPED = "--accessor puts its types into the source alone: without it headers change as well"
_FOREIGN = "only headers of a source's own project are"
