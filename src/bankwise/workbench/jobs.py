"""Jobs of the server: check or fix of one text, each in a process of its own.

A job gets a folder that vanishes with it, a time limit, and a process group, so that a crash or an
endless loop ends that job alone and whatever it started.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from bankwise.errors import InputError
from bankwise.machine import machine

Verb = Literal["check", "fix"]

_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,79}")
_ENDINGS = (".mlir", ".rst", ".txt")


@dataclass(frozen=True, slots=True)
class Order:
    """What a job does: ``verb`` on ``text``, called ``file`` in its report, for ``target``."""

    verb: Verb
    text: str
    file: str = "kernel.mlir"
    target: str = ""

    @staticmethod
    def parse(value: Any) -> Order:
        """Read the body of a request. Raises :class:`InputError` for anything unexpected."""
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            raise InputError("a job is an object of texts: verb, text, file, target")
        verb, text = value.get("verb", ""), value.get("text", "")
        if verb not in ("check", "fix"):
            raise InputError(f"unknown verb {verb[:40]!r}", hint="check or fix")
        if not text.strip():
            raise InputError("there is no kernel in this text")
        if any("\ud800" <= sign <= "\udfff" for sign in text):
            raise InputError("the text holds half of a character (a lone surrogate)")
        target = value.get("target", "").strip()
        if target:
            machine(target)
        return Order(verb, text, _file_name(value.get("file", "")), target)


def _file_name(name: str) -> str:
    """The name if it is a plain one; it appears in messages and must not look like an option."""
    return name if _NAME.fullmatch(name) and name.endswith(_ENDINGS) else "kernel.mlir"


@dataclass(slots=True)
class _Job:
    process: subprocess.Popen[bytes] | None = None
    answer: dict[str, Any] | None = None
    stopped: str = ""
    thread: threading.Thread | None = field(default=None, repr=False)


class Jobs:
    """The running and the last finished jobs. Safe to use from several threads."""

    def __init__(self, seconds: float = 300.0, running: int = 4, kept: int = 32) -> None:
        self.seconds, self.running, self.kept = seconds, running, kept
        self._jobs: dict[str, _Job] = {}
        self._lock = threading.Lock()

    def start(self, order: Order) -> str:
        """Begin a job and return its id. Raises :class:`InputError` if too many run."""
        with self._lock:
            busy = sum(job.answer is None for job in self._jobs.values())
            if busy >= self.running:
                raise InputError(f"{busy} jobs are running already; stop one or wait")
            self._forget()
            name, job = secrets.token_urlsafe(12), _Job()
            self._jobs[name] = job
        job.thread = threading.Thread(target=self._run, args=(job, order), daemon=True)
        job.thread.start()
        return name

    def state(self, name: str) -> dict[str, Any] | None:
        """``{"state": "running"}``, or the answer with ``document`` or ``error``; None: unknown."""
        with self._lock:
            job = self._jobs.get(name)
            if job is None:
                return None
            return job.answer or {"state": "running"}

    def stop(self, name: str) -> bool:
        """End a running job; whether there is one of this name."""
        with self._lock:
            job = self._jobs.get(name)
            if job is None:
                return False
            _kill(job, "stopped")
            return True

    def close(self) -> None:
        """End all jobs and wait until their folders are gone."""
        with self._lock:
            jobs = list(self._jobs.values())
            for job in jobs:
                _kill(job, "the server stopped")
        for job in jobs:
            if job.thread is not None:
                job.thread.join()

    def _forget(self) -> None:
        done = [name for name, job in self._jobs.items() if job.answer is not None]
        for name in done[: max(0, len(done) - self.kept + 1)]:
            del self._jobs[name]

    def _run(self, job: _Job, order: Order) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
                Path(folder, order.file).write_text(order.text, "utf-8", newline="")
                out, err = self._execute(job, _command(order), folder)
        except OSError as error:
            out, err = b"", f"the job could not be run: {error}".encode()
        with self._lock:
            job.answer = _answer(job, out, err)
            job.process = None

    def _execute(self, job: _Job, command: list[str], folder: str) -> tuple[bytes, bytes]:
        with self._lock:
            if job.stopped:
                return b"", b""
            job.process = process = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "TMPDIR": folder},
                start_new_session=True,
            )
        try:
            return process.communicate(timeout=self.seconds)
        except subprocess.TimeoutExpired:
            with self._lock:
                _kill(job, f"ended after {self.seconds:g} s, the limit of one job")
            return process.communicate()


def _command(order: Order) -> list[str]:
    command = [sys.executable, "-P", "-m", "bankwise", order.verb, order.file, "--format", "json"]
    return [*command, "--target", order.target] if order.target else command


def _kill(job: _Job, why: str) -> None:
    """Kill the process group of a job that runs; call with the lock held."""
    if job.answer is not None or job.stopped:
        return
    job.stopped = why
    if job.process is not None and job.process.poll() is None:
        os.killpg(job.process.pid, signal.SIGKILL)


def _answer(job: _Job, out: bytes, err: bytes) -> dict[str, Any]:
    if job.stopped:
        return {"state": "failed", "error": job.stopped}
    try:
        return {"state": "done", "document": json.loads(out)}
    except ValueError:
        message = err.decode("utf-8", "replace").strip()[-4000:]
        return {"state": "failed", "error": message or "the job ended without an answer"}
