"""A change of a text as a patch."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

Opcode = tuple[str, int, int, int, int]


def unified_patch(file: Path, before: str, after: str, like: tuple[str, str] | None = None) -> str:
    """A patch that ``git apply`` takes, with paths relative to the current folder.

    For a file elsewhere they are relative to the root of the file system. ``like``: texts with the
    same lines, but that some that stay are empty, which says faster what changes.
    """
    path = patch_path(file)
    old, new = lines_of(before), lines_of(after)
    lines = [f"--- a/{path}\n", f"+++ b/{path}\n"] if old != new else []
    shown = (old, new) if like is None else (lines_of(like[0]), lines_of(like[1]))
    for group in _groups(opcodes(*shown)):
        lines += _hunk(group, old, new)
    ended = [x if x.endswith("\n") else f"{x}\n\\ No newline at end of file\n" for x in lines]
    return "".join(ended)


def patch_path(file: Path) -> str:
    """What a patch calls a file."""
    path = os.path.relpath(file)
    return path if not path.startswith("..") else os.path.abspath(file).lstrip("/")


def is_patch(name: str) -> bool:
    """Whether a file is called like a patch."""
    return name.endswith((".patch", ".diff"))


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends. Only a newline ends a line."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + [parts[-1]] * bool(parts[-1])


def opcodes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """What makes one text of the other, as :mod:`difflib` says it, found between the first and the
    last line that differ."""
    ends = min(len(old), len(new))
    head = next((i for i in range(ends) if old[i] != new[i]), ends)
    tail = next((i for i in range(ends - head) if old[-1 - i] != new[-1 - i]), ends - head)
    middle = _told_apart(old[head : len(old) - tail]), _told_apart(new[head : len(new) - tail])
    # Without autojunk: a blank line that occurs often is still the same line before and after.
    found = difflib.SequenceMatcher(None, *middle, autojunk=False).get_opcodes()
    moved = [(tag, i + head, j + head, k + head, m + head) for tag, i, j, k, m in found]
    first = [("equal", 0, head, 0, head)] if head else []
    at, to = len(old) - tail, len(new) - tail
    return [*first, *moved, *([("equal", at, len(old), to, len(new))] if tail else [])]


_RUN = 8


def _told_apart(lines: Iterable[str]) -> list[str]:
    """The lines, each but the first of a long run of blank ones with its number in it: what is
    left out of a dump is 100,000 of them, and they are matched one by one."""
    found, run = [], 0
    for line in lines:
        run = run + 1 if line == "\n" else 0
        found.append(f"\0{run}" if run > _RUN else line)
    return found


def spliced(whole: str, before: str, after: str) -> str:
    """``whole`` with what makes ``after`` of ``before``, line by line. ``before`` is ``whole`` with
    some lines empty that stay."""
    if whole == before:
        return after
    full, old, new = lines_of(whole), lines_of(before), lines_of(after)
    parts: list[str] = []
    for tag, i, j, k, m in opcodes(old, new):
        parts += full[i:j] if tag == "equal" else new[k:m]
    return "".join(parts)


_CONTEXT = 3


def _groups(codes: Sequence[Opcode]) -> Iterator[list[Opcode]]:
    """What changes, with some lines around it; what is nearer than twice as many, together."""
    group: list[Opcode] = []
    last = len(codes) - 1
    for number, (tag, i, j, k, m) in enumerate(codes):
        if tag != "equal":
            group.append((tag, i, j, k, m))
            continue
        if number and (number == last or j - i > 2 * _CONTEXT):
            upto = min(_CONTEXT, j - i)
            yield [*group, (tag, i, i + upto, k, k + upto)]
            group = []
        if number == last:
            continue
        back = j - i if group else min(_CONTEXT, j - i)
        group.append((tag, j - back, j, m - back, m))
    if group:
        yield group


def _hunk(group: list[Opcode], old: list[str], new: list[str]) -> Iterator[str]:
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
