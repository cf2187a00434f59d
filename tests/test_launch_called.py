"""Launches within host functions, with what the calls of the same file hand over."""

from __future__ import annotations

import pytest

from bankwise.read.launch.facts import KernelLaunch, launches_of
from bankwise.read.launch.host import launches_in

RUN = "void run(float* a, int n) { k<<<n / 32, 32>>>(a, n); }\n"


def told(source: str) -> list[str]:
    return [str(one) for one in launches_in(source)]


@pytest.mark.parametrize(
    ("source", "launches"),
    [
        (f"{RUN}int main() {{ run(d, 4096); }}", ["k<<<128x1x1, 32x1x1, 0>>>(_, 4096)"]),
        (  # a variable that is handed over as a value keeps it
            f"{RUN}int main() {{ int n = 64; run(d, n); }}",
            ["k<<<2x1x1, 32x1x1, 0>>>(_, 64)"],
        ),
        (
            f"{RUN}int main() {{ run(d, 64); run(d, 96); }}",
            ["k<<<2x1x1, 32x1x1, 0>>>(_, 64)", "k<<<3x1x1, 32x1x1, 0>>>(_, 96)"],
        ),
        (  # through two levels
            f"{RUN}void go(int n) {{ run(d, n * 2); }} int main() {{ go(32); }}",
            ["k<<<2x1x1, 32x1x1, 0>>>(_, 64)"],
        ),
        (  # a default, and a call that says otherwise
            "void run(float* a, int n = 64, int b = 32) { k<<<n / b, b>>>(a, n); }"
            " int main() { run(d); run(d, 96, 16); }",
            ["k<<<2x1x1, 32x1x1, 0>>>(_, 64)", "k<<<6x1x1, 16x1x1, 0>>>(_, 96)"],
        ),
        (
            "void run(dim3 g, const dim3& b) { k<<<g, b>>>(); } int main() { run(4, dim3(8, 8)); }",
            ["k<<<4x1x1, 8x8x1, 0>>>()"],
        ),
        (  # a template of types alone, deduced or said
            "template <typename T> void run(T* a, int n) { k<<<n, 32>>>(a, n); }"
            " int main() { run(d, 2); run<float>(d, 3); }",
            ["k<<<2x1x1, 32x1x1, 0>>>(_, 2)", "k<<<3x1x1, 32x1x1, 0>>>(_, 3)"],
        ),
        (  # declared before, defined behind the call
            "void run(float*, int n); int main() { run(d, 64); }\n" + RUN,
            ["k<<<2x1x1, 32x1x1, 0>>>(_, 64)"],
        ),
    ],
)
def test_a_call_decides_the_launches_of_its_function(source: str, launches: list[str]) -> None:
    assert told(source) == launches


def blocks(source: str) -> list[KernelLaunch]:
    return list(launches_in(source))


def test_the_line_of_the_call_stands_beside_that_of_the_launch() -> None:
    (found,) = blocks(f"{RUN}void go() {{\n  run(d, 64);\n}}\nint main() {{ go(); }}")
    assert found.said == "as it is launched at line 1 (called at 5, 3)"


@pytest.mark.parametrize(
    "source",
    [
        RUN,  # nothing calls it
        f"{RUN}int main(int n, char** v) {{ run(d, n); }}",  # with what nobody knows
        f"{RUN}int main() {{ int n = 1; n *= 2; run(d, n); }}",
        "void run(int n) { n = n + 1; k<<<n / 32, 32>>>(a, n); } int main() { run(64); }",
        "void run(float* a, int& n) { k<<<n, 32>>>(a, n); } int main() { int n = 2; run(d, n); }",
    ],
)
def test_what_no_call_decides_is_launched_with_its_block_alone(source: str) -> None:
    (found,) = blocks(source)
    assert (found.block, found.grid) == ((32, 1, 1), None)
    assert set(found.positional) == {None}


def test_functions_that_call_each_other_end() -> None:
    both = "void a(int n) { k<<<n, 32>>>(n); b(n); } void b(int n) { a(n); }"
    source = f"{both} int main() {{ a(4); b(5); }}"
    assert {one.grid for one in blocks(source)} == {(4, 1, 1), (5, 1, 1), None}
    assert {one.block for one in blocks(both)} == {(32, 1, 1)}


def test_a_function_that_is_defined_twice_is_read_where_it_stands() -> None:
    twice = RUN + "void run(double* a, int n) { k2<<<n, 64>>>(a, n); }\nint main() { run(d, 64); }"
    assert [(one.kernel, one.grid) for one in blocks(twice)] == [("k", None), ("k2", None)]


BENCH = "void bench(void (*f)(float*, int), dim3 g, dim3 b, int n) { f<<<g, b>>>(d, n); }\n"


@pytest.mark.parametrize(
    ("source", "launches"),
    [
        (f"{BENCH}int main() {{ bench(a, 4, 32, 9); }}", ["a<<<4x1x1, 32x1x1, 0>>>(_, 9)"]),
        (
            f"{BENCH}int main() {{ bench(&a, 4, 32, 9); bench(b, 2, 64, 8); }}",
            ["a<<<4x1x1, 32x1x1, 0>>>(_, 9)", "b<<<2x1x1, 64x1x1, 0>>>(_, 8)"],
        ),
        (  # an instance of a template, through two functions
            f"{BENCH}void go(void (*g)(float*, int), int n) {{ bench(g, n, n * 2, 1); }}"
            " int main() { go(a<16, float>, 32); }",
            [
                "a<16, float, *><<<32x1x1, 64x1x1, 0>>>(_, 1)",
                "a<16, float><<<32x1x1, 64x1x1, 0>>>(_, 1)",
            ],
        ),
        (  # through a variable that is a pointer to a function
            f"{BENCH}int main() {{ void (*f)(float*, int) = a; bench(f, 4, 32, 9); }}",
            ["a<<<4x1x1, 32x1x1, 0>>>(_, 9)"],
        ),
        (
            "void (*every[2])(int) = {a, b}; int main() { every[i]<<<1, 96>>>(7); }",
            ["a<<<1x1x1, 96x1x1, 0>>>(7)", "b<<<1x1x1, 96x1x1, 0>>>(7)"],
        ),
    ],
)
def test_a_kernel_that_is_handed_over_is_launched(source: str, launches: list[str]) -> None:
    passing = {"f", "g", "every"}
    assert [one for one in told(source) if one.partition("<")[0] not in passing] == launches


def test_a_kernel_counts_for_the_call_alone_that_hands_it_over() -> None:
    source = f"{BENCH}int main() {{ bench(a, 4, 32, 9); f<<<1, 8>>>(); bench(b, 2, 64, 8); }}"
    assert {one.kernel for one in launches_in(source) if one.block == (8, 1, 1)} == {"f"}


@pytest.mark.parametrize(
    ("given", "parameter", "spelled"),
    [
        ("WIDE", "bool", "true"),
        ("!WIDE", "bool", "false"),
        ("N / 3", "bool", "true"),
        ("N - 4", "bool", "false"),
        ("true", "int", "1"),
        ("N / 4", "int", "1"),
        ("N", "int", "4"),
    ],
)
def test_an_instance_is_known_by_numbers_and_truths(
    given: str, parameter: str, spelled: str
) -> None:
    """The compiler spells an argument as its parameter says, which host code need not."""
    text = (
        f"template <int A, {parameter} B> __global__ void k(float* p) {{}}\n"
        "void run(float* p) { const int N = 4; const bool WIDE = true;\n"
        f"k<N, ({given})><<<1, 96>>>(p); k<N, 7><<<1, 32>>>(p); }}\n"
    )
    launches = launches_in(text)
    blocks = [one.block for one in launches_of(f"k<4, {spelled}>", [launches])]
    assert blocks == [(96, 1, 1)]
    assert [one.block for one in launches_of("k<4, 5>", [launches])] == [None]
