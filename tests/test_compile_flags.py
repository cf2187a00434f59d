"""How a source is compiled is the user's word: flags behind ``--``, and compile_commands.json."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path

import pytest
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.read.compile_flags import build_command, compilation_of
from bankwise.read.options import Options, command
from bankwise.read.toolkit import find_program
from command import bankwise

pytestmark = pytest.mark.compiles

real = pytest.mark.skipif(
    find_program("nvcc") is None or find_program("nvdisasm") is None,
    reason="needs nvcc and nvdisasm",
)

CUDA_SOURCE = Path(__file__).parent / "data" / "cuda_fix" / "gemm_float4.cu"
TRANSPOSE = """\
#include "width.h"
__global__ void transpose(float* out, const float* in) {
  __shared__ float tile[WIDTH][PITCH];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void go(float* out, const float* in) { transpose<<<1, dim3(32, 32)>>>(out, in); }
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in (("src/k.cu", TRANSPOSE), ("inc/width.h", "#define WIDTH 32\n")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def database(project: Path, **entry: object) -> Path:
    (project / "build").mkdir(exist_ok=True)
    path = project / "build" / "compile_commands.json"
    whole = {"directory": str(project / "build"), "file": "../src/k.cu", **entry}
    path.write_text(json.dumps([{"directory": "/", "file": "other.cu"}, whole]), "utf-8")
    return path


def answered(*words: str) -> tuple[int, str]:
    ended = bankwise(*words)
    return ended.code, ended.out + ended.err


@real
def test_flags_behind_two_dashes_go_to_the_compiler(project: Path) -> None:
    code, text = answered("check", "src/k.cu", "--", "-I", "inc", "-DPITCH=32", "-std=c++17")
    assert code == 1
    assert "-I inc -DPITCH=32 -std=c++17" in text.replace("\n", " ")
    code, text = answered("check", "src/k.cu", "--", "-Iinc", "-DPITCH=33", "-arch=sm_90")
    assert code == 0
    assert "on sm_90" in text


@real
def test_a_build_says_how_its_sources_are_compiled(project: Path) -> None:
    command = "/opt/bin/nvcc -DPITCH=32 --options-file r.rsp -gencode arch=compute_90,code=[sm_90]"
    database(project, command=f"{command} -Xcompiler=-fPIC -x cu -c ../src/k.cu -o k.o")
    (project / "build" / "r.rsp").write_text("-I../inc --no-such-flag", "utf-8")
    code, text = answered("check", "src/k.cu")
    assert code == 1
    assert "on sm_90" in text
    assert "build/compile_commands.json" in text
    code, text = answered("check", "src/k.cu", "--", "-UPITCH", "-DPITCH=33")
    assert code == 0, "what the user types stands behind what his build says"
    code, text = answered("fix", "src/k.cu", "-o", "-", "--accept-sampled")
    assert code == 0
    assert "[PITCH + 1]" in text


@real
def test_instructions_of_one_gpu_alone_are_compiled_for_it(project: Path) -> None:
    """wgmma is no instruction of sm_90: its architecture is called sm_90a."""
    kernel = '__global__ void k() { asm volatile("wgmma.fence.sync.aligned;"); }\n'
    (project / "src" / "w.cu").write_text(kernel, "utf-8")
    code, text = answered("check", "src/w.cu", "-t", "sm_90")
    assert code == 2
    assert "--target sm_90a" in text
    for named in ("--target", "--default-target"):
        code, text = answered("check", "src/w.cu", named, "sm_90a")
        assert code == 0
        assert "-arch=sm_90a" in text
    for flags in (["-arch=sm_90a"], ["-gencode", "arch=compute_90a,code=sm_90a"]):
        code, text = answered("check", "src/w.cu", "-t", "H100", "--", *flags)
        assert code == 0
        assert "-arch=sm_90a" in text
    database(project, file="../src/w.cu", command="nvcc -arch=sm_90a -c ../src/w.cu")
    assert answered("check", "src/w.cu")[0] == 0
    assert answered("check", "src/w.cu", "-t", "sm_80")[0] == 2


def test_what_compilers_call_a_gpu_goes_on_to_the_next_command() -> None:
    """A machine has one name; sm_90a and the family sm_100f are more than it says."""
    said = Options(target="sm_90a")
    assert (said.target, said.exact, said.named) == ("sm_90", "sm_90a", "sm_90a")
    assert "--target sm_90a" in command("fix", "k.cu", said)
    assert Options(target="sm_100f").named == "sm_100f"
    for name in ("H100", "sm_90", "MI300X", ""):
        assert not Options(target=name).exact
    # Said twice it is one GPU, and what compilers call it is not lost.
    for words in (["-t", "sm_90", "-t", "sm_90a"], ["-t", "sm_90a", "-t", "H100"]):
        ended = bankwise("fix", CUDA_SOURCE, *words, "--", "-c")
        assert "the flag -c is not the user's here" in ended.err, "it is asked about one GPU"
        assert "a second --target" not in ended.err
    # Of another GPU that is asked about later nothing of it holds.
    assert replace(said, target="sm_80").named == "sm_80"


@real
def test_relocatable_code_is_read_too(project: Path) -> None:
    database(project, command="nvcc -I../inc -DPITCH=32 -dc ../src/k.cu -o k.o")
    code, text = answered("check", "src/k.cu")
    assert code == 1
    assert "-rdc=true" in text
    (project / "src" / "device.cu").write_text("__device__ int one() { return 1; }\n", "utf-8")
    code, text = answered("check", "src/device.cu", "--", "-rdc=true")
    assert code == 2
    assert "no kernel" in text


def test_of_a_clang_command_the_flags_of_every_compiler_are_kept(project: Path) -> None:
    words = ["clang++", "-x", "cuda", "--cuda-gpu-arch=sm_80", "-fcolor-diagnostics", "-DA=1"]
    words += ["-isystem", "../inc", "-std=c++20", "-G", "-Iinner", "-c", "../src/k.cu"]
    path = database(project, arguments=words)
    found = build_command(path, project / "src" / "k.cu")
    assert found is not None
    assert found.target == "sm_80"
    folders = ["inc", "-Ibuild/inner"]
    assert list(found.flags) == ["-DA=1", "-isystem", folders[0], "-std=c++20", folders[1]]


def test_a_named_database_without_the_file_is_an_error_and_a_near_one_says_nothing(
    project: Path,
) -> None:
    path = database(project, file="elsewhere.cu", command="nvcc -DN=1")
    with pytest.raises(InputError, match="no command for"):
        compilation_of(Path("src/k.cu"), Options(compile_commands=str(path.parent)))
    assert compilation_of(Path("src/k.cu"), Options())[0].flags == ()


def test_a_broken_database_is_told_and_does_not_hide_the_file(project: Path) -> None:
    database(project).write_text('[{"file": 3}]', "utf-8")
    what, notes = compilation_of(Path("src/k.cu"), Options())
    assert what.flags == ()
    assert "not a list of commands" in notes[0]


@pytest.mark.parametrize(
    ("flags", "says"),
    [(("-o", "x"), "-o"), (("-arch=sm_20",), "sm_20")],
)
def test_flags_that_change_the_question_are_refused(flags: tuple[str, ...], says: str) -> None:
    with pytest.raises(InputError, match=says):
        compilation_of(Path("k.cu"), Options(flags=flags))


def test_a_second_file_is_no_flag(project: Path) -> None:
    code, error = answered("check", "src/k.cu", "other.cu")
    assert code == 2
    assert "other.cu" in error


def test_a_response_file_that_names_itself_ends(project: Path) -> None:
    path = database(project, command="nvcc @r.rsp")
    (project / "build" / "r.rsp").write_text("@r.rsp", "utf-8")
    with pytest.raises(InputError, match="names itself"):
        build_command(path, project / "src" / "k.cu")


def test_whatever_a_database_holds_it_is_read_or_refused(project: Path) -> None:
    path = database(project, command="nvcc -DPITCH=32 -I ../inc -gencode arch=compute_90 @r")
    (project / "build" / "r").write_text("-std c++17 'open", "utf-8")
    good, chance = path.read_bytes(), random.Random(7)
    for _ in range(300):
        bad = bytearray(good)
        for _ in range(chance.randrange(1, 6)):
            at = chance.randrange(len(bad))
            bad[at : at + chance.randrange(3)] = bytes([chance.choice(b'"\\[]{}:,-@=\0\xff9a')])
        path.write_bytes(bytes(bad))
        with suppress(InputError):
            build_command(path, project / "src" / "k.cu")
