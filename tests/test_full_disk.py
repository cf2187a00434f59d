"""A disk that is really full: what was there stays, nothing half-written, one message."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
KERNEL = ROOT / "examples/row_copy/row_copy_gfx950.mlir"
QUESTION = ROOT / "examples/solve/transpose_sm90.toml"
OLD = "what was there before\n"


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB in memory, without a byte left; skips where nobody may mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except OSError as error:
        pytest.skip(f"no mount here: {error}")
    if done.returncode:
        pytest.skip("mounting a file system needs root")
    try:
        (folder / "old").write_text(OLD)
        with open(folder / "fill", "wb", buffering=0) as file:
            while True:
                file.write(b"\0" * 4096)
    except OSError:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def run(*words: object, output: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    sink = subprocess.PIPE if output is None else output.open("w")
    command = [sys.executable, "-m", "bankwise", *map(str, words)]
    return subprocess.run(
        command, stdout=sink, stderr=subprocess.PIPE, text=True, env=env, check=False
    )


def told(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "No space left on device" in done.stderr or "disk is full" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("verb", ["fix", "workbench"])
def test_a_file_that_cannot_be_replaced_stays(full: Path, verb: str) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    words = (verb, KERNEL, "--no-execute", "--no-isa") if verb == "fix" else (verb,)
    told(run(*words, "-o", full / "old"))
    assert (full / "old").read_text() == OLD
    assert sorted(p.name for p in full.iterdir()) == ["fill", "old"]


def test_an_answer_that_does_not_fit_is_told(full: Path) -> None:
    told(run("solve", QUESTION, "--format", "json", output=full / "answer.json"))


def test_a_store_that_cannot_grow_is_told(full: Path) -> None:
    told(run("sweep", ROOT / "examples/sweep/attention_head_dims.toml", "--store", full / "s.db"))
