"""What is not known to be exact is never said to be: from the reader to the last line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.ask.check import check
from bankwise.ask.check_assembly import kernel_of
from bankwise.counting.bound import Bound, exactly
from bankwise.counting.cost import Cost
from bankwise.counting.count_kernel import count_kernel
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.read.amd.dialect import AMD
from bankwise.read.follow.driver import check_code
from command import bankwise, unfolded
from isa_texts import DATA, amd_text, ptx_text
from ttgir_texts import TENSOR, checked, module

PROFILE = DATA.parent / "profile"
COLUMN = "\tv_lshlrev_b32_e32 v1, 7, v0\n"
"""64 lanes, 128 bytes apart: a ds_read_b32 of them takes 64 passes for 2."""
LOAD_N = "\ts_load_dword s4, s[0:1], 0x8\n"
READ = "\tds_read_b32 v2, v1\n"
UNKNOWN_LOOP = f"""\ts_mov_b32 s5, 0
.Lloop:
{READ}\ts_add_i32 s5, s5, 1
\ts_cmp_lt_i32 s5, s4
\ts_cbranch_scc1 .Lloop
"""
UNKNOWN_BRANCH = f"""\ts_cmp_lt_i32 s4, 7
\ts_cbranch_scc1 .Lskip
{READ}.Lskip:
"""


def asked(tmp_path: Path, text: str, name: str = "k.s") -> tuple[int, dict[str, Any], str]:
    """Exit code, JSON document and the verdict in the text."""
    path = tmp_path / name
    path.write_text(text, "utf-8")
    answer = bankwise("check", path, "--format", "json")
    document, lines = json.loads(answer.out), unfolded(bankwise("check", path).out).splitlines()
    return answer.code, document, lines[lines.index(document["verdict"])]


# Costs: whatever the executions are in truth, the ends hold what they cost

RUNS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40), st.integers(0, 9)), max_size=4)


@given(RUNS, st.integers(0, 5), st.booleans(), st.integers(0, 20))
def test_the_ends_hold_the_truth(
    parts: list[tuple[int, int, int]], fewer: int, open_ended: bool, more: int
) -> None:
    said, truth = Cost(), Cost()
    for extra, ideal, executions in parts:
        high = None if open_ended else executions + 3
        ends = Bound(max(0, executions - fewer), high)
        really = executions + (more if open_ended else min(more, 3))
        cost = Cost(ideal + extra, ideal)
        said += cost.executed(executions, ends)
        truth += cost.executed(really, exactly(really))
    assert truth.exact
    assert truth.passes in said.ends.passes
    assert truth.ideal in said.ends.ideal
    assert truth.extra in said.ends.extra


def test_without_conflicts_there_are_none_however_often_it_runs() -> None:
    cost = Cost(2, 2).executed(1, Bound(0, None))
    assert cost.ends.extra == exactly(0)
    assert str(cost.ends.passes) == "unknown"


# Readers


def test_a_loop_of_unknown_length_runs_once_at_least_where_its_test_stands_at_its_end(
    tmp_path: Path,
) -> None:
    code, document, last = asked(tmp_path, amd_text(COLUMN + LOAD_N + UNKNOWN_LOOP))
    (access,) = document["accesses"]
    assert (access["executions"], access["executions_bound"]) == (None, {"low": 1, "high": None})
    assert access["run"]["bound"]["extra"] == {"low": 62, "high": None}
    assert (access["extra"], access["conflict"], access["doubt"]) == (62, "sure", None)
    assert code == 1
    assert last == ("conflicts: SQ_LDS_BANK_CONFLICT += at least 62 (62 as followed) per workgroup")


def test_what_a_branch_may_skip_conflicts_whenever_it_runs(tmp_path: Path) -> None:
    code, document, last = asked(tmp_path, amd_text(COLUMN + LOAD_N + UNKNOWN_BRANCH))
    (access,) = document["accesses"]
    assert access["run"]["extra"] == 62
    assert access["run"]["bound"]["extra"] == {"low": 0, "high": None}
    assert (access["conflict"], document["kernels"][0]["conflict"]) == ("sure", "sure")
    assert not document["kernels"][0]["counted"]
    assert code == 1
    assert last.startswith("conflicts: SQ_LDS_BANK_CONFLICT += unknown (62 as followed)")
    assert last == document["verdict"]


def test_numbers_that_are_known_carry_no_bounds(tmp_path: Path) -> None:
    code, document, last = asked(tmp_path, amd_text(COLUMN + READ))
    assert '"bound"' not in json.dumps(document)
    assert "executions_bound" not in json.dumps(document)
    assert code == 1
    assert last == "conflicts: SQ_LDS_BANK_CONFLICT += 62 per workgroup"


def test_lanes_that_nobody_knows_make_a_cost_the_most_there_can_be(tmp_path: Path) -> None:
    some = "\tld.global.u32 %r9, [%rd1];\n\tsetp.lt.u32 %p1, %r9, 7;\n"
    body = f"\tshl.b32 %r2, %r1, 7;\n{some}\t@%p1 ld.shared.u32 %r3, [%r2];"
    code, document, last = asked(tmp_path, ptx_text(body), "k.ptx")
    (access,) = document["accesses"]
    assert access["bound"]["extra"] == {"low": 0, "high": 31}
    assert access["bound"]["passes"] == {"low": 0, "high": 32}
    assert code == 3
    assert "+= at most 31 (31 as followed) per workgroup" in last


def test_a_loop_and_a_branch_of_ttgir() -> None:
    tile = "!ttg.memdesc<64x32xf16, #plain, #smem, mutable>"
    held = f"    %buffer = ttg.local_alloc : () -> {tile}\n"
    read = f"      %v = ttg.local_load %buffer : {tile} -> {TENSOR}\n"
    loop = f"    scf.for %i = %c0 to %n step %c1 : i32 {{\n{read}    }}"
    (unknown,) = checked(module(held + loop)).accesses
    assert (unknown.executions, unknown.times) == (1, Bound(0, None))
    (known,) = checked(module(held + loop), "n=5").accesses
    assert (known.executions, known.times) == (5, exactly(5))
    inside = (
        f"    scf.for %i = %c0 to %c8 step %c1 : i32 {{\n      scf.if %p {{\n{read}      }}\n    }}"
    )
    branch = f"    %p = arith.cmpi slt, %n, %c8 : i32\n{inside}"
    (maybe,) = checked(module(held + branch)).accesses
    assert maybe.times == Bound(0, 8)


def test_a_loop_and_a_branch_of_mlir(tmp_path: Path) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from kernel_texts import ROWS, STORE, changed, written

    arguments = ("%out: memref<64x64xf16>", "%out: memref<64x64xf16>, %n: index")
    branch = f"%p = arith.cmpi ult, %n, %c8 : index\n    scf.if %p {{\n    {STORE}\n    }}"
    path = written(tmp_path, changed(ROWS, arguments, (STORE, branch)))
    writes = [a for a in check(path, "gfx950").accesses if a.direction == "write"]
    assert writes
    for access in writes:
        assert access.times == Bound(0, access.executions)
        assert access.conflict == "sure", "64 passes instead of 8 whenever it runs"
        assert access.run.ends.passes == Bound(0, access.run.passes)


NESTED = f"""\ts_mov_b32 s6, 0
.Louter:
{UNKNOWN_BRANCH}\tv_add_u32_e32 v1, 4, v1
\ts_add_i32 s6, s6, 1
\ts_cmp_lt_i32 s6, 3
\ts_cbranch_scc1 .Louter
{UNKNOWN_LOOP}"""
APART = f"""\ts_cmp_lt_i32 s4, 7
\ts_cbranch_scc1 .Lskip
\tv_lshlrev_b32_e32 v1, 2, v0
.Lskip:
{READ}"""


@pytest.mark.parametrize("body", [UNKNOWN_LOOP, UNKNOWN_BRANCH, NESTED, APART, READ + APART])
def test_whatever_the_argument_is_the_truth_lies_between_the_ends(body: str) -> None:
    """The kernel without its argument, held against itself with every argument."""
    gpu = machine("gfx942")
    text = amd_text(COLUMN + LOAD_N + body)
    (blind,) = check_code(AMD, text, "k.s")
    said, _ = count_kernel(kernel_of(blind), gpu)
    assert not all(a.counted for a in said)
    for n in (-1, 0, 1, 6, 7, 8, 100):
        (seeing,) = check_code(AMD, text, "k.s", args={"n": n})
        truth, _ = count_kernel(kernel_of(seeing), gpu)
        assert all(a.counted and a.run.exact for a in truth)
        found = {a.location: a for a in truth}
        for access in said:
            true = found.get(access.location)
            cost, times = (true.run, true.executions) if true else (Cost(), 0)
            assert times in access.times
            assert cost.passes in access.run.ends.passes
            assert cost.ideal in access.run.ends.ideal
            assert cost.extra in access.run.ends.extra


# Rules that nobody knows


def test_what_an_unknown_rule_counts_is_assumed_and_stands_apart(tmp_path: Path) -> None:
    write = "\tds_write2_b64 v1, v[2:3], v[4:5] offset1:1\n"
    code, document, last = asked(tmp_path, amd_text(COLUMN + write))
    (access,) = document["accesses"]
    extra = access["run"]["extra"]
    assert access["evidence"] == "unknown"
    assert access["conflict"] == "possible"
    assert document["totals"]["assumed"]["extra"] == document["totals"]["run"]["extra"] == extra > 0
    assert code == 3
    assert (
        f"possible conflicts: SQ_LDS_BANK_CONFLICT += 0 known, {extra:,} assumed (rule unknown)"
        in last
    )
    assert last.endswith("; unknown: the rule of ds_write2_b64")
    assert document["kernels"][0]["added"] == {
        "low": 0,
        "high": None,
        "kind": "unknown",
        "evidence": "unknown",
        "followed": 0,
        "assumed": extra,
    }
    code, _, last = asked(tmp_path, amd_text(COLUMN + READ + write))
    assert code == 1
    assert f"+= 62 known, {extra:,} assumed (rule unknown) per workgroup" in last


def test_code_hosts_are_told_that_it_is_assumed(tmp_path: Path) -> None:
    path = tmp_path / "k.s"
    path.write_text(amd_text(COLUMN + "\tds_write2_b64 v1, v[2:3], v[4:5] offset1:1\n"), "utf-8")
    sarif = json.loads(bankwise("check", path, "--format", "sarif").out)
    result, told = sarif["runs"][0]["results"]
    assert (told["ruleId"], told["level"]) == ("assumed", "note")
    assert result["level"] == "note"
    assert result["message"]["text"].endswith("assumed: the rule of ds_write2_b64 is unknown")
    annotation = bankwise("check", path, "--format", "github").out
    assert annotation.startswith("::notice file=")
    assert "assumed: the rule of ds_write2_b64 is unknown" in annotation


# Gates: what rules below a level of evidence say is told, and decides nothing

ASSUMED = "\tds_write2_b64 v1, v[2:3], v[4:5] offset1:1\n"


@pytest.mark.parametrize(
    ("body", "level", "code"),
    [
        (ASSUMED, "unknown", 3),
        (ASSUMED, "inferred", 0),
        (READ + ASSUMED, "inferred", 1),
        (READ, "measured", 1),
        ("\tds_read_u8 v2, v1\n", "inferred", 1),
        ("\tds_read_u8 v2, v1\n", "measured", 0),
    ],
)
def test_rules_below_a_level_do_not_fail_and_are_told(
    tmp_path: Path, body: str, level: str, code: int
) -> None:
    path = tmp_path / "k.s"
    path.write_text(amd_text(COLUMN + body), "utf-8")
    rows = machine("gfx942").instructions
    names = [n for n in ("ds_write2_b64", "ds_read_b32", "ds_read_u8") if n in body]
    order = ["measured", "documented", "claimed", "inferred", "assumed", "unknown"]
    weak = [n for n in names if order.index(rows[n].evidence) > order.index(level)]

    def asked(*words: str) -> str:
        ended = bankwise("check", path, "--min-evidence", level, *words)
        assert ended.code == code
        return ended.out

    said = "".join(f"left out by --min-evidence {level}: 1 of {len(names)} accesses" for _ in weak)
    text, document = asked(), json.loads(asked("--format", "json"))
    assert ("left out" in text) == bool(weak)
    assert said in text
    assert document.get("left_out", "").startswith(said)
    assert ("::notice" in asked("--format", "github")) == bool(weak or body == ASSUMED)
    (run,) = json.loads(asked("--format", "sarif"))["runs"]
    left = [r for r in run["results"] if r.get("suppressions")]
    assert [r["message"]["text"].split(":")[0] for r in left] == weak


def test_a_level_that_is_none_is_told(tmp_path: Path) -> None:
    ended = bankwise("check", PROFILE / "tiles.ptx", "--min-evidence", "sure")
    assert ended.code == 2
    assert "--min-evidence 'sure' is no level of evidence" in ended.err


# Several kernels


def test_possible_conflicts_are_in_the_last_line_beside_sure_ones(tmp_path: Path) -> None:
    """Two stores, 128 bytes from lane to lane; one behind a test of a parameter."""
    store = (
        "mul.lo.s32 %r2, %r1, 128; mov.u32 %r3, {0}_s; add.s32 %r3, %r3, %r2;"
        " st.shared.u32 [%r3], %r1;"
    )
    guard = "ld.param.u32 %r4, [{0}_param_0]; setp.lt.s32 %p1, %r1, %r4; @!%p1 ret;"
    kernel = (
        ".visible .entry {0}(.param .u32 {0}_param_0) .maxntid 32, 1, 1 {{ .reg .b32 %r<9>;"
        " .reg .pred %p<2>;"
        " .shared .align 4 .b8 {0}_s[4096]; {1} mov.u32 %r1, %tid.x; {2} {3} ret; }}"
    )
    texts = [
        kernel.format(n, "", g.format(n), store.format(n)) for n, g in (("a", ""), ("b", guard))
    ]
    file = tmp_path / "k.ptx"
    file.write_text("\n".join((".version 8.0", ".target sm_90", ".address_size 64", *texts)))
    *before, last = bankwise("check", file).out.splitlines()
    assert before[-1].startswith("open: b: --arg b_param_0=16, for example, counts")
    assert last == "conflicts in 1 of 2 kernels, possible in 1 more; the worst is a"


def test_kernels_of_a_file_are_never_added_up() -> None:
    answer = bankwise("check", PROFILE / "tiles.ptx", "--format", "json")
    document = json.loads(answer.out)
    each = [k["totals"]["run"]["extra"] for k in document["kernels"]]
    assert [document[name] for name in ("totals", "totals_dma", "totals_assumed")] == [None] * 3
    assert each == sorted(each, reverse=True), "the worst first"
    many = f"conflicts in {sum(n > 0 for n in each)} of {len(each)} kernels"
    worst = document["kernels"][0]["demangled"]
    assert document["verdict"] == f"{many}; the worst is {worst.partition('(')[0]}"
    text = bankwise("check", PROFILE / "tiles.ptx", "--all").out
    assert document["verdict"] == text.splitlines()[-1]
    assert f"{sum(each):,}" not in text
    for kernel in document["kernels"]:
        extra = kernel["totals"]["run"]["extra"]
        assert kernel["verdict"].endswith(f" += {extra:,} per workgroup")
        assert kernel["verdict"] in " ".join(text.split())
    with pytest.raises(InputError, match="4 kernels have no totals together"):
        check(PROFILE / "tiles.ptx").totals  # noqa: B018 - that it refuses is the point


# Instructions are called what the text calls them


@pytest.mark.parametrize(
    "path",
    [
        DATA.parent / "sass" / "tiles.sass",
        DATA / "matmul_1024.gfx942.s",
        DATA / "ldmatrix.ptx",
    ],
    ids=lambda path: path.suffix,
)
def test_instructions_are_called_what_the_text_calls_them(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    document = json.loads(bankwise("check", path, "--format", "json").out)
    assert document["accesses"]
    table = bankwise("check", path, "--all").out
    for access in document["accesses"]:
        assert access["written"]
        assert f"{access['written']} " in lines[access["location"]["line"] - 1]
        assert access["written"] in table
        assert access["instruction"] in machine(document["target"]).instructions


# What may touch shared memory, nobody knows


def test_a_generic_access_of_unknown_address_is_not_clean(tmp_path: Path) -> None:
    body = """\tshl.b32 %r2, %r1, 2;
\tst.shared.u32 [%r2], %r1;
\tld.param.u64 %rd5, [k_param_0];
\tld.global.u64 %rd6, [%rd5];
\tld.b32 %r3, [%rd6];"""
    code, document, last = asked(tmp_path, ptx_text(body), "k.ptx")
    (refusal,) = document["refusals"]
    assert refusal["reason"].startswith("ld.b32: whether it touches shared memory is not known")
    assert code == 3
    assert last.startswith("no conflicts in what is known: ")
    assert last.endswith("; 1 not analysed")


@pytest.mark.parametrize(("extra", "code"), [(62, 0), (61, 1)])
def test_a_baseline_knows_conflicts_that_may_not_run(tmp_path: Path, extra: int, code: int) -> None:
    _, document, _ = asked(tmp_path, amd_text(COLUMN + LOAD_N + UNKNOWN_BRANCH))
    document["accesses"][0]["run"]["extra"] = extra
    known = tmp_path / "known.json"
    known.write_text(json.dumps(document), "utf-8")
    assert bankwise("check", tmp_path / "k.s", "--baseline", known).code == code


def test_rules_of_rows_that_are_not_shown_are_told_as_well(tmp_path: Path) -> None:
    """Eleven stores of a measured rule conflict more than one read of an inferred one."""
    stores = "".join(f"  ds_write_b32 v2, v1 offset:{4 * i}\n" for i in range(11))
    read = "  v_lshlrev_b32 v3, 4, v0\n  ds_read2_b64 v[4:7], v3 offset1:1"
    body = f"  v_lshlrev_b32 v2, 7, v0\n{stores}{read}"
    file = tmp_path / "k.s"
    file.write_text(amd_text(body, target="gfx950"), "utf-8")
    found = {a["instruction"]: a["evidence"] for a in checked_file(file)["accesses"]}
    assert found["ds_read2_b64"] == "inferred" != found["ds_write_b32"]
    text = bankwise("check", file).out
    rows = text.partition("place  instruction")[2].partition("more access")[0]
    assert rows.count("ds_write_b32") == 10
    assert "the rule of ds_read2_b64 is inferred" in " ".join(rows.split())


def checked_file(file: Path) -> dict[str, Any]:
    return dict(json.loads(bankwise("check", file, "--format", "json").out))


@pytest.mark.parametrize(
    ("step", "start", "code", "level"),
    [
        (132, 0, "ds_read_b128 v[4:7], v1", "measured"),
        (129, 0, "ds_read_b128 v[4:7], v1", "unknown"),
        (4, 1, "ds_read_u16 v4, v1", "measured"),
        (4, 3, "ds_read_u16 v4, v1", "unknown"),
        (129, 0, "ds_read_u8 v4, v1", "inferred"),
    ],
)
def test_what_an_access_costs_that_a_word_cuts_is_assumed(
    step: int, start: int, code: str, level: str
) -> None:
    """A piece that begins in one word and ends in the next: no counter of such was published."""
    body = f"\tv_mul_u32_u24_e32 v1, {step}, v0\n\t{code} offset:{start}"
    (kernel,) = check_code(AMD, amd_text(body), "k.s")
    (found,), _ = count_kernel(kernel_of(kernel), machine("gfx942"))
    assert found.evidence == level
    assert ("across words" in found.ruled) == (level == "unknown")
