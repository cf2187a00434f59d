"""Integer expressions: they mean what Python means, and bad ones are told with their column."""

import contextlib
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.algebra import expression
from bankwise.errors import InputError

LANES = np.arange(64)

numbers = st.integers(0, 300).map(str)
atoms = st.one_of(numbers, st.just("lane"))


def _combine(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    binary = st.tuples(children, st.sampled_from(["+", "-", "*", "&", "|", "^"]), children)
    shift = st.tuples(children, st.sampled_from(["<<", ">>"]), st.integers(0, 5).map(str))
    divide = st.tuples(children, st.sampled_from(["//", "%"]), st.integers(1, 99).map(str))
    compare = st.tuples(children, st.sampled_from(["<", "==", ">="]), children)
    choice = st.tuples(children, children, children).map(
        lambda t: f"({t[0]} if {t[1]} else {t[2]})"
    )
    return st.one_of(
        *(s.map(lambda t: f"({t[0]} {t[1]} {t[2]})") for s in (binary, shift, divide, compare)),
        choice,
        st.tuples(children, children).map(lambda t: f"min({t[0]}, {t[1]})"),
        children.map(lambda c: f"(-{c})"),
        children.map(lambda c: f"(~{c})"),
    )


@given(st.recursive(atoms, _combine, max_leaves=12))
def test_an_expression_is_python_on_every_lane(text: str) -> None:
    values = [int(eval(text, {"lane": lane, "min": min})) for lane in range(64)]
    if max(map(abs, values)) < 2**31:
        assert expression.parse(text, ["lane"])(lane=LANES).tolist() == values


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("lane*64+(lane*4", "never closed", 9),
        ("lane*foo", "unknown name 'foo'", 6),
        ("lane**2", "'lane**2' is not integer arithmetic", 1),
        ("1.5*lane", "'1.5' is not integer arithmetic", 1),
        ("4 + __import__('os')", "is not integer arithmetic", 5),
        ("lane << 99", "shift by less than 0 or more than", 1),
        ("7 // (lane - 3)", "division by zero", 1),
        ("lane<24 && lane%2==0", "'&&' is C's", 9),
        ("lane<24 || lane>40", "'||' is C's", 9),
        ("!(lane%2)", "'!' is C's", 1),
        ("lane<24 & lane%2==0", "'24 & lane%2' is worked out before it is compared", 6),
        ("lane<24 & (lane%2==0)", "is worked out before it is compared", 6),
        ("((lane%2==0) & lane<24)", "is worked out before it is compared", 2),
        ("0 <= lane | 3 < 9", "'lane | 3' is worked out before it is compared", 6),
    ],
)
def test_a_bad_expression_is_told_with_its_column(text: str, message: str, column: int) -> None:
    with pytest.raises(InputError, match=None) as caught:
        expression.parse(text, ["lane"])(lane=LANES)
    assert message in str(caught.value)
    assert caught.value.location is not None
    assert caught.value.location.column == column


@pytest.mark.parametrize(
    "text",
    [
        *("(lane<24) & (lane%2==0)", "lane<24 and lane%2==0", "lane & 1 == 0", "lane != 3"),
        *("0 < (lane & 3) < 2", "lane % 4 == lane // 8 & 3", "((lane < 9) | (lane > 20)) == 1"),
        *("not lane % 2", "lane < 5 or lane == 9", "(lane & 3) < lane < (lane | 8)"),
    ],
)
def test_conditions_in_brackets_are_pythons(text: str) -> None:
    wanted = [int(eval(text, {"lane": lane})) for lane in range(64)]
    assert expression.parse(text, ["lane"])(lane=LANES).tolist() == wanted


def test_the_hint_lists_what_is_accepted() -> None:
    with pytest.raises(InputError) as caught:
        expression.parse("lane**2", ["lane"])
    said = caught.value.hint
    assert "/ (or //)" in said
    assert "and, or, not" in said
    assert expression.parse("lane / 2", ["lane"])(lane=LANES).tolist() == [
        n // 2 for n in range(64)
    ]


@pytest.mark.parametrize("text", ["", "  ", "(" * 5000, "lane+" * 1999 + "lane+", "\0", "9" * 400])
def test_nonsense_is_refused_and_nothing_else(text: str) -> None:
    with pytest.raises(InputError):
        expression.parse(text, ["lane"])


@given(st.text(max_size=40))
def test_any_text_is_either_an_expression_or_an_input_error(text: str) -> None:
    with contextlib.suppress(InputError):
        expression.parse(text, ["lane"])(lane=LANES)


def test_what_python_would_warn_of_is_no_warning(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert expression.parse("lane if 3and 4 else 1", ["lane"])(lane=LANES)[7] == 7
    assert capsys.readouterr().err == ""
