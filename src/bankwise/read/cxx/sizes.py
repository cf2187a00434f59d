"""How large arrays are, asked of the compiler: extents may be macros, template parameters, sums.

Behind each declaration goes a comment for the assembler, which the compiler fills in:

    __shared__ T tile[N][N + 1];  asm volatile("// bankwise 0 %0 %1 %2" :: "n"(sizeof(tile)), ..);

In the PTX it stands once in each kernel, so each instantiation of a template has its own numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bankwise.errors import InputError, Refusal
from bankwise.read.cuda import compiled_ptx
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.ptx.parse import Variable, kernels

_ENTRY = re.compile(r"^\s*(?:\.\w+\s+)*\.entry\s+([\w$]+)", re.MULTILINE)
_NOTE = re.compile(r"// bankwise (\d+)((?: \d+)*)")


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


def sizes(source: CxxSource, arrays: Sequence[SharedArray], target: str) -> Sizes | Refusal:
    """The arrays of each kernel that has them. A Refusal in the compiler's words."""
    text = _with_questions(source, arrays)
    try:
        ptx = compiled_ptx(Path(source.file), target, text)
    except InputError as error:
        return Refusal(f"the sizes of its arrays: {error.message}", error.location)
    return _answers(ptx, arrays)


def _with_questions(source: CxxSource, arrays: Sequence[SharedArray]) -> str:
    data, done = source.data, []
    at = 0
    for number, array in sorted(enumerate(arrays), key=lambda one: one[1].statement.stop):
        done.append(data[at : array.statement.stop])
        at = array.statement.stop
        if array.function:
            done.append(_question(number, array).encode())
    return b"".join((*done, data[at:])).decode()


def _question(number: int, array: SharedArray) -> str:
    rows = [
        f"{array.name}{'[0]' * depth}" for depth in range(len(array.extents) + array.unsized + 1)
    ]
    kept = sorted({bytes_ for use in array.uses for bytes_ in use.kept})
    asked = [*(f"sizeof({row})" for row in rows[array.unsized :]), *kept]
    slots = " ".join(f"%{n}" for n in range(len(asked)))
    values = ", ".join(f'"n"((int)({one}))' for one in asked)
    return f' asm volatile("// bankwise {number} {slots}" :: {values});'


def _answers(ptx: str, arrays: Sequence[SharedArray]) -> Sizes:
    """What the compiler wrote, kernel by kernel; with the places that it gives to variables."""
    found: dict[str, dict[int, ArraySize]] = {}
    starts = list(_ENTRY.finditer(ptx))
    ends = [*(one.start() for one in starts[1:]), len(ptx)]
    variables = {one.name: one.shared for one in kernels(ptx)}
    for entry, end in zip(starts, ends, strict=True):
        placed = places(variables.get(entry[1], ()))
        mine = found.setdefault(entry[1], {})
        for note in _NOTE.finditer(ptx, entry.end(), end):
            number, array = int(note[1]), arrays[int(note[1])]
            start = _start(array, placed)
            if start is not None:
                mine[number] = _size(array, tuple(map(int, note[2].split())), start)
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


def places(variables: Iterable[Variable]) -> list[tuple[str, int]]:
    """Where ptxas puts shared variables: in the order of the text, aligned, the unsized last.

    Seen of ptxas 12 and 13 for sm_80, sm_90 and sm_100; whoever uses it compares with the bytes
    that the machine code touches.
    """
    at, placed = 0, []
    for one in sorted(variables, key=lambda one: one.size_bytes is None):
        at = -(-at // one.alignment_bytes) * one.alignment_bytes
        placed.append((one.name, at))
        at += one.size_bytes or 0
    return placed


def _start(array: SharedArray, placed: Iterable[tuple[str, int]]) -> int | None:
    """Of the one variable that is called as the compiler mangles the array's name.

    None where several are: arrays of one name in two blocks.
    """
    own = rf"E{len(array.name)}{re.escape(array.name)}(?:_\d+)?"
    found = [at for name, at in placed if name == array.name or re.search(own + "$", name)]
    return found[0] if len(found) == 1 else None
