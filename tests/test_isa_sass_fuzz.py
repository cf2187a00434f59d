"""Mutated SASS: every text is read or refused with one InputError, never anything else."""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.errors import InputError
from bankwise.read.follow.driver import check_code
from bankwise.read.sass.dialect import SASS
from sass_texts import FOLDER, sass_text


def lines() -> list[str]:
    """One instruction of every kind in the set, with its operands."""
    found: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*.sass")):
        for line in path.read_text().splitlines():
            head, _, rest = line.strip().partition("*/")
            code = rest.strip().rstrip(" ;")
            if head.startswith("/*") and code and code[0] in "@ABCDEFGHILMNPRSUVW":
                name = code.split()[1 if code[0] == "@" else 0]
                found.setdefault(name, code)
    return sorted(found.values())


LINES = lines()
WORDS = sorted({word.strip(",") for line in LINES for word in line.split()})
ODD = ["08", "011", "9" * 5000, "c[0x2][R1+0x10]", "32@lo((k + .L_end@srel))", "²"]
ODD += ["", "-", "~", "[", "]", "0x", "R999999", "UR", "c[0x0]", "c[0x0][", "!", "P9", "`(", ".64"]
SIGNS = ["", "\n", "0", "R", "*", " ", ",", '"', "]", "\x00"]


@st.composite
def programs(draw: st.DrawFn) -> str:
    """Instructions of the set in any order, of some one operand replaced or taken away."""
    chosen = draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=12))
    out = []
    for line in chosen:
        parts = line.split(" ")
        if draw(st.booleans()):
            at = draw(st.integers(0, len(parts) - 1))
            new = draw(st.sampled_from([*ODD, *WORDS]) | st.text(max_size=6))
            parts[at : at + 1] = [new.replace("\n", " ").replace("\r", " ")]
        out.append(" ".join(parts))
    return "\n".join(out)


@settings(max_examples=250)
@given(programs())
def test_any_instructions_with_any_operands_are_read_or_refused(body: str) -> None:
    with contextlib.suppress(InputError):
        check_code(SASS, sass_text(body), "k.sass", args={"ctaid.x": 1})


def test_texts_with_characters_changed_anywhere_are_read_or_refused() -> None:
    draw = random.Random(5)
    text = (FOLDER / "triton_transpose.sass").read_text()
    read = refused = 0
    for _ in range(120):
        mutated = list(text)
        for _ in range(draw.randrange(1, 8)):
            at = draw.randrange(len(mutated))
            mutated[at] = draw.choice([*SIGNS, mutated[at] * 2])
        try:
            check_code(SASS, "".join(mutated), "k.sass", workgroup_size=(128, 1, 1))
            read += 1
        except InputError:
            refused += 1
    assert read > 10
    assert refused > 10


def test_texts_cut_anywhere_in_a_kernel_are_refused() -> None:
    text = (FOLDER / "triton_transpose.sass").read_text()
    start, end = text.index(".text.transpose:\n"), text.rindex(".L_x_")
    draw = random.Random(6)
    for _ in range(40):
        cut = draw.randrange(start, end)
        with pytest.raises(InputError, match=r"has no end|no instruction"):
            check_code(SASS, text[:cut], "k.sass", workgroup_size=(128, 1, 1))
