"""What compilers print against a source, as one error at the author's line.

    k.cu(5): error: expected a ";"                      nvcc
    At end of source: error: expected a "}"
    k.cu(2): note #3196-D: to match this "{"
    k.hip:2:10: fatal error: 'a.h' file not found       clang, gcc
    k.hip:9:3: note: in instantiation of function template specialization 'f<32>' requested here
              detected during instantiation of "void k<N>() [with N=32]" at line 4      nvcc

A note belongs to the error above it, and stands behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.files import read_text
from bankwise.read.file_names import Name
from bankwise.read.project_files import header_folders, includer, missed_header

_MORE = 3
_LAST_LINES = 4
_SAID = re.compile(
    r"^(?:(?P<file>.+?)(?:\((?P<line>\d+)\)|:(?P<at>\d+)(?::\d+)?)|(?P<end>At end of source)): "
    r"(?:(?P<error>(?:(?:catastrophic|fatal) )?error)|(?P<note>note)|warning|remark)"
    r"(?: #[\w-]+)?: (?P<message>.+)$"
)
_DURING = re.compile(r"^\s+(?P<message>detected during .+)$")
_ASIDE = re.compile(r"\b(?:warning|note|remark)\b|errors? (?:detected|generated)|^Remark:")
_LEFT = re.compile(r"\S*\btmpxft_\S+\.ptx\b")
"""What nvcc hands to ptxas, under a name that is another each time."""

UNKNOWN = (
    r"is undefined|undeclared|not declared|not been declared|unknown type|no (?:type|member) named"
    r"|is not a (?:type|class|template|member)|has no member|has not been|^#error"
)
"""What a compiler says where a macro or a header may be missing, which flags bring."""


class _CompilerLine(Struct, frozen=True):
    """An error at its place, and what a note says of it."""

    place: Location
    message: str
    note: str = ""

    @property
    def text(self) -> str:
        return f"{self.message} ({self.note})" if self.note else self.message


class ToldSource(Struct, frozen=True):
    """What was compiled: the file that the compiler got, what the user calls it and what is
    included from its folder, and the folder of what a compiler leaves, which is soon gone."""

    path: Path
    file: str
    name: Name
    made: Path


def refused(
    printed: str, code: int, compiler: str, source: ToldSource, hints: Sequence[tuple[str, str]]
) -> InputError:
    """The errors that a ``compiler`` printed, the first at its place; ``hints``: by a pattern on
    what it says, the first that fits."""
    found = tuple(_errors(printed, source))
    told = found[0].message if found else printed
    hint = next(one for sign, one in hints if re.search(sign, told))
    near = _near(told, printed, source) or _meant(told, source)
    hint = f"{near} Else {hint}" if near else hint
    if not found:
        last = _last(printed)
        said = _named("\n  ".join(last), source) or f"exit {code}"
        message = f"{compiler} does not compile it: {said}"
        return InputError(message, location=Location(source.file), hint=hint)
    first, *more = found
    others = [f"\n  {one.place}: {one.text}" for one in more[:_MORE]]
    left = f"\n  and {len(more) - _MORE} more" if len(more) > _MORE else ""
    message = f"{compiler} does not compile it: {first.text}{''.join(others)}{left}"
    return InputError(message, location=first.place, hint=hint)


def _errors(printed: str, source: ToldSource) -> Iterator[_CompilerLine]:
    """Each error with the first note below it."""
    now: _CompilerLine | None = None
    for line in printed.splitlines():
        during, said = _DURING.match(line), _SAID.match(line)
        note = "" if during is None else during["message"]
        if said and said["note"]:
            note = f"{_place(said, source)}: {said['message']}"
        if now is not None and note and not now.note:
            now = replace(now, note=_named(note, source))
        elif said and not said["note"]:
            if now is not None:
                yield now
            message = _named(said["message"], source)
            now = _CompilerLine(_place(said, source), message) if said["error"] else None
    if now is not None:
        yield now


def _place(said: re.Match[str], source: ToldSource) -> Location:
    """Nvcc names no line behind the last one."""
    if said["end"]:
        return Location(source.file, len(read_text(source.path).splitlines()) or 1)
    return Location(source.name(said["file"]), int(said["line"] or said["at"]))


def _last(printed: str) -> list[str]:
    """The last lines, without what is no error where that leaves any."""
    lines = [line for line in printed.splitlines() if line.strip()]
    errors = [line for line in lines if not _ASIDE.search(line)]
    return (errors or lines)[-_LAST_LINES:]


def _named(text: str, source: ToldSource) -> str:
    """With the user's name of the source, and no folder that is gone."""
    told = text.replace(str(source.path), source.file)
    return _LEFT.sub("its PTX", told).replace(f"{source.made}/", "")


_UNDEFINED = re.compile(r"""identifier ['"](\w+)['"](?: is undefined)?""")


def _meant(told: str, source: ToldSource) -> str:
    """What is asked of a name that the source does not declare and that is most like one that it
    has; empty for none."""
    found = _UNDEFINED.search(told)
    if found is None:
        return ""
    words = set(re.findall(r"[A-Za-z_]\w+", read_text(source.path))) - {found[1]}
    meant = next(iter(get_close_matches(found[1], sorted(words), 1, 0.8)), "")
    return f"did you mean {meant}?" if meant else ""


def _near(told: str, printed: str, source: ToldSource) -> str:
    """Where the project has what is missing by the first error, or by any of those ``printed``;
    empty where nothing is found."""
    file = Path(source.file)
    if not file.is_file():
        return ""
    if header := missed_header(told):
        first, *more = header_folders(header, file) or [""]
        others = f" (and in {len(more)} more)" if more else ""
        said = f"{header} lies in {first}{others}: `bankwise check FILE -- -I{first}`."
        return said if first else ""
    return included_by(source.file).rstrip() if re.search(UNKNOWN, printed) else ""


def included_by(file: str) -> str:
    """Which file of the project to ask about instead of one that it includes, as the beginning of a
    hint; empty where none does."""
    whole = includer(Path(file)) if Path(file).is_file() else ""
    return f"{whole} includes this file: `bankwise check {whole}`. " if whole else ""


_COMMAND = re.compile(r"`bankwise check (?=FILE -- |\S+`\.)")


def asked_by(error: InputError, verb: str) -> InputError:
    """An error with the command of the user in its hints, where they name one that takes a source
    and its flags."""
    hint = _COMMAND.sub(f"`bankwise {verb} ", error.hint)
    return InputError(error.message, location=error.location, hint=hint)
