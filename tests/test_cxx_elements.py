"""What is moved where an element is named: by who is bound to it, and by macros and functions in
words of their own."""

from __future__ import annotations

import pytest

from bankwise.read.cxx.arrays import SharedArray, shared_arrays
from bankwise.read.cxx.tree import parse

FLOAT4 = "#define F4(x) (*(float4*)&(x))\n#define ID(x) (x)\n#define AT4(p) (*(float4*)(p))\n"
VIEW = "float4& q = *(float4*)&s[t * 4];"


def array(body: str, before: str = "") -> SharedArray:
    declared = "__shared__ float s[1024];"
    text = f"{before}\n__global__ void g(float* o, int t, int n) {{\n{declared}\n{body}\n}}\n"
    return shared_arrays(parse(text, "k.cu"))[0]


@pytest.mark.parametrize(
    ("before", "body", "why"),
    [
        ("", f"{VIEW} o[0] = (&q)[1].x;", "a reference is bound to"),
        ("", "auto&& q = ((float4*)&s[t * 4])[0]; o[0] = (&q)[1].x;", "a reference is bound to"),
        ("", "float& q = ((float4*)&s[t * 4])->x; o[0] = (&q)[1];", "a reference is bound to"),
        ("", "float4* p = (float4*)&s[t * 4]; auto& q = *p; use(&q);", "a reference is bound to"),
        ("", "decltype(auto) q = (s[t]); o[0] = (&q)[1];", "a reference is bound to"),
        ("", f"{VIEW} auto& r = q; o[0] = (&r)[1].x;", "a reference is bound to"),
        ("", f"{VIEW} float* p = &q.x; o[0] = p[5];", "a reference is bound to"),
        ("", f"{VIEW} auto f = [&q] {{ return (&q)[1].x; }};", "a reference is bound to"),
        ("#define Q (&q)[1]\n", f"{VIEW} o[0] = Q.x;", "a reference is bound to"),
        ("", "o[0] = *(&((float4*)&s[t * 4])->z + 1);", "a member whose address is taken"),
        ("", "*(float2*)&((float4*)&s[t * 4])->z = {};", "a member whose address is taken"),
        ("void f(float4& q) { (&q)[1] = {}; }", "f(*(float4*)&s[t * 4]);", "passed by reference"),
        (FLOAT4, "float4& q = AT4(&s[t * 4]); o[0] = (&q)[1].x;", "passed to AT4"),
        (FLOAT4, "o[0] = (&AT4(&s[t * 4]))[1].x;", "AT4"),
        ("#define D(p) *p\n", "o[0] = D(s + t);", "passed to D"),
        ("#define D(p) *(float*)p\n", "o[0] = D(s + t);", "passed to D"),
        ("#define D(p) p[0]\n", "o[0] = D(s + t);", "passed to D"),
        (
            "template <class T> void f(float* p, T& v) { v = *(T*)p; }",
            "f(&s[t * 4], v);",
            "moves sizeof(T), which only the function that gets it knows",
        ),
        ("void f(float* p) { using V = float4; *(V*)p = {}; }", "f(&s[t * 4]);", "sizeof(V)"),
    ],
)
def test_what_may_go_on_from_an_element_is_refused(before: str, body: str, why: str) -> None:
    refusals = array(body, before).refusals
    assert any(why in one.reason for one in refusals), refusals


def test_an_atomic_of_the_file_is_followed_and_one_of_others_is_refused() -> None:
    twice = "void atomicAdd2(float* p) { atomicAdd(p, 1.f); atomicAdd(p + 1, 1.f); }"
    uses = array("atomicAdd2(&s[t * 2]);", twice).uses
    assert len(uses) == 2
    assert array("atomicAdd3(&s[t * 2]);").refusals
    assert not array("atomicAdd(&s[t], 1.f); atomicCAS_block(&s[t], 1, 2);").refusals


@pytest.mark.parametrize(
    ("before", "body", "moved"),
    [
        ("", "float& x = s[t]; x += 1; o[0] = x;", set()),
        ("", f"{VIEW} q.y += 1; o[0] = q.z; float4 v = q;", {"sizeof(float4)"}),
        ("", "for (auto& x = s[t]; n; --n) x = n;", set()),
        ("void f(float4& q) { q.x = 1; }", "f(*(float4*)&s[t * 4]);", {"sizeof(float4)"}),
        (FLOAT4, "const float4& q = F4(s[t * 4]); o[0] = q.y;", {"sizeof(float4)"}),
        (FLOAT4, "o[0] = F4(n ? s[t * 4] : s[t * 8]).y;", {"sizeof(float4)"}),
        (FLOAT4, "o[0] = F4((n, s[t * 4])).y;", {"sizeof(float4)"}),
        (FLOAT4, "o[0] = F4(ID(s[t * 4])).y;", {"sizeof(float4)"}),
        (FLOAT4, "o[0] = ID(ID(s[t * 4]));", set()),
        (FLOAT4, "o[0] = F4(*(float*)&s[t * 4]).y;", {"sizeof(float4)"}),
        ("#define AS(T, x) (*(T*)&(x))\n", "o[0] = AS(float4, s[t * 4]).y;", {"sizeof(float4)"}),
        ("#define D(p) (*(p))\n", "o[0] = D(s + t);", set()),
        ("#define D(p) *(float2*)p\n", "o[0] = D(&s[t * 2]).x;", {"sizeof(float2)"}),
        (
            "template <class T> T f(const void* p) { return *(const T*)p; }",
            "o[0] = f<float4>(&s[t * 4]).x;",
            {"sizeof(float4)"},
        ),
        (
            "template <class T> T f(float* p, int i) { return ((T*)p)[i]; }\n"
            "template <class V> V h(float* p, int i) { return f<V>(p, i); }",
            "o[0] = h<float4>(s, t).x;",
            {"sizeof(float4)"},
        ),
        (
            "void f(void* to, const void* from, int n) { __pipeline_memcpy_async(to, from, n); }",
            "f(&s[t * 4], o, 16);",
            {"16"},
        ),
    ],
)
def test_what_is_moved_from_an_element(before: str, body: str, moved: set[str]) -> None:
    found = array(body, before)
    assert not found.refusals
    assert {text for use in found.uses for text in use.kept} == moved


@pytest.mark.parametrize(
    ("announced", "followed"),
    [
        ("void f(float* p, int i);", True),
        ("void f(float*, int = 4);", True),
        ("static void f(float* __restrict__, int);", True),
        ("void f(float*, unsigned);", False),
        ("void f(float*);", False),
        ("void (*g)(float*, int) = f;", False),
    ],
)
def test_a_function_may_be_announced(announced: str, followed: bool) -> None:
    defined = "void f(float* p, int i) { p[i] = 1; }"
    assert bool(array("f(s, t);", f"{announced}\n{defined}").refusals) is not followed
