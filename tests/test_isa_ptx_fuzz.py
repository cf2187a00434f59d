"""Mutated PTX: every text is read or refused with one InputError, never anything else."""

from __future__ import annotations

import random

import pytest

from bankwise.errors import InputError
from bankwise.read.follow.driver import check_code
from bankwise.read.ptx.dialect import PTX
from isa_texts import ptx_text
from test_isa_ptx_calls import CALLER, FUNCTIONS, VOTES

TEXT = ptx_text(CALLER + "\n".join(f"\n    {code}" for code, _ in VOTES)).replace(
    ".visible .entry", f"{FUNCTIONS}\n.visible .entry"
)
ODD = [
    "08",
    "0b2",
    "ff",
    "9" * 5000,
    "²",
    "%r999999",
    "[%r1+08]",
    "[poke_param_0]",
    "{%r1,",
    "(",
    "",
]
SIGNS = ["", "0", "%", " ", ",", ";", "[", "]", "{", "}", "(", ")", "\x00", "\n"]


def mutated(draw: random.Random) -> str:
    lines = TEXT.split("\n")
    for _ in range(draw.randrange(1, 5)):
        at = draw.randrange(len(lines))
        way = draw.randrange(5)
        if way == 0:
            del lines[at]
        elif way == 1:
            lines.insert(at, draw.choice(lines))
        elif way == 2:
            words = lines[at].split(" ")
            words[draw.randrange(len(words))] = draw.choice([*ODD, *draw.choice(lines).split(" ")])
            lines[at] = " ".join(words)
        elif way == 3 and lines[at]:
            place = draw.randrange(len(lines[at]))
            lines[at] = lines[at][:place] + draw.choice(SIGNS) + lines[at][place + 1 :]
        else:
            lines[at] += draw.choice(lines)
    return "\n".join(lines)


def test_texts_changed_anywhere_are_read_or_refused() -> None:
    draw = random.Random(8)
    read = refused = 0
    for _ in range(300):
        try:
            check_code(PTX, mutated(draw), "k.ptx", workgroup_size=(32, 1, 1))
            read += 1
        except InputError:
            refused += 1
    assert read > 50
    assert refused > 20


@pytest.mark.parametrize(
    ("number", "value"), [("0x1F", 31), ("037", 31), ("0b11111", 31), ("31U", 31), ("08", None)]
)
def test_numbers_are_those_of_the_language(number: str, value: int | None) -> None:
    """PTX ISA, integer constants: 0x, 0b, 0 before octal digits."""
    body = f"    and.b32 %r2, %r1, {number};\n    st.shared.b8 [%r2], %r1;"
    (kernel,) = check_code(PTX, ptx_text(body), "k.ptx")
    if value is None:
        assert not kernel.accesses
        assert kernel.refusals
    else:
        (pattern,) = kernel.accesses[0].access.patterns
        assert pattern.offsets_bytes[0].tolist() == [lane & value for lane in range(32)]
