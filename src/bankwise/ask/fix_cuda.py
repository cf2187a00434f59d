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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bankwise.ask.check_assembly import asked, counted_kernel, report_of
from bankwise.ask.cuda_plans import ArrayPlan, ArrayPlans, plans_of
from bankwise.ask.judge_emitted import judge_emitted
from bankwise.change.cxx.prove import ArrayClaim, prove_text
from bankwise.change.cxx.spell import Spelling, edited
from bankwise.counting.cost import Cost
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import check_writable, read_text
from bankwise.hardware.machine import machine
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cuda import check_cuda, cuda_target
from bankwise.read.cxx.arrays import shared_arrays
from bankwise.read.cxx.sizes import sizes
from bankwise.read.cxx.tree import CxxSource, parse
from bankwise.read.options import ALL_JUDGES, Judges, Options, Progress
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
        runs = [counted_kernel(k, machine(k.target)) for k in self.kernels]
        passes = sum(run.totals.run.passes for run in runs)
        executed = sum(
            pattern.executions * len(pattern.active)
            for kernel in self.kernels
            for access in kernel.accesses
            for pattern in access.access.patterns
        )
        return passes, executed


def fix_cuda_file(
    file: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    *,
    output: str = "",
    progress: Progress | None = None,
) -> FixReport:
    """:func:`bankwise.ask.fix.fix_file` for CUDA source.

    Raises :class:`InputError` where nothing compiles it, and with nvcc's words where it does not
    compile.
    """
    if output not in ("", "-"):
        check_writable(Path(output))
    text = read_text(file)
    source = parse(text, str(file))
    before = _compiled(file, text, options)
    planned, refusals = _planned(source, before, options)
    chosen, after = _chosen(source, file, options, before, planned)
    verdicts = list(_verdicts(source, before, after, chosen, judges.isa))
    if chosen and judges.execute:
        verdicts.insert(1, judge_emitted(file, options.target, before.kernels, text, after.text))
    return FixReport(
        before=report_of(file, before.kernels, notes=(before.how,)),
        after=report_of(file, after.kernels, notes=(after.how,)),
        changes=tuple(map(_change, chosen)),
        refusals=refusals,
        verdicts=tuple(verdicts),
        source_text=text,
        fixed_text=after.text,
        patch=unified_patch(file, text, after.text),
        accept_sampled=judges.accept_sampled,
        by_line=True,
    )


def _compiled(file: Path, text: str, options: Options) -> _CompiledText:
    found = check_cuda(file, options.target, **asked(options), text=text)
    return _CompiledText(text, found.kernels, found.how)


def _planned(
    source: CxxSource, before: _CompiledText, options: Options
) -> tuple[tuple[ArrayPlans, ...], tuple[Refusal, ...]]:
    """What could be written of each array that has conflicts, the costliest first; and why not."""
    counted = (counted_kernel(kernel, machine(kernel.target)) for kernel in before.kernels)
    if not any(kernel.totals.run.extra for kernel in counted):
        return (), ()
    arrays = shared_arrays(source)
    if not arrays:
        return (), (Refusal("no __shared__ array is declared in it", Location(source.file)),)
    target = cuda_target(options.target, source.file)
    measured = sizes(source, arrays, target)
    if isinstance(measured, Refusal):
        return (), (measured,)
    found = [
        plans_of(source, number, array, before.kernels, measured, machine(target))
        for number, array in enumerate(arrays)
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
    source: CxxSource,
    file: Path,
    options: Options,
    before: _CompiledText,
    planned: Sequence[ArrayPlans],
) -> tuple[tuple[_Chosen, ...], _CompiledText]:
    """Array by array, the spelling that costs least where it is compiled; what was chosen so far
    stays."""
    chosen: tuple[_Chosen, ...] = ()
    best, least = before, before.cost()
    for plans in planned:
        taken: _Chosen | None = None
        wanted = least[0] + plans.plans[0].passes - plans.present, least[1]
        for plan, spelling in ((p, s) for p in plans.plans for s in p.spellings):
            found = _tried(source, file, options, [*(c.spelling for c in chosen), spelling])
            if found is None or found.cost() >= least:
                continue
            taken, best, least = _Chosen(plans, plan, spelling), found, found.cost()
            if least <= wanted:
                break
        if taken is not None:
            chosen = (*chosen, taken)
    return chosen, best


def _tried(
    source: CxxSource, file: Path, options: Options, spellings: Sequence[Spelling]
) -> _CompiledText | None:
    """A text with some spellings, compiled; None where it does not compile."""
    text = edited(source, tuple(edit for one in spellings for edit in one.edits))
    if isinstance(text, Refusal):
        return None
    try:
        return _compiled(file, text, options)
    except InputError:
        return None


def _change(chosen: _Chosen) -> Change:
    plans = chosen.plans
    return Change(
        kernel=", ".join(plans.kernels),
        allocations=(plans.array.name,),
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
    if not chosen:
        return
    claims = [
        ArrayClaim(one.number, one.array.name, plan.map.folds, plan.map.pad, one.sizes)
        for one, plan in ((c.plans, c.plan) for c in chosen)
    ]
    proved = prove_text(source, parse(after.text, source.file), claims)
    if isinstance(proved, Refusal):
        yield Verdict("proof", "failed", str(proved))
    else:
        yield Verdict("proof", "passed", _PROVED.format(uses=proved, arrays=len(claims)))
    if not isa:
        return
    rows = tuple(_rows(before, after))
    yield Verdict("isa", "passed", f"{after.how}, followed again", rows)


_PROVED = (
    "{uses} uses of {arrays} arrays go through the new maps, which permute rows: for all launches, "
    "if no index leaves its extent and no other file names them or goes on from an element"
)


def _rows(before: _CompiledText, after: _CompiledText) -> Iterator[tuple[str, int, int]]:
    old, new = before.cost(), after.cost()
    yield "passes of a workgroup", old[0], new[0]
    yield "shared-memory instructions of a workgroup", old[1], new[1]
    for one, other in zip(before.kernels, after.kernels, strict=True):
        yield f"{one.name}: shared bytes", one.lds_bytes or 0, other.lds_bytes or 0
