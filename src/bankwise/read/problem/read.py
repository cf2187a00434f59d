"""Problems as TOML: one tile, everything that is done to it, and what the solver may do.

    machine = "sm_90"
    tile = { shape = [16, 32], element_bits = 32 }

    [[access]]
    name = "store"
    op = "write"
    lanes = "n0 n1 n2 n3 n4"
    registers = "m0 m1 m2 m3"

``shape`` has the contiguous dimension last; its bits are n0, n1, .., those of the one before m0,
m1, .., and ``dims`` names others. A leading dimension of any size that no access moves (the stages
of a pipeline) is a batch. Every error names the line in the file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from bankwise.algebra.offset import Dims, Shape
from bankwise.errors import InputError, Location
from bankwise.files import read_text
from bankwise.hardware.machine import Machine
from bankwise.hardware.machine import machine as machine_named
from bankwise.notation.frameworks import framework
from bankwise.read.problem.access import read_access
from bankwise.read.problem.lines import key_lines
from bankwise.read.problem.source import Source, known, optional, required
from bankwise.solver.general import Listed, is_linear
from bankwise.solver.linear_form import dimensions
from bankwise.solver.problem import BitTile

_TOP = ("machine", "tile", "access", "solve")
_TILE = ("shape", "element_bits", "dims")
_SOLVE = ("family", "budget_s", "allow_narrowing", "max_lds_bytes")
_NAME = re.compile(r"[A-Za-z_]+")
_BIT = re.compile(r"([A-Za-z_]+)\d+")
_PLACE = re.compile(r" \(at line (\d+), column (\d+)\)$")


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """The ``[solve]`` table. ``family``: restrict the answer to it; ``budget_s``: seconds."""

    family: str = ""
    budget_s: float | None = None
    allow_narrowing: bool = False
    max_lds_bytes: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TileProblem:
    """A problem as read; all of it has been checked.

    ``stages``: leading dimensions that no access moves, the outermost last; ``shape`` is without.
    """

    file: str
    machine: Machine
    shape: Shape
    accesses: tuple[Listed, ...]
    options: SolveOptions
    stages: Dims = ()

    @property
    def batch(self) -> int:
        """How many tiles of ``shape`` lie behind each other."""
        return prod(size for _, size in self.stages)

    @property
    def linear(self) -> bool:
        """Whether the exact solver can take it."""
        return all(is_linear(self.machine, a) for a in self.accesses)

    @property
    def tile(self) -> BitTile:
        """The tile in bits; only where all dimensions are powers of two."""
        dims = dimensions(self.shape)
        assert dims is not None, "the accesses are linear"
        return BitTile(dims, self.shape.element_bits)


def read_problem(source: str | Path | Mapping[str, Any]) -> TileProblem:
    """Read a problem file, or the mapping that it would parse to. InputError for a bad one."""
    if isinstance(source, Mapping):
        return _problem(source, Source("problem", {}))
    return parse_problem(read_text(source), str(source))


def parse_problem(text: str, file: str = "problem.toml") -> TileProblem:
    """Read the text of a problem file; ``file`` names it in errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line, column = (int(place[1]), int(place[2])) if place else (0, 0)
        message = f"not TOML: {_PLACE.sub('', str(error))}"
        raise InputError(message, location=Location(file, line, column)) from error
    return _problem(data, Source(file, key_lines(text)))


def _problem(data: Mapping[str, Any], source: Source) -> TileProblem:
    known(data, _TOP, (), source)
    gpu = _machine(data, source)
    shape = _shape(data, gpu, source)
    accesses = required(data, "access", list, (), source)
    if not accesses:
        raise source.error(("access",), "a problem needs at least one access")
    shape, stages = _staged(shape, accesses)
    listed = tuple(read_access(a, i, gpu, shape, source) for i, a in enumerate(accesses))
    names = [a.request.name for a in listed]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise source.error(("access", number, "name"), f"two accesses are called {name!r}")
    options = _options(data, shape, prod(size for _, size in stages), source)
    return TileProblem(source.file, gpu, shape, listed, options, stages)


def _staged(shape: Shape, accesses: Sequence[Any]) -> tuple[Shape, Dims]:
    """The tile without leading dimensions that no access names, where their size is odd.

    An access by ``offset`` counts elements of the whole tile, so it may move any.
    """
    tables = [a for a in accesses if isinstance(a, dict)]
    if any("offset" in table for table in tables):
        return shape, ()
    texts = [
        str(table.get(key, "")) for table in tables for key in ("lanes", "vector", "registers")
    ]
    named = set(_BIT.findall(" ".join(texts)))
    dims = shape.dims
    stages: Dims = ()
    while len(dims) > 1 and dims[-1][1] & (dims[-1][1] - 1) and dims[-1][0] not in named:
        dims, stages = dims[:-1], (*stages, dims[-1])
    return Shape(dims, shape.element_bits), stages[::-1]


def _machine(data: Mapping[str, Any], source: Source) -> Machine:
    name = required(data, "machine", str, (), source)
    try:
        return machine_named(name)
    except InputError as error:
        raise source.at(("machine",), error) from error


def _shape(data: Mapping[str, Any], gpu: Machine, source: Source) -> Shape:
    tile = required(data, "tile", dict, (), source)
    known(tile, _TILE, ("tile",), source)
    sizes = required(tile, "shape", list, ("tile",), source)
    where = ("tile", "shape")
    if not sizes or any(type(s) is not int or s < 1 for s in sizes):
        raise source.error(where, f"shape = {sizes!r}", "positive sizes, contiguous last: [16, 32]")
    bits = required(tile, "element_bits", int, ("tile",), source)
    if bits not in (4, 8, 16, 32, 64):
        message = f"element_bits = {bits}: bankwise knows 4, 8, 16, 32 and 64"
        raise source.error(("tile", "element_bits"), message)
    names = _dims(tile, len(sizes), source)
    shape = Shape(tuple(zip(reversed(names), reversed(sizes), strict=True)), bits)
    if shape.bytes_of(shape.elements) > gpu.lds_bytes:
        raise source.error(
            where,
            f"the tile takes {shape.bytes_of(shape.elements)} bytes, a workgroup of {gpu.name} "
            f"has {gpu.lds_bytes} bytes of shared memory",
        )
    return shape


def _dims(tile: Mapping[str, Any], rank: int, source: Source) -> Sequence[str]:
    where = ("tile", "dims")
    if "dims" not in tile and rank <= 2:
        return ("m", "n")[2 - rank :]
    names = tile.get("dims")
    if names is None:
        raise source.error(("tile", "shape"), f"{rank} dimensions", 'name them: dims = ["b", ...]')
    if not isinstance(names, list) or len(names) != rank:
        raise source.error(where, f"dims = {names!r}", f"one name for each of {rank} dimensions")
    for name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name) or names.count(name) > 1:
            raise source.error(where, f"bad dimension name {name!r}", "letters only, each once")
    return names


def _options(data: Mapping[str, Any], shape: Shape, batch: int, source: Source) -> SolveOptions:
    table = data.get("solve", {})
    if not isinstance(table, dict):
        raise source.error(("solve",), f"solve = {table!r} is no table")
    known(table, _SOLVE, ("solve",), source)
    name = optional(table, "family", str, "", ("solve",), source)
    if name:
        try:
            framework(name)
        except InputError as error:
            raise source.at(("solve", "family"), error) from error
    budget = table.get("budget_s")
    if budget is not None and (type(budget) not in (int, float) or not 0 < budget < 1e6):
        raise source.error(("solve", "budget_s"), f"budget_s = {budget!r} is no positive number")
    narrow = optional(table, "allow_narrowing", bool, False, ("solve",), source)
    most = optional(table, "max_lds_bytes", int, None, ("solve",), source)
    size = shape.bytes_of(shape.elements) * batch
    if most is not None and most < size:
        raise source.error(
            ("solve", "max_lds_bytes"), f"max_lds_bytes = {most}, and the tile takes {size} bytes"
        )
    return SolveOptions(name, budget, narrow, most)
