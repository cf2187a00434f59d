"""Calls of macros that are given shared arrays, written out: what the preprocessor would put there.

The whole of ``fix`` behind one is compiled in ``tests/test_fix_macros.py``.
"""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from bankwise.change.cxx.expansion import with_expansions, without_expansions
from bankwise.change.cxx.spelling import CxxEdit, edited
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.tree import ByteSpan, CxxSource, parse
from bankwise.read.line_marks import line_places

KERNEL = """
__global__ void k(float* a, float* o, int t, int n) {{
  __shared__ float s[32 * 32];
  __shared__ float u[32][32];
  {}
}}
"""
AT = "#define AT(t, y, x) t[(y) * 32 + (x)]\n"


def text_of(macros: str, body: str) -> str:
    return macros + KERNEL.format(body)


def written(macros: str, body: str, *headers: tuple[str, str]) -> CxxSource:
    """A text with its calls written out; taken back they are the text that it was."""
    text = text_of(macros, body)
    source, calls = with_expansions(parse(text, "k.cu", beside=headers))
    assert edited(source, without_expansions(source, calls, ())) == text
    return source


BECOMES = [
    (AT, "AT(s, t, n) = AT(a, 1, 2);", "s[t * 32 + n] = AT(a, 1, 2);"),
    (AT, "o[t] = AT(s, t+1, n ? 1 : 2);", "o[t] = s[(t+1) * 32 + (n ? 1 : 2)];"),
    (AT, "o[t] = AT(s, t, AT(s, 1, 2));", "o[t] = s[t * 32 + (s[1 * 32 + 2])];"),
    (AT, "AT(s,\n t,\n n) = 1;", "s[t * 32 + n] = 1;"),
    (AT + AT, "AT(s, t, n) = 1;", "s[t * 32 + n] = 1;"),
    ("#define AT(t, y, x) t[y][x]\n", "AT(u, t, (n, 3)) = 1;", "u[t][(n, 3)] = 1;"),
    ("#define T(t, y, x) AT(t, x, y)\n" + AT, "T(s, t, n) = 1;", "s[n * 32 + t] = 1;"),
    ("#define NEG(t, x) -t[-x]\n", "o[t] = -NEG(s, -n);", "o[t] = - -s[- -n];"),
    ("#define OVER(t, x) 4/t[x]\n", "o[t] = OVER(s, *&n);", "o[t] = 4/s[*&n];"),
    ("#define OVER(t, x) t[4/x]\n", "o[t] = OVER(s, *&n);", "o[t] = s[4/ *&n];"),
    ("#define TWO(i) (s[i] * s[(i) + 1])\n", "o[t] = TWO(n);", "o[t] = (s[n] * s[n + 1]);"),
    ("#define P(i, v) s[i] = v\n", "o[t] = P(t, 1);", "o[t] = s[t] = 1;"),
    ("#define AS(T, t, x) ((T)(t[x]))\n", "o[t] = AS(int, s, n);", "o[t] = ((int)(s[n]));"),
    ("#define C(t, x) t[x] /* , */ + ','\n", "o[t] = C(s, n);", "o[t] = s[n] + ',';"),
]


@pytest.mark.parametrize(("macros", "body", "becomes"), BECOMES)
def test_a_call_becomes_what_the_preprocessor_makes_of_it(
    macros: str, body: str, becomes: str
) -> None:
    source = written(macros, body)
    assert source.text == text_of(macros, becomes)
    assert not any(one.refusals for one in shared_arrays(source))


def preprocessed(text: str) -> str:
    """What a preprocessor makes of a text, its signs apart, and no parentheses around a word."""
    command = [str(GCC), "-E", "-P", "-x", "c++", "-"]
    told = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=True)
    found = " ".join(re.findall(r"\w+|\+\+|--|//|[-+]=|\S", told.stdout))
    while (less := re.sub(r"\( (\w+) \)", r"\1", found)) != found:
        found = less
    return found


GCC = shutil.which("gcc")


@pytest.mark.skipif(GCC is None, reason="needs gcc")
def test_a_preprocessor_makes_the_same_of_a_text_with_its_calls_written_out() -> None:
    for macros, body, becomes in BECOMES:
        assert preprocessed(text_of(macros, body)) == preprocessed(text_of(macros, becomes))


@pytest.mark.parametrize(
    ("macros", "body"),
    [
        (AT + AT.replace("32", "33"), "AT(s, t, n) = 1;"),
        (AT + "#undef AT\n", "AT(s, t, n) = 1;"),
        ("#ifndef AT\n" + AT + "#endif\n", "AT(s, t, n) = 1;"),
        ("#ifdef ALL\n" + AT + "#endif\n", "AT(s, t, n) = 1;"),
        ("#if ALL\n#else\n" + AT + "#endif\n", "AT(s, t, n) = 1;"),
        ("#ifndef ALL\n" + AT + "#endif\n", "AT(s, t, n) = 1;"),
        ("__device__ float& AT(float* t, int y, int x);\n", "AT(s, t, n) = 1;"),
        ("inline float AT(float* t, int y, int x) { return 1; }\n" + AT, "o[t] = AT(s, t, n);"),
        (AT + "#define SAID(x) f(x, #x)\n", "SAID(AT(s, t, n));"),
        (AT, "assert(AT(s, t, n) > 0);"),
        (AT + "#define PAIR 1, 2\n", "AT(s, PAIR, 3) = 1;"),
        (AT, "AT(s, t, n /* of them */) = 1;"),
        (AT, "AT(s, t) = 1;"),
        ("#define AT(t, ...) t[__VA_ARGS__]\n", "AT(s, t) = 1;"),
        ("#define AT(t, i) t##i[i]\n", "AT(s, ) = 1;"),
        ("#define AT(t, i) t[i + __LINE__]\n", "AT(s, n) = 1;"),
        ("#define AT(t, i) AT(t, i)\n", "AT(s, n) = 1;"),
        ("#define AT(t, i) IN(t, i)\n#define IN(t, i) AT(t, i)\n", "AT(s, n) = 1;"),
        ("", "AT(s, t, n) = 1;\n#define AT(t, y, x) t[x]\n"),
    ],
)
def test_a_call_stays_where_it_may_be_something_else(macros: str, body: str) -> None:
    source = written(macros, body)
    assert source.text == text_of(macros, body)
    assert any(one.refusals for one in shared_arrays(source))


def test_a_call_of_a_macro_that_a_header_defines_once_is_written_out() -> None:
    body = "AT(s, t, n) = 1;"
    assert "s[t * 32 + n] = 1;" in written("", body, ("at.h", AT)).text
    once = f"#ifndef AT_H\n#define AT_H\n#ifdef ALL\n#define OR 1\n#endif\n{AT}#endif\n"
    assert "s[t * 32 + n] = 1;" in written("", body, ("at.h", once)).text
    other = ("other.h", AT.replace("32", "64"))
    for headers in (
        [("at.h", AT), other],
        [("at.h", AT), ("not.h", "#undef AT\n")],
        [("at.h", f"#ifdef ALL\n{AT}#endif\n")],
        [("-D", AT)],
    ):
        assert written("", body, *headers).text == text_of("", body)


def test_a_header_has_the_macro_of_its_own_text_and_not_of_who_includes_it() -> None:
    """Somebody else may include it behind another definition."""
    kernel = KERNEL.format("AT(s, t, n) = 1;")
    for mine, its in ((AT, ""), ("", AT)):
        text = f'#line 1 "k.cu"\n{mine}#line 1 "at.cuh"\n{its}{kernel}'
        source, calls = with_expansions(parse(text, "k.cu", line_places(text, "k.cu")))
        assert [source.of(one.span) for one in calls] == ["s[t * 32 + n]"] * bool(its)


def test_lines_stand_where_they_stood_behind_a_call_of_several_lines() -> None:
    source = written(AT, "AT(s,\n t,\n n) = 1;\n  o[t] = u[1][2];")
    assert source.place(source.text.index("u[1][2]")).line == 9
    assert source.place(source.text.index("s[t * 32")).line == 6


STAGE = """#define STAGE(dst, src, n) \\
    for (int i = 0; i < 8; ++i) { /* all \\
                                     rows */ \\
        int r = t / 32 + i * 8, c = t % 32;    \\
        dst[r * 32 + c] = src[((n) + r) * (n) + c]; \\
    }
"""


def test_a_long_macro_of_several_lines_is_written_out_in_as_many() -> None:
    source = written(STAGE, "STAGE(s, a, blockIdx.x * 64)\n  o[t] = u[1][2];")
    at = source.text.rindex("for (int")
    assert source.text[at:].split("\n")[:4] == [
        "for (int i = 0; i < 8; ++i) {",
        "      int r = t / 32 + i * 8, c = t % 32;",
        "      s[r * 32 + c] = a[((blockIdx.x * 64) + r) * (blockIdx.x * 64) + c];",
        "  }",
    ]
    for part, line in (("int r", 11), ("u[1][2]", 12)):
        assert source.place(source.text.rindex(part)).line == line


def test_strings_keep_their_blanks() -> None:
    macro = '#define SAY(t, x) printf("a   b \\"  c", t[x])\n'
    assert 'printf("a   b \\"  c", s[n]);' in written(macro, "SAY(s, n);").text


def test_what_an_edit_changes_stays_written_out_and_so_does_what_a_changed_macro_says() -> None:
    macros = "#define P(i, v) s[i] = v\n"
    source, calls = with_expansions(parse(text_of(macros, "o[t] = P(t, 1) + P(n, 2);"), "k.cu"))
    assert [source.of(one.span) for one in calls] == ["s[t] = 1", "s[n] = 2"]
    at = source.text.index("n] = 2")
    index, own = CxxEdit(ByteSpan(at, at + 1), "n ^ 1"), source.text.index("i] = v")
    back = without_expansions(source, calls, [index])
    assert "o[t] = P(t, 1) + s[n ^ 1] = 2;" in str(edited(source, (index, *back)))
    macro = CxxEdit(ByteSpan(own, own + 1), "i ^ 1")
    assert not without_expansions(source, calls, [macro])
