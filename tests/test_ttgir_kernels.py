"""Whole Triton kernels: TTGIR, counted by its own reader, against the code that was emitted."""

from __future__ import annotations

import importlib.util
import json
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from rich.console import Console

from bankwise.ask import triton_plan
from bankwise.ask.triton_plan import plan_entry, plan_files
from bankwise.ask.ttgir_better import Better, better
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.read.amd.dialect import AMD
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.driver import check_code
from bankwise.read.options import Options
from bankwise.read.ptx.dialect import PTX
from bankwise.read.ttgir.accesses import Moved, Reader
from bankwise.read.ttgir.follow import follow
from bankwise.read.ttgir.module import read_module
from bankwise.read.ttgir.types import Types
from bankwise.show.documents.planning import plan_document
from bankwise.show.planning import PlanReport, print_plan
from bankwise.show.schema import dumps
from isa_texts import DATA, Total, totals
from ttgir_texts import checked

KERNELS = sorted(p.name.removesuffix(".ttgir") for p in DATA.glob("triton_*.ttgir"))
NUMBERS = {"matmul": {"size": 256}, "attention": {"keys": 512}, "transpose": {}, "reduce": {}}
TABLE = Path(__file__).parent / "data" / "make_agreement_table.py"


def emitted_file(name: str) -> Path:
    return DATA / (name + (".ptx" if ".sm_" in name else ".amdgcn"))


def numbers(name: str) -> dict[str, int]:
    return NUMBERS[name.split("_")[1].split(".")[0]]


@cache
def emitted(name: str) -> AssemblyKernel:
    """With the sizes given by byte offset (AMD: three or four pointers first) or position."""
    path = emitted_file(name)
    args: dict[str | int, int] = {}
    for argument, value in numbers(name).items():
        position = {"size": 3, "keys": 4}[argument]
        args[position if path.suffix == ".ptx" else 8 * position] = value
    dialect = PTX if path.suffix == ".ptx" else AMD
    (kernel,) = check_code(dialect, path.read_text("utf-8"), path.name, args=args)
    return kernel


def plain(found: dict[str, Total]) -> dict[str, Total]:
    """Two-address forms as two, and one name for the halves of a register."""
    sums: dict[str, np.ndarray] = {}
    for name, total in found.items():
        two = "read2" in name or "write2" in name
        for old, new in (("2st64", ""), ("read2", "read"), ("write2", "write"), ("_d16_hi", "")):
            name = name.replace(old, new)
        times = np.array([2 if two else 1, 1, 1])
        sums[name] = sums.get(name, np.zeros(3, np.int64)) + times * total
    return {name: (int(n), int(p), int(i)) for name, (n, p, i) in sums.items()}


@pytest.mark.parametrize("name", KERNELS)
def test_ttgir_and_emitted_code_agree_on_executions_passes_and_ideal(name: str) -> None:
    """Over one workgroup's whole run, per instruction; what LLVM joined counts as two."""
    said = [f"{k}={v}" for k, v in numbers(name).items()]
    report = checked((DATA / f"{name}.ttgir").read_text("utf-8"), *said)
    plan: dict[str, Total] = {}
    for a in report.accesses:
        n, passes, ideal = plan.get(a.instruction, (0, 0, 0))
        more = (a.executions * a.instructions, a.run.passes, a.run.ideal)
        plan[a.instruction] = (n + more[0], passes + more[1], ideal + more[2])
    kernel = emitted(name)
    assert all(found.counted for found in kernel.accesses)
    assert plan
    emission = plain(totals([kernel]))
    # Of a unit's pieces a report counts rows of 32: passes are what both levels have.
    wgmma, theirs = (side.pop("wgmma", (0, 0, 0))[1:] for side in (plan, emission))
    assert wgmma == theirs
    assert plan == emission
    dots = "warp_group_dot " in (DATA / f"{name}.ttgir").read_text("utf-8")
    assert dots == any(wgmma)
    assert not report.refusals
    assert not kernel.refusals


@pytest.mark.parametrize("target", ["gfx950", "sm_80", "sm_90"])
def test_the_scratch_of_a_conversion_lies_where_the_emitted_code_puts_it(target: str) -> None:
    """Every lane of every wave, byte by byte: the swizzle is Triton's own."""
    moved, _ = accesses(f"triton_transpose.{target}")
    kernel = emitted(f"triton_transpose.{target}")
    for direction in ("read", "write"):
        ours = Counter(
            issued.offsets_bytes[:, n].tobytes()
            for access in moved
            if access.direction == direction
            for issued in access.issued
            for n in range(issued.instructions)
        )
        theirs = Counter(
            pattern.offsets_bytes.tobytes()
            for found in kernel.accesses
            if found.access.direction == direction
            for pattern in found.access.patterns
        )
        assert ours == theirs


def accesses(name: str) -> tuple[list[Moved], Reader]:
    module = read_module((DATA / f"{name}.ttgir").read_text("utf-8"), name)
    types = Types(name, module.aliases, module.strange)
    reader = Reader(module, types, machine(module.target))
    followed = follow(module, module.kernels[0], types, {})
    found = list(reader.accesses(followed))
    return [a for a in found if isinstance(a, Moved)], reader


@cache
def plan(name: str, known: bool = True) -> PlanReport:
    said = tuple(f"{k}={v}" for k, v in numbers(name).items()) if known else ()
    options = Options(arguments=said)
    (report,) = plan_files(DATA / f"{name}.ttgir", emitted_file(name), options, verify=False)
    return report


@pytest.mark.parametrize("name", KERNELS)
def test_plan_and_emission_agree_row_by_row(name: str) -> None:
    report = plan(name)
    assert report.counted
    assert report.rows
    assert report.agrees
    assert all(row.agrees for row in report.rows)


def test_joined_instructions_are_named_at_their_source_line() -> None:
    changes = {
        (r.source.line if r.source else 0, r.change)
        for r in plan("triton_attention.gfx942").changes
    }
    script = (DATA.parent / "make_triton_kernels.py").read_text("utf-8").splitlines()
    assert {change for _, change in changes} == {
        "joined into ds_read2_b64",
        "joined into ds_write2st64_b64",
    }
    (line,) = (line for line, change in changes if "read2" in change)
    assert "tl.dot(query, tl.trans(key))" in script[line - 1]


def test_copies_of_a_loop_body_are_told_from_more_instructions() -> None:
    """Without the size, matmul's loop occurs once in TTGIR and twice in the code for gfx942."""
    report = plan("triton_matmul.gfx942", known=False)
    assert not report.counted
    assert {row.change for row in report.rows} == {
        "in all 1.5 times as often: part of the code is copied"
    }


def test_less_often_than_planned_is_not_told_as_copies() -> None:
    """What two branches end with may stand in the code once, behind both."""
    assert triton_plan._often(Fraction(5, 9)) == (
        "in all 0.556 times as often: paths share code, or need none"
    )
    assert triton_plan._often(Fraction(2)) == "2 copies of the code"


def test_a_read_that_the_compiler_puts_on_the_line_of_another_is_compared_with_both(
    tmp_path: Path,
) -> None:
    """Both operands of the product on lines of their own, and one read of the first on the second
    line: 2 of 4 and 10 of 8 would be told as other code, though nothing is."""
    name, files = "triton_matmul.gfx950", []
    for source, turns in (
        (DATA / f"{name}.ttgir", [(":51:39", ":52:39")]),
        (
            emitted_file(name),
            [
                ("\t1 51 39", "\t1 52 39"),
                ("\t1 51 0", "\t1 52 0"),
                ("\tds_read_b128 v[16:19]", "\t.loc\t1 52 0\n\tds_read_b128 v[16:19]"),
            ],
        ),
    ):
        text = source.read_text("utf-8")
        for old, new in turns:
            assert old in text
            text = text.replace(old, new)
        files.append(tmp_path / source.name)
        files[-1].write_text(text, "utf-8")
    said = tuple(f"{k}={v}" for k, v in numbers(name).items())
    (report,) = plan_files(*files, Options(arguments=said), verify=False)
    assert [(r.buffers, r.change) for r in report.rows if r.direction == "read"] == [
        (("total_40", "total_41"), "as planned")
    ]
    assert report.agrees
    assert report.totals_agree


def test_a_copy_on_the_line_of_who_uses_it_is_a_copy_of_what_was_planned(tmp_path: Path) -> None:
    """All of the last copy on a line that has no access in the text: it was planned nowhere."""
    name = "triton_matmul.gfx950"
    head, label, copy = emitted_file(name).read_text("utf-8").rpartition(".LBB0_11:")
    assert "ds_read_b128" in copy
    path = tmp_path / f"{name}.amdgcn"
    path.write_text(head + label + re.sub(r"(\.loc\t1) 51 \d+", r"\1 54 5", copy), "utf-8")
    (report,) = plan_files(DATA / f"{name}.ttgir", path, Options(), verify=False)
    before = plan(name, known=False)
    assert report.not_compared == before.not_compared == ()
    rows, rows_before = ([(r.buffers, r.change) for r in one.rows] for one in (report, before))
    assert sorted(rows) == sorted(rows_before)
    assert report.emitted == before.emitted


@pytest.mark.parametrize("name", KERNELS)
def test_loops_of_unknown_length_are_compared_by_one_execution(name: str) -> None:
    """Totals cannot agree where copies of a loop count once each; what an access costs can."""
    report = plan(name, known=False)
    assert report.agrees
    assert all(row.alike for row in report.rows)


@pytest.mark.parametrize("known", [True, False])
def test_another_layout_than_the_emitted_one_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], known: bool
) -> None:
    name = "triton_matmul.gfx942"
    text = (DATA / f"{name}.ttgir").read_text("utf-8")
    plain = re.sub(r"maxPhase = \d+", "maxPhase = 1", text)
    assert plain != text
    path = tmp_path / "plain.ttgir"
    path.write_text(plain, "utf-8")
    said = tuple(f"{k}={v}" for k, v in numbers(name).items()) if known else ()
    (report,) = plan_files(path, emitted_file(name), Options(arguments=said), verify=False)
    assert report.agrees is False
    assert report.totals_agree is (False if known else None)
    print_plan(report, Console(width=1000))
    printed = capsys.readouterr().out
    for row in report.rows:
        both = (
            f"{path}:{row.planned[0].lines[0]}",
            f"{emitted_file(name)}:{row.emitted[0].lines[0]}",
        )
        assert all((place in printed) == (row.alike is False) for place in both)
    assert any(row.alike is False for row in report.rows)


def test_what_is_refused_is_not_compared_and_no_difference(tmp_path: Path) -> None:
    """The bins of a histogram are decided by data: the rest agrees, totals are not claimed."""
    name = "triton_matmul.sm_90"
    text = (DATA / f"{name}.ttgir").read_text("utf-8")
    kind = "tensor<64xi32, #ttg.slice<{dim = 1, parent = #blocked}>>"
    path = tmp_path / "bins.ttgir"
    path.write_text(
        text.replace("    tt.return", f"    %h = tt.histogram %q : {kind} -> {kind}\n    tt.return")
    )
    (report,) = plan_files(path, emitted_file(name), Options(), verify=False)
    assert report.agrees is True
    assert report.totals_agree is None
    (refused,) = report.refusals
    assert "decided by data" in refused.reason
    # Clearing the bins and reading them are planned; nothing of it was compiled.
    assert dict(report.not_compared) == {refused.reason: 1, "planned, not emitted": 2}


def test_an_access_without_a_partner_is_not_compared(tmp_path: Path) -> None:
    """Without the store of the tile nothing is left of one row: the others still agree."""
    name = "triton_matmul.gfx942"
    text = (DATA / f"{name}.ttgir").read_text("utf-8")
    cut = "\n".join(s for s in text.splitlines() if "ttg.local_load" not in s)
    path = tmp_path / "cut.ttgir"
    path.write_text(cut, "utf-8")
    (report,) = plan_files(path, emitted_file(name), Options(), verify=False)
    assert report.agrees is True
    assert [row.alike for row in report.rows if row.direction == "read"] == [None]
    assert "emitted, not planned" in dict(report.not_compared)


def test_a_plan_is_a_document_and_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    report = plan("triton_attention.gfx942")
    document = json.loads(dumps(plan_document(report)))
    assert document["schema"] == "bankwise.triton-plan/1"
    assert document["agrees"] is True
    assert document["planned"] == document["emitted"]
    assert sum(r["change"] != "as planned" for r in document["rows"]) == 2
    print_plan(report, Console(width=200))
    printed = " ".join(capsys.readouterr().out.split())
    assert "joined into ds_read2_b64" in printed
    assert "? the rule of ds_write2st64_b64 is unknown" in printed
    assert "conflicts: planned 31,232; emitted 31,232; unknown: the rule of ds_wri" in printed
    joined = [e for r in document["rows"] for e in r["emitted"] if "write2st64" in e["instruction"]]
    assert [e["evidence"] for e in joined] == ["unknown"]
    place = report.rows[0].source
    assert place is not None
    assert f" {Path(place.file).name}:{place.line} " in printed


def test_a_plan_needs_assembly_of_the_same_machine_and_kernel() -> None:
    ttgir = DATA / "triton_matmul.gfx942.ttgir"
    with pytest.raises(InputError, match="the assembly is for gfx950, the TTGIR for gfx942"):
        plan_files(ttgir, DATA / "triton_matmul.gfx950.amdgcn", Options(), verify=False)
    with pytest.raises(InputError, match="no kernel 'matmul'"):
        plan_files(ttgir, DATA / "triton_attention.gfx942.amdgcn", Options(), verify=False)


def test_a_cache_entry_is_compared_by_its_folder(tmp_path: Path) -> None:
    (tmp_path / "matmul.ttgir").write_text((DATA / "triton_matmul.sm_80.ttgir").read_text())
    with pytest.raises(InputError, match="no assembly to compare with"):
        plan_entry(tmp_path, Options(), verify=False)
    (tmp_path / "matmul.ptx").write_text((DATA / "triton_matmul.sm_80.ptx").read_text())
    (report,) = plan_entry(tmp_path, Options(arguments=("size=256",)), verify=False)
    assert report.agrees
    assert report.counted


def improved(name: str, buffer: str) -> Better:
    module = read_module((DATA / f"{name}.ttgir").read_text("utf-8"), name)
    types = Types(name, module.aliases, module.strange)
    followed = follow(module, module.kernels[0], types, {})
    moved, reader = accesses(name)
    (chosen,) = (b for b in followed.buffers if b.name == buffer)
    found = better(chosen, followed, reader, moved)
    assert not isinstance(found, Refusal)
    return found


def test_a_conflicting_buffer_gets_a_swizzle_that_counts_free() -> None:
    found = improved("triton_attention.gfx942", "key_29")
    assert found.present.passes > found.present.ideal
    assert found.best.passes == found.best.ideal < found.present.passes
    assert found.known.optimal
    assert str(found.encoding).startswith("#ttg.swizzled_shared<{vec = 4")


def test_a_buffer_that_is_as_good_as_any_is_left_alone_with_a_proof() -> None:
    found = improved("triton_matmul.sm_80", "total_35")
    assert found.encoding is None
    assert found.known.optimal
    assert found.solution is not None
    assert found.solution.certificate.total_passes == found.present.passes


def table_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_agreement_table", TABLE)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


def test_the_table_of_agreement_is_fresh_and_without_a_no() -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    script = table_script()
    stored, made = script.read(), script.table()
    here = [r for r in stored if r["kernel"] != script.WAVE or script.wave_source() is not None]
    assert made == here
    assert {r["agree"] for r in stored} == {"yes"}
    assert script.MARKDOWN.read_text("utf-8") == script.markdown(stored)
