"""Compilers of tests are asked once: only where all that they read is the same, to the byte."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest

import remembered
from bankwise.read import nvcc, ptxas, toolkit
from bankwise.read.amd import llvm
from bankwise.read.hip import clang

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a script is a program")

COPIES = """\
#!/bin/sh
# Copies its input behind the name of its folder, and notes that it ran.
echo ran >> "$NOTES"
[ "$2" = -o ] || exit 3
[ -n "$FAILS" ] && { echo no; exit 1; }
{ printf '\\177BIN %s\\000' "$(dirname "$1")"; cat "$1"; } > "$3"
echo "made in $(dirname "$1")"
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "copies"
    path.write_text(COPIES, "utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("NOTES", str(tmp_path / "notes"))
    return path


def runs() -> int:
    notes = Path(os.environ["NOTES"])
    return notes.read_text("utf-8").count("ran") if notes.exists() else 0


def ask(program: Path, text: str, *more: str) -> tuple[int, str, bytes]:
    """In a new folder, as of a compilation."""
    with TemporaryDirectory(prefix="bankwise-") as name:
        source, made = Path(name, "k.cu"), Path(name, "k.out")
        source.write_text(text, "utf-8")
        words = [str(program), str(source), "-o", str(made), *more]
        code, said = toolkit.run_program(words, Path(name), "k.cu")
        assert name in said or code
        data = made.read_bytes() if made.exists() else b""
        assert not code, (said, data)
        assert data == b"\x7fBIN " + name.encode() + b"\0" + text.encode()
    return code, said, data


@pytest.mark.parametrize("module", [nvcc, ptxas, clang, llvm], ids=lambda one: one.__name__)
def test_modules_that_were_imported_before_it_ask_it_too(module: ModuleType) -> None:
    """As those that any file of tests imports, which are all read before the first test runs."""
    assert vars(module)["run_program"] is remembered.run_program


def test_the_same_question_is_answered_once_with_the_folder_of_now(program: Path) -> None:
    ask(program, "one")
    ask(program, "one")
    assert runs() == 1
    ask(program, "two")
    ask(program, "one", "-DN=1")
    assert runs() == 3


def test_another_program_or_environment_is_another_question(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(program, "one")
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-DN=2")
    ask(program, "one")
    assert runs() == 2
    program.write_text(f"{COPIES}# newer\n", "utf-8")
    ask(program, "one")
    assert runs() == 3


def test_a_header_that_changes_or_appears_is_another_question(
    program: Path, tmp_path: Path
) -> None:
    text, folder = '#include "a.h"\n', tmp_path / "include"
    folder.mkdir()
    ask(program, text, f"-I{folder}")
    (folder / "a.h").write_text("#include <b.h>\n", "utf-8")
    ask(program, text, f"-I{folder}")
    (folder / "b.h").write_text("1\n", "utf-8")
    ask(program, text, f"-I{folder}")
    (folder / "b.h").write_text("2\n", "utf-8")
    for _ in range(2):
        ask(program, text, "-I", str(folder))
    assert runs() == 4


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What this test remembers is its own."""
    for name in ("_folder", "_passing"):
        monkeypatch.setattr(remembered, name, getattr(remembered, name))


@pytest.mark.usefixtures("alone")
def test_a_later_session_knows_it_with_its_own_folders(program: Path, tmp_path: Path) -> None:
    for session in ("pytest-3/popen-gw0", "pytest-4/popen-gw1"):
        own = tmp_path / session
        remembered.start(own, tmp_path / "known")
        folder = own / "test_of_something"
        folder.mkdir(parents=True)
        (folder / "k.cu").write_text("one", "utf-8")
        words = [str(program), str(folder / "k.cu"), "-o", str(folder / "k.out")]
        assert toolkit.run_program(words, folder, "k.cu") == (0, f"made in {folder}\n")
        assert (folder / "k.out").read_bytes() == b"\x7fBIN %s\0one" % str(folder).encode()
    assert runs() == 1


@pytest.mark.usefixtures("alone")
def test_what_nobody_asked_for_is_forgotten(program: Path, tmp_path: Path) -> None:
    known = tmp_path / "known"
    remembered.start(tmp_path / "tests", known)
    ask(program, "one")
    (made,) = known.iterdir()
    os.utime(made, (0, 0))
    ask(program, "one")
    assert runs() == 1
    assert made.stat().st_mtime > 0
    os.utime(made, (0, 0))
    remembered.start(tmp_path / "tests", known)
    ask(program, "one")
    assert runs() == 2


@pytest.mark.parametrize("text", ["#include NAME\n", "#if __has_include(<x.h>)\n", "t = __TIME__;"])
def test_where_it_is_not_known_what_is_read_a_program_runs(program: Path, text: str) -> None:
    ask(program, text)
    ask(program, text)
    assert runs() == 2


def test_a_refusal_is_not_remembered(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAILS", "1")
    for _ in range(2):
        with pytest.raises(AssertionError, match="no"):
            ask(program, "one")
    monkeypatch.delenv("FAILS")
    ask(program, "one")
    assert runs() == 3


@pytest.mark.compiles
def test_for_a_test_of_compiling_every_program_runs(program: Path) -> None:
    ask(program, "one")
    ask(program, "one")
    assert runs() == 2


CODE = """\
template <int N> __global__ void k(float* o, const float* x) {
  __shared__ float s[N][N];
  s[threadIdx.y][threadIdx.x] = sinf(x[threadIdx.y * N + threadIdx.x]);
  __syncthreads();
  o[threadIdx.y * N + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
void run(float* o, const float* x) { k<32><<<1, dim3(32, 32)>>>(o, x); }
"""
NEWER = f"#include <type_traits>\nstatic_assert(std::is_same_v<int, int>);\n{CODE}"


@pytest.mark.skipif(toolkit.find_program("nvcc") is None, reason="needs nvcc")
def test_with_fewer_headers_nvcc_makes_the_same_bytes_and_newer_sources_as_ever(
    tmp_path: Path,
) -> None:
    source, made = tmp_path / "k.cu", tmp_path / "k.cubin"
    words = [str(toolkit.find_program("nvcc")), "-lineinfo", "-cubin", "-arch=sm_90", str(source)]
    words += ["-o", str(made)]
    fewer = remembered._fewer_headers(words)
    assert fewer[1] == "-std=c++14"
    source.write_text(CODE, "utf-8")
    found = []
    for one in (words, fewer):
        assert remembered._run_program(one, tmp_path, "k.cu")[0] == 0
        found.append(made.read_bytes())
    assert found[0] == found[1]
    source.write_text(NEWER, "utf-8")
    assert remembered._run_program(fewer, tmp_path, "k.cu")[0] != 0
    assert toolkit.run_program(words, tmp_path, "k.cu")[0] == 0
    assert not remembered._fewer_headers([*words, "-std=c++17"])
    assert not remembered._fewer_headers([str(tmp_path / "nvcc"), *words[1:]])
