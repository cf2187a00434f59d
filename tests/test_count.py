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
