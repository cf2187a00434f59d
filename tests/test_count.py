"""``bankwise count``: what it says beside the numbers."""

from __future__ import annotations

import json

import pytest

from command import bankwise


@pytest.mark.parametrize(
    ("instruction", "offsets", "active", "merged"),
    [
        ("ld.shared.b64", "lane//2*8", "", "0-31"),
        ("ld.shared.b64", "(lane//4*2 + lane%2)*8", "", "0-31"),
        ("ld.shared.b128", "lane//2*16", "", "0-15 | 16-31"),
        ("ld.shared.b64", "lane*8", "lane%2 == 0", "0-31"),
        ("ld.shared.b64", "lane*8", "", ""),
        ("ld.shared.b64", "lane//3*8", "", ""),
        ("st.shared.b64", "lane//2*8", "", ""),
        ("ld.shared.b32", "lane//2*4", "", ""),
    ],
)
def test_phases_that_equal_pairs_merge_are_said(
    instruction: str, offsets: str, active: str, merged: str
) -> None:
    words = ("count", "-t", "sm_90", instruction, offsets, "--active", active)
    ended = bankwise(*words)
    said = f"merged into {merged}: lanes come in equal pairs" if merged else "banks; phases "
    assert said in ended.out
    assert merged or "merged" not in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80
    found = json.loads(bankwise(*words, "--format", "json").out)
    assert sorted(lane for phase in found["phases"] for lane in phase) == list(range(32))
    assert len(found["phases"]) == found["ideal"]
    assert "merge" in bankwise("explain", "ideal").out


@pytest.mark.parametrize("said", ["merge", "merged", "equal pairs merge"])
def test_the_words_of_merging_are_explained(said: str) -> None:
    ended = bankwise("explain", said)
    assert ended.code == 0
    assert "equal pairs" in ended.out


def test_no_active_lane_is_said_as_such() -> None:
    words = ("count", "-t", "sm_90", "ld.shared.b32", "lane*128", "--active")
    ended = bankwise(*words, "lane > 99")
    assert ended.code == 0
    assert "no lane is active" in ended.out
    assert "write `and`, or brackets" in " ".join(ended.out.split())
    some = bankwise(*words, "lane == 3")
    assert "no lane" not in some.out
    found = json.loads(bankwise(*words, "lane < 5", "--format", "json").out)
    assert (found["active_lanes"], found["passes"]) == (5, 5)


def test_conditions_joined_as_c_joins_them_are_told_how() -> None:
    words = ("count", "-t", "sm_90", "ld.shared.b32", "lane*128", "--active")
    for text, hint in (
        ("lane<24 & lane%2==0", "write `and`, `or`, or brackets"),
        ("lane<24 && lane%2==0", "write `and`"),
    ):
        ended = bankwise(*words, text)
        assert (ended.code, ended.out) == (2, "")
        assert hint in ended.err
    even = bankwise(*words, "lane<24 and lane%2==0")
    assert "12 passes, ideal 1" in even.out


def test_an_expression_may_begin_with_a_minus() -> None:
    words = ("count", "--target", "sm_90", "ld.shared.b32")
    ended, other = bankwise(*words, "-lane*8+248"), bankwise(*words, "248-lane*8")
    assert ended.code == other.code
    assert ended.out == other.out
    assert bankwise(*words, "-x").code == 2
