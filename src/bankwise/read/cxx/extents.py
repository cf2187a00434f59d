"""Whether indices stay inside their extents, asked of the compiler: it knows macros, templates and
what guards what.

    s[r][c]  ->  s[r][({ auto i = (c); at(3); if (i < 0 || i >= 32) out(3); else in(3); i; })]

What stands there is text for the assembler, so the compiler moves none of it. Where it finds that
an index never leaves its extent, whatever a launch gives it, no ``out`` is left; where it always
does, no ``in``; where nothing gets there, nothing. The first index of an array is not asked for:
who leaves by it leaves the array.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.inserted import Around, with_insertions
from bankwise.read.cxx.pieces import constant
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, every, named, node_at
from bankwise.read.cxx.uses import ArrayUse
from bankwise.read.launch.facts import Size
from bankwise.read.source import SourceLanguage

Staying = Literal["inside", "outside", "open", "dead"]
"""What a compiler finds of an index: always, never, either; or that nothing gets there."""


class AskedIndex(Struct, frozen=True):
    """An index that has to be 0 or more and ``below`` a number, by what is declared; of the use
    ``whole`` of ``array``, by its number among those asked about. ``fixed``: every index before it
    is a constant; ``alike``: the number is one in all kernels."""

    array: int
    whole: ByteSpan
    index: ByteSpan
    below: int
    fixed: bool
    alike: bool = True


def asked_indices(
    source: CxxSource, arrays: Mapping[int, tuple[SharedArray, Sequence[ArraySize]]]
) -> tuple[AskedIndex, ...]:
    """The indices of arrays that may leave a row, each once, without numbers that do not.
    ``arrays``: each, by its number, with its sizes."""
    found: dict[ByteSpan, AskedIndex] = {}
    for number, (array, sizes) in arrays.items():
        for use in filter(_is_asked, array.uses):
            for one in _asked_of(source, number, use, sizes):
                other = found.get(one.index, one)
                least = min(one, other, key=lambda each: each.below)
                alike = one.alike and other.alike and one.below == other.below
                found[one.index] = AskedIndex(
                    *(one.array, one.whole, one.index, least.below),
                    fixed=one.fixed or other.fixed,
                    alike=alike,
                )
    return tuple(found[at] for at in sorted(found) if not _literal(source, found[at]))


def _asked_of(
    source: CxxSource, array: int, use: ArrayUse, sizes: Sequence[ArraySize]
) -> Iterator[AskedIndex]:
    for depth, index in enumerate(use.indices[1:], 1):
        most = {_below(use, size, depth) for size in sizes}
        fixed = all(constant(source, node_at(source, one)) for one in use.indices[:depth])
        yield AskedIndex(array, use.span, index, min(most), fixed, len(most) == 1)


def _below(use: ArrayUse, size: ArraySize, depth: int) -> int:
    """What an index is below, so that all that is moved from there is in its row. Vectors of a
    power of two lie at multiples of themselves, by the rules of the hardware."""
    if depth < len(size.extents) - 1:
        return size.extents[depth]
    step = size.scale(use.scale) or size.element_bytes
    row = size.extents[-1] * size.element_bytes
    moved = max((step, *(size.scale(text) for text in use.kept)))
    if moved & (moved - 1) == 0:
        return row // step
    return max((row - moved) // step + 1, 0)


def _literal(source: CxxSource, one: AskedIndex) -> bool:
    """Whether an index is a number that stays inside."""
    text = source.of(one.index)
    return bool(re.fullmatch(r"0|[1-9]\d{0,8}", text)) and int(text) < one.below


def with_tags(
    source: CxxSource,
    asked: Sequence[AskedIndex],
    language: SourceLanguage,
    blocks: Sequence[Size],
) -> str:
    """The text with what is asked of indices, by their number, for launches of some ``blocks``."""
    known = _blocks(blocks)
    tags = [
        _tagged(one.index, number, str(one.below), language, known)
        for number, one in enumerate(asked)
    ]
    return with_insertions(source, (*_known_at(source, known), *tags))


def early_tags(
    source: CxxSource,
    arrays: Sequence[SharedArray],
    language: SourceLanguage,
    blocks: Sequence[Size],
) -> tuple[dict[ByteSpan, int], list[Around]]:
    """The same before anybody knows how large the arrays are: the compiler is told what an index
    has to be below as it stands in the text, and tells the number (:func:`told_below`). The indices
    by their number; some cannot be asked so."""
    known, numbers, tags = _blocks(blocks), dict[ByteSpan, int](), list[Around]()
    for array in arrays:
        for use in (one for one in array.uses if _is_asked(one)):
            for depth, index in enumerate(use.indices[1:], 1):
                below = _below_text(source, array, use, depth)
                if below and index not in numbers:
                    number = numbers[index] = len(numbers)
                    remark = (
                        f'asm volatile("{language.remark} bankwise_below {number} %0" :: '
                        f'"n"((int)({below})));'
                    )
                    tags.append(_tagged(index, number, below, language, f"{known} {remark}"))
    return numbers, [*_known_at(source, known), *tags] if tags else []


def told_below(emitted: str) -> dict[int, set[int]]:
    """What the compiler took each index, by its number, to have to be below."""
    found: dict[int, set[int]] = defaultdict(set)
    for number, below in re.findall(r"\bbankwise_below (\d+) (-?\w+)", emitted):
        found[int(number)].add(int(below, 0))
    return found


def _is_asked(use: ArrayUse) -> bool:
    return bool(use.indices) and not use.flat and not use.size


def _below_text(source: CxxSource, array: SharedArray, use: ArrayUse, depth: int) -> str:
    """:func:`_below` in C++; empty where the text has no name for the row of the array."""
    row = _row_text(source, array, use, depth)
    if not row:
        return ""
    if depth < len(array.extents) + array.unsized - 1:
        return f"(long long)(sizeof({row}) / sizeof(({row})[0]))"
    length, step = f"(long long)sizeof({row})", use.scale or f"sizeof(({row})[0])"
    step = moved = f"(long long)({step})"
    for kept in use.kept:
        moved = f"({moved} > (long long)({kept}) ? {moved} : (long long)({kept}))"
    last = f"({length} < {moved} ? 0 : ({length} - {moved}) / {step} + 1)"
    return f"(({moved} & ({moved} - 1)) == 0 ? {length} / {step} : {last})"


def _row_text(source: CxxSource, array: SharedArray, use: ArrayUse, depth: int) -> str:
    """What an index counts in: by the array's name where that is declared, else by what stands
    before the bracket."""
    block = node_at(source, array.statement).parent
    inside = block is not None and block.start_byte < use.span.start < block.end_byte
    if array.function and inside and use.span.start >= array.statement.stop:
        return array.name + "[0]" * depth
    before = source.data[use.span.start : use.indices[depth].start].decode().rstrip()
    return before[:-1] if before.endswith("[") else ""


def _known_at(source: CxxSource, known: str) -> Iterator[Around]:
    """What is known of blocks, where kernels begin."""
    for function in every(source, "function_definition"):
        body = function.child_by_field_name("body")
        head = body and source.data[function.start_byte : body.start_byte]
        if body is not None and b"__global__" in head:
            yield Around(ByteSpan(body.start_byte + 1, body.start_byte + 1), f" {known}")


def _tagged(
    index: ByteSpan, number: int, below: str, language: SourceLanguage, known: str
) -> Around:
    """What stands around an index that has to be below a number."""
    name = f"bankwise_{number}"
    at, inside, outside = (
        f'asm volatile("{language.tag.format(kind, number)}");' for kind in ("at", "in", "out")
    )
    return Around(
        index,
        f"({{ auto {name} = (",
        f"); {known} {at} if ((long long){name} < 0) {outside} else if ((long long){name} >= "
        f"{below}) {outside} else {inside} {name}; }})",
    )


def _blocks(blocks: Sequence[Size]) -> str:
    """What is known of a thread's place in blocks like these, as a statement."""
    parts: list[str] = []
    for axis, lengths in zip("xyz", zip(*blocks, strict=True), strict=True):
        parts.append(f"threadIdx.{axis} < {max(lengths)}u")
        if len(set(lengths)) == 1:
            parts.append(f"blockDim.{axis} == {lengths[0]}u")
    return " ".join(
        f"{{ const bool bankwise_is = {one}; __builtin_assume(bankwise_is); }}" for one in parts
    )


def staying(
    emitted: str,
    asked: Sequence[AskedIndex],
    numbers: Sequence[int],
    *,
    sure: bool = True,
) -> tuple[Staying, ...]:
    """What the compiler found of each index. ``numbers``: theirs in the text; ``sure``: all of it
    is of kernels in which they have to be below those numbers."""
    left: Mapping[int, set[str]] = defaultdict(set)
    for kind, number in re.findall(r"\bbankwise_(at|in|out),? (\d+)", emitted):
        left[int(number)].add(kind)
    return tuple(
        _found(left[number], sure and one.alike) for number, one in zip(numbers, asked, strict=True)
    )


def _found(left: set[str], sure: bool) -> Staying:
    if "at" not in left:
        return "dead"
    if "out" not in left:
        return "inside"
    return "open" if "in" in left or not sure else "outside"


def guards_of(source: CxxSource, inside: ByteSpan) -> tuple[str, ...]:
    """What has to hold where a place is reached, as the text says it, the innermost first; not what
    returns, jumps and macros say."""
    found: list[str] = []
    node = node_at(source, inside)
    while node is not None and node.type not in ("function_definition", "lambda_expression"):
        parent = node.parent
        if parent is not None and (text := _guard(source, parent, node)):
            found.append(text)
        node = parent
    return tuple(found)


def _guard(source: CxxSource, parent: Node, node: Node) -> str:
    """What a statement or an expression asks before it goes to one of its parts."""
    part, test = _part(parent, node), parent.child_by_field_name("condition")
    if parent.type == "binary_expression" and part == "right":
        left, sign = source.of(named(parent)[0]), source.of(parent.child_by_field_name("operator"))
        return {"&&": left, "||": f"not {left}"}.get(sign, "")
    if parent.type == "case_statement":
        value = parent.child_by_field_name("value")
        return f"case {source.of(value)}" if value is not None and part != "value" else ""
    if test is None or part not in ("consequence", "alternative", "body", "update"):
        return ""
    text = " ".join(source.of(test).split())
    text = text[1:-1] if text[:1] == "(" and text[-1:] == ")" else text
    return f"not {text}" if part == "alternative" else text


def _part(parent: Node, node: Node) -> str:
    """What a node is called in its parent; empty for nothing."""
    names = (parent.field_name_for_child(n) for n, one in enumerate(parent.children) if one == node)
    return next(names, None) or ""
