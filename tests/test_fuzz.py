"""Broken input of every kind: an exit code of the table, in words, in time (tests/fuzz/run.py).

The same inputs in every run. More of them: ``python tests/fuzz/run.py --count 10000``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from fuzz.entries import ENTRIES, Entry
from fuzz.mutate import mutated
from fuzz.run import attempts

SLOW = {"mlir-fix": 12, "ttgir": 20, "cubin": 25}
PLAIN, CALLS = 60, 1500


def count_of(entry: Entry) -> int:
    """How many inputs an entry gets here: together a minute and a half."""
    return CALLS if entry.work else SLOW.get(entry.name, PLAIN)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_broken_input_is_answered_in_words(entry: Entry) -> None:
    seen = list(attempts(entry, 0, count_of(entry)))
    assert [one for one in seen if one.wrong] == []
    assert len(seen) == count_of(entry)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e.name)
def test_the_inputs_are_many_and_the_same_every_time(entry: Entry, tmp_path: Path) -> None:
    first = [mutated(entry.seeds(), number) for number in range(40)]
    assert first == [mutated(entry.seeds(), number) for number in range(40)]
    assert len(set(first)) > 30
    assert all(entry.seeds())
