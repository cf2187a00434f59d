"""What is said of a CK header wrongly, and headers that are cut off: exit code 2 and a remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("tree_sitter_cuda")

from command import bankwise
from test_ck_sizes import HEADER, answers, words

SAID = answers(128, 128, 64)


def refused(header: Path, dims: tuple[str, ...], verb: str = "check") -> str:
    done = bankwise(verb, header, "-t", "gfx942", *words(dims))
    assert (done.code, done.out) == (2, "")
    return " ".join(done.err.split())


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("kM=128", "kM=abc", "'kM=abc': one whole number of 1 and more expected"),
        ("kM=128", "kM=0", "'kM=0': one whole number of 1 and more expected"),
        ("kBlockSize=256", "kBlockSize=true", "'kBlockSize=true': one whole number"),
        ("WarpTile=32,32,16", "WarpTile=32,32", "three whole numbers"),
        ("ADataType=half_t", "ADataType=hlf_t", "did you mean half_t?"),
    ],
)
def test_a_value_that_is_mistyped_is_refused(old: str, new: str, says: str) -> None:
    dims = tuple(new if one == old else one for one in SAID)
    assert says in refused(HEADER, dims)
    assert says in refused(HEADER, dims, "fix")


def test_an_answer_that_is_given_twice_is_refused_unless_it_is_the_same() -> None:
    assert "kK was said before, otherwise" in refused(HEADER, (*SAID, "kK=32"))
    assert bankwise("check", HEADER, "-t", "gfx942", *words((*SAID, "kK=64"))).code == 1


def test_bytes_are_taken_where_a_type_is_not_known() -> None:
    dims = tuple("ADataType=2" if one == "ADataType=half_t" else one for one in SAID)
    assert bankwise("check", HEADER, "-t", "gfx942", *words(dims)).code == 1


def test_a_name_that_nobody_declares_is_told_the_nearest_one_and_may_be_said(
    tmp_path: Path,
) -> None:
    path = tmp_path / "typo.hpp"
    wrong = "number<kNPerBlock>{}, number<kKPerBlok>{}"
    text = HEADER.read_text().replace("number<kNPerBlock>{}, number<kKPerBlock>{}", wrong)
    path.write_text(text.replace("number<kMPerBlock>{}, number<kKPerBlock>{}", "kMine{}"))
    dims = SAID
    said = refused(path, dims)
    assert "did you mean kKPerBlock for kKPerBlok?" in said
    path.write_text(text)
    done = bankwise("fix", path, "-t", "gfx942", *words((*dims, "kKPerBlok=64")))
    assert done.code == 0
    assert "MakeBLdsBlockDescriptor: make_xor_transform" in done.err


@pytest.mark.parametrize("share", [0.3, 0.5, 0.8, 0.97])
def test_a_header_that_is_cut_off_is_refused_at_the_brace_that_stays_open(
    share: float, tmp_path: Path
) -> None:
    text = HEADER.read_text()
    text = text[: int(share * len(text))]
    path = tmp_path / "cut.hpp"
    path.write_text(text)
    # Comments and texts of this header hold no braces: the innermost one that is open is the last
    # "{" behind which as many close as open.
    depth, last = 0, 0
    for at in range(len(text) - 1, -1, -1):
        depth += {"{": -1, "}": 1}.get(text[at], 0)
        if depth < 0:
            last = at
            break
    line, column = text.count("\n", 0, last) + 1, last - text.rfind("\n", 0, last)
    said = refused(path, SAID)
    assert f"cut.hpp:{line}:{column}: " in said
    assert "never closed" in said
    assert "cut off" in said


def test_braces_in_comments_and_texts_are_none(tmp_path: Path) -> None:
    path = tmp_path / "braces.hpp"
    more = '// { {\n/* { */ static constexpr char brace = \'{\';\nconstexpr auto text = "{{\\"{";\n'
    path.write_text(
        HEADER.read_text().replace("namespace ck_tile {\n", f"namespace ck_tile {{\n{more}")
    )
    assert bankwise("check", path, "-t", "gfx942", *words(SAID)).code == 1
