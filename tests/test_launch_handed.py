"""Kernels, and functions that launch, which host code hands on: who gets them may launch otherwise
than it does elsewhere."""

from __future__ import annotations

import pytest

from bankwise.read.launch.host import launches_in
from bankwise.read.names import means

_KNOWN = (64, 1, 1)
_KERNEL = "__global__ void k(float* p) {} void d(float* p) { k<<<1, 64>>>(p); } "


def blocks(source: str) -> list[object]:
    """Of each launch of ``k``, None where it is not known; those alike once."""
    return list(dict.fromkeys(one.block for one in launches_in(source) if one.kernel == "k"))


@pytest.mark.parametrize(
    "handed", ["std::thread t(run, p, 32);", "auto g = &a::run;", "each({run});"]
)
def test_a_function_that_is_handed_on_is_called_with_what_nobody_knows(handed: str) -> None:
    source = "void run(float* p, int n) { k<<<1, n>>>(p); } int main() { run(p, 64); XX }"
    assert blocks(source.replace("XX", handed)) == [_KNOWN, None]
    assert blocks(source.replace("XX", "int i = walk(p, 32);")) == [_KNOWN]


@pytest.mark.parametrize(
    "source",
    [
        'Entry table[] = {{"k", k}, {"q", q}}; void f() { table[i].run<<<1, 32>>>(p); }',
        "auto pick(int i) { return i ? k : q; } void f() { pick(1)<<<1, 32>>>(p); }",
        "void f() { auto run = [&](auto one, int n) { one<<<1, n>>>(p); }; run(k, 32); }",
        'void f() { suite.add("k", k, 32); }',
        "void f() { cudaKernelNodeParams a; a.func = (void*)k; a.blockDim = dim3(32); add(&a); }",
        "template <void (*K)(float*)> void f(float* p) { K<<<1, 32>>>(p); } void g() { f<k>(p); }",
        "struct R { R(F f) : run(f) {} void go() { run<<<1, 32>>>(p); } }; void f() { R r(k); }",
    ],
)
def test_a_kernel_that_is_handed_on_is_launched_as_nobody_knows(source: str) -> None:
    assert blocks(_KERNEL + source) == [_KNOWN, None]


@pytest.mark.parametrize(
    "source",
    [
        "void f() { auto a = k, b = a; (*b)<<<1, 32>>>(p); }",
        "void f() { (k)<<<1, 32>>>(p); }",
        "void g(float* p, Kernel fp) { (*fp)<<<1, 32>>>(p); } void f() { g(p, k); }",
        "template <class F> void bench(F f, int n) { f<<<1, n>>>(p); } void f() { bench(k, 32); }",
    ],
)
def test_a_kernel_that_a_pointer_holds_is_launched_as_that_is(source: str) -> None:
    assert blocks(_KERNEL + source) == [_KNOWN, (32, 1, 1)]


def test_what_is_asked_about_a_kernel_launches_nothing() -> None:
    asks = (
        "void f() { check(cudaFuncSetAttribute(k, attribute, 4)); auto b = cudaOccupancyMax(k); }"
    )
    assert blocks(_KERNEL + asks) == [_KNOWN]
    assert blocks(_KERNEL + "__global__ void k(float* p); template void t<k_>(float*);") == [_KNOWN]


_LIMIT = """#define LIMIT(kernel, n) do { static bool done; if (!done) { \\
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, n)); } } while (0)
"""
_ASK = "check(cudaFuncSetAttribute(a, attribute, 4))"


@pytest.mark.parametrize(
    ("macro", "use", "is_known"),
    [
        (_LIMIT, "LIMIT(k, 4096);", True),
        (_LIMIT, "LIMIT((k), 4096);", True),
        (f"{_LIMIT}#define LIMIT(kernel, n)\n", "LIMIT(k, 4096);", True),
        (f"{_LIMIT}#define LIMIT(kernel, n) run(kernel, n)\n", "LIMIT(k, 4096);", False),
        (f"#define LIMIT(a, b) {_ASK}; go(b)\n", "LIMIT(k, h);", True),
        (f"#define LIMIT(a, b) {_ASK}; go(b)\n", "LIMIT((h<1, 2>), k);", False),
        (_LIMIT.replace("CHECK(", "add(kernel); CHECK("), "LIMIT(k, 4096);", False),
        ("#define LIMIT(kernel, n) p = kernel\n", "LIMIT(k, 4096);", False),
    ],
)
def test_macros_may_ask_something_of_a_kernel(macro: str, use: str, is_known: bool) -> None:
    told = [_KNOWN] if is_known else [_KNOWN, None]
    assert blocks(f"{macro}{_KERNEL}void f() {{ {use} }}") == told


def test_instances_by_names_of_enumerations_and_by_comparisons_are_launched() -> None:
    """As compilers spell them: ``k<(Mode)1>``, ``k<16, true>``."""
    enum = launches_in("enum class Mode { A, B }; void f() { k<Mode::B><<<1, 64>>>(p); }")
    assert any(means(one.kernel, "_Z1kIL4Mode1EEvPf") for one in enum)
    assert not any(means(one.kernel, "_Z1kIL4Mode0EEvPf") for one in enum)
    compared = launches_in("const int N = 32; void f() { k<N / 2, (N > 16)><<<1, 64>>>(p); }")
    assert any(means(one.kernel, "_Z1kILi16ELb1EEvPf") for one in compared)
