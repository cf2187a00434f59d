"""Places of constant bank 4 by the names of what lies there: a module counts these."""

from __future__ import annotations

import pytest

from bankwise.read.sass.bank4 import by_name
from bankwise.read.sass.facts import Facts
from bankwise.read.sass.parse import kernels
from sass_texts import sass_text

BODY = """S2R R9, SR_TID.X
MOV R{base}, 0x{driver:x}
ULDC.64 UR4, c[0x4][0x{text:x}]
IMAD.MOV.U32 R5, RZ, RZ, c[0x4][0x{high:x}]
LDC.64 R2, c[0x4][R{base}]
CALL.ABS.NOINC R2
{behind}
MOV R{base}, RZ"""
ALONE = {0: "vprintf", 8: "$str"}
BESIDE = {0: "__unnamed_1", 8: "$str", 16: "mine", 24: "$str$1", 32: "vprintf"}


def named(names: dict[int, str], base: int = 0, behind: str = "NOP") -> list[str]:
    """The text of each instruction, where the driver's function and a text lie so."""
    places = {name: at for at, name in names.items()}
    text = max(at for name, at in places.items() if name.startswith("$str"))
    given = {"driver": places["vprintf"], "text": text, "high": text + 4}
    body = BODY.format(base=base, behind=behind, **given)
    (kernel,) = kernels(sass_text(body), "k", {"k": Facts((32, 1, 1), externals=names)})
    return [str(one) for one in by_name(kernel.code, kernel.facts.externals)]


@pytest.mark.parametrize(
    ("base", "behind"), [(0, "NOP"), (2, "NOP"), (0, "IADD3 R7, R1, R4, R6"), (3, "NOP")]
)
def test_a_kernel_is_the_same_text_wherever_its_module_puts_what_it_calls(
    base: int, behind: str
) -> None:
    assert named(ALONE, base, behind) == named(BESIDE, base, behind)


@pytest.mark.parametrize(
    ("base", "behind"),
    [
        (0, "IADD3 R7, R0, R4, R6"),  # the number itself is an operand
        (1, "DADD R8, R8, R0"),
        (6, "NOP"),  # an argument of the call
    ],
)
def test_a_number_that_something_else_may_read_stays(base: int, behind: str) -> None:
    assert named(ALONE, base, behind) != named(BESIDE, base, behind)


def test_what_lies_there_is_told_apart() -> None:
    """Another variable of the module is other code, even at the same place."""
    one, other = ({0: "vprintf", 8: name} for name in ("mine", "yours"))
    body = "MOV R0, c[0x4][0x8]\nIADD3 R1, R0, c[0x4][0xc], RZ\nMOV R2, c[0x4][0x40]"

    def text(names: dict[int, str]) -> list[str]:
        (kernel,) = kernels(sass_text(body), "k", {"k": Facts((32, 1, 1), externals=names)})
        return [str(each) for each in by_name(kernel.code, names)]

    assert text(one) != text(other)
    assert text(one)[0] != text(one)[1].replace("IADD3 R1, R0", "MOV R0")
    assert text(one)[2] == text(other)[2]


def test_a_text_is_one_of_the_kernel_and_no_other_kind() -> None:
    """A variable of the author's in the place of a text is seen, and so is the order of texts."""
    body = "MOV R0, c[0x4][0x0]\nMOV R1, c[0x4][0x8]\nMOV R2, c[0x4][{last}]"

    def text(last: str, names: dict[int, str]) -> list[str]:
        whole = sass_text(body.format(last=last))
        (kernel,) = kernels(whole, "k", {"k": Facts((32, 1, 1), externals=names)})
        return [str(each) for each in by_name(kernel.code, names)]

    texts, others = {0: "$str", 8: "__unnamed_1"}, {0: "$str$4", 8: "__unnamed_7"}
    assert text("0x0", texts) == text("0x0", others)
    assert text("0x0", texts) != text("0x8", texts)
    assert text("0x0", texts) != text("0x0", {**texts, 0: "names"})
