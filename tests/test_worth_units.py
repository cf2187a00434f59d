"""Which percentages of a profile are units beside shared memory, and what bounds a fix then."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from msgspec.structs import replace

from bankwise.ask.beside.beside import beside
from bankwise.ask.check import check
from bankwise.ask.worth import measured_worth
from bankwise.ask.worth_units import BusyUnits, busy_units
from bankwise.profile.read import parse_profile, read_profile
from bankwise.profile.values import Launch, Profile, Quantity
from bankwise.show.beside import KernelBeside

DATA = Path(__file__).parent / "data" / "profile"
ELAPSED, ACTIVE = "pct_of_peak_sustained_elapsed", "pct_of_peak_sustained_active"
SHARED = f"l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.{ELAPSED}"
SM, L2 = f"sm__throughput.avg.{ELAPSED}", f"lts__throughput.avg.{ELAPSED}"
FMA = f"sm__pipe_fma_cycles_active.avg.{ELAPSED}"
FMA_ACTIVE = f"sm__inst_executed_pipe_fma.avg.{ACTIVE}"


def busy(workgroups: int = 4096, **counters: float) -> BusyUnits:
    """The units of a launch; ``counters`` in per cent but for cycles and multiprocessors."""
    values = {name: Quantity(value, "%") for name, value in counters.items()}
    return busy_units(Launch("k", "0", workgroups, 256, values), "nvidia")


def amounts(found: BusyUnits) -> dict[str, float | None]:
    return {share.unit: share.amount for share in found.others if share.least}


def profile_of(name: str, grid: int, **counters: float) -> Profile:
    """The raw page of one launch of 256 threads."""
    names = ["ID", "Kernel Name", "Block Size", "Grid Size", *counters]
    values = (str(value) for value in counters.values())
    cells = ["0", name, "(256, 1, 1)", f"({grid}, 1, 1)", *values]
    text = "\n".join(",".join(f'"{c}"' for c in line) for line in (names, cells))
    return parse_profile(text)


def wide(**counters: float) -> KernelBeside:
    """The kernel ``wide`` beside these counters."""
    report = check(DATA / "tiles.ptx", kernel="wide")
    profile = profile_of("wide(const float4 *, float4 *)", 4096, **counters)
    (kernel,) = beside(report, profile).kernels
    return kernel


CONFLICTS = {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 4096 * 256}
"""256 extra passes of 320 a workgroup: 1,310,720 passes in all, 1,048,576 excessive (ncu)."""


@pytest.mark.parametrize(
    ("counters", "most", "by"),
    [
        ({L2: 17.8, SM: 85.2}, 100 / 85.2, "compute (SM)"),
        ({L2: 17.8, FMA: 85.2}, 100 / 85.2, "fma pipe"),
        ({L2: 17.8}, 320 / 64, "its passes"),
        ({L2: 17.8, FMA_ACTIVE: 85.2}, 320 / 64, "its passes"),
        ({L2: 30}, 100 / 30, "L2"),
        ({L2: 17.8, SM: 41.0}, 320 / 64, "its passes"),
    ],
)
def test_the_least_bound_is_printed_with_what_it_is_known_by(
    counters: dict[str, float], most: float, by: str
) -> None:
    worth = wide(**CONFLICTS, **{SHARED: 41.0}, **counters).worth
    assert worth is not None
    assert worth.most == pytest.approx(most)
    assert f"at most {most:.2f} times as fast without its conflicts, by {by}" in worth.verdict


def test_passes_of_one_workgroup_bound_nothing_where_others_touch_other_places() -> None:
    (kernel,) = check(DATA / "tiles.ptx", kernel="wide").kernels
    alone = tuple(replace(access, one_workgroup=True) for access in kernel.accesses)
    launch = Launch("k", "0", 4096, 256, {SHARED: Quantity(41, "%"), L2: Quantity(20, "%")})
    worth = measured_worth(replace(kernel, accesses=alone), [launch])
    assert worth is not None
    assert worth.most == 100 / 20
    assert "other workgroups touch other places; at most 5.00 times" in worth.verdict


def test_a_throughput_that_equals_shared_memory_is_no_other_unit_and_that_is_said() -> None:
    found = busy(**{SHARED: 41.02, SM: 41.02, L2: 10})
    assert amounts(found) == {"L2": 10}
    assert any("may be shared memory itself" in note for note in found.notes)
    assert amounts(busy(**{SHARED: 41.02, SM: 41.05})) == {"compute (SM)": 41.05}


def test_of_active_cycles_a_percentage_decides_nothing_unless_they_are_known() -> None:
    found = busy(**{SHARED: 41.0, FMA_ACTIVE: 80})
    assert [(s.unit, s.amount, s.least) for s in found.others] == [("fma pipe", 80, False)]
    cycles = {"sm__cycles_active.avg": 300, "sm__cycles_elapsed.avg": 400}
    assert amounts(busy(**{SHARED: 41.0, FMA_ACTIVE: 80}, **cycles)) == {"fma pipe": 60}
    later = wide(**CONFLICTS, **{SHARED: 41.0, FMA_ACTIVE: 80}).worth
    assert later is not None
    assert later.bottleneck is None
    assert "fma pipe may be busier" in later.verdict


def test_the_busiest_pipe_is_named_and_one_with_shared_in_its_name_is_no_shared_memory() -> None:
    pipes = {f"sm__pipe_shared_cycles_active.avg.{ELAPSED}": 50, FMA: 20}
    assert amounts(busy(**{SHARED: 41.0}, **pipes)) == {"pipe of matrix and fp64": 50}


def test_few_workgroups_keep_few_multiprocessors_busy() -> None:
    """64 of 132: a mean of 40 % over all is 82.5 % of those that have work; L2 serves all."""
    counters = {SHARED: 40.0, FMA: 32.0, L2: 10.0}
    found = busy(64, **counters, launch__sm_count=132)
    assert amounts(found) == {"fma pipe": 32 * 132 / 64, "L2": 10}
    assert found.lds is not None
    assert found.lds.amount == 82.5
    assert found.where == ", where 64 of 132 multiprocessors have work"
    assert busy(132, **counters, launch__sm_count=132).where == ""
    assert busy(64, **counters).where == ""
    more = busy(64, **{**counters, FMA: 85.2}, launch__sm_count=132)
    assert (more.where, amounts(more)["fma pipe"]) == ("", 85.2)


def test_what_is_busier_and_not_understood_is_named() -> None:
    """What has shared memory in it, and warps, are known to be no other unit."""
    mine = f"l1tex__m_xbar2l1tex_read_sectors.avg.{ELAPSED}"
    none = {
        f"l1tex__throughput.avg.{ELAPSED}": 97,
        f"gpu__compute_memory_throughput.avg.{ELAPSED}": 97,
        f"sm__warps_active.avg.{ACTIVE}": 97,
    }
    (note,) = busy(**{SHARED: 41.0, L2: 20, mine: 66.6}, **none).notes
    assert f"not understood as one: {mine} (66.6%)" in note
    assert busy(**{SHARED: 41.0, L2: 70, mine: 66.6}, **none).notes == ()


def test_more_than_the_peak_is_no_percentage_of_it() -> None:
    found = busy(**{SHARED: 152.3, SM: 104.0})
    assert (found.lds, amounts(found)) == (None, {"compute (SM)": 104})
    assert f"{SHARED} is 152.3%, which nothing is: it is not taken" in found.notes


def test_an_h200s_compute_throughput_knows_no_conflicts() -> None:
    """Launches 1 and 2 issue the same, with conflicts and without: as many cycles are busy."""
    one, two = read_profile(DATA / "raw.csv").launches[1:3]
    elapsed = "sm__cycles_elapsed.avg"
    cycles = [x.values[SM] * x.values[elapsed] for x in (one, two)]
    assert cycles[0] == pytest.approx(cycles[1], rel=0.001)
    assert one.values[SM] < one.values[SHARED] / 7
    for launch in (one, two):
        assert amounts(busy_units(launch, "nvidia"))["compute (SM)"] == launch.values[SM]


def test_the_details_page_knows_compute_too() -> None:
    with (DATA / "details.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if "Compute (SM) Throughput" in row]
    launches = read_profile(DATA / "details.csv").launches
    found = [amounts(busy_units(launch, "nvidia"))["compute (SM)"] for launch in launches]
    assert found == [float(row[row.index("%") + 1]) for row in rows]


def test_of_loops_that_nobody_counted_the_profile_tells_what_is_extra(tmp_path: Path) -> None:
    """60 of 100 passes are extra; of how many rounds, what was followed does not say."""
    text = (DATA / "tiles.ptx").read_text("utf-8")
    last = "_Z9fragmentsPK5uint4Pf_param_1\n"
    compared = "setp.ne.s32 \t%p2, %r35, 16;"
    assert text.count(last) == text.count(compared) == 1
    text = text.replace(last, f"{last[:-1]},\n\t.param .u32 rounds\n")
    text = text.replace(compared, "ld.param.u32 %r36, [rounds];\nsetp.ne.s32 %p2, %r35, %r36;")
    (tmp_path / "k.ptx").write_text(text, "utf-8")
    report = check(tmp_path / "k.ptx", kernel="fragments")
    name = "fragments(const uint4 *, float *)"
    kind = ("data_bank_conflicts_pipe_lsu", "data_pipe_lsu_wavefronts")
    reads, writes = (
        {f"l1tex__{one}_mem_shared_op_{op}.sum": n for one, n in zip(kind, counts, strict=True)}
        for op, counts in (("ld", (60, 90)), ("st", (0, 10)))
    )
    both = profile_of(name, 1, **{SHARED: 80.0, L2: 20}, **reads, **writes)
    worth = beside(report, both).kernels[0].worth
    assert worth is not None
    assert worth.most == pytest.approx(100 / 40)
    some = profile_of(name, 1, **{SHARED: 80.0, L2: 20}, **reads)
    worth = beside(report, some).kernels[0].worth
    assert worth is not None
    assert "unknown, how often its loops run is not known; at most 5.00 times" in worth.verdict
    assert worth.most == 100 / 20
