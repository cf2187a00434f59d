"""Conflicts stand under the expression of the source that has them, once for all instructions.

Every case marks its own places: ``/*<*/expression/*>*/`` is what the access of its line is, and the
compiler sees comments only.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bankwise.errors import Location
from bankwise.read.cxx.expressions import expressions
from bankwise.read.cxx.tree import parse
from bankwise.read.toolkit import find_program
from command import bankwise

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)
MARKED = re.compile(r"/\*<\*/(.*?)/\*>\*/")

KERNEL = """\
struct Pair { float a[32]; float4 b[64]; };
#define AT(i) s[(i) * 32]
__device__ float load(const float* p) { return /*<*/p[0]/*>*/; }
template <int N> __global__ void k(float* o, const float4* x) {
  __shared__ float s[1024], t[32][32];
  __shared__ float4 wide[8][32];
  __shared__ Pair pair;
  int i = threadIdx.x;
  /*<*/s[i]/*>*/ = o[i];
  /*<*/*(float4*)&t[i][0]/*>*/ = x[i];
  /*<*/reinterpret_cast<float4*>(&t[i][4])[0]/*>*/ = x[i + 32];
  /*<*/wide[0][i * 8 % 32]/*>*/ = x[i];
  /*<*/pair.b[i * 2].x/*>*/ = o[i + 64];
  atomicAdd(/*<*/&s[i * 4]/*>*/, 1.f);
  float* row = t[i];
  __syncthreads();
  float sum = /*<*/t[i][N]/*>*/;
  sum +=
    o[i] * /*<*/s[i * 8]/*>*/;
  sum += /*<*/pair.b[i].x/*>*/;
  sum += /*<*/row[7]/*>*/ * 2.f;
  sum += load(&t[i][9]);
  sum += /*<*/AT(i)/*>*/;
  o[i] = sum + /*<*/wide[1][i].y/*>*/ + N;
  o[i + 32] = /*<*/s[i * 2] - s[i * 2 + 1]/*>*/;
}
void go(float* o, const float4* x) { k<3><<<1, 32>>>(o, x); k<5><<<1, 32>>>(o, x); }
"""


def marked(text: str) -> dict[int, tuple[int, int, str]]:
    """By line: the columns between the two marks, and what stands there."""
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        if one := MARKED.search(line):
            found[number] = one.start(1) + 1, one.end(1) + 1, one[1]
    return found


def answer(path: Path, *words: str) -> dict[str, Any]:
    ended = bankwise("check", path, "--target", "sm_90", "--format", "json", *words)
    assert ended.code in (0, 1, 3), ended.err
    found: dict[str, Any] = json.loads(ended.out)
    return found


@real
def test_every_access_stands_at_the_expression_that_it_is(tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(KERNEL, "utf-8")
    report, places = answer(path), marked(KERNEL)
    seen = set()
    for access in report["accesses"]:
        at = access["location"]
        assert (at["column"], at["end_column"]) == places[at["line"]][:2], at
        seen.add(at["line"])
    assert seen == set(places), "each of them is in the machine code"


@real
def test_instructions_and_instantiations_of_one_expression_are_one_diagnostic(
    tmp_path: Path,
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(KERNEL, "utf-8")
    report, places = answer(path), marked(KERNEL)
    told = report["diagnostics"]
    lines = [one["location"]["line"] for one in told]
    assert len(lines) == len(set(lines)), "each marked line has one expression in one direction"
    accesses = report["accesses"]
    for one in told:
        assert one["expression"] == places[one["location"]["line"]][2]
        assert all(accesses[n]["location"] == one["location"] for n in one["accesses"])
    conflicts = {n for n, a in enumerate(accesses) if a["extra"] > 0}
    assert {n for one in told for n in one["accesses"]} == conflicts
    column = next(one for one in told if one["expression"] == "t[i][N]")
    assert len(column["kernels"]) == 2
    assert column["message"].startswith("32-way")


@real
def test_the_caret_stands_under_the_expression_in_every_format(tmp_path: Path) -> None:
    line = "\to[i] = s[i * 32];"
    path = tmp_path / "k.cu"
    text = f"""\
__global__ void column(float* o) {{
	__shared__ float s[1024];
	int i = threadIdx.x;
	for (int j = 0; j < 32; ++j) s[j * 32 + i] = o[j * 32 + i];
{line}
}}
void go(float* o) {{ column<<<1, 32>>>(o); }}
"""
    path.write_text(text, "utf-8")
    first, last = line.index("s[") + 1, line.index(";") + 1
    shown = bankwise("check", path).out.splitlines()
    at = next(n for n, one in enumerate(shown) if one.endswith(line.strip()))
    assert shown[at - 1].startswith(f"{path}:5:{first}: 32-way bank conflict: read")
    assert "index i * 32 steps by 32 words" in " ".join(" ".join(shown).split())
    under = shown[at + 1]
    assert [shown[at][n] for n in (under.index("^"), under.rindex("~"))] == ["s", "]"]
    sarif = json.loads(bankwise("check", path, "--format", "sarif").out)
    (result,) = sarif["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"], region["endColumn"]) == (5, first, last)
    (github,) = bankwise("check", path, "--format", "github").out.splitlines()
    assert github.startswith(f"::error file={path},line=5,col={first},endColumn={last},")


def place(text: str, line: int, direction: str, array: str = "", inlined: bool = False) -> str:
    """What an access of a line is said to be; "" where that is not known."""
    table = expressions(parse(text, "k.cu"))
    at = table.place(Location("k.cu", line), direction, array, inlined)  # type: ignore[arg-type]
    known = at.column and at.line == line
    return text.splitlines()[line - 1][at.column - 1 : at.end_column - 1] if known else ""


BOTH = """\
__global__ void k(float* o) {
  __shared__ float a[64]; __shared__ float b[64];
  o[0] = a[1] * b[2];
  a[3] = b[4] + a[5];
  b[6] += 1;
  helper(o);
}
"""


@pytest.mark.parametrize(
    ("line", "direction", "array", "says"),
    [
        (3, "read", "a", "a[1]"),
        (3, "read", "b", "b[2]"),
        (3, "read", "", ""),
        (3, "write", "b", ""),
        (4, "write", "a", "a[3]"),
        (4, "read", "a", "a[5]"),
        (4, "read", "b", "b[4]"),
        (5, "read", "b", "b[6]"),
        (5, "write", "b", "b[6]"),
        (6, "read", "", "helper(o)"),
    ],
)
def test_of_several_expressions_bytes_and_direction_decide(
    line: int, direction: str, array: str, says: str
) -> None:
    assert place(BOTH, line, direction, array) == says


def test_a_load_that_was_moved_stands_at_the_only_expression_that_it_can_be() -> None:
    table = expressions(parse(BOTH, "k.cu"))
    at = Location("k.cu", 2, 7)
    assert table.place(at, "write", "b", inlined=False) == Location("k.cu", 2), "b += is both"
    single = BOTH.replace("b[6] += 1;", "b[6] = 1;").replace(" + a[5]", "")
    table = expressions(parse(single, "k.cu"))
    assert table.place(at, "write", "a", inlined=False).line == 4
    assert table.place(at, "read", "a", inlined=False).line == 3
    assert table.place(at, "read", "b", inlined=False) == Location("k.cu", 2), "there are two"
    for more in ("#define A a\n", "__global__ void other() { __shared__ int a[8]; }\n"):
        table = expressions(parse(single + more, "k.cu"))
        assert table.place(at, "read", "a", inlined=False) == Location("k.cu", 2), more


def test_parameters_of_kernels_and_arrays_in_registers_are_no_shared_memory() -> None:
    text = """\
__global__ void k(float* o, const float* in) {
  float acc[4][4], *p = pick(o);
  acc[1][2] += in[3] * p[4];
}
"""
    assert place(text, 3, "read") == "p[4]"
    assert place(text, 3, "write") == ""


def test_a_reference_is_a_place_too() -> None:
    text = """\
__device__ void swap(float& a, float& b) {
  float t = a;
  a = b;
  b = t;
}
"""
    assert [place(text, line, "read") for line in (2, 3, 4)] == ["a", "b", ""]
    assert [place(text, line, "write") for line in (2, 3, 4)] == ["", "a", "b"]


def test_a_name_means_the_array_of_its_block() -> None:
    text = """\
__global__ void k(float* o) { __shared__ float a[64];
  { __shared__ float c[64]; float* p = &c[4];
  o[0] = p[1]; }
  { float* p = a;
  o[0] = p[2]; } }
"""
    assert [place(text, line, "read", "c") for line in (3, 5)] == ["p[1]", ""]
    assert [place(text, line, "read", "a") for line in (3, 5)] == ["", "p[2]"]


def test_whatever_a_text_is_it_has_expressions_or_none() -> None:
    for text in ("", "s[", "__shared__", "__shared__ float s[", "a" + "+a" * 5_000, "(" * 5_000):
        expressions(parse(f"__global__ void k() {{ {text}", "k.cu"))
    for end in range(0, len(KERNEL), 7):
        expressions(parse(KERNEL[:end], "k.cu"))
