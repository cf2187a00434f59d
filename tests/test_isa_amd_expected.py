"""A kernel under several launches: what one run found open the next one expects, and must answer
as if it had found it itself. Random kernels; the judge is a run that was told nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bankwise.read.amd.decode import decode_kernel
from bankwise.read.amd.dialect import AMD
from bankwise.read.follow.prepared import Preparations
from bankwise.read.follow.run import Trace, follow
from isa_texts import amd_text
from test_isa_amd_divergence import program

LAUNCHES: tuple[tuple[int, dict[str | int, int]], ...] = (
    (64, {}),
    (48, {}),
    (64, {8: 3}),
    (33, {}),
)
"""Threads, and the argument, at byte 8, where it is given."""
MOST = 8_000
"""Steps that a run is worth."""


def seen(trace: Trace) -> object:
    """All that a run says."""
    touched = {
        number: (
            [(at.tobytes(), lanes.tobytes()) for at, lanes in one.patterns],
            one.counts,
            one.sure,
            one.counted,
            str(one.unknown),
            str(one.maybe),
        )
        for number, one in trace.touched.items()
    }
    branches = [
        (line, str(why), why.uniform, why.fact) for line, why in trace.open_branches.items()
    ]
    return touched, trace.executed, branches, trace.stopped, [step.line for step in trace.lost]


def answers(text: str) -> tuple[list[tuple[object, object]], int]:
    """What runs say that may expect something, beside those that may not; how many did."""
    (kernel,) = AMD.kernels(amd_text(text), "k.s", "")
    written, pairs, expecting = decode_kernel(kernel).program, [], 0
    shared = Preparations(written)
    for threads, given in LAUNCHES:
        start = AMD.start(kernel, (threads, 1, 1), given)
        one = follow(shared.of(start), start, MOST)
        other = follow(Preparations(written).of(start), start, MOST)
        expecting += bool(one.open_branches) and one.work < other.work
        pairs.append((seen(one), seen(other)))
    return pairs, expecting


@pytest.mark.parametrize("seeds", [range(4), *((seed,) for seed in range(4, 8))], ids=str)
def test_what_is_expected_is_answered_as_if_it_had_been_found(seeds: Sequence[int]) -> None:
    found = [answers(program(seed)[0]) for seed in seeds]
    for pairs, _ in found:
        for one, other in pairs:
            assert one == other
    if len(seeds) > 1:
        assert sum(expecting for _, expecting in found) > 1, "something is expected"
