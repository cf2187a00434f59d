"""The server answers its own page alone, survives nonsense, and leaves nothing behind."""

from __future__ import annotations

import http.client
import json
import random
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bankwise.errors import InputError
from bankwise.workbench import server as module
from bankwise.workbench.jobs import Jobs, Order
from bankwise.workbench.server import MAX_BODY_BYTES, Server

KERNEL = Path(__file__).parent.parent / "examples" / "ldmatrix_sm80" / "ldmatrix.mlir"
WAIT_SECONDS = 60.0


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    running = Server()
    thread = threading.Thread(target=running.serve_forever, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.close()
    assert list(tmp_path.iterdir()) == [], "a job left files behind"


def ask(
    server: Server,
    method: str,
    path: str,
    body: bytes | None = None,
    **headers: str,
) -> tuple[int, Any]:
    """Status and JSON (or bytes) of one request; headers override the page's own."""
    given = {"Host": f"127.0.0.1:{server.server_port}", "X-Bankwise-Token": server.token}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.putrequest(method, path, skip_host=True)
    for name, value in given.items():
        connection.putheader(name, value)
    if body is not None and "Content_Length" not in headers:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    raw = answer.read()
    connection.close()
    is_json = answer.headers.get_content_type() == "application/json"
    return answer.status, json.loads(raw) if is_json else raw


def order(**more: str) -> bytes:
    return json.dumps({"verb": "check", "text": KERNEL.read_text(), **more}).encode()


def finished(server: Server, job: str) -> Any:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        _, answer = ask(server, "GET", f"/jobs/{job}")
        if answer["state"] != "running":
            return answer
        time.sleep(0.05)
    raise AssertionError("the job did not end")


def test_it_listens_on_the_loopback_address_only(server: Server) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"


def test_it_serves_the_page_with_its_token(server: Server) -> None:
    status, body = ask(server, "GET", "/")
    assert status == 200
    assert f'content="{server.token}"'.encode() in body


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "", "0.0.0.0:80"])
def test_a_foreign_host_is_refused(server: Server, host: str) -> None:
    assert ask(server, "GET", "/", Host=host)[0] == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "file://"])
def test_a_foreign_origin_is_refused(server: Server, origin: str) -> None:
    assert ask(server, "POST", "/jobs", order(), Origin=origin)[0] == 403


def test_its_own_origin_is_welcome(server: Server) -> None:
    own = f"http://127.0.0.1:{server.server_port}"
    status, answer = ask(server, "POST", "/jobs", order(), Origin=own)
    assert status == 202
    finished(server, answer["id"])


def test_jobs_need_the_token(server: Server) -> None:
    assert ask(server, "POST", "/jobs", order(), X_Bankwise_Token="wrong")[0] == 403
    assert ask(server, "GET", "/jobs/x", X_Bankwise_Token="")[0] == 403


def test_a_checked_kernel_comes_back_as_the_report_of_the_command(server: Server) -> None:
    _, answer = ask(server, "POST", "/jobs", order(file="mine.mlir"))
    document = finished(server, answer["id"])["document"]
    assert document["schema"] == "bankwise.check/1"
    assert document["file"] == "mine.mlir"
    assert document["totals"]["run"]["extra"] > 0


def test_a_broken_kernel_comes_back_as_its_message_with_the_line(server: Server) -> None:
    _, answer = ask(server, "POST", "/jobs", order(text="func.func @x( {\n", file="broken.mlir"))
    failed = finished(server, answer["id"])
    assert failed["state"] == "failed"
    assert "broken.mlir:1" in failed["error"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400),
        (b"{", 400),
        (b"[]", 400),
        (b"\xff\xfe", 400),
        (b"[" * 100_000, 400),
        (b'{"verb": "check", "text": 3}', 400),
        (b'{"verb": "erase", "text": "x"}', 400),
        (b'{"verb": "check", "text": "  "}', 400),
        (b'{"verb": "check", "text": "\\ud800"}', 400),
        (b'{"verb": "check", "text": "x", "target": "--help"}', 400),
    ],
)
def test_a_malformed_job_is_refused_in_words(server: Server, body: bytes, status: int) -> None:
    found, answer = ask(server, "POST", "/jobs", body)
    assert found == status
    assert answer["error"]


def test_a_file_name_cannot_leave_the_folder_or_look_like_an_option() -> None:
    for name in ("../../etc/passwd", "--output=x.mlir", "a/b.mlir", "x.py", "", ".mlir", "é.mlir"):
        assert Order.parse({"verb": "check", "text": "x", "file": name}).file == "kernel.mlir"


def test_a_body_that_is_too_large_or_of_unknown_size_is_refused(server: Server) -> None:
    assert ask(server, "POST", "/jobs", None, Content_Length=str(MAX_BODY_BYTES + 1))[0] == 413
    assert ask(server, "POST", "/jobs", None, Content_Length="9" * 400)[0] == 413
    assert ask(server, "POST", "/jobs", None, Content_Length="-1")[0] == 411
    assert ask(server, "POST", "/jobs", None)[0] == 411


def test_a_body_that_trickles_is_cut_off(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "READ_SECONDS", 0.5)
    head = f"POST /jobs HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n"
    head += f"X-Bankwise-Token: {server.token}\r\nContent-Length: 1000\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=10) as raw:
        raw.sendall(head.encode())
        answer = b""
        for _ in range(100):
            try:
                raw.sendall(b"x")
                raw.settimeout(0.05)
                answer += raw.recv(4096)
                break
            except TimeoutError:
                continue
        assert b"408" in answer


def test_an_endless_job_ends_alone(server: Server) -> None:
    server.jobs.seconds = 0.05
    _, slow = ask(server, "POST", "/jobs", order())
    assert "limit" in finished(server, slow["id"])["error"]
    server.jobs.seconds = WAIT_SECONDS
    _, next_one = ask(server, "POST", "/jobs", order())
    assert finished(server, next_one["id"])["state"] == "done"


def test_a_job_can_be_stopped(server: Server) -> None:
    _, answer = ask(server, "POST", "/jobs", order())
    assert ask(server, "DELETE", f"/jobs/{answer['id']}")[0] == 200
    assert finished(server, answer["id"]) == {"state": "failed", "error": "stopped"}
    assert ask(server, "DELETE", "/jobs/unknown")[0] == 404


def test_more_jobs_than_allowed_are_refused() -> None:
    jobs = Jobs(running=1)
    try:
        jobs.start(Order("check", KERNEL.read_text()))
        with pytest.raises(InputError, match="running already"):
            jobs.start(Order("check", "x"))
    finally:
        jobs.close()


def test_malformed_requests_do_not_stop_the_server(server: Server) -> None:
    rng = random.Random(3)
    pieces = [b"GET", b"POST", b" / ", b"/jobs", b"HTTP/1.1", b"HTTP/9", b"\r\n", b"\r\n\r\n", b":"]
    pieces += [
        b"Host: x",
        b"Content-Length: 5",
        b"Transfer-Encoding: chunked",
        b"\x00",
        b"\xff" * 9,
    ]
    for _ in range(200):
        text = b"".join(rng.choice(pieces) for _ in range(rng.randint(1, 14)))
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=5) as raw:
            raw.sendall(text)
            raw.shutdown(socket.SHUT_WR)
            while raw.recv(65536):
                pass
    assert ask(server, "GET", "/")[0] == 200


def test_a_taken_port_is_an_input_error(server: Server) -> None:
    with pytest.raises(InputError, match=str(server.server_port)):
        module.serve(server.server_port)
