"""``fix`` writes what is proved: other ways are tried, and what is left is refused untouched."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

import bankwise.change.prove as prover
from bankwise.ask.fix import fix
from bankwise.change.prove import MapClaim, Proof
from bankwise.errors import Location, Refusal
from bankwise.read.mlir.module import Opened
from bankwise.show.fixing import FixReport
from copy_texts import LOADED, SOURCES, copying
from kernel_texts import LOAD, ROWS, SHARED, STORE, changed, written
from patches import verdict
from run_mlir import leaves_the_same

Judge = Callable[[Opened, Opened, Sequence[MapClaim]], tuple[Proof, ...]]


def planned(folder: Path, text: str, **options: object) -> FixReport:
    """Neither executed nor compiled."""
    report = fix(written(folder, text), "gfx950", execute=False, isa=False, **options)  # type: ignore[arg-type]
    assert isinstance(report, FixReport)
    return report


# A prover that says no


def no(claim: MapClaim, location: Location | None = None) -> Proof:
    return Proof(claim, 0, (), Refusal("the moon is not right", location))


def refusing(wrong: Callable[[str], bool]) -> Judge:
    """Refuses texts that are ``wrong``."""

    def judge(before: Opened, after: Opened, claims: Sequence[MapClaim]) -> tuple[Proof, ...]:
        bad = wrong(after.source.text)
        return tuple(no(c) if bad else Proof(c, 2, ("a fact",), None) for c in claims)

    return judge


def test_what_is_not_proved_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "prove", refusing(lambda text: True))
    report = planned(tmp_path, ROWS)
    assert (report.changes, report.fixed_text, report.patch) == ((), ROWS, "")
    assert [refusal.reason for refusal in report.refusals] == ["lds: the moon is not right"]
    assert not report.verdicts
    assert not report.accepted


def test_another_style_is_tried_before_a_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The row of each access is its own index ``%r``, a copy of the thread id."""
    text = changed(
        ROWS,
        ("  %lds =", "  %r = arith.addi %t, %c0 : index\n  %lds ="),
        ("%lds[%t, %i]", "%lds[%r, %i]"),
    )
    monkeypatch.setattr(prover, "prove", refusing(lambda text: "()[%t]" in text))
    rows = planned(tmp_path, text)
    assert "()[%r]" in rows.fixed_text
    monkeypatch.setattr(prover, "prove", refusing(lambda text: "[%t]" in text or "()[%r]" in text))
    offsets = planned(tmp_path, text)
    assert "()[%r, %i]" in offsets.fixed_text
    monkeypatch.undo()
    for report in (rows, offsets):
        assert len(report.changes) == 1
        assert leaves_the_same(text, report.fixed_text)


def test_the_verdict_says_what_was_proved_and_what_it_rests_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prover, "prove", refusing(lambda text: False))
    found = verdict(planned(tmp_path, ROWS), "proof")
    told = "2 accesses, for all threads, workgroups, sizes and loop rounds; rests on: a fact"
    assert (found.status, found.detail) == ("passed", told)


def beside(line: str) -> tuple[str, str]:
    """The same access of ``%two`` behind one of ``%lds``."""
    return line, f"{line}\n    {line.replace('%lds', '%two').replace('%v = ', '%w = ')}"


TWO = changed(
    ROWS,
    ("  %lds =", f"  %two = memref.alloc() : {SHARED}\n  %lds ="),
    beside(STORE),
    beside(LOAD),
)


def test_one_that_cannot_be_proved_does_not_take_another_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All claims are refused while the guilty one stands in the text."""
    monkeypatch.setattr(prover, "prove", refusing(lambda text: "%two[%t, %i]" not in text))
    report = planned(tmp_path, TWO)
    assert [change.allocations for change in report.changes] == [("lds",)]
    assert [refusal.reason for refusal in report.refusals] == ["two: the moon is not right"]
    assert report.fixed_text.count("%two[%t, %i]") == 2


# Copies in lane order


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_a_copy_fetches_what_another_lane_would_whatever_its_source(
    source: tuple[str, ...], tmp_path: Path
) -> None:
    text = copying(*source)
    report = planned(tmp_path, text)
    (change,) = report.changes
    why = "the rows this copy fills are not the same in all rounds"
    assert f"exists, but is not written: {why}" in change.optimum
    (optimum,) = report.before.kernels[0].optima
    assert optimum.notes == (
        "`bankwise fix` writes the last index XOR a function of the bits above it: "
        f"{change.after.passes:,} passes at best ({why})",
    )
    assert report.after.totals.run.passes < report.before.totals.run.passes
    assert all(leaves_the_same(text, report.fixed_text, (b, 0, 0)) for b in range(8))


def test_a_source_that_another_lane_loaded_is_refused_by_name(tmp_path: Path) -> None:
    text = copying(*LOADED)
    report = planned(tmp_path, text)
    assert report.fixed_text == text
    assert "its source depends on the result of memref.load" in report.refusals[0].reason


# Who owns an allocation


def shared(*kernel_texts: str) -> str:
    made = f'memref.global "private" @tile : {SHARED} = uninitialized\n'
    texts = (
        changed(text, (f"memref.alloc() : {SHARED}", f"memref.get_global @tile : {SHARED}"))
        for text in kernel_texts
    )
    return "module {\n" + made + "".join(texts) + "}\n"


OTHER = changed(ROWS, ("@k", "@other"))


def test_a_global_of_two_functions_gets_one_map(tmp_path: Path) -> None:
    text = shared(ROWS, OTHER)
    report = planned(tmp_path, text)
    (change,) = report.changes
    assert (change.kernel, change.allocations) == ("k, other", ("tile",))
    assert report.fixed_text.count("[%t, %i] : memref<64x64xf16, #gpu") == 0
    assert all(leaves_the_same(text, report.fixed_text, kernel=kernel) for kernel in (0, 1))


def test_of_a_global_one_function_alone_is_not_rewritten(tmp_path: Path) -> None:
    text = shared(ROWS, OTHER)
    report = planned(tmp_path, text, kernel="k")
    assert report.fixed_text == text
    assert [refusal.reason.split(":")[0] for refusal in report.refusals] == ["tile"]


def test_workgroup_memory_that_a_call_gets_stays(tmp_path: Path) -> None:
    helper = f"func.func private @h(%m: {SHARED})\n"
    call = f"  func.call @h(%lds) : ({SHARED}) -> ()\n  gpu.barrier\n"
    text = helper + changed(ROWS, ("  gpu.barrier\n", call))
    report = planned(tmp_path, text, kernel="k")
    assert report.fixed_text == text
    assert "hands workgroup memory to a function: inline it" in report.refusals[0].reason


# Facts of one launch


def test_a_size_of_one_launch_does_not_go_into_the_text(tmp_path: Path) -> None:
    """With n = 64 the row is the thread id, else it is not."""
    text = changed(
        ROWS,
        ("%out: memref<64x64xf16>)", "%out: memref<64x64xf16>, %n: index)"),
        ("  %lds =", "  %r = arith.remui %t, %n : index\n  %lds ="),
        ("%v = vector.load %lds[%t, %i]", "%v = vector.load %lds[%r, %i]"),
    )
    report = planned(tmp_path, text, dims=("n=64",))
    assert len(report.changes) == 1
    (read,) = (x for x in report.fixed_text.splitlines() if "vector.load %lds" in x)
    phases = [x for x in report.fixed_text.splitlines() if "[%r" in x and "affine.apply" in x]
    assert "%lds[%r, %swz" in read
    assert phases


# Exit codes


def test_a_sample_is_accepted_where_the_user_says_so(tmp_path: Path) -> None:
    asks = ("  gpu.barrier\n", "  gpu.barrier\n  %b = gpu.block_id x\n")
    text = changed(ROWS, (", gpu.known_grid_size = array<i32: 1, 1, 1>", ""), asks)
    path = written(tmp_path, text)
    assert fix(path, "gfx950", isa=False).exit_code == 3
    assert fix(path, "gfx950", isa=False, accept_sampled=True).exit_code == 0
    assert fix(path, "gfx950", isa=False, execute=False).exit_code == 0
