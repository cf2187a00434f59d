"""Constants of launches that stand in the headers of a project."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.read.launch.headers import own_headers
from bankwise.read.launch.host import launches_in

SOURCE = """#include <cstdio>
#include "tile.cuh"
#include "missing.h"
void run(float* a) { k<<<dim3(T / 4, 2), dim3(T, ROWS)>>>(a); }
"""
TILE = """#pragma once
#include "rows.cuh"
namespace project { inline int f() { return 1; } }
constexpr int T = 32;
inline void other(float* a) { k<<<1, 64>>>(a); }
"""


def launches(folder: Path, *flags: str) -> list[tuple[object, object, str]]:
    found = launches_in(SOURCE, own_headers(SOURCE, folder / "k.cu", flags))
    return [(one.block, one.grid, one.said) for one in found]


def test_constants_of_headers_decide_a_launch_and_its_line_is_the_sources(tmp_path: Path) -> None:
    """One header beside the source, one in a folder of the compiler's."""
    (tmp_path / "include").mkdir()
    (tmp_path / "tile.cuh").write_text(TILE)
    (tmp_path / "include" / "rows.cuh").write_text("#define ROWS 8 // of a block\n")
    said = "as it is launched at line 4"
    for flags in ((f"-I{tmp_path}/include",), ("-I", f"{tmp_path}/include")):
        assert launches(tmp_path, *flags) == [((32, 8, 1), (8, 2, 1), said)]
    assert launches(tmp_path) == []


@pytest.mark.parametrize(
    "rows",
    [
        "#ifdef WIDE\n#define ROWS 16\n#else\n#define ROWS 8\n#endif\n",
        "namespace open {\n#define ROWS 8\n",
    ],
)
def test_what_a_header_does_not_decide_is_not_guessed(tmp_path: Path, rows: str) -> None:
    (tmp_path / "tile.cuh").write_text(TILE)
    (tmp_path / "rows.cuh").write_text(rows)
    assert launches(tmp_path) == []


def test_headers_that_include_each_other_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "tile.cuh").write_text('#include "rows.cuh"\nconstexpr int T = 32;\n')
    (tmp_path / "rows.cuh").write_text('#include "tile.cuh"\n#define ROWS 4\n')
    assert [block for block, *_ in launches(tmp_path)] == [(32, 4, 1)]


def test_a_macro_of_the_compiler_is_one_of_the_source_and_differs_or_decides(
    tmp_path: Path,
) -> None:
    """``#ifndef ROWS`` takes the compiler's: two values are in sight, and none is guessed."""
    (tmp_path / "tile.cuh").write_text("constexpr int T = 32;\n")
    assert [block for block, *_ in launches(tmp_path, "-DROWS=16")] == [(32, 16, 1)]
    assert [block for block, *_ in launches(tmp_path, "-D", "ROWS")] == [(32, 1, 1)]
    (tmp_path / "missing.h").write_text("#ifndef ROWS\n#define ROWS 8\n#endif\n")
    assert launches(tmp_path, "-DROWS=16") == []
    assert [block for block, *_ in launches(tmp_path)] == [(32, 8, 1)]


RUNNER = """#pragma once
inline void run(float* a, int n) { k<<<1, n>>>(a); }
inline void both(float* a) { run(a, 16); k<<<1, 8>>>(a); }
template <int N> void sized(float* a) { k<<<1, N>>>(a); }
"""


@pytest.mark.parametrize(
    ("calls", "found"),
    [
        ("", []),
        ("run(a, 32);", [(32, "(called at 2)")]),
        ("both(a);", [(16, "(called at 2)"), (8, "(called at 2)")]),
        ("sized<64>(a);", [(64, "(called at 2)")]),
        ("sized<64>(a); run(a, n);", [(64, "(called at 2)"), (None, "(called at 2)")]),
        ("sized<64>(a); sized(a);", [(64, "(called at 2)"), (None, "")]),
    ],
)
def test_what_a_header_launches_counts_where_the_source_calls_it(
    tmp_path: Path, calls: str, found: list[tuple[int | None, str]]
) -> None:
    (tmp_path / "runner.cuh").write_text(RUNNER)
    source = f'#include "runner.cuh"\nvoid go(float* a, int n) {{ {calls} }}\n'
    every = launches_in(source, own_headers(source, tmp_path / "k.cu"))
    said = [(one.block and one.block[0], one.said) for one in every]
    words = "as it is launched in a header"
    assert said == [(block, f"{words} {where}".strip()) for block, where in found]


ANGLED = """#include <lib/tile.cuh>
void run(float* a) { lib::go<float>(a); }
"""
LIBRARY = """#pragma once
#include <lib/rows.cuh>
namespace lib {
template <typename T> void go(T* a) {
  constexpr int wide = 128 / sizeof(float);
  k<T, wide><<<4, dim3(wide, ROWS)>>>(a);
}
}
"""


@pytest.mark.parametrize(
    ("folder", "flag", "block"),
    [
        ("include", "-I", (32, 8, 1)),
        ("include", "-isystem", None),
        ("third_party/include", "-I", None),
    ],
)
def test_a_library_that_includes_itself_in_angle_brackets_is_its_own(
    tmp_path: Path, folder: str, flag: str, block: tuple[int, int, int] | None
) -> None:
    """What others wrote is not read."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "tests").mkdir()
    lib = tmp_path / folder / "lib"
    lib.mkdir(parents=True)
    (lib / "tile.cuh").write_text(LIBRARY)
    (lib / "rows.cuh").write_text("#define ROWS 8\n")
    file, flags = tmp_path / "tests" / "k.cu", (flag, f"{tmp_path}/{folder}")
    found = launches_in(ANGLED, own_headers(ANGLED, file, flags))
    assert {one.block for one in found} == ({block} if block else set())


def test_a_header_whose_braces_do_not_close_hides_no_other(tmp_path: Path) -> None:
    """Both ways of an ``#ifdef`` open one."""
    (tmp_path / "tile.cuh").write_text(TILE)
    (tmp_path / "rows.cuh").write_text("#define ROWS 8\n")
    both = "#ifdef A\ninline void f() { if (a) {\n#else\ninline void f() { {\n#endif\n}}\n"
    (tmp_path / "missing.h").write_text(both)
    assert [block for block, *_ in launches(tmp_path)] == [(32, 8, 1)]
