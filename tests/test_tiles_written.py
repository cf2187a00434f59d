"""What ``check`` writes for tiles of TileLang and ThunderKittens: executed, and counted by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bankwise.algebra.offset import Shape
from bankwise.hardware.machine import machine
from bankwise.notation.framework import Setting
from bankwise.notation.frameworks import notation_of, read_memory
from bankwise.notation.lambdas import said_as_lambda
from bankwise.notation.values import MemoryTable, tabulate
from command import bankwise

Place = Callable[..., int]
QUESTION = """
machine = "sm_90"
tile = [{rows}, {columns}]
element_bits = 32
[memory]
layout = '''{layout}'''
[[access]]
name = "columns"
op = "read"
lanes = "m0 m1 m2 m3 m4"
vector = "{vector}"
registers = "{registers}"
"""


def swizzled(shape: tuple[int, int], kind: str) -> Place:
    """The layouts of floats, from blocks of eight rows: (block of columns, eight rows, inside)."""
    width = {"full": 32, "half": 16, "quarter": 8}[kind]

    def place(i: int, j: int) -> int:
        chunk = j % width // 4 ^ i % 8 * width // 32
        inside = (i % 8) * width + chunk * 4 + j % 4
        return (j // width * (shape[0] // 8) + i // 8) * 8 * width + inside

    return place


def executed(text: str, shape: tuple[int, int]) -> Place:
    """The text as Python, with as much of TileLang as it takes."""
    annotated: list[Place] = []

    def layout(said: tuple[int, ...], function: Callable[..., object]) -> Place:
        def place(i: int, j: int) -> int:
            found = function(i, j)
            return found[0] * said[1] + found[1] if isinstance(found, tuple) else int(str(found))

        assert tuple(said) == shape
        return place

    widest = next(k for k, of in (("full", 32), ("half", 16), ("quarter", 8)) if not shape[1] % of)
    kinds = {"swizzled": widest, **{f"{k}_bank_swizzled": k for k in ("full", "half", "quarter")}}
    made = {f"make_{k}_layout": lambda a, w=w: swizzled(shape, w) for k, w in kinds.items()}
    allocate = SimpleNamespace(
        Layout=layout,
        alloc_shared=lambda said, kind: (said, kind),
        annotate_layout=lambda of: annotated.extend(of.values()),
    )
    known = {"T": allocate, "tilelang": SimpleNamespace(layout=SimpleNamespace(**made))}
    known |= dict.fromkeys(("tile", "A_shared"), "tile")
    *before, last = text.strip().splitlines()
    exec("\n".join(before), known)
    value = eval(last, known)
    return annotated[0] if annotated else value


def passes(place: Place, rows: int, columns: int, vector: int) -> int:
    """Lane l reads ``vector`` floats of row l: 32 lanes of four bytes at once, 8 of sixteen."""
    total = 0
    for top in range(0, rows, 32):
        for start in range(0, columns, vector):
            for first in range(0, 32, 32 // vector):
                banks: dict[int, set[int]] = {}
                for lane in range(first, first + 32 // vector):
                    for at in range(vector):
                        word = place(top + lane, start + at)
                        banks.setdefault(word % 32, set()).add(word)
                total += max(map(len, banks.values()))
    return total


def asked(layout: str, rows: int, columns: int, vector: int) -> str:
    bits = [f"n{b}" for b in range(columns.bit_length() - 1)]
    held = vector.bit_length() - 1
    over = [f"m{b}" for b in range(5, rows.bit_length() - 1)]
    return QUESTION.format(
        rows=rows,
        columns=columns,
        layout=layout,
        vector=" ".join(bits[:held]),
        registers=" ".join((*bits[held:], *over)),
    )


@pytest.mark.parametrize(("rows", "columns"), [(32, 32), (64, 64), (32, 16)])
@pytest.mark.parametrize("vector", [1, 4])
@pytest.mark.parametrize(
    "layout",
    [
        "T.Layout(({0}, {1}), lambda i, j: (i, j))",
        "tile = T.alloc_shared(({0}, {1}), 'float32')",
        "T.annotate_layout({{tile: T.Layout([{0}, {1}], lambda i, j: i * {1} + j)}})",
    ],
)
def test_a_tile_of_tilelang_is_written_in_its_words(
    tmp_path, layout: str, vector: int, rows: int, columns: int
) -> None:
    file = tmp_path / "tile.toml"
    file.write_text(asked(layout.format(rows, columns), rows, columns, vector))
    (snippet,) = json.loads(bankwise("check", file, "--format", "json").out)["snippets"]
    place = executed(snippet["snippet"], (rows, columns))
    at = [place(i, j) for i in range(rows) for j in range(columns)]
    assert len(set(at)) == rows * columns
    assert snippet["language"] == "tilelang"
    assert snippet["before"] == passes(lambda i, j: i * columns + j, rows, columns, vector)
    assert snippet["after"] == passes(place, rows, columns, vector) == rows * columns // 32
    assert ("annotate" in snippet["snippet"]) == ("Layout((" not in layout)
    file.write_text(asked(snippet["snippet"], rows, columns, vector))
    assert "snippets" not in json.loads(bankwise("check", file, "--format", "json").out)


@pytest.mark.parametrize("kind", ["full", "half", "quarter"])
def test_tilelang_s_own_layouts_stand_by_their_rows(kind: str) -> None:
    """Also of four rows, which are the upper half of eight."""
    for rows, columns in ((8, 64), (16, 32), (4, 64)):
        text = f"make_{kind}_bank_swizzled_layout(A)"
        shape = Shape((("n", columns), ("m", rows)), 32)
        memory = read_memory(text, "tilelang", shape, Setting(machine("sm_90"), {}, (32, 1, 1)))
        width = {"full": 32, "half": 16, "quarter": 8}[kind]
        for i, j in np.ndindex(rows, columns):
            inside = i % 8 * width + ((j % width // 4) ^ (i % 8 * width // 32)) * 4 + j % 4
            block = j // width * -(-rows // 8) + i // 8
            assert tabulate(memory).table[i, j] == block * min(rows, 8) * width + inside


def test_a_lambda_is_its_table() -> None:
    rng = np.random.default_rng(7)
    for shape in ((2, 4), (16, 32), (4, 2, 8), (3, 5), (1, 8), (8, 1)):
        rows, length = int(np.prod(shape[:-1])), shape[-1]
        masks = np.zeros(rows, np.int64)
        for bit in range((rows - 1).bit_length()):
            masks ^= (np.arange(rows) >> bit & 1) * int(rng.integers(length))
        column = np.arange(length)
        folded = np.arange(rows)[:, None] * length + (column ^ masks[:, None])
        padded = np.arange(rows)[:, None] * (length + 3) + column
        turned = np.arange(rows)[:, None] * length + (column + 1) % length
        for table in (folded, padded, turned):
            text = said_as_lambda(MemoryTable(table.reshape(shape), int(table.max()) + 1))
            found = re.fullmatch(r"T\.Layout\(\(([\d, ]+)\), (lambda .*)\)", text)
            if found is None:
                assert table is not padded or rows == 1
                continue
            function = eval(found[2])
            for index in np.ndindex(*shape):
                value = function(*index)
                if isinstance(value, tuple):
                    value = int(np.ravel_multi_index(value, shape))
                assert value == table.reshape(shape)[index], text


def kittens(columns: int, block: int, rows: int) -> Place:
    def place(i: int, j: int) -> int:
        at = (j // (block // 4) * rows + i) * block + j % (block // 4) * 4
        return (at ^ at % (8 * block) // 128 * 16) // 4

    return place


@pytest.mark.parametrize("vector", [1, 4])
@pytest.mark.parametrize("said", ["st_fl<32, 64, false>", "kittens::st<float, 32, 64, false>"])
def test_a_tile_of_kittens_takes_the_best_of_its_swizzles(tmp_path, said: str, vector: int) -> None:
    file = tmp_path / "tile.toml"
    file.write_text(asked(said, 32, 64, vector))
    told = json.loads(bankwise("check", file, "--format", "json").out)
    counted = {block: passes(kittens(64, block, 32), 32, 64, vector) for block in (128, 64, 32)}
    (snippet,) = told["snippets"]
    assert snippet["after"] == min(counted.values())
    text = snippet["snippet"]
    head, block = re.fullmatch(r"(.*)<(?:float, )?32, 64(?:, true, (\d+))?>", text).groups()
    assert said.startswith(head)
    assert counted[int(block or 128)] == snippet["after"]


def test_where_no_tile_of_kittens_is_better_that_is_said(tmp_path) -> None:
    assert passes(kittens(32, 128, 32), 32, 32, 1) > 32
    file = tmp_path / "tile.toml"
    file.write_text(asked("st_fl<32, 32>", 32, 32, 1))
    told = json.loads(bankwise("check", file, "--format", "json").out)
    assert "snippets" not in told
    assert told["notes"] == ["none of 5 layouts of kittens that were counted takes fewer passes"]


@pytest.mark.parametrize(
    "text",
    [
        *("T.alloc_shared((32, 16), 'float32')", "T.alloc_shared((16, 32), 'float32')"),
        *("T.alloc_shared((32,), 'float32')", "T.alloc_shared((), 'float32')"),
        f"T.alloc_shared((32, {'9' * 5000}), 'float32')",
        *("T.alloc_shared((32, 99999999), 'float32')", "T.alloc_shared((32, N), 'float32')"),
    ],
)
def test_an_allocation_of_something_else_is_said_no_to(tmp_path, text: str) -> None:
    assert notation_of(text) == "tilelang"
    file = tmp_path / "tile.toml"
    file.write_text(asked(text, 32, 32, 1))
    done = bankwise("check", file)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_the_page_shows_what_is_printed(tmp_path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "notations.md").read_text("utf-8")
    section = page.split("\n## ThunderKittens")[1].split("\n## ")[0]
    question, shown = re.findall(r"```(?:toml|console)\n(.*?)```", section, re.DOTALL)
    file = tmp_path / "columns.toml"
    file.write_text(question)
    told = re.sub(r"\s+", " ", bankwise("check", file).out.replace(f"{tmp_path}/", ""))
    for part in shown.strip().split("\n\n"):
        assert re.sub(r"\s+", " ", part) in told
