"""How large arrays are, asked of the compiler: extents may be macros, template parameters, sums.

Behind each declaration goes a comment for the assembler, which the compiler fills in:

    __shared__ T tile[N][N + 1];  asm volatile("// bankwise 0 %0 %1 %2" :: "n"(sizeof(tile)), ..);

In the emitted text it stands once in each kernel, so each instantiation of a template has its own.
Where a pointer begins inside an array, the constants that its distance is a multiple of are asked
at that place: of ``p + stage * (BM * BK)`` it is ``BM * BK``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import gcd

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError, Refusal
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.inserted import Around, with_insertions
from bankwise.read.cxx.multiples import DEPTH, if_whole, multiples
from bankwise.read.cxx.pieces import constant
from bankwise.read.cxx.terms import meant, terms_of
from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, node_at
from bankwise.read.cxx.uses import MACRO, ArrayUse
from bankwise.read.source import Compilation, EmittedPart, SourceLanguage

_NUMBER = r"-?(?:0x[\da-f]+|\d+)"
_NOTE = re.compile(
    rf"bankwise (\d+)((?: {_NUMBER}\b)*)(?: ([\w.$]+)(?:\+(\d+))?)?\s*$", re.MULTILINE
)
_BASE = re.compile(rf"bankwise (\d+) base (\d+)((?: {_NUMBER}\b)*)")


_ROWS = re.compile(rf"bankwise (\d+) (stride|row) (\d+) (\d+)((?: {_NUMBER}\b)*)")
_TERM = re.compile(rf"bankwise (\d+) term (\d+) (\d+)((?: {_NUMBER}\b)*)")

TermFact = tuple[int, int]
"""What a term is a multiple of, and its largest value where none is below zero; -1 else."""


class ArraySize(Struct, frozen=True):
    """An array in one kernel. ``bytes_``: of all of it, 0 if the launch decides; ``extents``: its
    elements along each dimension, of an unsized first one 0; ``element_bytes``; ``kept_bytes``: the
    most bytes that a use moves together; ``start``: its first byte in the block's shared memory.
    ``scales``: bytes of each type in ``kept`` and ``scale`` of the uses, as C++ says it;
    ``aligned``: pointers into it begin at multiples of so many elements, 0 for at its start alone.
    ``room``: the bytes of the variable it lies in, none of them where the launch decides;
    ``terms``: what is known of the terms of its uses' indices, by number of the use; ``strides``:
    of those at which a matrix begins how many elements its rows are apart, 0 where nobody knows it;
    ``rows``: what the indices before the last of such a use are multiples of.
    """

    bytes_: int
    element_bytes: int
    extents: tuple[int, ...]
    kept_bytes: int
    start: int
    scales: tuple[tuple[str, int], ...] = ()
    aligned: int = 0
    room: tuple[int, int] = (0, 0)
    terms: tuple[tuple[int, tuple[TermFact, ...]], ...] = ()
    strides: tuple[tuple[int, tuple[int, ...]], ...] = ()
    rows: tuple[tuple[int, tuple[int, ...]], ...] = ()

    @property
    def flat(self) -> bool:
        """Whether one index names an element."""
        return len(self.extents) == 1

    @property
    def columns(self) -> int:
        """Elements of a row; of a flat array all."""
        return self.extents[-1] or self.bytes_ // self.element_bytes

    def facts(self, use: int) -> tuple[TermFact, ...]:
        """What is known of the terms of a use's last index."""
        return dict(self.terms).get(use, ())

    def apart(self, use: int) -> tuple[int, ...]:
        """How far apart rows are that begin at a use."""
        return dict(self.strides).get(use, ())

    def row_facts(self, use: int) -> tuple[int, ...]:
        """What the indices of a use before the last are multiples of."""
        return dict(self.rows).get(use, ())

    def scale(self, text: str) -> int:
        """The bytes of a type that uses name."""
        return dict(self.scales).get(text, 0) if text else self.element_bytes


Sizes = Mapping[str, Mapping[int, ArraySize]]
"""By kernel, as the compiler calls it, and number of the array."""


def sizes(
    source: CxxSource,
    arrays: Sequence[SharedArray],
    language: SourceLanguage,
    what: Compilation,
) -> Sizes | Refusal:
    """The arrays of each kernel that has them. A Refusal in the compiler's words."""
    why: Refusal | None = None
    for terms in (True, False):
        text = with_insertions(source, questions(source, arrays, language, terms=terms))
        try:
            emitted = language.emitted(replace(what, text=text))
        except InputError as error:
            why = Refusal(f"the sizes of its arrays: {error.message}", error.location)
            continue
        return answers(emitted, arrays, language)
    assert why is not None, "it was asked twice"
    return why


def answers(emitted: str, arrays: Sequence[SharedArray], language: SourceLanguage) -> Sizes:
    """The arrays of each kernel, in what is emitted of a text with :func:`questions`."""
    known = emitted if CALLS.search(emitted) else ""
    parts = language.parts(emitted)
    return {part.kernel: _answers(part, arrays, known or part.text) for part in parts}


def questions(
    source: CxxSource,
    arrays: Sequence[SharedArray],
    language: SourceLanguage,
    *,
    terms: bool = True,
) -> list[Around]:
    """What is asked of arrays; ``terms``: also of those of their indices."""
    asked_: list[Around] = []
    for number, array in enumerate(arrays):
        for at in _asked_at(source, array):
            asked_.append(Around(ByteSpan(at, at), _question(number, array, language)))
        for spot, called, asked in _asked_inside(source, array, terms):
            remark = _remark(f"{language.remark} bankwise {number} {called}", asked)
            asked_.append(Around(spot, f"({{{remark} ", "; })"))
    return asked_


def _asked_inside(
    source: CxxSource, array: SharedArray, terms: bool
) -> Iterator[tuple[ByteSpan, str, list[str]]]:
    """What is asked where pointers begin, and of the terms of indices: where, as what, which."""
    for count, base in enumerate(array.bases):
        factors = multiples(source, _node(source, base.span.start, base.span.stop))
        scale = base.scale or f"sizeof({array.element})"
        yield (
            base.span,
            f"base {count}",
            [f"({if_whole(one, '1')}) * (int)({scale})" for one in factors],
        )
    matrices = [(count, use) for count, use in enumerate(array.uses) if use.strides and terms]
    last = len(array.extents) + array.unsized - 1
    yield from _asked_of_rows(source, matrices, last)
    for count, use in enumerate(array.uses if terms else ()):
        if len(use.indices) <= (0 if use.flat else last) or (use.flat and not array.flat):
            continue
        index = use.indices[-1]
        for place, term in enumerate(terms_of(source, meant(source, index), DEPTH)):
            factors = [if_whole(one, "1") for one in term.multiples]
            asked = [if_whole(term.bound or "-1", "-1"), *factors]
            yield index, f"term {count} {place}", asked


def _asked_of_rows(
    source: CxxSource, matrices: Sequence[tuple[int, ArrayUse]], last: int
) -> Iterator[tuple[ByteSpan, str, list[str]]]:
    """How far apart the rows of matrices are, and in which rows of the array these begin. ``last``:
    the place of the last index; a row by itself, ``s[r]``, has none there."""
    for count, use in matrices:
        for place, at in enumerate(use.strides):
            known = constant(source, node_at(source, at))
            yield at, f"stride {count} {place}", [source.of(at) if known else "0"]
        for place, index in enumerate(use.indices[:last]):
            factors = multiples(source, node_at(source, index), DEPTH)
            yield index, f"row {count} {place}", [if_whole(one, "1") for one in factors]


def _asked_at(source: CxxSource, array: SharedArray) -> Iterator[int]:
    """Behind the declaration; of an array at file scope where functions begin that use it."""
    if array.function:
        yield array.statement.stop
        return
    bodies = set()
    macros = {at for (_, place), seen in array.given if place == MACRO for at in seen}
    for at in (*(use.span.start for use in array.uses), *macros):
        node = _node(source, at, at + 1)
        while node is not None and node.type != "function_definition":
            node = node.parent
        body = node.child_by_field_name("body") if node is not None else None
        own = rf"\b{re.escape(array.root)}\b"
        if body is not None and (at in macros or re.search(own, source.of(body))):
            bodies.add(body.start_byte + 1)
    yield from sorted(bodies)


def _node(source: CxxSource, start: int, stop: int) -> Node:
    return source.root.named_descendant_for_byte_range(start, stop)


def _question(number: int, array: SharedArray, language: SourceLanguage) -> str:
    rows = [
        f"{array.name}{'[0]' * depth}" for depth in range(len(array.extents) + array.unsized + 1)
    ]
    sized = [f"sizeof({row})" for row in rows[array.unsized :]]
    asked = [array.room, array.offset, *sized, *_scales(array)]
    place = language.place.format(array.root)
    return _remark(f"{language.remark} bankwise {number}", asked, place)


def _scales(array: SharedArray) -> list[str]:
    """What its uses say of types and bytes."""
    said = {text for use in array.uses for text in (*use.kept, use.scale) if text}
    return sorted(said)


def _remark(text: str, asked: Sequence[str], place: str = "") -> str:
    slots = " ".join(f"%{n}" for n in range(len(asked)))
    values = [f'"n"((int)({one}))' for one in asked]
    if place:
        slots, values = f"{slots} %c{len(asked)}", [*values, place]
    return f' asm volatile("{text} {slots}" :: {", ".join(values)});'


CALLS = re.compile(r"^\s*(?:call(?:\.uni)?\b|s_swappc_b64)", re.MULTILINE)


def _answers(part: EmittedPart, arrays: Sequence[SharedArray], known: str) -> dict[int, ArraySize]:
    """What the compiler wrote in one kernel; with the places that its variables have. ``known``:
    where it says what holds inside functions: everywhere, if some are called and not inlined."""
    found: dict[int, ArraySize] = {}
    for note in _NOTE.finditer(part.text):
        number, array = int(note[1]), arrays[int(note[1])]
        start = _behind(note, part, array.root) if note[3] else _start(array, part.variables)
        if start is not None:
            told = _numbers(note[2])
            size = _size(array, told[2:], start + told[1])
            found[number] = replace(size, room=(start, start + told[0]))
    for number in found:
        aligned = _aligned(known, arrays, number, found[number])
        found[number] = replace(
            found[number],
            aligned=aligned,
            terms=_terms(known, number),
            strides=_rows(known, number, "stride"),
            rows=_rows(known, number, "row"),
        )
    return _pieces(found, arrays, part)


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(one, 0) for one in text.split())


def _aligned(known: str, arrays: Sequence[SharedArray], number: int, size: ArraySize) -> int:
    told: dict[int, int] = {}
    for note in _BASE.finditer(known):
        if int(note[1]) == number:
            told[int(note[2])] = gcd(told.get(int(note[2]), 0), *_numbers(note[3]))
    if len(told) < len(arrays[number].bases):
        return 1
    multiple = gcd(*told.values()) if told else 0
    return multiple // size.element_bytes if multiple % size.element_bytes == 0 else 1


def _terms(known: str, number: int) -> tuple[tuple[int, tuple[TermFact, ...]], ...]:
    """What is known of the terms of each use; several copies of it have to agree."""
    found: dict[int, dict[int, TermFact]] = {}
    for note in _TERM.finditer(known):
        if int(note[1]) != number:
            continue
        use, (most, *factors) = found.setdefault(int(note[2]), {}), _numbers(note[4])
        before = use.get(int(note[3]), (gcd(*factors), most))
        largest = max(before[1], most) if min(before[1], most) >= 0 else -1
        use[int(note[3])] = (gcd(before[0], *factors), largest)
    return tuple((use, tuple(one[n] for n in sorted(one))) for use, one in sorted(found.items()))


def _rows(known: str, number: int, what: str) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """What is known of the rows that a use begins at; several copies of it have to agree on how far
    apart they are."""
    found: dict[int, dict[int, int]] = {}
    for note in _ROWS.finditer(known):
        if (int(note[1]), note[2]) != (number, what):
            continue
        use, place, told = found.setdefault(int(note[3]), {}), int(note[4]), gcd(*_numbers(note[5]))
        before = use.get(place, told)
        use[place] = gcd(before, told) if what == "row" else told * (before == told)
    return tuple((use, tuple(one[n] for n in sorted(one))) for use, one in sorted(found.items()))


def _pieces(
    found: dict[int, ArraySize], arrays: Sequence[SharedArray], part: EmittedPart
) -> dict[int, ArraySize]:
    """Pieces end where the next one begins; those that begin at one byte are not told apart, and
    have no size. The last one ends with its pool: 0 bytes where the launch decides."""
    out = dict(found)
    for number, size in found.items():
        array = arrays[number]
        if not array.piece:
            continue
        same = [s for n, s in found.items() if n != number and arrays[n].root == array.root]
        behind = [one.start for one in same if one.start >= size.start]
        if size.start in behind:
            out.pop(number)
        elif behind:
            out[number] = _long(size, min(behind) - size.start)
    return out


def _long(size: ArraySize, bytes_: int) -> ArraySize:
    """A piece of so many bytes."""
    row = size.element_bytes
    for extent in size.extents[1:]:
        row *= extent
    return replace(size, bytes_=bytes_, extents=(bytes_ // row, *size.extents[1:]))


def ended(size: ArraySize, shared_bytes: int) -> ArraySize:
    """The last piece of a pool, or an unsized array: to where its variable ends, or to where what
    the launch gives ends."""
    first, stop = size.room
    stop = stop if stop > first else first + shared_bytes
    return size if size.bytes_ else _long(size, max(stop - size.start, 0))


def _size(array: SharedArray, told: tuple[int, ...], start: int) -> ArraySize:
    rows = len(array.extents) + (not array.unsized)
    sizes_, said = told[: rows + array.unsized], told[rows + array.unsized :]
    extents = [a // b for a, b in pairwise(sizes_)]
    element, scales = sizes_[-1], tuple(zip(_scales(array), said, strict=True))
    kept = {text for use in array.uses for text in use.kept}
    return ArraySize(
        bytes_=0 if array.unsized else sizes_[0],
        element_bytes=element,
        extents=(*([0] if array.unsized else []), *extents),
        kept_bytes=max((element, *(bytes_ for text, bytes_ in scales if text in kept))),
        start=start,
        scales=scales,
    )


def _behind(note: re.Match[str], part: EmittedPart, root: str) -> int | None:
    """``variable+4224``; of one that the launch sizes its own name."""
    placed = dict(part.variables)
    start = placed.get("" if note[3] == root else note[3])
    return None if start is None else start + int(note[4] or 0)


def _start(array: SharedArray, placed: Iterable[tuple[str, int]]) -> int | None:
    """Of the one variable that is called as the compiler mangles the name of an array's root.

    Of several with one name in a function all but the first have a number, by the order of the
    text: the discriminator of the Itanium C++ ABI, section 5.1.6.
    """
    number = f"_{array.twin - 1}" if 0 < array.twin <= 10 else "(?:_\\d+)?"
    several = [name for name, _ in placed if re.search(_mangled(array) + r"_\d+$", name)]
    number = "" if several and not array.twin else number
    own = re.compile(_mangled(array) + number + "$")
    found = [
        at for name, at in placed if array.root in (name, _in_namespace(name)) or own.search(name)
    ]
    return found[0] if len(found) == 1 else None


def _in_namespace(name: str) -> str:
    """The name of a variable of a namespace, as one that the launch sizes is wherever it stands:
    ``_ZN4tile3sumE`` is ``tile::sum``. Empty for any other."""
    inner, rest = "", name[3:] if name.startswith("_ZN") else ""
    while found := re.match(r"\d+", rest):
        stop = found.end() + int(found[0])
        inner, rest = rest[found.end() : stop], rest[stop:]
    return inner if rest == "E" else ""


def _mangled(array: SharedArray) -> str:
    return rf"E{len(array.root)}{re.escape(array.root)}"
