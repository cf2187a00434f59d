"""Kernels of a saved check that have another name now.

A kernel that is gone from its file and a new one of the file that conflicts at the same expression
are taken for one. A twin beside the old one is new: the old name still stands in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bankwise.read.names import demangled, own
from bankwise.show.baseline_match import Site
from bankwise.show.saved_check import (
    At,
    ConflictForm,
    KnownConflicts,
    SavedConflict,
    SavedKernel,
    extra_of,
    own_name,
)
from bankwise.show.values import CheckReport, KernelReport


class RenamedKernel(Struct, frozen=True):
    """A kernel with the one of the saved check that it is taken for."""

    kernel: KernelReport
    was: SavedKernel

    @property
    def name(self) -> str:
        """Its own name now, without the file that a report of a folder puts behind it."""
        return own_name(self.kernel.name, self.kernel.location.file)


def renamed_kernels(
    report: CheckReport,
    sites: Mapping[At, Sequence[Site]],
    saved: KnownConflicts,
    files: Mapping[str, str],
) -> tuple[RenamedKernel, ...]:
    """Each kernel that is gone with at most one that is new: first those with the most expressions
    in common, then with the nearest costs, at the nearest lines. ``files``: those of the check,
    each with that of the saved one."""
    now = {_now(kernel, files): kernel for kernel in report.kernels}
    new = {one: kernel for one, kernel in now.items() if one not in saved.kernels}
    gone = [one for one in _gone(saved, now) if _is_gone(one, files)] if new else []
    likely = sorted(
        (*_apart(mine, then), n, m)
        for n, one in enumerate(new)
        for m, was in enumerate(gone)
        if one[:2] == was[:2]
        for mine, then in [(_of(one, sites), _of(was, saved.conflicts))]
        if mine.keys() & then.keys()
    )
    return tuple(_pairs(likely, list(new), list(new.values()), gone))


def _pairs(
    likely: Sequence[tuple[int, ...]],
    new: Sequence[SavedKernel],
    kernels: Sequence[KernelReport],
    gone: Sequence[SavedKernel],
) -> Iterator[RenamedKernel]:
    free, left = set(range(len(new))), set(range(len(gone)))
    for *_, n, m in likely:
        if n in free and m in left:
            free.remove(n)
            left.remove(m)
            yield RenamedKernel(kernels[n], gone[m])


_Alike = tuple[str, tuple[str, ...]]
"""A conflict without its kernel: direction and expression."""


def _of(
    one: SavedKernel, conflicts: Mapping[At, Sequence[Site]] | Mapping[At, Sequence[SavedConflict]]
) -> dict[_Alike, Sequence[Site] | Sequence[SavedConflict]]:
    """The conflicts of a kernel that are known by their expressions."""
    file, target, name = one
    mine = (
        (form, some)
        for (home, form), some in conflicts.items()
        if (home, form.target, form.kernel) == (file, target, name) and form.at_source and some
    )
    return {(form.direction, form.what): some for form, some in mine}


def _apart(
    mine: Mapping[_Alike, Sequence[Site] | Sequence[SavedConflict]],
    then: Mapping[_Alike, Sequence[Site] | Sequence[SavedConflict]],
) -> tuple[int, int, int]:
    """How unlike two kernels are: expressions in common, what these cost, and their lines."""
    both = mine.keys() & then.keys()
    costs = sum(abs(_extra(mine[one]) - _extra(then[one])) for one in both)
    lines = sum(abs(mine[one][0].place[0] - then[one][0].place[0]) for one in both)
    return -len(both), costs, lines


def _extra(some: Sequence[Site] | Sequence[SavedConflict]) -> int:
    return sum(one.run.extra if isinstance(one, Site) else extra_of([one]) for one in some)


def _now(kernel: KernelReport, files: Mapping[str, str]) -> SavedKernel:
    home = kernel.location.file
    return files[home], kernel.target, own_name(kernel.name, home)


def _gone(saved: KnownConflicts, now: Mapping[SavedKernel, object]) -> list[SavedKernel]:
    """Kernels with saved conflicts that a check has not, in the order of the saved ones."""
    every = ((f, form.target, form.kernel) for f, form in saved.conflicts if form.at_source)
    return [one for one in dict.fromkeys(every) if one not in now]


def _is_gone(one: SavedKernel, files: Mapping[str, str]) -> bool:
    """Whether the text of the file has the kernel no more: one that is not compiled, or was not
    asked about, is there all the same."""
    homes = [file for file, then in files.items() if then == one[0]]
    name = re.compile(rf"\b{re.escape(own(demangled(one[2])))}\s*[(<]")
    return bool(homes) and not any(name.search(_text(home)) for home in homes)


def _text(file: str) -> str:
    try:
        return Path(file).read_text("utf-8", errors="replace")
    except OSError:
        return ""


def under_new_names(saved: KnownConflicts, renamed: Sequence[RenamedKernel]) -> KnownConflicts:
    """The same, with what is known of each kernel under the name that it has now."""
    names = {one.was: one.name for one in renamed}
    if not names:
        return saved
    conflicts: dict[At, tuple[SavedConflict, ...]] = {}
    for (file, form), some in saved.conflicts.items():
        now = _named(file, form, names)
        moved = tuple(replace(one, form=now) for one in some)
        conflicts[file, now] = (*conflicts.get((file, now), ()), *moved)
    left = {(f, gpu, _reason(f, gpu, text, names)): n for (f, gpu, text), n in saved.left.items()}
    return replace(saved, conflicts=conflicts, left=type(saved.left)(left))


def _named(file: str, form: ConflictForm, names: Mapping[SavedKernel, str]) -> ConflictForm:
    now = names.get((file, form.target, form.kernel))
    return form if now is None else replace(form, kernel=now)


def _reason(file: str, gpu: str, text: str, names: Mapping[SavedKernel, str]) -> str:
    """What is open of a kernel, with its name in front."""
    was, apart, rest = text.partition(": ")
    return f"{names.get((file, gpu, was), was)}{apart}{rest}"
