"""Which way to lower a dispatch, and which plan, is best: by the text, and by the code it becomes.

Every way is fixed, and may be left as it is. What takes more than IREE's own, in the text or in the
emitted code, is never the answer; of the rest the cheapest code is, or the cheapest text where code
is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from bankwise.ask.code_price import CodePrice, code_price
from bankwise.ask.fix import rewritten
from bankwise.ask.fix_judged import RewrittenFile, as_it_was
from bankwise.ask.text_price import AT_ANY_CYCLES, TextPrice, launch_price, rests_on
from bankwise.change.compile.lower import Dispatch, Lowering
from bankwise.errors import Location, Refusal
from bankwise.read.options import Options
from bankwise.show.fixing import FixReport
from bankwise.show.model import FrameworkDefault, uncounted
from bankwise.show.values import CheckReport
from bankwise.solver.hypotheses import GAINS, gain, gambled
from bankwise.solver.plan import Prefer, preference
from bankwise.tile import COPIES

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
    ``codes``: what is emitted for that and for the answer, where it was counted; ``copies``: of the
    default straight to LDS."""

    lowered: LoweredDispatch
    report: FixReport
    start: TextPrice | None
    codes: tuple[CodePrice, CodePrice] | None = None
    copies: int = 0

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
        assumed = rests_on(self.start, answer, "the launch") if self.start and answer else ""
        left = _copies(self.report.after) if self.linked else self.copies
        copies = uncounted(self.copies, left)
        return FrameworkDefault(name, _pair(self.start), _pair(answer), how, code, assumed, copies)


@dataclass(frozen=True, slots=True, eq=False)
class _FixedLowering:
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
    counted = all(each.code is not None for each in found)
    ranked = sorted(found, key=lambda each: _rank(each, own if counted else None, start))
    for each in ranked:
        report = judge(each.plan)
        if report.accepted or not report.changes:
            break
    told = _dearer(each, own, found)
    gamble = report.gamble if own is None else _gamble(each, own, start)
    report = replace(report, refusals=(*report.refusals, *told), gamble=gamble)
    codes = None if own is None or own.code is None or each.code is None else (own.code, each.code)
    copies = 0 if own is None else _copies(own.report.before)
    return DispatchFix(each.lowered, report, start, codes, copies)


def _copies(report: CheckReport) -> int:
    """How many accesses of a text copy straight to LDS (NVIDIA: asynchronously)."""
    return sum(access.kind in COPIES for access in report.accesses)


def _changed(candidate: _FixedLowering) -> bool:
    return bool(candidate.report.changes)


def _candidates(lowered: LoweredDispatch, options: Options, code: bool) -> list[_FixedLowering]:
    """A way to lower a dispatch, fixed with accesses in parts or whole, and as it is."""
    plan = rewritten(lowered.path, options)
    plans = [as_it_was(plan)] if plan.report.changes else []
    plans = [plan, *plans]
    if code and plan.parts and plan.instead is not None:
        plans.insert(1, plan.instead())
    alone = [replace(each, instead=None) for each in plans]
    return [_FixedLowering(lowered, each, _code(each) if code else None) for each in alone]


def _code(plan: RewrittenFile) -> CodePrice | None:
    if len(plan.after.analyses) != 1:
        return None
    found = code_price(plan.after.opened, plan.after.analyses[0])
    return None if isinstance(found, Refusal) else found


def _rank(
    each: _FixedLowering, own: _FixedLowering | None, start: TextPrice | None
) -> tuple[bool | int | Fraction, ...]:
    """What is worse than the default, or not comparable, comes last; before it what may be worse,
    if a rule that nobody knows is not as assumed; of equals the default."""
    price, other = launch_price(each.report.after), each.lowered.lowering != IREE_DEFAULT
    if price is None or start is None:
        return True, other
    left, prefer = other and not _changed(each), _prefer(each)
    worse, cycles = not price.no_worse(start, prefer), prefer not in AT_ANY_CYCLES
    if own is None or own.code is None or each.code is None:
        tier = GAINS.index(gain(price, start, cycles=cycles))
        return worse, tier, *price.rank(prefer), left, price.lds_bytes
    worse = worse or each.code.worse(own.code, prefer)
    tier = GAINS.index(gain(each.code, own.code, cycles=cycles))
    text = price.rank(prefer) if prefer != "cheapest" else ()
    return (
        worse,
        tier,
        *text,
        each.code.cycles,
        each.code.passes,
        left,
        *each.code.taken,
        price.lds_bytes,
    )


def _gamble(each: _FixedLowering, own: _FixedLowering, start: TextPrice | None) -> str:
    """What the answer gains over the default only as counted, in words."""
    name, cycles = each.lowered.dispatch.executable, _prefer(each) not in AT_ANY_CYCLES
    if each.code is not None and own.code is not None:
        return gambled(each.code, own.code, f"the code of a workgroup of {name}", cycles=cycles)
    price = launch_price(each.report.after)
    if price is None or start is None:
        return ""
    return gambled(price, start, f"the launch of {name}", cycles=cycles)


def _prefer(each: _FixedLowering) -> Prefer:
    return preference(each.plan.options.prefer)


def _dearer(
    answer: _FixedLowering, own: _FixedLowering | None, found: Sequence[_FixedLowering]
) -> tuple[Refusal, ...]:
    """Why a plan that takes fewer passes than the answer is not taken: its code."""
    most = launch_price(answer.report.after)
    dear: list[tuple[CodePrice, int]] = []
    for each in found:
        price = launch_price(each.report.after)
        if price is not None and most is not None and price.passes < most.passes and each.code:
            dear.append((each.code, price.passes))
    if not dear or answer.code is None:
        return ()
    code, passes = min(dear, key=lambda pair: (pair[0].cycles, *pair[0].taken))
    stays = "IREE's own stays" if answer is own else "conflicts stay"
    name = answer.lowered.dispatch.executable
    reason = f"{stays}: {passes:,} passes of the launch can be written, but their "
    where = Location(str(answer.lowered.path))
    return (Refusal(f"{name}: {reason}{code.against(answer.code)}", where),)


def _pair(price: TextPrice | None) -> tuple[int, int] | None:
    return None if price is None else (price.passes, price.cycles)
