"""Whether two texts of a source are one program: the compiler makes the same code of both.

It shares nothing with who copied functions from one text into the other: names of functions aside,
and the places in the source, the emitted text has to be the same to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from bankwise.read.names import steady
from bankwise.read.source import EmittedPart

_PLACES = r"^[ \t]*\.(?:loc|file)\b.*\n|^\.Ltmp\d+:.*\n|[ \t]*{remark}.*$"
"""Lines that say where in the source code stands, and remarks."""
_DEBUG = re.compile(r"^[ \t]*\.section[ \t]+\.debug.*", re.MULTILINE | re.DOTALL)
_TRIES = 6
_CUID = re.compile(r"__hip_cuid_[0-9a-f]+")
"""What clang puts into names that no other file sees: a hash of the text."""


def code_of(emitted: str, renamed: Mapping[str, str], remark: str) -> str:
    """What is the same of emitted texts that are one program. ``renamed``: functions by the name of
    that whose copy each is; ``remark``: how one begins."""
    for name in sorted(renamed, key=len, reverse=True):
        old = renamed[name]
        emitted = emitted.replace(f"{len(name)}{name}", f"{len(old)}{old}").replace(name, old)
    return _bare(emitted, remark)


def same_in_some(before: Callable[[], str], after: Callable[[], str]) -> bool:
    """Whether a compiler makes the same code of two texts, each of which is compiled when it is
    asked for. nvcc 13.0 makes now one code, now another one of the very same text; so those that
    differ are compiled again, as long as one text has codes that differ among themselves."""
    old, new = [before()], [after()]
    while not set(filter(None, old)) & set(new):
        steady = len(set(old)) == len(set(new)) == 1 < len(old)
        if steady or len(old) == _TRIES:
            return False
        old.append(before())
        new.append(after())
    return True


def changed_kernels(
    before: str, after: str, parts: Callable[[str], Iterable[EmittedPart]], remark: str
) -> frozenset[str] | None:
    """The kernels whose emitted text is another one in the second of two texts; None where the rest
    is, what all of them may use. ``parts``: cuts a text into kernels."""
    texts = []
    for one in (before, after):
        mine, rest = {part.kernel: part.text for part in parts(one)}, one
        for text in mine.values():
            rest = rest.replace(text, "\n", 1)
        texts.append(({name: _bare(text, remark) for name, text in mine.items()}, rest))
    (old, old_rest), (new, new_rest) = texts
    if old.keys() != new.keys() or _bare(old_rest, remark) != _bare(new_rest, remark):
        return None
    return frozenset(name for name, text in new.items() if text != old[name])


def _bare(emitted: str, remark: str) -> str:
    """An emitted text without places in the source, and how far in a line begins: the text that
    lies in machine code has each at its begin."""
    places = re.compile(_PLACES.format(remark=re.escape(remark)), re.MULTILINE)
    bare = _CUID.sub("", steady(places.sub("", _DEBUG.sub("", emitted))))
    return "\n".join(filter(None, map(str.strip, bare.split("\n"))))
