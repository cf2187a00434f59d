"""Which way to lower a dispatch, and which plan, is best: by the text, and by the code it becomes.

Every way is fixed, and may be left as it is. What takes more than IREE's own, in the text or in the
emitted code, is never the answer; of the rest the cheapest code is, or the cheapest text where code
is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bankwise.ask.code_price import CodePrice, code_price
from bankwise.ask.fix import rewritten
from bankwise.ask.fix_judged import RewrittenFile, as_it_was
from bankwise.ask.text_price import TextPrice, launch_price
from bankwise.change.compile.lower import Dispatch, Lowering
from bankwise.errors import Location, Refusal
from bankwise.read.options import Options
from bankwise.show.fixing import FixReport
from bankwise.show.model import FrameworkDefault

IREE_DEFAULT = Lowering(padding=True, direct_load=True)
"""What ``iree-compile`` does unasked."""


@dataclass(frozen=True, slots=True)
class LoweredDispatch:
    """One dispatch, lowered in one way, as a file."""

    lowering: Lowering
    dispatch: Dispatch
    path: Path


@dataclass(frozen=True, slots=True, eq=False)
class DispatchFix:
    """The answer for one dispatch. ``start``: what a launch takes of what IREE does unasked;
    ``codes``: what is emitted for that and for the answer, where it was counted."""

    lowered: LoweredDispatch
    report: FixReport
    start: TextPrice | None
    codes: tuple[CodePrice, CodePrice] | None = None

    @property
    def linked(self) -> bool:
        """Whether its kernel takes the place of IREE's own."""
        if self.report.changes:
            return self.report.accepted
        return self.lowered.lowering != IREE_DEFAULT

    @property
    def default(self) -> FrameworkDefault:
        """Beside what IREE does unasked."""
        answer = launch_price(self.report.after) if self.linked else self.start
        name, lowering = self.lowered.dispatch.executable, self.lowered.lowering
        how = str(lowering if self.linked else IREE_DEFAULT)
        code = "" if self.codes is None else self.codes[1].against(self.codes[0])
        return FrameworkDefault(name, _pair(self.start), _pair(answer), how, code)


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A dispatch as it may be answered; ``code``: None where it is not counted."""

    lowered: LoweredDispatch
    plan: RewrittenFile
    code: CodePrice | None

    @property
    def report(self) -> FixReport:
        """The answer, but for the judges."""
        return self.plan.report


def best(
    group: Sequence[LoweredDispatch],
    options: Options,
    judge: Callable[[RewrittenFile], FixReport],
    *,
    code: bool,
) -> DispatchFix:
    """The cheapest of the ways, fixed, that is no worse than what IREE does unasked; judged.

    ``code``: whether what is emitted decides, too.
    """
    found = [c for each in group for c in _candidates(each, options, code)]
    own = next((c for c in found if c.lowered.lowering == IREE_DEFAULT and not _changed(c)), None)
    start = None if own is None else launch_price(own.report.before)
    counted = own is not None and all(each.code is not None for each in found)
    ranked = sorted(found, key=lambda each: _rank(each, own if counted else None, start))
    dear = [] if own is None else [r for c in ranked if (r := _dearer(c, own, start))]
    for each in ranked:
        report = judge(each.plan)
        if report.accepted or not report.changes:
            break
    if own is not None and each is own:
        report = replace(report, refusals=(*report.refusals, *dear))
    codes = None if own is None or own.code is None or each.code is None else (own.code, each.code)
    return DispatchFix(each.lowered, report, start, codes)


def _changed(candidate: _Candidate) -> bool:
    return bool(candidate.report.changes)


def _candidates(lowered: LoweredDispatch, options: Options, code: bool) -> list[_Candidate]:
    """A way to lower a dispatch, fixed with accesses in parts or whole, and as it is."""
    plan = rewritten(lowered.path, options)
    plans = [as_it_was(plan)] if plan.report.changes else []
    plans = [plan, *plans]
    if code and plan.instead is not None:
        plans.insert(1, plan.instead())
    return [_Candidate(lowered, each, _code(each) if code else None) for each in plans]


def _code(plan: RewrittenFile) -> CodePrice | None:
    if len(plan.again) != 1:
        return None
    found = code_price(plan.after, plan.again[0])
    return None if isinstance(found, Refusal) else found


def _rank(
    each: _Candidate, own: _Candidate | None, start: TextPrice | None
) -> tuple[bool | int, ...]:
    """What is worse than the default, or not comparable, comes last; of equals the default."""
    price, other = launch_price(each.report.after), each.lowered.lowering != IREE_DEFAULT
    if price is None or start is None:
        return True, other
    worse = not price.no_worse(start)
    code: tuple[int, ...] = ()
    if own is not None:
        assert own.code is not None, "all codes are counted"
        assert each.code is not None, "all codes are counted"
        worse, code = worse or each.code.worse(own.code), each.code.rank
    left = other and not _changed(each)
    return worse, *code, price.cycles, price.passes, left, price.lds_bytes


def _dearer(each: _Candidate, own: _Candidate, start: TextPrice | None) -> Refusal | None:
    """Why a plan that takes fewer passes is not taken: its code."""
    price = launch_price(each.report.after)
    if price is None or start is None or each.code is None or own.code is None:
        return None
    if price.passes >= start.passes or not each.code.worse(own.code):
        return None
    name, told = each.lowered.dispatch.executable, each.code.against(own.code)
    reason = f"IREE's own stays: of what takes {price.passes:,} passes of the launch the {told}"
    return Refusal(f"{name}: {reason}", Location(str(each.lowered.path)))


def _pair(price: TextPrice | None) -> tuple[int, int] | None:
    return None if price is None else (price.passes, price.cycles)
