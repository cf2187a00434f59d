"""Reading SASS text: kernels, instructions, labels, source lines. Nothing is interpreted here.

nvdisasm -g FILE.cubin             all sections: code, threads of a block, size of shared memory
nvdisasm -c -g FILE.cubin          the code alone
cuobjdump --dump-sass FILE         the code alone; branches name addresses, not labels
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.read.names import means
from bankwise.read.sass.calls import Body, InlinedSass, inlined
from bankwise.read.sass.facts import Facts, from_text, sections_of
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.tables import jump_tables, system_calls

_TARGET = re.compile(
    r'^\s*(?:(?:\.target\s+|code for )sm_|\.headerflags\s+@"(?:[^"]*\s)?EF_CUDA_SM)(\d{1,4})',
    re.MULTILINE,
)
"""``.target sm_100a``, ``code for sm_90``, or the flags alone: nvdisasm prints the latter for the
ELF of CUDA 12. The letter of an architecture's own features changes no rule."""
_SECTION = re.compile(r"^\s*\.section\s+\.text\.([^\s,]+)")
_FUNCTION = re.compile(r"^\s*Function : (\S+)\s*$")
_OTHER_SECTION = re.compile(r"^\s*\.section\s+(?!\.text\.)|^\s*\.L_x_\d+\s*=|^//-+ \.(?!text\.)")
_LABEL = re.compile(r"^\s*([.$\w]+):\s*$")
_CODE = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+([^;]*?)\s*;")
_PLACE = re.compile(r'^\s*//## File "((?:[^"\\]|\\.)*)", line (\d{1,9})(.*)$')
_ESCAPE = re.compile(rb"\\([0-3][0-7]{2}|.)")
_ENTRY = re.compile(r'^\s*\.other\s+[^,\s]+,\s*@"[^"]*\bSTO_CUDA_ENTRY\b')
_SIZE = re.compile(r"^\s*\.size\s+[^,\s]+,\s*\((\.L\w+) - ")
_CALLED = re.compile(r" CALL\.\S+ .*`\(([^\s)]+)\)")
_STEP_BYTES = 16
_GUARD = re.compile(r"@(!?)(U?P[0-9T]+)\s+")
_NO_COMMA = re.compile(r"(?<=[\w\]])\s+`\(")
"""CALL.REL.NOINC R8 `(k): a comma is missing."""
_REMARK = re.compile(r"\(\*.*?\*\)")
_BETWEEN = re.compile(r",(?![^\[]*\])")
_CODE_LIKE = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+[@A-Z{]")
_NAME = re.compile(r"[A-Z][A-Z0-9_]*(?:\.[\w]+)*")


def _file(said: str) -> str:
    """The name of a file, whose bytes beyond ASCII stand there as octal numbers. ptxas takes the
    last backslash for one between folders: it writes ``tr\\303/244nspose.cu``."""
    for text in (said, re.sub(r"/(2[0-7]{2})", r"\\\1", said)) if "\\" in said else ():
        try:
            return _ESCAPE.sub(_byte, text.encode()).decode()
        except UnicodeDecodeError:
            continue
    return said


def _byte(escape: re.Match[bytes]) -> bytes:
    digits = escape[1]
    return bytes([int(digits, 8)]) if len(digits) > 1 else digits


class SassKernel(Struct, frozen=True):
    """One kernel, the functions that it calls in it, once for every call. ``code``: where control
    goes."""

    name: str
    line: int
    target: str
    code: InlinedSass
    facts: Facts

    @property
    def instructions(self) -> tuple[SassInstruction, ...]:
        """All of them, those of the kernel itself first."""
        return self.code.instructions

    @property
    def lds_bytes(self) -> int | None:
        """Static shared memory, if the text has the sections that say it."""
        return self.facts.shared_bytes


def generation(target: str) -> int:
    """90 for sm_90; 0 for a text that names no target."""
    return int(target.removeprefix("sm_") or 0)


def target(text: str) -> str:
    """The GPU that the text is for; empty if none is named."""
    found = _TARGET.search(text)
    return f"sm_{found[1]}" if found else ""


def kernel_names(text: str) -> tuple[str, ...]:
    """The names of all kernels of the text, in order."""
    return tuple(name for name, _, _ in _entries(tuple(_sections(text))))


def kernels(
    text: str, file: str, facts: Mapping[str, Facts] | None = None, only: str = ""
) -> tuple[SassKernel, ...]:
    """All kernels of the text, in order, or ``only`` one; their ``facts``, if not of the text.

    Raises :class:`InputError` if a line of code cannot be read, or the code ends in the middle.
    """
    gpu = target(text)
    sections = sections_of(text) if facts is None else {}
    parts = tuple(_sections(text))
    chosen = [name for name, _, _ in _entries(parts) if means(only, name)]
    called = _called(parts) if chosen else frozenset()
    bodies = {
        name: _body(name, line, body, file)
        for name, line, body in parts
        if name in chosen or name in called
    }
    for name, body in bodies.items():
        held = (facts or {}).get(name, Facts())
        tables = jump_tables(body.instructions, body.labels, held.literals)
        system = system_calls(body.instructions, body.labels, held.externals)
        bodies[name] = replace(body, tables=tables, system=system)
    found = []
    for name in chosen:
        known = facts.get(name) if facts is not None else from_text(sections, name, generation(gpu))
        code = inlined(bodies[name], bodies)
        found.append(SassKernel(name, bodies[name].line, gpu, code, known or Facts()))
    return tuple(found)


_Section = tuple[str, int, list[tuple[int, str]]]
"""Name, line and numbered lines of the code of one section."""


def _sections(text: str) -> Iterator[_Section]:
    name, first, body = "", 0, list[tuple[int, str]]()
    for number, line in enumerate(text.splitlines(), 1):
        begins = _SECTION.match(line) or _FUNCTION.match(line)
        if begins or _OTHER_SECTION.match(line):
            if name:
                yield name, first, body
            name, first, body = (begins[1] if begins else ""), number, []
        elif name:
            body.append((number, line))
    if name:
        yield name, first, body


def _entries(parts: tuple[_Section, ...]) -> tuple[_Section, ...]:
    """The kernels. Where the text does not mark them, what returns to a caller is none."""
    marked = [part for part in parts if any(_ENTRY.match(line) for _, line in part[2])]
    if marked:
        return tuple(marked)
    return tuple(part for part in parts if not _returns(part) or _exits(part))


def _returns(part: _Section) -> bool:
    return any(" RET." in line for _, line in part[2])


def _exits(part: _Section) -> bool:
    return any(" EXIT " in line for _, line in part[2])


def called(text: str) -> frozenset[str]:
    """The functions that some call of the text names."""
    return frozenset(_CALLED.findall(text))


def _called(parts: tuple[_Section, ...]) -> frozenset[str]:
    """The sections that some call names."""
    names = {name for _, _, body in parts for _, line in body for name in _CALLED.findall(line)}
    return frozenset(names & {name for name, _, _ in parts})


def _body(name: str, first: int, body: list[tuple[int, str]], file: str) -> Body:
    instructions: list[SassInstruction] = []
    labels: dict[str, int] = {}
    places: tuple[Location, ...] = ()
    marked = False
    for number, line in body:
        place, label, code = _PLACE.match(line), _LABEL.match(line), _CODE.match(line)
        if place:
            # Several lines in a row: the innermost place, then where that was inlined, and so on.
            places = (*(places if marked else ()), Location(_file(place[1]), int(place[2])))
            marked = True
            continue
        if label:
            labels[label[1]] = len(instructions)
        if code:
            marked = False
            found = _instruction(number, code, places, file)
            labels[hex(found.address)] = len(instructions)
            instructions.append(found)
        elif _CODE_LIKE.match(line):
            _unreadable(number, line, file)
    ends = [label for _, line in body for label in _SIZE.findall(line)]
    _check_end(name, first, instructions, set(ends) <= labels.keys(), file)
    return Body(name, first, tuple(instructions), labels)


def _instruction(
    number: int, code: re.Match[str], places: tuple[Location, ...], file: str
) -> SassInstruction:
    text = code[2].strip("{} ")
    guard = _GUARD.match(text)
    rest = text[guard.end() :] if guard else text
    name, _, operands = rest.partition(" ")
    if not _NAME.fullmatch(name):
        _unreadable(number, code[0], file)
    return SassInstruction(
        number,
        int(code[1], 16),
        guard[1] + guard[2] if guard else "",
        name,
        tuple(_split(_NO_COMMA.sub(", `(", _REMARK.sub("", operands)))),
        places,
    )


def _split(text: str) -> Iterator[str]:
    """Operands, without hints to the register cache."""
    for part in _BETWEEN.split(text):
        operand = part.strip().replace(".reuse", "")
        if operand:
            yield operand


def _unreadable(number: int, line: str, file: str) -> None:
    raise InputError(
        f"no instruction: {line.strip()[:60]!r}",
        location=Location(file, number),
        hint="the text of nvdisasm or of cuobjdump --dump-sass, unchanged",
    )


def _check_end(
    name: str, first: int, instructions: list[SassInstruction], whole: bool, file: str
) -> None:
    """A kernel ends with an instruction that does not go on; else text is missing."""
    ends = ("EXIT", "BRA", "RET", "JMP", "BRX", "NOP", "BPT")
    last = instructions[-1].parts[0] if instructions else ""
    if not whole or last not in ends or not any(i.parts[0] in ends[:-2] for i in instructions):
        raise InputError(
            f"the code of {name} has no end",
            location=Location(file, first),
            hint="the text is cut off: no EXIT or branch ends it",
        )
    for before, after in pairwise(instructions):
        if after.address != before.address + _STEP_BYTES:
            raise InputError(
                f"{name}: 0x{after.address:04x} follows 0x{before.address:04x}",
                location=Location(file, after.line),
                hint="an instruction has 16 bytes: lines are missing, or in another order",
            )
