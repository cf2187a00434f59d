"""What a new descriptor of a CK header says of the sizes that it fits.

Numbers stand only where no text in the header's names costs as little, and then under a
``static_assert``. Passes are those of ``brute.py`` over formulas written here.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

pytest.importorskip("tree_sitter_cuda")

from bankwise.algebra.address import Fold
from bankwise.notation.ck.fold import fold_descriptor
from bankwise.notation.ck.spelled import AxisNames, statements
from command import bankwise
from test_ck_headers import Place, operand, passes, raked
from test_ck_sizes import HEADER, answers, words

FP8 = (
    *("ADataType=fp8_t", "BDataType=fp8_t", "kBlockSize=256", "kM=192", "kN=64", "kK=128"),
    *("WarpTile=32,32,16", "BlockWarps=2,2,1"),
)
PACK = "template <typename T> static constexpr index_t kPackBytes = 16 / sizeof(T);"


def with_variable_template(path: Path) -> Path:
    """The header for any type: its vectors are 16 bytes, by a variable template."""
    text = HEADER.read_text().replace("Policy\n{", f"Policy\n{{\n    {PACK}\n", 1)
    for side in "AB":
        alias = f"using {side}DataType = typename Problem::{side}DataType;"
        pack = f"kKPack     = kPackBytes<{side}DataType>;\n        {alias}"
        text = text.replace("kKPack     = 8;", pack, 1)
    path.write_text(text.replace("K1 = 8", "K1 = 16 / sizeof(typename Problem::ADataType)"))
    return path


def in_rows(m: int, k: int) -> int:
    """16 bytes are a chunk, 8 chunks a row of the tile, two rows a step of the XOR."""
    return m * 128 + ((k // 16) ^ (m // 2 % 8)) * 16 + k % 16


def over_rows(m: int, k: int) -> int:
    """The same with the lowest bit of the row XORed too: 16 chunks are two rows."""
    x = m * 128 + k
    return (x // 16 ^ x // 256 % 16) * 16 + k % 16


def plain(m: int, k: int) -> int:
    return m * 128 + k


@cache
def taken(rows: int, at: Place) -> int:
    stored = passes(raked(rows, 128, 16, "block"), at, 1, "ds_write_b128")
    return stored + passes(operand(rows, 128, (32, 16), 2, 2), at, 1, "ds_read_b64")


def test_of_two_that_cost_the_same_the_one_in_the_header_s_names_is_taken(tmp_path: Path) -> None:
    path = with_variable_template(tmp_path / "fp8.hpp")
    done = bankwise("fix", path, "-t", "gfx942", "-t", "gfx950", *words(FP8))
    before = taken(192, plain)
    assert taken(192, in_rows) == taken(192, over_rows) < before
    told = " ".join(done.err.split())
    assert f"{before:,} -> {taken(192, in_rows):,} passes" in told
    assert "number<kMPerBlock / 2>{}" in done.out
    assert "number<kNPerBlock / 2>{}" in done.out
    assert "number<192>" not in done.out
    assert "numbers" not in told


def test_what_a_variable_template_gives_is_not_asked_for(tmp_path: Path) -> None:
    path = with_variable_template(tmp_path / "fp8.hpp")
    asked = bankwise("check", path, "-t", "gfx942")
    assert asked.code == 2
    assert "kPack" not in asked.err
    assert "kKPack" not in asked.err
    done = bankwise("check", path, "-t", "gfx942", *words(FP8), "--statistics")
    assert done.code == 1
    extra = [line.split()[0] for line in done.out.splitlines() if " MakeALds" in line]
    ideal = 24 * 8 + 96 * 4
    assert extra[0] == f"{taken(192, plain) - ideal:,}"


def test_numbers_stand_under_an_assertion_of_every_size(tmp_path: Path) -> None:
    path = tmp_path / "direct.hpp"
    text = HEADER.read_text()
    for name in ("kMPerBlock", "kKPerBlock"):
        size = f"Problem::BlockGemmShape::{name[:2]}"
        text = text.replace(f"        constexpr index_t {name} = {size};\n", "")
        text = text.replace(name, size)
    path.write_text(text)
    dims = answers(128, 64, 64)
    done = bankwise("fix", path, "-t", "gfx942", *words(dims), "-o", path)
    assert done.code == 0
    sizes = "Problem::BlockGemmShape::kM == 128 && Problem::BlockGemmShape::kK == 64"
    fixed = " ".join(path.read_text().split())
    assert f"static_assert({sizes});" in fixed
    told = " ".join(done.err.split())
    assert "MakeALdsBlockDescriptor: the text is written in numbers and fits" in told
    assert bankwise("check", path, "-t", "gfx942", *words(dims)).code == 0
    other = bankwise("check", path, "-t", "gfx942", *words(answers(256, 64, 64)))
    assert other.code == 3
    assert "does not hold for these numbers" in " ".join(other.out.split())


def test_digits_over_two_axes_are_numbers_under_an_assertion() -> None:
    made = fold_descriptor(Fold(256, 16, 16), (192, 128))
    assert made is not None
    sizes = (("kM", 192), ("kK", 128))
    names = AxisNames(("kM", "kK"), "", 16, sizes)
    text = statements(made, "desc", names, "")
    assert text.startswith("static_assert(kM == 192 && kK == 128);")
    inside = fold_descriptor(Fold(256, 16, 8), (192, 128))
    assert inside is not None
    assert "== 192" not in statements(inside, "desc", names, "")


def test_an_answer_stays_one_that_the_changed_header_asks_for(tmp_path: Path) -> None:
    path = tmp_path / "open.hpp"
    text = HEADER.read_text().replace("kKPack     = 8;", "kKPack = GetPack<Problem>();")
    path.write_text(text)
    dims = words((*answers(128, 64, 64), "kKPack=8"))
    assert bankwise("fix", path, "-t", "gfx942", *dims, "-o", path).code == 0
    assert path.read_text().count("static_assert(kKPack == 8);") == 2
    assert bankwise("check", path, "-t", "gfx942", *dims).code == 0


def test_an_alias_that_nobody_names_any_more_goes_without_a_blank_line(tmp_path: Path) -> None:
    path = tmp_path / "alias.hpp"
    pack = "using ADataType = typename Problem::ADataType;\n\n        constexpr index_t kKPack "
    pack += "= 16 / sizeof(ADataType);\n"
    text = HEADER.read_text().replace("constexpr index_t kKPack     = 8;", pack)
    path.write_text(text.replace("kKPack", "kPiece"))
    dims = words(answers(128, 64, 64))
    assert "        using ADataType" in path.read_text()
    bankwise("fix", path, "-t", "gfx942", *dims, "-o", path)
    functions = path.read_text().split("GetSmemSize")[0]
    assert "using ADataType" not in functions
    assert "\n\n\n" not in functions
