"""Processes that begin with their modules imported: copies of one that has them.

    warm.run(words) --> client --socket--> server --fork--> the words, as a new Python runs them
                        waits              waits           in the client's folder and environment,
                                                           on its standard streams

A new Python that imports bankwise or Triton takes half a second before it does anything, and many
tests start one. The copy has all that a new one has: arguments, folder, environment, streams, an
end of its own. Where the environment says anything else to Python or Triton than that of the
server did, a new one is started after all; so it is where the words are no module's.
"""

from __future__ import annotations

import marshal
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from functools import cache

_TO_PYTHON = ("PYTHON", "TRITON", "CUDA", "OMP", "OPENBLAS", "LD_")
"""Names of variables that are read while modules are imported begin so."""

CHECKS = (
    *("bankwise.cli.verbs", "bankwise.cli.check", "bankwise.cli.project", "bankwise.ask.check"),
    *("bankwise.ask.check_assembly", "bankwise.ask.check_ptx", "bankwise.ask.advice"),
    *("bankwise.ask.advice_amd", "bankwise.read.amd.dialect", "bankwise.read.ptx.dialect"),
    *("bankwise.read.settings", "bankwise.notation.frameworks", "bankwise.solver.best"),
    *("bankwise.show.gate", "bankwise.show.as_text", "bankwise.show.as_sarif"),
    *("bankwise.show.baseline_words", "bankwise.show.documents.checking"),
    "bankwise.show.renamed",
)
"""What a check of machine code imports, for the most part."""

TRITON = (
    *("triton", "triton.compiler", "triton.backends.compiler", "triton._utils"),
    *("bankwise.read.ttgir.constants", "bankwise.read.ttgir.user_module"),
)
"""What the worker imports that asks Triton."""
_COPIED = sys.platform == "linux"
_FIRST = dict(os.environ)

CLIENT = """\
#!{python} -IS
import sys
sys.path[:0] = [{here!r}]
import warm
warm.client({place!r}, {python!r}, {program!r})
"""
"""Stands for ``program``: python, or bankwise."""


def client(place: str, python: str, program: str) -> None:
    """What ends as the words do that were given to the program."""
    words = sys.argv[1:] if program == "python" else ["-m", "bankwise", *sys.argv[1:]]
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(place)
        socket.send_fds(server, [b"."], [0, 1, 2])
        data = marshal.dumps((words, os.getcwd(), dict(os.environ)))
        server.sendall(len(data).to_bytes(8, "big") + data)
        said = server.recv(16)
    if said == b"new":
        os.execv(python, [python, *words])
    code = int(said or b"255")
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)


def serve(listening: socket.socket) -> None:
    """Answer clients until standard input ends: until who started this has ended."""
    mine = _said_to_python(os.environ)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends with the tests
    while True:
        ready, _, _ = select.select([listening, 0], [], [])
        if listening not in ready:
            os._exit(0)
        connection, _ = listening.accept()
        if not os.fork():
            listening.close()
            _answer(connection, mine)
            os._exit(0)
        connection.close()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _said_to_python(environment: os._Environ[str] | dict[str, str]) -> dict[str, str]:
    """What Python, or a module, may heed. Tests that ran bankwise in their process have the number
    of threads that it says, too."""
    found = {name: said for name, said in environment.items() if name.startswith(_TO_PYTHON)}
    return {"OPENBLAS_NUM_THREADS": "1"} | found


def _answer(connection: socket.socket, mine: dict[str, str]) -> None:
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    with connection.makefile("rb") as said:
        size = int.from_bytes(said.read(8), "big")
        words, folder, environment = marshal.loads(said.read(size))
    options = []
    while words[:1] == ["-W"]:
        options, words = [*options, words[1]], words[2:]
    if words[:1] != ["-m"] or _said_to_python(environment) != mine:
        connection.sendall(b"new")
        return
    child = os.fork()
    if child:
        ends = os.pidfd_open(child)
        if ends not in select.select([ends, connection], [], [])[0]:  # the client was killed
            os.kill(child, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        with suppress(BrokenPipeError):
            connection.sendall(str(code).encode())
        return
    connection.close()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    _run(words[1], words[2:], options)


def _run(module: str, words: list[str], options: list[str]) -> None:
    """A module as the program, up to its end."""
    import atexit
    import runpy
    import traceback
    import warnings

    for one in options:
        warnings.simplefilter(one)  # type: ignore[arg-type]
    sys.argv, sys.path[0], code = ["", *words], os.getcwd(), 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code & 255)


def python(*modules: str) -> str:
    """The Python that has imported some ``modules``; a new one where processes are not copied."""
    return f"{programs(*modules)}/python" if _COPIED else sys.executable


@cache
def programs(*modules: str) -> str:
    """A folder with ``bankwise`` and ``python``, which have imported some ``modules``: it stands
    first on PATH. It has none where processes are not copied."""
    import atexit
    import subprocess
    from pathlib import Path
    from tempfile import TemporaryDirectory

    folder = TemporaryDirectory(prefix="warm-")
    place = f"{folder.name}/warm"
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(place)
    listening.listen(64)
    words = [sys.executable, __file__, str(listening.fileno()), *modules]
    server = subprocess.Popen(
        words, pass_fds=[listening.fileno()], stdin=subprocess.PIPE, env=_FIRST
    )
    listening.close()
    atexit.register(server.communicate)
    _FOLDERS.append(folder)
    here, made = str(Path(__file__).parent), Path(folder.name, "bin")
    made.mkdir()
    for name in ("bankwise", "python") if _COPIED else ():
        text = CLIENT.format(python=sys.executable, here=here, place=place, program=name)
        (made / name).write_text(text, "utf-8")
        (made / name).chmod(0o755)
    return str(made)


_FOLDERS: list[object] = []
"""They lie there until this process ends."""


if __name__ == "__main__":
    import gc
    import importlib

    for name in sys.argv[2:]:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
