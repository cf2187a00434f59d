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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bankwise.ask.array_plans import ArrayPlan, ArrayPlans, plans_of
from bankwise.ask.check_assembly import asked, counted_kernel, report_of
from bankwise.ask.fix_cute_source import fixed_by_cute
from bankwise.ask.judge_emitted import cost_of, judge_emitted, judge_taken
from bankwise.ask.judge_run import judge_run, need_gpu
from bankwise.change.cxx.prove import ArrayClaim, prove_text
from bankwise.change.cxx.spell import Spelling, edited, lines_before
from bankwise.counting.cost import Cost
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import check_writable, read_text
from bankwise.hardware.machine import machine
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.compile_flags import compilation_of
from bankwise.read.cxx.arrays import shared_arrays, tied
from bankwise.read.cxx.sizes import sizes
from bankwise.read.cxx.tree import CxxSource, in_template, parse
from bankwise.read.names import listed
from bankwise.read.options import ALL_JUDGES, Judges, Options, Progress
from bankwise.read.source import Compilation, SourceLanguage
from bankwise.read.sources import language_of
from bankwise.show.fixing import Change, FixReport, Verdict
from bankwise.show.patch import unified_patch


@dataclass(frozen=True, slots=True, eq=False)
class _CompiledText:
    """A text, and what the compiler makes of it."""

    text: str
    kernels: tuple[AssemblyKernel, ...]
    how: str

    def cost(self) -> tuple[int, int]:
        """Passes of all kernels, and executed instructions of shared memory."""
        return cost_of(self.kernels)[:2]


@dataclass(frozen=True, slots=True, eq=False)
class _Author:
    """The user's source as it is, how it is compiled, and what is asked of it."""

    source: CxxSource
    language: SourceLanguage
    what: Compilation
    options: Options

    def compiled(self, text: str) -> _CompiledText:
        """A text in its place, compiled and followed."""
        what = replace(self.what, text=text)
        found = self.language.check(what, **asked(self.options))
        return _CompiledText(text, found.kernels, found.how)


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
    author = _Author(parse(text, str(file)), language_of(what), what, options)
    before = author.compiled(text)
    fixed = _by_indices(author, before, judges)
    if not fixed.changes:
        fixed = _by_cute(author, before, judges, fixed)
    after = fixed.compiled
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
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Fixed:
    """What became of a source. ``lines``: by line of its text that which it was, where that
    differs."""

    compiled: _CompiledText
    changes: tuple[Change, ...]
    verdicts: tuple[Verdict, ...]
    refusals: tuple[Refusal, ...]
    lines: Mapping[int, int]


def _by_indices(author: _Author, before: _CompiledText, judges: Judges) -> _Fixed:
    """The source with other indices and extents of its arrays."""
    planned, refusals = _planned(author, before)
    chosen, after = _chosen(author, before, planned)
    return _Fixed(
        after,
        tuple(map(_change, chosen)),
        _heard(author, before, after, chosen, judges),
        (*refusals, *_left(author.source, planned, chosen)),
        lines_before(author.source, [e for one in chosen for e in one.spelling.edits]),
    )


def _by_cute(author: _Author, before: _CompiledText, judges: Judges, indices: _Fixed) -> _Fixed:
    """The source with other layouts of CuTe, where it has any, for the target of its code."""
    target = next((k.target for k in before.kernels), author.options.target)
    options = replace(author.options, target=target)
    found = fixed_by_cute(author.source.file, before.text, options, before, author.compiled)
    if isinstance(found, tuple):
        return replace(indices, refusals=(*indices.refusals, *found))
    verdicts = (*found.verdicts, *_executed(author, before, found.compiled, judges))
    return _Fixed(found.compiled, found.changes, verdicts, (), {})


def _heard(
    author: _Author,
    before: _CompiledText,
    after: _CompiledText,
    chosen: Sequence[_Chosen],
    judges: Judges,
) -> tuple[Verdict, ...]:
    """What the judges that are asked say of a change: proof, execution, code, a GPU."""
    if not chosen:
        return ()
    proof, *emitted = _verdicts(author.source, before, after, chosen, judges.isa)
    return (proof, *_executed(author, before, after, judges), *emitted)


def _executed(
    author: _Author, before: _CompiledText, after: _CompiledText, judges: Judges
) -> Iterator[Verdict]:
    """What they say who run both codes: the simulation, and a GPU."""
    texts = (before.kernels, before.text, after.text)
    if judges.execute:
        yield judge_emitted(author.language, author.what, *texts)
    if judges.run:
        yield judge_run(author.what, *texts)


def _planned(
    author: _Author, before: _CompiledText
) -> tuple[tuple[ArrayPlans, ...], tuple[Refusal, ...]]:
    """What could be written of each array that has conflicts, the costliest first; and why not."""
    counted = (counted_kernel(kernel, machine(kernel.target)) for kernel in before.kernels)
    if not any(kernel.totals.run.extra for kernel in counted):
        return (), ()
    source = author.source
    arrays = shared_arrays(source)
    if not arrays:
        return (), (Refusal("no __shared__ array is declared in it", Location(source.file)),)
    measured = sizes(source, arrays, author.language, author.what)
    if isinstance(measured, Refusal):
        return (), (measured,)
    gpu = machine(author.language.target(author.what.target, source.file))
    found = [
        plans_of(
            *(source, {n: arrays[n] for n in numbers}, before.kernels, measured, gpu),
            accessor=author.options.accessor,
            only=author.options.kernel,
        )
        for numbers in tied(arrays)
    ]
    plans = [one for one in found if isinstance(one, ArrayPlans)]
    refusals = tuple(one for one in found if isinstance(one, Refusal))
    return tuple(sorted(plans, key=lambda one: one.plans[0].passes - one.present)), refusals


@dataclass(frozen=True, slots=True, eq=False)
class _Chosen:
    """One array as it is written now. ``plan``: what of it was planned."""

    plans: ArrayPlans
    plan: ArrayPlan
    spelling: Spelling


def _chosen(
    author: _Author, before: _CompiledText, planned: Sequence[ArrayPlans]
) -> tuple[tuple[_Chosen, ...], _CompiledText]:
    """Array by array, the spelling that costs least where it is compiled; what was chosen so far
    stays."""
    chosen: tuple[_Chosen, ...] = ()
    best, least = before, before.cost()
    for plans in planned:
        taken: _Chosen | None = None
        wanted = least[0] + plans.plans[0].passes - plans.present, least[1]
        for plan, spelling in ((p, s) for p in plans.plans for s in p.spellings):
            found = _tried(author, [*(c.spelling for c in chosen), spelling])
            if found is None or found.cost() >= least:
                continue
            taken, best, least = _Chosen(plans, plan, spelling), found, found.cost()
            if least <= wanted:
                break
        if taken is not None:
            chosen = (*chosen, taken)
    return chosen, best


def _left(
    source: CxxSource, planned: Sequence[ArrayPlans], chosen: Sequence[_Chosen]
) -> Iterator[Refusal]:
    """The arrays of which nothing that was planned was good when it was compiled."""
    for plans in planned:
        if not any(one.plans is plans for one in chosen):
            names = ", ".join(one.array.name for one in plans.arrays)
            ways = ", ".join(dict.fromkeys(s.how for p in plans.plans for s in p.spellings))
            why = f"{names}: written as {ways} and compiled, none of these texts costs less"
            yield Refusal(why, source.place(plans.arrays[0].array.statement.start))


def _tried(author: _Author, spellings: Sequence[Spelling]) -> _CompiledText | None:
    """A text with some spellings, compiled; None where it does not compile."""
    text = edited(author.source, tuple(edit for one in spellings for edit in one.edits))
    if isinstance(text, Refusal):
        return None
    try:
        return author.compiled(text)
    except InputError:
        return None


def _change(chosen: _Chosen) -> Change:
    plans = chosen.plans
    names = dict.fromkeys(k.name for one in plans.arrays for k in one.kernels)
    return Change(
        kernel=", ".join(names),
        allocations=tuple(one.array.name for one in plans.arrays),
        address=chosen.spelling.text,
        before=Cost(plans.present, plans.ideal),
        after=Cost(chosen.plan.passes, plans.ideal),
        members=len(plans.plans),
        coalescing="",
        optimum=chosen.plan.optimum,
    )


def _verdicts(
    source: CxxSource,
    before: _CompiledText,
    after: _CompiledText,
    chosen: Sequence[_Chosen],
    isa: bool,
) -> Iterator[Verdict]:
    claims = [
        ArrayClaim(
            *(one.number, one.array.name, c.plan.map.folds, c.plan.map.pad),
            (*one.sizes, *one.others),
            typed=c.spelling.typed,
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
        detail = _PROVED.format(uses=proved, arrays=len(claims))
        detail += _INSTANTIATED * any(in_template(source, one.statement) for one in every)
        detail += _PIECES.format(names=listed([one.name for one in pieces])) if pieces else ""
        yield Verdict("proof", "passed", detail, complete=not pieces)
    if isa:
        yield judge_taken(after.how, before.kernels, after.kernels)


_PROVED = (
    "{uses} uses of {arrays} arrays go through the new maps, which permute rows: for all launches, "
    "if no index leaves its extent and no other file names them or goes on from an element"
)
_INSTANTIATED = "; of templates what is instantiated in this file"
_PIECES = (
    "; what the launch gives {names}, and that no index leaves that, is known of this launch alone"
)
