"""Launches in loops of host code: over sizes of an array, and numbers that are counted."""

from __future__ import annotations

import pytest

from bankwise.read.launch.host import launches_in


def blocks(source: str) -> list[int]:
    """How many threads a block of each launch has."""
    return [one.block[0] for one in launches_in(source) if one.block is not None]


def within(loop: str, before: str = "int sizes[] = {32, 64, 256};", behind: str = "") -> str:
    return f"int main() {{ {before} {loop} {{ k<<<4, n>>>(a); }} {behind} }}"


def over(array: str, behind: str = "") -> str:
    loop = "for (int j = 0; j < sizeof(sizes) / sizeof(int); j++)"
    return f"int main() {{ {array} {loop} {{ int n = sizes[j]; k<<<4, n>>>(a); }} {behind} }}"


@pytest.mark.parametrize(
    "source",
    [
        over("int sizes[] = {32, 64, 256};"),
        over("const int sizes[3] = {32, 64, 128 * 2};"),
        over("int sizes[] = {32, 64, 256};").replace("sizeof(int)", "sizeof(sizes[0])"),
        over("int sizes[] = {32, 64, 256};").replace("sizeof(sizes) / sizeof(int)", "3"),
        over("int sizes[] = {32, 64, 256};", "int n = 7; n++;"),
        over("int sizes[] = {32, 64, 256};", "for (int j = 0; j < 3; j++) { int n = f(); g(n); }"),
        over("std::vector<int> sizes = {32, 64, 256};").replace(
            "sizeof(sizes) / sizeof(int)", "(int)sizes.size()"
        ),
        within("for (int n : sizes)"),
        within("for (const auto n : sizes)", "std::array<int, 3> sizes{32, 64, 256};"),
        within("for (int n : {32, 64, 256})"),
        within("for (int n = 32; n < 512; n = n == 32 ? 64 : n * 4)"),
        within("for (int n = 32; n <= 256; n += n == 32 ? 32 : 192)"),
        "void go(int which, float* a, int n) { switch (which) { case 1: k<<<4, n>>>(a); break; } }"
        + over("int sizes[] = {32, 64, 256};").replace("k<<<4, n>>>(a)", "go(which, a, n)"),
    ],
)
def test_each_size_of_a_loop_is_a_launch(source: str) -> None:
    assert blocks(source) == [32, 64, 256]


def test_what_functions_take_as_values_keeps_its_own() -> None:
    """``up`` takes numbers, ``run`` a constant that it hands on; a reference may be changed."""
    up = "int up(int a, int b) { return a / b; } "
    run = "void run(float* a, const int n) { int m = more(n); k<<<up(m, n), n>>>(a); } "
    assert blocks(f"{up}{run}int main() {{ int n = 96; up(n, n); run(a, n); }}") == [96]
    for other in ("int up(int& a, int b)", "template <class T> int up(T&& a, int b)"):
        changing = f"{other} {{ return 1; }} {run}int main() {{ int n = 96; up(n, n); run(a, n); }}"
        assert blocks(changing) == []


def test_a_loop_that_counts_by_factors_and_without_brackets() -> None:
    assert blocks(
        "int main() { for (int n = 64; n <= 512; n *= 2) k<<<4, n>>>(a); k<<<4, 32>>>(); }"
    ) == [64, 128, 256, 512, 32]


def test_rounds_that_launch_alike_are_one_launch() -> None:
    source = (
        "int main() { for (int i = 0; i < 5; ++i) { k<<<4, 32>>>(a); k<<<4, 64>>>(a, i / 3); } }"
    )
    assert [str(one) for one in launches_in(source)] == [
        "k<<<4x1x1, 32x1x1, 0>>>(_)",
        "k<<<4x1x1, 64x1x1, 0>>>(_, 0)",
        "k<<<4x1x1, 64x1x1, 0>>>(_, 1)",
    ]


@pytest.mark.parametrize(
    "source",
    [
        over("int sizes[] = {32, 64, 256};", "sizes[1] = 96;"),
        over("int sizes[] = {32, 64, 256};", "read(sizes);"),
        over("int sizes[] = {32, 64, 256};", "int* p = &sizes[0];"),
        over("int sizes[] = {32, 64, f()};"),
        over("int sizes[9] = {32, 64, 256};"),
        over("std::vector<int> sizes = {32, 64};", "sizes.push_back(96);"),
        over("int sizes[] = {32, 64, 256};").replace("int n =", "if (j == 1) continue; int n ="),
        over("int sizes[] = {32, 64, 256};").replace("int n =", "j += f(); int n ="),
        over("int sizes[] = {32, 64, 256};").replace("k<<<", "n = f(); k<<<"),
        "#define BUMP n += f()\n" + over("int sizes[] = {32, 64};").replace("k<<<", "BUMP; k<<<"),
        within("for (int n = 32; n <= limit; n += 32)"),
        within("for (int n = 32; n <= 1024; n += 1)"),
    ],
)
def test_a_loop_that_constants_do_not_decide_launches_nothing_known(source: str) -> None:
    assert blocks(source) == []
