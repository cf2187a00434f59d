"""What to sweep over: one TOML file that names kernels, shapes, types, targets and mitigations.

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

Each combination is a :class:`Case`. Its key is a digest of all that decides the result, the text of
the kernel included: a changed template makes new cases, it does not answer with old results.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from bankwise.errors import InputError, Location
from bankwise.files import read_text
from bankwise.hardware.machine import machine

COLUMNS = ("kernel", "shape", "type", "target", "mitigation")
"""Of a case, in a store."""
_FIELDS = ("name", "file", "targets", "types", "mitigations", "shapes", "grid")


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to compute. ``shape``: sizes by name; ``text``: the kernel with all of it put in.

    It holds all that a worker on another machine needs.
    """

    kernel: str
    shape: tuple[tuple[str, int], ...]
    type: str
    target: str
    mitigation: str
    text: str

    @property
    def key(self) -> str:
        """What identifies the case and decides its result."""
        parts = [self.kernel, self.shape, self.type, self.target, self.mitigation, self.text]
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
        return f"{self.kernel} {self.size} {self.type} {self.target} {self.mitigation}"


@dataclass(frozen=True, slots=True)
class Sweep:
    """A sweep: its name and its cases, each once, in the order of the file."""

    name: str
    cases: tuple[Case, ...]


def read_spec(path: Path, mitigations: tuple[str, ...]) -> Sweep:
    """Read a sweep file. ``mitigations``: the names that may stand there.

    Raises :class:`InputError` that names file, kernel and value.
    """
    data = _toml(path)
    kernels = data.get("kernel")
    if not isinstance(kernels, list) or not kernels:
        raise _bad(path, "it declares no [[kernel]]")
    cases = [case for kernel in kernels for case in _cases(path, kernel, mitigations)]
    return Sweep(str(data.get("name", path.stem)), tuple(dict.fromkeys(cases)))


def _cases(path: Path, kernel: Any, mitigations: tuple[str, ...]) -> Iterator[Case]:
    if not isinstance(kernel, dict) or "file" not in kernel:
        raise _bad(path, "a [[kernel]] has no `file`")
    if unknown := sorted(kernel.keys() - set(_FIELDS)):
        raise _bad(path, f"unknown key {unknown[0]!r}", f"keys: {', '.join(_FIELDS)}")
    template = Template(_text(path, str(kernel["file"])))
    name = str(kernel.get("name", Path(str(kernel["file"])).stem))
    targets = _words(path, kernel, "targets")
    for target in targets:
        machine(target)
    chosen = _words(path, kernel, "mitigations")
    for mitigation in chosen:
        if mitigation not in mitigations:
            hint = f"known: {', '.join(mitigations)}"
            raise _bad(path, f"unknown mitigation {mitigation!r}", hint)
    types = _words(path, kernel, "types")
    for shape, kind in itertools.product(_shapes(path, kernel), types):
        text = _filled(path, template, shape, kind)
        for target, mitigation in itertools.product(targets, chosen):
            yield Case(name, tuple(shape.items()), kind, target, mitigation, text)


def _shapes(path: Path, kernel: Mapping[str, Any]) -> list[dict[str, int]]:
    """The listed shapes, then the combinations of each grid."""
    found = [_sizes(path, shape) for shape in kernel.get("shapes", [])]
    for grid in kernel.get("grid", []):
        for values in itertools.product(*grid.values()):
            found.append(_sizes(path, dict(zip(grid, values, strict=True))))
    if not found:
        raise _bad(path, "a [[kernel]] has neither `shapes` nor [[kernel.grid]]")
    return found


def _sizes(path: Path, shape: Any) -> dict[str, int]:
    if not isinstance(shape, dict) or not all(_is_size(n) for n in shape.values()):
        raise _bad(path, f"{shape!r} is no shape", "a shape looks like { b = 1, n = 1024 }")
    return {str(name): int(size) for name, size in shape.items()}


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def _filled(path: Path, template: Template, shape: Mapping[str, int], kind: str) -> str:
    try:
        return template.substitute(shape, type=kind)
    except KeyError as error:
        raise _bad(path, f"the kernel asks for {error}, which shape {dict(shape)} lacks") from error
    except ValueError as error:
        raise _bad(path, f"the kernel is no template: {error}", "write $$ for a dollar") from error


def _words(path: Path, kernel: Mapping[str, Any], key: str) -> list[str]:
    words = kernel.get(key)
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise _bad(path, f"`{key}` must be a list of names", f'{key} = ["..."]')
    return words


def _text(path: Path, file: str) -> str:
    try:
        return read_text(path.parent / file)
    except InputError as error:
        raise _bad(path, f"kernel file {file!r} cannot be read: {error}") from error


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise _bad(path, f"is no TOML: {error}") from error


def _bad(path: Path, message: str, hint: str = "") -> InputError:
    return InputError(message, location=Location(str(path)), hint=hint)
