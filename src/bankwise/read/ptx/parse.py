"""Reading PTX text: kernels, statements, labels, shared variables. Nothing is interpreted here.

A statement ends with ``;`` and may run over several lines. Braces that open a scope (inline
assembly) are transparent to registers, which are written before they are read there, but not to
labels: two pieces of inline assembly may both have a ``DONE``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.read.names import means, variable
from bankwise.read.ptx.named import named
from bankwise.read.ptx.places import LOC, PtxPlaces, places_of
from bankwise.regex import regex

BYTES: Mapping[str, int] = {
    f"{letter}{bits}": bits // 8
    for letter, sizes in {
        "b": (8, 16, 32, 64, 128),
        "us": (8, 16, 32, 64),
        "f": (16, 32, 64),
    }.items()
    for letter in letter
    for bits in sizes
} | {"bf16": 2, "f16x2": 4, "bf16x2": 4, "tf32": 4}
"""Size of a PTX type in bytes."""

_ENTRY = regex(r"^\s*(?:\.(?:visible|weak|extern)\s+)?\.entry\s+([\w$]+)", re.MULTILINE)
_FUNCTION = regex(
    r"^\s*(?:\.(?:visible|weak)\s+)*\.func\s*(?:\(([^)]*)\)\s*)?([\w$]+)\s*(\([^)]*\))?[^;{]*\{",
    re.MULTILINE,
)
_SHARED = regex(
    r"\.shared\s+(?:\.align\s+(\d{1,9})\s+)?(?:\.attribute\([^)]*\)\s+)?\.(\w+)\s+([\w$]+)((?:\[\d{0,12}\])*)"
)
_BRACKET = regex(r"[{}\[\]()]")
_BLANKS = regex(r"\s+")
_NAME = regex(r"[a-z][\w.:]*")
_LABEL = regex(r"\s*([$\w]+):(?!:)")
_PARAM = regex(r"\.param\s+\.(\w+)[^,)]*?([\w$]+)(\[\d+\])?\s*(?=[,)]|$)")
_SIZE = regex(r"\.(reqntid|maxntid)\s+([\d, ]+)")


@lru_cache(maxsize=4_096)
def _pieces(name: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"\.|::", name) if part)


class Statement(Struct, frozen=True):
    """One instruction: ``@!%p1 add.s32 %r1, %r2, 4;``.

    ``name`` as written ("add.s32"), ``parts`` its pieces. ``guard``: the predicate, with ``!`` if
    negated, empty if none. ``operands``: split at commas outside braces and brackets. ``number``:
    of the statement in its kernel or function.
    """

    line: int
    name: str
    guard: str
    operands: tuple[str, ...]
    source: Location | None = None
    number: int = 0

    @property
    def parts(self) -> list[str]:
        """The name without its dots: ["ld", "shared", "v4", "b32"]."""
        return list(_pieces(self.name))


class Variable(Struct, frozen=True):
    """One shared variable. ``size_bytes`` is None where the launch decides."""

    name: str
    size_bytes: int | None
    alignment_bytes: int

    @property
    def called(self) -> str:
        """Its name as its author wrote it."""
        return variable(self.name)


class PtxKernel(Struct, frozen=True):
    """One kernel as the text gives it. ``workgroup_size``: threads, as required or bounded;
    ``bounded``: it is only a bound. ``labels``: to the number of the statement behind each.
    ``shared``: the variables that its blocks have; ``counts``: how many of its kind a parameter
    holds, 1 where it is no structure."""

    name: str
    line: int
    parameters: tuple[tuple[str, str], ...]
    statements: tuple[Statement, ...]
    labels: Mapping[str, int]
    shared: tuple[Variable, ...]
    workgroup_size: tuple[int, ...] | None
    bounded: bool
    counts: tuple[int, ...] = ()

    def ways(self) -> tuple[tuple[int, ...], ...]:
        """Where control may go from each statement."""
        return tuple(self._after(n, one) for n, one in enumerate(self.statements))

    def _after(self, number: int, one: Statement) -> tuple[int, ...]:
        behind = (number + 1,)
        if one.parts[0] in ("ret", "exit", "trap", "brx"):
            return behind if one.guard else ()
        if one.parts[0] != "bra" or not one.operands:
            return behind
        target = self.labels.get(one.operands[0])
        there = (target,) if target is not None else ()
        return (*there, *behind) if one.guard else there

    @property
    def lds_bytes(self) -> int | None:
        """Shared memory of its variables; None where the launch sizes one of them."""
        sizes = [variable.size_bytes for variable in self.shared]
        return None if None in sizes else sum(size or 0 for size in sizes)


class PtxFunction(Struct, frozen=True):
    """A function that kernels of the file may call. ``results``, ``parameters``: their names, in
    order; ``labels``: to the number of the statement behind each."""

    name: str
    line: int
    results: tuple[str, ...]
    parameters: tuple[str, ...]
    statements: tuple[Statement, ...]
    labels: Mapping[str, int]


def target(text: str) -> str:
    """The GPU that the text is for, without "a" or "f" behind it; empty if none is named."""
    found = re.search(r"^\s*\.target\s+(sm_\d+)", text, re.MULTILINE)
    return found[1] if found else ""


def kernel_names(text: str) -> tuple[str, ...]:
    """The names of all kernels of the text, in order."""
    return tuple(_ENTRY.findall(without_comments(text)))


@lru_cache(maxsize=4)
def kernels(text: str, file: str = "<text>", only: str = "") -> tuple[PtxKernel, ...]:
    """All kernels of the text, in order, or ``only`` one. Those of the last texts are remembered:
    a fix reads, writes, proves and runs the same two.

    Raises :class:`InputError` if one ends in the middle.
    """
    clean = without_comments(text)
    places = places_of(clean)
    entries = (found for found in _ENTRY.finditer(clean) if means(only, found[1]))
    bodies, declared = _bodies(clean), _declared(clean)
    return tuple(_kernel(clean, found, places, file, bodies, declared) for found in entries)


def functions(text: str) -> dict[str, PtxFunction]:
    """The functions of the text that have a body, by name; of one that is cut off nothing."""
    clean = without_comments(text)
    places = places_of(clean)
    found = (_function(clean, one, places) for one in _FUNCTION.finditer(clean))
    return {one.name: one for one in found if one is not None}


def _bodies(text: str) -> dict[str, str]:
    """The text of each function, by name."""
    spans = ((one[2], one.end() - 1) for one in _FUNCTION.finditer(text))
    return {name: text[opening : _closing(text, opening)] for name, opening in spans}


def _function(text: str, head: re.Match[str], places: PtxPlaces) -> PtxFunction | None:
    opening = head.end() - 1
    closing = _closing(text, opening)
    if closing < 0:
        return None
    first = text.count("\n", 0, opening) + 1
    statements, labels = _body(text[opening + 1 : closing], first, places)
    results, parameters = (
        tuple(name for _, name, _ in _PARAM.findall((part or "").strip("()")))
        for part in (head[1], head[3])
    )
    line = text.count("\n", 0, head.start(2)) + 1
    return PtxFunction(head[2], line, results, parameters, statements, labels)


def without_comments(text: str) -> str:
    """Comments become blanks; every line keeps its number."""
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)


def _kernel(
    text: str,
    entry: re.Match[str],
    places: PtxPlaces,
    file: str,
    functions: Mapping[str, str],
    declared: Sequence[tuple[re.Match[str], bool]],
) -> PtxKernel:
    line = text.count("\n", 0, entry.start(1)) + 1
    opening = text.find("{", entry.end())
    closing = _closing(text, opening) if opening >= 0 else -1
    if closing < 0:
        raise InputError(
            f"the code of {entry[1]} has no end",
            location=Location(file, line),
            hint="the text is cut off: a closing brace is missing",
        )
    head = text[entry.end() : opening]
    size = _SIZE.search(head)
    first = text.count("\n", 0, opening) + 1
    statements, labels = _body(text[opening + 1 : closing], first, places)
    known = named(text[opening:closing], functions)
    return PtxKernel(
        name=entry[1],
        line=line,
        parameters=tuple((name, kind) for kind, name, _ in _PARAM.findall(head)),
        statements=statements,
        labels=labels,
        shared=tuple(one for one in _variables(declared, opening, closing) if one.name in known),
        workgroup_size=tuple(map(int, re.findall(r"\d{1,9}", size[2]))) if size else None,
        bounded=bool(size and size[1] == "maxntid"),
        counts=tuple(int(many[1:-1]) if many else 1 for _, _, many in _PARAM.findall(head)),
    )


def _closing(text: str, opening: int) -> int:
    depth = 0
    for found in re.finditer(r"[{}]", text[opening:]):
        depth += 1 if found[0] == "{" else -1
        if not depth:
            return opening + found.start()
    return -1


def _declared(text: str) -> list[tuple[re.Match[str], bool]]:
    """Every shared variable that a text declares, and whether it stands outside of all functions:
    asked once of a text that has hundreds of kernels."""
    found, depth, at = [], 0, 0
    for one in _SHARED.finditer(text):
        between, at = (at, one.start()), one.start()
        depth += text.count("{", *between) - text.count("}", *between)
        found.append((one, not depth))
    return found


def _variables(
    declared: Sequence[tuple[re.Match[str], bool]], opening: int, closing: int
) -> Iterator[Variable]:
    """Shared variables of the kernel and of the module, not those of other functions, in the order
    in which ptxas places them: the kernel's own come first."""
    own = [one for one, _ in declared if opening < one.start() < closing]
    of_all = [one for one, outside in declared if outside]
    for found in (*own, *of_all):
        width = BYTES.get(found[2], 1)
        lengths = re.findall(r"\[(\d*)\]", found[4])
        size: int | None = width
        for length in lengths:
            size = size * int(length) if size is not None and length else None
        yield Variable(found[3], size, int(found[1] or width))


def _body(text: str, first: int, places: PtxPlaces) -> tuple[tuple[Statement, ...], dict[str, int]]:
    statements: list[Statement] = []
    scopes = _Scopes()
    source: Location | None = None
    pending, started = "", 0
    for number, line in enumerate(text.split("\n"), first):
        rest = line
        if not pending:
            rest, source = _marks(line, scopes, len(statements), places, source)
        while ";" in rest:
            piece, _, rest = rest.partition(";")
            spelled = _spelled((pending + piece).strip())
            if spelled is not None:
                at = started or number
                statements.append(Statement(at, *spelled, source, len(statements)))
                scopes.of.append(scopes.open)
            pending, started = "", 0
            rest, source = _marks(rest, scopes, len(statements), places, source)
        if rest.strip():
            pending += rest + " "
            started = started or number
    return _in_scopes(statements, scopes)


class _Scopes(Struct):
    """Braces: a label is seen inside its own only. ``open``: the scopes around the next statement,
    the innermost last; ``of``: around each statement; ``labels``: by scope and name."""

    open: tuple[int, ...] = (0,)
    of: list[tuple[int, ...]] = field(default_factory=list)
    labels: dict[tuple[int, str], int] = field(default_factory=dict)
    made: int = 0

    def brace(self, sign: str) -> None:
        """Take one brace."""
        if sign == "{":
            self.made += 1
            self.open = (*self.open, self.made)
        elif len(self.open) > 1:
            self.open = self.open[:-1]


def _in_scopes(
    statements: Sequence[Statement], scopes: _Scopes
) -> tuple[tuple[Statement, ...], dict[str, int]]:
    """Statements whose branches name labels that stand once: ``DONE`` of two scopes is two."""
    names = Counter(name for _, name in scopes.labels)
    alone = {key: key[1] if names[key[1]] == 1 else f"{key[1]}${key[0]}" for key in scopes.labels}
    labels = {alone[key]: number for key, number in scopes.labels.items()}
    several = {name for name, count in names.items() if count > 1}
    out = []
    for one, around in zip(statements, scopes.of, strict=True):
        if one.parts[0] == "bra" and one.operands and one.operands[0] in several:
            keys = ((scope, one.operands[0]) for scope in reversed(around))
            target = next((alone[key] for key in keys if key in alone), "")
            one = replace(one, operands=(target, *one.operands[1:]))
        out.append(one)
    return tuple(out), labels


def _marks(
    line: str,
    scopes: _Scopes,
    number: int,
    places: PtxPlaces,
    source: Location | None,
) -> tuple[str, Location | None]:
    """Take labels, ``.loc`` lines and scope braces off the front of ``line``."""
    while ":" in line or ".loc" in line or line.lstrip()[:1] in ("{", "}"):
        label = _LABEL.match(line)
        place = LOC.match(line)
        if label:
            scopes.labels[scopes.open[-1], label[1]] = number
            line = line[label.end() :]
        elif place:
            return "", places.at(place)
        elif line.strip()[:1] in ("{", "}"):
            scopes.brace(line.strip()[0])
            line = line.strip()[1:]
        else:
            break
    return line, source


@lru_cache(maxsize=16_384)
def _spelled(text: str) -> tuple[str, str, tuple[str, ...]] | None:
    """Name, guard and operands of one instruction; None for a directive (``.reg``, ``.pragma``).
    Many texts have many statements in common."""
    guard = ""
    if text.startswith("@"):
        guard, _, text = text[1:].lstrip().partition(" ")
        text = text.strip()
    name, _, rest = _BLANKS.sub(" ", text).partition(" ")
    if not _NAME.fullmatch(name):
        return None
    return name, guard.replace(" ", ""), tuple(_split(rest))


def _split(text: str) -> Iterator[str]:
    """Operands, split at commas outside braces, brackets and parentheses."""
    if not _BRACKET.search(text):
        *first, last = map(str.strip, text.split(","))
        yield from (*first, last) if last else first
        return
    depth, start = 0, 0
    for at, sign in enumerate(text):
        if sign in "{[(":
            depth += 1
        elif sign in "}])":
            depth -= 1
        elif sign == "," and not depth:
            yield text[start:at].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()
