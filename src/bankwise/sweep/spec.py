"""What to sweep over: one TOML file that names kernels or tiles, shapes, types and targets.

    name = "small"

    [[kernel]]
    name = "attention"
    file = "attention.mlir"                  # a template beside this file: ${b}, ${n}, ${type} ...
    targets = ["gfx942"]
    types = ["f16", "f32"]
    mitigations = ["none", "padding", "swizzle"]
    shapes = [{ b = 1, n = 1024, d = 128 }]  # as they are

    [[kernel.grid]]                          # and every combination of these
    b = [1, 4]
    n = [1024, 2048]
    d = [64, 128]

    [[tile]]
    name = "K"
    file = "k_tile.toml"                     # a tile question as a template, or `question` inline
    targets = ["gfx942"]
    types = ["f16"]                          # also ${bits} and ${bytes} of it; ${lanes} of a wave
    let = { steps = "d // 16" }              # further numbers; those of the file's own `let` follow
    layouts = ["xor_shuffle<${d}, 8>"]       # tried beside those that bankwise knows
    weight = 2                               # how much its cases count
    shapes = [{ m = 64, d = 64 }, { m = 64, d = 128 }]

Each combination is a :class:`Case`. Its key is a digest of all that decides the result, the text of
the kernel included: a changed template makes new cases, it does not answer with old results.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Any

from msgspec import Struct

from bankwise.errors import InputError, Location
from bankwise.files import read_text
from bankwise.hardware.machine import machine
from bankwise.sweep.numbers import tile_numbers
from bankwise.sweep.rules import layout_rules

COLUMNS = ("kernel", "shape", "type", "target", "mitigation")
"""Of a case, in a store."""
DEFAULT = "iree"
"""The mitigation that every case of a kernel is compared with: what IREE does unasked."""
LAYOUTS = "layouts"
"""In the place of a mitigation: a case of a tile, which tries every layout."""
_BOTH = ("name", "file", "targets", "types", "shapes", "grid")
_FIELDS = {
    "kernel": (*_BOTH, "mitigations"),
    "tile": (*_BOTH, "question", "let", "layouts", "weight"),
}
_MOST_CASES = 1_000_000
_MOST_SIZE = 1 << 40


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to compute. ``shape``: sizes by name; ``text``: the kernel with all of it put in.

    ``layouts``: of a tile, texts to be tried beside the layouts that are known; ``called``: what
    they are before a size is put in. ``weight``: how much the case counts, and whether it was
    ``asked`` for or is there to be compared with: both decide no result.
    It holds all that a worker on another machine needs.
    """

    kernel: str
    shape: tuple[tuple[str, int], ...]
    type: str
    target: str
    mitigation: str
    text: str
    layouts: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    weight: int = field(default=1, compare=False)
    asked: bool = field(default=True, compare=False)

    @property
    def is_tile(self) -> bool:
        """Whether it is a tile under all layouts; else a kernel under one mitigation."""
        return self.mitigation == LAYOUTS

    @property
    def key(self) -> str:
        """What identifies the case and decides its result."""
        parts: list[Any] = [self.kernel, self.shape, self.type, self.target, self.mitigation]
        parts.append(self.text)
        if self.is_tile:  # another list of layouts is another question
            parts += [self.layouts, self.called, [rule.name for rule in layout_rules()]]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]

    @property
    def columns(self) -> dict[str, str]:
        """What a person selects cases by."""
        shape = json.dumps(dict(self.shape))
        return dict(
            zip(COLUMNS, (self.kernel, shape, self.type, self.target, self.mitigation), strict=True)
        )

    @property
    def size(self) -> str:
        """The shape, for people: ``1x1024x128``."""
        return "x".join(str(n) for _, n in self.shape)

    def __str__(self) -> str:
        how = () if self.is_tile else (self.mitigation,)
        return " ".join((self.kernel, self.size, self.type, self.target, *how))


class Sweep(Struct, frozen=True):
    """A sweep: its name and its cases, each once, in the order of the file."""

    name: str
    cases: tuple[Case, ...]


class _SweepSection(Struct, frozen=True):
    """A ``[[kernel]]`` or a ``[[tile]]`` of a file."""

    path: Path
    kind: str
    table: Mapping[str, Any]

    def error(self, message: str, hint: str = "") -> InputError:
        """At this file."""
        return _bad(self.path, message, hint)

    def words(self, key: str, *, needed: bool = True) -> list[str]:
        """A list of names."""
        words = self.table.get(key, None if needed else [])
        good = isinstance(words, list) and all(isinstance(w, str) for w in words)
        if not good or (needed and not words):
            raise self.error(f"`{key}` must be a list of names", f'{key} = ["..."]')
        return list(words)


def read_spec(path: Path, mitigations: tuple[str, ...]) -> Sweep:
    """Read a sweep file. ``mitigations``: the names that may stand there.

    Raises :class:`InputError` that names file, kernel and value.
    """
    return parse_spec(read_text(path), path, mitigations)


def parse_spec(text: str, path: Path, mitigations: tuple[str, ...]) -> Sweep:
    """The same of a text; ``path``: its name, and beside it lie the kernels."""
    data = _toml(text, path)
    if unknown := sorted(data.keys() - {"name", "let", *_FIELDS}):
        raise _bad(path, f"unknown key {unknown[0]!r}", "keys: name, let, [[kernel]], [[tile]]")
    sections = [s for kind in _FIELDS for s in _sections(path, kind, data)]
    if not sections:
        raise _bad(path, "it declares no [[kernel]] and no [[tile]]")
    cases = (case for section in sections for case in _cases(section, mitigations))
    found = tuple(dict.fromkeys(itertools.islice(cases, _MOST_CASES + 1)))
    if len(found) > _MOST_CASES:
        raise _bad(path, f"it has more than {_MOST_CASES:,} cases")
    return Sweep(str(data.get("name", path.stem)), found)


def _sections(path: Path, kind: str, data: Mapping[str, Any]) -> Iterator[_SweepSection]:
    listed, shared = data.get(kind, []), data.get("let", {})
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise _bad(path, f"`{kind}` is no list of tables", f"[[{kind}]]")
    for table in listed:
        if unknown := sorted(table.keys() - set(_FIELDS[kind])):
            known = ", ".join(_FIELDS[kind])
            raise _bad(path, f"unknown key {unknown[0]!r}", f"keys of a [[{kind}]]: {known}")
        own = table.get("let", {})
        if not isinstance(own, dict) or not isinstance(shared, dict):
            raise _bad(path, "`let` is no table", 'let = { steps = "d // 16" }')
        yield _SweepSection(
            path, kind, {**table, "let": own | {k: v for k, v in shared.items() if k not in own}}
        )


def _cases(section: _SweepSection, mitigations: tuple[str, ...]) -> Iterator[Case]:
    name, template = _template(section)
    targets, types = section.words("targets"), section.words("types")
    machines = {target: machine(target) for target in targets}
    chosen = _mitigations(section, mitigations) if section.kind == "kernel" else [LAYOUTS]
    layouts, weight = section.words("layouts", needed=False), _weight(section)
    for shape, kind in itertools.product(_shapes(section), types):
        for target in targets:
            names = _numbers(section, shape, kind, machines[target].wave_size)
            text = _filled(section, template, names)
            tried = tuple(_filled(section, Template(layout), names) for layout in layouts)
            for mitigation in chosen:
                about = name, tuple(shape.items()), kind, target, mitigation, text
                asked = section.kind == "tile" or mitigation in section.table["mitigations"]
                yield Case(*about, tried, tuple(layouts), weight, asked)


def _template(section: _SweepSection) -> tuple[str, Template]:
    """The name of a section, and the text into which sizes are put."""
    file, inline = section.table.get("file"), section.table.get("question")
    if (file is None) == (inline is None):
        keys = "`file`" if section.kind == "kernel" else "`file` or `question`"
        raise section.error(f"a [[{section.kind}]] has no {keys}, or both")
    for key, value in (("file", file), ("question", inline)):
        if value is not None and not isinstance(value, str):
            raise section.error(f"`{key}` is no text: {value!r}")
    default = Path(file).stem if file else section.kind
    text = str(inline) if file is None else _text(section, file)
    return str(section.table.get("name", default)), Template(text)


def _mitigations(section: _SweepSection, known: tuple[str, ...]) -> list[str]:
    """Those that are asked for, and what they are compared with."""
    chosen = section.words("mitigations")
    for mitigation in chosen:
        if mitigation not in known:
            hint = f"known: {', '.join(known)}"
            raise section.error(f"unknown mitigation {mitigation!r}", hint)
    return list(dict.fromkeys((*chosen, DEFAULT)))


def _weight(section: _SweepSection) -> int:
    weight = section.table.get("weight", 1)
    if not _is_size(weight):
        raise section.error(f"weight = {weight!r} is no positive whole number")
    return int(weight)


def _shapes(section: _SweepSection) -> list[dict[str, int]]:
    """The listed shapes, then the combinations of each grid."""
    shapes, grids = section.table.get("shapes", []), section.table.get("grid", [])
    if not isinstance(shapes, list):
        raise section.error(f"{shapes!r} is no list of shapes", "shapes = [{ b = 1, n = 1024 }]")
    found = [_sizes(section, shape) for shape in shapes]
    for grid in grids if isinstance(grids, list) else [grids]:
        if not isinstance(grid, dict) or not all(isinstance(v, list) for v in grid.values()):
            hint = f"[[{section.kind}.grid]], with n = [1024, 2048]"
            raise section.error(f"{grid!r} is no grid of lists", hint)
        for values in itertools.islice(itertools.product(*grid.values()), _MOST_CASES + 1):
            found.append(_sizes(section, dict(zip(grid, values, strict=True))))
    if not found:
        kind = section.kind
        raise section.error(f"a [[{kind}]] has neither `shapes` nor [[{kind}.grid]]")
    return found


def _sizes(section: _SweepSection, shape: Any) -> dict[str, int]:
    if not isinstance(shape, dict) or not all(_is_size(n) for n in shape.values()):
        raise section.error(f"{shape!r} is no shape", "a shape looks like { b = 1, n = 1024 }")
    return {str(name): int(size) for name, size in shape.items()}


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_SIZE


def _numbers(
    section: _SweepSection, shape: Mapping[str, int], kind: str, lanes: int
) -> Mapping[str, Any]:
    """What a text may name."""
    if section.kind == "kernel":
        return {**shape, "type": kind}
    try:
        return tile_numbers(shape, kind, lanes, section.table["let"])
    except InputError as error:
        raise section.error(error.message, error.hint) from error


def _filled(section: _SweepSection, template: Template, names: Mapping[str, Any]) -> str:
    try:
        return template.substitute(names)
    except KeyError as error:
        what = "the kernel" if section.kind == "kernel" else "the tile"
        known = {k: v for k, v in names.items() if k != "type"}
        raise section.error(f"{what} asks for {error}, which shape {known} lacks") from error
    except ValueError as error:
        message, hint = f"the {section.kind} is no template: {error}", "write $$ for a dollar"
        raise section.error(message, hint) from error


def _text(section: _SweepSection, file: str) -> str:
    try:
        return read_text(section.path.parent / file)
    except InputError as error:
        raise section.error(f"{section.kind} file {file!r} cannot be read: {error}") from error


def _toml(text: str, path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _bad(path, f"is no TOML: {error}") from error


def _bad(path: Path, message: str, hint: str = "") -> InputError:
    return InputError(message, location=Location(str(path)), hint=hint)
