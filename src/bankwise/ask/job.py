"""One job of the page, an editor or an agent, in a process of its own: an order, as JSON lines.

    python -m bankwise.ask.job check kernel.ptx '{"verb": "check", "file": "kernel.ptx", ...}'

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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from msgspec import Struct

from bankwise.ask.fence import stay_inside
from bankwise.ask.jobs import Order
from bankwise.errors import InputError, Location
from bankwise.read.recognise import load, recognise

if TYPE_CHECKING:
    from bankwise.show.fixing import FixReport
    from bankwise.show.model import ModelFix
    from bankwise.show.solving import SolveReport
    from bankwise.show.spec import SpecReport, SpecSolution
    from bankwise.show.values import CheckReport

Document = dict[str, Any]
Tell = Callable[[str, int, int], None]

SOLVE_SECONDS = 20.0
"""The budget of one search."""
_EVERY_S = 0.1
_LARGEST_FILE_BYTES = 1 << 30
_MOST_MEMORY_BYTES = 8 << 30
"""Addresses of one process of a job; what is not used (stacks of threads, arenas) counts too."""

VERBS: Mapping[str, str] = {
    "check": "ask.job:checked",
    "fix": "ask.job:fixed",
    "solve": "ask.job:solved",
    "marks": "ask.marks:marked",
    "edits": "ask.edits:edited",
    "brief check": "ask.briefs:checked",
    "brief fix": "ask.briefs:fixed",
    "brief solve": "ask.briefs:solved_briefly",
    "brief show": "ask.briefs:drawn",
}
"""Who does what a job may do; loaded when it is wanted."""


def main() -> int:
    """Do the order that the command line holds."""
    import msgspec

    order, own = msgspec.json.decode(sys.argv[-1], type=Order), os.getcwd()
    _limit()
    threading.Thread(target=_end_with_the_server, args=(own,), daemon=True).start()
    with _own_stdout() as sink:
        sink.write(json.dumps(_answer(order, own, _progress_writer(sink))) + "\n")
    return 0


def _answer(order: Order, own: str, tell: Tell) -> Document:
    """``document``, or why there is none."""
    try:
        if order.folder:
            os.chdir(order.folder)
        if order.roots:
            stay_inside(order.roots, own)
        return {"document": document(order, tell)}
    except InputError as error:
        return _failed(error)
    except MemoryError:
        return {"error": f"this needs more than {_MOST_MEMORY_BYTES:,} bytes of memory"}


def _failed(error: InputError) -> Document:
    """Why not: in one piece, and in its parts."""
    at, parts = error.location, {"message": error.message, "hint": error.hint}
    where = at and {"file": at.file, "line": at.line, "column": at.column}
    return {"error": str(error), **parts, "location": where}


def _end_with_the_server(own: str) -> None:
    """Wait until standard input ends; then nobody is left who would end this job and clean up.
    ``own``: the folder that was made for it."""
    while os.read(0, 4096):
        pass
    with suppress(OSError):
        shutil.rmtree(own)
    os.killpg(0, signal.SIGKILL)


def document(order: Order, tell: Tell) -> Document:
    """The answer to an order.

    Raises :class:`InputError` for what the command line would refuse too, and, unless the order
    says ``compiled``, for what a compiler would have to read: it opens whatever a text includes.
    """
    tell(f"reading {order.file}", 0, 0)
    kind = recognise(order.file)
    if kind.compiled and not order.compiled:
        message = f"this is {kind}, which is not compiled here: it could include any file"
        raise InputError(message, location=Location(order.file), hint=kind.instead)
    answer: Document = load(VERBS[order.verb])(order, tell)
    return answer


def checked(order: Order, tell: Tell) -> Document:
    """``bankwise.check/1``, with what pages draw."""
    from bankwise.show.answers import check_document
    from bankwise.show.schema import plain

    return plain(check_document(check_of(order, tell), lanes=True))


def check_of(order: Order, tell: Tell) -> CheckReport | SpecReport:
    """The check of an order's file."""
    from bankwise.ask.check import check_file

    tell("finding and counting accesses", 0, 0)
    told = lambda n, m: tell("checking dispatches", n, m)  # noqa: E731 - one line of progress
    return check_file(Path(order.file), order.options, told)


def fixed(order: Order, tell: Tell) -> Document:
    """``bankwise.fix/1`` or ``bankwise.fix-model/1``, with what pages draw."""
    from bankwise.show.answers import fix_document
    from bankwise.show.schema import plain

    return plain(fix_document(fix_of(order, tell), lanes=True))


def fix_of(order: Order, tell: Tell) -> FixReport | ModelFix:
    """The fix of an order's file; nothing of it is written anywhere."""
    from bankwise.ask.fix import fix_file

    tell("finding accesses, searching an address map", 0, 0)
    return fix_file(Path(order.file), order.options, progress=_FixTold(tell))


class _FixTold(Struct, frozen=True):
    """What is told of a fix: how many workgroups were executed; of a source in which phase it
    is."""

    tell: Tell

    def __call__(self, done: int, total: int) -> None:
        self.tell("executing workgroups, before and after", done, total)
        if done == total:
            self.tell("compiling, to compare the emitted code", 0, 0)

    def phase(self, text: str) -> None:
        self.tell(text, 0, 0)


def solved(order: Order, tell: Tell) -> Document:
    """``bankwise.solve/1``."""
    from bankwise.show.schema import plain
    from bankwise.show.solutions import solve_document

    return plain(solve_document(solve_of(order, tell)))


def solve_of(order: Order, tell: Tell) -> SolveReport | SpecSolution:
    """The best layout for an order's tile question, within :data:`SOLVE_SECONDS`."""
    from bankwise.ask.solve import solve_file

    options = order.options
    asked = {"target": options.target, "policy": options.policy, "prefer": options.prefer}
    with _budget_progress("searching all linear layouts", SOLVE_SECONDS, tell):
        return solve_file(Path(order.file), budget_s=SOLVE_SECONDS, **asked)


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
