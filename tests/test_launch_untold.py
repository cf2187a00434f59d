"""Launches that host code does not tell beside some that it does: nothing is called free of
conflicts for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from bankwise.read.launch.host import launches_in
from command import bankwise, unfolded
from launch_blocks import blocks
from test_cuda import compiles, real

_KNOWN = (64, 1, 1)
_TEMPLATE = "template <int N> void run(float* p, int n) { k<N><<<n, N>>>(p, n); } "
_FUNCTION = "void run(float* p, int n) { k<<<1, n>>>(p, n); } "

_AGAIN = "void run(float* p, int n) { k<<<1, n>>>(p); if (n > 32) run(p, n / 2); } "


@pytest.mark.parametrize(
    "changes",
    [
        "int& r = n; r = 32;",
        "auto& r = n; r = 32;",
        "std::cin >> n;",
        "std::stringstream in(text); in >> m >> n;",
        "auto [n, m] = sizes();",
        "auto& [n, m] = pair;",
    ],
)
def test_a_size_that_something_may_change_is_not_known(changes: str) -> None:
    source = f"void f() {{ int n = 64, m = 2; {{ {changes} k<<<1, n>>>(p); }} }}"
    assert blocks(source) == []
    assert blocks(source.replace(changes, "int m = n >> 1; const auto& r = n;")) == [_KNOWN]


@pytest.mark.parametrize(
    "changes",
    [
        "for (int& v : sizes) v /= 2;",
        "for (auto& v : sizes) v /= 2;",
        "std::reverse(sizes.begin(), sizes.end());",
        "std::sort(std::begin(sizes), std::end(sizes));",
        "sizes.back() = 32;",
    ],
)
def test_elements_that_something_may_change_are_not_known(changes: str) -> None:
    source = f"void f() {{ std::vector<int> sizes{{32, 64}}; {changes} k<<<1, sizes[1]>>>(p); }}"
    assert blocks(source) == []
    reads = "for (const auto& v : sizes) n += v; for (int v : sizes) m = sizes.back();"
    assert blocks(source.replace(changes, reads)) == [_KNOWN]


def test_commas_of_a_template_part_no_arguments() -> None:
    first, second = launches_in(
        "void f() { k<<<div_up<int, 4>(1), 64>>>(as<float, 2>(1), 3); run(as<int, 4>(1), 64); }"
        "void run(float* p, int n, int m = 2) { k<<<1, n>>>(p, m); }"
    )
    assert (first.block, first.shared_bytes, first.positional) == (_KNOWN, 0, (None, 3))
    assert (second.block, second.positional) == (_KNOWN, (None, 2))


def test_a_launch_behind_else_is_one() -> None:
    macro = "#define GO(n) k<<<1, n>>>(p)\n"
    uses = "void f() { if (w) GO(64); else GO(32); do GO(16); while (w); }"
    assert blocks(macro + uses) == [_KNOWN, (32, 1, 1), (16, 1, 1)]


def test_what_a_template_calls_its_number_is_no_constant_of_that_name() -> None:
    source = "const int N = 64; template <int N> void f() { k<<<1, N>>>(p); }"
    assert blocks(source) == []
    assert blocks(source.replace("<int N>", "<int M>")) == [_KNOWN]


def test_of_two_ways_of_a_condition_neither_is_taken_for_the_other() -> None:
    ways = (
        "#if {}\nconst int N = 64;\n#else\nconst int N = 32;\n#endif\nvoid f() {{ k<<<1, N>>>(); }}"
    )
    assert blocks(ways.format("defined(WIDE)")) == []
    assert blocks(ways.format("1")) == [_KNOWN]
    assert blocks(ways.format("0")) == [(32, 1, 1)]
    nested = "#if 0\n#if X\nint a;\n#else\n#define N 32\n#endif\n#endif\n#define N 64\n"
    assert blocks(f"{nested} void f() {{ k<<<1, N>>>(); }}") == [_KNOWN]


@pytest.mark.parametrize(
    ("macro", "use", "known"),
    [
        ("32 + 32", "N", 64),
        ("32 + 32", "N / 2", None),
        ("32 + 32", "2 * N", None),
        ("96 - 32", "96 - N", None),
        ("8 * 8", "N * 2", 128),
        ("8 * 8", "1024 / N", None),
        ("(8 + 8)", "2 * N", 32),
    ],
)
def test_a_macro_is_a_number_where_its_operators_hold_together(
    macro: str, use: str, known: int | None
) -> None:
    found = blocks(f"#define N {macro}\nvoid f() {{ k<<<1, {use}>>>(p); }}")
    assert found == ([] if known is None else [(known, 1, 1)])


@pytest.mark.parametrize(
    ("size", "known"),
    [
        ("float r = 5; int n = r / 2 * 32;", None),
        ("const double r = 5; int n = r / 2 * 32;", None),
        ("int n = (float)5 / 2 * 32;", None),
        ("int n = float(5) / 2 * 32;", None),
        ("int n = static_cast<double>(5) / 2 * 32;", None),
        ("int n = std::max<float>(5, 4) / 2 * 32;", None),
        ("bool r = 5; int n = r * 32;", None),
        ("unsigned char n = 320;", None),
        ("int n = (char)320;", None),
        ("int n = static_cast<int>(5) / 2 * 32;", 64),
        ("bool r = 1; int n = (short)64 * r;", 64),
    ],
)
def test_a_number_is_what_its_type_holds(size: str, known: int | None) -> None:
    found = blocks(f"void f() {{ {size} k<<<1, n>>>(p); }}")
    assert found == ([] if known is None else [(known, 1, 1)])


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("void f(int n) { k<<<1, 64>>>(p); k<<<1, n>>>(p); }", [_KNOWN, None]),
        ("void f(int n) { k<64><<<1, 64>>>(p); k<T><<<1, n>>>(p); }", [_KNOWN, None]),
        ("void f(int n) { j<<<1, 64>>>(p); k<<<1, n>>>(p); }", [_KNOWN]),
        ("void f(int n) { k<<<1, n>>>(p); }", []),
        (_FUNCTION + "void f() { run(p, 64); }", [_KNOWN]),
        (_FUNCTION + "void f(int n) { run(p, 64); run(p, n); }", [_KNOWN, None]),
        (_TEMPLATE + "void f() { run<64>(p, 4); }", [_KNOWN]),
        (_TEMPLATE + "void f() { run<64>(p, 4); run(p, 4); }", [_KNOWN, None]),
        (_TEMPLATE + "void f() { k<64><<<1, 64>>>(p, 4); }", [_KNOWN]),
        (_AGAIN + "void f() { run(p, 64); }", [_KNOWN, None]),
    ],
)
def test_a_launch_that_is_not_told_stands_beside_one_that_is(
    source: str, found: Sequence[object]
) -> None:
    assert blocks(source) == found


KERNELS = """\
__global__ void size(float *o) {
  __shared__ float s[4096];
  int t = threadIdx.x * (1024 / blockDim.x);
  s[t] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = s[t ^ 1];
}
__global__ void step(float *o, int by) {
  __shared__ float s[4096];
  s[threadIdx.x * by & 4095] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = s[(threadIdx.x * by ^ 1) & 4095];
}
__global__ void many(float *o, int by) {
  __shared__ float s[4096];
  s[threadIdx.x * by & 4095] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = s[(threadIdx.x * by ^ 1) & 4095];
}
void launch(float *o, int n) {
  size<<<1, 1024>>>(o);
  size<<<1, n>>>(o);
  step<<<1, 32>>>(o, 1);
  step<<<1, 32>>>(o, n);
  many<<<1, 32>>>(o, 1);
  many<<<1, 32>>>(o, 3);
  many<<<1, 32>>>(o, 5);
  many<<<1, 32>>>(o, 7);
  many<<<1, 32>>>(o, 32);
}
"""
"""With 32 threads, or steps of 32 words, all lanes of a warp want one bank."""


@real
@compiles
@pytest.mark.parametrize(
    ("kernel", "code", "words"),
    [
        ("size", 3, "size: it is also launched at line 22 with a block that is not known"),
        ("step", 3, "its address depends on kernel parameter 1 (by)"),
        ("many", 1, "32-way bank conflict"),
    ],
)
def test_no_conflicts_is_said_of_every_launch_or_not(
    tmp_path: Path, kernel: str, code: int, words: str
) -> None:
    (tmp_path / "k.cu").write_text(KERNELS, "utf-8")
    answer = bankwise("check", str(tmp_path / "k.cu"), "--target", "sm_90", "--kernel", kernel)
    told = unfolded(answer.out)
    assert answer.code == code
    assert words in told
    assert "no conflicts:" not in told


PASSED = """\
__global__ void k(float *o) {
  __shared__ float s[64];
  s[threadIdx.x] = o[threadIdx.x];
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void k(float *o, int by, bool twice, unsigned char bytes) {
  __shared__ float s[4096];
  s[threadIdx.x * by * (1 + twice) & 4095] = bytes;
  __syncthreads();
  o[threadIdx.x] = s[(threadIdx.x * by ^ 1) & 4095];
}
void launch(float *o) {
  k<<<1, 32>>>(o);
  k<<<1, 64>>>(o, (1ull << 32) + 3, 0, 300);
}
"""


@real
@compiles
def test_arguments_are_what_parameters_hold_and_those_of_another_kernel_of_that_name_none(
    tmp_path: Path,
) -> None:
    """As C++ converts them: 2 ** 32 + 3 is 3 in four bytes; 3 words apart nothing conflicts."""
    (tmp_path / "k.cu").write_text(PASSED, "utf-8")
    answer = bankwise("check", str(tmp_path / "k.cu"), "--target", "sm_90")
    told = unfolded(answer.out)
    assert "takes" not in told
    assert "not analysed" not in told.split("k on sm_90")[1]
    assert "block size 32,1,1, as it is launched at line 14" in told
