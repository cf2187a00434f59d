"""Launches behind a ``case`` or an ``if`` that says what a variable is there."""

from __future__ import annotations

import pytest

from bankwise.read.launch.host import launches_in

_CASES = """void run(float* p, int threads) {
  int warps = threads / 32;
  dim3 block(32, warps);
  switch (threads) {
    case 128: k<<<4, block, threads * 4>>>(p); break;
    case 64: { k<<<4, block>>>(p, 64); break; }
    case 32: k<<<4, block>>>(p, warps); return;
    default: k<<<4, block>>>(p, 0);
  }
}
"""


def told(source: str) -> list[str]:
    return [str(one) for one in launches_in(source)]


def test_a_case_says_what_a_variable_is_and_what_was_set_from_it() -> None:
    assert told(_CASES) == [
        "k<<<4x1x1, 32x4x1, 512>>>(_)",
        "k<<<4x1x1, 32x2x1, 0>>>(_, 64)",
        "k<<<4x1x1, 32x1x1, 0>>>(_, 1)",
        "k<<<4x1x1, _, 0>>>(_, 0)",
    ]


@pytest.mark.parametrize(
    ("before", "known"),
    [
        ("case 64: case 32:", False),
        ("case 64: f(); case 32:", False),
        ("case 64: if (n) break; case 32:", False),
        ("case 64: if (n) { f(); break; } case 32:", False),
        ("case 64: f(); break; case 32:", True),
        ("case 64: { f(); break; } case 32:", True),
        ("case 64: return f(1); case 32:", True),
        ("case 32: case2();", True),
    ],
)
def test_a_case_that_another_falls_into_says_nothing(before: str, known: bool) -> None:
    source = f"void run(float* p, int n, int t) {{ switch (t) {{ {before} k<<<1, t>>>(p); }} }}"
    assert told(source) == ["k<<<1x1x1, 32x1x1, 0>>>(_)"] * known


@pytest.mark.parametrize(
    ("asked", "known"),
    [
        ("if (t == 32)", True),
        ("if (n > 4 && 32 == t)", True),
        ("if constexpr (t == 32)", True),
        ("if (a) {} else if (t == 32)", True),
        ("if (t == 32 || n)", False),
        ("if (!(t == 32))", False),
        ("if (t != 32)", False),
        ("while (t == 32)", False),
        ("if (t == n)", False),
        ("if (t == 32) { t /= 2; }", False),
        ("if (t == 32) {}", False),
    ],
)
def test_a_block_behind_an_if_has_what_was_asked(asked: str, known: bool) -> None:
    source = f"void run(float* p, int n, int t) {{ {asked} {{ k<<<1, t>>>(p); }} }}"
    assert told(source) == ["k<<<1x1x1, 32x1x1, 0>>>(_)"] * known


@pytest.mark.parametrize(
    ("body", "block"),
    [
        ("int b = t; if (t == 32) { k<<<1, b>>>(p); }", "32x1x1"),
        ("int b = t; if (t == 32) { int t = f(); k<<<1, b>>>(p); }", "32x1x1"),
        ("int b = t; if (t == 32) { int b = f(); k<<<1, b>>>(p); }", ""),
        ("int b = t; b = f(); if (t == 32) { k<<<1, b>>>(p); }", ""),
        ("int b = f(t); if (t == 32) { k<<<1, b>>>(p); }", ""),
        ("{ int b = t; } int b; if (t == 32) { k<<<1, b>>>(p); }", ""),
    ],
)
def test_what_was_set_from_it_is_that_variable(body: str, block: str) -> None:
    known = [f"k<<<1x1x1, {block}, 0>>>(_)"] if block else []
    assert told(f"void run(float* p, int t) {{ {body} }}") == known


@pytest.mark.parametrize("around", ["namespace a { int t; %s }", "struct A { int t; %s };"])
def test_what_other_functions_may_change_is_not_known(around: str) -> None:
    run = "void run(float* p) { if (t == 32) { next(); k<<<1, t>>>(p); } }"
    assert told(around % run) == []


def test_each_call_of_a_function_has_its_own_cases() -> None:
    run = "template <int N> void run(float* p, int t) { switch (t) { case 8: k<<<N, t>>>(p); } } "
    calls = "void f(float* p, int n) { run<1>(p, n); run<2>(p, n); run<3>(p, 8); }"
    assert told(run + calls) == [f"k<<<{n}x1x1, 8x1x1, 0>>>(_)" for n in (1, 2, 3)]
