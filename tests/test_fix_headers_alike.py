"""Headers of a project with functions of one name, constants of others, and more that is left."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.tree import parse
from bankwise.read.hip.clang import knows
from command import bankwise
from header_project import (
    COLUMNS,
    OTHER,
    PASSED,
    PROJECT,
    RUN,
    SHARED,
    TRANSPOSE,
    USER,
    answer,
    extra,
    fix,
    needs_nvcc,
    put,
    verdicts,
)

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


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    put(tmp_path, PROJECT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


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
        done = bankwise(verb, "src/run.cu", "-t", "sm_80", "--", "-Isrc")
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


@needs_nvcc
def test_what_another_file_needs_leaves_the_other_arrays_to_be_changed(project: Path) -> None:
    mine = SHARED.replace("columns", "sums")
    put(project, {"src/shared.cuh": mine, "src/user.cu": USER})
    both = '#include "shared.cuh"\n' + PROJECT["src/run.cu"]
    both += "void more(const float* a, float* b) { sums<<<1, 32>>>(a, b); }\n"
    put(project, {"src/run.cu": both})
    found = answer(fix("src/run.cu", "--format", "json"))
    assert found["accepted"]
    paths = [one["path"] for one in found["texts"]]
    assert "src/shared.cuh" not in paths
    assert "src/kernels/transpose.cuh" in paths
    assert any("put of src/shared.cuh" in one["reason"] for one in found["refusals"])
