"""``check kernel.ptx --isa``: what ptxas makes of PTX, at the lines of the PTX."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bankwise.ask.check_ptx import NOTE
from bankwise.read import toolkit
from bankwise.read.ptxas import with_lines
from bankwise.read.toolkit import find_program
from command import bankwise
from isa_texts import ptx_text

pytestmark = pytest.mark.compiles

real = pytest.mark.skipif(
    find_program("ptxas") is None or find_program("nvdisasm") is None,
    reason="needs ptxas and nvdisasm",
)

JOINED = """\
    shl.b32 %r2, %r1, 4;
    mov.u32 %r3, tile;
    add.s32 %r4, %r3, %r2;
    ld.shared.b32 %r5, [%r4];
    ld.shared.b32 %r6, [%r4+4];
    ld.shared.b32 %r7, [%r4+8];
    ld.shared.b32 %r8, [%r4+12];
    add.s32 %r9, %r5, %r6;
    add.s32 %r10, %r7, %r8;
    add.s32 %r11, %r9, %r10;
    ld.param.u64 %rd1, [k_param_0];
    st.global.b32 [%rd1], %r11;"""
"""Four loads of 4 bytes 16 bytes apart, 4-way each: 16 passes. One of 16 bytes takes 4."""


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "k.ptx"
    path.write_text(ptx_text(JOINED))
    return path


def test_the_answer_about_ptx_says_that_it_is_not_the_last_word(kernel: Path) -> None:
    ended = bankwise("check", kernel, "--format", "json")
    assert NOTE in json.loads(ended.out)["notes"]
    assert sum(a["run"]["passes"] for a in json.loads(ended.out)["accesses"]) == 16


@real
def test_what_ptxas_joins_is_counted_as_one_at_its_line(kernel: Path) -> None:
    ended = bankwise("check", kernel, "--isa", "--format", "json")
    document = json.loads(ended.out)
    (access,) = document["accesses"]
    assert (access["run"]["passes"], access["run"]["extra"]) == (4, 0)
    lines = kernel.read_text().split("\n")
    assert "ld.shared" in lines[access["location"]["line"] - 1]
    (one,) = document["kernels"]
    assert one["compiled"]["compiler"].startswith("ptxas ")
    assert one["compiled"]["source"]["followed"] == 16 - 4
    assert NOTE not in document["notes"]
    assert ended.code == 0


@real
def test_arguments_are_named_as_in_the_ptx(tmp_path: Path) -> None:
    body = """    ld.param.u32 %r2, [k_param_1];
    mul.lo.u32 %r3, %r1, %r2;
    mov.u32 %r4, tile;
    add.s32 %r5, %r4, %r3;
    st.shared.b32 [%r5], %r1;"""
    path = tmp_path / "k.ptx"
    path.write_text(ptx_text(body))
    arguments = ("--arg", "k_param_1=128", "--format", "json")
    for more in ((), ("--isa",)):
        document = json.loads(bankwise("check", path, *arguments, *more).out)
        (access,) = document["accesses"]
        assert access["run"]["passes"] == 32, more


@real
def test_what_ptxas_refuses_is_told_at_its_line(tmp_path: Path) -> None:
    text = ptx_text("    shl.b32 %r2, %r1, 4;\n    add.s32 %r3, %r99999, 1;")
    path = tmp_path / "k.ptx"
    path.write_text(text)
    ended = bankwise("check", path, "--isa")
    line = 1 + next(n for n, row in enumerate(text.split("\n")) if "%r99999" in row)
    assert ended.code == 2
    assert ended.err.startswith(f"error: {path}:{line}: ptxas does not assemble it: ")


def test_without_ptxas_the_way_to_get_it_is_told(
    kernel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolkit.shutil, "which", lambda name: None)
    monkeypatch.setattr(toolkit, "_places", lambda name: iter(()))
    ended = bankwise("check", kernel, "--isa")
    assert (ended.code, ended.out) == (2, "")
    assert "PTX is assembled with ptxas, which is not found" in ended.err
    assert "nvidia-cuda-nvcc" in ended.err


def test_the_next_ptxas_is_tried_where_one_is_too_old(
    kernel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = []
    for name, script in (
        ("old", "echo 'ptxas fatal : Unsupported .version 8.0' >&2; exit 1"),
        ("new", "echo 'ptxas fatal : another' >&2; exit 1"),
    ):
        program = tmp_path / name / "ptxas"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\necho {name} >> {tmp_path}/log\n{script}\n")
        program.chmod(0o755)
        programs.append(program)
    monkeypatch.setattr(toolkit.shutil, "which", lambda name: None)
    monkeypatch.setattr(toolkit, "_places", lambda name: iter(programs))
    ended = bankwise("check", kernel, "--isa")
    assert "Unsupported .version 8.0" in ended.err
    assert set((tmp_path / "log").read_text().split()) == {"old", "new"}


def test_every_statement_gets_its_own_line_and_nothing_else_changes() -> None:
    text = ptx_text("\n\n    .loc 1 7 3\n    shl.b32 %r2, %r1, 4;\n    mov.u32 %r3, tile; ret;")
    text += '.file 1 "a.cu"\n'
    placed = with_lines(text, 'odd "name".ptx')
    assert placed.endswith('.file 2 "odd \\"name\\".ptx"\n')
    before, after = text.split("\n"), placed.split("\n")
    for number, (old, new) in enumerate(zip(before, after, strict=False), 1):
        if new.startswith(".loc"):
            assert new == f".loc 2 {number} 0 {old}"
        else:
            assert new == ("" if ".loc" in old else old)
    marked = [old.strip() for old, new in zip(before, after, strict=False) if ".loc 2" in new]
    assert marked == [
        "mov.u32 %r1, %tid.x;",
        "shl.b32 %r2, %r1, 4;",
        "mov.u32 %r3, tile; ret;",
        "ret;",
    ]
