"""Laws of bounds: they hold every number that their parts can stand for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.counting.bound import ANY, NOTHING, Bound, exactly, total

SMALL = st.integers(0, 60)


@st.composite
def held(draw: st.DrawFn) -> tuple[Bound, int]:
    """A bound and a number in it."""
    low, wide, open_ended = draw(SMALL), draw(SMALL), draw(st.booleans())
    number = low + draw(st.integers(0, 90 if open_ended else wide))
    return Bound(low, None if open_ended else low + wide), number


@given(held(), held())
def test_sums_and_products_hold_those_of_their_numbers(
    one: tuple[Bound, int], other: tuple[Bound, int]
) -> None:
    (a, x), (b, y) = one, other
    assert x + y in a + b
    assert x * y in a * b
    assert x * y in a * y
    assert x + y in total([a, b])


@given(held(), held())
def test_what_is_left_of_a_whole_holds_every_difference(
    one: tuple[Bound, int], other: tuple[Bound, int]
) -> None:
    (whole, x), (part, y) = one, other
    if y <= x:
        assert x - y in whole - part


@given(held(), held())
def test_a_comparison_is_decided_only_if_no_numbers_contradict(
    one: tuple[Bound, int], other: tuple[Bound, int]
) -> None:
    (a, x), (b, y) = one, other
    if (said := a.below(b)) is not None:
        assert said == (x < y)


@given(held(), held(), held())
def test_sums_and_products_do_not_depend_on_the_order(
    one: tuple[Bound, int], other: tuple[Bound, int], third: tuple[Bound, int]
) -> None:
    a, b, c = one[0], other[0], third[0]
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert a + NOTHING == a
    assert a * exactly(1) == a


def test_what_is_free_stays_free_however_often_it_runs() -> None:
    assert ANY * 0 == NOTHING
    assert NOTHING * ANY == NOTHING


def test_the_worked_sum_of_the_header() -> None:
    assert str(exactly(5) * 4 + Bound(0, 3) * 7 + ANY * 0) == "between 20 and 41"
    assert Bound(20, 41) - Bound(0, 30) == Bound(0, 41)


@pytest.mark.parametrize(
    ("bound", "says"),
    [
        (exactly(12288), "12,288"),
        (NOTHING, "0"),
        (Bound(0, 832), "at most 832"),
        (Bound(832, None), "at least 832"),
        (Bound(21, 832), "between 21 and 832"),
        (ANY, "unknown"),
    ],
)
def test_words(bound: Bound, says: str) -> None:
    assert str(bound) == says


def test_a_comparison_is_decided_wherever_all_numbers_agree() -> None:
    ends = [(low, high) for low in range(4) for high in range(low, 4)]
    for low, high in ends:
        for least, most in ends:
            said = {x < y for x in range(low, high + 1) for y in range(least, most + 1)}
            wanted = said.pop() if len(said) == 1 else None
            assert Bound(low, high).below(Bound(least, most)) is wanted
