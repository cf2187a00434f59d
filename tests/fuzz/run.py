"""``python tests/fuzz/run.py [--count N] [--first N] [ENTRY ...]``: broken input for every entry.

Whatever comes in, the answer is an exit code of the table, with words where it is 2, and comes
within a limit of processor time; anything else is told with the number of the input, and
``--show ENTRY NUMBER`` prints that input. One process an entry: what kills it is told too.
"""

from __future__ import annotations

import argparse
import faulthandler
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from bankwise.errors import InputError
from command import Ended, bankwise
from fuzz.entries import ENTRIES, Entry
from fuzz.mutate import mutated

SECONDS = 60
"""Of processor time for one input; the slowest good one takes a few."""
_CODES = (0, 1, 2, 3)


class _Hang(BaseException):
    pass


@dataclass(frozen=True)
class Seen:
    """What became of input ``number``: its exit code, or what is wrong with the answer."""

    number: int
    code: int
    wrong: str = ""


def attempt(entry: Entry, number: int, folder: Path) -> Seen:
    """Give one broken input to its command."""
    data = mutated(entry.seeds(), number)
    path = folder / f"input{entry.suffix}"
    if "{}" in entry.words:
        path.write_bytes(data)
    text = data.decode("utf-8", "replace")
    words = [text if w == "{text}" else str(path) if w == "{}" else w for w in entry.words]
    signal.signal(signal.SIGVTALRM, _hang)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        ended = bankwise(*words) if entry.work is None else _called(entry.work, text)
    except _Hang:
        return Seen(number, -1, f"hang: no answer after {SECONDS} s of processor time")
    except BaseException as error:
        return Seen(number, -1, f"{type(error).__name__}: {str(error)[:300]}")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    if "Traceback (most" in ended.err:
        return Seen(number, ended.code, "traceback: " + ended.err[-300:])
    if ended.code not in _CODES:
        return Seen(number, ended.code, f"exit code {ended.code}")
    silent = ended.code == 2 and not ended.err.strip() and not ended.out.strip()
    return Seen(number, ended.code, "code 2 without a word" if silent else "")


def _called(work: Callable[[str], object], text: str) -> Ended:
    try:
        work(text)
    except InputError as error:
        return Ended(2, "", str(error))
    return Ended(0, "", "")


def _hang(number: int, frame: object) -> None:
    raise _Hang


def attempts(entry: Entry, first: int, count: int) -> Iterator[Seen]:
    """``count`` inputs from ``first`` on, in this process."""
    with tempfile.TemporaryDirectory() as name:
        for number in range(first, first + count):
            yield attempt(entry, number, Path(name))


def _report(entry: Entry, first: int, count: int) -> tuple[int, int]:
    """One line: inputs by exit code, and what went wrong, of a child that may die."""
    receive, send = multiprocessing.Pipe(duplex=False)
    began, at, codes, wrong = time.monotonic(), first, Counter[int](), 0
    while at < first + count:
        child = multiprocessing.Process(target=_work, args=(entry, at, first + count - at, send))
        child.start()
        while child.is_alive() or receive.poll():
            if receive.poll(0.2):
                seen = receive.recv()
                at = seen.number + 1
                codes[seen.code] += 1
                if seen.wrong:
                    wrong += 1
                    print(f"  {entry.name} {seen.number}: {seen.wrong}", flush=True)
        if child.exitcode:
            wrong += 1
            print(f"  {entry.name} {at}: the process died: {child.exitcode}", flush=True)
            at += 1
    told = ", ".join(f"{n:,} x {code}" for code, n in sorted(codes.items()))
    spent = time.monotonic() - began
    print(f"{entry.name}: {count:,} inputs, {wrong} wrong; {told}; {spent:,.0f} s", flush=True)
    return count, wrong


def _work(entry: Entry, first: int, count: int, send: object) -> None:
    faulthandler.disable()
    os.chdir(tempfile.gettempdir())
    for seen in attempts(entry, first, count):
        send.send(seen)  # type: ignore[attr-defined]


def main() -> int:
    """Run the entries that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entries", nargs="*", metavar="ENTRY")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--show", type=int, metavar="NUMBER")
    given = parser.parse_args()
    chosen = [e for e in ENTRIES if not given.entries or e.name in given.entries]
    if given.show is not None:
        sys.stdout.buffer.write(mutated(chosen[0].seeds(), given.show))
        return 0
    done = [_report(entry, given.first, given.count) for entry in chosen]
    print(f"{sum(n for n, _ in done):,} inputs, {sum(n for _, n in done)} wrong")
    return min(1, sum(n for _, n in done))


if __name__ == "__main__":
    sys.exit(main())
