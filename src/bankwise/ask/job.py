"""One job of the workbench's server, in a process of its own: a verb on one file, as JSON lines.

    python -m bankwise.ask.job check kernel.ptx sm_90 256,1,1 n=4096

writes lines ``{"stage", "done", "total"}`` while it works (``total`` 0: nobody knows), and one with
the ``document`` of the answer, or the ``error`` in words. The process is the fence: whatever
happens in it, the server reads the end of a pipe. Standard input is the other fence: it ends when
the server does, however that ended, and then the job ends too, with its folder.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from bankwise.errors import InputError, Location
from bankwise.read.options import Options
from bankwise.read.recognise import recognise

Document = dict[str, Any]
Tell = Callable[[str, int, int], None]

SOLVE_SECONDS = 20.0
"""The budget of one search."""
_EVERY_S = 0.1
_LARGEST_FILE_BYTES = 1 << 30
_MOST_MEMORY_BYTES = 8 << 30
"""Addresses of one process of a job; what is not used (stacks of threads, arenas) counts too."""


def main() -> int:
    """Do the job that the command line names."""
    verb, file, target, workgroup_size, *arguments = sys.argv[1:]
    options = Options(target, workgroup_size=workgroup_size, arguments=tuple(arguments))
    _limit()
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    with _own_stdout() as sink:
        try:
            answer: Document = {
                "document": document(verb, Path(file), options, _progress_writer(sink))
            }
        except InputError as error:
            answer = {"error": str(error)}
        except MemoryError:
            answer = {"error": f"this needs more than {_MOST_MEMORY_BYTES:,} bytes of memory"}
        sink.write(json.dumps(answer) + "\n")
    return 0


def _end_with_the_server() -> None:
    """Wait until standard input ends; then nobody is left who would end this job and clean up."""
    while os.read(0, 4096):
        pass
    with suppress(OSError):
        shutil.rmtree(os.getcwd())
    os.killpg(0, signal.SIGKILL)


def document(verb: str, file: Path, options: Options, tell: Tell) -> Document:
    """The answer of a verb: what its ``--format json`` prints, with what pages draw.

    Raises :class:`InputError` for what the command line would refuse too, and for what a compiler
    would have to read: a text from a page must not open files by including them.
    """
    verbs = {"check": _check, "fix": _fix, "solve": _solve}
    tell(f"reading {file}", 0, 0)
    kind = recognise(file)
    if kind.compiled:
        message = f"this is {kind}, which no page compiles"
        raise InputError(message, location=Location(str(file)), hint=kind.instead)
    return verbs[verb](file, options, tell)


def _check(file: Path, options: Options, tell: Tell) -> Document:
    from bankwise.ask.check import check_file
    from bankwise.show.answers import check_document
    from bankwise.show.schema import plain

    tell("finding and counting accesses", 0, 0)
    report = check_file(file, options, lambda n, m: tell("checking dispatches", n, m))
    return plain(check_document(report, lanes=True))


def _fix(file: Path, options: Options, tell: Tell) -> Document:
    from bankwise.ask.fix import fix_file
    from bankwise.show.answers import fix_document
    from bankwise.show.schema import plain

    def ran(done: int, total: int) -> None:
        tell("executing workgroups, before and after", done, total)
        if done == total:
            tell("compiling, to compare the emitted code", 0, 0)

    tell("finding accesses, searching an address map", 0, 0)
    return plain(fix_document(fix_file(file, options, progress=ran), lanes=True))


def _solve(file: Path, options: Options, tell: Tell) -> Document:
    from bankwise.ask.solve import solve_file
    from bankwise.show.answers import solve_document
    from bankwise.show.schema import plain

    with _budget_progress("searching all linear layouts", SOLVE_SECONDS, tell):
        answer = solve_file(file, target=options.target, budget_s=SOLVE_SECONDS)
        return plain(solve_document(answer))


@contextmanager
def _budget_progress(stage: str, budget_s: float, tell: Tell) -> Iterator[None]:
    """Tell how much of its budget a search has used; beyond it nothing is known."""
    over, began = threading.Event(), time.monotonic()

    def tick() -> None:
        while not over.wait(_EVERY_S):
            spent = time.monotonic() - began
            known = spent <= budget_s
            tell(
                f"{stage}, at most {budget_s:g} s" if known else "comparing the families",
                round(100 * spent / budget_s) if known else 0,
                100 if known else 0,
            )

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _progress_writer(sink: TextIO) -> Tell:
    """Write progress, at most ten lines a second: every new stage, and every end of one."""
    last: dict[str, Any] = {"stage": "", "at": 0.0}

    def tell(stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if stage == last["stage"] and done < total and now - last["at"] < _EVERY_S:
            return
        last.update(stage=stage, at=now)
        sink.write(json.dumps({"stage": stage, "done": done, "total": total}) + "\n")
        sink.flush()

    return tell


@contextmanager
def _own_stdout() -> Iterator[TextIO]:
    """The real stdout; whatever else prints, a compiler say, prints to stderr from now on."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as sink:
        os.dup2(2, 1)
        yield sink


def _limit() -> None:
    """No core files, no file that fills the disk, not all memory, where the system has limits."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE_BYTES, _LARGEST_FILE_BYTES))
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY_BYTES, _MOST_MEMORY_BYTES))


if __name__ == "__main__":
    sys.exit(main())
