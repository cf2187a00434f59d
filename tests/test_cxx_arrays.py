"""Shared arrays of CUDA text: what is a use of one, and what is refused, with its place."""

from __future__ import annotations

import pytest

from bankwise.read.cxx.arrays import SharedArray, shared_arrays, tied
from bankwise.read.cxx.extents import AskedIndex, guards_of, staying
from bankwise.read.cxx.stable import acts as effects
from bankwise.read.cxx.tree import ByteSpan, parse

KERNEL = "__global__ void k(float* o, const float* a) {{ __shared__ float s[64][32]; int t; {} }}"


def arrays(text: str) -> tuple[SharedArray, ...]:
    return shared_arrays(parse(text, "k.cu"))


@pytest.mark.parametrize(
    ("statement", "indices", "kept"),
    [
        ("s[t][3] = 1;", ["t", "3"], ()),
        ("o[t] += s[t / 2][t % 32];", ["t / 2", "t % 32"], ()),
        ("*(float4*)&s[t][4] = *(const float4*)a;", ["t", "4"], ("sizeof(float4)",)),
        ("*reinterpret_cast<int2*>(&s[t][4]) = {};", ["t", "4"], ("sizeof(int2)",)),
        ("float4* p = (float4*)&s[t][0]; *p = *q;", ["t", "0"], ("sizeof(float4)",)),
        ("atomicAdd(&s[t][0], 1.f);", ["t", "0"], ()),
        ("__pipeline_memcpy_async(&s[t][0], a, 16);", ["t", "0"], ("16",)),
        (
            'asm("x [%0];" :: "r"((unsigned)__cvta_generic_to_shared(&s[t][0])));',
            ["t", "0"],
            ("16",),
        ),
        ("o[t] = ((float4&)s[t][4]).w;", ["t", "4"], ("sizeof(float4)",)),
        ("o[t] = reinterpret_cast<const int2&>(s[t][4]).y;", ["t", "4"], ("sizeof(int2)",)),
        ("(float4&)s[t][4] = a[0];", ["t", "4"], ("sizeof(float4)",)),
        ("float* p = &s[t][4]; (float4&)*p = a[0];", ["t", "4"], ("sizeof(float4)",)),
        ("float4* p = &(float4&)s[t][4]; p->x = 1;", ["t", "4"], ("sizeof(float4)",)),
    ],
)
def test_a_use_has_all_indices_and_what_moves_together(
    statement: str, indices: list[str], kept: tuple[str, ...]
) -> None:
    text = KERNEL.format(statement)
    source = parse(text, "k.cu")
    (array,) = shared_arrays(source)
    assert not array.refusals
    (use,) = array.uses
    assert [source.of(index) for index in use.indices] == indices
    assert use.kept == kept


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("f(s);", "is passed to f"),
        ("f(&s[t][0]);", "is passed to f, which is not followed"),
        ("(&s[t][4])[t] = 1;", "is indexed further"),
        ("float* p = s[t]; p += 4; *p = 1;", "gets another value"),
        ("float* p = s[t]; if (t) p = s[0]; p[1] = 1;", "gets another value"),
        ("float* p = &s[0][0]; for (;; ++p) *p = 1;", "gets another value"),
        ("float* p = &s[0][0]; float** q = &p; (*q)[3] = 1;", "goes where it cannot be followed"),
        ("float* p = t ? s[0] : s[1]; p[3] = 1;", "goes where it cannot be followed"),
        ("float* p = s[t]; { int p = 3; o[p] = p; }", "is declared once more"),
        ("float* p = s[t]; auto f = [p] { return p[3]; };", "goes where it cannot be followed"),
        ("if (s[t] == s[0]) o[t] = 1;", "goes where it cannot be followed"),
        ("float* p = s[0] + 4; return p;", "goes where it cannot be followed"),
        ("for (auto& row : s) row[2] = 1;", "is named whole"),
        ("float* p = &s[t][0]; p += 4; *p = 1;", "gets another value"),
        ("float* p = &s[t][4]; *(p + 1) = 1;", "goes where it cannot be followed"),
        ("float& e = s[t][0]; (&e)[1] = 1;", "a reference is bound to"),
        ('asm("wgmma.mma_async %0;" :: "l"(__cvta_generic_to_shared(&s[0][0])));', "asynchronous"),
        ("{ float s[4]; s[0] = 1; }", "is declared once more"),
        ("**s = 1;", "is named whole"),
        ("float4* p = &(float4&)s[t][4]; p[1].x = 1;", "indexed further"),
        ("float (&p)[4] = (float (&)[4])s[t][4]; p[3] = 1;", "which is not followed"),
        ("float4& p = (float4&)s[t][4]; (&p)[1].x = 1;", "a reference is bound to"),
        ("o[t] = (*(float (*)[4])&s[t][4])[3];", "is made float (*)[4]"),
        ("auto p = reinterpret_cast<float (*)[4]>(&s[t][4]); o[t] = p[0][3];", "[4], which is not"),
        ("o[t] = ((P)&s[t][4])->w + (*(P)&s[t][4]).w;", "is perhaps cast"),
        ("o[t] = ((float4&)(t ? s[t][4] : s[0][4])).w;", "becomes another type"),
        ("P p = reinterpret_cast<P>(&s[t][4]); o[t] = p->w;", "is made P, which is not followed"),
    ],
)
def test_everything_else_is_refused_at_its_place(statement: str, why: str) -> None:
    text = KERNEL.format(statement)
    (array,) = [one for one in arrays(text) if one.extents][:1]
    assert any(why in refusal.reason for refusal in array.refusals), array.refusals
    assert all(refusal.location and refusal.location.line == 1 for refusal in array.refusals)


@pytest.mark.parametrize(
    ("macro", "body"),
    [
        ("#define S s", "S[t][0] = 1;"),
        ("#define S(i) s[i]", "S(t)[0] = 1;"),
        ("#define S(i, j) s[i][j] + 1", "o[t] = S(t, 0);"),
        ("#define S(i, j) &s[i][j]", "*S(t, 0) = 1;"),
        ("#define S(i, j) s[s[i][0]][j]", "S(t, 0) = 1;"),
        ("#define S(i, j) s[i##0][j]", "S(t, 0) = 1;"),
        ("#define S(...) s[0][__VA_ARGS__]", "S(t) = 1;"),
        ("#define S(i, j) (&s[0][0])[i * 32 + j]", "S(t, 0) = 1;"),
        ("#define S(i, j) s[i][j]\n#define T(i) S(i, 0)", "T(t) = 1;"),
        ("#define S(i, j) s[i][j]\n#undef S\n#define S(i, j) s[j][i]", "S(t, 0) = 1;"),
        ("#define S(i, j) s[i][j]\n#undef S\nint S(int, int);", "S(t, 0);"),
    ],
)
def test_a_macro_that_does_more_than_to_name_an_element_is_refused(macro: str, body: str) -> None:
    (array,) = arrays(f"{macro}\n" + KERNEL.format(f"{body} s[t][0] = 2;"))
    assert any(one.reason.startswith("the macro S names s") for one in array.refusals)


@pytest.mark.parametrize(
    ("macro", "body", "uses", "why"),
    [
        ("S(i, v) s[i][0] = v", "S(t, s[t][1]);", 3, ""),
        ("S(x, i) do { x = s[i][i]; } while (0)", "if (t) S(o[t], t + 1);", 2, ""),
        ("S(i) { s[i][0] += s[i][1]; }", "S(t);", 3, ""),
        ("S(i) atomicAdd(&s[i][0], 1.f)", "S(t);", 2, ""),
        ("S(i, v) s[i][0] = v", "o[t] = S(t, 3);", 2, "the macro S names s, and is no statement"),
        ("S(i, v) s[i][0] = v", "float& e = S(t, 3);", 2, "and is no statement here"),
        ("S(i, v) s[i][0] = v", "use(&S(t, 3));", 2, "and is no statement here"),
        ("S(i, v) s[i][0] = v", "S(t, 1), S(t, 2);", 2, "and is no statement here"),
        ("S(i, v) s[i][0] = v\n#define T(i) S(i, 1)", "T(t); S(t, 1);", 1, "the macro S names s"),
        ("S(i, j) s[i][j];", "S(t, 0)", 2, ""),
        ("S(i, j) s[i][j];", "o[t] = S(t, 0)", 2, "and is no statement here"),
        ("S(i, j) { float x = s[i][0]; s[i][0] = s[j][0]; s[j][0] = x; }", "S(t, 0);", 5, ""),
        ("S(i) { const unsigned c = i; s[c][0] = 1; }", "S(t);", 2, ""),
        ("S(i) float* p = s[i]", "S(t); p[3] = 1;", 1, "the macro S names s"),
        ("S(i) { float& e = s[i][0]; e = 1; }", "S(t);", 1, "the macro S names s"),
        ("S(i) { auto p = s[i]; p[2] = 1; }", "S(t);", 1, "the macro S names s"),
        ("S(i) { Row p = s[i]; p[2] = 1; }", "S(t);", 1, "the macro S names s"),
        ("S(i) float* p = s[i]", "", 1, ""),
        ("S s", "/* S */", 1, "the macro S names s"),
        ("S(p, i) p = s[i]", "float* p; S(p, t); p[3] = 1;", 1, "gives its own away"),
        ("S(i) return s[i][0]", "S(t);", 1, "the macro S names s"),
        ("S(i) auto f = [&] { return s[i][0]; }", "S(t);", 1, "the macro S names s"),
        ("S s[t][3] = 1", "S;", 1, "the macro S names s"),
        ("S(...) s[t][3] = f(__VA_ARGS__)", "S(t);", 1, "the macro S names s"),
        ("S(i) s[i][0] = #i[0]", "S(t);", 1, "the macro S names s"),
        ("S(i) use(s)", "S(t);", 1, "s is passed to use"),
    ],
)
def test_a_macro_that_is_a_statement_is_followed_in_its_own_text(
    macro: str, body: str, uses: int, why: str
) -> None:
    (array,) = arrays(f"#define {macro}\n" + KERNEL.format(f"{body} s[t][0] = 2;"))
    assert any(why in one.reason for one in array.refusals) if why else not array.refusals
    assert len(array.uses) == uses


def test_an_argument_with_an_effect_is_no_index_of_a_macro_that_says_it_twice() -> None:
    macro = "#define S(i, v) s[i][0] = v\n"
    for given, pinned in (
        ("t++, o[t]", "t++ would happen twice, in the macro S"),
        ("t, o[t++]", ""),
        ("f(t), 1", "f(t) would happen twice, in the macro S"),
    ):
        (array,) = arrays(macro + KERNEL.format(f"S({given});"))
        assert [use.pinned for use in array.uses] == [pinned]


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ("", ""),
        ("__global__ void l(float* s, int t) { S(t, 0) = 1; }", "S names something else here"),
        ("__global__ void l() { __shared__ float s[64][32]; S(3, 0) = 1; }", ""),
        ("__device__ float S(float s) { return s; }", "S names something else here"),
        ("/* S is one element */", ""),
        ("#ifdef S\n#endif", "the macro S names s"),
        ("#undef S/**/", "the macro S names s"),
    ],
)
def test_a_macro_is_edited_only_if_it_names_shared_arrays_wherever_it_stands(
    other: str, why: str
) -> None:
    found = arrays("#define S(i, j) s[i][j]\n" + KERNEL.format("S(t, 0) = 2;") + f"\n{other}\n")
    reasons = [refusal.reason for refusal in found[0].refusals]
    assert reasons == [why] * bool(why)


def twice(first: str, second: str) -> str:
    kernel = "__global__ void {}(int t) {{ __shared__ float s[64][32]; s(t, 3) = 1; }}\n"
    heads = (f"#define {one}\n{kernel.format(name)}" for one, name in ((first, "a"), (second, "b")))
    return "".join(heads)


@pytest.mark.parametrize("second", ["s(i, j) s[i][j]", "s(i,  j)   s[i][j]  // the same"])
def test_a_macro_that_is_defined_twice_in_the_same_words_is_one_use_each_time(second: str) -> None:
    text = twice("s(i, j) s[i][j]", second)
    found = arrays(text)
    places = [text.index("s[i][j]"), text.index("s[i][j]", text.index("s[i][j]") + 1)]
    for array in found:
        assert not array.refusals
        assert [use.span.start for use in array.uses] == places
    assert tied(found) == [(0, 1)]


@pytest.mark.parametrize(
    "second", ["s(i, j) s[i][(j)]", "s(j, i) s[i][j]", "s s[0]", "S(i) s(i, 0)"]
)
def test_a_macro_that_is_defined_in_several_ways_is_refused(second: str) -> None:
    found = arrays(twice("s(i, j) s[i][j]", second).replace("s(t, 3)", "s(t, 3) = s[t][4]", 1))
    assert any("names s" in one.reason for one in found[0].refusals)


@pytest.mark.parametrize(
    ("body", "other", "why"),
    [
        ("s(t, 0) = s(0, 1) + s[t][2]; *(float4*)&s (t, 4) = {};", "", ""),
        ("s(t, 0) = 1;", "__global__ void l(float* s, int t) { s[t] = 1; }", ""),
        ("s(t, 0) = 1;", "__global__ void l(float* s) { s(1, 0) = 1; }", "s names something else"),
        ("s(t, 0) = 1; float* p = s[t]; p[t] = 1; use(s);", "", "s is passed to use"),
        ("s(t][0, 0) = 1;", "", ""),
    ],
)
def test_a_macro_may_be_called_as_the_array_is(body: str, other: str, why: str) -> None:
    text = "#define s(i, j) s[i][j]\n" + KERNEL.format(body) + f"\n{other}\n"
    (array,) = arrays(text)
    if "][0" in body:
        assert array.refusals
        return
    assert [why in one.reason for one in array.refusals] == [True] * bool(why)
    assert "s[i][j]" in {text[use.span.start : use.span.stop] for use in array.uses}


@pytest.mark.parametrize(
    ("macro", "why"),
    [
        ("LOAD(v, p) v = *((float4*)(p));", ""),
        ("LOAD(v, p) *(float2*)p = *reinterpret_cast<float4*>(p)", ""),
        ("LOAD(v, p) v = (p)[1]", "indexed further"),
        ("LOAD(v, p) v = *(p + 1)", "cannot be followed"),
        ("LOAD(v, p) float* v = p", "declares what lives on behind it"),
        ("LOAD(v, p) do { float4* q = (float4*)p; *q = v; } while (0)", ""),
        ("LOAD(v, p) v = p", "cannot be followed"),
        ("LOAD(v, p) } float* v = p; {", "declares what lives on behind it"),
        ("LOAD(v, p) v = *p; next(p)", "is not followed"),
        ("LOAD(v, p) v = #p", "is not followed with"),
        ("LOAD(v) *v", "is not followed with"),
    ],
)
def test_an_address_is_followed_into_a_macro(macro: str, why: str) -> None:
    (array,) = arrays(f"#define {macro}\n" + KERNEL.format("LOAD(x, &s[t][4]); s[t][0] = 2;"))
    assert [why in one.reason for one in array.refusals] == [True] * bool(why), array.refusals
    if not why:
        assert "sizeof(float4)" in array.uses[0].kept


@pytest.mark.parametrize(
    ("before", "index", "acts"),
    [
        ("#define NEXT t++\n", "NEXT", "NEXT"),
        ("#define NEXT MORE\n#define MORE t += 1\n", "NEXT + 1", "NEXT"),
        ("#define AT(x) x\n", "AT(t++)", "t++"),
        ("#define AT(x) ((x) * 4)\n", "AT(AT(t)) + 1", ""),
        ("#define AT(x) f(x)\n", "AT(t)", "AT(t)"),
        ("#define ODD (t\n", "ODD + 1)", "ODD"),
        ("#define N 32\n", "t % N", ""),
        ("", '({ int x; asm("mov %0, 1;" : "=r"(x)); x; })', 'asm("mov %0, 1;" : "=r"(x))'),
    ],
)
def test_what_an_index_does_is_seen_through_macros(before: str, index: str, acts: str) -> None:
    source = parse(f"{before}void k(int t) {{ s[{index}] = 1; }}", "k.cu")
    start = source.text.index("s[") + 2
    assert effects(source, ByteSpan(start, start + len(index))) == acts


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("(&S(t, 0))[1] = 1;", "indexed further"),
        ("float* p = &S(t, 0); p[1] = 1;", "indexed further"),
        ("float& x = S(t, 0); (&x)[1] = 1;", "a reference is bound to"),
        ("use(&S(t, 0));", "is not followed"),
        ("o[0] = S;", "shows no use"),
        ("HOLD(q, S(t, 0)); q[5] = 1;", "declares what lives on"),
        ("NEXT(S(t, 0));", "or a reference"),
        ("HOLD(q, s[t][0]); q[5] = 1;", "declares what lives on"),
        ("S(t][0, 0) = 1;", ""),
    ],
)
def test_what_goes_on_from_an_element_of_a_macro_is_refused(body: str, why: str) -> None:
    head = "#define S(i, j) (s[i][(j)])\n#define HOLD(q, x) float* q = &(x)\n"
    head += "#define NEXT(x) do { auto& y = (x); (&y)[1] = 0; } while (0)\n"
    (array,) = arrays(head + KERNEL.format(f"{body} s[t][0] = 2;"))
    assert any(why in refusal.reason for refusal in array.refusals), array.refusals


def test_an_element_that_a_macro_names_is_one_use_in_its_text() -> None:
    body = "S(t, 0) = S(0, (int)S(t, 1)); XX; s[t][0] = 2;"
    body = body.replace("XX", "*(float4*)&S(t, 4) = {}; o[0] = ((float4&)S(t, 4)).w")
    for macro in ("s[i][j]", "(s[(i)][(j)])", "s [i] [j + 1]"):
        (array,) = arrays(f"#define S(i, j) {macro}\n" + KERNEL.format(body))
        assert not array.refusals
        text = f"#define S(i, j) {macro}\n" + KERNEL.format(body)
        used = {text[use.span.start : use.span.stop]: use for use in array.uses}
        whole = macro[1:-1] if macro[0] == "(" else macro
        assert set(used) == {whole, "s[t][0]"}
        assert used[whole].kept == ("sizeof(float4)",)
        assert not used[whole].pinned
    (array,) = arrays(f"#define S(i, j) {macro}\n" + KERNEL.format("S(t, t++) = 1;"))
    assert [use.pinned for use in array.uses] == ["t++ would happen twice, in the macro S"]


def test_an_address_is_followed_into_functions_of_the_file() -> None:
    helper = (
        "__device__ void load(unsigned* r, const void* p) {"
        " unsigned a = (unsigned)__cvta_generic_to_shared(p);"
        ' asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"'
        ' : "=r"(*r) : "r"(a)); }\n'
    )
    (array,) = arrays(helper + KERNEL.format("unsigned r; load(&r, &s[t][0]);"))
    assert not array.refusals
    assert array.uses[0].kept == ("16",)
    beyond = helper.replace('"r"(a)', '"r"(a + 16)')
    (array,) = arrays(beyond + KERNEL.format("unsigned r; load(&r, &s[t][4]);"))
    assert "goes where it cannot be followed" in array.refusals[0].reason
    (array,) = arrays(beyond + KERNEL.format("unsigned r; load(&r, &s[t][0]);"))
    assert [use.pinned for use in array.uses] == [
        "t is not known in the function that gets the row"
    ]


_LDSM = 'LDSM(v, p) asm volatile("ldmatrix.x1 {{%0}}, [%1{}];" : "=r"(v) : "r"({}))'


@pytest.mark.parametrize(
    ("macros", "why"),
    [
        ([_LDSM.format("", "p")], ""),
        ([_LDSM.format("", "(unsigned)(p)")], ""),
        ([_LDSM.format(" + 16", "p")], "is computed with in assembly"),
        ([_LDSM.format("", "p + 16")], "cannot be followed"),
        ([_LDSM.format("", "p"), _LDSM.format("", "p + 16")], "cannot be followed"),
        (['LDSM(v, p) asm("add.u32 %0, %1, 64;" : "=r"(v) : "r"(p))'], "is computed with"),
        (['LDSM(v, p) asm("ld.u32 %0, [%[at]];" : "=r"(v) : [at] "r"(p))'], ""),
        (['LDSM(v, p) asm("ld.u32 %0, [%[at]+4];" : "=r"(v) : [at] "r"(p))'], "is computed with"),
        (['LDSM(v, p) asm("wgmma %0, %1;" : "=r"(v) : "r"(p))'], "asynchronous unit"),
        (["LDSM(v, p) v = p + 16"], "cannot be followed"),
    ],
)
def test_an_address_that_a_variable_holds_is_followed_into_macros(
    macros: list[str], why: str
) -> None:
    """Of several definitions the preprocessor takes one: whichever it is, it has to be good."""
    body = "unsigned p, v; unsigned w = __cvta_generic_to_shared(&s[t][4]); LDSM(v, w);"
    defined = "\n#else\n".join(f"#define {one}" for one in macros)
    (array,) = arrays(f"#if N\n{defined}\n#endif\n" + KERNEL.format(body))
    assert [why in one.reason for one in array.refusals] == [True] * bool(why), array.refusals
    if not why:
        assert array.uses[0].kept == ("16",)


def test_an_element_that_is_passed_by_reference_may_be_more_than_one() -> None:
    """A function that gets a reference can take the address of it, and read on from there: one of
    whose text nothing shows that it does not."""
    helper = "__device__ void load({} x) {{ float4 v = *(float4*)&x; }}\n"
    for taken, refused in (("float&", True), ("const float &", True), ("float", False)):
        (array,) = arrays(helper.format(taken) + KERNEL.format("load(s[t][0]);"))
        reasons = [refusal.reason for refusal in array.refusals]
        assert reasons == ["s[t][0] has an element that is passed by reference"] * refused


STAYS = [
    "x += 1;",
    "int v = x; x = v * 2; x++;",
    "auto v = x < 2 ? x : 0;",
    "if (x > 1) { other[(int)x] = fminf(x, -x); }",
    "auto f = [&](int i) { return x + i; }; x = f(2);",
]
GOES_ON = [
    "float4 v = *(float4*)&x;",
    "float& y = x; (&y)[1] = 2;",
    "auto&& y = x;",
    "auto [y] = x;",
    "float4& v = reinterpret_cast<float4&>(x);",
    "float4 v = (float4&)x;",
    "next(x);",
    "NEXT(x) = 1;",
    "std::addressof(x)[1] = 2;",
    "(&(x = 1))[1] = 2;",
    "(&(t ? x : other[0]))[1] = 2;",
    "auto f = [&y = x](int i) { return (&y)[i]; };",
    "auto f = [&x](int i) { return (&x)[i]; };",
    'asm volatile("" : "+m"(x));',
    "ON = 1;",
    "R y = x; (&y)[1] = 2;",
    "decltype((x)) y = x;",
    "x.next()[1] = 2;",
    "Pair y{x};",
]
BEFORE = """
#define NEXT(v) ((&(v))[1])
#define ON (&x)[1]
using R = float&;
struct Pair { float& y; };
__device__ void next(float& v) { (&v)[1] = 1; }
"""


@pytest.mark.parametrize(
    ("body", "refused"), [*((one, False) for one in STAYS), *((one, True) for one in GOES_ON)]
)
def test_a_reference_is_followed_where_a_function_stays_at_its_element(
    body: str, refused: bool
) -> None:
    before = BEFORE if refused else ""
    helper = f"__device__ void use(float& x, float* other) {{ {body} }}\n"
    (array,) = arrays(before + helper + KERNEL.format("use(s[t][0], o);"))
    reasons = [refusal.reason for refusal in array.refusals]
    assert reasons == ["s[t][0] has an element that is passed by reference"] * refused


def test_a_reference_is_followed_where_all_functions_of_its_name_stay() -> None:
    good = "__device__ void use(float& x, int n) { x = n; }\n"
    bad = "__device__ void use(float& x, long n) { (&x)[n] = 1; }\n"
    named = "template <class R> __device__ void use(float& x, R n) { R y = x; (&y)[1] = n; }\n"
    for before, call, refused in (
        (good, "use(s[t][0], 1);", False),
        (good + bad, "use(s[t][0], 1);", True),
        (named, "use<float&>(s[t][0], o[0]);", True),
        ("struct use { float& y; use(float& x, int) : y(x) {} };\n", "use(s[t][0], 1);", True),
        ("__device__ void use(float (&x)[4], int) {}\n", "use(s[t][0], 1);", True),
    ):
        (array,) = arrays(before + KERNEL.format(call))
        assert bool(array.refusals) == refused, before


def test_a_name_for_a_pointer_is_that_pointer() -> None:
    body = "P p = reinterpret_cast<P>(&s[t][4]); o[t] = p->w; o[0] = (MASK)&s[t][4];"
    for alias in ("using P = const float4*;", "typedef const float4 *P;"):
        (array,) = arrays(f"{alias}\n#define MASK 3\n" + KERNEL.format(body))
        assert not array.refusals
        assert {use.kept for use in array.uses} == {("sizeof(float4)",), ()}
        head = f"{alias}\n__device__ void wide(float& e) {{ o[0] = ((P)&e)->w; }}\n"
        head += "#define WIDE(e) (*(P)&(e))\n"
        for body_ in ("wide(s[t][4]);", "o[t] = WIDE(s[t][4]).w;"):
            (array,) = arrays(head + KERNEL.format(body_))
            assert array.refusals


def test_declarations_of_all_kinds_are_found() -> None:
    text = """
template <typename T, int N> __global__ void k(T* o) {
  __shared__ __align__(16) T a[N][2 * N + 1], b[N];
  alignas(128) __shared__ half c[2][64][64];
  extern __shared__ float pool[];
}
"""
    source = parse(text, "k.cu")
    found = {a.name: ([source.of(e) for e in a.extents], a.unsized) for a in shared_arrays(source)}
    assert found == {
        "a": (["N", "2 * N + 1"], False),
        "b": (["N"], False),
        "c": (["2", "64", "64"], False),
        "pool": ([], True),
    }


@pytest.mark.parametrize(
    ("head", "use"),
    [
        ("using R = float&;", "R x = s[t]; (&x)[1] = 2;"),
        ("typedef float& R;", "R x = s[t]; (&x)[1] = 2;"),
        ("using R = const float&; __device__ float g(R p) { return (&p)[1]; }", "o[0] = g(s[t]);"),
        ("using R = float&;", "auto f = [&](int i) -> R { return s[i]; }; (&f(1))[1] = 2;"),
    ],
)
def test_a_name_for_a_reference_is_a_reference(head: str, use: str) -> None:
    text = f"{head} __global__ void k(float* o, int t) {{ __shared__ float s[64]; {use} }}"
    assert shared_arrays(parse(text, "k.cu"))[0].refusals
    plain = text.replace("float&", "float")
    assert not shared_arrays(parse(plain, "k.cu"))[0].refusals


@pytest.mark.parametrize(
    ("statement", "guards"),
    [
        ("if (t > 5) { if (a) o[0] = HERE; }", ("a", "t > 5")),
        ("if (t > 5) o[0] = 1; else o[0] = HERE;", ("not t > 5",)),
        ("o[0] = t < 3 ? 1 : t < 7 ? HERE : 2;", ("t < 7", "not t < 3")),
        ("if (t && HERE) o[0] = 1;", ("t",)),
        ("if (HERE) o[0] = 1;", ()),
        ("o[0] = t == 3 || HERE;", ("not t == 3",)),
        ("for (int i = HERE; i < t; ++i) o[i] = 1;", ()),
        ("while (t < 9) t += HERE;", ("t < 9",)),
        ("switch (t) { case 7: o[0] = HERE; }", ("case 7", "t")),
    ],
)
def test_what_guards_a_place_is_said_the_innermost_first(
    statement: str, guards: tuple[str, ...]
) -> None:
    source = parse(KERNEL.format(statement), "k.cu")
    at = source.data.index(b"HERE")
    assert guards_of(source, ByteSpan(at, at + 4)) == guards


def test_what_a_compiler_leaves_of_tags_tells_where_indices_lie() -> None:
    nowhere = ByteSpan(0, 0)
    asked = [AskedIndex(0, nowhere, nowhere, 32, fixed=True)] * 5
    asked[3] = AskedIndex(0, nowhere, nowhere, 32, fixed=True, alike=False)
    left = {0: ["at", "in"], 1: ["at", "out"], 2: ["at", "in", "out"], 3: ["at", "out"]}
    for one in ("mov.b32 bankwise_{}, {};", "bankwise_{} {}"):
        text = "\n".join(one.format(kind, n) for n, kinds in left.items() for kind in kinds)
        assert staying(text, asked, range(5)) == ("inside", "outside", "open", "open", "dead")
