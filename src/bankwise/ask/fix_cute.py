"""``bankwise fix`` on CuTe: one term in other words for each layout that conflicts, read back.

The judge reads the changed text as any other and holds every layout against the old one, element by
element: the new places are the old ones, each taken once. What goes through the layouts moves with
them; pointers that go past them are not looked at, and the answer says so.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bankwise.ask.check_cute import (
    CuteFile,
    Replacement,
    answered,
    check_cute,
    open_cute,
    places,
    replacements,
    torn,
)
from bankwise.counting.access import IntArray
from bankwise.counting.cost import Cost
from bankwise.errors import InputError, Refusal
from bankwise.files import check_placed, read_text
from bankwise.read.cute.evaluate import CuteEvaluation, OpenNameError, UnreadError
from bankwise.read.cute.sites import CopySite, layout_of
from bankwise.read.options import ALL_JUDGES, Judges, Options, Progress
from bankwise.show.fixing import Change, FixReport, Verdict
from bankwise.show.patch import unified_patch


def fix_cute_file(
    file: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    *,
    output: str = "",
    progress: Progress | None = None,
) -> FixReport:
    """:func:`bankwise.ask.fix.fix_file` for CuTe: nothing is executed or compiled."""
    if output not in ("", "-"):
        check_placed(Path(output))
    text = read_text(file)
    before = open_cute(text, str(file), options)
    refused: list[Refusal] = []
    chosen = tuple(apart(before, refused))
    fixed = edited(before, chosen)
    after = open_cute(fixed, str(file), options) if chosen else before
    return FixReport(
        before=check_cute(before, answer=False),
        after=check_cute(after, answer=False),
        changes=tuple(change_of(before, one) for one in chosen),
        refusals=tuple(refused),
        verdicts=(judged(before, after, chosen),) if chosen else (),
        source_text=text,
        fixed_text=fixed,
        patch=unified_patch(file, text, fixed),
    )


def apart(found: CuteFile, refused: list[Refusal]) -> list[Replacement]:
    """Answers whose terms do not hold one another; of those that do the first."""
    kept: list[Replacement] = []
    for one in replacements(found, found.sites, refused):
        start, stop = one.place.key
        if all(stop <= other.place.key[0] or start >= other.place.key[1] for other in kept):
            kept.append(one)
    return kept


def edited(found: CuteFile, chosen: tuple[Replacement, ...]) -> str:
    """The text with the answers in place of their terms."""
    data = found.text.data
    for one in sorted(chosen, key=lambda each: each.place.key, reverse=True):
        start, stop = one.place.key
        data = data[:start] + one.answer.text.encode() + data[stop:]
    return data.decode()


def change_of(found: CuteFile, one: Replacement) -> Change:
    """What an answer changes, as a report says it."""
    old = " ".join(found.text.of(one.place.term.span).split())
    return Change(
        kernel="::".join(one.concerned[0].scope[:1]) or Path(found.text.file).stem,
        allocations=one.names,
        address=one.answer.text,
        before=Cost(one.before, one.ideal),
        after=Cost(one.after, one.ideal),
        members=0,
        coalescing="",
        optimum=f"the best Swizzle<B,M,S> in place of {old}, every copy once over its tile",
    )


def judged(before: CuteFile, after: CuteFile, chosen: tuple[Replacement, ...]) -> Verdict:
    """Whether the changed text, read back, is the plan: the same copies, every element where the
    answers put it, each at a place of its own, and tensors of one memory still agree."""
    if [*map(_said, before.sites)] != [*map(_said, after.sites)]:
        return Verdict("proof", "failed", "other copies are found in the changed text")
    planned = answered(before, {one.place.key: one.answer.value for one in chosen})
    for one, other in zip(before.sites, after.sites, strict=True):
        try:
            old, new = _places(before.evaluation, one), _places(after.evaluation, other)
            wanted = _places(planned, one)
        except (InputError, OpenNameError, UnreadError) as error:
            return Verdict("proof", "failed", f"{one.name}: {error}")
        if not np.array_equal(new, wanted):
            return Verdict("proof", "failed", f"{one.name} is laid out otherwise than planned")
        alike = np.array_equal(np.sort(np.unique(old)), np.sort(np.unique(new)))
        pairs = np.unique(np.stack([old, new]), axis=1).shape[1]
        if not alike or pairs != len(np.unique(old)):
            return Verdict("proof", "failed", f"{one.name}: elements would share a place")
    if lost := torn(before.evaluation, after.evaluation):
        return Verdict("proof", "failed", f"{lost} is laid out apart from who shares its memory")
    return Verdict("proof", "passed", _PROVED.format(count=len(before.sites)))


def _said(site: CopySite) -> object:
    """All that a site says but the layout."""
    copy = site.copy
    return site.name, site.direction, copy.atom, copy.tile, copy.held.tolist()


_PROVED = (
    "read back, the layouts of {count} copies hold the same elements in the same bytes, each at a "
    "place of its own; for all that goes through these layouts: pointers past them are not "
    "looked at"
)


def _places(evaluation: CuteEvaluation, site: CopySite) -> IntArray:
    """Where every element of a layout lies, in all stages."""
    return np.array(places(layout_of(evaluation, site)))
