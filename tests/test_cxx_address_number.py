"""Assembly that makes a number of an address of shared memory: what is done with it is followed."""

from __future__ import annotations

import pytest

from bankwise.read.cxx.arrays import SharedArray, shared_arrays
from bankwise.read.cxx.tree import parse

KERNEL = "__global__ void k(float* o) {{ __shared__ float s[64][32]; int t; {} }}"


def arrays(text: str) -> tuple[SharedArray, ...]:
    return shared_arrays(parse(text, "k.cu"))


_CVTA = (
    r'asm("{ .reg .u64 p;\n" "cvta.to.shared.u64 p, %1; cvt.u32.u64 %0, p; }"'
    ' : "=r"(a) : "l"(P));'
)
_MOVE = 'asm("ldmatrix.x1 {v}, [%0];" :: "r"(a));'


@pytest.mark.parametrize(
    ("assembly", "why"),
    [
        (_CVTA, ""),
        (_CVTA.replace(".u64 p;", ".b64  q ;").replace(" p", " q"), ""),
        ('asm("cvta.to.shared.u64 %0, %1;" : "=l"(a) : "l"(P));', ""),
        (_CVTA.replace("%0, p", "%0, q"), "is computed with in assembly"),
        (_CVTA.replace("cvt.u32", "add.u64 p, p, 16; cvt.u32"), "is computed with in assembly"),
        (_CVTA.replace('"=r"(a)', '"+r"(a)').replace("%0,", "%1,"), "is computed with"),
        (_CVTA.replace("(a)", "(o[3])"), "is computed with in assembly"),
        (_CVTA.replace("(a)", "(b)"), "is computed with in assembly"),
    ],
)
def test_an_address_is_followed_through_assembly_that_makes_a_number_of_it(
    assembly: str, why: str
) -> None:
    given = assembly.replace("P", "&s[t][4]")
    body = f"unsigned a; {{ {given} {_MOVE} }} unsigned b = 3; s[t][0] = 2;"
    (array,) = arrays(KERNEL.format(body))
    assert [why in one.reason for one in array.refusals] == [True] * bool(why)
    assert why or array.uses[0].kept == ("16",)


def test_all_that_is_done_with_the_number_is_followed() -> None:
    given = _CVTA.replace("P", "&s[t][4]")
    for more, why in (
        (f"{_MOVE} o[a] = 1;", "goes where it cannot be followed"),
        (_MOVE.replace("(a)", "(a + 16)"), "goes where it cannot be followed"),
        (f"{_MOVE} {_CVTA.replace('P', 'o')}", "is computed with in assembly"),
    ):
        (array,) = arrays(KERNEL.format(f"unsigned a; {given} {more}"))
        assert any(why in one.reason for one in array.refusals), (more, array.refusals)


def test_a_function_that_makes_a_number_of_an_address_is_followed() -> None:
    number = _CVTA.replace("P", "p")
    helper = f"__device__ unsigned at(const void* p) {{ unsigned a; {number} return a; }}\n"
    body = 'asm("ldmatrix.x1 {v}, [%0];" :: "r"(at(&s[t][4])));'
    (array,) = arrays(helper + KERNEL.format(body))
    assert not array.refusals
    assert array.uses[0].kept == ("16",)
