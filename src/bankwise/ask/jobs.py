"""Jobs of the page, of editors and of agents: a verb on a file, each in a process of its own.

A job gets a folder that vanishes with it, a time limit, a limit to its answer, and a process group,
so that a crash or an endless loop ends that job alone and whatever it started. What its process
(:mod:`bankwise.ask.job`) writes are lines of JSON: progress, and at last the answer. It reads a
pipe that nobody writes to, and that ends with the server: then the job ends itself.
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
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.read.formats import FORMATS
from bankwise.read.options import Options
from bankwise.read.recognise import recognise_text

Answer = dict[str, Any]

WORKER = (sys.executable, "-P", "-m", "bankwise.ask.job")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,79}")
_TALK_BYTES = 4_000
AS_THE_TEXT_SAYS = Options()


class Order(Struct, frozen=True):
    """What a job does: ``verb`` on ``file``, under ``options``.

    ``text``: what the file holds; it gets a folder that vanishes with the job. Empty: the file lies
    in ``folder``, below which its path is, or is absolute. ``compiled``: source may be compiled,
    whatever it includes. ``roots``: folders beside its own in which the job may open files; none:
    wherever the user may.
    """

    verb: str
    text: str
    file: str = "kernel.mlir"
    options: Options = AS_THE_TEXT_SAYS
    folder: str = ""
    compiled: bool = False
    roots: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """What the job's process is told: the last of them is all of it but the text."""
        import msgspec

        return (self.verb, self.file, msgspec.json.encode(replace(self, text="")).decode("utf-8"))


def check_text(text: str) -> None:
    """:class:`InputError` for a text that cannot be a file with a kernel."""
    if not text.strip():
        raise InputError("there is no kernel in this text")
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise InputError("the text holds half of a character (a lone surrogate)")


def file_name(name: str, text: str) -> str:
    """The name if it is a plain one, else one that says what the text is.

    It appears in messages and must not look like an option.
    """
    readable = {suffix for one in FORMATS if one.verbs for suffix in one.suffixes}
    if is_plain(name) and PurePath(name).suffix.lower() in readable:
        return name
    return f"pasted{next(iter(recognise_text('', text).suffixes), '.txt')}"


def is_plain(name: str) -> bool:
    """Whether a name of a file is one word, without folders, that no option looks like."""
    return _NAME.fullmatch(name) is not None


class _Job(Struct):
    began: float = field(default_factory=time.monotonic)
    told: Answer = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None
    answer: Answer | None = None
    stopped: str = ""
    thread: threading.Thread | None = None


class Jobs:
    """The running and the last finished jobs. Safe to use from several threads.

    ``seconds`` and ``answer_bytes`` limit one job, ``running`` how many there are at a time,
    ``kept`` how many answers wait to be fetched. ``worker``: the command that does a job; it gets
    the order, in JSON.
    """

    def __init__(
        self,
        seconds: float = 300.0,
        running: int = 4,
        kept: int = 32,
        answer_bytes: int = 64 << 20,
        worker: Sequence[str] = WORKER,
    ) -> None:
        self.seconds, self.running, self.kept = seconds, running, kept
        self.answer_bytes, self.worker = answer_bytes, tuple(worker)
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

    def state(self, name: str) -> Answer | None:
        """The answer with ``document`` or ``error``; before it how far the job is; None: unknown.

        A running job has ``stage`` in words, ``done`` of ``total`` (0: nobody knows), ``seconds``
        so far and ``limit_seconds``.
        """
        with self._lock:
            job = self._jobs.get(name)
            if job is None:
                return None
            spent = round(time.monotonic() - job.began, 1)
            times = {"seconds": spent, "limit_seconds": self.seconds}
            return job.answer or {"state": "running", **_NOTHING_TOLD, **job.told, **times}

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
                if order.text:
                    Path(folder, order.file).write_text(order.text, "utf-8", newline="")
                answer = self._work(job, order, folder)
        except OSError as error:
            answer = _failed(f"the job could not be run: {error}")
        with self._lock:
            job.answer = _failed(job.stopped) if job.stopped else answer
            job.process = None

    def _work(self, job: _Job, order: Order, folder: str) -> Answer:
        """Start the process, listen to it until its end, and make its last words the answer."""
        with open(Path(folder, ".talk"), "w+b") as talk:
            process = self._start(job, order, folder, talk)
            if process is None:
                return {}
            clock = threading.Timer(self.seconds, self._end, (job, self._too_long()))
            clock.daemon = True
            clock.start()
            try:
                answer = self._listen(job, process)
                process.wait()
            finally:
                clock.cancel()
                self._end(job, "the server could not listen to it")
                _sweep_up(process)
                if process.stdin is not None:
                    process.stdin.close()
            return answer or _failed(_last_words(process.returncode, talk))

    def _start(
        self, job: _Job, order: Order, folder: str, talk: Any
    ) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if job.stopped:
                return None
            job.process = subprocess.Popen(
                [*self.worker, *order.words],
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=talk,
                env={**os.environ, "TMPDIR": folder},
                start_new_session=True,
            )
            return job.process

    def _listen(self, job: _Job, process: subprocess.Popen[bytes]) -> Answer | None:
        """Read lines up to the answer, None if there is none; keep progress for :meth:`state`."""
        assert process.stdout is not None, "it was opened with a pipe"
        with process.stdout as lines:
            while line := lines.readline(self.answer_bytes + 1):
                if len(line) > self.answer_bytes:
                    self._end(job, f"ended: its answer is over {self.answer_bytes:,} bytes")
                    return None
                said = _read(line)
                if "document" in said:
                    return {"state": "done", "document": said["document"]}
                if "error" in said:
                    return {"state": "failed", **said}
                if "stage" in said:
                    job.told = {key: said.get(key, old) for key, old in _NOTHING_TOLD.items()}
        return None

    def _end(self, job: _Job, why: str) -> None:
        with self._lock:
            _kill(job, why)

    def _too_long(self) -> str:
        return f"ended after {self.seconds:g} s, the limit of one job"


_NOTHING_TOLD: Answer = {"stage": "starting", "done": 0, "total": 0}


def _kill(job: _Job, why: str) -> None:
    """Kill the process group of a job that runs; call with the lock held."""
    if job.answer is not None or job.stopped:
        return
    if job.process is None:
        job.stopped = why
    elif job.process.poll() is None:
        job.stopped = why
        os.killpg(job.process.pid, signal.SIGKILL)


def _sweep_up(process: subprocess.Popen[bytes]) -> None:
    """End what a process left behind in its group, a compiler that it started say."""
    process.wait()
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _failed(why: str) -> Answer:
    return {"state": "failed", "error": why}


def _read(line: bytes) -> Answer:
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}


def _last_words(code: int, talk: Any) -> str:
    """Why a process ended without an answer: its signal, and the end of what it printed."""
    size = talk.seek(0, os.SEEK_END)
    talk.seek(max(0, size - _TALK_BYTES))
    printed = talk.read().decode("utf-8", "replace").strip()
    how = f"ended with code {code}"
    if code < 0:
        how = f"crashed ({signal.Signals(-code).name})"
    return f"the job {how} and left no answer; nothing else was harmed\n{printed}".strip()
