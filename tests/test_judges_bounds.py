"""What judges of emitted code let pass: every bound, from both sides. Prices are written here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from bankwise.ask.judge_emitted import SIMULATORS, numbers_of, settings_of
from bankwise.ask.judge_isa import _worse
from bankwise.ask.text_price import TextPrice
from bankwise.ask.ttgir_code import EmittedText
from bankwise.hardware.machine import machine
from bankwise.read.emitted import SPILLED

PRICE = TextPrice(0, 100, 300, 4096)


def code(*, price: TextPrice = PRICE, lds: int | None = 4096, spilled: int = 0) -> Any:
    listing = SimpleNamespace(lds_bytes=lds, totals={SPILLED: spilled}, vgprs=None)
    kernel = SimpleNamespace(target="gfx942", name="k", counted=True)
    return SimpleNamespace(kernel=kernel, listing=listing, price=price)


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (code(), ""),
        (code(lds=4097), "more shared memory"),
        (code(lds=4095), ""),
        (code(lds=None), ""),
        (code(spilled=1), f"1 {SPILLED} where 0 were"),
        (code(price=replace(PRICE, passes=101, cycles=290)), "101 passes where 100 were"),
        (code(price=replace(PRICE, cycles=301)), "301 data and issue cycles where 300 were"),
        (code(price=replace(PRICE, passes=99, cycles=299)), ""),
    ],
)
def test_code_may_take_as_much_as_before_and_no_more(new: Any, said: str) -> None:
    found = _worse(code(), new, "cheapest")
    assert said in found
    assert bool(found) == bool(said)


def test_preferred_otherwise_code_may_cost_cycles_and_never_passes() -> None:
    dear, more = replace(PRICE, cycles=301), replace(PRICE, passes=101, cycles=290)
    assert not _worse(code(), code(price=dear), "fewest-passes")
    assert _worse(code(), code(price=more), "fewest-passes")


def triton(passes: int, executed: int, lds: int = 1024, refused: int = 0) -> EmittedText:
    """Code of so many passes, of one access that one wave executes so often."""
    pattern = SimpleNamespace(executions=executed, active=[[True] * 32])
    access = SimpleNamespace(access=SimpleNamespace(patterns=[pattern]))
    refusals = [SimpleNamespace(reason="an address is data")] * refused
    report: Any = SimpleNamespace(whole=SimpleNamespace(passes=passes), refusals=refusals)
    made: Any = SimpleNamespace(shared_bytes=lds)
    read: Any = SimpleNamespace(accesses=[access], target="sm_90")
    return EmittedText("", made, read, report, "PTX")


LDS = machine("sm_90").lds_bytes


@pytest.mark.parametrize(
    ("new", "said"),
    [
        (triton(99, 50), ""),
        (triton(100, 50), "not fewer than 100"),
        (triton(100, 40), "not fewer than 100"),
        (triton(98, 52), ""),
        (triton(98, 53), "executes 53 instructions, before 50"),
        (triton(90, 50, LDS), ""),
        (triton(90, 50, LDS + 1), f"there are {LDS:,}"),
        (triton(90, 50, refused=1), ""),
        (triton(90, 50, refused=2), "cannot be counted whole: an address is data"),
    ],
)
def test_code_of_triton_takes_fewer_passes_and_no_more_of_the_rest(
    new: EmittedText, said: str
) -> None:
    found = new.worse_than(triton(100, 50, refused=1))
    assert said in found
    assert bool(found) == bool(said)


def launched(grid: tuple[int, int, int] | None = None, **said: Any) -> Any:
    known = {"arguments": {}, "positional": (), "grid": grid, "shared_bytes": None, **said}
    return SimpleNamespace(name="k", launch=SimpleNamespace(**known), workgroup_size=(64, 1, 1))


def test_arguments_are_given_at_their_places_and_the_rest_stays_open() -> None:
    names = ["in", "out", "n"]
    assert numbers_of(launched(arguments={"n": 7}), names) == (None, None, 7)
    assert numbers_of(launched(positional=(1, None, 3), arguments={"out": 5}), names) == (1, 5, 3)
    assert numbers_of(launched(positional=(1, 2))) == (1, 2)
    assert numbers_of(launched(arguments={"m": 7}), names) == ()


_EMPTY = ".version 8.0\n.target sm_90\n.visible .entry k()\n{\nret;\n}\n"


def test_the_first_and_the_last_block_are_run_and_one_block_once() -> None:
    for grid, blocks in (
        ((4, 5, 6), {(0, 0, 0), (3, 2, 5)}),
        ((1, 1, 1), {(0, 0, 0)}),
    ):
        for setting in settings_of(SIMULATORS["PTX"], _EMPTY, launched(grid)):
            assert set(setting.blocks) == blocks
            assert len(setting.blocks) == len(blocks)
            assert setting.grid == grid
