"""Compilers that run while what was compiled before is followed and judged.

    text 1   nvcc --------- followed, judged
    text 2   nvcc ----------           followed, judged
    text 3   nvcc -----------                     is not asked for: ended

What a text costs decides which one is compiled next, so a few are begun that nobody asks for; the
answers are the same. They are processes, not threads: those would keep kernels from being followed
in copies of this one (:mod:`bankwise.read.follow.apart`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from subprocess import Popen

from bankwise.cores import cores
from bankwise.identity import ByIdentity
from bankwise.read.toolkit import run_program, said_until_its_end

MOST = 2
"""Compilers beside the one that is waited for, at most. More hide no more time: behind two nvdisasm
and the following are what is waited for, and more of them are begun for nothing."""

RunProgram = Callable[[Sequence[str], Path, str], tuple[int, str]]
"""As :func:`bankwise.read.toolkit.run_program`."""


def spare() -> int:
    """How many compilers may run beside the one that is waited for: a core for each."""
    return min(MOST, cores() - 1)


class LaidOut(ByIdentity, frozen=True, eq=False):
    """A compilation in a ``folder`` of its own: the ``source`` and the ``flags`` for it there, and
    by whom its compiler is ``run``, if not by :func:`bankwise.read.toolkit.run_program`."""

    folder: Path
    source: Path
    flags: tuple[str, ...]
    run: RunProgram | None = None


class BegunCompilation(ByIdentity, frozen=True, eq=False):
    """A compiler that runs, ``started`` with ``words`` for what is ``laid`` out. ``all``: what ends
    with it, and its folder."""

    laid: LaidOut
    words: tuple[str, ...]
    started: Popen[str]
    all: ExitStack

    @property
    def runs(self) -> bool:
        """Whether it is not done yet."""
        return self.started.poll() is None

    def run(self, words: Sequence[str], folder: Path, file: str) -> tuple[int, str]:
        """What it says in the end, where these are its words; else what is said to these."""
        if tuple(words) != self.words:
            return run_program(words, folder, file)
        return said_until_its_end(self.started, words, file)
