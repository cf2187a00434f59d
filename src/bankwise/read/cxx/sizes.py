"""How large arrays are, asked of the compiler: extents may be macros, template parameters, sums.

Behind each declaration goes a comment for the assembler, which the compiler fills in:

    __shared__ T tile[N][N + 1];  asm volatile("// bankwise 0 %0 %1 %2" :: "n"(sizeof(tile)), ..);

In the emitted text it stands once in each kernel, so each instantiation of a template has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bankwise.errors import InputError, Refusal
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.source import Compilation, EmittedPart, SourceLanguage

_NOTE = re.compile(r"bankwise (\d+)((?: (?:0x[\da-f]+|\d+)\b)*)(?: ([\w.$]+)(?:\+(\d+))?)?")


@dataclass(frozen=True, slots=True)
class ArraySize:
    """An array in one kernel. ``bytes_``: of all of it, 0 if the launch decides; ``extents``: its
    elements along each dimension, of an unsized first one 0; ``element_bytes``; ``kept_bytes``: the
    most bytes that a use moves together; ``start``: its first byte in the block's shared memory.
    """

    bytes_: int
    element_bytes: int
    extents: tuple[int, ...]
    kept_bytes: int
    start: int


Sizes = Mapping[str, Mapping[int, ArraySize]]
"""By kernel, as the compiler calls it, and number of the array."""


def sizes(
    source: CxxSource,
    arrays: Sequence[SharedArray],
    language: SourceLanguage,
    what: Compilation,
) -> Sizes | Refusal:
    """The arrays of each kernel that has them. A Refusal in the compiler's words."""
    asking = replace(what, text=_with_questions(source, arrays, language))
    try:
        emitted = language.emitted(asking)
    except InputError as error:
        return Refusal(f"the sizes of its arrays: {error.message}", error.location)
    return {part.kernel: _answers(part, arrays) for part in language.parts(emitted)}


def _with_questions(
    source: CxxSource, arrays: Sequence[SharedArray], language: SourceLanguage
) -> str:
    data, done = source.data, []
    at = 0
    for number, array in sorted(enumerate(arrays), key=lambda one: one[1].statement.stop):
        done.append(data[at : array.statement.stop])
        at = array.statement.stop
        if array.function:
            done.append(_question(number, array, language).encode())
    return b"".join((*done, data[at:])).decode()


def _question(number: int, array: SharedArray, language: SourceLanguage) -> str:
    rows = [
        f"{array.name}{'[0]' * depth}" for depth in range(len(array.extents) + array.unsized + 1)
    ]
    kept = sorted({bytes_ for use in array.uses for bytes_ in use.kept})
    asked = [*(f"sizeof({row})" for row in rows[array.unsized :]), *kept]
    slots = " ".join(f"%{n}" for n in range(len(asked)))
    values = [f'"n"((int)({one}))' for one in asked]
    if language.place:
        slots, values = f"{slots} %c{len(asked)}", [*values, language.place.format(array.name)]
    words = f"{language.remark} bankwise {number} {slots}"
    return f' asm volatile("{words}" :: {", ".join(values)});'


def _answers(part: EmittedPart, arrays: Sequence[SharedArray]) -> dict[int, ArraySize]:
    """What the compiler wrote in one kernel; with the places that its variables have."""
    found: dict[int, ArraySize] = {}
    for note in _NOTE.finditer(part.text):
        number, array = int(note[1]), arrays[int(note[1])]
        start = _start(array, part.variables) if note[3] is None else _behind(note, part)
        if start is not None:
            found[number] = _size(array, tuple(int(one, 0) for one in note[2].split()), start)
    return found


def _size(array: SharedArray, told: tuple[int, ...], start: int) -> ArraySize:
    rows = len(array.extents) + 1
    sizes_, kept = told[:rows], told[rows:]
    extents = [a // b for a, b in pairwise(sizes_)]
    element = sizes_[-1]
    return ArraySize(
        bytes_=0 if array.unsized else sizes_[0],
        element_bytes=element,
        extents=(*([0] if array.unsized else []), *extents),
        kept_bytes=max((element, *kept)),
        start=start,
    )


def _behind(note: re.Match[str], part: EmittedPart) -> int | None:
    """``variable+4224``."""
    start = dict(part.variables).get(note[3])
    return None if start is None else start + int(note[4] or 0)


def _start(array: SharedArray, placed: Iterable[tuple[str, int]]) -> int | None:
    """Of the one variable that is called as the compiler mangles the array's name.

    None where several are: arrays of one name in two blocks.
    """
    own = rf"E{len(array.name)}{re.escape(array.name)}(?:_\d+)?"
    found = [at for name, at in placed if name == array.name or re.search(own + "$", name)]
    return found[0] if len(found) == 1 else None
