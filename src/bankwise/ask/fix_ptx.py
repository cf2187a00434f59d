"""``bankwise fix kernel.ptx``: a fold of each shared variable, spliced into its addresses.

    follow the PTX       what the accesses of each variable touch
    plan                 folds of its bytes, priced on those accesses together
    splice, assemble     one after the other, until the machine code is what was planned
    judge                the proof on both texts, a simulation of both, the machine code before and
                         after

What ptxas makes of a text decides: of those that take the fewest passes the one with the fewest
instructions of shared memory is kept, then the one with the fewest instructions at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path

from msgspec.structs import replace

from bankwise.ask.check_assembly import asked, counted_kernel, kernels_of, report_of, shown_first
from bankwise.ask.dearer import dear
from bankwise.ask.every_launch import EmittedCost, emitted_cost, key_of, over, paying
from bankwise.ask.judge_emitted import judge_code, judge_taken
from bankwise.ask.line_copies import said_copies
from bankwise.ask.ptx_plans import VariablePlan, VariablePlans, plans_of, seen
from bankwise.change.ptx.fold import BEGINS_BYTES, VariableFold
from bankwise.change.ptx.prove import prove_ptx
from bankwise.change.ptx.reach import accesses_of
from bankwise.change.ptx.splice import Spliced, spliced
from bankwise.counting.cost import Cost
from bankwise.errors import InputError, Refusal
from bankwise.files import check_placed, read_text
from bankwise.hardware.machine import machine
from bankwise.hardware.occupancy import Usage, occupancy
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.options import ALL_JUDGES, Judges, Options, Progress
from bankwise.read.ptx.parse import Variable, kernels
from bankwise.read.ptxas import Assembled, check_assembled
from bankwise.show.fixing import Change, FixReport, Verdict
from bankwise.show.patch import unified_patch
from bankwise.show.words import several


def fix_ptx_file(
    file: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    *,
    output: str = "",
    progress: Progress | None = None,
) -> FixReport:
    """:func:`bankwise.ask.fix.fix_file` for PTX.

    Raises :class:`InputError` without a ptxas, or in its words if it refuses the text.
    """
    if output not in ("", "-"):
        check_placed(Path(output))
    text = read_text(file)
    followed = kernels_of(file, options)
    followed = shown_first(followed)
    whole = Spliced(text, tuple(range(1, text.count("\n") + 2)), 0)
    before = _assembled(whole, file, options, followed[0].target)
    planned, refusals = _planned(text, followed, before)
    chosen, after, unchosen = _chosen(file, options, before, planned)
    slower = dear(before.code.kernels, after.code.kernels)
    return FixReport(
        before=report_of(file, before.code.kernels, text, notes=(before.how,)),
        after=report_of(file, after.code.kernels, after.spliced.text, notes=(after.how,)),
        changes=tuple(_change(one, followed) for one in chosen),
        refusals=(*refusals, *unchosen),
        verdicts=tuple(_verdicts(file, followed, before, after, chosen, judges)),
        source_text=text,
        fixed_text=after.spliced.text,
        patch=unified_patch(file, text, after.spliced.text),
        accept_sampled=judges.accept_sampled,
        by_line=True,
        notes=(
            *filter(None, [said_copies(before.code.kernels, after.code.kernels)]),
            *(f"{one}: time it before you take it" for one in slower),
        ),
        slower=slower,
    )


class _AssembledText(ByIdentity, frozen=True, eq=False):
    """A text with folds, and what ptxas makes of it."""

    spliced: Spliced
    code: Assembled
    emitted: EmittedCost

    @property
    def how(self) -> str:
        """By whom it was assembled."""
        return f"assembled by {self.code.assembler}"

    def beside(self, before: _AssembledText) -> tuple[int, int, int]:
        """Passes of all launches, executed instructions of shared memory, instructions at all, less
        than before."""
        more = (_instructions(self) - _instructions(before),)
        return (*self.emitted.beside(before.emitted), *more)


def _instructions(made: _AssembledText) -> int:
    return sum(one.instructions or 0 for one in made.code.kernels)


def _assembled(done: Spliced, file: Path, options: Options, gpu: str) -> _AssembledText:
    code = check_assembled(done.text, str(file), gpu, **asked(options), lines=done.lines)
    code = replace(code, kernels=shown_first(code.kernels))
    return _AssembledText(done, code, emitted_cost(code.kernels))


def _planned(
    text: str, followed: Sequence[AssemblyKernel], before: _AssembledText
) -> tuple[tuple[VariablePlans, ...], tuple[Refusal, ...]]:
    """What could be done for each variable at whose lines the machine code has conflicts, the
    costliest first; and why not."""
    lines = {
        access.location.line
        for kernel in before.code.kernels
        for access in counted_kernel(kernel, machine(kernel.target)).accesses
        if access.run.extra
    }
    if not lines:
        return (), ()
    texts = kernels(text)
    variables = {one.name: one for kernel in texts for one in kernel.shared}
    gpu = machine(followed[0].target)
    touched = {
        name
        for kernel in followed
        for one in seen(kernel)
        if one.access.location.line in lines
        for name in one.access.allocations
    }
    found = [
        plans_of(one, texts, followed, gpu) for name, one in variables.items() if name in touched
    ]
    if not touched & variables.keys():
        file = followed[0].location.file
        why = (accesses_of(k, frozenset({v}), file) for k in texts for v in variables)
        named = tuple(one for one in why if isinstance(one, Refusal))
        reason = "what conflicts is not known to be a shared variable of it"
        return (), named or (Refusal(reason, followed[0].location),)
    if not any(found):
        names = ", ".join(sorted(variables[one].called for one in touched & variables.keys()))
        reason = f"{names}: what is known of its addresses has no conflicts"
        return (), (Refusal(reason, followed[0].location),)
    plans = [one for one in found if isinstance(one, VariablePlans)]
    refusals = tuple(one for one in found if isinstance(one, Refusal))
    return tuple(sorted(plans, key=lambda one: -one.saved)), refusals


class _ChosenFold(ByIdentity, frozen=True, eq=False):
    """One variable as it is addressed now. ``plan``: what of it was planned."""

    plans: VariablePlans
    plan: VariablePlan
    fold: VariableFold


def _chosen(
    file: Path, options: Options, before: _AssembledText, planned: Sequence[VariablePlans]
) -> tuple[tuple[_ChosenFold, ...], _AssembledText, tuple[Refusal, ...]]:
    """Variable by variable, the map that costs least where it is assembled; what was chosen so far
    stays. And why a variable has none."""
    chosen: tuple[_ChosenFold, ...] = ()
    refusals: list[Refusal] = []
    best = before
    for plans in planned:
        start, why = best, Refusal("no fold of it takes fewer passes in machine code")
        passes, executed, _ = cost = least = start.beside(before)
        taken: _ChosenFold | None = None
        for plan in plans.plans:
            for fold in _aligned(plan, plans.variable):
                done = _tried(file, options, before, [*(c.fold for c in chosen), fold])
                if isinstance(done, Refusal):
                    why = done
                elif (new := done.beside(before))[:2] < cost[:2] and new < least:
                    taken, best, least = _ChosenFold(plans, plan, fold), done, new
            if least[:2] <= (passes - plans.saved, executed):
                break
        if taken is not None:
            chosen = (*chosen, taken)
        else:
            refusals.append(replace(why, reason=f"{plans.variable.called}: {why.reason}"))
    return chosen, best, tuple(refusals)


def _aligned(plan: VariablePlan, variable: Variable) -> Iterator[VariableFold]:
    """The map where the variable begins as it must, and where it begins so that offset and address
    have the same bits: then more constants stay where they are."""
    made = VariableFold(variable.name, plan.map, 1)
    useful = (min(size, BEGINS_BYTES) for size in (made.map.block, made.map.reach))
    for size in dict.fromkeys(max(size, variable.alignment_bytes) for size in useful):
        yield replace(made, alignment_bytes=size)


def _tried(
    file: Path, options: Options, before: _AssembledText, folds: Sequence[VariableFold]
) -> _AssembledText | Refusal:
    """A text with some folds, proved and assembled."""
    text = before.spliced.text
    done = spliced(text, str(file), folds)
    if isinstance(done, Refusal):
        return done
    proved = prove_ptx(text, done.text, str(file), folds)
    if isinstance(proved, Refusal):
        return proved
    try:
        found = _assembled(done, file, options, before.code.kernels[0].target)
    except InputError as error:
        return Refusal(error.message, error.location)
    if _crowded(before, found):
        return Refusal("fewer blocks fit an SM")
    more = paying(before.emitted.passes, found.emitted.passes)
    return Refusal(more) if more else found


def _crowded(before: _AssembledText, after: _AssembledText) -> bool:
    """Whether the alignment costs a resident block; registers are not considered."""
    for old, new in zip(before.code.kernels, after.code.kernels, strict=True):
        gpu, threads = machine(old.target), prod(old.workgroup_size)
        fitting = [
            occupancy(
                gpu, Usage(threads, (k.lds_bytes or 0) + (k.launch.shared_bytes or 0))
            ).workgroups
            for k in (old, new)
        ]
        if fitting[1] < fitting[0]:
            return True
    return False


def _change(chosen: _ChosenFold, followed: Sequence[AssemblyKernel]) -> Change:
    plans, keys = chosen.plans, tuple(map(key_of, followed))
    ideal = over(plans.ideal, keys)
    return Change(
        kernel=", ".join(plans.kernels),
        allocations=(plans.variable.name,),
        address=f"address a -> {chosen.fold.map}; .align {chosen.fold.alignment_bytes}",
        before=Cost(over(plans.present, keys), ideal),
        after=Cost(over(chosen.plan.passes, keys), ideal),
        members=len(plans.plans),
        coalescing="",
        optimum=chosen.plan.optimum,
    )


def _verdicts(
    file: Path,
    followed: Sequence[AssemblyKernel],
    before: _AssembledText,
    after: _AssembledText,
    chosen: Sequence[_ChosenFold],
    judges: Judges,
) -> Iterator[Verdict]:
    if not chosen:
        return
    old, new = before.spliced.text, after.spliced.text
    proved = prove_ptx(old, new, str(file), [one.fold for one in chosen])
    if isinstance(proved, Refusal):
        yield Verdict("proof", "failed", str(proved))
    else:
        said = _PROVED.format(
            accesses=several(proved, "access"), variables=several(len(chosen), "variable")
        )
        yield Verdict("proof", "passed", said + "".join(_launched(chosen)))
    if judges.execute:
        yield judge_code("PTX", old, new, followed)
    if judges.isa:
        yield judge_taken(after.how, before.code.kernels, after.code.kernels)


_PROVED = (
    "{accesses} to {variables} go through the new maps, which permute their "
    "bytes: for all launches, if no access leaves its variable"
)


def _launched(chosen: Sequence[_ChosenFold]) -> Iterator[str]:
    """What a proof takes for granted of variables that the launch sizes."""
    for one in chosen:
        if one.plans.variable.size_bytes is None:
            yield f" and {one.fold.variable} gets a multiple of {one.fold.map.block} bytes"
