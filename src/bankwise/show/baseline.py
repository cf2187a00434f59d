"""What saved checks know: the file, the kernel in it, and which conflicts and open ends are there.

Lines are no part of what is known: they move with every edit above. Only where there are more
conflicts of one form than the saved check has do its places tell which of them are the old ones.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

from bankwise.counting.counted import AccessReport
from bankwise.errors import InputError, Location
from bankwise.hardware.machine import lane_text
from bankwise.read.names import short, spelled_in
from bankwise.show.same_file import named_from_here, relative, same
from bankwise.show.values import CheckReport
from bankwise.show.words import still_open

Key = tuple[str, str, str, tuple[str, ...], str]
"""A conflict in its file: kernel, operation, direction, allocations, instruction."""
Place = tuple[int, int, int]
"""Line, first column and the column behind the last one."""
Saved = tuple[Place, int]
"""A conflict of a saved check: where it stands, and its extra passes of a workgroup."""

_NAMED = 3
_RUNS = 8


@dataclass(frozen=True, slots=True)
class KnownConflicts:
    """Saved checks. ``saved``: their files, empty for none; ``asked``: what they are of; ``files``:
    with kernels, also of kernels without conflicts, each with what its check is of; ``places``:
    where each conflict is, as often as it is there; ``left``: how often what is not analysed, or
    assumed, may occur."""

    saved: str = ""
    asked: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[tuple[str, Key], tuple[Saved, ...]] = field(default_factory=dict)
    left: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class HeldAgainst:
    """A check beside a saved one. ``known``: its conflicts that the saved one has, the costliest
    first; ``new``: how many it has not; ``stale``: conflicts of its files that are there no more,
    with how many of each; ``known_left``: how much of what is not analysed, or assumed, the saved
    one has; ``new_left``: the rest of it, by file."""

    known: tuple[AccessReport, ...] = ()
    new: int = 0
    stale: tuple[tuple[str, Key, int], ...] = ()
    known_left: int = 0
    new_left: tuple[tuple[str, str], ...] = ()


def held_against(report: CheckReport, saved: KnownConflicts) -> HeldAgainst:
    """Which conflicts of a check a saved one knows, each as often as it has it."""
    homes = {id(a): k.location.file for k in report.kernels for a in k.accesses}
    now = _left(report)
    asked = {*(k.location.file for k in report.kernels), *(file for file, _ in now)}
    files = {file: _counterpart(file, report.file, asked, saved) for file in asked}
    alike: dict[tuple[str, Key], list[AccessReport]] = {}
    for access in (a for a in report.accesses if a.run.extra > 0):
        home = homes[id(access)]
        alike.setdefault((files[home], _key(access, home)), []).append(access)
    old = {id(a) for at, some in alike.items() for a in _known_of(some, saved.places.get(at, ()))}
    known = tuple(access for access in report.accesses if id(access) in old)
    here = {*files.values(), *_deleted(report.file, saved)}
    gone = ((*at, len(then) - len(alike.get(at, ()))) for at, then in saved.places.items())
    stale = tuple(one for one in gone if one[2] > 0 and one[0] in here)
    new = {at: n - saved.left[files[at[0]], at[1]] for at, n in now.items()}
    fresh = tuple(at for at, n in new.items() for _ in range(n))
    many = sum(map(len, alike.values())) - len(known)
    return HeldAgainst(known, many, stale, now.total() - len(fresh), fresh)


def _known_of(now: Sequence[AccessReport], then: Sequence[Saved]) -> list[AccessReport]:
    """Of accesses of one form those that were there, or cost more there: first what costs the same,
    then each for one that is not there any more."""
    known: list[AccessReport] = []
    spare: list[int] = []
    for extra in {extra for _, extra in then}:
        places = [at for at, cost in then if cost == extra]
        old = _old([access for access in now if access.run.extra == extra], places)
        known += old
        spare += [extra] * (len(places) - len(old))
    taken = set(map(id, known))
    for access in sorted((a for a in now if id(a) not in taken), key=lambda a: -a.run.extra):
        dearer = min((extra for extra in spare if extra > access.run.extra), default=None)
        if dearer is not None:
            spare.remove(dearer)
            known.append(access)
    return known


def _old(now: Sequence[AccessReport], then: Sequence[Place]) -> list[AccessReport]:
    """Of accesses that conflict alike those that stood at some places: of too many the ones that
    are written in the same columns, then the nearest."""
    if len(now) <= len(then) or not then:
        return list(now) if then else []
    at = [_place(access) for access in now]
    apart = [
        (here[1:] != there[1:], abs(here[0] - there[0]), n, m)
        for n, here in enumerate(at)
        for m, there in enumerate(then)
    ]
    taken: dict[int, int] = {}
    for *_, n, m in sorted(apart):
        if n not in taken and m not in taken.values():
            taken[n] = m
    return [now[n] for n in taken]


def _place(access: AccessReport) -> Place:
    at = access.location
    return at.line, at.column, at.end_column


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
    """A reason that stays the same when lines above it are edited, and code before it."""
    text = re.sub(r"\bat 0x[0-9a-f]+", "at *", text)
    return re.sub(r"\b(lines?) \d+(?:(?:,| and|-) ?\d+)*", r"\1 *", text)


def _deleted(asked: str, saved: KnownConflicts) -> set[str]:
    """The files of a saved check that lay in the folder that is asked about, and are gone."""
    top = relative(asked)
    if not top.is_dir():
        return set()
    return {f for f in saved.files if top in relative(f).parents and not Path(f).exists()}


def _counterpart(file: str, asked: str, here: Iterable[str], saved: KnownConflicts) -> str:
    """The file of a saved check that this one is; "" for a new file."""
    if file in saved.files:
        return file
    taken = set(here)
    found = [
        f for f, of in saved.files.items() if f not in taken and same((file, asked), (f, of or f))
    ]
    return found[0] if len(found) == 1 else ""


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
    at = {
        key: max(one.places.get(key, ()), other.places.get(key, ()), key=len)
        for key in (*one.places, *other.places)
    }
    return KnownConflicts(saved, asked, files, at, one.left | other.left)


def _known(document: dict[str, Any], saved: str) -> KnownConflicts:
    folder = document.get("folder")
    homes = {str(k["name"]): str(k["location"]["file"]) for k in document["kernels"]}
    places: dict[tuple[str, Key], list[Saved]] = {}
    for a in (a for a in document["accesses"] if a["run"]["extra"] > 0):
        home = homes[a["kernel"]]
        key = (
            *(own_name(a["kernel"], home), a["operation"], a["direction"]),
            *(tuple(a["allocations"]), a["instruction"]),
        )
        at = a["location"]
        place = int(at["line"] or 0), int(at["column"] or 0), int(at.get("end_column") or 0)
        found = places.setdefault((named_from_here(home, folder, saved), key), [])
        found.append((place, a["run"]["extra"]))
    asked = str(document["file"])
    open_ends = _saved_left(document, homes, asked)
    left = Counter((named_from_here(file, folder, saved), text) for file, text in open_ends)
    named = [named_from_here(home, folder, saved) for home in homes.values()]
    top = named_from_here(asked, folder, saved)
    files = dict.fromkeys([*named, *(file for file, _ in left)], top)
    return KnownConflicts(saved, asked, files, {k: tuple(v) for k, v in places.items()}, left)


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
    """What a baseline knows of a check, and what it knows in vain, in lines; none without one, nor
    where there is no conflict that it could know."""
    if not saved.saved:
        return ()
    many = len(held.known)
    where = f": {places(held.known)}" if many else f" (a check of {saved.asked})"
    lines = [f"{many:,} conflict{'s' * (many != 1)} known by the baseline {saved.saved}{where}"]
    lines = lines if many or held.new else []
    if held.stale:
        gone = sum(number for _, _, number in held.stale)
        kernels = ", ".join(dict.fromkeys(f"{f}: {short(key[0])}" for f, key, _ in held.stale))
        lines.append(f"{gone:,} in the baseline are here no more, save it anew: {kernels}")
    if held.known_left:
        lines.append(f"{held.known_left:,} not analysed or assumed, known by the baseline")
    if held.new_left:
        some = "; ".join(f"{file}: {spelled_in(text)}" for file, text in held.new_left[:_NAMED])
        more = "; .." * (len(held.new_left) > _NAMED)
        lines.append(f"{len(held.new_left):,} not analysed or assumed, new: {some}{more}")
    return tuple(lines)
