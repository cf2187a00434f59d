"""The proof of edits through pointers, in functions, of members and pieces: right ones pass, every
corrupted one is refused.

In the texts each index of a use stands between two empty comments. What an edit must do to it is
computed here: from the number of the element that it means before and after.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.algebra.address import Fold
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.index_map import IndexMap
from bankwise.change.cxx.prove import prove_text
from bankwise.change.cxx.spell import spellings
from bankwise.change.cxx.spelling import edited
from bankwise.errors import Refusal
from bankwise.read.cxx.arrays import SharedArray, shared_arrays, tied
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.terms import terms_of
from bankwise.read.cxx.tree import parse

SCALES = (("16", 16), ("sizeof(char)", 1), ("sizeof(float)", 4), ("sizeof(float4)", 16))
ROWS = ArraySize(32 * 32 * 4, 4, (32, 32), 16, 0, SCALES)
FLAT = ArraySize(1024 * 4, 4, (1024,), 16, 0, SCALES, aligned=1024)
KNOWN = replace(FLAT, terms=((0, ((32, -1), (1, 31))), (1, ((32, 992), (1, -1)))))
"""The first use: a multiple of 32 and less than 32; of the second that is not known."""
IN_CHUNKS = replace(FLAT, terms=((0, ((4, -1), (1, 3))), (1, ((2, 2), (4, -1)))))
FOLD = Fold(1, 4, 8)
"""Of rows of 32: chunks of 4 elements, XORed with the row mod 8."""
FLAT_FOLD = Fold(32, 4, 8)
"""The same of the number of an element."""


@dataclass(frozen=True, slots=True)
class Form:
    """One way to reach elements. ``rows``: the row of each use, as an expression of t; empty where
    the index counts from the array's start. ``unit``: bytes that an index counts."""

    name: str
    text: str
    array: str
    size: ArraySize
    rows: tuple[str, ...]
    unit: int = 4

    @property
    def fold(self) -> Fold:
        return FLAT_FOLD if self.size.flat else FOLD


def in_kernel(body: str, before: str = "") -> str:
    declared = "__shared__ float s[32][32]; __shared__ float u[1024];"
    return f"{before}\n__global__ void g(float* o, int t, int k) {{\n{declared}\n{body}\n}}\n"


CAST = "reinterpret_cast<float4*>"
STORE = "__device__ void store(float* p, int i, int j) { p[/**/i * 32 + j/**/] = 1; }"
POOL = "extern __shared__ float pool[];\n__global__ void g(float* o, int t, int k) {{\n{}\n}}\n"
GIVEN_ROWS = "__device__ void rows(float (*p)[32], int j) { for (; j; --j) p[j][/**/k/**/] = 1; }"
BYTES = (
    "__device__ unsigned bytes(const void* p)"
    " { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }"
)
HELD = "struct Held {{ float b[5]; float a[32][32]; }};\n__global__ void g(int t, int k) {{ {} }}\n"
FORMS = (
    Form(
        "row",
        in_kernel("float* row = s[t];\nrow[/**/k/**/] = row[/**/k + 1/**/];\ns[k][/**/t/**/] = 1;"),
        *("s", ROWS, ("t", "t", "k")),
    ),
    Form(
        "row of vectors",
        in_kernel(
            f"{CAST}(s[t])[/**/k/**/] = {{}};\nfloat4* q = (float4*)s[k];\nq[/**/t/**/] = {{}};"
        ),
        *("s", ROWS, ("t", "k"), 16),
    ),
    Form(
        "row by its first element",
        in_kernel(
            f"*((float4*)&s[t][0] + /**/k/**/) = {CAST}(&s[k][0])[/**/t/**/];\n"
            "float4* q = (float4*)(&s[t][0]);\nq[/**/k/**/] = {};"
        ),
        *("s", ROWS, ("t", "k", "t"), 16),
    ),
    Form(
        "row in bytes",
        in_kernel(
            "unsigned a = (unsigned)__cvta_generic_to_shared(&s[t][0]);\n"
            'asm("ldmatrix.x4 {v}, [%0];" :: "r"(a + /**/k * 16/**/));\n'
            "char* b = (char*)&s[k][0];\n*(float4*)(b + /**/t * 16/**/) = {};"
        ),
        *("s", ROWS, ("t", "k"), 1),
    ),
    Form(
        "flat",
        in_kernel("(&s[0][0])[/**/t * 32 + k/**/] = 1;\n*(s[0] + /**/t/**/) = o[k];"),
        *("s", ROWS, ("", "")),
    ),
    Form(
        "flat pointer",
        in_kernel("float* p = &s[0][0];\nfloat* q = p;\nq[/**/t * 32 + k/**/] = *(p + /**/k/**/);"),
        *("s", ROWS, ("", "")),
    ),
    Form(
        "flat sum",
        in_kernel(
            "float* p = &s[0][0];\n*(p + /**/t * 32 + k/**/) = *(s[0] + /**/k * 32 + t/**/);"
        ),
        *("s", ROWS, ("", "")),
    ),
    Form(
        "first row",
        in_kernel(
            "float* p = s[0];\np[/**/t * 32 + k/**/] = s[k][/**/t/**/];\nstore(s[0], k, t);", STORE
        ),
        *("s", ROWS, ("", "", "k")),
    ),
    Form(
        "sum",
        in_kernel("float x = *(u + /**/t * 32 + k/**/);\nu[/**/k * 32 + t/**/] = x;"),
        *("u", FLAT, ("", "")),
    ),
    Form(
        "flat vectors",
        in_kernel(
            f"{CAST}(&s[0][0])[/**/t * 8 + k/**/] = {{}};\n*((float4*)s + /**/t/**/) = {{}};"
        ),
        *("s", ROWS, ("", ""), 16),
    ),
    Form(
        "given",
        in_kernel("store(u, t, k);\nstore(u + k * 1024, k, t);\nu[/**/t/**/] = 1;", STORE),
        *("u", FLAT, ("", "")),
    ),
    Form(
        "terms",
        in_kernel("for (int k = 0; k < 32; ++k)\nu[/**/t * 32 + k/**/] = u[/**/k * 32 + t/**/];"),
        *("u", KNOWN, ("", "")),
    ),
    Form(
        "chunks",
        in_kernel("int at = t * 32 + k * 4;\nu[/**/at + (t & 3)/**/] = u[/**/2 + at/**/];"),
        *("u", IN_CHUNKS, ("", "")),
    ),
    Form(
        "stages",
        in_kernel("float* p = u + (t & 1) * 1024;\np[/**/k * 32 + t/**/] = u[/**/t + 1/**/];"),
        *("u", FLAT, ("", "")),
    ),
    Form(
        "address",
        in_kernel(
            "unsigned a = (unsigned)__cvta_generic_to_shared(u);\n"
            'asm("ldmatrix.x4 {v}, [%0];" :: "r"(a + /**/t * 128 + k * 16/**/));'
        ),
        *("u", FLAT, ("",), 1),
    ),
    Form(
        "piece",
        POOL.format(
            "float* a = pool;\nfloat* b = a + 1024;\nb[/**/t * 32 + k/**/] = a[3];\n"
            "*(float4*)&b[/**/t * 32 + k * 4/**/] = {};"
        ),
        *("b", FLAT, ("", "")),
    ),
    Form(
        "member",
        HELD.format("__shared__ Held h;\nh.a[t][/**/k/**/] = h.a[k][/**/t + 1/**/] + h.b[2];"),
        *("h.a", ROWS, ("t", "k")),
    ),
    Form(
        "rows of a function",
        in_kernel("rows(s, t);\ns[k][/**/t/**/] = s[t][/**/k + 1/**/];", GIVEN_ROWS),
        *("s", ROWS, ("j", "k", "t")),
    ),
    Form(
        "rows through a pointer",
        in_kernel(
            "float (*p)[32] = s;\np[t][/**/k/**/] = p[k][/**/t + 1/**/];\n"
            "float (&q)[32][32] = s;\nq[k][/**/t/**/] = 1;"
        ),
        *("s", ROWS, ("t", "k", "k")),
    ),
    Form(
        "returned",
        in_kernel(
            'asm("ldmatrix.x4 {v}, [%0];" :: "r"(bytes(&s[t][/**/k * 4/**/])));\n'
            "s[k][/**/t/**/] = s[t][/**/k + 1/**/];",
            BYTES,
        ),
        *("s", ROWS, ("t", "k", "t")),
    ),
    Form(
        "macro",
        "#define FLOAT4(x) (*(float4*)&(x))\n"
        + in_kernel("FLOAT4(s[t][/**/4 * k/**/]) = FLOAT4(s[k][/**/t * 4 + 4/**/]);"),
        *("s", ROWS, ("t", "k")),
    ),
)
NAMED = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)


def array_of(form: Form, text: str) -> tuple[int, SharedArray]:
    arrays = shared_arrays(parse(text, "k.cu"))
    (found,) = [(n, a) for n, a in enumerate(arrays) if a.name == form.array]
    return found


def texts(form: Form) -> list[str]:
    source, (_, array) = parse(form.text, "k.cu"), array_of(form, form.text)
    assert not array.refusals, array.refusals
    ways = spellings(source, array, IndexMap((form.fold,)), [form.size])
    assert not isinstance(ways, Refusal), ways
    found = [edited(source, way.edits) for way in ways]
    assert all(isinstance(one, str) for one in found)
    return [str(one) for one in found]


def judged(form: Form, after: str, size: ArraySize | None = None) -> int | Refusal:
    number, _ = array_of(form, form.text)
    claim = ArrayClaim(number, form.array, (form.fold,), 0, (size or form.size,))
    return prove_text(parse(form.text, "k.cu"), parse(after, "k.cu"), [claim])


def values(text: str) -> np.ndarray:
    """Of an index, for all t and k below 32; negative where it is none."""
    t, k = np.meshgrid(np.arange(32), np.arange(32), indexing="ij")
    names = {"t": t, "k": k, "i": t, "j": k, "at": t * 32 + k * 4}
    try:
        return np.asarray(eval(text.replace("/", "//"), {}, names)) + 0 * t
    except (SyntaxError, TypeError, NameError, ValueError, ZeroDivisionError):
        return np.full((32, 32), -1)


def means_the_same(form: Form, after: str) -> bool:
    """Whether every index of the after text is the place of the element that it meant before."""
    after = re.sub(r"#pragma unroll(?: 4)?\n", "", after)
    old, new = form.text.split("/**/"), after.split("/**/")
    if old[::2] != new[::2]:
        return False
    for row, one, other in zip(form.rows, old[1::2], new[1::2], strict=True):
        index, place = values(one), values(other)
        number = index * form.unit // 4 + (32 * values(row) if row else 0)
        inside = (index >= 0) & (number < 1024)
        inside &= (index * form.unit < 128) if row else True
        chunk = number // 4 % 8 ^ number // 32 % 8
        wanted = number // 32 * 32 + chunk * 4 + number % 4 - (32 * values(row) if row else 0)
        if ((wanted * 4 + index * form.unit % 4) != place * form.unit)[inside].any():
            return False
    return True


@NAMED
def test_every_spelling_is_proved_and_means_the_same(form: Form) -> None:
    for after in texts(form):
        assert means_the_same(form, after), after
        proved = judged(form, after)
        assert isinstance(proved, int), proved
        assert proved >= len(form.rows)


def test_an_index_is_written_in_its_terms_where_they_are_known() -> None:
    (form,) = [one for one in FORMS if one.name == "terms"]
    right = texts(form)
    assert "u[/**/t * 32 + (k ^ ((t & 7) << 2))/**/]" in right[0]
    assert "u[/**/t * 32 + (((k >> 2) ^ (t & 7)) << 2) + (k & 3)/**/]" in right[1]
    assert "u[/**/(k * 32 + t) ^ (((k * 32 + t) >> 5 & 7) << 2)/**/]" in right[0]
    for facts in ((), ((32, -1), (1, 32)), ((16, -1), (1, 31)), ((32, -1), (1, -1))):
        size = replace(FLAT, terms=((0, facts),))
        assert isinstance(judged(form, right[0], size), Refusal), facts


def test_an_index_behind_a_whole_chunk_is_as_far_behind_the_new_one_in_every_text() -> None:
    (form,) = [one for one in FORMS if one.name == "chunks"]
    for right in texts(form):
        assert "u[/**/(at ^ ((at >> 5 & 7) << 2)) + (t & 3)/**/]" in right
        assert "u[/**/(at ^ ((at >> 5 & 7) << 2)) + 2/**/]" in right
    for facts in ((), ((4, -1), (1, 4)), ((2, -1), (1, 3)), ((4, -1), (1, -1)), ((1, 3), (1, 3))):
        size = replace(IN_CHUNKS, terms=((0, facts), (1, ((2, 2), (4, -1)))))
        assert isinstance(judged(form, right, size), Refusal), facts


@pytest.mark.parametrize(
    ("body", "bound"),
    [
        ("for (int k = 0; k < 32; ++k) u[t * 32 + k] = 1;", "(32) - 1"),
        ("for (int k = 4; k <= 8; k += 2) u[t * 32 + k] = 1;", "8"),
        ("int c = threadIdx.x % 8 * 4; u[t * 32 + c] = 1;", "((8) - 1) * (4)"),
        ("u[t * 32 + (t & 7)] = 1;", "7"),
        ("for (int k = 0; k < 8; ++k)\n#pragma unroll\nfor (;;) u[t * 32 + k] = 1;", "(8) - 1"),
        ("for (int k = 0; k < 8; ++k)\n #pragma unroll 4\nu[t * 32 + k] = 1;", "(8) - 1"),
        ("float f[N]; for (int k = 0; k < N; ++k) u[t * 32 + k] = 1;", "(N) - 1"),
        ("const int n = 8; for (int k = 0; k < n; ++k) u[t * 32 + k] = 1;", "(n) - 1"),
        ("const int n = threadIdx.x; for (int k = 0; k < n; ++k) u[t * 32 + k] = 1;", ""),
        ("const int m = t, n = m; for (int k = 0; k < n; ++k) u[t * 32 + k] = 1;", ""),
        ("for (int k = 0; k < 32; ++k) { u[t * 32 + k] = 1; k += t; }", ""),
        ("for (int k = 0; k < 32; k -= 1) u[t * 32 + k] = 1;", ""),
        ("for (int k = t; k < 32; ++k) u[t * 32 + k] = 1;", ""),
        ("for (int k = 0; k < t; ++k) u[t * 32 + k] = 1;", ""),
        ("for (int k = 0; k < 32; ++k) { int& x = k; u[t * 32 + k] = 1; }", ""),
        ("for (int k = 0; k < 32; ++k) { f(&k); u[t * 32 + k] = 1; }", ""),
        ("int c = t % 8; u[t * 32 + c] = 1;", ""),
        ("int c = 3; c = t; u[t * 32 + c] = 1;", ""),
        ("int c = 3; { int c = t; u[t * 32 + c] = 1; }", ""),
        ("for (int k = 0; k < 32; ++k) {} u[t * 32 + k] = 1;", ""),
    ],
)
def test_a_bound_is_one_of_every_value(body: str, bound: str) -> None:
    source = parse(in_kernel(body), "k.cu")
    array = shared_arrays(source)[1]
    (use,) = array.uses
    assert [term.bound for term in terms_of(source, use.indices[0])] == ["", bound]


def test_a_constant_that_names_itself_is_none() -> None:
    source = parse(in_kernel("const int n = n; for (int k = 0; k < n; ++k) u[t + k] = 1;"), "k.cu")
    (use,) = shared_arrays(source)[1].uses
    assert [term.bound for term in terms_of(source, use.indices[0])] == ["", ""]


def test_a_value_that_is_only_kept_is_no_factor() -> None:
    """``const int x = threadIdx.x``: no number that the compiler could say."""
    body = "const int x = threadIdx.x; for (int j = 0; j < 4; ++j) u[(x * 4 + j) * 32 + t] = 1;"
    source = parse(in_kernel(body), "k.cu")
    (use,) = shared_arrays(source)[1].uses
    first, _ = terms_of(source, use.indices[0])
    assert first.multiples == ("((1) * (4)) * (32)", "(1) * (32)")


@pytest.mark.parametrize("value", ["", " = threadIdx.y"])
def test_a_parameter_is_no_factor_also_where_a_call_may_leave_it_out(value: str) -> None:
    """Nor is a constant of the same name outside of the function what it means there."""
    text = f"""const int y = 8;
__device__ void put(float* p, const int x, const int y{value}) {{ p[y * 32 + x] = 1; }}
__global__ void k() {{ __shared__ float u[4096]; put(u, threadIdx.x, threadIdx.y); }}
"""
    source = parse(text, "k.cu")
    (array,) = shared_arrays(source)
    (use,) = (one for one in array.uses if one.indices)
    row, place = terms_of(source, use.indices[0])
    assert (row.multiples, place.multiples) == (("(1) * (32)",), ("1",))


def corrupted(text: str, seed: int) -> str:
    """One number, sign or name of an index changed; seldom one that stands elsewhere."""
    draw = random.Random(seed)
    parts = text.split("/**/")
    at = draw.randrange(1, len(parts), 2) if draw.random() < 0.8 else draw.randrange(len(parts))
    places = list(re.finditer(r"\b\d+\b|>>|<<|\^|(?<=\s)[-+*/&](?=\s)|\b[tkij]\b", parts[at]))
    if not places:
        return text
    place = draw.choice(places)
    word, signs = place[0], ["+", "^", "|", "*", "&", "-", ">>", "<<"]
    if word.isdecimal():
        other = str(int(word) + draw.choice([-1, 1, 2, 4]))
    else:
        other = draw.choice([x for x in (list("tkij") if word.isalpha() else signs) if x != word])
    parts[at] = parts[at][: place.start()] + other + parts[at][place.end() :]
    return "/**/".join(parts)


@NAMED
def test_every_corrupted_rewrite_is_refused(form: Form) -> None:
    seen = 0
    for number, right in enumerate(texts(form)):
        for seed in range(24):
            wrong = corrupted(right, 1000 * number + seed)
            if means_the_same(form, wrong):
                continue
            seen += 1
            told = judged(form, wrong)
            assert isinstance(told, Refusal), f"{wrong}\n proved {told} uses"
    assert seen >= 40


@NAMED
def test_a_use_that_was_missed_is_refused(form: Form) -> None:
    for right in texts(form):
        old, new = form.text.split("/**/"), right.split("/**/")
        for at in range(1, len(new), 2):
            missed = "/**/".join((*new[:at], old[at], *new[at + 1 :]))
            if old[at] != new[at] and not means_the_same(form, missed):
                assert isinstance(judged(form, missed), Refusal), missed


@pytest.mark.parametrize("name", ["given", "stages"])
def test_a_pointer_that_begins_inside_a_period_is_refused(name: str) -> None:
    (form,) = [one for one in FORMS if one.name == name]
    for aligned, told in ((0, int), (256, int), (128, Refusal), (1, Refusal), (32, Refusal)):
        size = ArraySize(4096, 4, (1024,), 16, 0, SCALES, aligned=aligned)
        assert isinstance(judged(form, texts(form)[0], size), told), aligned


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("float* row = s[t]; t += 1; row[k] = 1;", "t may have another value"),
        ("float* row = s[t]; for (;; ++t) row[k] = 1;", "t may have another value"),
        ("float* row = s[t]; int& x = t; x = 3; row[k] = 1;", "t may have another value"),
        ("float* row = s[t]; Whole x = t; x = 3; row[k] = 1;", "t may have another value"),
        ("float* row = s[t]; f(t); row[k] = 1;", "t may have another value"),
        ("float* row = s[t]; { int t = 3; row[t] = 1; }", "declared elsewhere, or more than once"),
        ("float* row = s[o[t]]; row[k] = 1;", "may have another value"),
        ("auto f = [&] { ++t; }; float* row = s[t]; f(); row[k] = 1;", "changed by a lambda"),
        ("float* row = s[t]; ++t; { float* q = row; q[k] = 1; }", "t may have another value"),
        ("float* row = s[t]; ++t; { auto q = (float4*)row; q[k] = {}; }", "another value"),
        ("through(s[t], k);", "t is not known in the function that gets the row"),
        ("float* row = s[t]; *row = 1;", "without an index"),
        ("s[t][k++] = 1;", "would happen twice"),
        ("float* row = s[rows]; row[k] = 1;", "declared elsewhere"),
    ],
)
def test_what_a_fold_cannot_be_written_into_is_said(body: str, why: str) -> None:
    before = (
        "using Whole = int&; __device__ int rows; void f(int&);\n"
        "__device__ void through(float* p, int t) { float* q = p; q[t] = 1; }"
    )
    source = parse(in_kernel(body, before), "k.cu")
    array = shared_arrays(source)[0]
    assert not array.refusals
    told = spellings(source, array, IndexMap((FOLD,)), [ROWS])
    assert isinstance(told, Refusal)
    assert why in told.reason
    claim = ArrayClaim(0, "s", (FOLD,), 0, (ROWS,))
    assert isinstance(prove_text(source, source, [claim]), Refusal)


def test_an_element_in_a_list_of_values_is_one_by_value() -> None:
    body = "float2 v{u[t], u[k]}; V w = {u[1]}; auto f = [x = u[2]] { return x; };"
    arrays = shared_arrays(parse(in_kernel(body, "struct V { float a; };"), "k.cu"))
    assert not arrays[1].refusals
    assert len(arrays[1].uses) == 4


AT = "__device__ float* at(float* p, int i) { return p + i; }"
REFERENCE = "__device__ float& at(float* p, int i) { return p[i]; }"


@pytest.mark.parametrize(
    ("before", "body", "why"),
    [
        (STORE, "store(u, t, k); store(o, t, k);", "store is given something else here"),
        (STORE, "store(u, t, k); auto f = store;", "store is named where it is not called"),
        (STORE.replace("float* p", "float*& p"), "u[0] = 1; store(u, t, k);", "takes something"),
        (f"#define STORE(p) store(p, 1, 2)\n{STORE}", "store(u, t, k); STORE(o);", "names store"),
        (BYTES, 'u[t] = 1; asm("" :: "r"(bytes(&u[t]) + 4));', "cannot be followed"),
        (f"#define B(p) bytes(p)\n{BYTES}", 'asm("" :: "r"(bytes(&u[t])));', "names bytes"),
        (f"{AT}", "at(u, t)[1] = 1;", "cannot be followed"),
        (f"{AT}", "auto f = at; *at(u, t) = 1;", "cannot be followed"),
        (f"{REFERENCE}", "*(float4*)&at(u, t) = {};", "a function gives a reference to"),
        ("#define ID(x) (x)\n", "(&ID(u[t]))[1] = 1;", "taken from afar"),
        ("#define ID(x) (x)\n", "float& x = ID(u[t]); o = &x;", "a reference is bound to"),
        ("", "(&(t ? u[t] : u[k]))[1] = 1;", "taken from afar"),
        ("", "float& x = t ? u[t] : u[k]; o = &x;", "a reference is bound to"),
        ("", "float& x{u[t]};", "a reference may be bound to"),
        ("struct R { float& x; };", "R x{u[t]};", "a reference may be bound to"),
        ("struct R { float& x; };", "use(R{u[t]});", "a reference may be bound to"),
        ("struct R { R(float& x); };", "use(R(u[t]));", "passed by reference"),
        ("", "use({u[t]});", "a reference may be bound to"),
        ("", "auto f = [&x = u[t]](int i) { return (&x)[i]; };", "a lambda takes by reference"),
        ("#define P(i) p[i]\n", "float* p = &u[t]; P(1) = 1;", "the macro P names p"),
        ("#define U u\n", "U[3] = u[2];", "the macro U names u"),
        ("#define NEXT(x) ((&(x))[1])\n", "NEXT(u[t]) = 1;", "indexed further"),
        ("#define GIVE(x) give(&(x))\n", "GIVE(u[t]) = 1;", "give, which is not followed"),
        ("", "float4* q = (float4*)&u[t].x; q[1] = {};", "has a member whose address is taken"),
        ("", "u[t] = 1; float* p = (u); swap(p, o);", "passed to swap"),
        ("", "float* p = u; p = p - 4;", "gets another value"),
        ("", "float* p = u - 4; p[4] = 1;", "is named whole"),
        ("", "float* p = u + t - k; p[4] = u[1];", ""),
        ("", "if (float* p = u) p[1] = 1;", ""),
        ("", "for (float* p = u; t; ++t) p[t] = 1; o[1] = p[2];", ""),
    ],
)
def test_what_leaves_the_array_is_refused(before: str, body: str, why: str) -> None:
    arrays = shared_arrays(parse(in_kernel(body, before), "k.cu"))
    (array,) = [one for one in arrays if one.name == "u"]
    assert any(why in one.reason for one in array.refusals) or not why, array.refusals
    if not why:
        source = parse(in_kernel(body, before), "k.cu")
        assert all("o[1] = p[2]" not in source.of(use.span) for use in array.uses)


def test_a_union_and_a_second_name_of_what_the_launch_gives_are_refused() -> None:
    text = HELD.replace("struct", "union").format("__shared__ Held h; h.a[t][k] = h.b[k];")
    for array in shared_arrays(parse(text, "k.cu")):
        assert "members of a union" in array.refusals[0].reason
    other = "__device__ void f() { extern __shared__ int q[]; q[3] = 1; }\n"
    body = "float* a = pool; a[t] = 1; f();"
    arrays = shared_arrays(parse(other + POOL.format(body), "k.cu"))
    assert [array.name for array in arrays] == ["q", "a"]
    assert all("begin at one byte" in array.refusals[0].reason for array in arrays)


def test_a_pool_that_a_macro_names_is_not_cut() -> None:
    body = POOL.format("float* a = pool; float* b = pool + 1024; b[t] = a[k];")
    assert [one.name for one in shared_arrays(parse(body, "k.cu"))] == ["a", "b"]
    macro = "#define P(i) pool[i]\n" + body.replace("a[k]", "P(k)")
    (pool,) = shared_arrays(parse(macro, "k.cu"))
    assert pool.name == "pool"
    assert [macro[use.span.start : use.span.stop] for use in pool.uses][-1] == "pool[i]"


def test_arrays_that_one_function_gets_have_one_map() -> None:
    """An edit of the function moves the elements of both: a claim about one of them is refused."""
    body = "__shared__ float w[1024]; store(u, t, k); store(w, t, k); u[t] = w[t];"
    source = parse(in_kernel(body, STORE), "k.cu")
    arrays = shared_arrays(source)
    assert tied(arrays) == [(0,), (1, 2)]
    ways = [spellings(source, one, IndexMap((FLAT_FOLD,)), [FLAT]) for one in arrays[1:]]
    assert not any(isinstance(one, Refusal) for one in ways)
    after = edited(source, tuple(edit for one in ways for edit in one[0].edits))  # type: ignore[union-attr]
    assert isinstance(after, str)
    both = [ArrayClaim(n, arrays[n].name, (FLAT_FOLD,), 0, (FLAT,)) for n in (1, 2)]
    other = ArrayClaim(2, "w", (Fold(64, 4, 8),), 0, (FLAT,))
    assert prove_text(source, parse(after, "k.cu"), both) == 4
    for claims in (both[:1], both[1:], [both[0], other]):
        assert isinstance(prove_text(source, parse(after, "k.cu"), claims), Refusal)


@pytest.mark.parametrize(
    ("element", "before"),
    [
        *((one, "") for one in ("int", "half", "float", "double", "uint8_t", "uint16_t")),
        ("__nv_bfloat16", ""),
        ("Element", "using Element = float;"),
        ("Element", "template <typename Element>"),
    ],
)
def test_a_pointer_to_rows_is_declared_whatever_their_type_is_called(
    element: str, before: str
) -> None:
    """Without ``const`` it reads as if what a function of that name gives were set."""
    held = f"__shared__ {element} s[2][32][32]; {element} (*p)[32] = s[1]; p[t][k] = 1;"
    (array,) = shared_arrays(parse(f"{before}\n__global__ void g(int t, int k) {{ {held} }}", "k"))
    assert [len(array.uses), array.refusals] == [1, ()]


def test_what_a_function_gives_is_set_and_nothing_declared() -> None:
    body = "__shared__ float s[2][32][32]; row (*p)[32] = s[1]; p[t][k] = 1;"
    function = "__device__ float* row(float& x) { return &x; }"
    (array,) = shared_arrays(parse(f"{function} __global__ void g(float* p) {{ {body} }}", "k"))
    assert array.refusals


STORAGE = "struct Storage { float b[5]; float a[32][32]; };"


@pytest.mark.parametrize(
    ("body", "uses"),
    [
        ("Storage& q = h; q.a[t][k] = q.b[1]; q.a[k][t] = 2;", 2),
        ("auto& q = h; q.a[t][k] = h.a[1][t];", 2),
        ("const Storage& q = h; o[t] = q.a[t][k];", 1),
        ("Storage* q = &h; q->a[t][k] = q->b[1]; if (t) q->a[k][t] = 1;", 2),
        ("Storage* const q = &h; Storage& r = h; q->a[t][k] = r.a[k][t];", 2),
        ("Storage& q = h; Storage& r = q; r.a[t][k] = 1;", 1),
        ("Storage q = h; q.a[t][k] = 1;", 0),
        ("Storage& q = h; use(q); q.a[t][k] = 1;", 0),
        ("Storage& q = h; q = other; q.a[t][k] = 1;", 0),
        ("Storage& q = h; { Storage& q = other; q.a[t][k] = 1; }", 0),
        ("Storage* q = &h; if (t) q = o; q->a[t][k] = 1;", 0),
        ("Storage* q = &h; ++q; q->a[t][k] = 1;", 0),
        ("Storage* q = &h; q[1].a[t][k] = 1;", 0),
        ("Storage* q = &h; (*q).a[t][k] = 1;", 0),
        ("Storage*& q = &h; q->a[t][k] = 1;", 0),
        ("Storage& q = t ? h : other; q.a[t][k] = 1;", 0),
    ],
)
def test_another_name_of_a_structure_is_followed_as_long_as_it_is_one(body: str, uses: int) -> None:
    text = f"{STORAGE} __global__ void g(float* o, int t, int k) {{ __shared__ Storage h; {body} }}"
    (array,) = [one for one in shared_arrays(parse(text, "k.cu")) if one.name == "h.a"]
    assert bool(array.refusals) == (not uses), array.refusals
    if uses:
        assert len([use for use in array.uses if use.indices]) == uses


def test_a_reference_to_a_part_of_a_structure_is_no_other_name_of_it() -> None:
    """``all.a`` is the member of ``Part`` then, which another one hides."""
    held = "struct All : Part { float a[32][32]; };"
    body = "__shared__ All h; Part& q = h; q.a[t][k] = h.a[k][t];"
    text = (
        f"struct Part {{ float a[32][32]; }}; {held} __global__ void g(int t, int k) {{ {body} }}"
    )
    assert all(one.refusals for one in shared_arrays(parse(text, "k.cu")))
