"""Definitions of macros in a text are read in one place."""

from __future__ import annotations

import re
from pathlib import Path

from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.tree import every, macro_text, parse
from bankwise.read.macro_lines import macro_lines

SOURCE = Path(__file__).parents[1] / "src" / "bankwise"
TEXT = (
    "#define ROW 32 // floats\n"
    "  #  define LOAD(v, \\\n    p) v = \\\r\n  *(float4*)(p)\n"
    "// #define NONE 1\n"
    "#define EMPTY\n"
    "#define LAST(x) x"
)


def test_a_definition_is_its_name_what_it_takes_and_all_its_lines() -> None:
    found = [(one.name, one.taken, one.body) for one in macro_lines(TEXT)]
    assert found == [
        ("ROW", None, " 32 // floats"),
        ("LOAD", "v, \\\n    p", " v = \\\r\n  *(float4*)(p)"),
        ("EMPTY", None, ""),
        ("LAST", "x", " x"),
    ]
    for one in macro_lines(TEXT):
        assert TEXT[slice(*one.body_span)] == one.body
        assert TEXT[slice(*one.whole)].lstrip().startswith("#")
        assert TEXT[one.whole[1] :][:1] in ("\n", "")


def test_a_macro_with_parameters_in_two_lines_ends_a_statement_as_any_other() -> None:
    load = "#define LOAD(v, \\\n  p) v = *(float4*)(p);\n"
    body = "float4 x; LOAD(x, &s[t * 4]) ((float4*)s)[t + 4] = x;"
    kernel = f"__global__ void k(int t) {{ __shared__ float s[64]; {body} }}\n"
    (array,) = shared_arrays(parse(load + kernel, "k.cu"))
    assert not array.refusals
    assert len(array.uses) == 2


def test_no_other_module_looks_for_definitions_of_its_own() -> None:
    """But for what evaluates the preprocessor, or reads words with their places."""
    own = re.compile(r"#.{0,12}define\[ \\t\]\+\(")
    found = [path for path in SOURCE.rglob("*.py") if own.search(path.read_text("utf-8"))]
    assert [path.name for path in found] == ["macro_lines.py"]


def test_what_stands_behind_a_comment_is_text_of_the_macro_as_well() -> None:
    kernel = "__global__ void k(int t) {{ __shared__ float s[64]; {} s[t] = 1; }}\n"
    for comment in ("/* of them */", "/* of\n   them */", "/**/ \\\n"):
        macro = f"#define S(i) s[i] {comment} + s[0] // both\n"
        source = parse(macro + kernel.format(""), "k.cu")
        (taken,) = every(source, "preproc_function_def")
        assert macro_text(source, taken).split() == [
            "s[i]",
            *["\\"] * ("\\" in comment),
            "+",
            "s[0]",
        ]
        (array,) = shared_arrays(parse(macro + kernel.format("float x = S(t);"), "k.cu"))
        assert [one.reason for one in array.refusals] == [
            "the macro S names s, and is no statement here"
        ]
        assert not source.root.has_error
