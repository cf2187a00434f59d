"""What saved checks know: the file, the GPU, and which conflicts and open ends are there.

Lines are no part of what is known: they move with every edit above. A conflict of source is known
by its expression, so another array in the same line is another conflict; one of other code by its
instruction and, where the code names it, by its allocation.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import reduce
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.regex import regex
from bankwise.show.same_file import named_from_here

Place = tuple[int, int, int]
"""Line, first column and the column behind the last one."""
_ARRAY = regex(r"([A-Za-z_]\w*)\[")
OpenEnd = tuple[str, str, str]
"""What is not analysed, or assumed: its file, the GPU, and the reason without its lines."""

SavedKernel = tuple[str, str, str]
"""The file, the GPU and the name of a kernel."""

SavedOpener = tuple[str, str, str]
"""The file, the kernel and the option that would answer what is open there."""


class ConflictForm(Struct, frozen=True):
    """What tells a conflict from others of its file. ``what``: of source its expression without
    spaces, or its ``whole_line``, else operation, instruction and allocations."""

    target: str
    kernel: str
    direction: str
    what: tuple[str, ...]
    whole_line: bool = False

    @property
    def at_source(self) -> bool:
        """Whether it is known by its expression."""
        return len(self.what) == 1

    @property
    def family(self) -> ConflictForm:
        """Forms that may be one that was edited: of source those of the same arrays; else itself.
        A whole line, of which no columns are known, may name arrays that it is not of."""
        arrays = {*_ARRAY.findall(self.what[0])} if self.at_source and not self.whole_line else ()
        return replace(self, what=("", *sorted(arrays))) if arrays else self


class SavedConflict(Struct, frozen=True):
    """A conflict of a saved check: where it stands, its extra passes of a workgroup (of all
    instructions of an expression together), and ``by`` which saved check it is known."""

    form: ConflictForm
    place: Place
    extra: int
    by: str


At = tuple[str, ConflictForm]
"""A form of conflicts in its file."""


class KnownConflicts(Struct, frozen=True):
    """Saved checks. ``saved``: their files; ``asked``: what they are of; ``files``: with kernels,
    also of kernels without conflicts, each with what its check is of; ``targets``: the GPUs that
    each was counted for; ``at_source``: files whose conflicts have expressions; ``conflicts``: each
    as often as it is there; ``plain``: the same by instructions alone; ``left``: how often what is
    not analysed, or assumed, may occur; ``openers``: options that would answer some of it, each
    with its file and kernel; ``kernels``: all of them, also those without conflicts."""

    saved: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    targets: Mapping[str, frozenset[str]] = field(default_factory=dict)
    at_source: frozenset[str] = frozenset()
    conflicts: Mapping[At, tuple[SavedConflict, ...]] = field(default_factory=dict)
    plain: Mapping[At, tuple[SavedConflict, ...]] = field(default_factory=dict)
    left: Counter[OpenEnd] = field(default_factory=Counter)
    openers: frozenset[SavedOpener] = frozenset()
    kernels: frozenset[SavedKernel] = frozenset()


def read_baseline(text: str, file: str) -> KnownConflicts:
    """The conflicts of a saved ``check --format json``; InputError if it is none."""
    import json

    try:
        document = json.loads(text)
        if document["schema"] != "bankwise.check/1":
            raise InputError("not a bankwise.check/1 document", location=Location(file))
        return _known(document, file)
    except (json.JSONDecodeError, LookupError, TypeError, AttributeError, ValueError) as error:
        message = f"not a saved `check --format json`: {error}"
        hint = "save one: bankwise check KERNEL --format json > known.json"
        raise InputError(message, location=Location(file), hint=hint) from error


def together(saved: Iterable[KnownConflicts]) -> KnownConflicts:
    """Several saved checks as one: of each form the conflicts of the one that has most of it."""
    return reduce(_joined, saved, KnownConflicts())


def _joined(one: KnownConflicts, other: KnownConflicts) -> KnownConflicts:
    nothing: frozenset[str] = frozenset()
    return KnownConflicts(
        (*one.saved, *other.saved),
        (*one.asked, *other.asked),
        {**one.files, **other.files},
        {
            file: one.targets.get(file, nothing) | other.targets.get(file, nothing)
            for file in (*one.targets, *other.targets)
        },
        one.at_source | other.at_source,
        _most(one.conflicts, other.conflicts),
        _most(one.plain, other.plain),
        one.left | other.left,
        one.openers | other.openers,
        one.kernels | other.kernels,
    )


def _most(
    one: Mapping[At, tuple[SavedConflict, ...]], other: Mapping[At, tuple[SavedConflict, ...]]
) -> dict[At, tuple[SavedConflict, ...]]:
    """Of each form the conflicts of the one that has most of it."""
    every = (*one, *other)
    return {at: max(one.get(at, ()), other.get(at, ()), key=extra_of) for at in every}


def by_instruction(known: KnownConflicts, files: Collection[str]) -> KnownConflicts:
    """The same, with the conflicts of some files by their instructions, as of those without
    expressions."""
    kept = {at: some for at, some in known.conflicts.items() if at[0] not in files}
    plain = {at: some for at, some in known.plain.items() if at[0] in files}
    rest = known.at_source.difference(files)
    return replace(known, at_source=rest, conflicts={**kept, **plain})


def extra_of(some: Iterable[SavedConflict]) -> int:
    """What saved conflicts cost together."""
    return sum(one.extra for one in some)


def _known(document: dict[str, Any], saved: str) -> KnownConflicts:
    homes = {str(k["name"]): str(k["location"]["file"]) for k in document["kernels"]}
    gpus = {str(k["name"]): str(k.get("target", "")) for k in document["kernels"]}
    asked, folder = str(document["file"]), document.get("folder")
    here = {
        file: named_from_here(file, folder, saved)
        for file in (asked, *homes.values(), *_refused_in(document))
    }
    ends = list(_accepted(_saved_left(document, homes, asked, gpus), document))
    left = Counter((here[f], *end) for f, end in ends)
    named = [*(here[home] for home in homes.values()), *(file for file, *_ in left)]
    expressions = _expressions(document)
    aside = _not_accepted(document)
    costs = [
        _Costing(here[homes[a["kernel"]]], a, expressions.get(n, ""), gpus[a["kernel"]], extra)
        for n, (a, extra) in enumerate(zip(document["accesses"], _extras(document), strict=True))
        if extra > 0
    ]
    return KnownConflicts(
        (saved,),
        (asked,),
        dict.fromkeys(named, here[asked]),
        targets_of((here[homes[name]], gpu) for name, gpu in gpus.items()),
        frozenset(here[homes[document["accesses"][n]["kernel"]]] for n in expressions),
        _conflicts(costs, homes, saved),
        _conflicts((replace(cost, expression="") for cost in costs), homes, saved),
        left,
        frozenset(
            (here[homes[o["kernel"]]], own_name(o["kernel"], homes[o["kernel"]]), o["option"])
            for o in document.get("openers", ())
            if not aside["open"]
        ),
        frozenset((here[home], gpus[k], own_name(k, home)) for k, home in homes.items()),
    )


class _Costing(Struct, frozen=True):
    """An access with conflicts: its file, itself, its expression, its GPU, and what it costs."""

    file: str
    access: dict[str, Any]
    expression: str
    target: str
    extra: int


def _not_accepted(document: dict[str, Any]) -> dict[str, Any]:
    """What of it stays new, by ``--accept``."""
    return {"accesses": (), "grown": (), "open": (), **document.get("not_accepted", {})}


def _extras(document: dict[str, Any]) -> list[int]:
    """The extra passes of each access that are known: of one that is not accepted only those that
    were known before it grew."""
    aside = _not_accepted(document)
    before = {one["access"]: int(one["extra"]) for one in aside["grown"]}
    left = dict.fromkeys(aside["accesses"], 0) | before
    return [left.get(n, int(a["run"]["extra"])) for n, a in enumerate(document["accesses"])]


def _accepted(
    ends: Iterable[tuple[str, tuple[str, str]]], document: dict[str, Any]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """What of the open ends is known: as often as it is not left out by ``--accept``."""
    aside = Counter((o["file"], lineless(o["text"])) for o in _not_accepted(document)["open"])
    for file, (gpu, text) in ends:
        if aside[file, text]:
            aside[file, text] -= 1
        else:
            yield file, (gpu, text)


def _refused_in(document: dict[str, Any]) -> list[str]:
    return [str(r["location"]["file"]) for r in document["refusals"] if r["location"]]


def _expressions(document: dict[str, Any]) -> dict[int, str]:
    """The expressions of accesses, by number; none where no column is known, which is for want of
    a parser: lines alone are no way to tell conflicts apart."""
    told = document.get("diagnostics", ())
    columns = any(one["location"]["column"] for one in told)
    return {n: one["expression"] for one in told for n in one["accesses"] if columns}


def _conflicts(
    costs: Iterable[_Costing], homes: dict[str, str], saved: str
) -> dict[At, tuple[SavedConflict, ...]]:
    """Accesses that cost something, by their forms."""
    found: dict[At, dict[object, SavedConflict]] = {}
    for number, cost in enumerate(costs):
        a = cost.access
        form = _form(a, own_name(a["kernel"], homes[a["kernel"]]), cost.target, cost.expression)
        place = _place(a["location"])
        same = found.setdefault((cost.file, form), {})
        unit = place if form.at_source else number
        before = same[unit].extra if unit in same else 0
        same[unit] = SavedConflict(form, place, before + cost.extra, saved)
    return {at: tuple(some.values()) for at, some in found.items()}


def targets_of(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """The GPUs of each file, of files with the GPUs of their kernels."""
    found: dict[str, frozenset[str]] = {}
    for file, target in pairs:
        found[file] = found.get(file, frozenset()) | {target}
    return found


def only(targets: frozenset[str]) -> str:
    """The GPU, where there is one alone."""
    return next(iter(targets)) if len(targets) == 1 else ""


def _form(access: dict[str, Any], kernel: str, target: str, expression: str) -> ConflictForm:
    plain = access["operation"], access["instruction"], *access["allocations"]
    line = bool(expression) and not access["location"]["column"]
    what = (spaceless(expression),) if expression else plain
    return ConflictForm(target, kernel, access["direction"], what, line)


def _place(at: dict[str, Any]) -> Place:
    return int(at["line"] or 0), int(at["column"] or 0), int(at.get("end_column") or 0)


def _saved_left(
    document: dict[str, Any], homes: dict[str, str], asked: str, gpus: dict[str, str]
) -> Iterator[tuple[str, tuple[str, str]]]:
    """What a saved check could not analyse, or assumed: the file, then GPU and reason."""
    targets = targets_of((homes[name], gpu) for name, gpu in gpus.items())
    for refusal in document["refusals"]:
        file = str(refusal["location"]["file"]) if refusal["location"] else asked
        yield file, (only(targets.get(file, frozenset())), lineless(refusal["reason"]))
    for kernel in document["kernels"]:
        name, home = kernel["name"], homes[kernel["name"]]
        for text in kernel["open"]:
            yield home, (gpus[name], lineless(f"{own_name(name, home)}: {text}"))
    for a in document["accesses"]:
        if a["conflict"] == "possible" and not a["run"]["extra"]:
            home = homes[a["kernel"]]
            text = in_part(own_name(a["kernel"], home), a["instruction"])
            yield home, (gpus[a["kernel"]], lineless(text))


def in_part(kernel: str, instruction: str) -> str:
    """What is open of an access that may conflict."""
    return f"{kernel}: {instruction}: which lanes take part, or how often, is not known"


def lineless(text: str) -> str:
    """A reason that stays the same when lines above it are edited, and code before it."""
    text = re.sub(r"\bat 0x[0-9a-f]+", "at *", text)
    return re.sub(r"\b(lines?) \d+(?:(?:,| and|-) ?\d+)*", r"\1 *", text)


def spaceless(text: str) -> str:
    """An expression however it is spaced."""
    return "".join(text.split())


def own_name(kernel: str, file: str) -> str:
    """A kernel's own name, without the file that a report of a folder puts behind it."""
    name, apart, where = kernel.rpartition(" [")
    return name if apart and where.endswith("]") and file.endswith(where[:-1]) else kernel
