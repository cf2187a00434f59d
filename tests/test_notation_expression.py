"""A layout as an expression of the tile's axes, in elements, as whoever writes a kernel says it.

A tile of 32 x 32 words on 32 banks, written by rows and read by columns, 32 times each.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bankwise.errors import InputError
from bankwise.notation.frameworks import notation_of
from command import bankwise

QUESTION = """\
machine = "sm_90"
tile = [32, 32]
element_bits = 32
layout = "{}"
[[access]]
name = "row"
op = "write"
lanes = "n0 n1 n2 n3 n4"
registers = "m0 m1 m2 m3 m4"
[[access]]
name = "column"
op = "read"
offset = "lane*32 + reg"
registers = 32
"""


def ask(tmp_path: Path, layout: str, verb: str = "check") -> tuple[int, str, str]:
    path = tmp_path / "q.toml"
    path.write_text(QUESTION.format(layout), "utf-8")
    ended = bankwise(verb, path, *(("--format", "json") if verb == "check" else ()))
    return ended.code, ended.out, " ".join(ended.err.split())


def extra_of(layout: dict[tuple[int, int], int]) -> int:
    """By brute force: words of one bank, of the rows and of the columns."""
    passes = 0
    for line in range(32):
        for cells in ([(line, n) for n in range(32)], [(m, line) for m in range(32)]):
            banks = [layout[cell] % 32 for cell in cells]
            passes += max(banks.count(bank) for bank in banks) - 1
    return passes


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("m*32 + n", lambda m, n: m * 32 + n),
        ("m*33 + n", lambda m, n: m * 33 + n),
        ("m*32 + (n ^ m)", lambda m, n: m * 32 + (n ^ m)),
        ("m*32 + (n ^ m/4*4)", lambda m, n: m * 32 + (n ^ m // 4 * 4)),
        ("n*34 + m", lambda m, n: n * 34 + m),
    ],
)
def test_an_expression_is_counted_as_a_brute_force_does(
    tmp_path: Path, text: str, where: Callable[[int, int], int]
) -> None:
    code, out, err = ask(tmp_path, text)
    wanted = extra_of({(m, n): where(m, n) for m in range(32) for n in range(32)})
    assert json.loads(out)["totals"]["run"]["extra"] == wanted
    assert (code, err) == (1 if wanted else 0, "")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("k*3 + n", "q.toml:4:11: unknown name 'k'; known: m, n"),
        ("m*32 + n - 1", "q.toml:4: 'm*32 + n - 1' is -1 at m = 0, n = 0"),
        ("m*32 +", "cannot read 'm*32 +'"),
        ("m*4000000 + n", "is 124000031 at m = 31, n = 31"),
    ],
)
def test_what_is_no_layout_is_refused_at_its_place(tmp_path: Path, text: str, says: str) -> None:
    code, out, err = ask(tmp_path, text)
    assert (code, out) == (2, "")
    assert says in err


def test_two_elements_at_one_offset_are_told(tmp_path: Path) -> None:
    code, out, _ = ask(tmp_path, "m + n")
    assert code == 1
    (found,) = json.loads(out)["findings"]
    assert found["message"] == "elements (0, 1) and (1, 0) both lie at offset 1"


def test_a_solution_is_held_against_it(tmp_path: Path) -> None:
    code, out, _ = ask(tmp_path, "m*32 + n", "solve")
    assert code == 0
    assert "as it is: m*32 + n:" in " ".join(out.split())


def test_other_words_keep_their_languages() -> None:
    assert notation_of("row-major") == "row-major"
    assert notation_of("(32,32):(33,1)") == "cute"
    assert notation_of("rotated<row=64, unit=8, per=1>") == "rotation"
    for unknown in ("col-major", "n", "float tile[32][33]"):
        with pytest.raises(InputError, match="in no notation"):
            notation_of(unknown)
