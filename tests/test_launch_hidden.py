"""Names of host code that mean something else than the constant of that name: what hides it, and
what changes it in ways that do not look like it."""

from __future__ import annotations

import pytest

from launch_blocks import blocks

_KNOWN = (64, 1, 1)


@pytest.mark.parametrize(
    "source",
    [
        "void f(int m) { int n(m); k<<<1, n>>>(p); }",
        "void f(int m) { auto n{m}; k<<<1, n>>>(p); }",
        "void f(int m) { int& n = m; k<<<1, n>>>(p); }",
        "void f(List v) { for (int n : v) k<<<1, n>>>(p); }",
        "void f(List v) { for (const auto& n : v) k<<<1, n>>>(p); }",
        "void f(const int& n) { k<<<1, n>>>(p); }",
        "void f(int m) { auto g = [n = m] { k<<<1, n>>>(p); }; }",
        "void f(int m) { auto g = [&](const int& n) -> int { k<<<1, n>>>(p); }; }",
        "struct S { void f() { k<<<1, n>>>(p); } int n; };",
        "struct S { void f() { k<<<1, n>>>(p); } int m = 3, n; }; S s; void g() { s.f(); }",
        "struct S { int m, n; void f(); }; void S::f() { k<<<1, n>>>(p); }",
        "struct A { int n; }; struct B : A { void f() { k<<<1, n>>>(p); } };",
        "template <int n> struct S { void f() { k<<<1, n>>>(p); } };",
    ],
)
def test_a_constant_that_another_name_hides_decides_no_launch(source: str) -> None:
    constant = "const int n = 64; "
    assert blocks(constant + source) == []
    assert blocks(constant + source.replace("<<<1, n>", "<<<1, M>") + "\n#define M 64\n") == []
    assert blocks(constant + "\n#define M 64\n" + source.replace("<<<1, n>", "<<<1, M>")) == [
        _KNOWN
    ]
    assert blocks(f"{constant}{source} void h() {{ k<<<1, n>>>(p); }}")[-1] == _KNOWN


def test_a_type_of_a_template_hides_a_structure() -> None:
    source = (
        "struct C { static const int n = 64; }; template <class C> void f() { k<<<1, C::n>>>(p); }"
    )
    assert blocks(source) == []
    assert blocks(source.replace("class C>", "class D>")) == [_KNOWN]


def test_elements_and_configurations_end_with_their_names() -> None:
    array = "const int n[] = {64, 32}; void f(int m) { k<<<1, n[0]>>>(p); }"
    assert blocks(array) == [_KNOWN]
    assert blocks(array.replace("int m", "int n[]")) == []
    launch = "cudaLaunchKernelEx(&c, k, p); }"
    sets = "cudaLaunchConfig_t c; dim3 b(64); c.gridDim = 1; c.blockDim = b;"
    assert blocks(f"void f() {{ {sets} b.x = 32; {launch}") == [_KNOWN]
    assert blocks(f"void f() {{ {sets} c.blockDim.x = 32; {launch}") == []
    for other in ("void g() { cudaLaunchConfig_t c = made();", "void g(cudaLaunchConfig_t c) {"):
        assert blocks(f"void f() {{ {sets} {launch} {other} {launch}") == [_KNOWN, None]


@pytest.mark.parametrize(
    "changes",
    [
        "a = 1, n = 32;",
        "for (a = 1, n = 32; a < 2; ++a) ;",
        "if (a) { if (b) g(); else n = 32; }",
        "copy((void*)&n, q, 4);",
        "int* q = (int *)&n; *q = 32;",
        "std::vector<int*> q{&n}; *q[0] = 32;",
        "int* q = a ? &n : &a; *q = 32;",
        "archive & n;",
        "parser >> a >> n;",
    ],
)
def test_what_changes_a_size_in_passing_is_seen(changes: str) -> None:
    source = f"void f(int a, int b) {{ int n = 64; {changes} k<<<1, n>>>(p); }}"
    assert blocks(source) == []
    assert blocks(source.replace(changes, "int c = a & n, d = b, e = n >> 1; g(a * n);")) == [
        _KNOWN
    ]


def test_a_constant_does_not_make_others_of_its_name_constant() -> None:
    mine = "void f() { int n = 64; n /= 2; k<<<1, n>>>(p); } "
    assert blocks(mine + "void g() { const int n = 3; }") == []
    assert blocks(mine + "constexpr int g(int n = 3) { return n; }") == []
    assert blocks("int n = 64; void f() { k<<<1, n>>>(p); } void g() { const int n = 3; }") == [
        _KNOWN
    ]
    assert blocks("const int n = 64; void f() { g(n); k<<<1, n>>>(p); }") == [_KNOWN]


def test_a_member_is_what_its_object_was_made_with() -> None:
    source = "struct S { int n = 64; void f() { k<<<1, n>>>(p); } }; S s{32};"
    assert blocks(source) == []
    assert blocks(source.replace("int n", "static const int n")) == [_KNOWN]
    made = "struct S { int m, n = 64; S(int v) : m(v), n{v} {} void f() { k<<<1, n>>>(p); } };"
    assert blocks(made) == blocks(f"const int n = 64; {made}") == []


@pytest.mark.parametrize(
    "changes",
    [
        "std::swap(n.x, n.y); k<<<1, n>>>(p);",
        "auto g = [&] { k<<<1, n>>>(p); }; n.x = 32; g();",
    ],
)
def test_members_of_a_size_that_change_elsewhere_are_not_known(changes: str) -> None:
    assert blocks(f"void f() {{ dim3 n(64, 1); {changes} }}") == []
    assert blocks("void f() { dim3 n(32); n.x = 64; auto g = [&] { k<<<1, n>>>(p); }; }") == [
        _KNOWN
    ]
    assert blocks("void f() { static dim3 n(64); k<<<1, n>>>(p); n.x = 32; }") == []


def test_numbers_below_zero_are_not_compared_where_their_type_is_not_known() -> None:
    source = "void f() { unsigned a = 16, b = 48; k<<<1, XX>>>(p); }"
    assert blocks(source.replace("XX", "a - b > 0 ? 32 : 64")) == []
    assert blocks(source.replace("XX", "std::max(a - b, 64)")) == []
    assert blocks(source.replace("XX", "a - b + 96")) == [_KNOWN]


def test_a_macro_of_one_that_is_defined_anew_is_not_known() -> None:
    source = "#define W 64\n#define N (W)\nvoid f() { k<<<1, N>>>(p); }\n"
    assert blocks(source) == [_KNOWN]
    assert blocks(source.replace("void", "#undef W\n#define W 32\nvoid")) == []


def test_names_of_an_enumeration_with_a_scope_stay_in_it() -> None:
    source = "const int A = 64; enum class E { A = 32, B }; void f() { k<<<1, A>>>(p); }"
    assert blocks(source) == [_KNOWN]
    assert blocks(source.replace("<<<1, A", "<<<1, (int)E::A")) == [(32, 1, 1)]


def test_a_function_of_a_class_is_not_another_one_of_its_name() -> None:
    """``grow`` of a header's class may take a reference."""
    source = "void grow(int v) {} void f(Other o) { int n = 64; XX; k<<<1, n>>>(p); }"
    assert blocks(source.replace("XX", "grow(n)")) == [_KNOWN]
    assert blocks(source.replace("XX", "o.grow(n)")) == []
    method = source.replace("void grow(int v) {}", "struct Other { void grow(int v) {} };")
    assert blocks(method.replace("XX", "o.grow(n)")) == [_KNOWN]


def test_constants_of_a_namespace_without_a_name_are_those_of_the_file() -> None:
    source = "namespace { constexpr int n = 64; } void f() { k<<<1, n>>>(p); }"
    assert blocks(source) == [_KNOWN]
    assert blocks(f"const int n = 32; {source}") == []
    assert blocks(source.replace("namespace", "namespace a")) == []
