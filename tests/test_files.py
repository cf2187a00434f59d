"""The user's files: only regular ones are replaced, and nothing endless is read."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bankwise import files
from bankwise.errors import InputError
from bankwise.files import read_text, write_atomically
from command import Ended, bankwise
from kernel_texts import ROWS, written

ROOT = Path(__file__).parents[1]
PROBLEM = ROOT / "examples/solve/transpose_sm90.toml"
ATTENTION = ROOT / "docs/data/h200_attention/attention.csv"
MODEL = "func.func @f(%a: tensor<4x4xf32>) -> tensor<4x4xf32> { return %a : tensor<4x4xf32> }\n"


@pytest.fixture
def special(tmp_path: Path) -> Iterator[dict[str, Path]]:
    """What must not be replaced: a pipe, a socket, a folder, a loop of links, links to these."""
    places = {name: tmp_path / name for name in ("pipe", "socket", "folder", "loop", "link", "on")}
    os.mkfifo(places["pipe"])
    places["folder"].mkdir()
    places["loop"].symlink_to(places["loop"])
    places["link"].symlink_to(places["pipe"])
    places["on"].symlink_to(places["link"])
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(places["socket"]))
        yield places


def kinds(places: dict[str, Path]) -> dict[str, int]:
    return {name: stat.S_IFMT(path.lstat().st_mode) for name, path in places.items()}


SPECIAL = {
    "pipe": "this is a pipe, only regular files are replaced",
    "socket": "this is a socket, only regular files are replaced",
    "folder": "this is a directory, only regular files are replaced",
    "loop": "Too many levels of symbolic links",
    "link": "this is a pipe",
    "on": "this is a pipe",
}


@pytest.mark.parametrize(("name", "says"), SPECIAL.items())
def test_what_is_no_regular_file_is_neither_written_nor_replaced(
    special: dict[str, Path], name: str, says: str
) -> None:
    before = kinds(special)
    for content in ("text", b"bytes"):
        with pytest.raises(InputError, match="cannot be written: ") as refused:
            write_atomically(special[name], content)
        assert says in str(refused.value)
    assert kinds(special) == before
    assert {p.name for p in special["pipe"].parent.iterdir()} == special.keys()


def solve(out: Path, _: Path) -> Ended:
    return bankwise("solve", PROBLEM, "-o", out)


def fix(out: Path, folder: Path) -> Ended:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    return bankwise("fix", written(folder, ROWS), "-t", "gfx950", *FAST, "-o", out)


def opt(out: Path, folder: Path) -> Ended:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    return bankwise("opt", "--pass", "pad", written(folder, ROWS), "-t", "gfx950", "-o", out)


def workbench(out: Path, _: Path) -> Ended:
    return bankwise("workbench", "-o", out)


def probe(out: Path, _: Path) -> Ended:
    replay = ROOT / "tests/data/h200_probe.csv"
    return bankwise("probe", "-t", "sm_90", "--replay", replay, "--save", out)


def sweep(out: Path, folder: Path) -> Ended:
    spec = ROOT / "examples/sweep/attention_110.toml"
    return bankwise("sweep", spec, "--store", out)


FAST = ("--no-isa", "--no-execute")


@pytest.mark.parametrize("verb", [solve, fix, opt, workbench, probe, sweep])
def test_no_verb_replaces_a_pipe(
    special: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, verb: Callable[..., Ended]
) -> None:
    ended = verb(special["link"], tmp_path_factory.mktemp("input"))
    assert (ended.code, ended.out) == (2, "")
    assert "link: cannot be written: this is a pipe" in ended.err
    assert stat.S_ISFIFO(special["pipe"].stat().st_mode)


@pytest.mark.parametrize("suffix", [".csv", ".png", ".svg"])
def test_no_table_or_plot_replaces_a_pipe(tmp_path: Path, suffix: str) -> None:
    if suffix != ".csv":
        pytest.importorskip("matplotlib")
    out = tmp_path / f"out{suffix}"
    os.mkfifo(out)
    ended = bankwise("bench", "attention", "--replay", ATTENTION, "-o", out)
    assert (ended.code, ended.out) == (2, "")
    assert f"out{suffix}: cannot be written: this is a pipe" in ended.err
    assert stat.S_ISFIFO(out.stat().st_mode)


@pytest.mark.parametrize("name", ["fixed.mlir", "fixed.MLIR", "fixed.txt", "-"])
def test_a_binary_module_does_not_get_the_name_of_a_text(tmp_path: Path, name: str) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    path = written(tmp_path, MODEL)
    ended = bankwise("fix", path, "-t", "gfx942", "-o", name if name == "-" else tmp_path / name)
    assert (ended.code, ended.out) == (2, "")
    assert "a binary IREE module, this is the name of a text" in ended.err
    assert "hint: -o fixed.vmfb" in ended.err
    assert [p.name for p in tmp_path.iterdir()] == ["k.mlir"]


# Reading


def test_a_file_without_an_end_is_not_read() -> None:
    with pytest.raises(InputError, match="/dev/zero: this is a device, a file is needed"):
        read_text("/dev/zero")
    for words in (("check", "/dev/zero"), ("solve", "/dev/zero"), ("certify", "/dev/zero")):
        ended = bankwise(*words)
        assert (ended.code, ended.out) == (2, "")
        assert "this is a device" in ended.err


def test_no_more_is_read_than_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MOST_BYTES", 4)
    (tmp_path / "a").write_text("1234")
    assert read_text(tmp_path / "a") == "1234"
    (tmp_path / "a").write_text("12345")
    with pytest.raises(InputError, match="more than 4 bytes are not read"):
        read_text(tmp_path / "a")


def test_a_pipe_is_read(tmp_path: Path) -> None:
    """As the shell hands one over: ``bankwise check <(command)``."""
    reader, writer = os.pipe()
    os.write(writer, b"text")
    os.close(writer)
    try:
        assert read_text(f"/dev/fd/{reader}") == "text"
    finally:
        os.close(reader)
