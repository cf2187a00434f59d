"""Accesses at addresses that nobody knows, and of which array each is by its line.

    tile[y][x] = in[t];                        of tile
    atomicAdd(&bins[key[t] & 255], 1);         of bins, wherever it is: no matter to tile

Machine code says the line of an access, and the text all lines at which an array is used: an access
is of another array where its line is one of that, and none of this. A function that takes elements
by reference touches them at lines of its own, as a block does behind a reference to one: nobody
knows whose. What is counted of an array rests on that; that a changed text computes the same does
not.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from bankwise.errors import Location, Refusal
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cxx.arrays import SharedArray, shared_arrays
from bankwise.read.cxx.functions import function_of
from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, block_of, every

Line = tuple[str, int | None]
"""The name of a file, and the number of one of its lines."""


def without_others(kernel: AssemblyKernel, source: CxxSource, array: SharedArray) -> AssemblyKernel:
    """A kernel without what is not known of accesses to other arrays; itself if that is nothing."""
    if not kernel.refusals and not any(one.unknown for one in kernel.accesses):
        return kernel
    others = {line for one in shared_arrays(source) if one != array for line in _lines(source, one)}
    others -= {*_lines(source, array), *_by_reference(source)}

    def is_other(place: Location | None) -> bool:
        return place is not None and (place.file, place.line) in others

    def stays(one: Refusal) -> bool:
        return not (one.access and is_other(one.location))

    refusals = tuple(filter(stays, kernel.refusals))
    accesses = (a for a in kernel.accesses if not (a.unknown and is_other(a.access.location)))
    found = replace(kernel, refusals=refusals, accesses=tuple(accesses))
    same = len(found.refusals) == len(kernel.refusals)
    return kernel if same and len(found.accesses) == len(kernel.accesses) else found


def _lines(source: CxxSource, array: SharedArray) -> Iterator[Line]:
    """All lines of the statements that use an array, begin pointers into it, hand it to a function,
    or use a macro that names it."""
    spans = [*(use.span for use in array.uses), *(base.span for base in array.bases)]
    spans += [ByteSpan(at, at + 1) for _, seen in array.given for at in sorted(seen)]
    for one in spans:
        node = source.root.named_descendant_for_byte_range(one.start, one.stop)
        while node.parent is not None and not _is_whole(node):
            node = node.parent
        yield from _lines_of(source, node)


def _by_reference(source: CxxSource) -> Iterator[Line]:
    """All lines of functions, and of lambdas, that take something by reference, and of blocks that
    declare a reference."""
    for node in every(source, "reference_declarator"):
        kind = node.parent.type
        taken = kind in ("parameter_declaration", "optional_parameter_declaration")
        block = (
            function_of(node) if taken else block_of(node) if kind == "init_declarator" else None
        )
        yield from _lines_of(source, block) if block is not None else ()


def _lines_of(source: CxxSource, node: Node) -> Iterator[Line]:
    for row in range(node.start_point[0], node.end_point[0] + 1):
        place = source.line(row + 1)
        yield place.file, place.line


def _is_whole(node: Node) -> bool:
    kind: str = node.type
    return kind.endswith(("statement", "declaration")) or kind.startswith("preproc_")
