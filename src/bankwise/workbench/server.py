"""The workbench behind a small server on 127.0.0.1, which adds check, fix and solve to it.

    GET /            the page; the token that jobs ask for is in the address that was printed
    POST /texts      {"text", "file"} -> what it is, which verbs take it, what may be asked besides
    POST /jobs       {"verb", "text", "file", "target"} -> {"id"}
    GET /jobs/ID     {"state": "running", "stage", "done", "total", "seconds", "limit_seconds"},
                     or the answer with "document" or "error"
    DELETE /jobs/ID  end a job

It listens on the loopback address only. A request must name this server as its Host and, if it
has an Origin, come from the server's own page: a foreign page can neither post to it nor, by
rebinding a name, read from it. Head and body of a request are limited in size and time.
"""

from __future__ import annotations

import json
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from bankwise.ask.jobs import Jobs
from bankwise.errors import InputError
from bankwise.workbench.orders import describe, order_of
from bankwise.workbench.page import page

ADDRESS = "127.0.0.1"
MAX_BODY_BYTES = 4 << 20
READ_SECONDS = 10.0


class Server(ThreadingHTTPServer):
    """The server, bound and ready; ``serve_forever`` answers, ``close`` ends its jobs too."""

    daemon_threads = True

    def __init__(self, port: int = 0, jobs: Jobs | None = None) -> None:
        super().__init__((ADDRESS, port), _Handler)
        self.jobs = jobs or Jobs()
        self.token = secrets.token_urlsafe(24)
        names = (ADDRESS, "localhost")
        self.hosts = frozenset(f"{name}:{self.server_port}" for name in names)

    @property
    def address(self) -> str:
        """Where its user's browser finds it, with the token: whoever knows it may run jobs."""
        return f"http://{ADDRESS}:{self.server_port}/?token={self.token}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error of the server."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def close(self) -> None:
        """Stop listening and end all jobs."""
        self.server_close()
        self.jobs.close()


_ENDINGS = ("SIGTERM", "SIGHUP")
"""Signals that end it like Ctrl-C: ``kill``, and a terminal that is closed."""


def serve(port: int = 0, ready: Callable[[str], None] | None = None) -> None:
    """Serve until interrupted. ``port`` 0 takes a free one; ``ready`` is told the address.

    SIGTERM and SIGHUP end it too: the jobs with what they started, and their folders. Raises
    :class:`InputError` if the port is taken.
    """
    for name in _ENDINGS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _ended)
    try:
        server = Server(port)
    except OSError as error:
        raise InputError(
            f"port {port}: {error.strerror}", hint="--port 0 takes a free one"
        ) from error
    try:
        if ready is not None:
            ready(server.address)
        server.serve_forever()
    finally:
        server.close()


def _ended(number: int, frame: object) -> None:
    """Leave ``serve_forever``; the exit code is the one that shells give such an end."""
    raise SystemExit(128 + number)


class _RequestError(Exception):
    """A request that is answered with a status and one sentence."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    timeout = READ_SECONDS
    server_version = "bankwise"
    sys_version = ""

    def setup(self) -> None:
        """The whole head has to arrive in time, not each piece of it."""
        super().setup()
        self._clock = threading.Timer(READ_SECONDS, self._hang_up)
        self._clock.daemon = True
        self._clock.start()

    def parse_request(self) -> bool:
        """Read the head; then its clock stops."""
        read = super().parse_request()
        self._clock.cancel()
        return read

    def finish(self) -> None:
        """A client that said nothing leaves no clock behind."""
        self._clock.cancel()
        super().finish()

    def _hang_up(self) -> None:
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RD)

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_POST(self) -> None:
        self._answer(self._post)

    def do_DELETE(self) -> None:
        self._answer(self._delete)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet: the terminal belongs to the user."""

    @property
    def _home(self) -> Server:
        return cast(Server, self.server)

    def _answer(self, work: Callable[[], None]) -> None:
        try:
            self._check_origin()
            work()
        except _RequestError as refused:
            self._send_json({"error": str(refused)}, refused.status)
        except InputError as error:
            self._send_json({"error": str(error)}, HTTPStatus.BAD_REQUEST)
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def _check_origin(self) -> None:
        """Only this server's own page may ask, under this server's own name."""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self._home.hosts:
            raise _RequestError(HTTPStatus.FORBIDDEN, "this server answers to its own address only")
        origin = self.headers.get("Origin")
        if origin is not None and origin.lower().removeprefix("http://") not in self._home.hosts:
            raise _RequestError(HTTPStatus.FORBIDDEN, "requests from other pages are refused")
        site = self.headers.get("Sec-Fetch-Site", "none")
        linked = self.headers.get("Sec-Fetch-Mode") == "navigate"
        if site not in ("none", "same-origin") and not (linked and self.command == "GET"):
            raise _RequestError(HTTPStatus.FORBIDDEN, "requests from other pages are refused")

    def _get(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/":
            self._send(page("yes").encode(), "text/html; charset=utf-8")
            return
        self._check_token()
        state = self._home.jobs.state(self._job_id(path))
        if state is None:
            raise _RequestError(HTTPStatus.NOT_FOUND, "no such job")
        self._send_json(state)

    def _post(self) -> None:
        if self.path not in ("/jobs", "/texts"):
            raise _RequestError(HTTPStatus.NOT_FOUND, "jobs are posted to /jobs, texts to /texts")
        self._check_token()
        try:
            value = json.loads(self._body())
        except (ValueError, RecursionError) as error:
            raise _RequestError(HTTPStatus.BAD_REQUEST, "the body is no JSON") from error
        if self.path == "/texts":
            self._send_json(describe(value))
            return
        self._send_json({"id": self._home.jobs.start(order_of(value))}, HTTPStatus.ACCEPTED)

    def _delete(self) -> None:
        self._check_token()
        if not self._home.jobs.stop(self._job_id(self.path)):
            raise _RequestError(HTTPStatus.NOT_FOUND, "no such job")
        self._send_json({})

    def _job_id(self, path: str) -> str:
        if not path.startswith("/jobs/"):
            raise _RequestError(HTTPStatus.NOT_FOUND, "there is only / and /jobs")
        return path.removeprefix("/jobs/")

    def _check_token(self) -> None:
        given = self.headers.get("X-Bankwise-Token", "").encode("utf-8", "surrogateescape")
        if not secrets.compare_digest(given, self._home.token.encode()):
            message = "open the address that this server printed: it carries a token"
            raise _RequestError(HTTPStatus.FORBIDDEN, message)

    def _body(self) -> bytes:
        lengths = self.headers.get_all("Content-Length", [])
        length = lengths[0] if len(lengths) == 1 else ""
        chunked = "Transfer-Encoding" in self.headers
        if chunked or not (length.isascii() and length.isdigit()):
            raise _RequestError(HTTPStatus.LENGTH_REQUIRED, "a Content-Length is needed")
        if len(length) > 9 or int(length) > MAX_BODY_BYTES:
            message = f"at most {MAX_BODY_BYTES:,} bytes"
            raise _RequestError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        return self._read(int(length))

    def _read(self, length: int) -> bytes:
        """Read the body; the whole of it has to arrive in time, not each piece."""
        deadline = time.monotonic() + READ_SECONDS
        parts: list[bytes] = []
        while length:
            try:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                self.connection.settimeout(left)
                part = self.rfile.read1(min(length, 1 << 16))
            except TimeoutError as error:
                message = "the body did not arrive in time"
                raise _RequestError(HTTPStatus.REQUEST_TIMEOUT, message) from error
            if not part:
                raise _RequestError(HTTPStatus.BAD_REQUEST, "the body is shorter than it says")
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def _send_json(self, value: dict[str, Any], status: HTTPStatus = HTTPStatus.OK) -> None:
        self._send(json.dumps(value).encode(), "application/json", status)

    def _send(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(body))),
            ("Cache-Control", "no-store"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
