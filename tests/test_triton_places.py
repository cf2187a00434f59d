"""Accesses of two levels of a Triton kernel, joined by lines: the places that LLVM leaves out."""

from __future__ import annotations

from msgspec.structs import replace

from bankwise.ask.triton_places import LevelItem, by_place
from bankwise.ask.triton_plan import _cheaper, _row, _rows
from bankwise.counting.bound import Bound
from bankwise.counting.cost import Cost, Ends
from bankwise.errors import Location
from bankwise.show.planning import Emission

READ = "ds_read_b64_tr_b16"


def item(line: int, passes: int, executed: int = 8) -> LevelItem:
    """Eight reads of 8 bytes a lane, ideal 64 passes, at a line of the source; 0: at none."""
    sources = (Location("k.py", line),) if line else ()
    cost = Cost(passes * executed // 8, 8 * executed)
    return LevelItem("read", "", READ, executed, 8, cost, "measured", 1, sources)


def lines(ours: list[LevelItem], theirs: list[LevelItem]) -> dict[int, tuple[int, int]]:
    """Executions of both levels by line."""
    return {
        0 if at is None else at.line: (sum(i.executed for i in a), sum(i.executed for i in b))
        for (at, _), (a, b) in by_place(ours, theirs).items()
    }


def test_code_without_a_line_goes_where_just_that_is_lacking() -> None:
    """Two lines of two reads each, of which the code has one each; the two others have no line."""
    ours = [item(7, 128), item(7, 128), item(9, 128), item(9, 128)]
    theirs = [item(7, 128), item(9, 128), item(0, 128), item(0, 128)]
    assert lines(ours, theirs) == {7: (16, 16), 9: (16, 16)}


def test_code_of_another_price_or_number_keeps_no_line() -> None:
    ours = [item(7, 128), item(7, 128)]
    assert lines(ours, [item(7, 128), item(0, 256)]) == {7: (16, 8), 0: (0, 8)}
    assert lines(ours, [item(7, 128), item(0, 128), item(0, 128)]) == {7: (16, 8), 0: (0, 16)}


def test_a_line_gets_no_more_than_it_lacks() -> None:
    """16 executions of one piece of code fit no line that lacks 8, though two of these do."""
    ours = [item(n, 128) for n in (7, 7, 9, 9)]
    theirs = [item(7, 128), item(9, 128), item(0, 128, executed=16)]
    assert lines(ours, theirs) == {7: (16, 8), 9: (16, 8), 0: (0, 16)}


def test_a_price_that_is_only_bounded_differs_from_none() -> None:
    """8 passes planned; the code takes 8 to 16: that is no difference, and no agreement."""
    cost = Cost(128, 64, Ends(Bound(64, 128), Bound(64, 64), Bound(0, 64)))
    vague = LevelItem("read", "", READ, 8, 8, cost, "measured", 1, (), open=True)
    row = _row(Location("k.py", 7), "read", [item(7, 64)], [vague], False)
    assert row.alike is None
    assert row.change == "8 passes each time planned, 16 at most emitted: not known"
    assert _row(Location("k.py", 7), "read", [item(7, 64)], [item(7, 128)], False).alike is False


def test_a_known_price_is_told_as_it_is() -> None:
    sides = ([Emission(READ, 8, 8, Cost(passes, 64), "measured", (1,))] for passes in (64, 128))
    assert _cheaper(*sides, vague=False) == "8 passes each time planned, 16 emitted"


def test_reads_that_stand_on_another_line_are_compared_with_both() -> None:
    """Two copies of the code: of the second line's four reads two stand on the first one."""
    plain = [replace(item(7, 64), instruction="ds_read_b64") for _ in range(2)]
    ours = [plain[0], item(9, 128), item(9, 128)]
    theirs = [*plain, item(7, 128), item(7, 128), item(9, 128), item(9, 128)]
    (row,) = _rows(by_place(ours, theirs), False)
    assert row.alike
    assert row.change == "2 copies of the code"
    other = [item(7, 256), item(7, 256)]
    rows = _rows(by_place(ours, [*plain, *other, item(9, 128), item(9, 128)]), False)
    assert False in [row.alike for row in rows]
