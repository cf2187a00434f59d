"""``bankwise fix kernel.cu`` where kernels and their arrays stand in the project's own headers."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from bankwise.read.cxx.joined import joined_text
from bankwise.read.line_marks import line_places
from bankwise.read.project_files import includers, is_own
from command import bankwise
from cuda_fixes import compilations
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
def test_files_that_change_are_compiled_once_to_be_compared(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the text that was judged became lies in its machine code."""
    ran = compilations(monkeypatch)
    assert answer(fix("src/run.cu", "--format", "json"))["accepted"]
    code, ptx = ([text for made, text in ran if made == suffix] for suffix in (".cubin", ".ptx"))
    assert sum('#include "kernels/transpose.cuh"' in text for text in ptx) == 1
    assert not {*code} & {*ptx}


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
    told = bankwise("check", "src/run.cu", "-t", "sm_80", "--", "-Isrc")
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
