"""Which layout is best has one answer: check and fix name the same, and nothing beats the front."""

from __future__ import annotations

import random
from fractions import Fraction
from math import lcm
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.algebra.address import Fold, Identity, Padded, RowFolds, is_bijection
from bankwise.algebra.offset import Shape
from bankwise.counting.conflict import count
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.solver.answer import Limits, exact
from bankwise.solver.best import Best, best, more
from bankwise.solver.price import Workload, as_written, cost, workload
from bankwise.solver.spaces import LINEAR, PADDING, SHUFFLE, Space, row_folds
from bankwise.solver.stacked import totals
from bankwise.tile import Tile, Use, directions, runs, stages
from kernel_texts import ROWS, changed, written
from tile_problems import random_problem

SM_90 = machine("sm_90")
LANE = np.arange(32)
IDEAL = "optimal among all layouts, with accesses left whole: every access is ideal"


def use(name: str, starts: np.ndarray, instruction: str, span: int = 1, **more: object) -> Use:
    row = SM_90.instruction(instruction)
    active = np.ones(starts.shape, np.bool_)
    return Use(name, row.direction, runs(starts, span), active, *as_written(row), **more)


def transpose(*, times: int = 1) -> Tile:
    """The 16 x 32 floats of the module's essay: rows written, columns read."""
    rows, columns = np.arange(16)[:, None], np.arange(16)[:, None]
    store = use("store", 32 * rows + LANE, "st.shared.b32", weight=16)
    read = use("read", 32 * (LANE % 16) + 2 * columns + LANE // 16, "ld.shared.b32", weight=16)
    return Tile(Shape((("n", 32), ("m", 16)), 32), (store, read), times)


def found_in(tile: Tile, *spaces: Space) -> Best:
    found = best(tile, SM_90, spaces)
    assert not isinstance(found, Refusal)
    return found


def test_the_essays_directions_are_what_the_arrays_say() -> None:
    store, read = (directions(u) for u in transpose().uses)
    assert store is not None
    assert store.lanes == (1, 2, 4, 8, 16)
    assert store.starts == tuple(range(0, 512, 32))
    assert read is not None
    assert read.lanes == (32, 64, 128, 256, 1)
    assert read.starts == tuple(range(0, 32, 2))


def test_every_space_has_its_plan_and_the_front_holds_what_nothing_beats() -> None:
    tile = transpose()
    pads = tuple(Padded(32, pad) for pad in (1, 2, 4))
    folds = tuple(row_folds(tile, [32]))
    found = found_in(tile, Space(LINEAR, folds, linear=True), Space(PADDING, pads))
    assert found.present.passes == 16 * 1 + 16 * 16
    swizzled, padded = found.plans
    assert (swizzled.passes, swizzled.lds_bytes) == (32, 2048)
    assert (padded.passes, padded.layout, padded.pitch) == (32, Padded(32, 2), 34)
    assert padded.lds_bytes == 4 * (15 * 34 + 32)
    assert found.front == (swizzled,)
    known = found.known(swizzled)
    assert str(known) == IDEAL
    assert known.at_least == 32
    assert found.known(found.present).optimal is False
    later = more(found_in(tile, Space(LINEAR, folds, linear=True)), [Space(PADDING, pads)])
    assert [(p.layout, p.price) for p in later.plans] == [(padded.layout, padded.price)]
    assert (later.present, later.proof.certificate) == (found.present, found.proof.certificate)


@pytest.mark.parametrize("seed", range(12))
def test_no_plan_is_worse_than_the_layout_as_it_is_and_each_costs_what_counting_says(
    seed: int,
) -> None:
    rng = np.random.default_rng(seed)
    uses = []
    for number in range(2):
        starts = rng.permutation(1024)[:64].reshape(2, 32)
        uses.append(use(f"u{number}", starts, "ld.shared.b32", weight=2))
    tile = Tile(Shape((("n", 32), ("m", 32)), 32), tuple(uses))
    folds = tuple(row_folds(tile, [32]))
    found = found_in(tile, Space(SHUFFLE, folds), Space(PADDING, (Padded(32, 1),)))
    assert len(found.plans) == 2
    for plan in found.plans:
        assert plan.passes <= found.present.passes
        counted = cost(Workload(SM_90, tile), plan.layout)
        assert not isinstance(counted, Refusal)
        assert counted.passes == plan.passes
    assert found.plans[0].tried == 1 + len(folds)
    assert not found.known(found.plans[0]).optimal


def test_executions_weigh_as_often_as_they_happen() -> None:
    starts = np.stack([LANE, 32 * LANE])
    often = use("u", starts, "ld.shared.b32", weight=10, times=np.array([9, 1]))
    tile = Tile(Shape((("n", 32), ("m", 32)), 32), (often,))
    assert found_in(tile).present.passes == 9 * 1 + 1 * 32


def test_a_dimension_that_no_access_moves_is_a_batch_of_any_size() -> None:
    one = transpose()
    three = Tile(
        Shape((*one.shape.dims, ("stage", 3)), 32),
        tuple(
            Use(u.name, u.op, u.elements + 512, u.active, u.issues, weight=u.weight)
            for u in one.uses
        ),
    )
    stripped = stages(three)
    assert (stripped.shape, stripped.batch) == (one.shape, 3)
    for mine, theirs in zip(stripped.uses, one.uses, strict=True):
        assert np.array_equal(mine.elements, theirs.elements)
    assert stages(one).batch == 1
    folds = tuple(row_folds(stripped, [32]))
    (plan,) = found_in(stripped, Space(LINEAR, folds, linear=True)).plans
    assert (plan.passes, plan.lds_bytes) == (32, 3 * 2048)


def test_folds_are_bijections_that_come_once_each() -> None:
    tile = transpose()
    folds = list(row_folds(tile, [32, 16, 8]))
    assert all(is_bijection(fold, 512) for fold in folds)
    images = {fold(np.arange(512)).tobytes() for fold in folds}
    assert len(images) == len(folds)
    assert all(isinstance(fold, RowFolds) for fold in folds)


# check and fix of a kernel

FLAT = changed(
    ROWS,
    ("memref<64x64xf16, #gpu", "memref<2x4096xf16, #gpu"),
    ("%lds[%t, %i]", "%lds[%c0, %n]"),
    (
        "{\n    %v",
        "{\n    %n = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)>(%t, %i)\n    %v",
    ),
)
"""The rows of one of two buffers, side by side in its only dimension: column bits must fold."""

NARROW = changed(
    ROWS,
    ("memref<64x64xf16, #gpu", "memref<512x8xf16, #gpu"),
    ("%lds[%t, %i]", "%lds[%n, %c0]"),
    (
        "{\n    %v",
        "{\n    %n = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1 floordiv 8)>(%t, %i)\n    %v",
    ),
)
"""The same in rows of one vector: what helps moves rows, which no last index says."""


def test_fix_writes_what_check_calls_the_optimum_of_rows_inside_one_dimension(
    tmp_path: Path,
) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from bankwise.ask.fix import fix

    report = fix(written(tmp_path, FLAT), "gfx950", isa=False)
    ((optimum,),) = ([*k.optima] for k in report.before.kernels)
    assert (optimum.present.passes, optimum.best.passes) == (768, 96)
    (change,) = report.changes
    assert (change.before.passes, change.after.passes) == (768, 96)
    assert change.optimum == IDEAL
    assert report.accepted
    assert [(v.judge, v.status) for v in report.verdicts] == [
        ("proof", "passed"),
        ("execution", "passed"),
    ]
    assert report.after.totals.run.extra == 0


def test_three_buffers_are_a_batch_of_one_proved_and_written_like_two(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from bankwise.ask.fix import fix

    three = changed(FLAT, ("memref<2x4096xf16, #gpu", "memref<3x4096xf16, #gpu"))
    report = fix(written(tmp_path, three), "gfx950", isa=False)
    ((optimum,),) = ([*k.optima] for k in report.before.kernels)
    assert (optimum.present.passes, optimum.best.passes) == (768, 96)
    assert str(optimum.known) == IDEAL
    (change,) = report.changes
    assert (change.after.passes, change.optimum) == (96, IDEAL)
    assert [(v.judge, v.status) for v in report.verdicts] == [
        ("proof", "passed"),
        ("execution", "passed"),
    ]


def test_rows_shorter_than_the_banks_are_written_as_check_says(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from bankwise.ask.fix import fix

    report = fix(written(tmp_path, NARROW), "gfx950", isa=False)
    ((optimum,),) = ([*k.optima] for k in report.before.kernels)
    assert optimum.best.passes < optimum.present.passes
    (change,) = report.changes
    assert (change.before.passes, change.after.passes) == (
        *(optimum.present.passes, optimum.best.passes),
    )
    assert [(v.judge, v.status) for v in report.verdicts] == [
        ("proof", "passed"),
        ("execution", "passed"),
    ]


def of_kernels(work: Workload) -> Tile:
    """The tile of a question as a kernel has it: an access weighs what it is executed."""
    most = max(len(use.elements) for use in work.uses)
    uses = tuple(replace(use, weight=use.weight * most) for use in work.uses)
    return replace(work.tile, uses=uses)


def test_solve_and_check_name_the_same_optimum_in_the_same_words() -> None:
    """Linear questions, whole, many above their floor: in the words of solve, and as a kernel's."""
    proved = above = 0
    for seed in range(40):
        stated = random_problem(random.Random(seed), 3 + seed % 4, sums=seed % 2 == 0, bits=9)
        answer = exact(stated, Limits(1 << 30, split=False))
        if isinstance(answer, Refusal):
            continue
        work = workload(stated)
        tile = of_kernels(work)
        scale = max(len(use.elements) for use in work.uses)
        found = best(
            tile, stated.machine, [Space(LINEAR, tuple(row_folds(tile, [tile.row])), linear=True)]
        )
        if isinstance(found, Refusal):
            continue  # As rows lie, a vector is in pieces: no kernel has that.
        (plan,) = found.plans
        known = found.known(plan)
        assert plan.passes == scale * answer.layout.passes
        assert (known.word, known.space, known.conditions) == (
            answer.known.word,
            answer.known.space,
            answer.known.conditions,
        )
        proved += known.optimal
        above += plan.passes > plan.ideal
    assert proved > 20
    assert above > 2


def test_what_check_names_and_fix_cannot_write_is_said_with_the_reason(tmp_path: Path) -> None:
    """Every allocation with a better layout is changed, or named where it is said why not."""
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from bankwise.ask.fix import fix

    for text in (FLAT, ROWS):
        report = fix(written(tmp_path, text), "gfx950", isa=False, execute=False)
        better = [
            o for k in report.before.kernels for o in k.optima if o.best.passes < o.present.passes
        ]
        told = [n for c in report.changes for n in c.allocations]
        told += [
            name
            for r in report.refusals
            for o in better
            for name in o.allocations
            if name in r.reason
        ]
        assert better
        assert {n for o in better for n in o.allocations} <= set(told)


@pytest.mark.parametrize("seed", range(8))
def test_accesses_that_are_alike_cost_what_counting_says_of_each(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if seed % 2:  # more than one array holds
        monkeypatch.setattr("bankwise.solver.alike.MOST_ELEMENTS", 4_000)
    rng, gpu = np.random.default_rng(seed), machine("gfx942")
    row = gpu.instruction("ds_read_b64")
    uses = []
    for number in range(12):
        starts = 4 * rng.integers(0, 256, (6, 64))
        starts[3:] = starts[:3]  # executions that come again count again
        active, times = rng.random((6, 64)) < 0.8, rng.integers(1, 4, 6)
        written = as_written(row)
        uses.append(Use(f"{number}", "read", runs(starts, 4), active, *written, times=times))
    tile = Tile(Shape((("n", 32), ("m", 32)), 16), tuple(uses))
    maps = (Identity(), RowFolds(32, (Fold(32, 4, 8),)), Padded(32, 4))
    work = Workload(gpu, tile)
    summed = totals(work.stacks, maps, 16)
    for address, total in zip(maps, summed.tolist(), strict=True):
        found, weighed = cost(work, address), Fraction()
        assert not isinstance(found, Refusal)
        for each, one in zip(uses, found.uses, strict=True):
            counted = count(row, 2 * address(each.elements[..., 0]), each.active)
            assert each.times is not None
            every = int(each.times.sum())
            assert one.passes == Fraction(int((counted.passes * each.times).sum()), every)
            assert one.ideal == Fraction(int((counted.ideal * each.times).sum()), every)
            weighed += one.passes
        assert total == weighed * lcm(*(each.weights[1] for each in uses))
