"""``check`` and ``fix`` read the nearest ``bankwise.toml``; what is typed wins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import bankwise

ROOT = Path(__file__).parents[1]
PTX = (ROOT / "tests/data/isa/ldmatrix.ptx").read_text("utf-8")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "k.ptx").write_text(PTX, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_nearest_file_upwards_is_taken_and_named_once(project: Path) -> None:
    (project / "bankwise.toml").write_text('kernel = "nobody"\n', "utf-8")
    ended = bankwise("check", "src/k.ptx")
    assert ended.err.splitlines()[0] == "note: bankwise.toml says: kernel nobody"
    assert ended.err.count("bankwise.toml") == 1
    assert ended.code == 2
    (project / "src" / "bankwise.toml").write_text('workgroup_size = "64,1,1"\n', "utf-8")
    ended = bankwise("check", "src/k.ptx")
    assert ended.err == "note: src/bankwise.toml says: workgroup_size 64,1,1\n"
    assert "64x1x1" in ended.out


def test_what_is_typed_wins_and_the_text_names_its_own_target(project: Path) -> None:
    (project / "bankwise.toml").write_text(
        'workgroup_size = "64,1,1"\ntarget = "gfx942"\n', "utf-8"
    )
    ended = bankwise("check", "src/k.ptx", "--workgroup-size", "32,1,1")
    assert ended.err == ""
    assert "32x1x1" in ended.out
    assert "on sm_80" in ended.out


def test_an_unknown_key_is_told_with_its_place(project: Path) -> None:
    (project / "bankwise.toml").write_text('targt = "sm_90"\n', "utf-8")
    for verb in ("check", "fix"):
        ended = bankwise(verb, "src/k.ptx")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith(f"error: {project}/bankwise.toml: ")
        assert "targt" in ended.err
        assert "target" in ended.err.partition("hint: keys: ")[2]


def test_of_a_folder_every_file_has_its_own_project(project: Path) -> None:
    """The block of each file is what its nearest file says; what is typed wins over both."""
    (project / "other").mkdir()
    (project / "other" / "k.ptx").write_text(PTX, "utf-8")
    (project / "bankwise.toml").write_text(
        'workgroup_size = "64,1,1"\ntarget = "gfx942"\n', "utf-8"
    )
    (project / "other" / "bankwise.toml").write_text('workgroup_size = "96,1,1"\n', "utf-8")
    ended = bankwise("check", ".")
    assert "64x1x1" in ended.out
    assert "96x1x1" in ended.out
    assert "note: bankwise.toml says: workgroup_size 64,1,1\n" in ended.out
    assert "note: other/bankwise.toml says: workgroup_size 96,1,1\n" in ended.out
    typed = bankwise("check", ".", "--workgroup-size", "32,1,1").out
    assert "32x1x1" in typed
    assert "64x1x1" not in typed
    assert "says:" not in typed


def test_scan_takes_what_the_project_of_each_file_says(project: Path) -> None:
    (project / "bankwise.toml").write_text('kernel = "nobody"\n', "utf-8")
    every = bankwise("scan", ".", "--format", "json")
    assert (len(json.loads(every.out)["kernels"]), every.err) == (1, "")
    (project / "bankwise.toml").write_text('workgroup_size = "64,1,1"\n', "utf-8")
    ended = bankwise("scan", ".", "--format", "json")
    assert ended.err == "note: bankwise.toml says: workgroup_size 64,1,1\n"
    typed = bankwise("scan", ".", "--workgroup-size", "64,1,1", "--format", "json")
    assert (ended.out, typed.err) == (typed.out, "")
