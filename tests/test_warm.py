"""Copies of a process that has its modules imported say and do what a new process does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import conftest
import warm

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux")

PROGRAM = """\
import json, os, sys
said = [sys.argv[1:], sys.path[0], os.getcwd(), os.environ.get("SAID"), sys.stdin.read()]
print(json.dumps(said), "json" in sys.modules)
print("talk", file=sys.stderr)
END
"""
ENDS = {
    "well": "",
    "with a code": "sys.exit(3)",
    "with words": "sys.exit('no')",
    "by an error": "1 / 0",
    "at once": "sys.stdout.flush(); os._exit(5)",
    "by a signal": "sys.stdout.flush(); os.kill(os.getpid(), 6)",
}


def ended(program: str, *words: str, folder: Path, **more: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [program, "-W", "error", "-m", *words],
        cwd=folder,
        env={**os.environ, "SAID": "so", **more},
        input="given",
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, "".join(done.stderr.splitlines()[-1:])


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_a_copy_ends_as_a_new_process_does(tmp_path: Path, end: str) -> None:
    (tmp_path / "asked.py").write_text(PROGRAM.replace("END", end), "utf-8")
    new, copy = (
        ended(one, "asked", "a b", "-c", folder=tmp_path)
        for one in (sys.executable, warm.python(*warm.CHECKS))
    )
    assert copy == new
    assert "given" in copy[1]


def test_a_copy_ends_with_who_asked_for_it(tmp_path: Path) -> None:
    program = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(60)\n"
    (tmp_path / "waits.py").write_text(program, "utf-8")
    began = subprocess.Popen(
        [warm.python(*warm.CHECKS), "-m", "waits"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert began.stdout is not None
    number = int(began.stdout.readline())
    began.kill()
    assert began.stdout.read() == ""  # nobody is left who could write
    assert began.wait() == -9
    assert not Path(f"/proc/{number}/cwd").exists()


def test_what_is_said_to_python_itself_starts_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "asked.py").write_text("import sys\nprint('bankwise.cli' in sys.modules)\n")
    known = [
        ended(warm.python(*warm.CHECKS), "asked", folder=tmp_path, **more)[1]
        for more in ({}, {"PYTHONPATH": f"{tmp_path}"})
    ]
    assert known == ["True\n", "False\n"]


def test_what_a_test_leaves_in_the_environment_ends_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KEPT", "1")
    called = conftest.pytest_runtest_call()
    next(called)
    os.environ.update(OMP_NUM_THREADS="7", KEPT="2")
    with pytest.raises(StopIteration):
        called.send(None)
    assert os.environ.get("OMP_NUM_THREADS") != "7"
    assert os.environ["KEPT"] == "1"
