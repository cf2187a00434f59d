"""nvcc without the headers that a source does not need makes the same, to the byte."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import declarations
import quick_nvcc
import remembered
from bankwise.read import toolkit

HEADER = """\
# 1 "a.h" 1 3
typedef unsigned long size_t;
namespace std { typedef ::size_t size_t; using ::abort; }
extern "C" {
struct __attribute__((aligned(8))) float2 { float x, y; };
# 20 "a.h" 3
typedef struct float2 *pair_t, other_t;
enum Mode { Slow, Fast = 2 };
void over(void *x);
void *lent(int n) __attribute__((malloc(over, 1)));
float __attribute__((device)) sine(float x) noexcept(true);
void (*handler(int, void (*then)(int)))(int);
typedef void (*callback_t)(size_t n);
}
template <typename T, int N = (1 + 2)> struct Tile : Base<sizeof(T)> { T data[N]; };
template <> struct Tile<int, 4> { int data; };
struct Half { short bits; };
inline Half operator+(const Half& a, const Half& b) { return total < b; }
template <class T> inline T twice(T x) { if (x) { return sine(x); } return x + x; }
void Half::print() { puts("class Mode { sine"); }
extern const size_t count, total;
template <> float2 twice(float2 x) { return x; }
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("pair_t x;", {"float2"}),
        ("other_t x;", {"float2"}),
        ("callback_t f;", {"callback_t", "size_t"}),
        ("handler(1);", {"handler"}),
        ("sine(x);", {"sine"}),
        ("lent(8);", {"lent", "over"}),
        ('# 1 "/handler/total.h"\nint total_of;', set()),
        ("int x = Fast;", {"Mode", "Slow", "Fast"}),
        ("Tile<char> t;", {"Tile", "Base"}),
        ("Half h;", {"Half", "operator", "print", "puts", "total", "count"}),
        ("twice(x);", {"twice", "sine", "float2"}),
        ("std::abort();", {"std", "abort"}),
        ("total", {"total", "count", "size_t"}),
        ("puts(a);", set()),
        ("int other;", set()),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_a_text_gets_what_it_names_and_what_that_needs(text: str, words: set[str]) -> None:
    known = declarations.declarations(HEADER)
    found = declarations.needed(known, declarations.words_of(text))
    every = {name for one in known.every for name in one.names}
    assert words & every <= declarations.words_of(found)
    assert words <= declarations.words_of(found)
    others = {"Tile", "over", "Mode", "handler", "callback_t", "Half", "sine", "total"} - words
    declared = {name for one in known.every if one.text in found for name in one.names}
    assert not others & declared


def test_declarations_keep_their_place_and_what_they_stand_in() -> None:
    known = declarations.declarations(HEADER)
    found = declarations.needed(known, {"pair_t"})
    assert '# 20 "a.h" 3\ntypedef struct float2 *pair_t, other_t;' in found
    assert found.count('extern "C" {') == found.count("\n}\n") == 2
    assert found.index("float x, y") < found.index("pair_t")


CODE = """\
%s
namespace { __device__ float kept[32]; }
template <int N> __global__ void k(float* o, const float* x) {
  __shared__ float s[N][N];
  s[threadIdx.y][threadIdx.x] = %s;
  __syncthreads();
  o[threadIdx.y * N + threadIdx.x] = s[threadIdx.x][threadIdx.y] + kept[threadIdx.x];
}
void run(float* o, const float* x) { k<32><<<1, dim3(32, 32)>>>(o, x); cudaDeviceSynchronize(); }
"""
VALUES = {
    "plain": ("", "x[threadIdx.x]"),
    "mathematics": ("#include <cstdio>", "max(sinf(x[1]), x[0]) + sqrt(x[2])"),
    "halves": ("#include <cuda_fp16.h>\n", "__half2float(__float2half(x[0]) + __half(2.f))"),
    "vectors": ("", "make_float4(x[0], 1.f, 2.f, __shfl_down_sync(~0u, x[1], 4)).w"),
    "own": ('#include "own.h"', "own(x[threadIdx.y], s[0])"),
}
OWN = "template <class T> __device__ T own(T x, T* s) { return atomicAdd(s, __expf(x)); }\n"
needs_nvcc = pytest.mark.skipif(
    toolkit.find_program("nvcc") is None or sys.platform != "linux", reason="needs nvcc"
)


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    nvcc = str(toolkit.find_program("nvcc"))
    source, made = tmp_path / "k.cu", tmp_path / "made" / "k.cubin"
    made.parent.mkdir()
    (tmp_path / "own.h").write_text(OWN, "utf-8")
    source.write_text(CODE % VALUES["plain"], "utf-8")
    words = [nvcc, "-std=c++14", "-lineinfo", "-cubin", "-arch=sm_80", f"-I{tmp_path}"]
    return [*words, str(source), "-o", str(made)]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("headers")


@needs_nvcc
@pytest.mark.parametrize("value", VALUES)
def test_what_is_made_is_the_same_to_the_byte(words: list[str], kept: Path, value: str) -> None:
    source, made = Path(words[-3]), Path(words[-1])
    source.write_text(CODE % VALUES[value], "utf-8")
    assert remembered._run_program(words, made.parent, "k.cu")[0] == 0
    plain = made.read_bytes()
    made.unlink()
    assert quick_nvcc.compiled(words, made.parent, kept) == ""
    assert made.read_bytes() == plain
    assert list(made.parent.iterdir()) == [made]


@needs_nvcc
def test_a_source_that_is_refused_is_left_to_nvcc(words: list[str], kept: Path) -> None:
    with Path(words[-3]).open("a", encoding="utf-8") as source:
        source.write("int wrong = nowhere;\n")
    assert quick_nvcc.compiled(words, Path(words[-1]).parent, kept) is None


@needs_nvcc
@pytest.mark.parametrize("change", ["header", "macro", "environment"])
def test_what_other_headers_or_macros_may_change_is_left_to_nvcc(
    words: list[str], kept: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, made = Path(words[-3]), Path(words[-1])
    if change == "header":
        (source.parent / "math.h").write_text("#include_next <math.h>\n", "utf-8")
    elif change == "macro":
        words.insert(1, "-DNDEBUG")
    else:
        monkeypatch.setenv("CPATH", str(source.parent))
    assert quick_nvcc.compiled(words, made.parent, kept) is None
    assert remembered._run_program(words, made.parent, "k.cu")[0] == 0
