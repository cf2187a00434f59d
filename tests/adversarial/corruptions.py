"""Right fixes made wrong, a little at a time: what a prover has to reject.

A corruption changes one thing in a text that ``fix`` wrote: in the lines that the rewrite added or
changed (``inside``), or anywhere else (``outside``). Inside, only what the oracle sees computing
something else is one: another map that is right too is no corruption.
"""

from __future__ import annotations

import difflib
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from adversarial.kernel import AdversarialKernel
from adversarial.oracle import judge
from bankwise.errors import InputError
from bankwise.read.mlir.module import open_text


@dataclass(frozen=True, slots=True)
class Corruption:
    """``how`` it was made, on which line of the fixed text, and whether inside of the rewrite."""

    kernel: AdversarialKernel
    how: str
    line: int
    inside: bool
    text: str

    @property
    def name(self) -> str:
        return f"{self.kernel.name}:{self.line}:{self.how}"


Variants = Iterator[tuple[str, str]]
"""How, and the line that stands instead."""

_NUMBER = re.compile(r"(?<![\w%.#-])\d+(?![\w.]|: )")
_NAME = re.compile(r"%[A-Za-z_$][\w$.\-]*(?:#\d+)?")
_OTHERS = ("%t", "%u", "%b", "%i", "%c0", "%c1", "%swz0", "%swz1", "%swz2", "%swz3")
_EXCHANGED = (
    ("floordiv", "mod"), ("mod", "floordiv"), ("arith.xori", "arith.addi"),
    ("arith.xori", "arith.ori"), ("arith.xori", "arith.andi"), ("arith.subi", "arith.addi"),
    ("arith.addi", "arith.subi"), ("arith.addi", "arith.xori"), (" * ", " + "), (" + ", " - "),
    ("affine.min", "affine.max"), ("divui", "remui"), ("remui", "divui"), ("ult", "ule"),
    ("shli", "shrui"), ("arith.muli", "arith.addi"), ("arith.minui", "arith.maxui"),
)  # fmt: skip


def _numbers(line: str) -> Variants:
    for match in _NUMBER.finditer(line):
        n = int(match[0])
        for new in (n + 1, 2 * n, n // 2):
            if new != n:
                yield "number", line[: match.start()] + str(new) + line[match.end() :]


def _operators(line: str) -> Variants:
    for old, new in _EXCHANGED:
        if old in line:
            yield f"{old.strip()} to {new.strip()}", line.replace(old, new, 1)


def _operands(line: str) -> Variants:
    """Another value in the place of each operand, and neighbours exchanged."""
    start = line.index(" = ") if " = " in line else 0
    found = [m for m in _NAME.finditer(line) if m.start() >= start]
    for match in found:
        for other in _OTHERS:
            if other != match[0]:
                yield "operand", line[: match.start()] + other + line[match.end() :]
    for one, two in pairwise(found):
        between = line[one.end() : two.start()]
        swapped = line[: one.start()] + two[0] + between + one[0] + line[two.end() :]
        yield "operands exchanged", swapped


def _outside(line: str) -> Variants:
    if ".func" in line:  # how many threads there are is what a launch gives, too
        return
    yield from _numbers(line)
    yield from _operators(line)
    if "barrier" in line or "vector.store" in line or "memref.store" in line:
        yield "deleted", ""
    if "vector.store" in line or "gpu.barrier" in line or "gather_to_lds" in line:
        yield "twice", f"{line}\n{line}"
    for old, new in (("%in[", "%out["), ("step %c8", "step %c16"), ("to %c64", "to %c32")):
        if old in line:
            yield f"{old} to {new}", line.replace(old, new, 1)
    if "vector.load" in line or "vector.store" in line or "scf.for" in line:
        yield from _operands(line)
    if " : index" in line and "arith.addi" in line and "overflow" not in line:
        yield "attribute", line.replace(" : index", " overflow<nsw> : index", 1)


EFFECTS = ("deleted", "twice")
"""Barriers and stores that are gone or doubled: no launch of ours need show it."""


def candidates(kernel: AdversarialKernel, fixed: str) -> Iterator[Corruption]:
    """All corruptions of a right fix, whether the text is still valid or not."""
    old, new = kernel.text.splitlines(), fixed.splitlines()
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, i, j, k, m in matcher.get_opcodes():
        for at in range(k, m):
            inside = tag != "equal"
            for how, line in (_inside if inside else _outside)(new[at]):
                yield Corruption(
                    kernel, how, at + 1, inside, _joined([*new[:at], line, *new[at + 1 :]])
                )
        if tag == "replace":
            for at, was in _accesses_left_out(old[i:j], new[k:m], k):
                text = _joined([*new[:at], was, *new[at + 1 :]])
                yield Corruption(kernel, "access left out", at + 1, True, text)
    yield from _exchanged_results(kernel, new)


def _inside(line: str) -> Variants:
    yield from _numbers(line)
    yield from _operators(line)
    yield from _operands(line)


def _accesses_left_out(
    old: Sequence[str], new: Sequence[str], first: int
) -> Iterator[tuple[int, str]]:
    """Lines of the fixed text as they were before."""
    for was in old:
        near = difflib.get_close_matches(was, new, 1, 0.6)
        for line in near:
            yield first + new.index(line), was


def _exchanged_results(kernel: AdversarialKernel, new: Sequence[str]) -> Iterator[Corruption]:
    """Two added values change names where they are used."""
    names = sorted(set(re.findall(r"%swz\d+", "\n".join(new))))
    for one, two in pairwise(names):
        for at, line in enumerate(new):
            used = line.rpartition(" = ")[2]
            if one in used and "[" in used and "affine" not in used:
                text = line[: len(line) - len(used)] + used.replace(one, two)
                yield Corruption(
                    kernel,
                    "another result",
                    at + 1,
                    True,
                    _joined([*new[:at], text, *new[at + 1 :]]),
                )


def _joined(lines: Sequence[str]) -> str:
    return "\n".join(lines) + "\n"


def corrupted(
    kernel: AdversarialKernel, fixed: str, inside: int, outside: int
) -> Iterator[Corruption]:
    """So many real corruptions of a fix, of each of the two sorts; drawn with a fixed seed."""
    drawn = list(candidates(kernel, fixed))
    random.Random(kernel.name).shuffle(drawn)
    left = {True: inside, False: outside}
    seen = {_canonical(fixed)}
    for one in drawn:
        if left[one.inside] and _is_wrong(one, seen):
            left[one.inside] -= 1
            yield one


def _is_wrong(one: Corruption, seen: set[str]) -> bool:
    """Valid, unlike all others, and computing something else; or another program by its looks.

    What makes no value that is used (a constant that nobody reads) is no corruption.
    """
    canonical = _canonical(one.text)
    if not canonical or canonical in seen:
        return False
    seen.add(canonical)
    if one.how in EFFECTS:
        return True
    return judge(one.kernel.text, one.text, one.kernel).same is False


def _canonical(text: str) -> str:
    """The text as MLIR prints it; empty if it is not valid."""
    try:
        return str(open_text(text, "k.mlir").module)
    except InputError:
        return ""
