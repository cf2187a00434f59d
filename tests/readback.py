"""Layouts read back through the command line: a text in a spec file, and the map that it means."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from bankwise import machine
from command import bankwise

_REPORT = re.compile(r'<script type="application/json" id="report">(.*?)</script>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Tile:
    """What a layout is of: a machine, named axes with sizes (last one fastest), element size."""

    machine: str
    sizes: tuple[tuple[str, int], ...]
    element_bits: int


@cache
def solved(file: Path) -> dict[str, Any]:
    """The document of ``bankwise solve FILE``."""
    return dict(json.loads(bankwise("solve", file, "--format", "json").out))


def meant(tile: Tile, expression: str) -> list[int]:
    """The offset of every element, row-major, by the expression that ``solve`` prints."""
    names = [name for name, _ in tile.sizes]
    points = product(*(range(size) for _, size in tile.sizes))
    code = compile(expression, expression, "eval")  # once: to read it takes longest
    return [int(eval(code, {}, dict(zip(names, point, strict=True)))) for point in points]


def read_back(tile: Tile, text: str, folder: Path) -> list[int]:
    """The offset of every element, row-major, by a spec file whose layout is ``text``."""
    file = folder / "spec.toml"
    file.write_text(_spec(tile, text), "utf-8")
    return placed(file)


def placed(file: Path) -> list[int]:
    """The offset of every element, row-major, of the layout in a spec file."""
    ended = bankwise("check", file, "--format", "html")
    found = _REPORT.search(ended.out)
    assert found, f"not read: {ended.err}"
    return list(json.loads(found[1])["document"]["spec"]["offsets"])


def _spec(tile: Tile, text: str) -> str:
    names = ", ".join(f'"{name}"' for name, _ in tile.sizes)
    lanes = machine(tile.machine).wave_size
    return f"""\
machine = "{tile.machine}"
tile = {[size for _, size in tile.sizes]}
dims = [{names}]
element_bits = {tile.element_bits}

[memory]
layout = '''{text}'''

[[access]]
name = "any"
op = "read"
distribution = "{_any(tile, lanes)}"
"""


def _any(tile: Tile, lanes: int) -> str:
    """Some distribution, for a spec must have one: lanes along the fastest axes.

    It is of a part of the tile whose sizes are powers of two; parts are moved over the tile.
    """
    fast = [(name, size & -size) for name, size in tile.sizes[::-1]]
    bits = [f"{name}{i}" for name, size in fast for i in range(size.bit_length() - 1)]
    count = lanes.bit_length() - 1
    head = " ".join(f"{name}:{size.bit_length() - 1}" for name, size in fast)
    return f"({head}) reg = {' '.join(bits[count:])}; lane = {' '.join(bits[:count])}; wave ="
