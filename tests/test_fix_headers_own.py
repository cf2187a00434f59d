"""``bankwise fix kernel.cu`` where kernels and their arrays stand in the project's own headers."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.joined import joined_text
from bankwise.read.cxx.tree import parse
from bankwise.read.hip.clang import knows
from bankwise.read.line_marks import line_places
from bankwise.read.project_files import includers, is_own
from bankwise.read.toolkit import find_program
from command import Ended, bankwise

needs_nvcc = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

TRANSPOSE = """#pragma once

// The transpose of a matrix, tile by tile.
template <int TILE>
__global__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[TILE][TILE];
    for (int i = threadIdx.y; i < TILE; i += blockDim.y)
        tile[i][threadIdx.x] = in[(blockIdx.y * TILE + i) * n + blockIdx.x * TILE + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < TILE; i += blockDim.y)
        out[(blockIdx.x * TILE + i) * n + blockIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][i];
}
"""

COLUMNS = """#ifndef COLUMNS_CUH
#define COLUMNS_CUH
#include "../util/zero.cuh"
__global__ void columns(const float* in, float* out) {
    __shared__ float tile[32][32];
    for (int i = threadIdx.x; i < 1024; i += 32) tile[i / 32][i % 32] = in[i];
    __syncthreads();
    float sum = zero();
    for (int i = 0; i < 32; ++i) sum += tile[threadIdx.x][i];
    out[threadIdx.x] = sum;
}
#endif"""

RUN = """#include "kernels/transpose.cuh"
#include <kernels/columns.cuh>
#include "kernels/transpose.cuh"
void run(const float* a, float* b) {
    transpose<32><<<dim3(4, 4), dim3(32, 8)>>>(a, b, 128);
    transpose<16><<<dim3(8, 8), dim3(16, 16)>>>(a, b, 128);
    columns<<<1, 32>>>(a, b);
}
"""

ZERO = '#pragma once\n#include "empty.h"\n__device__ inline float zero() { return 0.f; }\n'

OTHER = """#include "kernels/transpose.cuh"
void more(const float* a, float* b) { transpose<8><<<dim3(2, 2), dim3(8, 8)>>>(a, b, 16); }
"""

PROJECT = {
    "src/run.cu": RUN,
    "src/kernels/transpose.cuh": TRANSPOSE,
    "src/kernels/columns.cuh": COLUMNS,
    "src/util/zero.cuh": ZERO,
    "src/util/empty.h": "",
}


def put(folder: Path, files: dict[str, str]) -> None:
    (folder / ".git").mkdir(exist_ok=True)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def fix(file: str, *options: str, flags: tuple[str, ...] = ("-Isrc",)) -> Ended:
    return bankwise("fix", file, "-t", "sm_90", *options, "--", *flags)


def answer(done: Ended) -> dict[str, Any]:
    return json.loads(done.out)


def verdicts(found: dict[str, Any]) -> dict[str, str]:
    return {one["judge"]: one["status"] for one in found["verdicts"]}


def extra(file: str) -> dict[str, int]:
    told = json.loads(bankwise("check", file, "-t", "sm_90", "--format", "json", "--", "-Isrc").out)
    return {one["name"]: one["totals"]["run"]["extra"] for one in told["kernels"]}


PASSED = {"proof": "passed", "execution": "passed", "isa": "passed"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    put(tmp_path, PROJECT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@needs_nvcc
def test_kernels_in_two_headers_are_changed_there(project: Path) -> None:
    put(project, {"src/other.cu": OTHER})
    assert sum(extra("src/run.cu").values()) > 0
    done = fix("src/run.cu", "--format", "json")
    found = answer(done)
    assert verdicts(found) == PASSED
    assert found["accepted"]
    # Nobody wrote anything, and JSON has each file whole.
    assert (project / "src/kernels/transpose.cuh").read_text() == TRANSPOSE
    texts = {one["path"]: one["text"] for one in found["texts"]}
    assert texts.keys() == {"src/kernels/transpose.cuh", "src/kernels/columns.cuh"}
    assert "__shared__ float tile[TILE][TILE + 1];" in texts["src/kernels/transpose.cuh"]
    # Another file that includes one of them is named; one that includes none is not.
    assert any("src/other.cu, not compiled here" in note for note in found["notes"])
    # The patch is of all files, and what it makes is what was promised.
    patch = found["patch"]
    assert patch.count("\n+++ b/") == 2
    subprocess.run(["patch", "-p1"], input=patch, text=True, check=True, cwd=project)
    assert {p: (project / p).read_text() for p in texts} == texts
    promised = {one["name"]: one["totals"]["run"]["extra"] for one in found["after"]["kernels"]}
    assert extra("src/run.cu") == promised
    # 32 columns of 32 words: a column lay in one bank, and 31 of its words waited.
    (whole,) = (n for name, n in promised.items() if "transposeILi32" in name)
    assert whole == 0
    assert (project / "src/run.cu").read_text() == RUN


@needs_nvcc
def test_every_instance_of_a_template_in_a_header_is_counted(project: Path) -> None:
    """Also where one kernel alone is asked about."""
    found = answer(fix("src/run.cu", "--kernel", "*transpose*32*", "--format", "json"))
    kernels = {one["demangled"] for one in found["after"]["kernels"]}
    assert any("transpose<16>" in name for name in kernels)
    assert any("transpose<32>" in name for name in kernels)
    assert [one["path"] for one in found["texts"]] == ["src/kernels/transpose.cuh"]


@needs_nvcc
@pytest.mark.parametrize("way", ["--write", "folder", "patch", "stdout"])
def test_all_files_are_written_where_it_is_said(project: Path, way: str) -> None:
    options = {"--write": ["--write"], "folder": ["-o", "out/"], "patch": ["-o", "x.patch"]}
    done = fix("src/run.cu", *options.get(way, []))
    # 16 columns of 17 words still conflict in pairs; nothing else does.
    assert done.code == 1
    where = project / "out" if way == "folder" else project
    if way == "patch":
        subprocess.run(["patch", "-p1", "-i", "x.patch"], check=True, cwd=project)
    elif way == "stdout":
        subprocess.run(["patch", "-p1"], input=done.out, text=True, check=True, cwd=project)
    for name in ("transpose", "columns"):
        before = PROJECT[f"src/kernels/{name}.cuh"]
        after = (where / f"src/kernels/{name}.cuh").read_text()
        assert after != before
        assert after.endswith(before[-20:])
    assert not (where / "src/util").exists() or way != "folder"


@needs_nvcc
def test_one_file_has_no_place_for_headers(project: Path) -> None:
    done = fix("src/run.cu", "-o", "fixed.cu")
    assert done.code == 1
    assert not (project / "fixed.cu").exists()
    told = " ".join(done.err.split())
    assert "transpose.cuh, columns.cuh" in told
    assert "fixed.cu is one file: --write, -o FOLDER/ and -o FILE.patch" in told


@needs_nvcc
def test_types_are_put_into_the_source_alone(project: Path) -> None:
    done = fix("src/run.cu", "--accessor", "--write")
    assert done.code == 1
    assert "columns.cuh: not changed, since --accessor puts its types" in " ".join(done.err.split())
    assert (project / "src/kernels/columns.cuh").read_text() == COLUMNS


@needs_nvcc
@pytest.mark.parametrize("place", ["../other", "third_party", "system"])
def test_headers_of_others_are_left_alone(project: Path, place: str) -> None:
    folder = project.parent / "other" if place == "../other" else project / place
    folder.mkdir(exist_ok=True)
    (folder / "foreign.cuh").write_text(TRANSPOSE, "utf-8")
    run = '#include "foreign.cuh"\n' + RUN.partition("#include <")[0].partition("\n")[2]
    run += "void run(const float* a, float* b) { transpose<32><<<1, dim3(32, 8)>>>(a, b, 32); }\n"
    put(project, {"src/run.cu": run})
    flag = ("-isystem", str(folder)) if place == "system" else (f"-I{folder}",)
    done = fix("src/run.cu", "--write", flags=flag)
    assert done.code == 1
    assert (folder / "foreign.cuh").read_text() == TRANSPOSE
    assert (project / "src/run.cu").read_text() == run
    if place != "system":
        assert "only headers of a source's own project are" in " ".join(done.err.split())


@needs_nvcc
def test_a_wrong_text_in_a_header_is_told_at_its_place(project: Path) -> None:
    put(project, {"src/kernels/columns.cuh": COLUMNS.replace("sum = zero()", "sum = nil()")})
    done = fix("src/run.cu", "--write")
    assert done.code == 2
    assert "src/kernels/columns.cuh:8" in done.err
    assert "Traceback" not in done.err
    assert (project / "src/kernels/transpose.cuh").read_text() == TRANSPOSE


SHARED = """#pragma once
__device__ void put(float (&to)[32][32], int row, int column, float value) {
    to[row][column] = value;
}
__global__ void columns(const float* in, float* out) {
    __shared__ float tile[32][32];
    for (int i = threadIdx.x; i < 1024; i += 32) put(tile, i / 32, i % 32, in[i]);
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 32; ++i) sum += tile[threadIdx.x][i];
    out[threadIdx.x] = sum;
}
"""
USER = """#include "shared.cuh"
__global__ void mine(float* out) {
    __shared__ float own[32][32];
    put(own, threadIdx.x, 0, 1.f);
    out[threadIdx.x] = own[threadIdx.x][0];
}
"""


@needs_nvcc
def test_what_another_file_calls_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its arrays have the layout that they had."""
    run = (
        '#include "shared.cuh"\nvoid run(const float* a, float* b) { columns<<<1, 32>>>(a, b); }\n'
    )
    put(tmp_path, {"run.cu": run, "shared.cuh": SHARED})
    monkeypatch.chdir(tmp_path)
    free = answer(fix("run.cu", "--format", "json", flags=()))
    assert verdicts(free) == PASSED
    assert [one["path"] for one in free["texts"]] == ["shared.cuh"]
    # A file that does not include the header means something else.
    put(tmp_path, {"user.cu": USER.replace("shared.cuh", "another.cuh")})
    assert answer(fix("run.cu", "--format", "json", flags=()))["accepted"]
    put(tmp_path, {"user.cu": USER})
    held = answer(fix("run.cu", "--format", "json", flags=()))
    assert not held["accepted"]
    assert held["patch"] == ""
    assert any("put of shared.cuh" in one["reason"] for one in held["refusals"])


@needs_nvcc
def test_check_promises_what_fix_writes(project: Path) -> None:
    told = bankwise("check", "src/run.cu", "-t", "sm_90", "--", "-Isrc")
    assert "tile: rows of TILE become TILE + 1" in told.out
    assert "bankwise fix" in told.out


def test_a_joined_text_is_taken_apart_to_the_letter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Headers without a last newline, with other ends of lines, included twice, in comments."""
    files = {
        "run.cu": '#include "a.cuh" // first\n/* #include "b.cuh" */\n#include "b.cuh"\nint last;',
        "a.cuh": '#pragma once\r\n#include "sub/c.cuh"\r\n__shared__ int a;\r\n',
        "b.cuh": '#pragma once\n#include "a.cuh"\n#include "plain.cuh"\n__shared__ int b;',
        "sub/c.cuh": '#pragma once\n#include "d.h"\n__shared__ int c;',
        "sub/d.h": "int d;\n",
        "plain.cuh": "int plain;\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode())
    monkeypatch.chdir(tmp_path)
    found = joined_text(files["run.cu"], Path("run.cu"), (), lambda _: True)
    assert found is not None
    assert list(map(str, found.headers)) == ["a.cuh", "sub/c.cuh", "b.cuh"]
    apart = {str(path): text for path, text in found.apart(found.text).items()}
    assert apart == {name: files[name] for name in ("run.cu", "a.cuh", "sub/c.cuh", "b.cuh")}
    # What stays a header is found from anywhere.
    assert f'#include "{tmp_path.resolve()}/sub/d.h"\n' in found.text
    places = line_places(found.text, "run.cu")
    lines = found.text.split("\n")
    told = {str(places[n]) for n, line in enumerate(lines) if line.startswith("__shared__")}
    assert told == {"a.cuh:3", "sub/c.cuh:3", "b.cuh:4"}
    assert str(places[lines.index("int last;")]) == "run.cu:4"
    # An edit is found in its file alone.
    edited = found.apart(found.text.replace("__shared__ int b;", "__shared__ int b[2];\nint e;"))
    assert edited[Path("b.cuh")] == files["b.cuh"].replace("int b;", "int b[2];\nint e;")
    assert edited[Path("a.cuh")] == files["a.cuh"]


def test_a_header_that_is_read_each_time_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "x.inc").write_text("__shared__ int NAME;\n", "utf-8")
    text = '#define NAME a\n#include "x.inc"\n#undef NAME\n#define NAME b\n#include "x.inc"\n'
    assert joined_text(text, tmp_path / "k.cu", (), lambda _: True) is None
    once = joined_text('#define NAME a\n#include "x.inc"\n', tmp_path / "k.cu", (), lambda _: True)
    assert once is not None


def test_whose_a_header_is(tmp_path: Path) -> None:
    source = tmp_path / "repo/src/deep/k.cu"
    source.parent.mkdir(parents=True)
    # Without a repository: the folder above that of the source, and what is below.
    assert is_own(tmp_path / "repo/src/x.cuh", source)
    assert not is_own(tmp_path / "repo/x.cuh", source)
    (tmp_path / "repo/.git").mkdir()
    assert is_own(tmp_path / "repo/include/x.cuh", source)
    assert not is_own(tmp_path / "x.cuh", source)
    assert not is_own(tmp_path / "repo/third_party/x.cuh", source)
    (tmp_path / "repo/module").mkdir()
    (tmp_path / "repo/module/.git").write_text("gitdir: ..", "utf-8")
    assert not is_own(tmp_path / "repo/module/x.cuh", source)


def test_who_includes_a_header_is_found_by_its_name_and_through_others() -> None:
    texts = {
        Path("/p/a.cu"): '#include "all.cuh"\n',
        Path("/p/all.cuh"): '#include "k/x.cuh"\n',
        Path("/p/b.cu"): "#include <k/x.cuh>\n",
        Path("/p/q/c.cu"): '#include "../k/x.cuh"\n',
        Path("/p/d.cu"): '#include "k/y.cuh"\n#include "x.cuhx"\n',
    }
    found = includers([Path("/p/k/x.cuh")], texts)
    assert {os.path.basename(one) for one in found} == {"a.cu", "all.cuh", "b.cu", "c.cu"}


SPACES = """
namespace a { __device__ void put(float* to, int at) { to[at * 2] = 1; } }
namespace b {
__device__ void put(float* to, int at) { to[at * 4] = 1; }
namespace inner { __global__ void k2() { __shared__ float s2[64]; put(s2, threadIdx.x); } }
}
namespace { __device__ void put(float* to, int at) { to[at] = 1; } }
__global__ void k0() { __shared__ float s0[64]; put(s0, threadIdx.x); }
__global__ void k1() { __shared__ float s1[64]; a::put(s1, threadIdx.x); }
namespace c { __global__ void k3() { __shared__ float s3[64]; ::b::put(s3, threadIdx.x); } }
"""


def followed(text: str) -> dict[str, list[str]]:
    """The indices with which arrays are used, in whatever function."""
    source = parse(text, "k.cu")
    return {
        one.name: [source.of(index) for use in one.uses for index in use.indices]
        for one in shared_arrays(source)
        if not one.refusals
    }


def test_functions_of_one_name_in_several_namespaces_are_told_apart() -> None:
    """As in several headers."""
    found = followed(SPACES)
    assert found == {"s2": ["at * 4"], "s0": ["at"], "s1": ["at * 2"], "s3": ["at * 4"]}


@pytest.mark.parametrize(
    "more",
    [
        "using namespace a;\n",
        "using a::put;\n",
        "namespace a { __device__ void put(float* to, float at) { to[0] = at; } }\n",
        "inline namespace d { __device__ void put(float* to, int at) { to[at * 8] = 1; } }\n",
        "struct S { __device__ void put(float* to, int at) { to[at * 8] = 1; } };\n",
    ],
)
def test_which_function_is_meant_is_not_guessed(more: str) -> None:
    assert "s0" not in followed(more + SPACES)


@needs_nvcc
def test_headers_with_functions_of_one_name_are_changed_each_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = SHARED.partition("__global__")[0].partition("\n")[2]
    kernel = SHARED[SHARED.index("__global__") :]
    named = f"#pragma once\nnamespace one {{\n{inside}}}\n{kernel}".replace(
        "put(tile", "one::put(tile"
    )
    other = f"#pragma once\nnamespace {{\n{inside}}}\n{kernel}".replace("columns(", "others(")
    run = (
        '#include "one.cuh"\n#include "two.cuh"\nvoid run(const float* a, float* b) {\n'
        "    columns<<<1, 32>>>(a, b);\n    others<<<1, 32>>>(a, b);\n}\n"
    )
    put(tmp_path, {"run.cu": run, "one.cuh": named, "two.cuh": other})
    monkeypatch.chdir(tmp_path)
    found = answer(fix("run.cu", "--format", "json", flags=()))
    assert verdicts(found) == PASSED
    assert {one["path"] for one in found["texts"]} == {"one.cuh", "two.cuh"}
    assert all(one["totals"]["run"]["extra"] == 0 for one in found["after"]["kernels"])


CONSTANT = TRANSPOSE.replace("#pragma once\n", "#pragma once\nconstexpr int PAD = 0;\n").replace(
    "[TILE][TILE]", "[TILE][TILE + PAD]"
)


@needs_nvcc
@pytest.mark.parametrize("other", ["", "int bytes() { return 32 * (32 + PAD) * 4; }\n"])
def test_a_constant_of_a_header_is_another_one_if_nobody_else_says_it(
    project: Path, other: str
) -> None:
    """In a file that is not compiled here it may say how much memory there is."""
    put(project, {"src/kernels/transpose.cuh": CONSTANT})
    put(project, {"src/other.cu": OTHER + other})
    found = answer(fix("src/run.cu", "--format", "json"))
    assert verdicts(found) == PASSED
    texts = {one["path"]: one["text"] for one in found["texts"]}
    text = texts["src/kernels/transpose.cuh"]
    assert ("constexpr int PAD = 0;" in text) == bool(other)
    assert ("constexpr int PAD = 1;" in text) == (not other)
    assert ("tile[TILE][TILE + PAD];" in text) == (not other)


@needs_nvcc
def test_a_header_that_nothing_instantiates_names_who_includes_it(project: Path) -> None:
    put(project, {"src/all.cuh": '#include "kernels/transpose.cuh"\n'})
    put(project, {"src/run.cu": RUN.replace("kernels/transpose.cuh", "all.cuh", 1)})
    done = fix("src/kernels/transpose.cuh")
    assert done.code == 2
    assert "src/run.cu includes this file: `bankwise fix src/run.cu`" in " ".join(done.err.split())


@needs_nvcc
def test_hints_name_the_command_of_the_user(project: Path) -> None:
    put(project, {"include/deep/sizes.h": "#define N 4\n"})
    put(project, {"src/run.cu": f'#include "deep/sizes.h"\n{RUN}'})
    for verb in ("fix", "check"):
        done = bankwise(verb, "src/run.cu", "-t", "sm_90", "--", "-Isrc")
        assert done.code == 2
        assert f"`bankwise {verb} FILE -- -Iinclude`" in " ".join(done.err.split())


@needs_nvcc
def test_a_header_as_the_file_says_who_includes_it(project: Path) -> None:
    """Its own kernel is compiled; a function that another file names is not changed in it."""
    put(project, {"shared.cuh": SHARED, "use.cu": '#include "shared.cuh"\nint nothing;\n'})
    launch = "void run(const float* a, float* b) { columns<<<1, 32>>>(a, b); }\n"
    put(project, {"shared.cuh": SHARED + launch})
    free = answer(fix("shared.cuh", "--format", "json"))
    assert free["accepted"]
    assert any("use.cu, not compiled here" in note for note in free["notes"])
    put(project, {"user.cu": USER})
    held = answer(fix("shared.cuh", "--format", "json"))
    assert not held["accepted"]
    assert any("user.cu names" in one["detail"] for one in held["verdicts"])


@pytest.mark.skipif(not knows("gfx942"), reason="needs a clang that knows gfx942")
def test_hip_headers_are_changed_too(project: Path) -> None:
    header = TRANSPOSE.replace("once\n", "once\n#include <hip/hip_runtime.h>\n", 1)
    run = RUN.replace("#include <kernels/columns.cuh>\n", "").replace(
        "    columns", "    // columns"
    )
    put(project, {"src/kernels/transpose.cuh": header, "src/run.hip": run})
    done = bankwise("fix", "src/run.hip", "-t", "gfx942", "--format", "json")
    found = answer(done)
    assert verdicts(found) == PASSED
    assert [one["path"] for one in found["texts"]] == ["src/kernels/transpose.cuh"]


@needs_nvcc
def test_kernels_that_stay_the_same_code_are_not_executed(project: Path) -> None:
    """What cannot be executed here is no matter where nothing of it changes."""
    barrier = """#pragma once
__global__ void waits(long* out) {
    __shared__ unsigned long long bar;
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at) : "memory");
    *out = bar;
}
"""
    run = RUN.replace("void run(", '#include "waits.cuh"\nvoid run(')
    run = run.replace("    columns<", "    waits<<<1, 32>>>(nullptr);\n    columns<")
    put(project, {"src/waits.cuh": barrier, "src/run.cu": run})
    found = answer(fix("src/run.cu", "--format", "json"))
    assert verdicts(found) == PASSED
    names = {one["demangled"].partition("(")[0] for one in found["after"]["kernels"]}
    assert "waits" in names


@needs_nvcc
def test_arrays_of_the_source_beside_such_headers_are_changed_in_it(project: Path) -> None:
    own = COLUMNS.partition('zero.cuh"\n')[2].partition("#endif")[0].replace("columns(", "mine(")
    run = RUN.replace("void run(", f"{own}void run(").replace(
        "    columns<", "    mine<<<1, 32>>>(a, b);\n    columns<"
    )
    put(project, {"src/run.cu": run})
    found = answer(fix("src/run.cu", "--kernel", "*mine*", "--format", "json"))
    assert verdicts(found) == PASSED
    # It alone changes, so there are no several texts, and its lines are told by their number.
    assert "texts" not in found
    assert found["patch"].startswith("--- a/src/run.cu\n+++ b/src/run.cu\n")
    subprocess.run(["patch", "-p1"], input=found["patch"], text=True, check=True, cwd=project)
    (mine,) = (n for name, n in extra("src/run.cu").items() if "mine" in name)
    assert mine == 0
    assert extra("src/run.cu") != {}
    both = fix("src/run.cu", "-o", "out/")
    assert both.code in (1, 3)
    assert sorted(p.name for p in (project / "out").rglob("*.cu*")) == [
        "columns.cuh",
        "transpose.cuh",
    ]


@needs_nvcc
def test_a_header_that_is_another_program_in_the_text_is_left_alone(project: Path) -> None:
    """As the preprocessor tells it that it is included."""
    text = TRANSPOSE.replace(
        "    __syncthreads();", "    out[n] = __INCLUDE_LEVEL__;\n    __syncthreads();"
    )
    put(project, {"src/kernels/transpose.cuh": text})
    done = fix("src/run.cu", "--write")
    assert done.code == 1
    told = " ".join(done.err.split())
    assert "the compiler makes other code of the source with them in it" in told
    assert (project / "src/kernels/transpose.cuh").read_text() == text
    assert (project / "src/kernels/columns.cuh").read_text() == COLUMNS
