"""Texts of layouts are what the frameworks' own parsers accept, for layouts of every kind.

The layouts are those of the page's test: its JavaScript writes the same texts, letter by letter.
"""

from __future__ import annotations

import importlib.util
import json
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from bankwise.algebra.offset import Shape
from bankwise.errors import Refusal
from bankwise.notation.framework import Ground
from bankwise.notation.frameworks import framework
from test_workbench_notations import TILES, layouts, table

ELEMENTS = {8: "i8", 16: "f16", 32: "f32"}

needs_triton = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None, reason="needs the extra [triton]"
)


def texts(names: Sequence[str], seed: int) -> Iterator[tuple[list[int], str, str]]:
    """Tile, element type and text, each once, of everything that frameworks can say."""
    rng, seen = random.Random(seed), set()
    for rows, columns in TILES:
        tile = [1 << rows, 1 << columns]
        for layout in [*layouts(rows, columns, rng), *anything(rows + columns, rng)]:
            memory, bits = table(rows, columns, layout), rng.choice(tuple(ELEMENTS))
            ground = Ground(Shape((("n", 1 << columns), ("m", 1 << rows)), bits))
            for name in names:
                text = framework(name).write(memory, ground)
                if not isinstance(text, Refusal) and (str(text), bits) not in seen:
                    seen.add((str(text), bits))
                    yield tile, ELEMENTS[bits], str(text)


def anything(bits: int, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Random linear bijections, and those that only permute bits."""
    for number in range(12):
        columns = [1 << bit for bit in range(bits)]
        rng.shuffle(columns)
        for _ in range(3 * (number % 3)):
            i, j = rng.sample(range(bits), 2)
            columns[i] ^= columns[j]
        yield {"kind": "linear", "columns": columns}


def refused(questions: list[tuple[list[int], str, str]]) -> list[str]:
    """What Triton refuses, in a process of its own: one LLVM to a process."""
    command = [sys.executable, Path(__file__).parent / "parse_triton.py"]
    done = subprocess.run(
        command, input=json.dumps(questions), capture_output=True, text=True, check=True
    )
    answer: list[str] = json.loads(done.stdout)
    return answer


@needs_triton
def test_triton_takes_every_encoding_that_is_written_for_it() -> None:
    questions = list(texts(["triton"], 1))
    for kind in ("swizzled_shared", "padded_shared", "shared_linear"):
        assert sum(kind in text for _, _, text in questions) > 4, kind
    assert refused(questions) == []


@needs_triton
def test_the_parser_that_is_asked_does_refuse() -> None:
    (answer,) = refused([([32, 32], "f16", "#ttg.padded_shared<[32:+3] {order = [1, 0]}>")])
    assert "[32:+3]" in answer


def test_iree_takes_every_swizzle_that_is_written_for_it() -> None:
    ir = pytest.importorskip("iree.compiler.ir", reason="needs the extra [ir]")
    from iree.compiler.dialects import iree_codegen  # noqa: F401

    questions = sorted({text for _, _, text in texts(["iree", "iree rotate_rows"], 1)})
    assert sum("xor_shuffle" in text for text in questions) > 50
    assert sum("rotate_rows" in text for text in questions) > 5
    with ir.Context():
        for text in questions:
            ir.Attribute.parse(text)
        with pytest.raises(ir.MLIRError, match="per_phase"):
            ir.Attribute.parse("#iree_codegen.xor_shuffle<16, 8, 16, 8>")
