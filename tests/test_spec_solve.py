"""``solve`` on spec files: the optimum in the words of the file, or what those words cannot say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bankwise.ask.spec import check_spec_text
from bankwise.ask.spec_solution import solved
from bankwise.ask.spec_solve import solve_question
from bankwise.errors import InputError
from bankwise.read.tile_file.read import parse_question
from bankwise.show.documents.solving import solution_document
from bankwise.show.schema import plain
from bankwise.show.spec import Said, SpecSolution

EXAMPLES = Path(__file__).parents[1] / "examples"
SOLVED = (
    *(f"ck_transpose/{kernel}" for kernel in ("01", "03", "08", "10")),
    "mfma_readback/plain",
    "transpose_16x32/row_major",
)


def solve(name: str) -> SpecSolution:
    return solve_question(EXAMPLES / f"{name}.toml")


def said(answer: SpecSolution, notation: str) -> Said:
    return next(s for s in answer.said if s.notation == notation)


def under(name: str, layout: str) -> str:
    """The spec with another memory layout, which its accesses see as it is."""
    text = (EXAMPLES / f"{name}.toml").read_text().split("[[global]]")[0]
    bare = re.sub(r'^layout = (""".*?"""|".*?")$', "", text, flags=re.DOTALL | re.MULTILINE)
    return bare.replace("[memory]", f"[memory]\nlayout = '''{layout}'''")


@pytest.mark.parametrize("name", ["mfma_readback/plain", "transpose_16x32/row_major"])
@pytest.mark.parametrize("notation", ["iree", "triton", "cute", "ck", "linear"])
def test_the_optimum_in_any_notation_is_read_back_and_free(name: str, notation: str) -> None:
    answer = solve(name)
    assert answer.report.optimal
    assert answer.before.check.totals.once.extra > 0
    again = check_spec_text(under(name, said(answer, notation).text))
    assert again.check.totals.once.extra == 0


def test_kernel_08_is_optimal_already_and_ck_says_the_solvers_optimum_too() -> None:
    answer = solve("ck_transpose/08")
    assert answer.before.check.totals.once.extra == 0
    again = check_spec_text(under("ck_transpose/08", said(answer, "ck").text))
    assert again.check.totals.once.extra == 0


def test_kernel_04_loses_conflicts_because_of_its_bank_count() -> None:
    """Its XOR descriptor is 6 passes above the optimum for each read of the eight."""
    answer = solve("ck_transpose/04")
    assert answer.before.check.totals.once.extra == 192
    assert answer.report.optimal
    assert answer.report.total_passes == 8 + 2


def test_wave_cannot_say_16_phases_and_names_its_best() -> None:
    wave = said(solve("transpose_16x32/row_major"), "wave")
    assert wave.best == "swizzle<[16, 32], unit = 1, max_phase = 8>"
    assert (wave.text, wave.lost) == ("", 3)


def test_what_is_moved_at_once_stays_together() -> None:
    answer = solve("ck_transpose/08")
    for row in answer.report.accesses:
        assert row.instruction in ("ds_write_b128", "ds_read_b128")


def test_a_distribution_that_is_not_linear_is_refused_by_name() -> None:
    text = """
        machine = "gfx950"
        tile = [48, 32]
        element_bits = 16
        [memory]
        layout = "row-major"
        [[access]]
        name = "odd"
        op = "read"
        distribution = "<1 | (3,16),(4,8) | (1),(1,2) | (0),(1,0) | 2 | 1>"
    """
    answer = solved(parse_question(text, "odd.toml"))
    assert answer.exit_code == 2
    assert str(answer.report.refusal).startswith("odd.toml:7: access 'odd': not linear over F2")


@pytest.mark.parametrize("name", SOLVED)
def test_the_answer_is_a_solve_document(name: str) -> None:
    document = plain(solution_document(solve(name)))
    assert document["schema"] == "bankwise.solve/1"
    assert document["optimal"]
    assert document["before"]["schema"] == "bankwise.check/1"
    assert {n["notation"] for n in document["notations"]} >= {
        "ck",
        "iree",
        "wave",
        "triton",
        "cute",
    }
    json.dumps(document)


def test_axes_and_waves_are_taken_into_account() -> None:
    """Kernel 10's read as [k, m] and as [m, k] pose one problem."""
    text = (EXAMPLES / "ck_transpose" / "10.toml").read_text()
    turned = text.replace(
        'op = "read"\ndistribution = "mk_m_vector"',
        'op = "read"\naxes = ["k", "m"]\ndistribution = "km_m_vector"',
        1,
    )
    assert turned != text
    answers = [solved(parse_question(t)).report for t in (text, turned)]
    assert answers[0].bases == answers[1].bases


def test_a_spec_of_global_memory_alone_has_nothing_to_solve() -> None:
    text = """
        machine = "gfx950"
        tile = [64, 4]
        element_bits = 32
        [[global]]
        name = "load"
        op = "read"
        distribution = "{M : $T0 : 1 : 1, K : 0 : 4 : 1}"
        layout = "row-major"
    """
    with pytest.raises(InputError, match="coalesce"):
        solved(parse_question(text))


def test_the_solvers_layout_of_kernel_01_counts_as_it_says() -> None:
    answer = solve("ck_transpose/01")
    text = said(answer, "linear").text
    assert text
    report = check_spec_text(under("ck_transpose/01", text))
    assert report.check.totals.once.extra == 0
    assert answer.report.total_passes == 8 + 2


def test_the_layout_of_a_file_is_a_baseline_of_the_plan() -> None:
    """Linear ones and paddings, in any notation; the counts are those of published kernels."""
    for name, passes in (("plain", 64), ("padded", 4), ("swizzled", 4)):
        answer = solve(f"mfma_readback/{name}")
        report = answer.report
        first = report.baselines[0]
        assert (first.label.startswith("as it is: "), first.passes) == (True, passes)
        assert report.layout.passes <= passes
        assert plain(solution_document(answer))["baselines"][0]["label"] == first.label
