"""Conflicts that the code of a fixed TTGIR still has: by whose rule, at which line, of what."""

from __future__ import annotations

import bankwise.triton
from bankwise.ask.check_ttgir import plan
from bankwise.ask.ttgir_code import emitted_text
from bankwise.ask.ttgir_left import conflicts_left
from bankwise.read.options import Options
from bankwise.triton import TritonFix
from command import bankwise as command_line
from isa_texts import DATA
from test_ttgir_wheel import needs_wheel

KERNELS = DATA.parent / "triton_kernels.py"


def fixed(name: str) -> TritonFix:
    import triton_program as user

    case = user.triton_kernels.CASES[name]
    return bankwise.triton.fix(
        f"{KERNELS}:{case['fn']}", case["types"], "gfx950", constexprs=case["constants"],
        numbers=case["numbers"], execute=False, **case.get("options", {}),
    )  # fmt: skip


@needs_wheel
def test_conflicts_that_are_only_assumed_are_no_fact_at_the_end() -> None:
    """What is planned has a known rule; the code joins it into instructions of two addresses."""
    report = fixed("attention_backward_f32").report
    rows = {row[0]: row[1:] for one in report.verdicts for row in one.rows}
    assert rows["conflicts by known rules"][1] == 0
    assert rows["conflicts assumed (rule unknown)"][1] > 0
    assert report.ends.conflict == "possible"
    assert report.exit_code == 3
    assert report.remaining == ()
    (note,) = (one for one in report.notes if "the table has" in one)
    assert "ds_write2_b64" in note
    assert "ds_write2_b64" not in str(report).split("proof:")[0].split("open in")[0]
    assert any(f"scratch ({KERNELS}:" in one.reason for one in report.refusals)


@needs_wheel
def test_what_is_left_stands_at_the_lines_of_the_author_with_its_buffers() -> None:
    """Of the kernel as Triton makes it: two products of f16 are read from buffers of their own."""
    import triton_program as user

    report = fixed("attention_backward_f16").report
    numbers = user.triton_kernels.CASES["attention_backward_f16"]["numbers"]
    said = Options(arguments=tuple(f"{name}={n}" for name, n in numbers.items()))
    (planned,) = plan(report.source_text, "k.ttgir", said)
    code = emitted_text(report.source_text, planned, said, {})
    left = [
        one for one in conflicts_left(code, report.before.kernels[0]) if "read total_" in one.reason
    ]
    lines = KERNELS.read_text("utf-8").splitlines()
    assert [one.reason.partition(": ")[0] for one in left] == [
        "read total_v_73, total_v_40",
        "read total_k_86, total_k_51",
    ]
    for one, product in zip(left, ("tl.dot(share.", "tl.dot(slope."), strict=True):
        assert one.location is not None
        assert one.location.file == str(KERNELS)
        assert product in lines[one.location.line - 1]
    assert [one.reason.partition(": ")[2].split()[0] for one in left] == ["1,024"] * 2
    assert "assumed" not in "".join(one.reason for one in left)


@needs_wheel
def test_nothing_is_left_where_the_optimum_of_the_new_instructions_is_written() -> None:
    """The best swizzle for 16-bit stores leaves two ways of the b64 reads that it makes."""
    report = fixed("attention_backward_f16").report
    rows = {row[0]: row[1:] for one in report.verdicts for row in one.rows}
    assert rows["conflicts by known rules"][0] > 0
    assert rows["conflicts by known rules"][1] == rows["conflicts assumed (rule unknown)"][1] == 0
    assert report.exit_code == 0
    assert not [one for one in report.refusals if "are left" in one.reason]


def test_the_table_of_a_fix_says_which_rules_it_rests_on() -> None:
    """Before, the reads were of an instruction whose rule is inferred: machines/gfx950.toml."""
    file = DATA / "triton_attention.gfx950.ttgir"
    told = command_line("fix", file, "--no-execute").err.splitlines()
    assert "? the rule of ds_read_b64_tr_b16 is inferred" in told
