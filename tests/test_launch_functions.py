"""Functions of numbers that host code calls: ceilings of quotients, as people write them."""

from __future__ import annotations

import pytest

from bankwise.read.launch.host import launches_in

GO = "void go(float* a) {{ {more} k<<<dim3({call}, 3), 64>>>(a); }}\n"
CALL = "up(1000, 64)"
GIVES_16 = [
    "constexpr int up(int a, int b) { return (a + b - 1) / b; }",
    "template <typename T> constexpr auto up(const T& a, const T& b) { return (a + b - 1) / b; }",
    "template <class A, class B> static inline A up(A a, const B &b) { return (a + b - 1) / b; }",
    "int up(int a, int b) { return a % b == 0 ? a / b : a / b + 1; }",
    "int up(int a, int b) { if (a % b) return a / b + 1; return a / b; }",
    "int up(int a, int b) { if (a % b == 0) { return a / b; } else { return a / b + 1; } }",
    "int up(int a, int b) { if (a < b) { return 1; } if (a % b) return a / b + 1; return a / b; }",
    "int up(int a, int b) { const int r = a + b - 1; return r / b; }",
    "int up(int a, int b) { int r = a; int q = r + b; return (q - 1) / b; }",
]
UNKNOWN = [
    "int up(int a, int b) { int r = a; r += b; return (r - 1) / b; }",
    "int up(int a, int b) { if (a % b) n++; return (a + b - 1) / b; }",
    "int up(int a, int b) { if (n) return 3; return (a + b - 1) / b; }",
    "int up(int a, int b) { while (a % b) ++a; return a / b; }",
    "int up(int a, int b) { static int r = a; return (r + b - 1) / b; }",
    "int up(int& a, int b) { return (a + b - 1) / b; }",
    "int up(float a, int b) { return (a + b - 1) / b; }",
    "template <class T> T up(V a, V b) { return (a + b - 1) / b; }",
    "int up(int a, int b) { float r = a; return (r + b - 1) / b; }",
    "int up(int a, int b) { return 1; } int up(int a, int b) { return 2; }",
]


def grids(text: str) -> list[object]:
    return [one.grid for one in launches_in(text)]


@pytest.mark.parametrize("function", GIVES_16)
def test_a_function_that_returns_a_number_is_that_number(function: str) -> None:
    assert grids(f"{function}\n{GO.format(more='', call=CALL)}") == [(16, 3, 1)]


@pytest.mark.parametrize("function", UNKNOWN)
def test_of_another_function_nothing_is_said(function: str) -> None:
    assert grids(f"{function}\n{GO.format(more='', call=CALL)}") == [None]


def test_the_types_of_a_template_may_be_said() -> None:
    for said, grid in ("<int>", (16, 3, 1)), ("<char>", None), ("<float>", None):
        text = GO.format(more="", call=f"up{said}(1000, 64)")
        assert grids(f"{GIVES_16[1]}\n{text}") == [grid]


def test_a_number_of_a_launch_may_be_compared() -> None:
    for call in ("1000 < 64 ? 1 : 16", "n < 64 ? 16 : 16", "T<int, 3>::N"):
        launched = grids(GO.format(more="", call=call))
        assert launched == [(16, 3, 1) if call[0] == "1" else None]


@pytest.mark.parametrize(
    ("captured", "body", "grid"),
    [
        ("", "return (a + b - 1) / b;", (16, 3, 1)),
        ("&", "return (a + b - 1) / b;", (16, 3, 1)),
        ("=", "if (a % b) return a / b + 1; return a / b;", (16, 3, 1)),
        ("&", "return (a + n - 1) / b;", None),
        ("n = 3", "return (a + b - 1) / b;", None),
    ],
)
def test_a_variable_may_be_a_function(captured: str, body: str, grid: object) -> None:
    more = f"auto up = [{captured}](int a, int b) {{ {body} }};"
    assert grids(GO.format(more=more, call=CALL)) == [grid]


def test_a_function_of_an_object_is_another_one() -> None:
    for call in ("x.up(1000, 64)", "x->up(1000, 64)"):
        assert grids(f"{GIVES_16[0]}\n{GO.format(more='', call=call)}") == [None]


def test_a_variable_is_a_function_in_its_block_alone() -> None:
    other = "int up(int, int);\nvoid f() { auto up = [](int a, int b) { return 1; }; }\n"
    for text in (other, other.partition("\n")[2]):
        assert grids(text + GO.format(more="", call=CALL)) == [None]
    own = "auto up = [](int a, int b) { return (a + b - 1) / b; };"
    assert grids(f"{own}\n{GO.format(more='', call=CALL)}") == [(16, 3, 1)]
