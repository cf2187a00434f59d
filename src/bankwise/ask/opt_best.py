"""*best*: the plan of ``fix`` in the user's text, held against paddings and IREE's own default.

Splits, paddings undone and folds come out of one plan (:func:`bankwise.ask.fix_rewritten.rewrite`),
proved as a whole; what it made of an allocation is told by the names of the passes that do the
same. Paddings are no part of that plan, so the *pad* pass is tried where it may do better: on what
``fix`` left, on the text as it is, and without its present padding, then as IREE does unasked. A
plan issues in parts what gets cheaper; where it leaves conflicts, all wide accesses are split for
once. What wins is executed beside the text as it was, and compared bit for bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from bankwise.ask.analysis import Analysis, analyse
from bankwise.ask.check_mlir import kernel_of
from bankwise.ask.text_price import TextPrice, price_of
from bankwise.counting.count_kernel import count_kernel
from bankwise.errors import InputError, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.options import Options
from bankwise.tile import COPIES

if TYPE_CHECKING:
    from bankwise.ask.fix_proved import ProvedRewrite
    from bankwise.ask.fix_rewritten import Rewritten
    from bankwise.change.passes.values import Outcome, PassOptions, Remark
    from bankwise.read.mlir.module import Opened

IREE_DEFAULT = "pad by 64 bits"
"""What IREE puts behind every row, unasked."""

CHAINS: tuple[tuple[str, ...], ...] = (
    ("fix",),
    ("fix", "pad"),
    ("pad",),
    ("unpad", "pad"),
    ("unpad", IREE_DEFAULT),
    ("split-access", "fix"),
)
"""What is tried of hints resolved; the last where ``fix`` leaves conflicts."""

Apply = Callable[[str, "Opened"], "Outcome"]
"""What a pass makes of a text, by its name."""


class _Candidate(ByIdentity, frozen=True, eq=False):
    """A text, and how it came about. ``remarks``: what was changed, and where."""

    names: tuple[str, ...]
    opened: Opened
    analyses: tuple[Analysis, ...]
    price: TextPrice
    remarks: tuple[Remark, ...] = ()
    refusals: tuple[Refusal, ...] = ()

    @property
    def way(self) -> str:
        return ", ".join(self.names) or "as it is"

    @property
    def fits(self) -> bool:
        """Whether every kernel has the memory that it takes."""
        return all(
            sum(a.size_bytes for a in each.extraction.allocations) <= each.machine.lds_bytes
            for each in self.analyses
        )


def best(opened: Opened, launch: PassOptions, apply: Apply) -> Outcome:
    """The best text of all; remarks of what was tried, and of what was changed in it."""
    from bankwise.change.passes.values import Outcome
    from bankwise.read.mlir.kernels import kernels

    if not kernels(opened):
        return Outcome(opened.source.text)
    options = _options(launch)
    start = _of((), opened, analyse(opened, options))
    plain = _after("resolve", start, options, apply)
    tried = list(_tried(start, plain, options, apply))
    verdicts: dict[tuple[str, ...], str] = {}
    for chosen in _ranked(start, plain, tried):
        verdict = "" if chosen is start else _executed(start, chosen, launch)
        verdicts[chosen.names] = verdict
        if not verdict.startswith("execution: failed"):
            break
    told = [_told(start, each, chosen, verdicts.get(each.names, "")) for each in (start, *tried)]
    told.sort(key=lambda remark: not remark.changed)
    return Outcome(chosen.opened.source.text, (*told, *chosen.remarks), chosen.refusals)


def _told(start: _Candidate, one: _Candidate, chosen: _Candidate, verdict: str) -> Remark:
    from bankwise.change.passes.values import Remark

    told = f"{one.way}: {one.price}" + (f"; {verdict}" if verdict else "")
    taken = one is chosen and one is not start
    return Remark("all kernels", start.analyses[0].location, taken, told)


def _ranked(start: _Candidate, plain: _Candidate, tried: Sequence[_Candidate]) -> list[_Candidate]:
    """Those that are no worse than the text as it is, IREE's default and, where that is so of it,
    than ``fix``: the cheapest first, at last the text as it is. A text with hints that hide
    accesses is worth what it is with its hints resolved (``plain``)."""
    base = plain if plain.price.unknown < start.price.unknown else start
    held = [base, *(c for c in tried if IREE_DEFAULT in c.names and c.fits)]
    found = [c for c in tried if c.fits and all(c.price.no_worse(h.price) for h in held)]
    fixed = [c for c in found if c.names[-1:] == ("fix",)]
    found = [c for c in found if all(c.price.no_worse(f.price) for f in fixed)]
    found.append(base)
    found.sort(key=lambda c: (c.price.cycles, c.price.passes, c.price.lds_bytes))
    return [start if one is base else one for one in found]


def _options(launch: PassOptions) -> Options:
    size = ",".join(map(str, launch.workgroup_size)) if launch.workgroup_size else ""
    dims = tuple(f"{name}={value}" for name, value in launch.dims.items())
    return Options(launch.target, "", dims, size, launch.policy)


def _tried(
    start: _Candidate, plain: _Candidate, options: Options, apply: Apply
) -> Iterator[_Candidate]:
    """What each chain makes of the text, where that is another one than before."""
    known: dict[tuple[str, ...], _Candidate] = {(): plain}
    seen = {start.opened.source.text}
    for chain in CHAINS:
        if chain == CHAINS[-1] and not _conflicts(known.get(("fix",), plain)):
            continue
        try:
            for n in range(len(chain)):
                before = known[chain[:n]]
                if chain[: n + 1] not in known:
                    known[chain[: n + 1]] = _after(chain[n], before, options, apply)
        except (InputError, KeyError):
            continue
        if known[chain].opened.source.text not in seen:
            seen.add(known[chain].opened.source.text)
            yield known[chain]


def _conflicts(one: _Candidate) -> bool:
    counted = (count_kernel(kernel_of(each), each.machine)[0] for each in one.analyses)
    return any(report.run.extra for reports in counted for report in reports)


def _after(name: str, before: _Candidate, options: Options, apply: Apply) -> _Candidate:
    """A candidate after one more pass; with the refusals alone if that changes nothing."""
    from bankwise.ask.fix_rewritten import rewrite
    from bankwise.read.mlir.module import open_text

    if name == "fix":
        done = rewrite(before.opened, before.analyses, options)
        text, refusals, remarks = done.opened.source.text, done.refusals, tuple(_fixed(done))
    else:
        outcome = apply(name, before.opened)
        text, refusals = outcome.text, outcome.refusals if name == "resolve" else ()
        remarks = tuple(remark for remark in outcome.remarks if remark.changed)
    refusals = (*before.refusals, *refusals)
    if text == before.opened.source.text:
        return replace(before, refusals=refusals)
    after = open_text(text, before.opened.source.file)
    names, remarks = (*before.names, name), (*before.remarks, *remarks)
    return _of(names, after, analyse(after, options), remarks, refusals)


def _of(
    names: tuple[str, ...],
    opened: Opened,
    analyses: tuple[Analysis, ...],
    remarks: tuple[Remark, ...] = (),
    refusals: tuple[Refusal, ...] = (),
) -> _Candidate:
    return _Candidate(names, opened, analyses, price_of(analyses), remarks, refusals)


def _fixed(done: Rewritten) -> Iterator[Remark]:
    """What ``fix`` made of each allocation, by the names of the passes that do the same."""
    from bankwise.change.passes.values import PROVED, Remark

    for rewrite, change in zip(done.done, done.changes, strict=True):
        group = rewrite.attempt.task.owned.group
        story = (
            f"{', '.join(_steps(rewrite, done))}: {change.before.passes:,} -> "
            f"{change.after.passes:,} passes, ideal {change.after.ideal:,}; {change.optimum}"
        )
        yield Remark(group.names, group.allocations[0].location, True, f"{story}; {PROVED}")


def _steps(rewrite: ProvedRewrite, done: Rewritten) -> Iterator[str]:
    from bankwise.change.passes.conversions import hint_of
    from bankwise.change.passes.hints import hint_text
    from bankwise.change.rewrite.plan import folded

    task, plan = rewrite.attempt.task, rewrite.attempt.chosen
    if done.parted is not None and rewrite.key in done.parted.groups:
        yield "split-access"
    if task.rows is not None:
        yield "unpad"
    if folded(plan):
        hint = hint_of(plan.layout)
        copied = any(site.access.kind in COPIES for site in task.owned.group.accesses)
        name = "dma-swizzle" if copied else "resolve"
        yield f"fold by {plan.layout}" if hint is None else f"{name} {hint_text(hint)}"


def _executed(start: _Candidate, one: _Candidate, launch: PassOptions) -> str:
    from bankwise.ask.judge_execution import judge_execution

    dims = dict(launch.dims)
    verdict = judge_execution(start.opened, one.opened, start.analyses, one.analyses, dims=dims)
    return f"{verdict.judge}: {verdict.status}: {verdict.detail}"
