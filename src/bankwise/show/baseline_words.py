"""What a baseline knows of a check, in lines: those to act on, and those for the record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bankwise.counting.counted import AccessReport
from bankwise.errors import Location
from bankwise.hardware.lanes import lane_text
from bankwise.read.names import short, spelled_in
from bankwise.show.baseline import HeldAgainst
from bankwise.show.saved_check import ConflictForm, KnownConflicts

_NAMED = 3
_RUNS = 8


def said_known(held: HeldAgainst, saved: KnownConflicts) -> tuple[str, ...]:
    """What a baseline knows of a check, and what it knows in vain; nothing without one, nor where
    there is no conflict that it could know."""
    new = (said_new_left(held),) if held.new_left else ()
    taken = (f"{place}: {text}" for place, text in said_taken(held))
    said = (*said_quietly(held, saved), *said_loudly(held), *taken, *_said_grown(held), *new)
    return said if saved.saved else ()


def said_quietly(held: HeldAgainst, saved: KnownConflicts) -> tuple[str, ...]:
    """What is known: nobody has to do anything about it."""
    if not saved.saved:
        return ()
    lines = [_counted(held, saved)] if held.known or held.new else []
    if held.known_left:
        lines.append(f"{held.known_left:,} not analysed or assumed, known by the baseline")
    return tuple(lines)


def _counted(held: HeldAgainst, saved: KnownConflicts) -> str:
    """How many conflicts are known, by which of the saved checks."""
    many, accesses = held.causes, len(held.known)
    if not many and len(saved.saved) > 1:
        return f"0 conflicts known by the {len(saved.saved)} baselines"
    of = f" ({accesses:,} accesses)" if accesses > many else ""
    where = f": {places(held.known)}" if many else f" (a check of {_some(saved.asked)})"
    by = _some(held.by if many else saved.saved)
    return f"{many:,} conflict{'s' * (many != 1)}{of} known by the baseline {by}{where}"


def said_loudly(held: HeldAgainst, *, saving: bool = False) -> tuple[str, ...]:
    """What tells why something is new that looks old, and when to save the baseline anew.
    ``saving``: that is what is done."""
    anew = "" if saving else ", save it anew"
    renamed = "" if saving else " save the baseline anew"
    lines = [
        f"the baseline of {file} is for {others}, this is {target}: nothing of it is known; save "
        "one for each GPU"
        for file, others, target in held.elsewhere
    ]
    lines += [
        f"{file} has conflicts known at {old}, which is gone: renamed?{renamed}"
        for file, old in held.moved
    ]
    if held.stale:
        gone = sum(number for _, _, number in held.stale)
        kernels = ", ".join(
            dict.fromkeys(f"{f}: {short(form.kernel)}" for f, form, _ in held.stale)
        )
        noun = _noun((form for _, form, _ in held.stale), gone)
        verb = "is" if gone == 1 else "are"
        lines.append(f"{noun} in the baseline {verb} here no more{anew}: {kernels}")
    return tuple(lines)


def _noun(forms: Iterable[ConflictForm], many: int) -> str:
    """So many conflicts, or accesses: saved by expressions, or by instructions alone."""
    if any(form.at_source for form in forms):
        return f"{many:,} conflict{'s' * (many != 1)}"
    return f"{many:,} access{'es' * (many != 1)}"


def said_taken(held: HeldAgainst, *, saving: bool = False) -> Iterator[tuple[Location, str]]:
    """What is known for being taken for another one: whoever mended that has a new one here. And
    what costs less than it did, which may grow again unseen."""
    it, the_baseline = ("", "") if saving else (": save it anew", ": save the baseline anew")
    for kernel in held.renamed:
        was, now = short(kernel.was[2]), short(kernel.name)
        yield kernel.kernel.location, f"{was} is named {now} now{the_baseline}"
    for site, one in held.taken:
        was = f"{one.form.what[0]} that was at line {one.place[0]}"
        also = the_baseline.replace(":", ";")
        yield site.accesses[0].location, f"known: taken for the {was}{also}"
    for sites, before in held.less:
        accesses = [access for site in sites for access in site.accesses]
        text = f"the baseline has {grew(before, accesses)}"
        yield accesses[0].location, f"{accesses[0].direction}: {text}{it}"


def _said_grown(held: HeldAgainst) -> Iterator[str]:
    """What costs more than it did."""
    for site, was in held.grown[:_NAMED]:
        first = site.accesses[0]
        where = f"{first.location}: {first.direction}"
        yield f"{where}: the baseline has {grew(was, site.accesses)}"
    if len(held.grown) > _NAMED:
        yield f"and {len(held.grown) - _NAMED} more that cost more than in the baseline"


def grew(was: int, accesses: Sequence[AccessReport]) -> str:
    """From how many extra passes to how many: ``97 extra passes, now 209``."""
    now = sum(access.run.extra for access in accesses)
    exact = all(access.run.ends.extra.exact for access in accesses)
    return f"{was:,} extra passes, now {now:,}" + " (as followed)" * (not exact)


def said_new_left(held: HeldAgainst) -> str:
    """What is not analysed, or assumed, and was not before."""
    some = "; ".join(f"{new.file}: {spelled_in(new.text)}" for new in held.new_left[:_NAMED])
    more = "; .." * (len(held.new_left) > _NAMED)
    return f"{len(held.new_left):,} not analysed or assumed, new: {some}{more}"


def places(accesses: Iterable[AccessReport]) -> str:
    """Where some accesses stand, by file, in words."""
    lines: dict[str, set[int]] = {}
    for access in accesses:
        lines.setdefault(access.location.file, set()).add(access.location.line)
    said = [f"{file}:{_runs(some)}" for file, some in lines.items()]
    more = f" and {len(said) - _NAMED} more files" if len(said) > _NAMED else ""
    return f"{'; '.join(said[:_NAMED])}{more}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


def _runs(lines: set[int]) -> str:
    """Lines as ranges, no more than a reader looks up."""
    runs = lane_text(tuple(sorted(lines))).split()
    return ",".join([*runs[:_RUNS], *[".."] * (len(runs) > _RUNS)])
