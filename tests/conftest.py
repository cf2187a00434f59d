"""What all tests share: one Hypothesis profile, whose verdicts do not depend on a busy machine,
processes that stay small, compilers that answer the same question once."""

import gc
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

import memory
import remembered
from bankwise.cores import cores
from bankwise.read import ahead

settings.register_profile("bankwise", deadline=None)
settings.load_profile("bankwise")

_NUMBERS = count()
_WRITES = not sys.dont_write_bytecode

gc.disable()  # of what is collected nothing is given back: :func:`memory.settle`


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # started in the background of a shell:
        signal.signal(signal.SIGINT, signal.default_int_handler)  # what tests start is asked to end
    config.addinivalue_line("markers", "compiles: compilers run, whatever they said before")


def pytest_sessionstart(session: pytest.Session) -> None:
    """pytest rewrites the assertions of a module where no file has it rewritten, for 10 s of all
    modules. Each worker imports a part of them before it collects all: the others find its files.
    They are written whatever the environment says, beside the modules, while tests are collected.
    """
    sys.dont_write_bytecode = False
    worker = getattr(session.config, "workerinput", None)
    here = Path(__file__).parent
    if worker is None or [Path(one).absolute() for one in session.config.args] != [here]:
        return
    number, workers = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for path in sorted(here.glob("test_*.py"))[number::workers]:
        with suppress(Exception, pytest.skip.Exception):  # it is told when it is collected
            import_module(path.stem)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """One more than there are cores: while a test waits for a browser or a server another one runs.
    None, xdist's own number, where the environment says one."""
    return None if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ else cores() + 1


@pytest.fixture(scope="session", autouse=True)
def _one_by_one() -> None:
    """All cores run tests: none is left for compilers whose answers nobody may ask for."""
    ahead.MOST = 0


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Names of tests hold no bytes of files: these may differ from worker to worker."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(scope="session", autouse=True)
def _remembered(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> None:
    own = tmp_path_factory.getbasetemp()
    session = own.parent if own.name.startswith("popen-") else own
    known = getattr(request.config, "cache", None)  # none with -p no:cacheprovider
    shared = session / "remembered" if known is None else Path(known.mkdir("compilers"))
    remembered.start(own, shared)


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """pytest's, but equally long for all tests, and found without a look at all others."""
    name = "".join(c if c.isalnum() else "_" for c in request.node.name)[:20]
    return tmp_path_factory.mktemp(f"{name:_<20}{next(_NUMBERS):06}", numbered=False)


def pytest_collection_finish() -> None:
    sys.dont_write_bytecode = not _WRITES
    memory.settle()


@pytest.hookimpl(tryfirst=True, wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    remembered.asked = item.get_closest_marker("compiles") is None
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """The environment is as it was: Dask leaves numbers of threads and a seed of hashes in it."""
    before = dict(os.environ)
    try:
        return (yield)
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    memory.give_back()
