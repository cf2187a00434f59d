"""However the server ends, its jobs end with it and leave nothing behind."""

from __future__ import annotations

import http.client
import json
import os
import signal
import stat
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from bankwise.workbench.browser import opened

SOURCE = Path(__file__).parents[1] / "src"
WAIT_SECONDS = 60.0
ACCESSES = "\n".join(
    f'[[access]]\nname = "a{n}"\nop = "read"\nlanes = "{lanes}"\n'
    for n, lanes in enumerate(
        " ".join(f"{'nm'[(n + k) % 2]}{(n * 5 + k * 3) % 7}" for k in range(5)) for n in range(24)
    )
    if len(set(lanes.split())) == 5
)
HARD = f'machine = "sm_90"\n[tile]\nshape = [128, 128]\nelement_bits = 32\n{ACCESSES}'
"""A problem whose search is long: its job is at work while the server ends."""


@contextmanager
def serving(folder: Path) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A server of its own process: it, its host with port, its token. Temporary files: folder."""
    words = [sys.executable, "-m", "bankwise", "workbench", "--no-browser"]
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "TMPDIR": str(folder)}
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=env)
    assert process.stderr is not None
    try:
        address = urlsplit(process.stderr.readline().split()[0])
        yield process, address.netloc, parse_qs(address.query)["token"][0]
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def begin(host: str, token: str) -> None:
    """Start a job that takes long, and wait until its process works."""
    headers = {"X-Bankwise-Token": token, "Content-Type": "application/json"}
    body = json.dumps({"verb": "solve", "text": HARD, "file": "hard.toml"})
    connection = http.client.HTTPConnection(host, timeout=20)
    connection.request("POST", "/jobs", body, headers)
    name = json.loads(connection.getresponse().read())["id"]
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        connection.request("GET", f"/jobs/{name}", headers=headers)
        told = json.loads(connection.getresponse().read())
        if told["state"] != "running" or told["stage"] != "starting":
            break
        time.sleep(0.05)
    connection.close()
    assert told["state"] == "running", told


def jobs_below(folder: Path) -> list[int]:
    """The processes whose temporary files are to lie below a folder, other than the server."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes()
            at = os.readlink(place / "cwd")
        except OSError:
            continue
        if b"bankwise.ask.job" in words and at.startswith(str(folder)):
            found.append(int(place.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="needs /proc")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"])
def test_no_job_outlives_its_server(tmp_path: Path, name: str) -> None:
    with serving(tmp_path) as (process, host, token):
        begin(host, token)
        assert len(jobs_below(tmp_path)) == 1
        process.send_signal(getattr(signal, name))
        code = process.wait(WAIT_SECONDS)
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until and (jobs_below(tmp_path) or list(tmp_path.iterdir())):
        time.sleep(0.05)
    assert jobs_below(tmp_path) == []
    assert list(tmp_path.iterdir()) == [], "the text of a kernel was left behind"
    number = getattr(signal, name)
    assert code == (-number if name == "SIGKILL" else 128 + number)


def test_a_browser_is_not_told_the_token_in_its_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(webbrowser, "open", seen.append)
    secret = "http://127.0.0.1:1/?token=a&b"
    with opened(secret):
        (address,) = seen
        page = Path(urlsplit(address).path)
        assert "token" not in address
        assert "http://127.0.0.1:1/?token=a&amp;b" in page.read_text("utf-8")
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    assert not page.exists()
