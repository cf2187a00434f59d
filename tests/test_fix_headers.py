"""``bankwise fix kernel.cu`` where functions of the author's own headers are given the array."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bankwise.ask.header_copies import copied_text
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.prove import prove_text
from bankwise.change.cxx.same_code import code_of, same_in_some
from bankwise.errors import Refusal
from bankwise.read.cuda import CUDA
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import ArraySize
from bankwise.read.cxx.tree import parse
from bankwise.read.hip.clang import knows
from bankwise.read.source import Compilation
from bankwise.read.toolkit import find_program
from command import bankwise

needs_nvcc = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

TRANSPOSE = """#include "tile.cuh"

// The transpose of a matrix, tile by tile.
__global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][32];
    fill<32, 32>(in + blockIdx.y * 32 * n + blockIdx.x * 32, n, tile);
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256)
        out[(blockIdx.x * 32 + i / 32) * n + blockIdx.y * 32 + i % 32] = tile[i % 32][i / 32];
}
void run(const float* a, float* b) { transpose<<<dim3(4, 4), 256>>>(a, b, 128); }
"""

FILL = """#pragma once
template <int ROWS, int COLUMNS>
__device__ void fill(const float* from, int pitch, float (*to)[COLUMNS]) {
    for (int i = threadIdx.x; i < ROWS * COLUMNS; i += blockDim.x)
        to[i / COLUMNS][i % COLUMNS] = from[i / COLUMNS * pitch + i % COLUMNS];
}
"""


def written(folder: Path, source: str, header: str, *more: str) -> tuple[dict[str, Any], str]:
    """What fix says of a source and its header, and the text that it leaves."""
    (folder / "tile.cuh").write_text(header, "utf-8")
    file, out = folder / "kernel.cu", folder / "fixed.cu"
    file.write_text(source, "utf-8")
    done = bankwise("fix", str(file), "-t", "sm_80", "--format", "json", "-o", str(out), *more)
    assert (folder / "tile.cuh").read_text("utf-8") == header
    return json.loads(done.out), out.read_text("utf-8") if out.exists() else source


def extra(file: Path) -> int:
    told = json.loads(bankwise("check", str(file), "-t", "sm_80", "--format", "json").out)
    return sum(kernel["totals"]["run"]["extra"] for kernel in told["kernels"])


def verdicts(answer: dict[str, Any]) -> dict[str, str]:
    return {one["judge"]: one["status"] for one in answer["verdicts"]}


@needs_nvcc
def test_what_a_header_does_with_an_array_is_changed_in_a_copy(tmp_path: Path) -> None:
    answer, text = written(tmp_path, TRANSPOSE, FILL)
    assert verdicts(answer) == {"proof": "passed", "execution": "passed", "isa": "passed"}
    assert "__shared__ float tile[32][32 + 1];" in text
    assert "void fill_for_transpose(const float* from, int pitch, float (*to)[COLUMNS + 1])" in text
    assert "    fill_for_transpose<32, 32>(in +" in text
    # The copy stands above what is said of the kernel, and the header's function is not touched.
    assert text.index("// fill of tile.cuh") < text.index("// The transpose of a matrix")
    # 32 warps read a column: 32 words of one bank are 31 passes more than one.
    assert [extra(tmp_path / name) for name in ("kernel.cu", "fixed.cu")] == [32 * 31, 0]
    assert any("a copy of this source's own" in note for note in answer["notes"])


@needs_nvcc
def test_check_promises_what_fix_writes(tmp_path: Path) -> None:
    (tmp_path / "tile.cuh").write_text(FILL, "utf-8")
    (tmp_path / "kernel.cu").write_text(TRANSPOSE, "utf-8")
    told = bankwise("check", str(tmp_path / "kernel.cu"), "-t", "sm_80")
    assert "tile: rows of 32 become 32 + 1 (2 places change" in told.out
    assert "bankwise fix" in told.out
    assert "would not edit it" not in told.out + told.err


@needs_nvcc
def test_a_length_that_is_deduced_follows_the_array_and_forbids_longer_rows(
    tmp_path: Path,
) -> None:
    """COLUMNS would be 33 with longer rows, and the loop would run over 33 columns."""
    header = FILL.replace("float (*to)[COLUMNS]", "float (&to)[ROWS][COLUMNS]")
    answer, text = written(tmp_path, TRANSPOSE.replace("fill<32, 32>", "fill"), header)
    assert verdicts(answer)["proof"] == verdicts(answer)["execution"] == "passed"
    assert "__shared__ float tile[32][32];" in text
    assert "to[i / COLUMNS][(i % COLUMNS) ^ ((i / COLUMNS) & 31)] = from[" in text
    assert extra(tmp_path / "fixed.cu") == 0


@needs_nvcc
def test_functions_of_headers_within_such_functions_are_copied_too(tmp_path: Path) -> None:
    header = """#pragma once
namespace tiles {
__device__ inline void put(float (&to)[32][32], int row, int column, float value) {
    to[row][column] = value;
}
__device__ inline void fill(const float* from, int pitch, float (&to)[32][32]) {
    for (int i = threadIdx.x; i < 1024; i += 256)
        put(to, i / 32, i % 32, from[i / 32 * pitch + i % 32]);
}
}
"""
    source = TRANSPOSE.replace("fill<32, 32>", "tiles::fill")
    answer, text = written(tmp_path, source, header)
    assert verdicts(answer)["proof"] == verdicts(answer)["execution"] == "passed"
    # Longer rows would change three places, a fold two; what calls the copy is one as well.
    assert "    to[row][column ^ (row & 31)] = value;" in text
    assert "        put_for_transpose(to, i / 32" in text
    assert "    tiles::fill_for_transpose(in +" in text
    assert text.count("namespace tiles {") == 2
    assert extra(tmp_path / "fixed.cu") == 0


@needs_nvcc
def test_each_kernel_has_copies_of_its_own(tmp_path: Path) -> None:
    """One that has no conflicts keeps the header's function, and its array."""
    other = """
__global__ void rows(const float* in, float* out) {
    __shared__ float tile[32][32];
    fill<32, 32>(in, 32, tile);
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 256) out[i] = tile[31 - i / 32][i % 32];
}
void more(const float* a, float* b) { rows<<<1, 256>>>(a, b); }
"""
    answer, text = written(tmp_path, TRANSPOSE + other, FILL)
    assert verdicts(answer)["proof"] == verdicts(answer)["execution"] == "passed"
    assert text.endswith(other)
    assert "fill_for_transpose" in text
    assert "fill_for_rows" not in text


@needs_nvcc
def test_a_function_that_needs_no_change_is_not_copied(tmp_path: Path) -> None:
    """Its row's length is deduced, and nothing else of it asks for that."""
    header = FILL + (
        "template <int N> __device__ float at(float (&tile)[32][N], int row, int column) {\n"
        "    return tile[row][column];\n}\n"
    )
    source = TRANSPOSE.replace("tile[i % 32][i / 32]", "at(tile, i % 32, i / 32)")
    answer, text = written(tmp_path, source, header)
    assert verdicts(answer)["proof"] == verdicts(answer)["execution"] == "passed"
    assert "= at(tile, i % 32, i / 32);" in text
    assert "at_for_transpose" not in text
    assert extra(tmp_path / "fixed.cu") == 0


@needs_nvcc
def test_two_tiles_of_one_array_may_be_given_in_turn(tmp_path: Path) -> None:
    source = TRANSPOSE.replace("float tile[32][32]", "float tile[2][32][32]")
    source = source.replace("n, tile);", "n, tile[0]);\n    fill<32, 32>(in, n, tile[1]);")
    source = source.replace("tile[i % 32][i / 32]", "tile[n & 1][i % 32][i / 32]")
    answer, _ = written(tmp_path, source, FILL)
    assert verdicts(answer)["proof"] == verdicts(answer)["execution"] == "passed"
    assert extra(tmp_path / "fixed.cu") == 0


@needs_nvcc
@pytest.mark.parametrize(
    ("header", "why"),
    [
        # Another text for floats: the copy would be of the other one, and other code.
        (
            FILL
            + "template <> __device__ void fill<32, 32>(const float* from, int, float (*to)[32])\n"
            "{   for (int i = threadIdx.x; i < 1024; i += 256) to[i / 32][i % 32] = from[i] + 1;\n"
            "}\n",
            "fill of a header: not copied, since the compiler makes other code of a copy",
        ),
        # A macro that is not seen in the source's text.
        (
            FILL.replace("= from[", "= ONE(from)[").replace(
                "#pragma once\n", "#pragma once\n#define ONE(p) (p)\n"
            ),
            "fill of a header is not copied: it uses the macro ONE",
        ),
        (FILL + "float fill(float);\nfloat fill(float x) { return x; }\n", "2 functions have"),
    ],
)
def test_what_may_be_another_program_is_not_copied(tmp_path: Path, header: str, why: str) -> None:
    answer, text = written(tmp_path, TRANSPOSE, header)
    assert text == TRANSPOSE
    assert any("tile is passed to fill" in one["reason"] for one in answer["refusals"])
    assert any(why in note for note in answer["notes"])


@pytest.mark.parametrize(
    ("before", "after", "same", "tries"),
    [
        ("a", "a", True, 1),
        ("aa", "bb", False, 2),
        ("ab", "bb", True, 2),
        ("aab", "caa", True, 2),
        ("aaaaaa", "bcbcba", True, 6),
        ("ababababab", "cdcdcdcdcd", False, 6),
        ("  ", "  ", False, 2),
    ],
)
def test_a_compiler_that_makes_several_codes_of_one_text_is_asked_again(
    before: str, after: str, same: bool, tries: int
) -> None:
    """A letter is the code of a try, a blank none."""
    asked: list[str] = []

    def compiled(codes: Iterator[str]) -> str:
        asked.append(next(codes).strip())
        return asked[-1]

    old, new = iter(before), iter(after)
    assert same_in_some(lambda: compiled(old), lambda: compiled(new)) is same
    assert len(asked) == 2 * tries


@needs_nvcc
def test_the_code_of_a_copy_is_compared_to_the_letter(tmp_path: Path) -> None:
    (tmp_path / "tile.cuh").write_text(FILL, "utf-8")
    file = tmp_path / "kernel.cu"
    file.write_text(TRANSPOSE, "utf-8")
    made = copied_text(parse(TRANSPOSE, str(file)), Compilation(file, "sm_80"))
    assert made is not None
    assert {one.name: one.function for one in made.copies} == {"fill_for_transpose": "fill"}
    names = {"fill_for_transpose": "fill"}
    text = made.source.text
    other = text.replace("i % COLUMNS] = from", "i % COLUMNS] = 2 * from")
    assert other != text
    first, second, third = (
        CUDA.emitted(Compilation(file, "sm_80", text=one)) for one in (TRANSPOSE, text, other)
    )
    assert code_of(first, {}, "//") == code_of(second, names, "//")
    assert code_of(first, {}, "//") != code_of(third, names, "//")
    # Its lines are known as those of the header.
    at = made.source.place(text.index("to[i / COLUMNS]"))
    assert (Path(at.file).name, at.line) == ("tile.cuh", 5)


def test_who_deduces_the_length_of_a_row_asks_for_it() -> None:
    """Also in functions of the source itself."""
    text = """
template <int R, int C> __device__ void used(float (&t)[R][C]) {
    for (int i = 0; i < R * C; ++i) t[i / C][i % C] = 0;
}
template <int R, int C> __device__ void free_(float (&t)[R][C]) { t[0][threadIdx.x] = 0; }
template <int C> __device__ void said(float (*t)[C + 1]) { t[0][threadIdx.x % C] = 0; }
template <class Tile> __device__ void whole(Tile& t) { t[0][threadIdx.x] = sizeof(Tile); }
__global__ void k1() { __shared__ float a[8][32]; used(a); }
__global__ void k2() { __shared__ float b[8][32]; free_(b); }
__global__ void k3() { __shared__ float c[8][33]; said<32>(c); }
__global__ void k4() { __shared__ float d[8][32]; whole(d); }
__global__ void k5() { __shared__ float e[8][32]; used<8, 32>(e); }
"""
    source = parse(text, "k.cu")
    found = {one.name: one for one in shared_arrays(source)}
    asked = {name for name, one in found.items() if any(use.size for use in one.uses)}
    assert asked == {"a", "d"}
    rows = {name: [source.of(row) for row in one.rows] for name, one in found.items()}
    assert rows["b"] == []
    assert rows["c"] == ["C + 1"]
    assert rows["e"] == ["C"]


def proved(before: str, after: str, pad: int) -> int | Refusal:
    claim = ArrayClaim(0, "s", (), pad, (ArraySize(1024, 4, (8, 32), 4, 0),))
    return prove_text(parse(before, "k.cu"), parse(after, "k.cu"), [claim])


def test_longer_rows_are_longer_in_every_type_that_says_them() -> None:
    text = (
        "template <int C> __device__ void f(float (*t)[C + 1]) { t[1][threadIdx.x] = 0; }\n"
        "__global__ void k(float* o) { __shared__ float s[8][32]; f<31>(s); o[0] = s[0][1]; }\n"
    )
    longer = text.replace("s[8][32]", "s[8][32 + 4]")
    right = longer.replace("C + 1", "C + 1 + 4")
    assert proved(text, right, 4) == 2
    assert isinstance(proved(text, longer, 4), Refusal)
    assert isinstance(proved(text, longer.replace("C + 1", "C + 1 + 8"), 4), Refusal)
    assert isinstance(proved(text, text.replace("C + 1", "C + 1 + 4"), 4), Refusal)


def test_a_deduced_length_that_the_function_goes_on_with_is_no_longer_row() -> None:
    """The loop would clear 36 elements of every row, and another element each time."""
    body = "{ for (int i = threadIdx.x; i < R * C; i += 32) t[i / C][i % C] = 0; }\n"
    kernel = "__global__ void k(float* o) { __shared__ float s[8][32]; f(s); o[0] = s[0][1]; }\n"
    text = f"template <int R, int C> __device__ void f(float (&t)[R][C]) {body}{kernel}"
    assert isinstance(proved(text, text.replace("s[8][32]", "s[8][32 + 4]"), 4), Refusal)


@needs_nvcc
def test_what_a_header_declares_is_named(tmp_path: Path) -> None:
    header = "#pragma once\n" + TRANSPOSE.partition("void run")[0].replace(
        '#include "tile.cuh"\n', FILL
    )
    source = '#include "tile.cuh"\n__global__ void other(float* o) { o[threadIdx.x] = 0; }\n'
    answer, text = written(tmp_path, source, header)
    assert text == source
    none, left = [one["reason"] for one in answer["refusals"]]
    assert none.endswith("in it; tile.cuh declares some, which stay as they are")
    assert left.startswith("tile.cuh: not changed, since ")
    assert "is one file: --write, -o FOLDER/" in left
    more = "__global__ void more(float* o) { __shared__ float t[32]; t[1] = o[0]; o[1] = t[3]; }\n"
    (tmp_path / "more.cuh").write_text(more, "utf-8")
    answer, _ = written(tmp_path, f'#include "more.cuh"\n{source}', header)
    several = answer["refusals"][0]["reason"]
    assert several.endswith("in it; more.cuh, tile.cuh declare some, which stay as they are")


@pytest.mark.skipif(not knows("gfx942"), reason="needs a clang that knows gfx942")
def test_functions_of_headers_are_copied_in_hip_too(tmp_path: Path) -> None:
    (tmp_path / "tile.cuh").write_text(FILL, "utf-8")
    file, out = tmp_path / "kernel.hip", tmp_path / "fixed.hip"
    file.write_text(f"#include <hip/hip_runtime.h>\n{TRANSPOSE}", "utf-8")
    done = bankwise("fix", str(file), "-t", "gfx942", "--format", "json", "-o", str(out))
    assert verdicts(json.loads(done.out))["proof"] == "passed", done.err
    assert "void fill_for_transpose(" in out.read_text("utf-8")
