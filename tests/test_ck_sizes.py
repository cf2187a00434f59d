"""CK headers whose sizes are no powers of two, and one tile that is refused beside another.

Counts are held against the scalar count of ``test_ck_headers`` over formulas.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tree_sitter_cuda")

from bankwise.ask.check_ck import report_of
from bankwise.ask.ck_reading import CkReading, read_header
from bankwise.ask.fix_ck import fix_ck_file
from bankwise.notation.ck.descriptor import TensorDescriptor
from bankwise.notation.ck.transforms import Transform, descend
from command import bankwise
from test_ck_headers import HEADERS, operand, options, passes, raked

HEADER = HEADERS / "two_operands.hpp"
TYPES = ("ADataType=half_t", "BDataType=half_t", "kBlockSize=256")
GEMM = ("WarpTile=32,32,16", "BlockWarps=2,2,1")


def answers(m: int, n: int, k: int) -> tuple[str, ...]:
    return (*TYPES, *GEMM, f"kM={m}", f"kN={n}", f"kK={k}")


def words(dims: tuple[str, ...]) -> list[str]:
    return [word for one in dims for word in ("--dim", one)]


def reading(dims: tuple[str, ...], text: str = "") -> CkReading:
    return read_header(HEADER, text or HEADER.read_text(), options(dims))


def row_major(m: int, k: int) -> int:
    return m * 64 + k


def by_formula(rows: int) -> int:
    """Of one operand of so many rows of 64 halves: eight halves a lane, stored by rows and loaded
    by the warp GEMM."""
    stored = passes(raked(rows, 64, 8, "block"), row_major, 2, "ds_write_b128")
    return stored + passes(operand(rows, 64, (32, 16), 2, 2), row_major, 2, "ds_read_b128")


@pytest.mark.parametrize(("m", "n"), [(192, 128), (320, 64), (128, 192)])
def test_rows_that_are_no_power_of_two_are_counted_and_mended(m: int, n: int) -> None:
    report = fix_ck_file(HEADER, options(answers(m, n, 64)))
    before = [kernel.totals.run.passes for kernel in report.before.kernels]
    assert before == [by_formula(m), by_formula(n)]
    assert [kernel.totals.run.extra for kernel in report.after.kernels] == [0, 0]
    assert not report.after.refusals
    again = reading(answers(m, n, 64), report.fixed_text)
    made = [one.value for one in again.made if isinstance(one.value, TensorDescriptor)]
    for rows, one in zip((m, n), made, strict=True):
        assert sorted(one.offsets(np.indices((rows, 64)).reshape(2, -1).T)) == [*range(rows * 64)]


TORN = """
        constexpr auto a_lds_desc_0 = make_naive_tensor_descriptor_packed(
            make_tuple(number<kMPerBlock>{}, number<4>{}, number<2>{}, number<kKPack>{}),
            number<kKPack>{});
        constexpr auto a_lds_desc_1 = transform_tensor_descriptor(
            a_lds_desc_0,
            make_tuple(make_pass_through_transform(number<kMPerBlock>{}),
                       make_pass_through_transform(number<4>{}),
                       make_xor_transform(make_tuple(number<2>{}, number<kKPack>{}))),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2, 3>{}),
            make_tuple(sequence<0>{}, sequence<1>{}, sequence<2, 3>{}));
        constexpr auto a_lds_desc = transform_tensor_descriptor(
            a_lds_desc_1,
            make_tuple(make_pass_through_transform(number<kMPerBlock>{}),
                       make_merge_transform(
                           make_tuple(number<4>{}, number<2>{}, number<kKPack>{}))),
            make_tuple(sequence<0>{}, sequence<1, 2, 3>{}),
            make_tuple(sequence<0>{}, sequence<1>{}));
        return a_lds_desc;
"""
"""Every second piece of eight has its neighbours exchanged, and eight are promised in a row."""


def torn() -> str:
    text = HEADER.read_text()
    start, end = text.index("        constexpr auto a_lds_desc "), text.index("return a_lds_desc;")
    return text[:start] + TORN.lstrip("\n") + text[end + len("return a_lds_desc;\n") :]


def test_a_promise_that_the_layout_breaks_refuses_that_tile_alone() -> None:
    report, plans = report_of(reading(answers(128, 128, 64), torn()))
    (refusal,) = report.refusals
    assert "vectors of 8 elements, and they do not lie side by side" in refusal.reason
    assert [plan.tile.name for plan in plans] == ["MakeBLdsBlockDescriptor"]
    (kernel,) = report.kernels
    assert kernel.name == "MakeBLdsBlockDescriptor"
    assert kernel.totals.run.passes == by_formula(128)


def test_a_promise_that_the_layout_breaks_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "torn.hpp").write_text(torn())
    monkeypatch.chdir(tmp_path)
    done = bankwise("check", "torn.hpp", "-t", "gfx942", *words(answers(128, 128, 64)))
    assert done.code == 1
    assert "not analysed: torn.hpp:8:20: the layout promises" in " ".join(done.out.split())


def test_a_tile_that_lds_has_no_room_for_leaves_the_other_its_answer() -> None:
    report, plans = report_of(reading(answers(1024, 128, 64)))
    assert [finding.rule for finding in report.findings] == ["lds-overflow"]
    assert [plan.tile.name for plan in plans] == ["MakeBLdsBlockDescriptor"]


@pytest.mark.parametrize(
    ("promise", "said"), [("number<-1>{},", True), ("number<1>{},", True), ("number<8>{},", False)]
)
def test_vectors_that_nobody_promises_are_counted_under_a_condition(
    promise: str, said: bool
) -> None:
    """CK compiles a vector of one element for each of them but the last."""
    text = HEADER.read_text().replace("number<kKPack>{},", promise, 1)
    report, _ = report_of(reading(answers(128, 128, 64), text))
    first, second = ("\n".join(kernel.notes) for kernel in report.kernels)
    condition = "MakeADramTileDistribution, operand of the warp GEMM: no vector is promised"
    assert (condition in first) is said
    assert "no vector is promised" not in second
    assert report.kernels[0].totals.run.passes == by_formula(128)


def test_what_no_descriptor_makes_better_is_counted_all_the_same(tmp_path: Path) -> None:
    """Operands of 16 rows, four lanes apart: what one XOR leaves of them, another one does not."""
    path = tmp_path / "once.hpp"
    tile = ("WarpTile=16,16,16", "BlockWarps=4,1,1", "kM=128", "kN=128", "kK=64")
    done = bankwise("fix", HEADER, "-t", "gfx942", *words((*TYPES, *tile)), "-o", path)
    assert done.code == 1
    assert "not analysed" not in done.err
    again = bankwise("fix", path, "-t", "gfx942", *words((*TYPES, *tile)))
    assert again.out == ""
    assert "not changed: " in again.err
    assert "no descriptor that CK writes takes fewer passes" in " ".join(again.err.split())
    assert "not analysed" not in again.err


def test_the_last_line_names_what_is_wrong_beside_conflicts() -> None:
    """1,024 rows of 128 bytes are twice what LDS has."""
    header = HEADERS / "layered_xor.hpp"
    tile = ("ADataType=half_t", "kBlockSize=256", "kM=1024", "kK=64", "LayoutA=RowMajor")
    asked = (header, "-t", "gfx942", *words((*tile, *GEMM)))
    done = bankwise("check", *asked)
    assert done.code == 1
    said = " ".join(done.out.split())
    assert said.endswith("; findings: lds-overflow 1")
    assert "no conflicts" in said
    told = " ".join(bankwise("fix", *asked).err.split())
    assert "nothing to fix" in told
    assert "what else is wrong stays" in told


def test_a_fix_of_which_nothing_was_counted_says_so_and_where_it_is_told() -> None:
    done = bankwise("fix", HEADER, "-t", "gfx942", *words((*TYPES, "kM=128", "kN=128", "kK=64")))
    assert (done.code, done.out) == (3, "")
    told = " ".join(done.err.split())
    assert "nothing was counted, and nothing is changed" in told
    assert told.endswith("not all is analysed and known (above: what is not analysed)")


@pytest.mark.parametrize("lengths", [(3, 8, 1, 4), (4, 6, 2), (5, 3), (16,)])
def test_indices_of_whole_arrays_descend_as_each_number_does(lengths: tuple[int, ...]) -> None:
    """Also those below zero, as behind a padding on the left."""
    numbers = list(range(-40, 200, 7))
    merge, xor = Transform("merge", lengths), Transform("xor", (lengths[0], lengths[-1]))
    for transform, up in ((merge, [numbers]), (xor, [numbers, numbers[::-1]])):
        arrays = descend(transform, [np.array(one) for one in up])
        each = [descend(transform, one) for one in zip(*up, strict=True)]
        assert [tuple(map(int, one)) for one in zip(*arrays, strict=True)] == each
    assert [descend(merge, [n]) for n in (0, 1)] == [(0,) * len(lengths), _one(lengths)]


def _one(lengths: tuple[int, ...]) -> tuple[int, ...]:
    """The digits of 1: at the last place that has more than one."""
    place = max(n for n, length in enumerate(lengths) if length > 1)
    return tuple(int(n == place) for n in range(len(lengths)))
