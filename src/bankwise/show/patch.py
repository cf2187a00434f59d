"""A change of a text as a patch."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator
from pathlib import Path


def unified_patch(file: Path, before: str, after: str) -> str:
    """A patch that ``git apply`` takes, with paths relative to the current folder.

    For a file elsewhere they are relative to the root of the file system.
    """
    path = os.path.relpath(file)
    path = path if not path.startswith("..") else os.path.abspath(file).lstrip("/")
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    lines = [f"--- a/{path}\n", f"+++ b/{path}\n"] if old != new else []
    # Without autojunk: a blank line that occurs often is still the same line before and after.
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes():
        lines += _hunk(group, old, new)
    ended = [x if x.endswith("\n") else f"{x}\n\\ No newline at end of file\n" for x in lines]
    return "".join(ended)


def _hunk(
    group: list[tuple[str, int, int, int, int]], old: list[str], new: list[str]
) -> Iterator[str]:
    first, last = group[0], group[-1]
    yield f"@@ -{_range(first[1], last[2])} +{_range(first[3], last[4])} @@\n"
    for tag, i, j, k, m in group:
        if tag == "equal":
            yield from (f" {line}" for line in old[i:j])
        else:
            yield from (f"-{line}" for line in old[i:j])
            yield from (f"+{line}" for line in new[k:m])


def _range(start: int, end: int) -> str:
    """Lines ``start .. end`` (from 0) as a hunk header counts them; an empty range one less."""
    length = end - start
    return f"{start + (1 if length else 0)},{length}"
