"""Reading profiles: real exports of an H200, AMD's documented formats, and what is no profile."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.errors import InputError
from bankwise.profile.names import best, likeness
from bankwise.profile.read import parse_profile, read_profile
from bankwise.profile.table import number, product
from bankwise.profile.values import Launch, Profile

DATA = Path(__file__).parent / "data" / "profile"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
GRIDS = [32 * 32, 64 * 64, 64 * 64, 4096, 2048]
"""Workgroups of the five launches in tiles.cu, in order."""

ROCPROF, ROCPROFV2, ROCPROFV3 = (
    (DATA / f"{name}.csv").read_text("utf-8") for name in ("rocprof", "rocprofv2", "rocprofv3")
)
"""Rows in the documented formats, made by hand: no AMD GPU was at hand."""


@pytest.mark.parametrize("name", ["raw", "details"])
def test_both_pages_of_metrics_give_the_five_launches_and_their_counters(name: str) -> None:
    profile = read_profile(DATA / f"{name}.csv")
    assert profile.vendor == "nvidia"
    assert [x.workgroups for x in profile.launches] == GRIDS
    assert {x.threads for x in profile.launches} == {256}
    values = [x.counters[CONFLICTS].value for x in profile.launches]
    assert values == [1_015_808, 4_083_834, 5_003, 146_683, 7_344_151]
    assert profile.launches[4].counters["gpu__time_duration.sum"].unit == "us"


def test_what_ncu_prints_without_a_report_is_read_behind_its_talk() -> None:
    profile = read_profile(DATA / "direct.csv")
    assert [x.workgroups for x in profile.launches] == GRIDS[:3]
    assert [x.counters[CONFLICTS].value for x in profile.launches] == [1_015_808, 4_078_584, 4_331]


def test_the_source_page_gives_every_shared_memory_instruction_once() -> None:
    profile = read_profile(DATA / "source.csv")
    assert [len(x.instructions) for x in profile.launches] == [8, 8, 8, 2, 2]
    assert [x.entered for x in profile.launches] == [8 * n for n in GRIDS]
    first = profile.launches[0].instructions[4]
    assert (first.text, first.executed, first.passes, first.ideal, first.extra) == (
        "LDS R11, [R16]",
        8192,
        262_144,
        8192,
        253_952,
    )
    assert "5 listings" in profile.notes[0]


def test_beside_the_source_text_instructions_know_their_line() -> None:
    """Quotation marks of the source are not escaped in this export: its cells shift."""
    (launch,) = read_profile(DATA / "source_cuda.csv").launches
    text = (DATA / "tiles.cu").read_text("utf-8").splitlines()
    store, load = (text[m.line - 1] for m in launch.instructions)
    assert "tile[threadIdx.x] = in[threadIdx.x]" in store
    assert load.strip().startswith(('asm volatile("ldmatrix', ': "=r"(a[0])'))
    assert {m.file for m in launch.instructions} == {"/tmp/tiles/tiles.cu"}
    plain = read_profile(DATA / "source.csv").launches[4]
    assert [(m.address, m.passes) for m in launch.instructions] == [
        (m.address, m.passes) for m in plain.instructions
    ]


@pytest.mark.parametrize(
    ("text", "tool"), [(ROCPROF, "rocprof"), (ROCPROFV2, "rocprofv2"), (ROCPROFV3, "rocprofv3")]
)
def test_amds_three_formats_say_the_same(text: str, tool: str) -> None:
    profile = parse_profile(text)
    assert (profile.tool, profile.vendor) == (tool, "amd")
    first = profile.launches[0]
    assert (first.workgroups, first.threads) == (16, 256)
    assert first.counters["SQ_LDS_BANK_CONFLICT"].value == 3968
    assert first.counters["SQ_INSTS_LDS"].value == 64
    assert "wgr" not in first.counters
    assert "LDS_Block_Size" not in first.counters


def test_a_grid_that_no_workgroup_divides_is_rounded_up() -> None:
    assert parse_profile(ROCPROF).launches[1].workgroups == 4


def test_rows_of_one_dispatch_are_one_launch_and_repeated_counters_add_up() -> None:
    profile = parse_profile(ROCPROFV3)
    assert [x.workgroups for x in profile.launches] == [16, 32]
    last = ROCPROFV3.splitlines()[-1]
    again = parse_profile(ROCPROFV3 + last + "\n")
    assert again.launches[1].counters["SQ_LDS_BANK_CONFLICT"].value == 2 * 7936
    assert "1 further rows" in again.notes[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,015,808", 1_015_808),
        ("89.67", 89.67),
        ("4.3e-02", 0.043),
        ("-0.026591", -0.026591),
        ("3968.0000000000", 3968),
        ("1.015.808", None),
        ("10,15", None),
        ("n/a", None),
        ("1e999", None),
        ("0x10", None),
        ("", None),
    ],
)
def test_numbers_are_read_or_refused(text: str, value: float | None) -> None:
    assert number(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("(32, 32, 1)", 1024),
        ("32x32", 1024),
        ("4,096", 4096),
        ("256", 256),
        ("", None),
        ("a", None),
    ],
)
def test_sizes_are_multiplied(text: str, value: int | None) -> None:
    assert product(text) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,2\n", "no profile export: its first row has 'a', 'b'"),
        ("\n\n", "no profile export: its first row has nothing"),
        (ROCPROFV3.splitlines()[0], "a header, and no launch"),
        (ROCPROFV3.replace("3968.000000", "3.968.000"), "'3.968.000' is no count"),
        (ROCPROFV3.replace("3968.000000", "-5"), "'-5' is no count"),
        (ROCPROFV3.replace('"Counter_Value"', '"Value"'), "there is no column 'Counter_Value'"),
        ('"ID","Kernel Name","Metric Name"\n', "there is no column 'Metric Value'"),
        (
            '"Kernel Name","k"\n"Address","Source","Instructions Executed"\n',
            "there is no column 'L1 Wavefronts Shared'",
        ),
    ],
)
def test_what_is_no_profile_is_told_with_what_was_found(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says.replace("(", r"\(")):
        parse_profile(text, "p.csv")


RAW = f""""ID","Kernel Name","Block Size","Grid Size","{CONFLICTS}","lts__throughput"
"","","","","","%"
"0","k(float *)","(256, 1, 1)","(2, 1, 1)","1,015,808","17.8"
"1","k(float *)","(256, 1, 1)","(2, 1, 1)","1,015,808","17.8"
"""
DETAILS = f""""ID","Kernel Name","Metric Name","Metric Unit","Metric Value","Rule Name","Rule Type"
"0","k(float *)","{CONFLICTS}","","1,015,808",
"0","k(float *)","Duration","us","7.5",
"""
"""Metrics have no rule: ncu leaves those cells out, and writes a comma behind the value."""
CUT = [
    (RAW, '"1,015,808","17.8"', "this row has 5 of 6 cells", '"1,015,808"'),
    (RAW, '(2, 1, 1)","1,015', "the file ends in the middle of a cell", '(2, 1, 1)","1,0'),
    (RAW, '"1","k(float *)"', "the file ends in the middle of a cell", '"1","k(float'),
    (DETAILS, '"us","7.5"', "this row has 4 of 7 cells", '"us"'),
    (DETAILS, '"us","7.5"', "the file ends in the middle of a cell", '"us","7'),
    (ROCPROFV3, ",1,2", "this row has 17 of 19 cells", ""),
    (ROCPROFV2, ",64.000000", "this row has 18 of 19 cells", ""),
]


@pytest.mark.parametrize(("text", "last", "says", "instead"), CUT)
def test_a_row_that_is_cut_off_is_told_with_its_line(
    text: str, last: str, says: str, instead: str
) -> None:
    assert parse_profile(text, "p.csv").launches
    cut = text[: text.rindex(last)] + instead
    with pytest.raises(InputError, match=says) as caught:
        parse_profile(cut, "p.csv")
    assert caught.value.location is not None
    assert caught.value.location.line == len(cut.splitlines())


def test_separators_without_quotation_marks_are_no_further_cells() -> None:
    loose = RAW.replace('"1,015,808"', "1,015,808")
    with pytest.raises(InputError, match="this row has 8 of 6 cells") as caught:
        parse_profile(loose, "p.csv")
    assert "stand in quotation marks" in caught.value.hint


def test_an_instruction_that_is_cut_off_is_not_one_without_passes() -> None:
    lines = (DATA / "source.csv").read_text("utf-8").splitlines(keepends=True)
    at = next(n for n, line in enumerate(lines) if "LDS R11" in line)
    short = ",".join(lines[at].split(",")[:7])
    with pytest.raises(InputError, match=r"of 65 cells") as caught:
        parse_profile("".join([*lines[:at], short]), "p.csv")
    assert str(caught.value.location) == f"p.csv:{at + 1}"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"1,015,808"', '"1.015"', "'1.015' is no count"),
        ('"1,015,808"', '"1.015.808"', "'1.015.808' is no count"),
        ('"","","","","","%"', '"","","","","Kinst","%"', "1,015,808 Kinst is rounded"),
    ],
)
def test_counts_in_other_units_and_of_other_countries(old: str, new: str, says: str) -> None:
    assert old in RAW
    with pytest.raises(InputError, match=says):
        parse_profile(RAW.replace(old, new), "p.csv")


@pytest.mark.parametrize(
    ("name", "value", "unit", "says"),
    [
        ("smsp__inst_executed_op_shared_ld.sum", "1.032", "inst", "is no count"),
        ("smsp__inst_executed_op_ldsm.sum", "1.032.768", "inst", "is no count"),
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "85,20", "%", "is no percentage"),
        ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "n/a", "%", ""),
        ("smsp__sass_data_bytes_mem_shared.sum", "1.02", "Kbyte", ""),
        ("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.per_second", "1.02", "Ghz", ""),
    ],
)
def test_no_number_of_shared_memory_is_lost(name: str, value: str, unit: str, says: str) -> None:
    text = RAW.replace("lts__throughput", name).replace('"%"', f'"{unit}"')
    text = text.replace('"17.8"', f'"{value}"')
    if not says:
        assert len(parse_profile(text, "p.csv").launches) == 2
        return
    with pytest.raises(InputError, match=says):
        parse_profile(text, "p.csv")


def test_a_row_twice_is_one_launch_and_that_is_said() -> None:
    last = RAW.splitlines()[-1]
    profile = parse_profile(f"{RAW}{last}\n", "p.csv")
    assert len(profile.launches) == 2
    assert "number and all, were left out: 1" in profile.notes[0]


@pytest.mark.parametrize("text", [RAW + DETAILS, DETAILS + RAW])
def test_two_pages_in_one_file_are_told_apart(text: str) -> None:
    with pytest.raises(InputError, match="another table begins here"):
        parse_profile(text, "p.csv")


def test_two_runs_in_one_details_file_are_not_mixed() -> None:
    with pytest.raises(InputError, match="another value of the same launch"):
        parse_profile(DETAILS + DETAILS.replace("1,015,808", "1,015,809"), "p.csv")
    assert len(parse_profile(DETAILS + DETAILS, "p.csv").launches) == 1


def test_headers_that_are_repeated_are_no_launches() -> None:
    """Two exports, one behind the other."""
    assert len(parse_profile(RAW + RAW.replace('"k(', '"j('), "p.csv").launches) == 4
    assert len(parse_profile(ROCPROFV3 + ROCPROFV3, "p.csv").launches) > 0


def test_a_missing_column_names_those_there_are() -> None:
    with pytest.raises(InputError) as caught:
        parse_profile(ROCPROFV3.replace('"Counter_Value"', '"Value"'), "p.csv")
    assert "'Value'" in caught.value.hint or "more" in caught.value.hint
    assert str(caught.value.location) == "p.csv:1"


SAMPLES = [
    ROCPROF,
    ROCPROFV2,
    ROCPROFV3,
    (DATA / "direct.csv").read_text("utf-8"),
    (DATA / "source_cuda.csv").read_text("utf-8")[:6000],
    (DATA / "source.csv").read_text("utf-8")[:5000],
    "\n".join(line[:700] for line in (DATA / "raw.csv").read_text("utf-8").splitlines()),
]


@settings(max_examples=150)
@given(st.sampled_from(SAMPLES), st.data())
def test_damaged_exports_are_read_or_refused_never_worse(text: str, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, max(len(text) - 1, 0)))
        cut = data.draw(st.integers(0, 40))
        new = data.draw(
            st.sampled_from(["", '"', ",", "\n", "\x00", "9" * 5000, "-1", "é", '""', "0x"])
        )
        text = text[:at] + new + text[at + cut :]
    try:
        profile = parse_profile(text, "p.csv")
    except InputError:
        return
    assert isinstance(profile, Profile)
    assert all(isinstance(x, Launch) for x in profile.launches)


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ("_Z9transposeILi32EEvPKfPfi", "void transpose<(int)32>(const float *, float *, int)", 2),
        ("_Z9transposeILi32EEvPKfPfi", "void transpose<32>(const float *, float *, int)", 2),
        ("_Z9transposeILi32EEvPKfPfi", "void transpose<33>(const float *, float *, int)", 0),
        ("_Z9transposeILi32EEvPKfPfi", "transpose", 1),
        ("_Z4widePK6float4PS_", "wide(const float4 *, float4 *)", 2),
        ("_ZN4core4copyEPf", "core::copy(float*) [clone .kd]", 2),
        ("_ZN4core4copyILb1ELin2EEEvPf", "void core::copy<true, -2>(float*)", 2),
        ("_ZN12_GLOBAL__N_14copyEPf", "(anonymous namespace)::copy(float*)", 2),
        ("matmul_kernel", "matmul_kernel.kd", 3),
        ("matmul_kernel", "matmul_kernels", 0),
        ("_Z", "_Z9", 0),
    ],
)
def test_names_mangled_and_spelled(one: str, other: str, score: int) -> None:
    assert likeness(one, other) == likeness(other, one) == score


def test_a_name_without_its_arguments_may_be_several_kernels() -> None:
    names = ["_Z9transposeILi32EEvPf", "_Z9transposeILi33EEvPf", "_Z4widePf"]
    assert best("transpose", names) == (0, 1)
    assert best("void transpose<33>(float *)", names) == (1,)
    assert best("tile", names) == ()


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_compare(one: str, other: str) -> None:
    assert likeness(one, other) in range(4)
    assert likeness(one, one) == 3
