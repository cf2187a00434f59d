"""The rules against a real GPU: 5,250 accesses measured on an H200, and the tools that took them.

`tests/data/h200_probe.csv` was written by `bankwise probe --target sm_90 --each 350
--seed 20261121 --save FILE` on an NVIDIA H200 (driver 580.159, Nsight Compute 2025.3.1).
`h200_rules.csv` holds the directed accesses of `--propose` and fresh ones of further instructions.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.lab.gpu import records, source
from bankwise.lab.gpu.cases import WINDOW_BYTES, WaveAccess, cases
from bankwise.lab.gpu.counters import CONFLICTS, PASSES, Counters, counters_of, measure
from bankwise.lab.gpu.probe import compare
from bankwise.lab.gpu.profile_run import launches_with
from bankwise.profile.read import parse_profile
from brute import brute_count
from command import bankwise

MEASURED = Path(__file__).parent / "data" / "h200_probe.csv"
RULES = MEASURED.with_name("h200_rules.csv")
COPIES = MEASURED.with_name("h200_copies.csv")


def test_every_fresh_access_measured_on_the_h200_takes_the_predicted_passes_and_conflicts() -> None:
    chosen, counters = records.loads(MEASURED.read_text("utf-8"), str(MEASURED))
    assert len(chosen) >= 5_000
    found = compare(machine("sm_90"), chosen, counters)
    assert not found.disagreements
    assert found.measured == len(chosen)
    further, counters = records.loads(RULES.read_text("utf-8"), str(RULES))
    rest = compare(machine("sm_90"), further, counters)
    assert not rest.disagreements
    measured = {t.instruction for t in (*found.tallies, *rest.tallies)}
    assert measured == set(source.instructions("nvidia"))


def test_the_measured_accesses_tell_wrong_rules_apart() -> None:
    chosen, counters = records.loads(MEASURED.read_text("utf-8"), str(MEASURED))
    right = machine("sm_90")
    never = {k: replace(i, merge="none") for k, i in right.instructions.items()}
    fewer = {k: replace(i, banks=16) for k, i in right.instructions.items()}
    for wrong in (never, fewer):
        assert compare(replace(right, instructions=wrong), chosen, counters).disagreements


def test_cases_are_the_same_for_the_same_seed_and_legal() -> None:
    gpu = machine("sm_90")
    names = source.instructions("nvidia")
    one, two = (cases(gpu, names, 20, 7) for _ in range(2))
    other = cases(gpu, names, 20, 8)
    assert all((a.offsets_bytes == b.offsets_bytes).all() for a, b in zip(one, two, strict=True))
    assert any((a.offsets_bytes != b.offsets_bytes).any() for a, b in zip(one, other, strict=True))
    for case in one:
        width = gpu.instruction(case.instruction).width_bytes
        assert not (case.offsets_bytes % width).any()
        assert case.offsets_bytes.min() >= 0
        assert case.offsets_bytes.max() + width <= WINDOW_BYTES
        assert case.active.any()
    assert Counter(c.instruction for c in one) == dict.fromkeys(names, 20)


def test_what_is_written_reads_back() -> None:
    chosen = cases(machine("gfx950"), source.instructions("amd"), 4, 1)
    counters = Counters(None, np.arange(len(chosen)))
    again, read = records.loads(records.dumps(chosen, counters), "x.csv")
    assert read.passes is None
    assert read.conflicts.tolist() == list(range(len(chosen)))
    assert all((a.active == b.active).all() for a, b in zip(chosen, again, strict=True))


@pytest.mark.parametrize("vendor", ["nvidia", "amd"])
def test_there_is_one_kernel_text_for_each_instruction_and_it_names_it(vendor: str) -> None:
    for name in source.instructions(vendor):
        text = source.kernel(name)
        family = name.split(".")[0]
        assert text.count("asm volatile") == 1
        assert family in text
    with pytest.raises(InputError, match="no kernel"):
        source.kernel("ds_nothing")


def test_the_raw_page_of_the_profiler_is_summed_over_loads_and_stores() -> None:
    fixed = "ID,Process ID,Process Name,Host Name,Kernel Name,Context,Stream,Block Size,Grid Size"
    head = [*fixed.split(","), "Device", "CC", *PASSES, *CONFLICTS]
    launch = ["0", "1", "python", "host", "access", "1", "7", "(32, 1, 1)", "(1, 1, 1)", "0", "9.0"]
    rows = [head, ["" for _ in head], [*launch, "3", "4", "1,000", "2"]]
    text = "\n".join(",".join(f'"{x}"' for x in row) for row in rows)
    found = counters_of(launches_with(parse_profile(text), (*PASSES, *CONFLICTS)))
    assert found.passes is not None
    assert found.passes.tolist() == [7]
    assert found.conflicts.tolist() == [1002]


PROFILER = """#!{python}
import sys
from pathlib import Path
words = sys.argv[1:]
Path({seen!r}).write_text(" ".join(words))
page = Path({page!r}).read_text()
if "-d" in words:
    Path(words[words.index("-d") + 1], "1_counter_collection.csv").write_text(page)
else:
    print("==PROF== talk before the page")
    print(page)
"""


def _profiler(folder: Path, page: str) -> tuple[str, Path]:
    """A program that writes ``page`` as the vendor's profiler does, and the words it was given."""
    seen, stored, program = folder / "seen", folder / "page", folder / "profiler"
    stored.write_text(page)
    program.write_text(PROFILER.format(python=sys.executable, seen=str(seen), page=str(stored)))
    program.chmod(0o755)
    return str(program), seen


def test_single_accesses_are_run_under_nsight_compute_and_read_back(tmp_path: Path) -> None:
    chosen = cases(machine("sm_90"), ("ld.shared.b32",), 2, 1)
    head = ["ID", "Kernel Name", *PASSES, *CONFLICTS]
    rows = [head, [""] * 6, ["0", "access", *"4030"], ["1", "access", *"0502"]]
    page = "\n".join(",".join(f'"{x}"' for x in row) for row in rows)
    program, seen = _profiler(tmp_path, page)
    found = measure(chosen, "nvidia", profiler=program)
    assert found.passes is not None
    assert found.passes.tolist() == [4, 5]
    assert found.conflicts.tolist() == [3, 2]
    words = seen.read_text().split()
    assert words[words.index("--metrics") + 1].split(",") == [*PASSES, *CONFLICTS]
    assert words[-3:-1] == ["-m", "bankwise.lab.gpu.worker"]
    with pytest.raises(InputError, match="shows 2 launches, 1 were made"):
        measure(chosen[:1], "nvidia", profiler=program)


def test_single_accesses_are_run_under_rocprofv3_and_have_no_passes(tmp_path: Path) -> None:
    chosen = cases(machine("gfx942"), ("ds_read_b32",), 2, 1)
    page = "Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value\n"
    page += "2,access.kd,SQ_LDS_BANK_CONFLICT,9\n1,access.kd,SQ_LDS_BANK_CONFLICT,7\n"
    program, seen = _profiler(tmp_path, page)
    found = measure(chosen, "amd", profiler=program)
    assert found.passes is None
    assert found.conflicts.tolist() == [7, 9]
    words = seen.read_text().split()
    assert words[words.index("--pmc") + 1] == "SQ_LDS_BANK_CONFLICT"


def test_probe_replays_measured_accesses_without_a_gpu(tmp_path: Path) -> None:
    ended = bankwise("probe", "--target", "sm_90", "--replay", str(MEASURED))
    assert ended.code == 0
    assert "5,250 of 5,250" in ended.out
    broken = tmp_path / "broken.csv"
    broken.write_text(MEASURED.read_text("utf-8").replace(",2,1,", ",x,1,", 1), "utf-8")
    ended = bankwise("probe", "--target", "sm_90", "--replay", str(broken))
    assert ended.code == 2
    assert "broken.csv:" in ended.err


def _served(file: Path) -> Iterator[tuple[WaveAccess, int]]:
    chosen, counters = records.loads(file.read_text("utf-8"), str(file))
    assert counters.passes is not None
    yield from zip(chosen, counters.passes.tolist(), strict=True)


def _lanes_per_bank(case: WaveAccess) -> int:
    """Passes if every lane needs its words for itself, whichever word another lane needs."""
    row = machine("sm_90").instruction(case.instruction.removesuffix(".ca"))
    passes = 0
    for phase in row.phases:
        banks = Counter(
            (int(case.offsets_bytes[lane]) // 4 + word) % 32
            for lane in phase
            for word in range(row.width_bytes // 4)
            if case.active[lane]
        )
        passes += max(banks.values(), default=0)
    return passes


def test_copies_through_the_cache_from_places_of_their_own_are_stores_without_sharing() -> None:
    """cp.async.ca; lanes with one destination race, so real copies have none of these."""
    seen = apart = 0
    for case, passes in _served(COPIES.with_name("h200_sources.csv")):
        if case.instruction.endswith(".cg"):
            continue
        seen += 1
        assert passes == _lanes_per_bank(case)
        offsets = case.offsets_bytes[case.active].tolist()
        if len(set(offsets)) == len(offsets):
            row = machine("sm_90").instruction(case.instruction.removesuffix(".ca"))
            wanted, _, _ = brute_count(row, [case.offsets_bytes.tolist()], case.active.tolist())
            assert passes == wanted
            apart += 1
    assert (seen, apart) == (300, 145)


def test_copies_from_one_place_take_a_pass_for_each_lane_or_each_destination() -> None:
    for case, passes in _served(COPIES):
        offsets = case.offsets_bytes[case.active].tolist()
        wide = case.instruction == "cp.async.b128"
        assert passes == (len(set(offsets)) if wide else len(offsets))


def test_atomics_serialise_lanes_on_one_word_unless_they_only_count() -> None:
    for case, passes in _served(COPIES.with_name("h200_adding.csv")):
        assert passes == _lanes_per_bank(case)
    for case, passes in _served(COPIES.with_name("h200_atomics.csv")):
        row = machine("sm_90").instruction("red.shared.inc.b32")
        wanted, _, _ = brute_count(row, [case.offsets_bytes.tolist()], case.active.tolist())
        assert passes == wanted
