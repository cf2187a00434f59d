"""The server answers its own page alone, survives nonsense, and leaves nothing behind."""

from __future__ import annotations

import http.client
import json
import random
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bankwise.ask.jobs import Jobs, Order
from bankwise.errors import InputError
from bankwise.workbench import server as module
from bankwise.workbench.orders import order_of
from bankwise.workbench.server import MAX_BODY_BYTES, Server
from command import bankwise as command

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


def test_the_page_that_everybody_may_fetch_holds_no_token(server: Server) -> None:
    """On a machine with several users the port is everybody's; the printed address is not."""
    status, body = ask(server, "GET", "/", X_Bankwise_Token="")
    assert status == 200
    assert b'name="bankwise-server" content="yes"' in body
    assert server.token.encode() not in body
    assert f"?token={server.token}" in server.address


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
    for name in ("../../etc/passwd", "--output=x.mlir", "a/b.mlir", "x.rs", "", ".mlir", "é.mlir"):
        assert order_of({"verb": "check", "text": "x", "file": name}).file == "pasted.txt"


def test_a_body_that_is_too_large_or_of_unknown_size_is_refused(server: Server) -> None:
    assert ask(server, "POST", "/jobs", None, Content_Length=str(MAX_BODY_BYTES + 1))[0] == 413
    assert ask(server, "POST", "/jobs", None, Content_Length="9" * 400)[0] == 413
    assert ask(server, "POST", "/jobs", None, Content_Length="-1")[0] == 411
    assert ask(server, "POST", "/jobs", None)[0] == 411


def said(server: Server, head: str, body: bytes = b"", seconds: float = 10.0) -> bytes:
    """All that the server answers to these bytes, which end there."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=seconds) as raw:
        raw.sendall(head.format(port=server.server_port, token=server.token).encode() + body)
        raw.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: raw.recv(65536), b""))


POST = "POST /jobs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Bankwise-Token: {token}\r\n"


@pytest.mark.parametrize(
    ("fields", "body", "status"),
    [
        ("Content-Length: 4\r\nContent-Length: 2", b"null", 411),
        ("Transfer-Encoding: chunked", b"4\r\nnull\r\n0\r\n\r\n", 411),
        ("Content-Length: 4\r\nTransfer-Encoding: chunked", b"null", 411),
        ("Content-Length: +4", b"null", 411),
        ("Content-Length: 0x4", b"null", 411),
        ("Content-Length: 1_0", b"null", 411),
        ("Content-Length: ٤", b"null", 411),
        ("Content-Length: 40", b"null", 400),
        ("Content-Length: 1", b"null", 400),
    ],
)
def test_a_length_that_lies_is_refused(
    server: Server, fields: str, body: bytes, status: int
) -> None:
    assert f" {status} ".encode() in said(server, f"{POST}{fields}\r\n\r\n", body)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1.:{port}",
        "localhost.:{port}",
        "127.1:{port}",
        "2130706433:{port}",
        "[::1]:{port}",
        "evil.example:{port}",
        "127.0.0.1:{port}@evil.example",
        "evil.example#127.0.0.1:{port}",
        "127.0.0.1:{port}, evil.example",
        "127.0.0.1:{port}\r\nHost: evil.example",
    ],
)
def test_a_name_that_only_looks_like_its_own_is_refused(server: Server, host: str) -> None:
    assert b" 403 " in said(server, f"GET / HTTP/1.1\r\nHost: {host}\r\n\r\n")


@pytest.mark.parametrize(
    "path",
    [
        "http://evil.example/",
        "//evil.example/",
        "/../../etc/passwd",
        "/jobs/../",
        "/jobs/%2e%2e",
        "/static/machines.json",
    ],
)
def test_there_is_nothing_but_the_page_and_its_jobs(server: Server, path: str) -> None:
    assert ask(server, "GET", path)[0] == 404


@pytest.mark.parametrize("method", ["PUT", "OPTIONS", "HEAD", "TRACE", "CONNECT", "PATCH"])
def test_other_methods_do_nothing(server: Server, method: str) -> None:
    answer = said(server, f"{method} / HTTP/1.1\r\nHost: 127.0.0.1:{{port}}\r\n\r\n")
    assert b" 501 " in answer
    assert server.token.encode() not in answer


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_the_browser_tells_that_another_page_asks(server: Server, site: str) -> None:
    """A picture or a script of another page sends no Origin; browsers say so all the same."""
    foreign = {"Sec_Fetch_Site": site}
    assert ask(server, "GET", "/", **foreign, Sec_Fetch_Mode="no-cors")[0] == 403
    assert ask(server, "POST", "/jobs", order(), **foreign, Sec_Fetch_Mode="navigate")[0] == 403
    assert ask(server, "GET", "/", **foreign, Sec_Fetch_Mode="navigate")[0] == 200, "a link may"


def test_a_head_that_trickles_is_cut_off(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "READ_SECONDS", 0.4)
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=0.05) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\nX: ")
        cut, until = False, time.monotonic() + WAIT_SECONDS
        while not cut and time.monotonic() < until:
            try:
                raw.sendall(b"x")
                raw.recv(4096)
                cut = True
            except TimeoutError:
                continue
            except ConnectionError:
                cut = True
    assert cut


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


def scripted(code: str, folder: Path, **limits: Any) -> Jobs:
    """Jobs whose worker is this Python text instead of bankwise."""
    path = folder / "worker.py"
    path.write_text(code, "utf-8")
    return Jobs(worker=(sys.executable, str(path)), **limits)


def outcome(jobs: Jobs, text: str = "x") -> dict[str, Any]:
    """What becomes of one job."""
    name = jobs.start(Order("check", text))
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        state = jobs.state(name)
        assert state is not None
        if state["state"] != "running":
            return state
        time.sleep(0.02)
    raise AssertionError("the job did not end")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "crashed (SIGSEGV)"),
        ("import os; os.abort()", "crashed (SIGABRT)"),
        ("raise SystemError('broken inside')", "broken inside"),
        ("print('no JSON'); print('[1]'); print('3')", "ended with code 0"),
        ("print('{')", "left no answer"),
        ("import sys; sys.exit(7)", "code 7"),
    ],
)
def test_a_job_that_crashes_is_told_apart_and_harms_no_other(
    tmp_path: Path, code: str, said: str
) -> None:
    jobs = scripted(
        f"import sys\nif open(sys.argv[2]).read() == 'good': print('{{\"document\": 1}}')\n"
        f"else:\n    {code}",
        tmp_path,
    )
    failed = outcome(jobs)
    assert failed["state"] == "failed"
    assert said in failed["error"]
    assert outcome(jobs, "good") == {"state": "done", "document": 1}
    jobs.close()


def test_an_answer_that_is_too_large_ends_the_job(tmp_path: Path) -> None:
    code = "while True: print('x' * 65536, end='')"
    jobs = scripted(code, tmp_path, answer_bytes=1 << 20)
    assert "1,048,576 bytes" in outcome(jobs)["error"]
    jobs.close()


def test_progress_is_what_the_process_said_last(tmp_path: Path) -> None:
    lines = [{"stage": "one", "done": 1, "total": 4}, {"stage": "two", "done": 3, "total": 4}]
    code = f"import time\nfor line in {[json.dumps(x) for x in lines]}: print(line, flush=True)\n"
    jobs = scripted(code + "time.sleep(60)", tmp_path)
    name = jobs.start(Order("check", "x"))
    seen: dict[str, Any] = {}
    deadline = time.monotonic() + WAIT_SECONDS
    while seen.get("stage") != "two" and time.monotonic() < deadline:
        seen = jobs.state(name) or {}
        time.sleep(0.02)
    assert (seen["state"], seen["done"], seen["total"]) == ("running", 3, 4)
    assert 0 <= seen["seconds"] <= WAIT_SECONDS
    assert seen["limit_seconds"] == jobs.seconds
    jobs.close()
    assert jobs.state(name) == {"state": "failed", "error": "the server stopped"}


def test_what_a_job_started_ends_with_it(tmp_path: Path) -> None:
    code = (
        "import subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print('{\"document\": %d}' % child.pid)\n"
    )
    jobs = scripted(code, tmp_path)
    child = outcome(jobs)["document"]
    deadline = time.monotonic() + WAIT_SECONDS
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(child)
    jobs.close()


def alive(process: int) -> bool:
    """Whether a process runs; one that is dead and not yet collected does not."""
    try:
        return ") Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


@pytest.mark.parametrize(
    ("verb", "file", "text", "said"),
    [
        ("solve", "p.toml", "machine = [3 4]", "p.toml:1"),
        ("check", "p.toml", 'machine = "sm_90"\n', "p.toml"),
        ("fix", "p.toml", 'machine = "sm_90"\n', "this is a tile question; `fix` takes"),
        ("solve", "k.mlir", "module {}", "this is an MLIR kernel; `solve` takes"),
        ("check", "k.s", "nothing", "k.s"),
        ("check", "k.ptx", "nothing", "k.ptx"),
    ],
)
def test_what_a_verb_cannot_do_comes_back_in_words(
    server: Server, verb: str, file: str, text: str, said: str
) -> None:
    _, answer = ask(server, "POST", "/jobs", order(verb=verb, file=file, text=text))
    failed = finished(server, answer["id"])
    assert failed["state"] == "failed"
    assert said in failed["error"]
    assert "Traceback" not in failed["error"]


DATA = Path(__file__).parent / "data"


@pytest.mark.parametrize(
    ("file", "more"),
    [
        ("profile/tiles.ptx", {"workgroup_size": "128,1,1"}),
        ("sass/triton_transpose.sass", {}),
        ("isa/triton_transpose.sm_90.ttgir", {}),
        ("isa/triton_transpose.gfx942.amdgcn", {}),
        ("../../examples/transpose_16x32/n_xor_m.toml", {}),
    ],
)
def test_a_pasted_text_needs_no_name(server: Server, file: str, more: dict[str, str]) -> None:
    """What it is called names its kind; the count is that of the command line."""
    text = (DATA / file).read_text("utf-8")
    _, answer = ask(server, "POST", "/jobs", order(text=text, **more))
    done = finished(server, answer["id"])
    assert done["state"] == "done", done
    document = done["document"]
    suffix = Path(file).suffix.replace(".amdgcn", ".s")
    assert document["file"] == f"pasted{suffix}"
    options = ["--workgroup-size", *more.values()] if more else []
    said = json.loads(command("check", DATA / file, *options, "--format", "json").out)
    assert document["totals"] == said["totals"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "#include <cuda_fp16.h>\n__global__ void k() {}\n",
            "this is CUDA source, which is not compiled here: it could include any file\n"
            "  hint: compile it: `nvcc -ptx FILE`",
        ),
        ("import triton\n\n@triton.jit\ndef k(a):\n    pass\n", "this is Triton source"),
    ],
)
def test_a_pasted_source_is_told_what_to_do(server: Server, text: str, said: str) -> None:
    _, answer = ask(server, "POST", "/jobs", order(text=text))
    failed = finished(server, answer["id"])
    assert said in failed["error"]
    assert "custom op" not in failed["error"]


@pytest.mark.parametrize(
    ("file", "verbs", "fields"),
    [
        ("data/profile/tiles.ptx", ["check", "fix"], ["workgroup_size", "arguments"]),
        ("data/sass/triton_transpose.sass", ["check"], ["workgroup_size", "arguments"]),
        ("../examples/transpose_16x32/n_xor_m.toml", ["check", "solve"], []),
    ],
)
def test_a_text_is_described_as_it_is_pasted(
    server: Server, file: str, verbs: list[str], fields: list[str]
) -> None:
    text = (Path(__file__).parent / file).read_text("utf-8")
    status, told = ask(server, "POST", "/texts", json.dumps({"text": text}).encode())
    assert status == 200
    assert (told["verbs"], told["fields"], told["instead"]) == (verbs, fields, "")


def test_a_text_that_is_not_read_here_is_told_what_to_do(server: Server) -> None:
    cuda = "#include <cuda_fp16.h>\n__global__ void k() {}\n"
    _, told = ask(server, "POST", "/texts", json.dumps({"text": cuda}).encode())
    assert told["format"] == "CUDA source"
    assert told["verbs"] == []
    assert told["instead"].startswith("no page compiles it; ")
    for body in (b"[]", b'{"text": 3}', b"{}", b'{"text": "\\ud800"}', b'{"file": "../x"}'):
        status, told = ask(server, "POST", "/texts", body)
        assert status in (200, 400)
        assert "format" in told or "error" in told
    status, _ = ask(server, "POST", "/texts", b'{"text": ""}', X_Bankwise_Token="no")
    assert status == 403


def test_arguments_reach_the_job_and_a_wrong_size_does_not() -> None:
    asked = {"verb": "check", "text": "x", "arguments": "n=4096, m=2", "workgroup_size": "64"}
    given = json.loads(order_of(asked).words[-1])["options"]
    assert (given["workgroup_size"], given["arguments"]) == ("64", ["n=4096", "m=2"])
    with pytest.raises(InputError, match="is not X,Y,Z"):
        order_of({**asked, "workgroup_size": "many"})


def test_random_orders_are_refused_or_become_orders_that_are_safe_to_run() -> None:
    rng = random.Random(8)
    keys = ("verb", "text", "file", "target", "more", "")
    values = (
        "check",
        "x",
        "",
        None,
        3,
        [],
        {},
        "gfx950",
        "\x00",
        "a" * 300,
        "../x",
        "\ud800",
        True,
    )
    for _ in range(2_000):
        value: Any = {rng.choice(keys): rng.choice(values) for _ in range(rng.randint(0, 5))}
        if rng.random() < 0.1:
            value = rng.choice((value.values(), [value], "check", None, 7))
        try:
            made = order_of(value)
        except InputError:
            continue
        assert made.verb in ("check", "fix", "solve")
        assert "/" not in made.file
        assert not made.file.startswith(("-", "."))


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
