"""Gains over rules that nobody knows, against all hypotheses, enumerated."""

from __future__ import annotations

from itertools import product

import pytest

from bankwise.ask.text_price import TextPrice
from bankwise.solver.hypotheses import GAINS, Gain, gain, gambled, hinged, stakes

RULES = ("a", "b")


def price(passes: int, issue: int, *doubted: int) -> TextPrice:
    pairs = tuple(zip(RULES, doubted, strict=False))
    return TextPrice(0, passes, passes + issue, 0, doubted=pairs)


def steps_of(new: TextPrice, old: TextPrice) -> list[tuple[int, int]]:
    """What passes and cycles grow by where every rule holds or does not; all hold in the first."""
    steps = []
    for holds in product((True, False), repeat=len(RULES)):
        gone = {r for r, real in zip(RULES, holds, strict=True) if not real}
        less = [sum(n for r, n in each.doubted if r in gone) for each in (new, old)]
        more = less[1] - less[0]
        steps.append((new.passes - old.passes + more, new.cycles - old.cycles + more))
    return steps


def by_all(new: TextPrice, old: TextPrice) -> Gain:
    steps = steps_of(new, old)
    if max(steps[0]) > 0:
        return "loss"
    if max(map(max, steps)) > 0:
        return "gamble" if min(steps[0]) < 0 else "loss"
    return "sure" if min(map(min, steps)) < 0 else "none"


def test_a_gain_is_what_all_hypotheses_together_say() -> None:
    some = [
        price(p, i, *d) for p in (8, 9) for i in (1, 2, 4) for d in product((0, 1, 3), repeat=2)
    ]
    seen = {by_all(new, old) for new, old in product(some, repeat=2)}
    assert seen == set(GAINS)
    for new, old in product(some, repeat=2):
        assert gain(new, old) == by_all(new, old), (new, old)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (
            price(9, 12, 0),
            "it takes 24 -> 21 cycles if a conflicts as assumed, 20 -> 21 if it does not",
        ),
        (
            price(9, 12, 0, 2),
            "it takes 24 -> 21 cycles if a and b conflict as assumed, 20 -> 21 if only b does",
        ),
        (price(8, 12, 0), ""),
    ],
)
def test_what_is_at_stake_is_told_with_both_ends(new: TextPrice, said: str) -> None:
    assert gambled(new, price(12, 12, 4), "it") == said


def test_a_gain_that_is_none_otherwise_is_told_in_cycles() -> None:
    new, old = price(8, 12, 0), price(12, 12, 4)
    assert stakes(new, old, "it").startswith("it takes 24 -> 20 cycles if a conflicts as assumed")
    assert stakes(new, old, "it").endswith(", 20 -> 20 if it does not")


def test_cycles_that_may_be_spent_are_not_at_stake() -> None:
    old, new = price(12, 12, 4), price(8, 20, 0)
    assert gain(new, old) == "loss"
    assert gain(new, old, cycles=False) == "sure"


def test_cycles_that_are_gained_as_counted_alone_are_a_hinge_and_no_sure_gain() -> None:
    old, new = price(21_504, 28_160, 2_048), price(15_360, 32_256)
    # Without the rule: 19,456 -> 15,360 passes, and 47,616 -> 47,616 cycles.
    assert gain(new, old) == "sure"
    assert hinged(new, old, "it") == "it gains 2,048 cycles if a conflicts as assumed, else none"
    assert hinged(new, old, "it", cycles=False) == ""
    assert hinged(price(15_360, 32_255), old, "it") == ""
    assert gain(price(15_360, 32_257), old) == "gamble"
    assert hinged(price(15_360, 32_257), old, "it") == ""
    old, new = price(12, 12, 4), price(8, 12)
    said = "it gains 4 passes if a conflicts as assumed, else none"
    assert hinged(new, old, "it", cycles=False) == said


def test_each_gain_that_is_none_under_some_hypothesis_is_told() -> None:
    some = [
        price(p, i, *d) for p in (8, 9) for i in (1, 2, 4) for d in product((0, 1, 3), repeat=2)
    ]
    for new, old in product(some, repeat=2):
        steps = steps_of(new, old)
        useless = min(steps[0]) < 0 and any(min(s) >= 0 for s in steps)
        in_cycles = steps[0][1] < 0 and any(s[1] >= 0 for s in steps)
        wanted = by_all(new, old) == "sure" and (useless or in_cycles)
        assert bool(hinged(new, old, "it")) == wanted, (new, old)
