"""What saved checks know: the file, the kernel in it, and which conflicts and open ends are there.

A file is held by where it lies. Two relative paths were written from one working folder and must be
equal; an absolute one may be of another checkout, and is held by its end. Files of two folders that
lie apart are held by where they lie in the folder that was asked about. What is not surely the same
file is new: a conflict that is told twice costs a look, one that is masked costs the answer.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path, PurePath
from typing import Any

from bankwise.counting.counted import AccessReport
from bankwise.errors import InputError, Location
from bankwise.hardware.machine import lane_text
from bankwise.show.values import CheckReport
from bankwise.show.words import still_open

Key = tuple[str, str, str, tuple[str, ...], str, int]
"""A conflict in its file: kernel, operation, direction, allocations, instruction, extra passes of a
workgroup. Lines are left out: they move with every edit above."""

_NAMED = 3
_RUNS = 8


@dataclass(frozen=True, slots=True)
class KnownConflicts:
    """Saved checks. ``saved``: their files, empty for none; ``asked``: what they are of; ``files``:
    with kernels, also of kernels without conflicts, each with what its check is of; ``often``: how
    often each conflict may occur; ``left``: how often what is not analysed, or assumed, may."""

    saved: str = ""
    asked: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    often: Counter[tuple[str, Key]] = field(default_factory=Counter)
    left: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class HeldAgainst:
    """A check beside a saved one. ``known``: its conflicts that the saved one has, the costliest
    first; ``stale``: conflicts of its files that are there no more, with how many of each;
    ``known_left``: how much of what is not analysed, or assumed, the saved one has; ``new_left``:
    the rest of it, by file."""

    known: tuple[AccessReport, ...] = ()
    stale: tuple[tuple[str, Key, int], ...] = ()
    known_left: int = 0
    new_left: tuple[tuple[str, str], ...] = ()


def held_against(report: CheckReport, saved: KnownConflicts) -> HeldAgainst:
    """Which conflicts of a check a saved one knows, each as often as it has it."""
    homes = {id(a): k.location.file for k in report.kernels for a in k.accesses}
    now = _left(report)
    asked = {*(k.location.file for k in report.kernels), *(file for file, _ in now)}
    files = {file: _counterpart(file, report.file, asked, saved) for file in asked}
    left, known = saved.often.copy(), []
    for access in (a for a in report.accesses if a.run.extra > 0):
        home = homes[id(access)]
        key = files[home], _key(access, home)
        if left[key] > 0:
            left[key] -= 1
            known.append(access)
    here = {*files.values(), *_deleted(report.file, saved)}
    stale = [(f, key, n) for (f, key), n in left.items() if n > 0 and f in here]
    new = {at: n - saved.left[files[at[0]], at[1]] for at, n in now.items()}
    fresh = tuple(at for at, n in new.items() for _ in range(n))
    return HeldAgainst(tuple(known), tuple(stale), now.total() - len(fresh), fresh)


def _left(report: CheckReport) -> Counter[tuple[str, str]]:
    """What stands between a check and a promise, by file and without its lines."""
    found = [(r.location.file if r.location else report.file, r.reason) for r in report.refusals]
    for kernel in report.kernels:
        home = kernel.location.file
        name = own_name(kernel.name, home)
        found += [(home, f"{name}: {text}") for text in still_open(kernel, 0)]
        found += [
            (home, _in_part(name, a.instruction))
            for a in kernel.accesses
            if a.conflict == "possible" and not a.run.extra
        ]
    return Counter((file, _lineless(text)) for file, text in found)


def _in_part(kernel: str, instruction: str) -> str:
    return f"{kernel}: {instruction}: which lanes take part, or how often, is not known"


def _lineless(text: str) -> str:
    """A reason that stays the same when lines above it are edited."""
    return re.sub(r"\b(lines?) \d+(?:(?:,| and|-) ?\d+)*", r"\1 *", text)


def _deleted(asked: str, saved: KnownConflicts) -> set[str]:
    """The files of a saved check that lay in the folder that is asked about, and are gone."""
    top = _relative(asked)
    if not top.is_dir():
        return set()
    return {f for f in saved.files if top in _relative(f).parents and not Path(f).exists()}


def _counterpart(file: str, asked: str, here: Iterable[str], saved: KnownConflicts) -> str:
    """The file of a saved check that this one is; "" for a new file."""
    if file in saved.files:
        return file
    taken = set(here)
    found = [
        f for f, of in saved.files.items() if f not in taken and _same((file, asked), (f, of or f))
    ]
    return found[0] if len(found) == 1 else ""


def _same(now: tuple[str, str], then: tuple[str, str]) -> bool:
    """Whether two files are one, each with what was asked about when it was read."""
    new, old = _relative(now[0]), _relative(then[0])
    if new == old:
        return True
    tops = _relative(now[1]), _relative(then[1])
    inner = tuple(f.relative_to(t) for f, t in zip((new, old), tops, strict=True) if t in _above(f))
    apart = tops[0] not in _above(tops[1]) and tops[1] not in _above(tops[0])
    folders = len(inner) == 2 and all(path.parts for path in inner)
    if apart and folders and inner[0] == inner[1]:
        return True
    if not (new.is_absolute() or old.is_absolute()):
        return False
    least = max(1, *(len(path.parts) for path in inner))
    short, long = sorted((_parts(new), _parts(old)), key=len)
    return len(short) >= least and long[-len(short) :] == short


def _above(path: PurePath) -> tuple[PurePath, ...]:
    return (path, *path.parents)


def _relative(file: str) -> Path:
    """A path without dots, from the working folder if it is below it."""
    path, here = Path(os.path.normpath(file)), Path.cwd()
    return path.relative_to(here) if here in path.parents or path == here else path


def _parts(path: PurePath) -> tuple[str, ...]:
    return path.relative_to(path.anchor).parts


def own_name(kernel: str, file: str) -> str:
    """A kernel's own name, without the file that a report of a folder puts behind it."""
    name, apart, where = kernel.rpartition(" [")
    return name if apart and where.endswith("]") and file.endswith(where[:-1]) else kernel


def _key(access: AccessReport, file: str) -> Key:
    return (
        own_name(access.kernel, file),
        access.operation,
        access.direction,
        access.allocations,
        access.instruction,
        access.run.extra,
    )


def read_baseline(text: str, file: str) -> KnownConflicts:
    """The conflicts of a saved ``check --format json``; InputError if it is none."""
    try:
        document = json.loads(text)
        if document["schema"] != "bankwise.check/1":
            raise InputError("not a bankwise.check/1 document", location=Location(file))
        return _known(document, file)
    except (json.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
        message = f"not a saved `check --format json`: {error}"
        hint = "save one: bankwise check KERNEL --format json > known.json"
        raise InputError(message, location=Location(file), hint=hint) from error


def together(saved: Iterable[KnownConflicts]) -> KnownConflicts:
    """Several saved checks as one: each conflict as often as the one of them that has most."""
    return reduce(_joined, saved, KnownConflicts())


def _joined(one: KnownConflicts, other: KnownConflicts) -> KnownConflicts:
    saved, asked = (
        ", ".join(filter(None, pair))
        for pair in ((one.saved, other.saved), (one.asked, other.asked))
    )
    files = {**one.files, **other.files}
    return KnownConflicts(saved, asked, files, one.often | other.often, one.left | other.left)


def _known(document: dict[str, Any], saved: str) -> KnownConflicts:
    homes = {str(k["name"]): str(k["location"]["file"]) for k in document["kernels"]}
    often: Counter[tuple[str, Key]] = Counter()
    for a in (a for a in document["accesses"] if a["run"]["extra"] > 0):
        home = homes[a["kernel"]]
        key = (
            *(own_name(a["kernel"], home), a["operation"], a["direction"]),
            *(tuple(a["allocations"]), a["instruction"], a["run"]["extra"]),
        )
        often[home, key] += 1
    asked = str(document["file"])
    left = Counter(_saved_left(document, homes, asked))
    files = dict.fromkeys([*homes.values(), *(file for file, _ in left)], asked)
    return KnownConflicts(saved, asked, files, often, left)


def _saved_left(
    document: dict[str, Any], homes: dict[str, str], asked: str
) -> Iterator[tuple[str, str]]:
    """As :func:`_left`, of a saved check."""
    for refusal in document["refusals"]:
        place = refusal["location"]
        yield (str(place["file"]) if place else asked), _lineless(refusal["reason"])
    for kernel in document["kernels"]:
        home = homes[kernel["name"]]
        for text in kernel["open"]:
            yield home, _lineless(f"{own_name(kernel['name'], home)}: {text}")
    for a in document["accesses"]:
        if a["conflict"] == "possible" and not a["run"]["extra"]:
            home = homes[a["kernel"]]
            yield home, _lineless(_in_part(own_name(a["kernel"], home), a["instruction"]))


def places(accesses: Iterable[AccessReport]) -> str:
    """Where some accesses stand, by file, in words."""
    lines: dict[str, set[int]] = {}
    for access in accesses:
        lines.setdefault(access.location.file, set()).add(access.location.line)
    said = [f"{file}:{_runs(some)}" for file, some in lines.items()]
    more = f" and {len(said) - _NAMED} more files" if len(said) > _NAMED else ""
    return f"{'; '.join(said[:_NAMED])}{more}"


def _runs(lines: set[int]) -> str:
    """Lines as ranges, no more than a reader looks up."""
    runs = lane_text(tuple(sorted(lines))).split()
    return ",".join([*runs[:_RUNS], *[".."] * (len(runs) > _RUNS)])


def said_known(held: HeldAgainst, saved: KnownConflicts) -> tuple[str, ...]:
    """What a baseline knows of a check, and what it knows in vain, in lines; none without one."""
    if not saved.saved:
        return ()
    many = len(held.known)
    where = f": {places(held.known)}" if many else f" (a check of {saved.asked})"
    lines = [f"{many:,} conflict{'s' * (many != 1)} known by the baseline {saved.saved}{where}"]
    if held.stale:
        gone = sum(number for _, _, number in held.stale)
        kernels = ", ".join(dict.fromkeys(f"{f}: {key[0]}" for f, key, _ in held.stale))
        lines.append(f"{gone:,} in the baseline are here no more, save it anew: {kernels}")
    if held.known_left:
        lines.append(f"{held.known_left:,} not analysed or assumed, known by the baseline")
    if held.new_left:
        some = "; ".join(f"{file}: {text}" for file, text in held.new_left[:_NAMED])
        more = "; .." * (len(held.new_left) > _NAMED)
        lines.append(f"{len(held.new_left):,} not analysed or assumed, new: {some}{more}")
    return tuple(lines)
