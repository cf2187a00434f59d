"""``bankwise fix kernel.cu``: the plan of each shared array, written into the author's own text.

    compile, follow      what each array's accesses are, in the machine code
    plan                 folds of its rows and pitches, priced on those accesses together
    spell, compile       one way after the other, until what is emitted is what was planned
    judge                the proof on both texts, the emitted code before and after

A spelling is not trusted: an index that reads ``c ^ (r << 2)`` may cost the compiler the wide
accesses it had. So each is compiled and followed again, and the one with the fewest passes is
kept, of equals the one with the fewest instructions, then the one that reads best.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from bankwise.ask.array_plans import ArrayPlan, ArrayPlans
from bankwise.ask.check_assembly import counted_kernel, report_of
from bankwise.ask.dearer import dear, is_long
from bankwise.ask.every_launch import (
    fitting,
    key_of,
    over,
    paying,
)
from bankwise.ask.fix_cute_source import fixed_by_cute
from bankwise.ask.judge_emitted import beyond, judge_emitted, judge_taken
from bankwise.ask.judge_run import judge_run, need_gpu
from bankwise.ask.source_plans import sharing, source_plans
from bankwise.ask.source_text import Author, CompiledText
from bankwise.change.cxx.claim import ArrayClaim
from bankwise.change.cxx.prove import prove_text
from bankwise.change.cxx.spell import Spelling, edited, lines_before
from bankwise.counting.cost import Cost
from bankwise.errors import InputError, Refusal
from bankwise.files import check_writable, read_text
from bankwise.hardware.machine import Machine, machine
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.compile_flags import compilation_of
from bankwise.read.cxx.tree import CxxSource, in_template, parse
from bankwise.read.names import listed, short
from bankwise.read.options import ALL_JUDGES, Judges, Options, Progress
from bankwise.read.sources import language_of
from bankwise.show.fixing import Change, FixReport, Verdict
from bankwise.show.patch import unified_patch


def fix_source_file(
    file: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    *,
    output: str = "",
    progress: Progress | None = None,
) -> FixReport:
    """:func:`bankwise.ask.fix.fix_file` for source that is compiled here.

    Raises :class:`InputError` where nothing compiles it, or the compiler says no, in its words.
    """
    if output not in ("", "-"):
        check_writable(Path(output))
    if judges.run:
        need_gpu(file)
    text = read_text(file)
    what, said = compilation_of(file, options)
    author = Author(parse(text, str(file)), language_of(what), what, options)
    before = author.compiled(text)
    if options.kernel and (also := sharing(author.source, author.language, what, before.kernels)):
        author = replace(author, also=also)
        before = author.compiled(text)
        said = (*said, _ALSO.format(names=listed(also)))
    fixed = _by_indices(author, before, judges)
    told = beyond(fixed.changes, fixed.before.kernels, fixed.compiled.kernels)
    if not fixed.changes:
        fixed = _by_cute(author, before, judges, fixed)
    before, after = fixed.before, fixed.compiled
    return FixReport(
        before=report_of(file, before.kernels, notes=(before.how, *said)),
        after=report_of(file, after.kernels, notes=(after.how, *said)),
        changes=fixed.changes,
        refusals=fixed.refusals,
        verdicts=fixed.verdicts,
        source_text=text,
        fixed_text=after.text,
        patch=unified_patch(file, text, after.text),
        accept_sampled=judges.accept_sampled,
        by_line=True,
        lines=fixed.lines,
        notes=(
            *fixed.unpadded,
            *told,
            *dear(before.kernels, after.kernels, _TIME[author.language.name == "CUDA"]),
        ),
    )


class _Fixed(ByIdentity, frozen=True, eq=False):
    """What became of a source. ``lines``: by line of its text that which it was, where that
    differs; ``unpadded``: what would take fewer passes without a padding that is there."""

    before: CompiledText
    compiled: CompiledText
    changes: tuple[Change, ...]
    verdicts: tuple[Verdict, ...]
    refusals: tuple[Refusal, ...]
    lines: Mapping[int, int]
    unpadded: tuple[str, ...] = ()

    @property
    def rejected(self) -> bool:
        """Whether a judge says no."""
        return bool(_failed(self.verdicts))


def _by_indices(author: Author, before: CompiledText, judges: Judges) -> _Fixed:
    """The source with other indices and extents of its arrays: what costs least, and where a judge
    rejects that, array by array what costs least of what none rejects."""
    planned, refusals, before = _planned(author, before)
    first = _written(author, before, planned, judges)
    fixed = first
    if first.rejected:
        fixed = _written(author, before, planned, judges, apart=True)
        fixed = fixed if fixed.changes and not fixed.rejected else first
    return replace(fixed, refusals=(*refusals, *fixed.refusals))


def _written(
    author: Author,
    before: CompiledText,
    planned: Sequence[ArrayPlans],
    judges: Judges,
    *,
    apart: bool = False,
) -> _Fixed:
    """What is written of the plans, and judged; ``apart``: also as soon as an array is written."""

    def heard(chosen: Sequence[_Chosen], after: CompiledText) -> tuple[Verdict, ...]:
        return _heard(author, before, after, chosen, judges)

    chosen, after, left = _chosen(author, before, planned, heard if apart else None)
    return _Fixed(
        before,
        after,
        tuple(_change(one, before) for one in chosen),
        heard(chosen, after),
        left,
        lines_before(author.source, [e for one in chosen for e in one.spelling.edits]),
        tuple(filter(None, (one.plans.unpadded for one in chosen))),
    )


def _by_cute(author: Author, before: CompiledText, judges: Judges, indices: _Fixed) -> _Fixed:
    """The source with other layouts of CuTe, where it has any, for the target of its code."""
    target = next((k.target for k in before.kernels), author.options.target)
    options = replace(author.options, target=target)
    found = fixed_by_cute(author.source.file, before.text, options, before, author.compiled)
    if isinstance(found, tuple):
        return replace(indices, refusals=(*indices.refusals, *found))
    verdicts = (*found.verdicts, *_executed(author, before, found.compiled, judges))
    return _Fixed(before, found.compiled, found.changes, verdicts, (), {})


def _heard(
    author: Author,
    before: CompiledText,
    after: CompiledText,
    chosen: Sequence[_Chosen],
    judges: Judges,
) -> tuple[Verdict, ...]:
    """What the judges that are asked say of a change: proof, execution, code, a GPU."""
    if not chosen:
        return ()
    proof, *emitted = _verdicts(author.source, before, after, chosen, judges.isa)
    return (proof, *_executed(author, before, after, judges), *emitted)


def _executed(
    author: Author, before: CompiledText, after: CompiledText, judges: Judges
) -> Iterator[Verdict]:
    """What they say who run both codes: the simulation, and a GPU."""
    texts = (before.kernels, before.text, after.text)
    if judges.execute:
        yield judge_emitted(author.language, author.what, *texts)
    if judges.run:
        yield judge_run(author.what, *texts)


def _failed(verdicts: Iterable[Verdict]) -> str:
    """Who rejects a text, and why; empty if nobody does."""
    return "; ".join(f"{v.judge}: {v.detail}" for v in verdicts if v.status == "failed")


def _planned(
    author: Author, before: CompiledText
) -> tuple[tuple[ArrayPlans, ...], tuple[Refusal, ...], CompiledText]:
    """What could be written of each array that has conflicts, the costliest first; and why not. And
    the source under those launches that can be."""
    counted = (counted_kernel(kernel, machine(kernel.target)) for kernel in before.kernels)
    if not any(kernel.totals.run.extra for kernel in counted):
        return (), (), before
    found = source_plans(
        author.source, author.language, author.what, author.options, before.kernels
    )
    refusals = (*found.unasked, *found.refusals)
    return found.plans, refusals, before if found.keys is None else before.under(found.keys)


_Heard = Callable[[Sequence["_Chosen"], CompiledText], tuple[Verdict, ...]]
"""The judges of what was chosen, and of what the compiler makes of it."""


class _Chosen(ByIdentity, frozen=True, eq=False):
    """One array as it is written now. ``plan``: what of it was planned."""

    plans: ArrayPlans
    plan: ArrayPlan
    spelling: Spelling


def _chosen(
    author: Author,
    before: CompiledText,
    planned: Sequence[ArrayPlans],
    heard: _Heard | None,
) -> tuple[tuple[_Chosen, ...], CompiledText, tuple[Refusal, ...]]:
    """Array by array, the spelling that costs least where it is compiled; what was chosen so far
    stays. And why an array has none. ``heard``: by whom each is judged."""
    chosen: tuple[_Chosen, ...] = ()
    best, refusals = before, list[Refusal]()
    for plans in planned:
        taken, why, paid = None, "", list[str]()
        for one, found in _cheapest(author, before, best, chosen, plans, paid):
            why = _failed(heard((*chosen, one), found)) if heard else ""
            if not why:
                taken, best = one, found
                break
        if taken is not None:
            chosen = (*chosen, taken)
        else:
            refusals.append(_unwritten(author.source, plans, why, paid))
    return chosen, best, tuple(refusals)


def _cheapest(
    author: Author,
    before: CompiledText,
    best: CompiledText,
    chosen: Sequence[_Chosen],
    plans: ArrayPlans,
    paid: list[str],
) -> Iterator[tuple[_Chosen, CompiledText]]:
    """The spellings of an array that cost less than ``best``, compiled: the one that costs least,
    the next one, .. A text as cheap as the plan says ends the search, unless its instructions are
    dear, or its code or its registers are many: then of equals one of which that is not so comes
    first, then one of which as many blocks fit a unit, then the one with the fewest.
    What parts accesses is none of them where that is dear. ``paid`` gets what others would cost
    more."""
    cost = best.emitted.beside(before.emitted)
    more = sys.maxsize if plans.plans[0].parts else 0
    wanted = cost[0] - plans.saved, cost[1] + more
    gpu = machine(before.kernels[0].target)
    left = [_Chosen(plans, plan, one) for plan in plans.plans for one in plan.spellings]
    found: list[tuple[tuple[tuple[int, int], bool, bool, int], _Chosen, CompiledText]] = []
    while left or found:
        while left and not any(
            one[0][0] <= wanted
            and not one[2].emitted.is_dear(best.emitted, gpu)
            and not _heavy(before.kernels, one[2].kernels)
            for one in found
        ):
            one = left.pop(0)
            made = _tried(author, before, [*(c.spelling for c in chosen), one.spelling])
            if isinstance(made, str):
                paid.append(made)
            elif made is not None and (why := _dear(one, made, before, best, gpu)):
                paid.append(why)
            elif made is not None and (price := made.emitted.beside(before.emitted)) < cost:
                texts = before.kernels, made.kernels
                rank = price, _heavy(*texts), _crowded(*texts), made.emitted.nearer(before.emitted)
                found.append((rank, one, made))
        if found:
            least = min(found, key=lambda one: one[0])
            found.remove(least)
            yield least[1:]


def _dear(
    one: _Chosen, made: CompiledText, before: CompiledText, best: CompiledText, gpu: Machine
) -> str:
    """Why the instructions of a text are not worth the passes that they save; empty if they are."""
    parts = one.plan.parts and _parts_dearly(made, best, gpu)
    return made.emitted.longer_busy(before.emitted, gpu) or _DEAR * bool(parts)


def _parts_dearly(made: CompiledText, best: CompiledText, gpu: Machine) -> bool:
    """Whether accesses in parts add as many instructions of shared memory as they save passes, or
    more instructions at all than that is worth."""
    passes, executed = made.emitted.beside(best.emitted)
    return executed >= -passes or made.emitted.is_dear(best.emitted, gpu)


def _crowded(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> bool:
    """Whether fewer blocks of a kernel fit a unit."""
    return any(fitting(new) < fitting(old) for old, new in zip(before, after, strict=True))


def _heavy(before: Sequence[AssemblyKernel], after: Sequence[AssemblyKernel]) -> bool:
    """Whether fewer than half as many blocks of a kernel fit a unit, or it is twice as long."""
    both = list(zip(before, after, strict=True))
    return any(2 * fitting(new) < fitting(old) or is_long(old, new) for old, new in both)


def _unwritten(source: CxxSource, plans: ArrayPlans, why: str, paid: Sequence[str]) -> Refusal:
    """An array of which nothing that was planned was good when it was compiled; ``why``: by whom
    the last one was rejected; ``paid``: what others would cost more."""
    names = ", ".join(one.array.name for one in plans.arrays)
    ways = ", ".join(dict.fromkeys(s.how for p in plans.plans for s in p.spellings))
    why = f"the last one that does is rejected: {why}" if why else "none of these texts costs less"
    many = any(one.others for array in plans.arrays for one in array.kernels)
    why += " in all launches that were tried" * many
    why += f"; with the first one {paid[0]}" if paid else ""
    reason = f"{names}: written as {ways} and compiled, {why}"
    return Refusal(reason, source.place(plans.arrays[0].array.statement.start))


def _tried(
    author: Author, before: CompiledText, spellings: Sequence[Spelling]
) -> CompiledText | str | None:
    """A text with some spellings, compiled; None where it does not compile; where a launch takes
    more than before, or cannot be compared with it, which one."""
    text = edited(author.source, tuple(edit for one in spellings for edit in one.edits))
    if isinstance(text, Refusal):
        return None
    try:
        made = author.compiled(text).under(before.emitted.passes.keys())
    except InputError:
        return None
    lost = sorted(made.emitted.open - before.emitted.open)
    if lost:
        return f"the rounds of a block of {short(lost[0][0])} are too many to follow them again"
    return paying(before.emitted.passes, made.emitted.passes) or made


def _change(chosen: _Chosen, before: CompiledText) -> Change:
    plans, keys = chosen.plans, tuple(map(key_of, before.kernels))
    ideal = over(plans.ideal, keys)
    names = dict.fromkeys(k.name for one in plans.arrays for k in one.kernels)
    return Change(
        kernel=", ".join(names),
        allocations=tuple(one.array.name for one in plans.arrays),
        address=chosen.spelling.text,
        before=Cost(over(plans.present, keys), ideal),
        after=Cost(over(chosen.plan.passes, keys), ideal),
        members=len(plans.plans),
        coalescing="",
        optimum="; ".join(filter(None, (chosen.plan.optimum, _why(chosen)))),
    )


def _why(chosen: _Chosen) -> str:
    """Why this plan was taken, where that is asked: it is not the only one that is as good."""
    return chosen.plans.longer if chosen.plan is chosen.plans.plans[0] else ""


def _verdicts(
    source: CxxSource,
    before: CompiledText,
    after: CompiledText,
    chosen: Sequence[_Chosen],
    isa: bool,
) -> Iterator[Verdict]:
    claims = [
        ArrayClaim(
            *(one.number, one.array.name, c.plan.map.folds, c.plan.map.pad),
            (*one.sizes, *one.others),
            typed=c.spelling.typed,
            columns=c.plan.map.columns,
            row=c.plan.map.row,
        )
        for c in chosen
        for one in c.plans.arrays
    ]
    proved = prove_text(source, parse(after.text, source.file), claims)
    if isinstance(proved, Refusal):
        yield Verdict("proof", "failed", str(proved))
    else:
        every = [one.array for c in chosen for one in c.plans.arrays]
        pieces = [array for array in every if array.unsized]
        what = "elements" if any(claim.columns for claim in claims) else "rows"
        does = " or ".join(
            sorted({"lengthen" if c.pad else "permute" for c in claims}, reverse=True)
        )
        detail = _PROVED.format(uses=proved, arrays=len(claims), does=does, what=what)
        detail += _INSTANTIATED * any(in_template(source, one.statement) for one in every)
        detail += _PIECES.format(names=listed([one.name for one in pieces])) if pieces else ""
        yield Verdict("proof", "passed", detail, complete=not pieces)
    if isa:
        yield judge_taken(after.how, before.kernels, after.kernels)


_DEAR = "more instructions would be executed than the passes that they save are worth"

_ALSO = "{names}: made of the same text, and looked at as well"

_TIME = {True: "time it with --run before you take it", False: "time it before you take it"}

_PROVED = (
    "{uses} uses of {arrays} arrays go through the new maps, which {does} {what}: for all "
    "launches, if no index leaves its extent and no other file names them or goes on from an "
    "element"
)
_INSTANTIATED = "; of templates what is instantiated in this file"
_PIECES = (
    "; what the launch gives {names}, and that no index leaves that, is known of this launch alone"
)
