"""SASS against a real GPU: every shared-memory instruction of 59 kernels at its own address.

The counters are in tests/data/sass_counters.csv (passes, ideal) and sass_totals.csv (whole
kernels), measured on an H200 by tests/data/measure_sass_kernels.py.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache

import pytest

from bankwise.counting.access import Access
from bankwise.hardware.machine import machine
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.read.follow.driver import check_code
from bankwise.read.ptx.dialect import PTX
from bankwise.read.sass.dialect import SASS
from bankwise.read.sass.parse import kernels
from sass_texts import DATA, FOLDER, LAUNCHES, Launch, checked, cost, table

Place = tuple[str, int]

DATA_DEPENDENT = {"histogram": 8, "jump_table": 13, "states": 3, "calls": 3}
"""Measured instructions whose address the data decide, that lie behind a table of jumps, or in a
function that several groups of a warp's lanes may run together."""

UNCOUNTED = {"jump_table": 8, "loop_in_one_arm": 3, "atomics": 2, "states": 2, "calls": 1}
"""Instructions that are a bound: lanes come to them from a table of jumps, behind a YIELD, or as
often as atomics take turns."""

ANOTHER_IDEAL = {("pairs_shared", 0x300), ("pairs_shared", 0x340)}
"""Loads whose lanes share addresses in pairs, with gaps: Nsight's ideal does not merge there. Its
counter of conflicts does, see the test of the totals."""

OTHERWISE_SERVED = {
    ("atomics", 0x1B0): "ATOMS.CAS",
    ("atomics", 0x200): "ATOMS.CAST.SPIN.64",
    ("matmul", 0x530): "LDGSTS.E.BYPASS.128",
    ("matmul", 0x540): "LDGSTS.E.BYPASS.128",
}
"""What differs from what was measured, as the rows say: a comparing exchange goes twice through the
banks, a loop of additions has an unknown rule, and these copies read rows of 64 bytes that lie
apart, where neighbouring pieces are assumed."""


@cache
def measured() -> dict[Place, tuple[str, int, int]]:
    rows = table("sass_counters.csv")
    return {
        (r["kernel"], int(r["address"], 16)): (r["instruction"], int(r["passes"]), int(r["ideal"]))
        for r in rows
    }


@cache
def predicted() -> dict[Place, AssemblyAccess]:
    """The access of each instruction; of a matrix instruction that of its last operand."""
    return {place: found[-1] for place, found in operands().items()}


@cache
def operands() -> dict[Place, list[AssemblyAccess]]:
    found = defaultdict(list)
    for launch in LAUNCHES:
        text = (FOLDER / f"{launch.file}.sass").read_text()
        (kernel,) = kernels(text, launch.file, only=launch.kernel)
        addresses = {i.line: i.address for i in kernel.instructions}
        for access in checked(launch).accesses:
            found[(launch.kernel, addresses[access.access.location.line])].append(access)
    return found


def test_the_tables_are_as_large_as_they_are_said_to_be() -> None:
    assert len(LAUNCHES) == len({kernel for kernel, _ in measured()}) == 59
    assert len(measured()) == 838


def test_passes_are_those_of_the_gpu_at_every_instruction() -> None:
    """Of 59 kernels, on rows that claim to be known: not one differs; 10 of them are wgmma, whose
    operands count together."""
    compared, uncounted = Counter[str](), Counter[str]()
    for place, found in operands().items():
        access = found[0]
        uncounted[place[0]] += not access.counted
        known = machine("sm_90").instructions[access.instruction].evidence != "unknown"
        if known and access.counted and place not in OTHERWISE_SERVED:
            assert sum(cost(one)[0] for one in found) == measured()[place][1], place
            compared[place[0]] += 1
    assert +uncounted == UNCOUNTED
    assert len(compared) == 56
    assert sum(compared.values()) == 792


def test_copies_and_atomics_differ_only_where_their_rows_say_so() -> None:
    differ, equal = {}, 0
    for place, access in predicted().items():
        if access.access.kind not in ("async", "atomic"):
            continue
        if cost(access)[0] == measured()[place][1]:
            equal += 1
        else:
            differ[place] = measured()[place][0]
    assert differ == OTHERWISE_SERVED
    assert equal == 66


def test_ideal_is_that_of_the_source_page_but_for_pairs() -> None:
    differ = {
        place
        for place, access in predicted().items()
        if access.counted
        and access.instruction.startswith(("ld.", "st.", "ldm", "stm"))
        and cost(access)[1] != measured()[place][2]
    }
    assert differ == ANOTHER_IDEAL


def test_whole_kernels_conflict_as_often_as_the_conflict_counters_say() -> None:
    """Loads and stores apart; ldmatrix is a load, stmatrix a store, cp.async neither."""
    own: dict[str, dict[str, int]] = defaultdict(lambda: {"ld": 0, "st": 0})
    for (kernel, _), access in predicted().items():
        if access.access.kind in ("plain", "matrix"):
            passes, ideal = cost(access)
            own[kernel]["ld" if access.access.direction == "read" else "st"] += passes - ideal
    compared = 0
    for row in table("sass_totals.csv"):
        if row["kernel"] in {*DATA_DEPENDENT, *UNCOUNTED}:
            continue
        for way in ("ld", "st"):
            name = f"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{way}.sum"
            assert own[row["kernel"]][way] == int(row[name]), (row["kernel"], way)
            compared += 1
    assert compared == 2 * 53


def test_what_is_measured_and_not_predicted_is_refused_by_name() -> None:
    silent = Counter(
        (kernel, instruction.split(".")[0])
        for (kernel, address), (instruction, _, _) in measured().items()
        if (kernel, address) not in predicted()
    )
    others = Counter(dict.fromkeys(DATA_DEPENDENT, 0))
    for (kernel, _), n in silent.items():
        others[kernel] += n
    assert {k: n for k, n in others.items() if n} == DATA_DEPENDENT
    for launch in LAUNCHES:
        assert bool(checked(launch).refusals) == (launch.kernel in DATA_DEPENDENT), launch.kernel


MERGED = {"pairs_shared", "several_buffers", "scan_tree", "roles", "histogram", "atomics"}
"""Kernels of which ptxas joined loads or stores to wider ones, or repeats an atomic in a loop."""


FOLLOWED = [one for one in LAUNCHES if one.kernel != "jump_table" and one.file != "parted"]
"""Those whose PTX is followed, and whose lanes run together as it says."""


@pytest.mark.parametrize("launch", FOLLOWED, ids=lambda launch: launch.kernel)
def test_ptx_and_machine_code_cost_the_same_where_ptxas_joined_nothing(launch: Launch) -> None:
    own = FOLDER / f"{launch.file}.ptx"
    path = own if own.exists() else DATA / "isa" / f"{launch.file}.sm_90.ptx"
    (above,) = check_code(PTX,
        path.read_text(), path.name, "sm_90",
        args=launch.args, kernel=launch.kernel, workgroup_size=launch.block,
    )  # fmt: skip
    same = totals(above) == totals(checked(launch))
    assert same == (launch.kernel not in MERGED)


def totals(kernel: AssemblyKernel, target: str = "sm_90") -> dict[str, tuple[int, int]]:
    """Passes and ideal of all accesses, by instruction; those that never run left out."""
    found: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for access in kernel.accesses:
        passes, ideal = cost(access, target)
        if passes:
            before = found[access.instruction]
            found[access.instruction] = (before[0] + passes, before[1] + ideal)
    return dict(found)


def test_only_the_machine_code_tells_what_a_histogram_costs() -> None:
    """ptxas reads 16 bytes at once where PTX reads 4: 256 passes, not 1024; the GPU says 256."""
    (launch,) = (one for one in LAUNCHES if one.kernel == "histogram")
    reads = [a for a in checked(launch).accesses if a.instruction == "ld.shared.b128"]
    assert sum(cost(a)[0] for a in reads) == 256
    wide = [p for (k, _), (i, p, _) in measured().items() if (k, i) == ("histogram", "LDS.128")]
    assert sum(wide) == 256
    ptx = (FOLDER / "threads.ptx").read_text()
    (above,) = check_code(
        PTX, ptx, "threads.ptx", args=launch.args, kernel="histogram", workgroup_size=launch.block
    )
    assert totals(above)["ld.shared.b32"][0] == 1024


def test_every_access_names_its_instruction_address_and_source() -> None:
    for (_, address), found in predicted().items():
        assert f" at 0x{address:04x}" in found.access.note
        assert found.source is not None
        assert isinstance(found.access, Access)


OTHER_CODE = {"bitonic", "scan_tree", "scan_tree_padded", "roles", "jump_table", "histogram"}
"""Of these ptxas makes other accesses for sm_100: two guarded stores where sm_90 has a select and
one; a value kept in a register that sm_90 reads again; loads that are joined, or are not."""


@pytest.mark.parametrize(("target", "other"), [("sm_80", set()), ("sm_100", OTHER_CODE)])
def test_other_generations_cost_the_same_where_ptxas_makes_the_same_accesses(
    target: str, other: set[str]
) -> None:
    text = (FOLDER / f"threads.{target}.sass").read_text()
    launches = [launch for launch in LAUNCHES if launch.file == "threads"]
    differ = set()
    for launch in launches:
        (found,) = check_code(
            SASS, text, target, args=launch.args, kernel=launch.kernel, workgroup_size=launch.block
        )
        assert found.target == target
        assert found.lds_bytes == checked(launch).lds_bytes
        if totals(found, target) != totals(checked(launch)):
            differ.add(launch.kernel)
        assert len(found.refusals) in (0, len(checked(launch).refusals))
    assert len(launches) == 14
    assert differ == other
