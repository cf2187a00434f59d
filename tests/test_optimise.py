"""One optimiser for tiles of any kind: splits, baselines, preferences, against counts by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.algebra.address import Identity, Linear, Padded, RowFolds
from bankwise.algebra.offset import Shape
from bankwise.ask.advice_split import split_notes
from bankwise.ask.analysis import analyse
from bankwise.ask.fix_groups import owned
from bankwise.change.rewrite.group import tile_of
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.hardware.policies import Issue
from bankwise.read.mlir.module import open_module
from bankwise.read.options import Options
from bankwise.solver.best import Best, best
from bankwise.solver.optimise import Optimised, optimise
from bankwise.solver.spaces import LAST_INDEX, LINEAR, PADDING, Space, bit_folds, row_folds
from bankwise.tile import Tile, Use, runs
from brute import brute_count

EXAMPLES = Path(__file__).parents[1] / "examples" / "iree"
GFX942 = machine("gfx942")
LANE, PITCH = np.arange(64), 128
SHAPE = Shape((("n", 128), ("m", 64)), 16)


def attention() -> Tile:
    """The K tile of an attention: 64 x 128 f16, stored by 16 bytes, four reads of 8 to a store.

    16 stores and 64 reads: 16 times what docs/solve.md has for one of each execution.
    """
    step = np.arange(16)[:, None]
    stored = 8 * (LANE + 64 * step)
    row, column = LANE % 16, 4 * (LANE // 16)
    tiles = np.arange(32)[:, None]
    read = (row + 16 * (tiles // 8)) * PITCH + column + 16 * (tiles % 8)
    active = np.ones((32, 64), bool)
    store = Use("store", "write", runs(stored, 8), active[:16], weight=16)
    return Tile(SHAPE, (store, Use("read", "read", runs(read, 4), active, weight=64)))


def spaces(tile: Tile) -> list[Space]:
    pads = tuple(Padded(PITCH, pad) for pad in range(1, 64))
    return [Space(LINEAR, tuple(bit_folds(tile, GFX942)), linear=True), Space(PADDING, pads)]


def found(**options: object) -> Optimised:
    answer = optimise(attention(), GFX942, spaces, **options)  # type: ignore[arg-type]
    assert isinstance(answer, Optimised)
    return answer


def by_hand(plan, tile: Tile) -> tuple[float, int]:
    """Passes and issue cycles of a plan: every execution, the instructions that it names."""
    passes, issue = 0.0, 0
    for use, cost in zip(tile.uses, plan.cost.uses, strict=True):
        assert use.name == cost.name
        part = use.elements.shape[-1] // cost.parts
        total = count = 0
        for wave in use.elements:
            for first in range(0, wave.shape[-1], part):
                for one in cost.issues:
                    row = GFX942.instruction(one.instruction)
                    places = plan.layout(wave[:, first]) * 2 + one.offset_bytes
                    rounds = [places + i * row.width_bytes for i in range(row.addresses)]
                    total += brute_count(row, [r.tolist() for r in rounds], [True] * 64)[0]
                count += 1
        weight = use.weight * cost.parts
        passes += weight * total / count
        for one in cost.issues:
            row = GFX942.instruction(one.instruction)
            words = row.width_bytes // 4 * row.addresses
            issue += weight * (4 if use.op == "read" else 4 + 4 * words)
    return passes, issue


def test_the_attention_tile_is_split_and_the_best_whole_and_padded_plans_stand_beside_it() -> None:
    answer, tile = found(), attention()
    assert answer.chosen.splits == ("store as 2 x ds_write_b64",)
    for plan in (answer.chosen, answer.whole, answer.present):
        assert by_hand(plan, tile) == (plan.passes, plan.issue_cycles)
    assert (answer.chosen.passes, answer.chosen.issue_cycles) == (16 * 24, 16 * 40)
    assert answer.whole in answer.front
    assert not answer.whole.splits
    linear = answer.tried[0].plans[0]
    assert (linear.passes, linear.issue_cycles) == (16 * 40, 16 * 36)
    padded = answer.tried[0].plans[1]
    assert isinstance(padded.layout, Padded)
    assert (padded.passes, padded.issue_cycles) == (16 * 32, 16 * 36)
    assert {"ds_write2_b64"} == set(padded.assumed)
    known = answer.known(answer.chosen)
    assert known.optimal
    assert known.conditions == ("with accesses split (store as 2 x ds_write_b64)",)
    assert answer.standing.proved


def test_the_split_layout_moves_every_element_to_a_place_of_its_own_and_keeps_the_parts() -> None:
    layout = found().chosen.layout
    every = np.arange(SHAPE.elements)
    assert sorted(layout(every)) == every.tolist()
    for use in attention().uses:
        placed = layout(use.elements)
        halves = placed.reshape(*placed.shape[:2], -1, 4)
        assert (halves == halves[..., :1] + np.arange(4)).all()


@pytest.mark.parametrize(
    ("prefer", "passes", "instructions"),
    [("cheapest", 24, 6), ("fewest-passes", 24, 6), ("fewest-instructions", 32, 5)],
)
def test_a_preference_decides_what_a_split_is_worth(prefer, passes, instructions) -> None:
    chosen = found(prefer=prefer).chosen
    assert (chosen.passes, chosen.instructions) == (16 * passes, 16 * instructions)


def test_accesses_that_may_not_be_split_stay_whole_and_bytes_may_be_limited() -> None:
    whole = found(split=False, lds_bytes=SHAPE.elements * 2).chosen
    assert (whole.passes, whole.issue_cycles, whole.splits) == (16 * 40, 16 * 36, ())
    tight = found(prefer="least-lds").chosen
    assert tight.lds_bytes == SHAPE.elements * 2
    assert tight.passes == 16 * 24


def test_no_answer_is_worse_than_a_baseline_and_a_baseline_may_be_the_answer() -> None:
    free = Linear((1, 2, 4 ^ 64, 8, 16, 32, 64, 128 ^ 4, 256 ^ 8, 512 ^ 16, 1024 ^ 32, 2048, 4096))
    named = [("a", Padded(PITCH, 4)), ("b", Identity()), ("c", free)]
    answer = found(baselines=named, split=False)
    assert [plan.space for plan in answer.baselines] == ["a", "b"], "c splits vectors: not legal"
    for plan in answer.baselines:
        assert answer.chosen.passes <= plan.passes
        assert answer.chosen.cycles <= plan.cycles
    tight = found(baselines=named, split=False, lds_bytes=SHAPE.elements * 2)
    assert tight.chosen.passes == 16 * 40, "the padded one does not fit"
    only = optimise(attention(), GFX942, lambda tile: [], baselines=named[:1], split=False)
    assert isinstance(only, Optimised)
    assert only.chosen.layout == Padded(PITCH, 4)
    assert not only.standing.proved


def test_an_access_without_an_instruction_is_refused() -> None:
    elements = runs(4 * LANE[None, :], 4)
    use = Use("turned", "read", elements, np.ones((1, 64), bool), kind="transpose")
    answer = optimise(Tile(SHAPE, (use,)), GFX942, lambda tile: [])
    assert isinstance(answer, Refusal)
    assert "ds_read_b64_tr_b16" in answer.reason


def emitted() -> Tile:
    """The tile as a kernel executes it: the instructions are those of its text."""
    names = {"store": "ds_write_b128", "read": "ds_read_b64"}
    uses = (replace(u, issues=(Issue(names[u.name], 0),), named=True) for u in attention().uses)
    return replace(attention(), uses=tuple(uses))


def test_check_says_what_split_stores_would_bring_to_emitted_code() -> None:
    tile = emitted()
    told = best(tile, GFX942, [spaces(tile)[0]], certify=False)
    assert isinstance(told, Best)
    (note,) = split_notes(tile, GFX942, told.plans[0])
    assert note.startswith("store as 2 x ds_write_b64: a ^ ")
    assert note.endswith(
        "384 passes for 16 instructions more, 1,024 data and issue cycles for 1,216"
    )


def test_check_is_silent_about_splits_where_none_pays_or_nobody_knows() -> None:
    reads = tuple(use for use in emitted().uses if use.op == "read")
    alone = replace(emitted(), uses=reads)
    told = best(alone, GFX942, [spaces(alone)[0]], certify=False)
    assert isinstance(told, Best)
    assert told.plans[0].passes == told.plans[0].ideal
    assert list(split_notes(alone, GFX942, told.plans[0])) == []
    unknown = replace(GFX942, facts={k: v for k, v in GFX942.facts.items() if "issue" not in k})
    tile = emitted()
    dear = best(tile, unknown, [spaces(tile)[0]], certify=False)
    assert isinstance(dear, Best)
    assert dear.plans[0].cycles is None
    assert list(split_notes(tile, unknown, dear.plans[0])) == []


def test_a_kernel_of_iree_is_free_with_split_stores_in_a_map_of_its_last_index() -> None:
    """f16 A x B^T as IREE lowers it for gfx942: what keeps stores whole takes 40,960 passes."""
    opened = open_module(EXAMPLES / "matmul_abt_4096.gfx942.mlir")
    for each in owned(analyse(opened, Options())):
        tile = tile_of(each.group, each.issues)

        def asked(of: Tile) -> list[Space]:
            folds = tuple(row_folds(of, [of.row]))
            return [Space(LAST_INDEX, folds, rows=(of.row,))]

        pads = [("what IREE does unasked", Padded(tile.row, 4))]
        answer = optimise(tile, GFX942, asked, baselines=pads)
        assert isinstance(answer, Optimised)
        assert isinstance(answer.chosen.layout, RowFolds)
        assert answer.chosen.passes == answer.chosen.ideal == 24_576
        assert by_hand(answer.chosen, tile) == (answer.chosen.passes, answer.chosen.issue_cycles)
        assert by_hand(answer.baselines[0], tile)[0] == answer.baselines[0].passes == 32_768
        assert min(plan.passes for plan in answer.tried[0].plans) == 40_960
        assert answer.chosen.cycles < min(answer.baselines[0].cycles, answer.present.cycles)
        assert {text.split(" as ")[1] for text in answer.chosen.splits} == {"2 x ds_write_b64"}
