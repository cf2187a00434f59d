"""What compilers print against a source, as one error at the author's line."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from bankwise.errors import InputError
from bankwise.read import nvcc
from bankwise.read.refused import UNKNOWN, ToldSource, refused
from bankwise.read.toolkit import find_program
from command import bankwise

NVCC = """At end of source: error: expected an expression

At end of source: error: expected a "}}"
{file}(2): note #3196-D: to match this "{{"
  {{ first
  ^

{file}(1): warning #177-D: variable "acc" was declared but never referenced

At end of source: error: expected a "}}"
{file}(1): note #3196-D: to match this "{{"

3 errors detected in the compilation of "{file}".
"""
CLANG = """In file included from {file}:1:
{folder}/some (2).h:1:13: error: expected expression
    1 | int two = ;
      |           ^
{file}:3:2: error: expected '}}'
    3 | }}
{file}:2:4: note: to match this '{{'
{file}:2:9: note: a second one
2 errors generated when compiling for gfx942.
"""
TEMPLATE = """{file}(1): error: expression must have class type but it has type "float *"
  return p.foo();
          ^
          detected during instantiation of "void k<N>(float *) [with N=32]" at line 4

1 error detected in the compilation of "{file}".
"""
ASSEMBLER = """ptxas {made}/tmpxft_0051_00-6_k.ptx, line 25; error   : Not a name: 'bogus'
ptxas fatal   : Ptx assembly aborted due to errors
"""


@pytest.fixture
def said(tmp_path: Path) -> Callable[[str], InputError]:
    """The error of what a compiler prints; the source has 3 lines, and a name with a space."""

    def of(printed: str) -> InputError:
        path, made = tmp_path / "a b.cu", tmp_path / "made"
        path.write_text("1\n2\n3\n", "utf-8")
        told = printed.format(file=path, folder=tmp_path, made=made)
        name = lambda found: found.replace(str(path), "a b.cu").replace(f"{tmp_path}/", "")  # noqa: E731
        return refused(told, 2, "nvcc", ToldSource(path, "a b.cu", name, made), [("", "none")])

    return of


@pytest.mark.parametrize(
    ("printed", "message"),
    [
        (
            NVCC,
            "a b.cu:3: nvcc does not compile it: expected an expression\n"
            '  a b.cu:3: expected a "}" (a b.cu:2: to match this "{")\n'
            '  a b.cu:3: expected a "}" (a b.cu:1: to match this "{")',
        ),
        (
            CLANG,
            "some (2).h:1: nvcc does not compile it: expected expression\n"
            "  a b.cu:3: expected '}' (a b.cu:2: to match this '{')",
        ),
        (
            TEMPLATE,
            "a b.cu:1: nvcc does not compile it: expression must have class type but it has type "
            '"float *" (detected during instantiation of "void k<N>(float *) [with N=32]" at line '
            "4)",
        ),
        (
            ASSEMBLER,
            "a b.cu: nvcc does not compile it: ptxas its PTX, line 25; error   : Not a name: "
            "'bogus'\n  ptxas fatal   : Ptx assembly aborted due to errors",
        ),
        ("{made}/x.o: broken\n{file}: gone\n", "x.o: broken\n  a b.cu: gone"),
    ],
)
def test_errors_come_first_with_their_notes_at_the_users_places(
    said: Callable[[str], InputError], printed: str, message: str
) -> None:
    found = str(said(printed)).removesuffix("\n  hint: none")
    assert found.endswith(message)
    assert "/" not in found


def test_what_only_warns_is_shown_where_there_is_nothing_else(
    said: Callable[[str], InputError],
) -> None:
    found = said("{file}(1): warning #1-D: odd\n")
    assert found.message == "nvcc does not compile it: a b.cu(1): warning #1-D: odd"


@pytest.mark.parametrize(
    ("printed", "about"),
    [
        ("gcc: No such file or directory\nnvcc fatal   : Failed to preprocess", "host compiler"),
        ("k.cu:1:10: fatal error: tile.cuh: No such file or directory", "headers"),
    ],
)
def test_a_missing_host_compiler_is_no_missing_header(printed: str, about: str) -> None:
    """nvcc 13.0, where PATH has no gcc, and where an include is not found."""
    hints = (hint for sign, hint in nvcc.HINTS if re.search(sign, printed))
    assert about in next(hints)


@pytest.mark.parametrize(
    ("message", "flags"),
    [
        ('identifier "N" is undefined', True),
        ("use of undeclared identifier 'N'", True),
        ("unknown type name 'half8'", True),
        ("#error set ARCH", True),
        ('expected a "}"', False),
        ("expected ';' after expression", False),
        ("no matching function for call to 'f'", False),
    ],
)
def test_flags_are_advised_where_a_macro_or_a_header_may_be_missing(
    message: str, flags: bool
) -> None:
    assert bool(re.search(UNKNOWN, message)) is flags


@pytest.mark.skipif(find_program("nvcc") is None, reason="needs nvcc")
def test_a_missing_brace_is_told_alike_by_all_verbs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "__global__ void k(float *p) {\n  if (p) {\n  p[0] = 1;\n"
    Path("cut off.cu").write_text(text, "utf-8")
    told = (
        'cut off.cu:3: nvcc does not compile it: expected a "}" '
        '(cut off.cu:2: to match this "{") '
        'cut off.cu:3: expected a "}" (cut off.cu:1: to match this "{")'
    )
    for verb in ("check", "fix", "scan"):
        ended = bankwise(verb, "cut off.cu", "-t", "sm_90")
        assert ended.code == 2
        assert " ".join(ended.err.split()).startswith(f"error: {told}"), verb
        assert "-Iinclude" not in ended.err
