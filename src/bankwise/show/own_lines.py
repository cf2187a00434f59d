"""The line of the user's own text at which an access stands, and the author's name of what steps.

    __shared__ float tile[32][33];        rows are 33 words apart, columns 1
    x = tile[threadIdx.x][j];             a step of 33 words is one of the index threadIdx.x
    %v = vector.load %a[%i, %j] : memref<64x64xf16, ..>

Two elements of an array whose indices stay within their extents lie as far apart as exactly one
combination of index steps says: a step that is a multiple of one dimension's pitch, and less than
its extent times it, is a step of that index alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path

import numpy as np

from bankwise.counting.lane_terms import lane_steps, lane_terms
from bankwise.counting.reason import Reason
from bankwise.errors import Location
from bankwise.hardware.machine import BANK_BYTES
from bankwise.read.cxx.type_bytes import TYPE_BYTES
from bankwise.regex import regex
from bankwise.show.diagnostics import Diagnostic
from bankwise.show.values import CheckReport

_LARGEST = 16 << 20
"""Bytes of a file of which lines are shown."""
_SUBSCRIPTS = regex(r"(?P<name>[A-Za-z_]\w*)\s*(?P<indices>(?:\[[^\[\]]+\])+)\s*$")
_INDEX = regex(r"\[([^\[\]]+)\]")
_MEMREF = regex(
    r"%[\w$.-]+\[(?P<indices>[^\[\]]*)\][^:]*: *(?:[^:]*, )?memref<(?P<shape>(?:\d+x)+)"
    r"(?:f|i|bf)(?P<bits>\d+)(?P<rest>[^>]*(?:<[^>]*>[^>]*)*)>"
)


def line_at(report: CheckReport, at: Location) -> str:
    """The text at a place: of compiled source as the report has it, else of the file that was
    read; empty where that has no lines of its own."""
    said = report.source_lines.get((at.file, at.line))
    return own_line(at) if said is None else said


def own_line(at: Location) -> str:
    """The text at a place of a file that is there; empty where it has no such line."""
    return _lines(at.file, at.line) if at.line and not at.inside else ""


@lru_cache(maxsize=4_096)
def _lines(file: str, number: int) -> str:
    try:
        path = Path(file)
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return ""
        with path.open(encoding="utf-8", errors="strict") as text:
            line = next(islice(text, number - 1, number), "")
    except (OSError, ValueError):
        return ""
    return "" if "\0" in line else line.rstrip("\n")


def stepping(one: Diagnostic, report: CheckReport, reason: Reason) -> str:
    """What advances by the step of a reason: an index by its author's name, a term in the lane's
    number, or rows."""
    step = reason.advance_words * BANK_BYTES
    for indices, pitches, extents in _arrays(one):
        for name, pitch, extent in zip(indices, pitches, extents, strict=True):
            if step % pitch == 0 and 0 < step // pitch < extent:
                return f"index {name} steps"
    term = _term(one, step)
    return f"the term {term} of the address steps" if term else "rows advance"


def _term(one: Diagnostic, step: int) -> str:
    lanes = one.first.lanes
    if lanes is None:
        return ""
    steps = lane_steps(np.array(lanes.offsets_bytes), np.array(lanes.active))
    for term in lane_terms(steps or ()):
        if any(abs(term.factor) << bit == step for bit in range(term.bits)):
            return str(term)
    return ""


_Array = tuple[Sequence[str], Sequence[int], Sequence[int]]
"""Indices as written; bytes that a step of each moves; the extent of each, the first unbounded."""


def _arrays(one: Diagnostic) -> Iterator[_Array]:
    yield from _memref(one.line)
    yield from _declared(one)


def _memref(line: str) -> Iterator[_Array]:
    if line.count("memref<") != 1:
        return  # of a copy from one to another nobody knows which one collides
    for found in _MEMREF.finditer(line):
        indices = [text.strip() for text in found["indices"].split(",")]
        shape = [int(size) for size in found["shape"].split("x") if size]
        plain = not re.search(r"strided|map|affine|#(?!gpu)", found["rest"])
        if plain and len(indices) == len(shape) and int(found["bits"]) % 8 == 0:
            yield _with_pitches(indices, shape, int(found["bits"]) // 8)


def _declared(one: Diagnostic) -> Iterator[_Array]:
    """An element of an array that one line of the file declares, with extents in figures or in
    constants of the file."""
    used = _SUBSCRIPTS.search(one.expression)
    if used is None or "[" in one.expression[: used.start()]:
        return  # of two elements nobody knows which one collides
    text = "".join(_text(one.location.file).splitlines(keepends=True)[: one.location.line])
    name, indices = used["name"], _INDEX.findall(used["indices"])
    aligned = r"(?:__align__\(\w+\)\s*|alignas\(\w+\)\s*)?"
    shared = rf"__shared__\s+{aligned}([\w ]+?)\s+{name}\s*((?:\[[^\[\]]+\])+)\s*;"
    *_, last = (None, *re.finditer(shared, text))
    if last is None or "\n}" in text[last.end() :]:
        return  # declared in another function
    kind, extents = last[1], last[2]
    shape = [_constant(size.strip(), text) for size in _INDEX.findall(extents)]
    if kind in TYPE_BYTES and len(shape) == len(indices) and all(shape):
        yield _with_pitches(indices, shape, TYPE_BYTES[kind])


def _with_pitches(indices: Sequence[str], shape: Sequence[int], size: int) -> _Array:
    pitches = [size * int(np.prod(shape[place + 1 :], dtype=object)) for place in range(len(shape))]
    return indices, pitches, shape


@lru_cache(maxsize=64)
def _text(file: str) -> str:
    try:
        path = Path(file)
        small = path.is_file() and path.stat().st_size <= _LARGEST
        return path.read_text("utf-8") if small else ""
    except (OSError, ValueError):
        return ""


def _constant(said: str, text: str) -> int:
    """A size: figures, one name that the file defines once as figures, or a sum of two; 0 if it is
    anything else."""
    total = 0
    for part in said.split("+"):
        word = part.strip()
        if not word.isascii() or not word:
            return 0
        if not word.isdigit():
            known = set(
                re.findall(
                    rf"(?:#define\s+{re.escape(word)}\s+|\b{re.escape(word)}\s*=\s*)(\w+)", text
                )
            )
            word = known.pop() if len(known) == 1 else ""
        if not word.isdigit() or len(word) > 9:
            return 0
        total += int(word)
    return total
