"""Which way to lower a dispatch, and which plan, is best: by the text, and by the code it becomes.

Every way is fixed, and may be left as it is. What takes more than IREE's own, in the text or in the
emitted code, is never the answer; of the rest the cheapest code is, or the cheapest text where code
is not counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.code_price import CodePrice, code_price
from bankwise.ask.fix import rewritten
from bankwise.ask.fix_judged import RewrittenFile, as_it_was
from bankwise.ask.text_price import AT_ANY_CYCLES, TextPrice, kernel_price, launch_price, rests_on
from bankwise.change.compile.lower import IREE_DEFAULT, Dispatch, Lowering
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.options import Options
from bankwise.show.fixing import FixReport
from bankwise.show.model import FrameworkDefault, uncounted
from bankwise.show.values import CheckReport
from bankwise.solver.hypotheses import GAINS, Priced, gain, gambled, hinged, stakes
from bankwise.solver.plan import Prefer, preference
from bankwise.tile import COPIES


class LoweredDispatch(Struct, frozen=True):
    """One dispatch, lowered in one way, as a file."""

    lowering: Lowering
    dispatch: Dispatch
    path: Path


class DispatchFix(ByIdentity, frozen=True, eq=False):
    """The answer for one dispatch. ``start``: what a launch takes of what IREE does unasked;
    ``codes``: what is emitted for that and for the answer, where it was counted; ``copies``: of the
    default straight to LDS; ``workgroup``: what one of the default takes; ``only_if``: on which
    rules that nobody knows it rests that the answer is no worse, in words."""

    lowered: LoweredDispatch
    report: FixReport
    start: TextPrice | None
    codes: tuple[CodePrice, CodePrice] | None = None
    copies: int = 0
    workgroup: TextPrice | None = None
    only_if: str = ""

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
        assumed = self.only_if + assumed
        left = _copies(self.report.after) if self.linked else self.copies
        copies = uncounted(self.copies, left)
        return FrameworkDefault(name, _pair(self.start), _pair(answer), how, code, assumed, copies)


class _FixedLowering(ByIdentity, frozen=True, eq=False):
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
    report = _with_dearer(report, _dearer(each, own, ranked))
    if own is None:
        return DispatchFix(each.lowered, report, start)
    gamble, hinge, only_if = _gamble(each, own, start)
    report = replace(report, gamble=gamble, hinge=hinge)
    codes = None if own.code is None or each.code is None else (own.code, each.code)
    kernels = own.report.before.kernels
    more = _copies(own.report.before), kernel_price(*kernels), only_if
    return DispatchFix(each.lowered, report, start, codes, *more)


def _with_dearer(report: FixReport, why: str) -> FixReport:
    """An answer with why a plan with fewer passes is not taken: a note of what is changed, a
    refusal of what stays as it is."""
    if report.changes:
        return replace(report, notes=(*report.notes, *([why] if why else ())))
    return replace(report, refusals=(*report.refusals, *([Refusal(why)] if why else ())))


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


def _gamble(
    each: _FixedLowering, own: _FixedLowering, start: TextPrice | None
) -> tuple[str, str, str]:
    """What the answer gains over the default only as counted, in words: with something to lose, and
    with nothing; and, where it may lose, on which rules it rests that it does not."""
    name, cycles = each.lowered.dispatch.executable, _cycles(each)
    pair: tuple[Priced | None, Priced | None] = (each.code, own.code)
    of = f"the code of a workgroup of {name}"
    if None in pair:
        pair, of = (launch_price(each.report.after), start), f"the launch of {name}"
    new, old = pair
    if new is None or old is None:
        return "", "", ""
    gamble = gambled(new, old, of, cycles=cycles)
    rules = " and ".join(dict.fromkeys(rule for price in (old, new) for rule, _ in price.doubted))
    only_if = f"no worse than the default only if the rule of {rules} holds; " * bool(gamble)
    return gamble, hinged(new, old, of, cycles=cycles), only_if


def _cycles(each: _FixedLowering) -> bool:
    """Whether the answer may take no more data and issue cycles."""
    return _prefer(each) not in AT_ANY_CYCLES


def _prefer(each: _FixedLowering) -> Prefer:
    return preference(each.plan.options.prefer)


def _dearer(
    answer: _FixedLowering, own: _FixedLowering | None, ranked: Sequence[_FixedLowering]
) -> str:
    """Why a plan that takes fewer passes than the answer is not taken: its code."""
    most = launch_price(answer.report.after)
    dear: list[tuple[CodePrice, int, bool]] = []
    for number, each in enumerate(ranked):
        price = launch_price(each.report.after)
        if price is not None and most is not None and price.passes < most.passes and each.code:
            dear.append((each.code, price.passes, number < ranked.index(answer)))
    if not dear or answer.code is None:
        return ""
    code, passes, rejected = min(dear, key=lambda one: (one[0].cycles, *one[0].taken))
    why = "a judge rejected it" if rejected else _why_dear(code, answer, own)
    stays = "IREE's own stays: " * (answer is own)
    name = answer.lowered.dispatch.executable
    return f"{name}: {stays}{passes:,} passes of the launch can be written, but {why}"


def _why_dear(code: CodePrice, answer: _FixedLowering, own: _FixedLowering | None) -> str:
    """What is worse in the code of a plan with fewer passes, in words."""
    assert answer.code is not None
    default = None if own is None else own.code
    cycles, beside = _cycles(answer), "beside IREE's default their "
    if default is None:
        return f"their {code.against(answer.code)}"
    if code.worse(default, _prefer(answer)):
        return f"{beside}{code.against(default)}"
    mine, other = (gain(each, default, cycles=cycles) for each in (code, answer.code))
    if mine == "gamble" and GAINS.index(mine) > GAINS.index(other):
        return stakes(code, default, f"{beside}code of a workgroup", cycles=cycles)
    return f"beside the answer their {code.against(answer.code)}"


def _pair(price: TextPrice | None) -> tuple[int, int] | None:
    return None if price is None else (price.passes, price.cycles)
