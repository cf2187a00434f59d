"""Names of a CK header that are not what somebody takes them for."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("tree_sitter_cuda")

from command import bankwise
from test_ck_headers import HEADERS
from test_ck_sizes import answers, words

HEADER = HEADERS / "two_operands.hpp"
DIMS = answers(128, 64, 64)


@pytest.mark.parametrize("verb", ["check", "fix"])
def test_an_answer_that_contradicts_the_header_is_refused(verb: str) -> None:
    assert "kKPack     = 8;" in HEADER.read_text()
    done = bankwise(verb, HEADER, "-t", "gfx942", *words((*DIMS, "kKPack=4")))
    assert (done.code, done.out) == (2, "")
    told = " ".join(done.err.split())
    assert "--dim kKPack=4: the header computes it, MakeALdsBlockDescriptor has 8" in told
    assert "leave it out" in told


def test_an_answer_that_says_what_the_header_computes_is_taken() -> None:
    plain = bankwise("check", HEADER, "-t", "gfx942", *words(DIMS))
    again = bankwise("check", HEADER, "-t", "gfx942", *words((*DIMS, "kKPack=8")))
    assert plain.code == again.code == 1
    assert plain.out.splitlines()[-1] == again.out.splitlines()[-1]


WRONG = "make_naive_tensor_desriptor"


def test_a_misspelt_call_is_told_at_its_place(tmp_path: Path) -> None:
    path = tmp_path / "typo.hpp"
    text = HEADER.read_text().replace("make_naive_tensor_descriptor", WRONG, 1)
    path.write_text(text)
    line = 1 + next(n for n, one in enumerate(text.splitlines()) if WRONG in one)
    done = bankwise("check", path, "-t", "gfx942", *words(DIMS))
    told = "".join(done.out.split())
    assert f"typo.hpp:{line}:" in told.partition("notanalysed:")[2]
    assert f"{WRONG}isnothingthatCKhas:didyoumeanmake_naive_tensor_descriptor?" in told
    assert "--dima_lds" not in told


def test_where_all_are_misspelt_nothing_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "typo.hpp"
    path.write_text(HEADER.read_text().replace("make_naive_tensor_descriptor", WRONG))
    done = bankwise("check", path, "-t", "gfx942", *words(DIMS))
    assert (done.code, done.out) == (2, "")
    assert f"hint: {WRONG} is nothing that CK has: did you mean" in " ".join(done.err.split())
    assert "--dim" not in done.err


def test_a_function_of_the_header_with_a_name_like_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "own.hpp"
    own = f"template <typename... T>\nconstexpr auto {WRONG}(T... t)\n"
    own += "{ return make_naive_tensor_descriptor(t...); }\n"
    text = HEADER.read_text().replace("make_naive_tensor_descriptor", WRONG, 1)
    path.write_text(text.replace("namespace ck_tile {", "namespace ck_tile {\n" + own, 1))
    done = bankwise("check", path, "-t", "gfx942", *words(DIMS))
    assert "did you mean" not in done.out + done.err


def test_the_command_that_fixes_several_functions_is_printed_once() -> None:
    out = " ".join(bankwise("check", HEADER, "-t", "gfx942", *words(DIMS)).out.split())
    assert out.count("`bankwise fix ") == 1
    assert out.count("the same command writes and proves it") == 1
