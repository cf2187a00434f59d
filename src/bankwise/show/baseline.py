"""A check beside saved ones: which conflicts and open ends are known, which are new."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bankwise.counting.counted import AccessReport
from bankwise.errors import Location
from bankwise.show.baseline_match import HeldFamily, Site, families, held_family
from bankwise.show.causes import folded
from bankwise.show.diagnostics import Diagnostic
from bankwise.show.renamed import RenamedKernel, renamed_kernels, under_new_names
from bankwise.show.same_file import relative, same
from bankwise.show.saved_check import (
    At,
    ConflictForm,
    KnownConflicts,
    OpenEnd,
    Place,
    SavedConflict,
    SavedOpener,
    by_instruction,
    in_part,
    lineless,
    only,
    own_name,
    spaceless,
    targets_of,
)
from bankwise.show.values import CheckReport, KernelReport
from bankwise.show.words import still_open


class NewEnd(Struct, frozen=True):
    """What is not analysed, or assumed, and no saved check has: in which file, in the words of the
    check, and where in it."""

    file: str
    text: str
    location: Location


class HeldAgainst(Struct, frozen=True):
    """A check beside saved ones. ``known``: its conflicts that they have, the costliest first, of
    so many ``causes``; ``by``: the saved checks that have them; ``new``: how many they have not;
    ``grown``: those of the new ones that they have with fewer extra passes, with how many;
    ``taken``: known ones that were edited, with the saved one that each is taken for;
    ``less``: known ones that cost less now, with what they did; ``stale``: conflicts of its files
    that are there no more, with how many of each; ``moved``: new
    files, each with the one that is gone and had the same conflicts; ``renamed``: kernels that are
    taken for others that are gone from their files; ``elsewhere``: files of which
    they know another GPU alone, with it and with the GPU of this check; ``known_left``: how much of
    what is not analysed, or assumed, they have; ``new_left``: the rest of it; ``openers``:
    what they know would answer some of it, by file, kernel and option."""

    known: tuple[AccessReport, ...] = ()
    causes: int = 0
    by: tuple[str, ...] = ()
    new: int = 0
    grown: tuple[tuple[Site, int], ...] = ()
    taken: tuple[tuple[Site, SavedConflict], ...] = ()
    stale: tuple[tuple[str, ConflictForm, int], ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    elsewhere: tuple[tuple[str, str, str], ...] = ()
    known_left: int = 0
    new_left: tuple[NewEnd, ...] = ()
    openers: frozenset[SavedOpener] = frozenset()
    renamed: tuple[RenamedKernel, ...] = ()
    less: tuple[tuple[tuple[Site, ...], int], ...] = ()

    def before(self, accesses: Iterable[AccessReport]) -> int:
        """What the saved checks have of some accesses that cost more now; 0: nothing."""
        here = set(map(id, accesses))
        return sum(was for site, was in self.grown if id(site.accesses[0]) in here)

    def opens(self, file: str, text: str) -> bool:
        """Whether something that is open in a file, in the words of ``new_left``, is new."""
        return (file, lineless(text)) in {(new.file, lineless(new.text)) for new in self.new_left}

    def opens_in(self, kernel: KernelReport, text: str) -> bool:
        """The same of something that is open in a kernel, without its name."""
        home = kernel.location.file
        return self.opens(home, f"{own_name(kernel.name, home)}: {text}")


def held_against(report: CheckReport, saved: KnownConflicts) -> HeldAgainst:
    """Which conflicts of a check the saved ones know."""
    left = _left(report)
    here = {*(k.location.file for k in report.kernels), *(file for file, *_ in left)}
    files = {file: _counterpart(file, report.file, here, saved) for file in here}
    saved = by_instruction(saved, _without_columns(report, files))
    sites = _sites(report, saved, files)
    renamed = renamed_kernels(report, sites, saved, files)
    saved = under_new_names(saved, renamed)
    held = [held_family(now, then) for now, then in families(sites, saved)]
    known = {id(access) for one in held for site in one.known for access in site.accesses}
    some = tuple(access for access in report.accesses if id(access) in known)
    fresh = list(_new_left(left, files, saved))
    conflicting = [a for a in report.accesses if a.run.extra > 0 and id(a) not in known]
    homes = _homes(report)
    open_ends = {
        *(homes[id(a)] for a in conflicting),
        *((new.file, target) for target, new in fresh),
    }
    return HeldAgainst(
        some,
        len(folded(report, some)),
        tuple(dict.fromkeys(by for one in held for by in one.by)),
        len(conflicting),
        tuple(pair for one in held for pair in one.grown),
        tuple(pair for one in held for pair in one.taken),
        tuple(_stale(report, saved, files, held)),
        tuple(_moved(report, saved, files)),
        tuple(_elsewhere(open_ends, files, saved)),
        sum(map(len, left.values())) - len(fresh),
        tuple(new for _, new in fresh),
        frozenset(_known_openers(report, files, saved)),
        renamed,
        tuple(pair for one in held for pair in one.less),
    )


def _known_openers(
    report: CheckReport, files: Mapping[str, str], saved: KnownConflicts
) -> Iterator[SavedOpener]:
    """Those of the check that the saved ones have, in the words of the check."""
    for kernel in report.kernels:
        home = kernel.location.file
        name = own_name(kernel.name, home)
        for found in kernel.openers:
            if (files[home], name, found.option) in saved.openers:
                yield home, kernel.name, found.option


def _homes(report: CheckReport) -> dict[int, tuple[str, str]]:
    """The file and the GPU of each access, by its ``id``."""
    return {id(a): (k.location.file, k.target) for k in report.kernels for a in k.accesses}


def _sites(
    report: CheckReport, saved: KnownConflicts, files: Mapping[str, str]
) -> dict[At, tuple[Site, ...]]:
    """The conflicts of a check by their forms, in the files of the saved ones."""
    homes = _homes(report)
    found: dict[At, dict[object, list[AccessReport]]] = {}
    for access in (a for a in report.accesses if a.run.extra > 0):
        file = files[homes[id(access)][0]]
        form = _form(access, report, homes[id(access)], at_source=file in saved.at_source)
        unit = access.location if form.at_source else id(access)
        found.setdefault((file, form), {}).setdefault(unit, []).append(access)
    return {at: tuple(Site(tuple(a)) for a in units.values()) for at, units in found.items()}


def _without_columns(report: CheckReport, files: Mapping[str, str]) -> set[str]:
    """Files of which lines alone are known, for want of a parser."""
    homes = _homes(report)
    columns = [
        (files[homes[id(a)][0]], a.location.column > 0)
        for a in report.accesses
        if (a.location.file, a.location.line) in report.source_lines and a.run.extra > 0
    ]
    return {file for file, _ in columns} - {file for file, known in columns if known}


def _form(
    access: AccessReport, report: CheckReport, home: tuple[str, str], *, at_source: bool
) -> ConflictForm:
    file, target = home
    place = access.location
    line = report.source_lines.get((place.file, place.line), "") if at_source else ""
    expression = spaceless(Diagnostic(place, line, (access,)).expression)
    plain = access.operation, access.instruction, *access.allocations
    what = (expression,) if expression else plain
    whole_line = bool(expression) and not place.column
    return ConflictForm(target, own_name(access.kernel, file), access.direction, what, whole_line)


def _left(report: CheckReport) -> dict[OpenEnd, list[NewEnd]]:
    """What stands between a check and a promise, by file, GPU and reason without its lines."""
    ends: dict[OpenEnd, list[NewEnd]] = {}
    for target, one in (*_refused(report), *_open_in(report)):
        ends.setdefault((one.file, target, lineless(one.text)), []).append(one)
    return ends


def _refused(report: CheckReport) -> Iterator[tuple[str, NewEnd]]:
    """What is not analysed, each with the GPU of its file."""
    targets = targets_of((k.location.file, k.target) for k in report.kernels)
    for refusal in report.refusals:
        at = refusal.location or Location(report.file)
        yield only(targets.get(at.file, frozenset())), NewEnd(at.file, refusal.reason, at)


def _open_in(report: CheckReport) -> Iterator[tuple[str, NewEnd]]:
    """What is open of the kernels and of their accesses, each with its GPU."""
    for kernel in report.kernels:
        home = kernel.location.file
        name = own_name(kernel.name, home)
        for text in still_open(kernel, 0):
            yield kernel.target, NewEnd(home, f"{name}: {text}", kernel.location)
        for a in kernel.accesses:
            if a.conflict == "possible" and not a.run.extra:
                yield kernel.target, NewEnd(home, in_part(name, a.instruction), a.location)


def _new_left(
    left: Mapping[OpenEnd, list[NewEnd]], files: Mapping[str, str], saved: KnownConflicts
) -> Iterator[tuple[str, NewEnd]]:
    """Of what is open as much as is not saved, each with its GPU."""
    for (file, target, text), ends in left.items():
        known = saved.left[files[file], target, text]
        yield from ((target, end) for end in ends[known:])


def _stale(
    report: CheckReport, saved: KnownConflicts, files: Mapping[str, str], held: Iterable[HeldFamily]
) -> Iterator[tuple[str, ConflictForm, int]]:
    """Saved conflicts of files of the check, or of files deleted from it, that are there no more;
    those of another GPU say nothing. What reads and writes at one place of source is one."""
    targets = targets_of((files[k.location.file], k.target) for k in report.kernels)
    deleted = _deleted(report.file, saved)
    counted: dict[At, int] = {}
    seen: set[tuple[str, str, Place]] = set()
    for file, one in (gone for some in held for gone in some.gone):
        if file in deleted or one.form.target in targets.get(file, ()):
            at = file, one.form.target, one.place
            more = not one.form.at_source or at not in seen
            counted[file, one.form] = counted.get((file, one.form), 0) + more
            seen.add(at)
    yield from ((file, form, many) for (file, form), many in counted.items())


def _deleted(asked: str, saved: KnownConflicts) -> set[str]:
    """The files of a saved check that lay in the folder that is asked about, and are gone."""
    top = relative(asked)
    if not top.is_dir():
        return set()
    return {f for f in saved.files if top in relative(f).parents and not Path(f).exists()}


def _moved(
    report: CheckReport, saved: KnownConflicts, files: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """New files of which a conflict is known at a file that is gone: of a kernel of the same name,
    else of source at the same expression."""
    homes = _homes(report)
    forms = {
        (homes[id(a)][0], _form(a, report, homes[id(a)], at_source=at_source))
        for a in report.accesses
        if a.run.extra > 0 and not files[homes[id(a)][0]]
        for at_source in (True, False)
    }
    gone = [at for at in saved.conflicts if not Path(at[0]).exists()] if forms else []
    found: dict[str, str] = {}
    for alike in (lambda form: form, _nameless):
        for old, form in gone:
            for file in (file for file, one in forms if alike(one) == alike(form)):
                found.setdefault(file, old)
    yield from found.items()


def _nameless(form: ConflictForm) -> ConflictForm:
    """A conflict of source whatever its kernel is called."""
    return replace(form, kernel="") if form.at_source else form


def _elsewhere(
    open_ends: Iterable[tuple[str, str]], files: Mapping[str, str], saved: KnownConflicts
) -> Iterator[tuple[str, str, str]]:
    """Files of which something is new, and saved for another GPU alone."""
    for file, target in sorted(open_ends):
        others = saved.targets.get(files[file], frozenset()) - {""}
        if target and others and target not in others:
            yield file, ", ".join(sorted(others)), target


def _counterpart(file: str, asked: str, here: Iterable[str], saved: KnownConflicts) -> str:
    """The file of a saved check that this one is; "" for a new file."""
    if file in saved.files:
        return file
    taken = set(here)
    found = [
        f for f, of in saved.files.items() if f not in taken and same((file, asked), (f, of or f))
    ]
    return found[0] if len(found) == 1 else ""
