"""The page's texts of layouts are Python's, and where Python has none the page has none."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bankwise.algebra.offset import Shape
from bankwise.errors import Refusal
from bankwise.notation.framework import Ground
from bankwise.notation.frameworks import translations
from bankwise.notation.values import MemoryTable

HERE = Path(__file__).parent
STATIC = HERE.parents[0] / "src" / "bankwise" / "workbench" / "static"
PAGE = ("cute", "triton", "iree", "wave", "ck")

TILES = [(1, 3), (2, 2), (3, 3), (4, 5), (3, 6), (6, 4)]
"""Bits of rows and columns."""


def fold(rows: int, first: int, low: int, bits: int) -> dict[str, Any]:
    masks = [1 << low + j - first if first <= j < first + bits else 0 for j in range(rows)]
    return {"kind": "fold", "masks": masks}


def single(bits: int, source: int, target: int, count: int) -> dict[str, Any]:
    columns = [1 << i for i in range(bits)]
    for i in range(count):
        columns[source + i] ^= 1 << target + i
    return {"kind": "linear", "columns": columns}


def layouts(rows: int, columns: int, rng: random.Random) -> list[dict[str, Any]]:
    """Every run of row bits folded into columns, every other single fold, pads, rotations."""
    width = 1 << columns
    found = [
        fold(rows, first, low, bits)
        for first in range(rows)
        for low in range(columns)
        for bits in range(min(rows - first, columns - low) + 1)
    ]
    count = rows + columns
    found += [
        single(count, *sorted((a, b), reverse=bool(down)), bits)
        for a in range(count)
        for b in range(a)
        for down in range(2)
        for bits in range(1, min(a - b, count - a) + 1)
        if (a if down else b) < columns or (b if down else a) + bits > columns
    ]
    found += [
        {"kind": "fold", "masks": [rng.randrange(width) for _ in range(rows)]} for _ in range(20)
    ]
    found += [
        {"kind": "fold", "masks": [1 << low + j % bits for j in range(rows)]}
        for low in range(columns)
        for bits in range(1, columns - low + 1)
    ]
    found += [{"kind": "pad", "by": by} for by in range(min(width, 17))]
    found += [{"kind": "rotate", "by": by} for by in range(min(width, 17))]
    return found


def table(rows: int, columns: int, layout: dict[str, Any]) -> MemoryTable:
    m, n = np.indices((1 << rows, 1 << columns))
    width = 1 << columns
    match layout["kind"]:
        case "pad":
            found = m * (width + layout["by"]) + n
        case "rotate":
            found = m * width + (n + m * layout["by"]) % width
        case "fold":
            mask = xor(m, layout["masks"])
            found = m * width + (n ^ mask)
        case _:
            found = xor(m * width + n, layout["columns"])
    return MemoryTable(found, int(found.max()) + 1)


def xor(number: Any, images: list[int]) -> Any:
    total = np.zeros_like(number)
    for bit, image in enumerate(images):
        total ^= (number >> bit & 1) * image
    return total


def expected(rows: int, columns: int, bits: int, layout: dict[str, Any]) -> dict[str, str | None]:
    memory = table(rows, columns, layout)
    ground = Ground(Shape((("n", 1 << columns), ("m", 1 << rows)), bits))
    said = translations(memory, ground)
    turned = said["iree rotate_rows"]
    if layout["kind"] == "rotate" and layout["by"] and not isinstance(turned, Refusal):
        said = {**said, "iree": turned}
    return {n: None if isinstance(said[n], Refusal) else one_line(str(said[n])) for n in PAGE}


def one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("bits", [8, 16, 32])
def test_the_pages_texts_are_those_that_python_writes(tmp_path: Path, bits: int) -> None:
    rng = random.Random(5)
    asked = [(*tile, layout) for tile in TILES for layout in layouts(*tile, rng)]
    questions = [
        {"tile": {"rows": r, "columns": c, "elementBits": bits}, "layout": layout}
        for r, c, layout in asked
    ]
    (tmp_path / "asked.json").write_text(json.dumps(questions), "utf-8")
    command = ["node", HERE / "js" / "notations.mjs", tmp_path / "asked.json", STATIC]
    answers = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    said = dict.fromkeys(PAGE, 0)
    for (rows, columns, layout), answer in zip(asked, answers, strict=True):
        wanted = expected(rows, columns, bits, layout)
        for name in PAGE:
            text = None if answer[name] is None else one_line(answer[name])
            assert text == wanted[name], (name, rows, columns, layout)
            said[name] += text is not None
    assert len(asked) > 800
    assert all(number > 50 for number in said.values()), said
