"""``bankwise fix kernel.ttgir``: better encodings of shared buffers, written into the TTGIR.

    follow, count        what each buffer's accesses take, and under which encoding they take less
    write, compile       the encodings into the text; Triton verifies it and makes machine code
    count                that code: what does not take fewer passes there is not written
    judge                both texts side by side, and PTX simulated, values as terms

A plan is not trusted: LLVM and ptxas join, split and narrow accesses. All plans are tried together
first; where their code does not keep what was planned, buffer by buffer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.ask.check_ttgir import Planned, better_of, check_ttgir, plan
from bankwise.ask.dearer import crowded, dear
from bankwise.ask.ttgir_better import Better
from bankwise.ask.ttgir_code import EmittedText, emitted_text
from bankwise.ask.ttgir_cut import cut_reads
from bankwise.ask.ttgir_exchange import exchanges
from bankwise.ask.ttgir_files import destination, options_beside
from bankwise.ask.ttgir_judges import proof_of, simulated
from bankwise.ask.ttgir_left import as_emitted, conflicts_left, notes_of, own_line
from bankwise.ask.ttgir_spread import Spread, spreads
from bankwise.change.ttgir.reencode import reencoded
from bankwise.counting.cost import Cost
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_text
from bankwise.notation.triton import Shared
from bankwise.notation.triton.gluon import gluon_text
from bankwise.read.options import ALL_JUDGES, Judges, Options, Progress
from bankwise.read.ttgir import wheel
from bankwise.read.ttgir.accesses import SCRATCH
from bankwise.read.ttgir.cache import open_entry
from bankwise.show.fixing import Change, FixReport, Verdict
from bankwise.show.patch import unified_patch
from bankwise.show.values import CheckReport, KernelReport


def fix_ttgir_file(
    file: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    *,
    output: str = "",
    progress: Progress | None = None,
) -> FixReport:
    """:func:`bankwise.ask.fix.fix_file` for TTGIR.

    Raises :class:`InputError` without Triton, and in its words where it does not compile the text.
    """
    found = destination(file, output)
    report, code = fixed_ttgir(read_text(file), file, options, judges, options_beside(file))
    if code is None:
        return report
    files, told = found.delivery(code)
    return replace(report, files=files, settings=(*report.settings, *told))


def fix_entry(
    folder: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    *,
    output: str = "",
    progress: Progress | None = None,
) -> FixReport:
    """:func:`fix_ttgir_file` for an entry of Triton's cache, or of its dump."""
    return fix_ttgir_file(
        open_entry(folder).ttgir, options, judges, output=output, progress=progress
    )


def fixed_ttgir(
    text: str,
    file: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    triton_options: Mapping[str, Any] | None = None,
) -> tuple[FixReport, EmittedText | None]:
    """The answer for a text, and its code after; None where nothing is changed."""
    if not wheel.installed():
        raise wheel.needed()
    planned = _one(plan(text, str(file), options), file)
    check = partial(check_ttgir, file=str(file), options=options, verify=False, optima=False)
    before = check(text)
    ways = better_of(planned)
    wanted = [each for each in ways if isinstance(each, Better) and each.plans]
    search = EncodingSearch(planned, options, triton_options or {}, text)
    chosen, found = search.run(wanted) if wanted else ({}, None)
    spread, code = search.spread(found, _in_scratch(before.kernels[0]))
    if any(cut_reads(planned.accesses, planned.reader.types)):
        search.count()
    fixed = text if code is None else code.text
    after, *texts = map(check, (fixed, *search.texts))
    told = tuple(_kept(ways, (*chosen, *spread), search.failed, before.kernels[0]))
    ends = code or search.before
    left = tuple(conflicts_left(code, after.kernels[0])) if code is not None else ()
    report = FixReport(
        before=before,
        after=after,
        changes=tuple(_changes(planned, chosen, spread, (*texts, after))),
        refusals=(*told, *left),
        verdicts=() if code is None else tuple(_verdicts(search, code, judges)),
        source_text=text,
        fixed_text=fixed,
        patch=unified_patch(file, text, fixed),
        accept_sampled=judges.accept_sampled,
        settings=tuple(_in_gluon(each, at) for each, at in chosen.items()),
        emitted=() if ends is None else (as_emitted(ends, after.kernels[0]),),
        notes=() if code is None else _notes(search, code, after.kernels[0], (*told, *left)),
    )
    return report, code


def _notes(
    search: EncodingSearch, code: EmittedText, after: KernelReport, told: Sequence[Refusal]
) -> tuple[str, ...]:
    """What the table does not say of the code, and what it may cost beside its passes."""
    assert search.before is not None, "it is compiled first"
    return *dear((search.before.code,), (code.code,)), *notes_of(code, after, told)


def _changes(
    planned: Planned,
    chosen: Mapping[Better, int],
    spread: Sequence[Spread],
    texts: Sequence[CheckReport],
) -> Iterator[Change]:
    """What each encoding brings, and each distribution, as :func:`_respreads` says it."""
    yield from (_change(planned, each, at) for each, at in chosen.items())
    yield from _respreads(spread, texts)


def _respreads(spread: Sequence[Spread], texts: Sequence[CheckReport]) -> Iterator[Change]:
    """What each distribution brings: ``texts`` are the answers for the text before the first one,
    and behind each."""
    for each, (old, new) in zip(spread, pairwise(texts), strict=True):
        yield _respread(each, old.kernels[0], new.kernels[0])


def _in_gluon(each: Better, at: int) -> str:
    return f"in Gluon, {each.buffer.name}: {gluon_text(each.encodings[at], each.buffer.tile)}"


def _one(found: Sequence[Planned], file: Path) -> Planned:
    if len(found) > 1:
        raise InputError(
            f"{len(found)} kernels in one module",
            location=Location(str(file)),
            hint="one at a time",
        )
    return found[0]


class EncodingSearch(Struct, eq=False):
    """The search for encodings whose code is better; what failed, by buffer, and why. ``texts``:
    those that another distribution was written into, in order."""

    planned: Planned
    options: Options
    triton_options: Mapping[str, Any]
    text: str
    before: EmittedText | None = None
    failed: dict[str, str] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)

    def count(self) -> None:
        """Count the code of the text as it is, if that was not needed so far."""
        self.before = self.before or self._emitted(self.text)

    def run(self, wanted: Sequence[Better]) -> tuple[dict[Better, int], EmittedText | None]:
        """Which encoding each buffer gets, by its number among the better ones, and the code."""
        self.before = self._emitted(self.text)
        every = dict.fromkeys(wanted, 0)
        saved = sum(each.present.passes - each.best.passes for each in wanted)
        found = self._tried(every, self.before)
        if isinstance(found, EmittedText) and self.before.passes - found.passes >= saved:
            return every, found
        return self._one_by_one(wanted, every, found)

    def _one_by_one(
        self, wanted: Sequence[Better], every: dict[Better, int], together: EmittedText | str
    ) -> tuple[dict[Better, int], EmittedText | None]:
        assert self.before is not None, "it is compiled first"
        chosen: dict[Better, int] = {}
        best = self.before
        for each in sorted(wanted, key=lambda one: one.best.passes - one.present.passes):
            why = ""
            for number, encoding in enumerate(each.encodings):
                found = self._tried({**chosen, each: number}, best)
                if isinstance(found, str):
                    why = why or f"{encoding}: {found}"
                    continue
                chosen, best = {**chosen, each: number}, found
                break
            else:
                self.failed[each.buffer.name] = why
        if isinstance(together, EmittedText) and together.passes < best.passes:
            return every, together
        return chosen, best if chosen else None

    def spread(
        self, code: EmittedText | None, lines: Set[int]
    ) -> tuple[tuple[Spread, ...], EmittedText | None]:
        """Other distributions of what is stored where the encoding must stay and of what is
        converted through scratch at some ``lines``, and the code."""
        chosen: list[Spread] = []
        converted = exchanges(self.planned, self.text, self.options, lines)
        for ways in (*spreads(self.planned), *converted):
            if isinstance(ways, Refusal):
                self.failed.setdefault(SCRATCH, f"{ways.reason}; {_LAID_OUT}")
                continue
            self.count()
            assert self.before is not None, "it is counted"
            best = code or self.before
            found = self.first(ways, best)
            if found is not None:
                self.texts.append(best.text)
                chosen, code = [*chosen, found[0]], found[1]
        return tuple(chosen), code

    def first(self, ways: Sequence[Spread], than: EmittedText) -> tuple[Spread, EmittedText] | None:
        """The first distribution whose code is better and leaves as many workgroups on a unit, else
        the first whose code is better. Source: benchmarks/h200_distributions.py: an attention of f8
        took 1.23 ms in 128 registers and 1.76 in 129, which leave one workgroup of two."""
        better: list[tuple[Spread, EmittedText]] = []
        for each in ways:
            found = self.better(each.written(than.text), than)
            if isinstance(found, str):
                for name in each.buffers:
                    self.failed.setdefault(name, f"{each.instead}: {found}")
                continue
            better.append((each, found))
            if not crowded((than.code,), (found.code,)):
                return each, found
        return better[0] if better else None

    def _tried(self, chosen: Mapping[Better, int], than: EmittedText) -> EmittedText | str:
        """The code of some encodings; in words why it is not better."""
        wanted: dict[int, Shared] = {
            each.buffer.line: each.encodings[number] for each, number in chosen.items()
        }
        text = reencoded(self.text, self.planned.module.file, wanted)
        return text.reason if isinstance(text, Refusal) else self.better(text, than)

    def better(self, text: str, than: EmittedText) -> EmittedText | str:
        """The code of a text; in words why it is not better than another's."""
        try:
            found = self._emitted(text)
        except InputError as error:
            return error.message
        return found.worse_than(than) or found

    def _emitted(self, text: str) -> EmittedText:
        return emitted_text(text, self.planned, self.options, self.triton_options)


def _in_scratch(kernel: KernelReport) -> frozenset[int]:
    """The lines of conversions with conflicts."""
    found = (a for a in kernel.accesses if a.run.extra and SCRATCH in a.allocations)
    return frozenset(a.location.line for a in found)


def _kept(
    ways: Sequence[Better | Refusal],
    chosen: Sequence[Better | Spread],
    failed: Mapping[str, str],
    kernel: KernelReport,
) -> Iterator[Refusal]:
    """Why what conflicts stays as it is."""
    found = [a for a in kernel.accesses if a.run.extra]
    conflicts = {n: a.location for a in found for n in a.allocations}
    lines = {n: own_line(a) for a in found for n in a.allocations}
    done = {n for e in chosen for n in (e.buffers if isinstance(e, Spread) else (e.buffer.name,))}
    for name in (n for n in conflicts if n not in done):
        if name in failed:
            yield Refusal(f"{name}{lines[name]}: {failed[name]}", conflicts[name])
            continue
        known = [each for each in ways if isinstance(each, Better) and each.buffer.name == name]
        for each in known:
            words = "no encoding takes fewer passes" if each.known.optimal else each.known.how
            yield Refusal(f"{name}{lines[name]}: {words} ({each.tried} tried)", conflicts[name])
        if name == SCRATCH:
            yield Refusal(f"scratch{lines[name]}: {_LAID_OUT}", conflicts[name])
    for way in ways:
        name = way.reason.split(" ")[0].rstrip(":") if isinstance(way, Refusal) else ""
        if isinstance(way, Refusal) and name in conflicts and name not in done | set(failed):
            yield way


_LAID_OUT = (
    "Triton lays scratch out itself; what moves it are num_warps, the block sizes and the "
    "order of a load (bankwise.triton.tune counts them)"
)


def _change(planned: Planned, found: Better, number: int) -> Change:
    taken = found.plans[number]
    return Change(
        kernel=planned.kernel.name,
        allocations=(found.buffer.name,),
        address=f"{found.encodings[number]} instead of {found.buffer.type.encoding}",
        before=found.present.run,
        after=taken.run,
        members=found.tried,
        coalescing="; ".join(found.notes) if number == 0 else "",
        optimum=f"{found.known.word} {found.known.within}" if number == 0 else "",
        certificate=None if found.solution is None or number else found.solution.certificate,
    )


def _respread(spread: Spread, before: KernelReport, after: KernelReport) -> Change:
    costs = [
        Cost(sum(r.passes for r in runs), sum(r.ideal for r in runs))
        for runs in (
            [a.run for a in kernel.accesses if set(spread.buffers) & set(a.allocations)]
            for kernel in (before, after)
        )
    ]
    return Change(
        *(before.name, spread.buffers),
        address=f"#{spread.alias} = {spread.instead} instead of {spread.present}",
        before=costs[0],
        after=costs[1],
        members=1,
        coalescing=spread.global_memory,
        optimum="another distribution of the tensors; no shared encoding changes",
    )


def _verdicts(search: EncodingSearch, new: EmittedText, judges: Judges) -> Iterator[Verdict]:
    old, planned = search.before, search.planned
    assert old is not None, "it is compiled first"
    yield proof_of(old.text, new.text, planned.module.file)
    if judges.execute:
        yield simulated(old, new, planned, search.options)
    if judges.isa:
        detail = f"compiled by Triton {new.made.version}, {new.how} followed and counted"
        gone = (f"before, {rule}" for rule in old.open if rule not in new.open)
        told = "; ".join((detail, *gone))
        yield Verdict("isa", "passed", told, tuple(_rows(old, new)), open=new.open)


def _rows(old: EmittedText, new: EmittedText) -> Iterator[tuple[str, int, int]]:
    yield "passes of a workgroup", old.passes, new.passes
    extra, assumed = (old.report.whole.extra, new.report.whole.extra), (old.assumed, new.assumed)
    if any(assumed):
        yield "conflicts by known rules", extra[0] - assumed[0], extra[1] - assumed[1]
        yield "conflicts assumed (rule unknown)", *assumed
    else:
        yield "conflicts", *extra
    yield "shared-memory instructions of a workgroup", old.executed, new.executed
    yield "shared bytes", old.made.shared_bytes, new.made.shared_bytes
    if old.code.registers and new.code.registers:
        yield "registers of a thread", old.code.registers, new.code.registers
