"""How copies past the cache and atomics are served: an H200's counters against the machine file."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bankwise.ask.check_assembly import check_assembly_file
from bankwise.counting.bound import Bound, exactly
from bankwise.counting.conflict import count
from bankwise.counting.cost import Cost, Ends
from bankwise.counting.lines import PIECE_BYTES, line_ends, line_passes
from bankwise.hardware.machine import machine
from bankwise.read.options import Options
from brute import brute_count, passes_of_lines
from sass_texts import sass_text

DATA = Path(__file__).parent / "data"
LANES = 32
Moves = list[tuple[int, int, int]]


def measured(file: str) -> Iterator[tuple[str, str, int, Moves]]:
    """Instruction, as it was written, passes, and lane, source, destination of every lane."""
    with (DATA / file).open() as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        for row in rows:
            pairs = [text.split(":") for text in row["lane:source>destination"].split()]
            moves = [(int(lane), *map(int, move.split(">"))) for lane, move in pairs]
            yield row["instruction"], row["written"], int(row["passes"]), moves


def arrays(moves: Moves, unit: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    offsets, active = np.zeros((1, LANES), np.int64), np.zeros((1, LANES), np.bool_)
    sources = np.zeros(LANES, np.int64)
    for lane, source, to in moves:
        offsets[0, lane], active[0, lane], sources[lane] = to * unit, True, source
    return offsets, active, sources


def _lanes_of_lines(moves: Moves) -> bool:
    """Whether a lane reads in the line that its phase reads."""
    return all(source // 8 == lane // 8 for lane, source, _ in moves)


def test_copies_past_the_cache_take_the_passes_of_the_gpu() -> None:
    """Of every copy whose phases are lines: line_passes has no other notion of a source."""
    row, seen = machine("sm_90").instruction("cp.async.cg.b128"), 0
    for name, written, passes, moves in measured("h200_lines.csv"):
        assert (name, written.split(".")[0]) == (row.name, "LDGSTS")
        if not _lanes_of_lines(moves):
            continue
        offsets, active, sources = arrays(moves, PIECE_BYTES)
        assert line_passes(row, offsets, active, sources % 8).sum() == passes, moves
        seen += 1
    assert seen > 900


def test_the_rule_stated_again_over_sets_takes_the_passes_of_the_gpu_for_every_source() -> None:
    every = [(passes, moves) for _, _, passes, moves in measured("h200_lines.csv")]
    assert len(every) == 1061
    differ = [(passes, passes_of_lines(moves), moves) for passes, moves in every]
    assert not [one for one in differ if one[0] != one[1]]


def test_whatever_a_copy_reads_its_passes_lie_between_the_ends_that_are_said() -> None:
    row, tight = machine("sm_90").instruction("cp.async.cg.b128"), Counter[str]()
    for _, _, passes, moves in measured("h200_lines.csv"):
        offsets, active, _ = arrays(moves, PIECE_BYTES)
        (fewest,), (most,) = line_ends(row, offsets, active)
        assert fewest == len({to // 8 for _, _, to in moves}) <= passes
        assert passes <= most == len({to for _, _, to in moves})
        tight["fewest"] += passes == fewest
        tight["most"] += passes == most
    assert min(tight["fewest"], tight["most"]) > 50


def test_copies_of_a_kernel_say_between_which_ends_their_passes_lie(tmp_path: Path) -> None:
    """Four warps of rows of 128 bytes; through the cache, and past it."""
    found = {}
    for name, form in (("ca", "LDGSTS.E.64"), ("cg", "LDGSTS.E.BYPASS.128")):
        shift = 3 if name == "ca" else 4
        path = tmp_path / f"{name}.sass"
        code = f"S2R R2, SR_TID.X\nSHF.L.U32 R3, R2, 0x{shift}, RZ\n{form} [R3], [R8.64]"
        path.write_text(sass_text(code, threads=32), "utf-8")
        (found[name],) = check_assembly_file(path, Options()).accesses
    past, through = found["cg"], found["ca"]
    assert past.cost == Cost(4, 4, Ends(Bound(4, 32), Bound(4, 32), exactly(0)))
    assert (past.conflict, past.evidence) == ("none", "measured")
    assert through.cost == Cost(2, 2, Ends(Bound(2, 32), exactly(2), Bound(0, 30)))
    assert through.conflict == "possible"


def test_the_copies_of_another_measurement_fit_too() -> None:
    with (DATA / "h200_sources.csv").open() as lines:
        rows = [r for r in csv.reader(lines) if r[0] == "cp.async.b128.cg"]
    assert len(rows) == 100
    row = machine("sm_90").instruction("cp.async.cg.b128")
    for _, mask, passes, _, text in rows:
        active = np.array([[int(mask, 16) >> lane & 1 for lane in range(LANES)]], np.bool_)
        offsets = np.array([[int(x) for x in text.split()]])
        assert count(row, offsets, active).passes.tolist() == [int(passes)]


def test_a_swizzle_costs_a_copy_past_the_cache_nothing_and_a_padding_much() -> None:
    """Rows of 128 bytes, eight lanes each: 4 passes under an XOR, 10 behind a pad of 16 bytes."""
    row = machine("sm_90").instruction("cp.async.cg.b128")
    lane = np.arange(LANES)
    swizzled = (lane // 8 * 8 + (lane % 8 ^ lane // 8)) * PIECE_BYTES
    padded = (lane // 8 * 9 + lane % 8) * PIECE_BYTES
    found = {tuple(row): passes for _, _, passes, moves in measured("h200_lines.csv")
             for row in [[to for _, _, to in moves]] if _lanes_of_lines(moves)}  # fmt: skip
    for offsets in (swizzled, padded):
        wanted = found[tuple((offsets // PIECE_BYTES).tolist())]
        assert count(row, offsets[None]).passes.tolist() == [wanted]
    assert [int(count(row, o[None]).passes[0]) for o in (swizzled, padded)] == [4, 10]


def _fullest(moves: Moves, width: int) -> int:
    """Passes if a bank serves one lane after the other, whichever word they want."""
    phases, banks = (1, 32) if width == 4 else (2, 16)
    found = 0
    for phase in range(phases):
        hits = Counter(to % banks for lane, _, to in moves if lane * phases // LANES == phase)
        found += max(hits.values(), default=0)
    return found


def test_atomics_serve_one_lane_after_the_other_unless_they_only_count() -> None:
    seen = Counter[str]()
    for name, written, passes, moves in measured("h200_forms.csv"):
        width = 8 if "64" in name else 4
        if ".CAST." in written:
            continue
        counts, compares = "POPC" in written, ".CAS" in written
        form = ".inc" if counts else ".cas" if compares else ""
        row = machine("sm_90").instruction(f"atom.shared{form}.b{8 * width}")
        offsets, active, _ = arrays(moves, width)
        rounds = 2 if compares else 1  # the conflict counter has one of them
        assert int(count(row, offsets, active).passes[0]) * rounds == passes, (name, moves)
        if counts:
            assert brute_count(row, offsets.tolist(), active[0].tolist())[0] == passes
        else:
            assert _fullest(moves, width) * rounds == passes
        seen[written.split(".")[1]] += 1
    assert seen["POPC"] == 60
    assert sum(seen.values()) == 12 * 60


def test_a_loop_of_additions_is_not_a_rule() -> None:
    for name in ("atom.shared.cast.b32", "atom.shared.cast.b64"):
        assert machine("sm_90").instruction(name).evidence == "unknown"


def test_the_witness_of_an_atomic_names_the_lanes_that_share_a_word() -> None:
    row = machine("sm_90").instruction("atom.shared.b32")
    found = count(row, np.array([0] * 8 + list(range(4, 4 * 25, 4))))
    assert (int(found.passes), int(found.ideal), int(found.ways)) == (8, 1, 8)
    assert found.witness is not None
    assert found.witness.lanes == tuple(range(8))
    assert found.witness.words == (0,) * 8
    assert str(found.witness) == "lanes 0-7 of phase 0 update bank 0 one after the other"


@pytest.mark.parametrize("pairs", [1, 2])
def test_lanes_that_share_a_word_in_pairs_do_not_merge(pairs: int) -> None:
    row = machine("sm_90").instruction("red.shared.b32")
    offsets = np.arange(LANES) // (2 * pairs) * 4
    assert int(count(row, offsets).passes) == 2 * pairs
