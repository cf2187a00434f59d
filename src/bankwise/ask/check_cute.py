"""``bankwise check`` on CuTe as people write it: a header or a source in C++, a kernel in Python.

read      definitions and calls (read.cute.cxx, read.cute.dsl), their values (evaluate, forms)
meet      which copies touch which layouts of shared memory (sites)
count     every copy once over its whole tile, by the rows of the machine
answer    the one term that says the swizzle in other words, counted in all copies it concerns
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from bankwise.ask.kernel_report import check_report, kernel_report
from bankwise.counting.count_kernel import count_accesses, count_kernel
from bankwise.counting.kernel import AllocationReport, IssuedPattern, Kernel, KernelAccess
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_text
from bankwise.hardware.machine import AccessKind, Machine, machine
from bankwise.identity import ByIdentity
from bankwise.notation.cute.swizzle import CuteLayout, CuteMemory
from bankwise.read.cute.answer import AnswerPlace, CuteAnswer, answers, place_of
from bankwise.read.cute.evaluate import (
    CuteEvaluation,
    OpenNameError,
    SharedTensor,
    UnreadError,
    Value,
)
from bankwise.read.cute.forms import FORMS, elements, sizes_of
from bankwise.read.cute.sites import CopySite, issued, layout_of, sites
from bankwise.read.cute.terms import CuteText, Scope
from bankwise.read.options import Options, Progress, command, dims_of
from bankwise.show.advised import Snippet
from bankwise.show.values import CheckReport, KernelReport

PASS = "pass over the tiles"
_ASSUMED = "which copy touches which layout, of those that fit"
_TORN = (
    "{names}: another layout here alone would part it from what else uses the same pointer: say "
    "one layout by the other, composition(layout, transposition)"
)
_SM = re.compile(r"\bSM(\d+)_")
_POLICY = "as CuTe's atoms say"


class CuteFile(ByIdentity, frozen=True, eq=False):
    """A text with what was found in it. ``machine``: for which it is counted; ``why``: that one;
    ``command``: that fixes it."""

    text: CuteText
    evaluation: CuteEvaluation
    sites: tuple[CopySite, ...]
    refusals: tuple[Refusal, ...]
    machine: Machine
    why: str
    command: str = ""


def check_cute_file(path: Path, options: Options, progress: Progress | None = None) -> CheckReport:
    """Check a file of CuTe. Raises :class:`InputError` where nothing in it is a copy of shared
    memory that could be read, with the names whose values are wanted."""
    return check_cute(open_cute(read_text(path), str(path), options))


def open_cute(text: str, file: str, options: Options) -> CuteFile:
    """Read a text and find its copies."""
    if file.endswith(".py"):
        from bankwise.read.cute.dsl import read_dsl

        read = read_dsl(text, file)
    else:
        from bankwise.read.cute.cxx import read_cxx

        read = read_cxx(text, file)
    evaluation = CuteEvaluation(read, dims_of(options), FORMS)
    found, refusals = sites(evaluation)
    if not found:
        raise _nothing(file, evaluation, refusals)
    gpu, why = _machine(read, options.target)
    asked = command("fix", file, options)
    return CuteFile(read, evaluation, found, refusals, gpu, why, asked)


def _nothing(file: str, evaluation: CuteEvaluation, refusals: Sequence[Refusal]) -> InputError:
    place = Location(file) if not refusals else refusals[0].location
    if evaluation.asked:
        names = " ".join(f"--dim {name}=.." for name in _asked(evaluation))
        message = "its layouts depend on values that it does not say"
        return InputError(message, location=place, hint=f"say them: {names}")
    if refusals:
        return InputError(f"nothing could be counted: {refusals[0].reason}", location=place)
    message = "no copy of shared memory and no layout that it fits was found"
    hint = "wanted: make_tiled_copy or partition_S / partition_D, and layouts of shared memory"
    return InputError(message, location=place, hint=hint)


def _asked(evaluation: CuteEvaluation) -> list[str]:
    """The names that are open, and the numbers among the parameters of their templates."""
    every = evaluation.text.definitions
    scopes = {one.scope for one in every if one.name in evaluation.asked}
    beside = {
        one.name
        for one in every
        if one.parameter == "template" and one.scope in scopes and not (one.term or one.type)
    }
    return sorted((evaluation.asked | beside) - set(evaluation.given))


def _machine(text: CuteText, target: str) -> tuple[Machine, str]:
    """The one that is asked for; else the newest that its atoms are named after."""
    if target:
        return machine(target), ""
    named = sorted({int(number) for number in _SM.findall(text.text)} & {75, 80, 90, 100})
    name = f"sm_{named[-1]}" if named else "sm_80"
    why = "its newest atom" if named else "no atom names another"
    return machine(name), f"counted for {name}, {why}: --target says another"


def check_cute(found: CuteFile, *, answer: bool = True) -> CheckReport:
    """Count what was found; ``answer``: and say what to write."""
    scopes = list(dict.fromkeys(site.scope[:1] for site in found.sites))
    kernels, refusals = [], list(found.refusals)
    untold: list[Refusal] = []
    for scope in scopes:
        mine = [site for site in found.sites if site.scope[:1] == scope]
        report, refused = _kernel(found, "::".join(scope) or Path(found.text.file).stem, mine)
        if answer:
            replaced = replacements(found, mine, untold)
            report = replace(report, snippets=tuple(snippet_of(found, one) for one in replaced))
        kernels.append(report)
        refusals += refused
    notes = [*([found.why] if found.why else []), *map(str, untold)]
    return check_report(found.text.file, _POLICY, kernels, refusals=refusals, notes=notes)


def _kernel(
    found: CuteFile, name: str, mine: Sequence[CopySite]
) -> tuple[KernelReport, tuple[Refusal, ...]]:
    accesses, refused = accesses_of(found, found.evaluation, mine)
    allocations = tuple(_allocations(found, name, mine))
    threads = max(len(site.copy.held) for site in mine)
    kernel = Kernel(
        name=name,
        target=found.machine.name,
        location=found.text.place(min(site.start for site in mine)),
        workgroup_size=(threads, 1, 1),
        grid=None,
        lds_bytes=sum(one.bytes for one in allocations),
        accesses=accesses,
        allocations=allocations,
    )
    reports, uncounted = count_kernel(kernel, found.machine)
    report = kernel_report(kernel, reports)
    if any(site.assumed for site in mine):
        report = replace(report, assumed=_ASSUMED)
    return report, (*refused, *uncounted)


def accesses_of(
    found: CuteFile, evaluation: CuteEvaluation, mine: Iterable[CopySite]
) -> tuple[tuple[KernelAccess, ...], tuple[Refusal, ...]]:
    """The accesses of some copies, with the layouts as ``evaluation`` has them."""
    accesses: list[KernelAccess] = []
    refused: list[Refusal] = []
    for site in mine:
        place = found.text.place(site.start)
        moved = issued(site.copy, layout_of(evaluation, site), site.direction)
        if isinstance(moved, Refusal):
            refused.append(Refusal(f"{site.what}: {moved.reason}", place))
            continue
        kind: AccessKind = "async" if site.copy.atom.copies else "plain"
        kind = "matrix" if site.copy.atom.matrices else kind
        note = "nobody says that they meet" if site.assumed else ""
        patterns = (IssuedPattern(moved, site.name),)
        accesses.append(KernelAccess(place, site.what, kind, site.direction, patterns, note=note))
    return tuple(accesses), tuple(refused)


def _allocations(
    found: CuteFile, name: str, mine: Sequence[CopySite]
) -> Iterator[AllocationReport]:
    for said in dict.fromkeys(site.name for site in mine):
        site = next(one for one in mine if one.name == said)
        size = bytes_of(layout_of(found.evaluation, site), site)
        place = found.text.place(site.term.span.start)
        yield AllocationReport(said, name, place, size, size / found.machine.lds_bytes)


def bytes_of(where: CuteLayout, site: CopySite) -> int:
    """Bytes that a layout spans."""
    return CuteMemory(elements(where)).size * site.copy.atom.element_bits // 8


class Replacement(ByIdentity, frozen=True, eq=False):
    """What an answer does: at ``place``, for these copies, ``before`` and ``after`` in passes;
    ``ideal``: without any conflict."""

    place: AnswerPlace
    concerned: tuple[CopySite, ...]
    answer: CuteAnswer
    before: int
    after: int
    ideal: int

    @property
    def names(self) -> tuple[str, ...]:
        """Of the tiles that it moves."""
        return tuple(dict.fromkeys(site.name for site in self.concerned))


def replacements(
    found: CuteFile, mine: Sequence[CopySite], refused: list[Refusal] | None = None
) -> Iterator[Replacement]:
    """For each term that says a swizzle: what takes the fewest passes of all its copies.

    ``refused`` gets why a better one is none.
    """
    places: dict[tuple[int, int], tuple[AnswerPlace, list[CopySite]]] = {}
    for site in mine:
        place = place_of(found.evaluation, site)
        if place is not None:
            places.setdefault(place.key, (place, []))[1].append(site)
    for place, concerned in places.values():
        now = passes_of(found, found.evaluation, concerned)
        best = better(found, place, concerned) if now is not None and now[0] > now[1] else None
        if best is not None and now is not None:
            passes, answer = best
            asked = answered(found, {place.key: answer.value})
            if torn(found.evaluation, asked):
                names = ", ".join(dict.fromkeys(site.name for site in concerned))
                where = found.text.place(place.term.span.start)
                if refused is not None:
                    refused.append(Refusal(_TORN.format(names=names), where))
                continue
            yield Replacement(place, tuple(concerned), answer, now[0], passes, now[1])


def answered(found: CuteFile, instead: Mapping[tuple[int, int], Value]) -> CuteEvaluation:
    """The values of the text with other ones for some terms."""
    return replace(found.evaluation, instead=instead, bound={})


def torn(before: CuteEvaluation, after: CuteEvaluation) -> str:
    """The tensor that looks for its elements elsewhere than those leave them who share its memory;
    "" where there is none.

    Tensors that begin at one pointer are one memory: every place of it has one new place.
    """
    old, new = (dict(_tensors(ev)) for ev in (before, after))
    for key, tensor in old.items():
        differs = key in new and places(tensor.layout) != places(new[key].layout)
        if differs and (past := _past(before.text, tensor.pointer[1])):
            return past
    moved: dict[tuple[Scope, str], dict[int, int]] = {}
    for key, tensor in old.items():
        if key not in new:
            return key[1]
        if not tensor.pointer[1]:
            continue
        known = moved.setdefault(tensor.pointer, {})
        bits = max(tensor.bits, 1)
        pairs = zip(places(tensor.layout), places(new[key].layout), strict=True)
        for one, other in ((a * bits, b * bits) for a, b in pairs):
            if known.setdefault(one, other) != other:
                return key[1]
    lost = (one for one in moved.values() if len(set(one.values())) != len(one))
    return "" if next(lost, None) is None else "one of its elements"


def _past(text: CuteText, pointer: str) -> str:
    """Where a pointer is used without a layout: an element of it, or an offset from it."""
    if not pointer.isidentifier():
        return ""
    used = re.search(
        rf"(?<![\w.>\s])\s*\b{pointer}\s*(?:\[|\+(?!\+))|\*\s*{pointer}\s*=", text.text
    )
    return "" if used is None else used[0].strip()


def _tensors(ev: CuteEvaluation) -> Iterator[tuple[tuple[Scope, str], SharedTensor]]:
    """Every tensor of shared memory that has a name and is read."""
    for one in ev.text.definitions:
        if one.term is not None and not one.parameter:
            value = ev.softly(one.term, one.scope)
            if isinstance(value, SharedTensor):
                yield (one.scope, one.name), value


def places(where: CuteLayout) -> list[int]:
    """Where every element of a layout lies."""
    plain = elements(where)
    sizes = sizes_of(plain)
    index = np.indices(sizes).reshape(len(sizes), -1).T
    found: list[int] = CuteMemory(plain).offsets(index).reshape(-1).tolist()
    return found


def snippet_of(found: CuteFile, one: Replacement) -> Snippet:
    """What to write in place of a term."""
    old = " ".join(found.text.of(one.place.term.span).split())
    return Snippet(
        language=found.text.dialect,
        what=f"instead of {old}, for {', '.join(one.names)}",
        text=one.answer.text,
        location=found.text.place(one.place.term.span.start),
        before=one.before,
        after=one.after,
        counted=True,
        each=PASS,
        command=found.command,
    )


def better(
    found: CuteFile, place: AnswerPlace, concerned: Sequence[CopySite]
) -> tuple[int, CuteAnswer] | None:
    """The answer with the fewest passes, of equals the nearest to what stands there; None where
    none takes fewer than now."""
    now = passes_of(found, found.evaluation, concerned)
    assert now is not None, "it was counted"
    best: tuple[int, tuple[int, ...]] = now[0], ()
    chosen: CuteAnswer | None = None
    sizes = [bytes_of(layout_of(found.evaluation, site), site) for site in concerned]
    for answer in answers(found.evaluation, place):
        asked = answered(found, {place.key: answer.value})
        try:
            fits = all(
                bytes_of(layout_of(asked, site), site) <= size
                for site, size in zip(concerned, sizes, strict=True)
            )
            passes = passes_of(found, asked, concerned, most=best[0]) if fits else None
        except (InputError, OpenNameError, UnreadError):
            continue
        if passes is not None and (passes[0], answer.far) < best:
            best, chosen = (passes[0], answer.far), answer
    return None if chosen is None or best[0] >= now[0] else (best[0], chosen)


def passes_of(
    found: CuteFile, evaluation: CuteEvaluation, concerned: Sequence[CopySite], most: int = 1 << 62
) -> tuple[int, int] | None:
    """Passes and ideal of some copies together; None where one of them is no access then, or all
    take more than ``most``."""
    passes = ideal = 0
    for site in concerned:
        accesses, refused = accesses_of(found, evaluation, [site])
        counted = count_accesses(accesses, found.machine)
        if refused or isinstance(counted[0], Refusal):
            return None
        passes, ideal = passes + counted[0].cost.passes, ideal + counted[0].cost.ideal
        if passes > most:
            return None
    return passes, ideal
