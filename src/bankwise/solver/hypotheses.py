"""What is gained under each hypothesis about rules that nobody knows: they hold, or they do not.

A price holds passes and cycles as counted, with conflicts by such rules among them (*doubted*, by
rule). Where a rule does not hold, both are fewer by as many. So a plan that is better as counted
may be worse in truth:

    23,040 -> 21,504 cycles if ds_write2_b64 conflicts as assumed, 19,968 -> 21,504 if it does not

Rules hold or not independently of each other. What is worst for the new plan is that those hold by
which it has more conflicts than the old one, and no others.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal, Protocol

Number = int | Fraction
Doubted = tuple[tuple[str, int], ...]
"""Passes that are conflicts by rules that nobody knows, by the instruction."""

Gain = Literal["sure", "gamble", "none", "loss"]
"""``sure``: something is gained as counted or otherwise, and nothing is lost under any hypothesis;
``gamble``: something is gained as counted, and lost if that is not so; ``loss``: as counted."""

GAINS: tuple[Gain, ...] = ("sure", "gamble", "none", "loss")
"""The first is the best."""


class Priced(Protocol):
    """A price: of a plan, a text, or code."""

    @property
    def passes(self) -> Number:
        """As counted."""

    @property
    def cycles(self) -> Number | None:
        """Passes and issue cycles; None where these are not known."""

    @property
    def doubted(self) -> Doubted:
        """What of both is assumed."""


def gain(new: Priced, old: Priced, *, cycles: bool = True) -> Gain:
    """What a plan gains over another one. ``cycles``: whether it may take no more of these."""
    counted, sure = _steps(new, old, None, cycles), _steps(new, old, frozenset(), cycles)
    worst = _steps(new, old, frozenset(_more(new, old)), cycles)
    best = _steps(new, old, frozenset(_more(old, new)), cycles)
    if max(counted) > 0:
        return "loss"
    if max(worst) <= 0:
        return "sure" if min((*counted, *sure, *best)) < 0 else "none"
    return "gamble" if min(counted) < 0 else "loss"


def stakes(new: Priced, old: Priced, of: str, *, cycles: bool = True) -> str:
    """What is gained as counted and lost otherwise, in words. ``of``: of what they are prices."""
    rules = tuple(dict.fromkeys(rule for rule, _ in (*old.doubted, *new.doubted)))
    real = frozenset(_more(new, old))
    lost = _steps(new, old, real, cycles)
    slower = len(lost) > 1 and (lost[1] > 0 or not any(lost))
    counted, worst = (_pair(new, old, these, slower) for these in (None, real))
    other = f"only {' and '.join(sorted(real))} does" if real else "it does not"
    what, holds = "cycles" if slower else "passes", "conflict" + "s" * (len(rules) == 1)
    named = " and ".join(rules)
    return f"{of} takes {counted} {what} if {named} {holds} as assumed, {worst} if {other}"


def gambled(new: Priced, old: Priced, of: str, *, cycles: bool = True) -> str:
    """:func:`stakes` where there are some; empty otherwise."""
    gamble = gain(new, old, cycles=cycles) == "gamble"
    return stakes(new, old, of, cycles=cycles) if gamble else ""


def hinged(new: Priced, old: Priced, of: str, *, cycles: bool = True) -> str:
    """What of a gain without any loss is there only as counted, in words; empty where something is
    gained whatever rules that nobody knows are like. Where cycles are known and may not be more,
    they decide: fewer passes that issue cycles eat up are no gain."""
    steps = (_steps(new, old, rules, cycles) for rules in (None, frozenset(_more(new, old))))
    (*other, counted), (*_, worst) = steps
    if gain(new, old, cycles=cycles) != "sure" or counted >= 0 or worst < 0:
        return ""
    named = tuple(dict.fromkeys(rule for rule, _ in (*old.doubted, *new.doubted)))
    holds = "conflict" + "s" * (len(named) == 1)
    amount = f"{int(-counted):,} {'cycles' if other else 'passes'}"
    return f"{of} gains {amount} if {' and '.join(named)} {holds} as assumed, else none"


Rules = frozenset[str] | None
"""Rules that hold as assumed; None for all of them."""


def _steps(new: Priced, old: Priced, real: Rules, cycles: bool) -> tuple[Number, ...]:
    """How much more a plan takes where these rules hold: passes and, where known, cycles."""
    known = cycles and new.cycles is not None and old.cycles is not None
    slower = (False, True) if known else (False,)
    return tuple(_taken(new, real, each) - _taken(old, real, each) for each in slower)


def _taken(price: Priced, real: Rules, cycles: bool) -> Number:
    gone = (passes for rule, passes in price.doubted if real is not None and rule not in real)
    counted = price.cycles if cycles else price.passes
    assert counted is not None
    return counted - sum(gone)


def _more(new: Priced, old: Priced) -> list[str]:
    """The rules by which a plan has more conflicts."""
    before = dict(old.doubted)
    return [rule for rule, passes in new.doubted if passes > before.get(rule, 0)]


def _pair(new: Priced, old: Priced, real: Rules, cycles: bool) -> str:
    """Before and after."""
    return " -> ".join(f"{int(_taken(price, real, cycles)):,}" for price in (old, new))
