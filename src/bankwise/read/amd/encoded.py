"""Instructions that a text has as words: ``.long 0xBF810000`` is ``s_endpgm``.

Words that stand one behind the other are machine code, and are read as such, with the branches
among them. How long the instructions around them are is not known, so a branch that leaves them
leads nowhere that is known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from bankwise.errors import InputError
from bankwise.read.amd.directives import Named
from bankwise.read.amd.literals import integer

if TYPE_CHECKING:
    from bankwise.read.amd.disassemble import MachineInstruction

_WORDS = (".long", ".int", ".4byte")
_BYTES = 4


class NamedLine(Named, Protocol):
    """An operation at a ``line`` of the text."""

    @property
    def line(self) -> int:
        """From 1."""


P = TypeVar("P", bound=NamedLine)
Make = Callable[[int, str, str], P]
"""An operation of its line, its text and, where it branches, the label that it goes to."""


def with_words_read(
    operations: Sequence[P], labels: Mapping[str, int], gpu: str, make: Make[P]
) -> tuple[tuple[P, ...], dict[str, int]]:
    """``operations`` with instructions in the place of the words; as they are where the extra
    ``binary`` is missing, and where neither its tables nor LLVM knows the GPU."""
    if not any(op.name in _WORDS for op in operations):
        return tuple(operations), dict(labels)
    made: list[P] = []
    moved: dict[int, int] = {}
    names: dict[str, int] = {}
    for start, stop in _runs(operations):
        found = _read([_numbers(op) for op in operations[start:stop]], gpu)
        if not found:
            moved |= {n: len(made) + n - start for n in range(start, stop)}
            made += operations[start:stop]
            continue
        ends, lines = 0, {}
        for op in operations[start:stop]:
            lines[ends] = op.line
            ends += _BYTES * len(_numbers(op))
        at = {one.offset: len(made) + n for n, one in enumerate(found)}
        moved |= {start + n: at.get(offset, -1) for n, offset in enumerate(lines)}
        goals = {one.goes_to for one in found if one.goes_to in at}
        names |= {_name(start, goal): at[goal] for goal in goals if goal is not None}
        made += _made(found, lines, start, make)
    moved[len(operations)] = len(made)
    kept = {name: moved[at] for name, at in labels.items() if moved[at] >= 0}
    return tuple(made), kept | names


def _runs(operations: Sequence[NamedLine]) -> Iterator[tuple[int, int]]:
    """From where to where there are words, or none."""
    start = 0
    for n in range(1, len(operations) + 1):
        words = operations[start].name in _WORDS
        if n == len(operations) or (operations[n].name in _WORDS) != words:
            yield start, n
            start = n


def _numbers(op: NamedLine) -> list[int]:
    """The words of one directive; none if one of them is no number."""
    found = [integer(text.strip()) for text in op.operands] if op.name in _WORDS else []
    return [] if None in found else [number & 0xFFFFFFFF for number in found if number is not None]


def _read(words: Sequence[Sequence[int]], gpu: str) -> tuple[MachineInstruction, ...]:
    """The instructions; none if that cannot be known."""
    if not all(words):
        return ()
    from bankwise.read.amd.disassemble import disassemble

    code = b"".join(word.to_bytes(_BYTES, "little") for some in words for word in some)
    try:
        return disassemble(code, gpu)
    except InputError:
        return ()


def _name(start: int, offset: int) -> str:
    """A label that no text can have."""
    return f"word {start}+{offset}"


def _made(
    found: Sequence[MachineInstruction], lines: Mapping[int, int], start: int, make: Make[P]
) -> Iterator[P]:
    line = 0
    for one in found:
        line = lines.get(one.offset, line)
        yield make(line, one.text, "" if one.goes_to is None else _name(start, one.goes_to))
