"""What would open a kernel is tried as long as that may tell something, and for so much work."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from bankwise.errors import Location, Refusal
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.openers import with_openers
from bankwise.read.follow.prepared import Preparations
from bankwise.read.follow.program import ProgramStep, program
from bankwise.read.follow.run import UNTOUCHED
from bankwise.read.follow.side_by_side import side_by_side
from bankwise.read.follow.under import LaunchRuns
from bankwise.read.launch.facts import Given, KernelLaunch

PLACE = Location("k.cu", 1)
OPEN = AssemblyKernel(
    *("k", "sm_90", PLACE, 0, None, (32, 1, 1), (), ()),
    (Refusal("its address depends on a value loaded from memory", PLACE),),
    {3: "an argument"},
    facts=("n", "m"),
    launch=KernelLaunch("k", block=(32, 1, 1)),
    work=100,
)
BLOCKS = tuple(KernelLaunch(block=(n, 1, 1), assumed=True) for n in (256, 128, 512, 1024, 64))


def _again(
    run: AssemblyKernel, asked: list[Given]
) -> Callable[[Given, int | None], AssemblyKernel]:
    def again(given: Given, steps: int | None) -> AssemblyKernel:
        asked.append(given)
        return replace(run, launch=replace(run.launch, arguments=given))

    return again


def test_where_a_value_decides_nothing_no_other_is_tried_nor_some_of_the_facts_alone() -> None:
    asked: list[Given] = []
    found = with_openers(OPEN, _again(replace(OPEN, facts=()), asked), 8)
    assert asked == [{"n": 16, "m": 16}]
    assert (found.openers, found.notes) == ((), ())


def test_where_a_value_decides_a_branch_all_are_tried_and_each_fact_alone() -> None:
    asked: list[Given] = []
    found = with_openers(
        OPEN, _again(replace(OPEN, facts=(), open_branches={}, refusals=()), asked), 8
    )
    assert [sorted(one) for one in asked] == [["m", "n"]] * 6 + [["n"], ["m"]]
    assert found.notes == ()


@pytest.mark.parametrize(("most", "runs"), [(99, 1), (100, 2), (350, 4)])
def test_trials_end_where_they_are_worth_no_more_and_that_is_told(most: int, runs: int) -> None:
    asked: list[Given] = []
    again = _again(replace(OPEN, facts=(), open_branches={}), asked)
    found = with_openers(OPEN, again, 8, most=most)
    assert len(asked) == runs
    assert [f"{most} steps" in note and "--kernel" in note for note in found.notes] == [True]


def test_a_run_that_was_made_to_ask_for_the_size_is_not_made_again() -> None:
    runs = LaunchRuns(Preparations(program((ProgramStep(1, "EXIT", flow="end"),))))
    asked = KernelLaunch("k", block=(64, 1, 1), assumed=True, whole=True)
    runs.made.append((asked, UNTOUCHED))
    assert runs.take(KernelLaunch("k", block=(32, 1, 1), assumed=True)) is None
    assert runs.take(KernelLaunch("k", block=(64, 1, 1), assumed=True)) is UNTOUCHED
    assert runs.take(asked) is None


@pytest.mark.parametrize(("work", "runs"), [(100, 5), (100_001, 3)])
def test_a_block_that_fills_the_memory_is_looked_for_while_that_is_little_work(
    work: int, runs: int
) -> None:
    tried: list[KernelLaunch] = []

    def under(launch: KernelLaunch) -> AssemblyKernel:
        tried.append(launch)
        return replace(OPEN, lds_bytes=1024, work=work, launch=launch)

    side_by_side(BLOCKS, under, touches=True, tried=3)
    assert len(tried) == runs


def test_where_all_facts_together_open_nothing_none_is_tried_alone() -> None:
    asked: list[Given] = []
    run = replace(OPEN, facts=(), open_branches={}, refusals=OPEN.refusals * 2)
    assert with_openers(OPEN, _again(run, asked), 8).openers == ()
    assert [sorted(one) for one in asked] == [["m", "n"]] * 6


def test_dear_runs_that_bring_the_same_are_not_made_with_further_values() -> None:
    asked: list[Given] = []
    run = replace(OPEN, facts=(), open_branches={}, refusals=OPEN.refusals * 2, work=20_001)
    with_openers(OPEN, _again(run, asked), 8)
    assert [set(one.values()) for one in asked] == [{16}, {20}]
