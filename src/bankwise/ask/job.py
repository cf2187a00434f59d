"""One job of the workbench's server, in a process of its own: a verb on one file, as JSON lines.

    python -m bankwise.ask.job fix kernel.mlir gfx950

writes lines ``{"stage", "done", "total"}`` while it works (``total`` 0: nobody knows), and one with
the ``document`` of the answer, or the ``error`` in words. The process is the fence: whatever
happens in it, the server reads the end of a pipe.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

from bankwise.errors import InputError
from bankwise.files import read_text

Document = dict[str, Any]
Tell = Callable[[str, int, int], None]

SOLVE_SECONDS = 20.0
"""The budget of one search."""
_EVERY_S = 0.1
_LARGEST_FILE_BYTES = 1 << 30


def main() -> int:
    """Do the job that the command line names."""
    verb, file, target = sys.argv[1:4]
    _limit()
    with _answers() as sink:
        try:
            answer: Document = {"document": document(verb, Path(file), target, _teller(sink))}
        except InputError as error:
            answer = {"error": str(error)}
        sink.write(json.dumps(answer) + "\n")
    return 0


def document(verb: str, file: Path, target: str, tell: Tell) -> Document:
    """The answer of a verb: what its ``--format json`` prints, with what pages draw.

    Raises :class:`InputError` for what the command line would refuse too.
    """
    verbs = {"check": _check, "fix": _fix, "solve": _solve}
    tell(f"reading {file}", 0, 0)
    return verbs[verb](file, target, tell)


def _check(file: Path, target: str, tell: Tell) -> Document:
    from bankwise.ask.check import check_file
    from bankwise.ask.check_assembly import is_assembly
    from bankwise.ask.model import check_model, is_model
    from bankwise.read.options import Options
    from bankwise.show.documents.checking import check_document
    from bankwise.show.schema import plain

    if file.suffix == ".toml":
        return _check_spec(file, target)
    options = Options(target)
    tell("finding and counting accesses", 0, 0)
    if is_assembly(file) or not is_model(read_text(file)):
        return plain(check_document(check_file(file, options), lanes=True))
    tell("lowering the model", 0, 0)
    report = check_model(file, options, progress=lambda n, m: tell("checking dispatches", n, m))
    return plain(check_document(report, lanes=True))


def _check_spec(file: Path, target: str) -> Document:
    from bankwise.ask.spec import check_spec
    from bankwise.read.spec.read import is_spec
    from bankwise.show.documents.checking import spec_document
    from bankwise.show.schema import plain

    if not is_spec(file):
        raise InputError(f"{file}: a problem without a layout", hint="solve it")
    return plain(spec_document(check_spec(file, target=target), lanes=True))


def _fix(file: Path, target: str, tell: Tell) -> Document:
    from bankwise.ask.check_assembly import is_assembly
    from bankwise.ask.fix import fix_file
    from bankwise.ask.model import fix_model, is_model
    from bankwise.read.options import Options
    from bankwise.show.documents.fixing import fix_document, model_fix_document
    from bankwise.show.schema import plain

    if is_assembly(file) or file.suffix == ".toml":
        raise InputError(f"{file}: only a kernel or a model is rewritten", hint="check or solve it")
    options = Options(target)
    tell("finding accesses, searching an address map", 0, 0)

    def ran(done: int, total: int) -> None:
        tell("executing workgroups, before and after", done, total)
        if done == total:
            tell("compiling, to compare the emitted code", 0, 0)

    if is_model(read_text(file)):
        return plain(model_fix_document(fix_model(file, options, progress=ran), lanes=True))
    return plain(fix_document(fix_file(file, options, progress=ran), lanes=True))


def _solve(file: Path, target: str, tell: Tell) -> Document:
    from bankwise.ask.solve import solve
    from bankwise.ask.spec_solve import solve_spec
    from bankwise.read.spec.read import is_spec
    from bankwise.show.documents.solving import solution_document, solve_document
    from bankwise.show.schema import plain

    if file.suffix != ".toml":
        raise InputError(f"{file}: a problem or a spec is solved, a kernel is fixed")
    with _clock("searching all linear layouts", SOLVE_SECONDS, tell):
        if is_spec(file):
            answer = solve_spec(file, target=target, budget_s=SOLVE_SECONDS)
            return plain(solution_document(answer))
        return plain(solve_document(solve(file, budget_s=SOLVE_SECONDS)))


@contextmanager
def _clock(stage: str, budget_s: float, tell: Tell) -> Iterator[None]:
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


def _teller(sink: TextIO) -> Tell:
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
def _answers() -> Iterator[TextIO]:
    """The real stdout; whatever else prints, a compiler say, prints to stderr from now on."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as sink:
        os.dup2(2, 1)
        yield sink


def _limit() -> None:
    """No core files, and no file that fills the disk, where the system has such limits."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE_BYTES, _LARGEST_FILE_BYTES))


if __name__ == "__main__":
    sys.exit(main())
