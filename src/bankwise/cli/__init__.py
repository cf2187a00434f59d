"""The command line: verbs and options, no logic.

Data goes to stdout, talk to stderr. Exit codes: 0 clean, 1 findings, 2 bad input or failure, 3
answered, but incomplete (:mod:`bankwise.errors`).
"""

from __future__ import annotations

import atexit
import gc
import os
import sys

__all__ = ["main"]

_INTERRUPTED, _UNREAD = 130, 141
"""Exit codes of a program that SIGINT, or SIGPIPE, ended: no answer was given, or not all of it."""
_DEBUG = "--debug"
_TO_FILE = "what is printed goes into a file by > FILE"
_INSTEAD = {"-o": _TO_FILE, "--output": _TO_FILE, "--json": "--format json"}
"""What to type for an option that a verb does not have."""


def main() -> None:
    """The entry point: whatever goes wrong becomes one message on stderr and an exit code."""
    debug = _take_debug()
    _live_briefly()
    try:
        sys.exit(_guarded(debug))
    except KeyboardInterrupt:
        _print_error("interrupted")
        sys.exit(_INTERRUPTED)


def _live_briefly() -> None:
    """Leave out what only a long life repays: threads that OpenBLAS starts for products of large
    matrices, which nothing here computes; looking for cycles among modules that stay to the end;
    and taking all values apart before the process ends."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(200_000, 5, 10)
    atexit.register(gc.freeze)


def _take_debug() -> bool:
    """Whether ``--debug`` was given, before or behind the verb; it is taken away."""
    words = sys.argv[1:]
    options = words[: words.index("--")] if "--" in words else words
    if _DEBUG not in options:
        return False
    sys.argv.remove(_DEBUG)
    return True


def _guarded(debug: bool) -> int | str | None:
    """Run the command; its exit code."""
    try:
        return _run()
    except BrokenPipeError:
        _drop_output()
        return _UNREAD
    except Exception as error:
        return _failed(_message(error, debug))


def _message(error: Exception, debug: bool) -> str:
    """What went wrong, in the user's words."""
    known = _known(error)
    return f"error: {known}" if known else _internal(error, debug)


def _known(error: Exception) -> str:
    """What the user, or his system, can mend; empty for a defect of bankwise."""
    from bankwise.errors import InputError

    match error:
        case InputError():
            return str(error)
        case UnicodeEncodeError():
            sign = error.object[error.start]
            message = f"the encoding of the output, {error.encoding}, has no {sign!a}"
            return f"{message}\n  hint: set PYTHONUTF8=1, or a locale with UTF-8"
        case OSError():
            return _refused_by_system(error)
        case MemoryError():
            return "this needs more memory than there is"
        # Without a working directory Python 3.13 ends some imports in a SystemError.
        case SystemError() if _folder_is_gone():
            return _GONE
    return ""


def _run() -> int | str | None:
    """Import the command that was typed, which takes most of the start, and run it."""
    if sys.stdout is None:
        from bankwise.errors import InputError

        raise InputError("standard output is closed", hint="for no output: > /dev/null")
    if sys.argv[1:] == ["--version"]:
        from bankwise.cli.version import print_version

        print_version()
        sys.stdout.flush()
        return 0
    from bankwise.cli.verbs import application

    app = application(sys.argv[1:])
    try:
        app()
    except SystemExit as end:
        # What prints takes a pipe that was closed for a failure.
        if isinstance(end.__context__, BrokenPipeError):
            raise end.__context__ from None
        if end.code == _INTERRUPTED:  # so Click ends at Ctrl-C, without a word
            raise KeyboardInterrupt from None
        hint = _INSTEAD.get(getattr(end.__context__, "option_name", ""))
        if hint:
            _print_error(f"hint: {hint}")
        sys.stdout.flush()
        return end.code
    sys.stdout.flush()
    return 0


def _refused_by_system(error: OSError) -> str:
    """What the system refused, and at which file."""
    why = error.strerror or str(error)
    if error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {why}"
    return _GONE if _folder_is_gone() else f"standard output, or a temporary file: {why}"


_GONE = "the working directory was deleted\n  hint: cd to one that exists"


def _folder_is_gone() -> bool:
    try:
        os.getcwd()
    except OSError:
        return True
    return False


def _internal(error: Exception, debug: bool) -> str:
    """A defect of bankwise, in one line, after its traceback if that was asked for."""
    if debug:
        import traceback

        traceback.print_exc()
    return (
        f"internal error: {type(error).__name__}: {error} (this is a bug in bankwise; "
        f"with {_DEBUG} there is a traceback to report)"
    )


def _failed(message: str) -> int:
    """Say why; what stdout still holds is dropped if it cannot be written."""
    from bankwise.errors import FAILED

    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        _drop_output()
    _print_error(message)
    return FAILED


def _print_error(message: str) -> None:
    from bankwise.show.wrap import wrapped

    if sys.stderr is not None:
        print(wrapped(message, kept=len("error: ")), file=sys.stderr)


def _drop_output() -> None:
    """Nobody reads stdout any more, or it is full: the interpreter must not flush it at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError):
        sys.stdout = os.fdopen(nowhere, "w")
