"""A prediction beside a profile: an H200 against PTX, AMD by hand; whether a fix is worth it."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from bankwise.ask.beside.beside import beside
from bankwise.ask.beside.cause import RowContext, cause
from bankwise.ask.beside.counters import Counter
from bankwise.ask.beside.instructions import instruction_rows
from bankwise.ask.check import check, check_file
from bankwise.ask.worth_static import static_worths
from bankwise.errors import InputError
from bankwise.hardware.sass_names import kind_of
from bankwise.profile.read import parse_profile, read_profile
from bankwise.profile.values import Launch, Profile, Quantity
from bankwise.read.options import Options
from bankwise.show.beside import Beside, KernelBeside
from bankwise.show.documents.checking import check_document
from bankwise.show.more import More, print_more
from bankwise.show.schema import plain
from bankwise.show.values import CheckReport
from bankwise.show.worth import Share, Worth
from isa_texts import DATA as ISA
from isa_texts import amd_text

DATA = Path(__file__).parent / "data" / "profile"
WIDE, FRAGMENTS = "_Z4widePK6float4PS_", "_Z9fragmentsPK5uint4Pf"
ROWS, PADDED = "_Z9transposeILi32EEvPKfPfi", "_Z9transposeILi33EEvPKfPfi"
BY_HAND = {
    WIDE: 4096 * 8 * (4 * 7 + 4 * 1),
    FRAGMENTS: 2048 * 8 * 16 * 4 * 7,
    ROWS: (1024 + 4096) * 8 * 4 * 31,
    PADDED: 0,
}
"""Extra passes of all launches: workgroups x waves x instructions x (ways - 1 in every phase)."""


@cache
def tiles() -> CheckReport:
    return check(DATA / "tiles.ptx")


@cache
def against(name: str) -> Beside:
    return beside(tiles(), read_profile(DATA / f"{name}.csv"))


def kernel(found: Beside, name: str) -> KernelBeside:
    return next(k for k in found.kernels if k.kernel == name)


def test_every_instruction_of_the_h200_has_the_passes_that_its_ptx_predicts() -> None:
    found = against("source")
    assert {k.kernel for k in found.kernels} == set(BY_HAND)
    for k in found.kernels:
        assert k.agrees
        assert sum(row.measured.extra for row in k.instructions) == BY_HAND[k.kernel]
        assert all(row.cause == "as predicted" for row in k.instructions)
    places = [row.location.line for row in kernel(found, ROWS).instructions]
    text = (DATA / "tiles.ptx").read_text("utf-8").splitlines()
    assert ["st.shared" in text[n - 1] for n in places] == [True] * 4 + [False] * 4


def test_the_exact_counter_agrees_and_the_others_hold_more_which_is_explained() -> None:
    found = against("raw")
    for k in found.kernels:
        assert k.agrees
        exact = next(r for r in k.rows if "excessive" in r.counter)
        assert exact.predicted == exact.measured == BY_HAND[k.kernel]
        assert all(r.difference == 0 for r in k.rows if "inst_executed" in r.counter)
        for row in k.rows:
            above = (row.difference or 0) > 0
            lost = "turns lost to other traffic, no conflicts: by instruction it is as predicted"
            assert (row.cause == lost) == above
    whole = next(r for r in kernel(found, PADDED).rows if r.counter.endswith("_op_ld.sum"))
    assert (whole.predicted, whole.measured) == (0, 5_003)
    assert any("documented; seen on an H200" in note for note in found.notes)


def test_without_exact_counters_nothing_is_refuted_and_the_source_page_is_advised() -> None:
    k = kernel(against("direct"), PADDED)
    assert k.agrees is None
    assert all("`--page source`" in r.cause for r in k.rows)


def test_the_rounds_of_a_loop_are_inferred_where_the_counters_agree_on_them(tmp_path: Path) -> None:
    """The loop of ``fragments`` runs 16 times; here a parameter says how often."""
    told = (DATA / "tiles.ptx").read_text("utf-8")
    for old, new in (
        (
            "_Z9fragmentsPK5uint4Pf_param_1\n",
            "_Z9fragmentsPK5uint4Pf_param_1,\n\t.param .u32 rounds\n",
        ),
        ("%r<36>", "%r<37>"),
        (
            "setp.ne.s32 \t%p2, %r35, 16;",
            "ld.param.u32 %r36, [rounds];\nsetp.ne.s32 %p2, %r35, %r36;",
        ),
    ):
        assert old in told
        told = told.replace(old, new)
    path = tmp_path / "tiles.ptx"
    path.write_text(told, "utf-8")
    profile = read_profile(DATA / "raw.csv")
    found = kernel(beside(check(path), profile), FRAGMENTS)
    known = kernel(against("raw"), FRAGMENTS)
    ldsm = "smsp__inst_executed_op_ldsm.sum"
    assert [r.predicted for r in found.rows] == [
        None if r.counter == ldsm else r.predicted for r in known.rows
    ]
    assert any(
        f"{ldsm} tells that the accesses whose executions nobody knows ran 16 times" in note
        for note in found.notes
    )
    (launch,) = [one for one in profile.launches if "fragments" in one.kernel]
    for name in (ldsm, "smsp__inst_executed_op_shared_st.sum"):
        value = launch.counters[name]
        more = {**launch.counters, name: replace(value, value=value.value + 1)}
        other = replace(profile, launches=(replace(launch, counters=more),))
        open_ = kernel(beside(check(path), other), FRAGMENTS)
        free = {"extra passes of writes"}  # the stores side by side: 0, however often they run
        assert {row.what for row in open_.rows if row.predicted is not None} == free
        assert {row.predicted for row in open_.rows if row.what in free} == {0}


SIDE_BY_SIDE = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u32 rounds)
{
\t.reg .pred %p<3>;
\t.reg .b32 %r<9>;
\t.shared .align 4 .b8 tile[1024];
\tmov.u32 %r1, %tid.x;
\tmov.u32 %r2, tile;
\tshl.b32 %r3, %r1, 2;
\tadd.s32 %r4, %r2, %r3;
\tld.param.u32 %r5, [rounds];
\tmov.u32 %r6, 0;
$again:
\tld.shared.u32 %r7, [%r4];
\tst.shared.u32 [%r4], %r7;
\tadd.s32 %r6, %r6, 1;
\tsetp.ne.s32 %p1, %r6, %r5;
\t@%p1 bra $again;
\tret;
}
"""
"""A wave reads and writes 32 words side by side, in rounds of which nobody knows the number."""
EXACT = "derived__memory_l1_wavefronts_shared_excessive"
LOADS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
LOAD_PASSES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"


@pytest.mark.parametrize(
    ("counted", "refuted"),
    [
        ({EXACT: 0, LOADS: 3, LOAD_PASSES: 103}, False),
        ({EXACT: 1, LOADS: 3, LOAD_PASSES: 103}, True),
        ({EXACT: 0, LOADS: 3100, LOAD_PASSES: 3200}, False),
        ({LOADS: 16, LOAD_PASSES: 116}, False),
        ({LOADS: 160, LOAD_PASSES: 260}, False),
        ({LOADS: 3100, LOAD_PASSES: 3200}, True),
        ({LOADS: 3100}, False),
    ],
)
def test_what_never_conflicts_is_refuted_however_often_it_runs(
    tmp_path: Path, counted: dict[str, int], refuted: bool
) -> None:
    """Nobody knows the workgroups either: every number of extra passes is 0 all the same. Without
    the exact counter only what is far more than lost turns were seen to be (17 of 100) refutes."""
    (tmp_path / "k.ptx").write_text(SIDE_BY_SIDE, "utf-8")
    counters = {name: Quantity(float(value)) for name, value in counted.items()}
    profile = Profile("p.csv", "Nsight Compute", "nvidia", (Launch("k", "0", counters=counters),))
    (found,) = beside(check_file(tmp_path / "k.ptx", Options(workgroup_size="32")), profile).kernels
    assert {r.predicted for r in found.rows if r.counter in (EXACT, LOADS)} == {0}
    assert {r.predicted for r in found.rows if r.counter == LOAD_PASSES} <= {None}
    assert bool(found.contradicted) is refuted
    assert found.agrees is (False if refuted else None)
    assert found.worth is None
    busy = {
        **counters,
        "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed": Quantity(
            70.0, "%"
        ),
    }
    for op, measured in (("st", 0.0), ("ld", 3100.0)):
        for name, value in ((LOADS, measured), (LOAD_PASSES, measured + 100)):
            busy[name.replace("_ld", f"_{op}")] = Quantity(value)
    again = replace(profile, launches=(Launch("k", "0", counters=busy),))
    (found,) = beside(check_file(tmp_path / "k.ptx", Options(workgroup_size="32")), again).kernels
    assert str(found.worth).startswith("no conflicts to remove")


def test_where_rounds_are_told_the_lanes_are_what_is_not_known(tmp_path: Path) -> None:
    """Lanes below a width read 32 rows of 32 words down a column: with all, 31 of 32 passes are
    extra. 10 workgroups, 5 rounds; how many lanes ran the counters do not tell."""
    guarded = SIDE_BY_SIDE
    for old, new in (
        ("rounds)", "rounds, .param .u32 width)"),
        ("tile[1024]", "tile[4096]"),
        ("shl.b32 %r3, %r1, 2", "shl.b32 %r3, %r1, 7"),
        ("$again:", "ld.param.u32 %r8, [width];\n\tsetp.lt.u32 %p2, %r1, %r8;\n$again:"),
        ("\tld.shared", "\t@%p2 ld.shared"),
        ("\tst.shared", "\t@%p2 st.shared"),
    ):
        assert guarded.count(old) == 1
        guarded = guarded.replace(old, new)
    (tmp_path / "k.ptx").write_text(guarded, "utf-8")
    executed = {f"smsp__inst_executed_op_shared_{op}.sum": 50 for op in ("ld", "st")}
    measured = {LOADS: 1560, LOAD_PASSES: 1610, EXACT: 3100, **executed}
    counters = {name: Quantity(float(value)) for name, value in measured.items()}
    launch = Launch("k", "0", workgroups=10, threads=32, counters=counters)
    profile = Profile("p.csv", "Nsight Compute", "nvidia", (launch,))

    def compared(*argument: str) -> KernelBeside:
        options = Options(workgroup_size="32", arguments=argument)
        return beside(check_file(tmp_path / "k.ptx", options), profile).kernels[0]

    open_ = compared()
    assert all(row.predicted is None for row in open_.rows)
    assert open_.agrees is None
    causes = {row.counter: row.cause for row in open_.rows}
    unknown = "which lanes take part is not known; with all that may, "
    assert causes[EXACT] == f"not comparable: {unknown}3,100, as measured"
    assert causes[LOAD_PASSES] == f"not comparable: {unknown}1,600"
    assert causes[LOADS].startswith(f"{unknown}1,550; extra of all passes: predicted 96.9%")
    assert any("ran 5 times in a workgroup" in note for note in open_.notes)
    (note,) = [one for one in open_.notes if "tells which lanes" in one]
    assert "--arg, with the numbers of the launch that was measured" in note
    assert "512" not in note
    known = compared("width=32")
    assert {row.counter: row.predicted for row in known.rows}[EXACT] == 31 * 2 * 5 * 10
    assert known.agrees
    assert compared("width=16").contradicted


def test_a_wrong_prediction_is_seen_by_instruction(tmp_path: Path) -> None:
    """The tile's pitch in the text is 128 bytes for 132: the profile contradicts it."""
    text = (DATA / "tiles.ptx").read_text("utf-8")
    start = text.index(f".entry {PADDED}")
    changed = text[start:].replace(", 33, ", ", 32, ")
    assert changed != text[start:]
    path = tmp_path / "other.ptx"
    path.write_text(text[:start] + changed, "utf-8")
    found = beside(check(path), read_profile(DATA / "source.csv"))
    assert kernel(found, PADDED).agrees is False
    assert kernel(found, ROWS).agrees
    causes = {r.cause for r in kernel(found, PADDED).instructions}
    assert "the lanes' addresses are not those of the checked text" in causes


def test_kernels_of_one_name_are_told_apart_or_left_out() -> None:
    text = (
        (DATA / "direct.csv")
        .read_text("utf-8")
        .replace("void transpose<32>(const float *, float *, int)", "transpose")
    )
    found = beside(tiles(), parse_profile(text, "p.csv"))
    assert [k.kernel for k in found.kernels] == [PADDED]
    assert any("'transpose' is left out: it may be any of" in n for n in found.notes)
    assert any("wide is not in the profile" in n for n in found.notes)


LANES_256_APART = "\tv_lshlrev_b32_e32 v1, 8, v0\n\tds_read_b32 v2, v1"


def amd(tmp_path: Path, body: str = LANES_256_APART) -> CheckReport:
    """One wave reads a word every 256 bytes: two phases of 32 lanes on one bank, 62 extra."""
    path = tmp_path / "k.s"
    path.write_text(amd_text(body, threads=64), "utf-8")
    return check_file(path, Options(workgroup_size="64"))


def rocprof(grid: int, **counters: int) -> str:
    names = ",".join(counters)
    values = ",".join(map(str, counters.values()))
    return f'Index,KernelName,grd,wgr,{names}\n0,"k.kd",{grid},64,{values}\n'


@pytest.mark.parametrize("name", ["SQ_LDS_BANK_CONFLICT", "SQC_LDS_BANK_CONFLICT"])
def test_amds_conflict_counter_is_the_extra_passes_of_all_waves(tmp_path: Path, name: str) -> None:
    profile = parse_profile(rocprof(640, **{name: 620, "SQ_INSTS_LDS": 10}))
    (k,) = beside(amd(tmp_path), profile).kernels
    assert [(r.predicted, r.measured, r.cause) for r in k.rows] == [
        (620, 620, "as predicted"),
        (10, 10, "as predicted"),
    ]
    assert k.agrees


@pytest.mark.parametrize(
    ("counters", "says"),
    [
        ({"SQ_LDS_BANK_CONFLICT": 0, "SQ_INSTS_LDS": 10}, "reads zero on some parts"),
        ({"SQ_LDS_BANK_CONFLICT": 310, "SQ_INSTS_LDS": 5}, "5 instructions were executed, 10"),
        ({"SQ_LDS_BANK_CONFLICT": 700, "SQ_INSTS_LDS": 10}, "another layout or other sizes ran"),
        ({"SQ_LDS_BANK_CONFLICT": 300, "SQ_INSTS_LDS": 10}, "as predicted: fewer lanes took part"),
        ({"SQ_LDS_BANK_CONFLICT": 300}, "fewer lanes or waves"),
        ({"SQ_LDS_IDX_ACTIVE": 700, "SQ_INSTS_LDS": 10}, "half-waves without active lanes"),
    ],
)
def test_amds_differences_have_a_likely_cause(
    tmp_path: Path, counters: dict[str, int], says: str
) -> None:
    (k,) = beside(amd(tmp_path), parse_profile(rocprof(640, **counters))).kernels
    assert says in k.rows[0].cause


LANES_SIDE_BY_SIDE = "\tv_lshlrev_b32_e32 v1, 2, v0\n\tds_read_b32 v2, v1"


@pytest.mark.parametrize(
    ("body", "conflicts", "executed", "agrees"),
    [
        (LANES_SIDE_BY_SIDE, 0, 10, True),
        (LANES_SIDE_BY_SIDE, 620, 10, False),
        (LANES_SIDE_BY_SIDE, 620, 20, None),
        (LANES_256_APART, 700, 10, False),
        (LANES_256_APART, 310, 10, False),
        (LANES_256_APART, 0, 10, None),
    ],
)
def test_as_many_instructions_with_other_conflicts_contradict_amds_profile(
    tmp_path: Path, body: str, conflicts: int, executed: int, agrees: bool | None
) -> None:
    """Ten workgroups of one wave with one read: 2 passes without conflicts, 64 with 62 extra. A
    conflict counter of zero is no verdict: it reads so on some parts."""
    passes = 20 * (executed // 10) + conflicts
    named = {"SQ_LDS_BANK_CONFLICT": conflicts, "SQ_LDS_IDX_ACTIVE": passes}
    text = rocprof(640, **named, SQ_INSTS_LDS=executed)
    (k,) = beside(amd(tmp_path, body), parse_profile(text)).kernels
    assert k.agrees is agrees
    assert bool(k.contradicted) is (agrees is False)
    causes = {row.counter: row.cause for row in k.rows}
    if body == LANES_SIDE_BY_SIDE and agrees is False:
        assert "another layout or other sizes ran" in causes["SQ_LDS_BANK_CONFLICT"]
        assert "SQ_LDS_BANK_CONFLICT is more, too" in causes["SQ_LDS_IDX_ACTIVE"]
    assert not any("direct-to-LDS" in cause for cause in causes.values())


def test_without_a_grid_only_the_ratio_is_compared(tmp_path: Path) -> None:
    text = "KernelName,SQ_LDS_BANK_CONFLICT,SQ_LDS_IDX_ACTIVE\nk,6200,6400\n"
    (k,) = beside(amd(tmp_path), parse_profile(text)).kernels
    assert (k.workgroups, k.rows[0].predicted, k.rows[0].per_workgroup) == (None, None, 62)
    assert "predicted 96.9%, measured 96.9%" in k.rows[0].cause
    assert k.agrees is None


def test_one_kernel_on_each_side_is_matched_whatever_its_name(tmp_path: Path) -> None:
    text = rocprof(640, SQ_LDS_BANK_CONFLICT=620).replace("k.kd", "copy")
    found = beside(amd(tmp_path), parse_profile(text))
    assert found.kernels[0].rows[0].cause == "as predicted"
    assert "'copy' is taken to be 'k'" in found.notes[0]


def test_another_workgroup_size_is_told(tmp_path: Path) -> None:
    text = rocprof(640, SQ_LDS_BANK_CONFLICT=620).replace(",64,", ",128,")
    (k,) = beside(amd(tmp_path), parse_profile(text)).kernels
    assert "workgroups of 128 threads, the prediction is for 64" in k.notes[0]


def test_another_shape_of_as_many_threads_is_told() -> None:
    name = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
    for block, says in (((16, 16, 1), True), ((256, 1, 1), False), (None, False)):
        launch = Launch(WIDE, "0", 4096, 256, {name: Quantity(1.0)}, block=block)
        profile = Profile("p.csv", "Nsight Compute", "nvidia", (launch,))
        (found,) = beside(check(DATA / "tiles.ptx", kernel="wide"), profile).kernels
        said = "launched with workgroups of 16x16x1, the prediction is for 256x1x1: pass"
        assert any(note.startswith(said) for note in found.notes) is says


def test_a_long_name_that_is_left_out_is_told_without_its_parameters() -> None:
    long = f"gemm({', '.join(['const float *'] * 8)})"
    counters = {EXACT: Quantity(0.0)}
    launches = tuple(Launch(one, "0", 4096, 256, counters) for one in (long, WIDE))
    profile = Profile("p.csv", "Nsight Compute", "nvidia", launches)
    found = beside(check(DATA / "tiles.ptx", kernel="wide"), profile)
    (note,) = [one for one in found.notes if "is left out" in one]
    assert note.startswith("'gemm' is left out")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (rocprof(640, GRBM_COUNT=1), "no counter of shared memory in this profile"),
        (
            rocprof(640, SQ_LDS_BANK_CONFLICT=1) + '1,"j.kd",1,64,1\n',
            "",
        ),
        ((DATA / "direct.csv").read_text("utf-8"), "measured no gfx942"),
        (
            rocprof(64, SQ_LDS_BANK_CONFLICT=1).replace("k.kd", "i") + '1,"j.kd",64,64,1\n',
            "no kernel of the check is in this profile",
        ),
    ],
)
def test_a_profile_of_something_else_is_refused(tmp_path: Path, text: str, says: str) -> None:
    report = amd(tmp_path)
    if not says:
        assert len(beside(report, parse_profile(text)).kernels) == 1
        return
    with pytest.raises(InputError, match=says):
        beside(report, parse_profile(text))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("LDS R11, [R16]", "ld.shared.b32"),
        ("@!P0  STS.128 [R0], R8", "st.shared.b128"),
        ("LDS.U.64 R2, [R0]", "ld.shared.b64"),
        ("STS.U8 [R0], R8", "st.shared.b8"),
        ("LDS.U16 R2, [R0]", "ld.shared.b16"),
        ("LDSM.16.M88.4 R8, [R9]", "ldmatrix.x4"),
        ("LDSM.16.MT88.2 R8, [R9]", "ldmatrix.x2.trans"),
        ("STSM.16.M88 [R9], R8", "stmatrix.x1"),
        ("ATOMS.ADD RZ, [R0], R1", "ATOMS.ADD RZ"),
    ],
)
def test_machine_code_has_the_names_of_the_machine_files(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def test_a_kernel_that_was_not_asked_for_is_not_said_to_be_missing_from_the_file() -> None:
    found = beside(check(DATA / "tiles.ptx", kernel="wide"), read_profile(DATA / "raw.csv"))
    said = [note for note in found.notes if "is left out" in note]
    assert len(said) == 3
    assert all("it is not among the kernels that were checked" in note for note in said)


def test_what_is_odd_in_amds_exports_is_told(tmp_path: Path) -> None:
    """10 workgroups of 62 extra passes."""
    report = amd(tmp_path)

    def notes(text: str) -> str:
        found = beside(report, parse_profile(text))
        return " ".join((*found.notes, *found.kernels[0].notes, str(found.kernels[0].worth)))

    over = notes(rocprof(640, SQ_LDS_BANK_CONFLICT=620, LDSBankConflict=150, MfmaUtil=70))
    assert "LDSBankConflict is 150.0%, which nothing is" in over
    assert "stall shared memory" not in over
    text = rocprof(640, SQ_LDS_BANK_CONFLICT=620)
    twice = parse_profile(text + text.splitlines()[-1] + "\n")
    assert len(twice.launches) == 1
    assert "number and all, were left out: 1" in twice.notes[0]
    with pytest.raises(InputError, match="'12,5' is no percentage"):
        parse_profile(
            rocprof(640, SQ_LDS_BANK_CONFLICT=620, MfmaUtil=7).replace(",7\n", ',"12,5"\n')
        )
    long = (DATA / "rocprofv3.csv").read_text("utf-8").replace("tile(float*)", "k")
    header, first, second, _ = long.splitlines()
    empty = first.replace("3968.000000", "")
    assert empty != first
    assert "SQ_LDS_BANK_CONFLICT is not compared" in notes("\n".join([header, empty, second]))
    other = second.replace("1,1,", "2,2,", 1)
    with pytest.raises(InputError, match="has a value in every launch of a kernel"):
        beside(report, parse_profile("\n".join([header, first, other])))


READS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
OF_READS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"


@pytest.mark.parametrize(
    ("first", "second", "capability", "says"),
    [
        ("131072", "131072", "9.0", ""),
        ("131072", "n/a", "9.0", f"{READS} is not compared: launch 1 has no value of it"),
        ("", "nan", "9.0", f"{READS} is not compared: launch 0 and 1 more have no value of it"),
        ("131072", "131072", "8.0", "compute capability 8.0, the check is for sm_90"),
        ("900000", "131072", "9.0", f"{READS} is 1,031,072, {OF_READS} only 524,288"),
    ],
)
def test_what_is_odd_in_a_profile_is_told(
    first: str, second: str, capability: str, says: str
) -> None:
    """``wide``: 4,096 workgroups of 64 passes that read, half of them extra."""
    rows = [["ID", "Kernel Name", "Block Size", "Grid Size", "CC", READS, OF_READS]]
    for number, value in enumerate((first, second)):
        name = "wide(const float4 *, float4 *)"
        sizes = ["(256, 1, 1)", "(4096, 1, 1)"]
        rows.append([str(number), name, *sizes, capability, value, "262144"])
    text = "\n".join(",".join(f'"{cell}"' for cell in row) for row in rows)
    (found,) = beside(check(DATA / "tiles.ptx", kernel="wide"), parse_profile(text)).kernels
    assert [note for note in found.notes if says in note] if says else found.notes == ()


def test_the_profiles_percentages_say_what_is_worth_it() -> None:
    """transpose<33> took 9.1 us for 23.3 of transpose<32>: 2.6 times as fast, below the bound."""
    worth = {k.kernel: k.worth for k in against("raw").kernels}
    rows, padded, wide = worth[ROWS], worth[PADDED], worth[WIDE]
    assert rows is not None
    assert padded is not None
    assert wide is not None
    assert rows.bottleneck
    assert padded.bottleneck is False
    assert "not the bottleneck: L2 is busier" in padded.verdict
    assert wide.bottleneck is False
    launches = read_profile(DATA / "raw.csv").launches
    time = [x.counters["gpu__time_duration.sum"].value for x in launches]
    assert rows.most is not None
    assert 1 < time[1] / time[2] < rows.most
    assert rows.most == pytest.approx(100 / 33.677, abs=0.001)
    assert "by L2" in rows.verdict


def test_amds_percentage_of_stalls_bounds_what_can_be_won(tmp_path: Path) -> None:
    text = rocprof(640, SQ_LDS_BANK_CONFLICT=620, LDSBankConflict=20, MfmaUtil=70)
    (k,) = beside(amd(tmp_path), parse_profile(text)).kernels
    assert k.worth is not None
    assert k.worth.most == pytest.approx(100 / 80)
    assert "stall shared memory for 20.0% of the time: at most 1.25 times" in str(k.worth)
    assert "matrix 70.0%" in str(k.worth)


def share(unit: str, amount: float | None, *, least: bool = True) -> Share:
    return Share(unit, amount, "test", "measured", least)


@pytest.mark.parametrize(
    ("others", "extra", "says", "most"),
    [
        ((share("matrix", 100),), 0.75, "the busiest of the known units: at most 4.00 times", 4),
        ((share("matrix", 200),), 0.75, "the busiest of the known units: at most 2.00 times", 2),
        ((share("matrix", 500),), 0.75, "not the bottleneck: matrix is busier", 1),
        ((share("matrix", 100),), 0.0, "no conflicts to remove", 1),
        ((share("memory", 900, least=False),), 0.5, "memory may be busier; at most 2.00", 2),
        ((share("memory", 300, least=False),), 0.5, "the busiest of the known units", 2),
        ((share("matrix", None),), 0.5, "unknown, no other unit is known", 2),
        ((share("matrix", 1), share("L2", None)), 0.5, "unknown, L2 may be busier", 2),
        ((), 0.5, "unknown, no other unit is known", 2),
    ],
)
def test_verdicts(others: tuple[Share, ...], extra: float, says: str, most: float) -> None:
    worth = Worth("k", "of a workgroup", False, share("shared memory", 400), others, extra)
    assert says in worth.verdict
    assert worth.most == pytest.approx(most)


def test_what_was_not_analysed_lets_nothing_be_cleared_and_no_passes_bound_it() -> None:
    """Cycles of counted accesses are a lower bound; a profile's percentage is not."""
    lds, others = share("shared memory", 40), (share("matrix", 50),)
    cycles, percent = (
        Worth("k", "here", measured, lds, others, 0.5, missing="1 place was not analysed")
        for measured in (False, True)
    )
    assert cycles.bottleneck is None
    assert "unknown, 1 place was not analysed" in cycles.verdict
    assert percent.bottleneck is False
    assert cycles.most is None
    assert percent.most == 100 / 50
    assert "matrix is busier; at most 2.00 times as fast" in percent.verdict


def test_a_refused_access_reaches_the_verdict(tmp_path: Path) -> None:
    body = """\tv_lshlrev_b32_e32 v1, 8, v0
\tds_read_b32 v2, v1
\tglobal_load_dword v3, v[4:5], off
\tds_read_b32 v6, v3"""
    report = amd(tmp_path, body)
    assert len(report.refusals) == 1
    (worth,) = static_worths(report, Options())
    assert "unknown, 1 place was not analysed" in str(worth)
    assert worth.most is None


def test_machine_code_of_nvidia_is_no_text_to_compile() -> None:
    path = DATA.parent / "sass" / "tiles.sass"
    worths = static_worths(check(path), Options())
    assert all("matrix, vector ALU, memory unknown: no rates for sm_" in str(w) for w in worths)


def test_loops_that_nobody_counted_are_no_whole_workgroup() -> None:
    (worth,) = static_worths(check(ISA / "triton_attention.gfx950.ttgir"), Options())
    assert worth.scope == "of a workgroup, as far as its loops are counted"


def test_static_cycles_are_the_machines_rates_times_the_instructions(tmp_path: Path) -> None:
    """10 rounds of 1 wave: 64 passes, two 16x16x16 products of 8,192 operations at 2,048 a cycle,
    and 3 vector instructions of 4 cycles on one of 4 SIMDs."""
    body = """\ts_mov_b32 s4, 10
.LBB0_1:
\tv_lshlrev_b32_e32 v1, 8, v0
\tds_read_b32 v2, v1
\tv_add_u32_e32 v5, v5, v6
\tv_add_u32_e32 v6, v5, v6
\tv_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], v[8:11]
\tv_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], v[8:11]
\tglobal_load_lds_dword v[4:5], off
\ts_sub_u32 s4, s4, 1
\ts_cmp_lg_u32 s4, 0
\ts_cbranch_scc1 .LBB0_1"""
    report = amd(tmp_path, body)
    (worth,) = static_worths(report, Options())
    amounts = {s.unit: s.amount for s in worth.others}
    assert worth.lds is not None
    assert (worth.scope, worth.lds.amount) == ("of a workgroup", 640)
    assert amounts["matrix"] == 10 * 2 * 8192 / 2048
    assert amounts["vector ALU"] == 10 * 3 * 4 / 4
    assert amounts["memory"] == pytest.approx(10 * 64 * 4 / (5.3e12 / 2.1e9 / 304))


def test_where_loops_run_unknown_times_one_pass_through_them_is_compared(tmp_path: Path) -> None:
    body = """\ts_load_dword s4, s[0:1], 0x8
\tv_lshlrev_b32_e32 v1, 8, v0
\tds_write_b32 v1, v0
.LBB0_1:
\tds_read_b32 v2, v1
\tv_mfma_f32_16x16x16_f16 v[8:11], v[2:3], v[4:5], v[8:11]
\ts_sub_u32 s4, s4, 1
\ts_cmp_lg_u32 s4, 0
\ts_cbranch_scc1 .LBB0_1"""
    (worth,) = static_worths(amd(tmp_path, body), Options())
    assert worth.lds is not None
    assert "innermost loops" in worth.scope
    assert worth.lds.amount == 64
    assert {s.unit: s.amount for s in worth.others}["matrix"] == 8192 / 2048


def test_what_is_unknown_of_ptx_is_said() -> None:
    report = check(ISA / "ldmatrix.ptx")
    (worth,) = static_worths(report, Options())
    assert worth.bottleneck is None
    assert "the code that runs is not at hand" in str(worth)


def test_text_and_json_carry_all_of_it() -> None:
    found = against("source")
    worths = static_worths(tiles(), Options())
    console = Console(record=True, width=200, file=io.StringIO())
    print_more(More(found, worths), console)
    text = console.export_text()
    assert text.count("all: as predicted") == sum(bool(k.instructions) for k in found.kernels)
    bare = plain(check_document(tiles()))
    document = plain(check_document(tiles(), More(found, worths)))
    assert set(document) - set(bare) == {"counters", "worth"}
    assert {key: document[key] for key in bare} == bare
    measured = [k["measured_as"] for k in document["counters"]["kernels"]]
    assert measured == [k.measured_as for k in found.kernels]
    assert [w["kernel"] for w in document["worth"]] == [k.name for k in tiles().kernels]
    assert plain(check_document(tiles(), More())) == bare


def edited(**changes: int) -> list[Launch]:
    """The H200's launches of ROWS, with one value of each first instruction's row changed."""
    launches = [x for x in read_profile(DATA / "source.csv").launches if "32" in x.kernel]
    return [
        replace(x, instructions=(replace(x.instructions[0], **changes), *x.instructions[1:]))
        for x in launches
    ]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({}, "as predicted"),
        ({"executed": 7, "passes": 99}, "executed by 14 waves, 40,960 predicted"),
        ({"ideal": 1}, "other lanes took part"),
        ({"passes": 99}, "the lanes' addresses are not those of the checked text"),
    ],
)
def test_an_instruction_that_differs_is_explained(changes: dict[str, int], says: str) -> None:
    """8 waves of 1,024 + 4,096 workgroups."""
    (rows,) = (k for k in tiles().kernels if k.name == ROWS)
    found, _ = instruction_rows(rows, edited(**changes), 1024 + 4096)
    assert found[0].cause.startswith(says)
    assert all(row.cause == "as predicted" for row in found[1:])


def test_instructions_of_a_kind_are_paired_only_where_both_sides_have_as_many() -> None:
    (rows,) = (k for k in tiles().kernels if k.name == ROWS)
    launches = edited()
    shorter = [replace(x, instructions=x.instructions[1:]) for x in launches]
    whole, _ = instruction_rows(rows, launches, 5120)
    found, notes = instruction_rows(rows, shorter, 5120)
    assert any(" in the text, " in note for note in notes)
    assert 0 < len(found) < len(whole) - 1


def test_the_grid_of_the_text_counts_for_every_launch() -> None:
    (rows,) = (k for k in tiles().kernels if k.name == ROWS)
    report = replace(tiles(), kernels=(replace(rows, grid=(2, 3, 1)),))
    name = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
    launches = tuple(Launch(ROWS, str(n), counters={name: Quantity(1.0)}) for n in range(5))
    (found,) = beside(report, Profile("p.csv", "Nsight Compute", "nvidia", launches)).kernels
    assert (found.workgroups, found.scale) == (5 * 6, "the grid in the checked text")


@pytest.mark.parametrize(("measured", "says"), [(120.0, "turns lost"), (300.0, "another launch")])
def test_much_more_than_lost_turns_add_is_another_launch(measured: float, says: str) -> None:
    """Of 1,000 passes 20 more, and 200 more; lost turns were seen to add 17 %."""
    counter = Counter("c", "extra", None, frozenset({"plain"}))
    case = RowContext("nvidia", (), False, ((counter, 10, measured),))
    assert says in cause(counter, 10, 100, measured, case, passes=1000)


def test_more_than_predicted_is_first_blamed_on_what_was_not_analysed() -> None:
    counter = Counter("c", "extra", None, frozenset({"plain"}))
    case = RowContext("amd", ("k.s:3: unknown address",), False, ((counter, 10, 30.0),))
    assert cause(counter, 10, 20, 30.0, case) == (
        "not everything is counted: k.s:3: unknown address"
    )
    assert "not everything" not in cause(counter, 10, 20, 10.0, case)


def test_two_instructions_of_one_access_are_two_executed_instructions() -> None:
    (rows,) = (k for k in tiles().kernels if k.name == ROWS)
    split = replace(rows, accesses=tuple(replace(a, issued=2 * a.issued) for a in rows.accesses))
    counter = Counter("c", "instructions", None, frozenset({"plain"}))
    assert counter.predict(split) == 2 * counter.predict(rows) > 0
