"""Lines ``#pragma unroll`` before loops: what the compiler unrolled before, it unrolls again.

    #pragma unroll 16
    for (int i = t; i < 128 * 16; i += 128) p[i + (i >> 5) * 4] = points[i];

They change nothing that is computed; what they make of a text is decided by what is emitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from bankwise.change.cxx.spelling import CxxEdit, Spelling
from bankwise.read.cxx.arrays import SharedArray
from bankwise.read.cxx.tree import ByteSpan, CxxSource, Node, in_macro


def under_pragma(written: Spelling, lines: Sequence[int], hint: str) -> Spelling:
    """A way to write a map, and a line before each of the loops that begin at these bytes."""
    edits = (*written.edits, *(CxxEdit(ByteSpan(at, at), f"{hint}\n") for at in lines))
    return replace(written, edits=edits, text=f"{written.text}, under {hint}")


def line_of(source: CxxSource, loop: Node) -> int | None:
    """The byte at which a loop's line begins; None where no pragma can stand before it, or one
    does."""
    line = source.data.rfind(b"\n", 0, loop.start_byte) + 1
    before = source.data[:line].rstrip().rsplit(b"\n", 1)[-1]
    alone = not source.data[line : loop.start_byte].strip()
    free = b"#pragma" not in before and not before.endswith(b"\\")
    return line if alone and free else None


def staging_lines(source: CxxSource, array: SharedArray) -> tuple[int, ...]:
    """The lines, by byte, of the innermost loops that assign to elements of an array."""
    return tuple(sorted(set(_staging(source, array))))


def _staging(source: CxxSource, array: SharedArray) -> Iterator[int]:
    for use in array.uses:
        if not use.indices or in_macro(source, use.span):
            continue
        node = source.root.named_descendant_for_byte_range(use.span.start, use.span.stop)
        assigned = index = False
        while node is not None and node.type not in ("function_definition", "lambda_expression"):
            index |= node.type == "subscript_argument_list"
            if node.type == "assignment_expression" and not index:
                left = node.child_by_field_name("left")
                assigned |= left.start_byte <= use.span.start and use.span.stop <= left.end_byte
            if node.type == "for_statement":
                line = line_of(source, node)
                if assigned and line is not None:
                    yield line
                break
            node = node.parent
