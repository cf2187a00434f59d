"""Reads for a tt.dot without matrix units are counted whole, and that is said."""

from __future__ import annotations

import pytest

import bankwise.triton
from bankwise.errors import exit_code
from bankwise.read.ttgir import wheel
from bankwise.show.words import verdict
from isa_texts import DATA
from ttgir_texts import ROWS, TILE, checked, module

MMA = (
    "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], "
    "instrShape = [16, 8]}>"
)


@pytest.mark.parametrize(("parent", "cut"), [("#rows", True), ("#mma, kWidth = 2", False)])
def test_no_conflicts_are_not_promised_of_reads_that_compilers_cut(parent: str, cut: bool) -> None:
    held = f"#ttg.dot_op<{{opIdx = 0, parent = {parent}}}>"
    body = f"    %m = ttg.local_alloc : () -> {TILE}\n"
    body += f"    %x = ttg.local_load %m : {TILE} -> tensor<64x32xf16, {held}>\n"
    shared = "#plain = #ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0]}>"
    text = module(body, aliases=f"#mma = {MMA}\n")
    text = "\n".join(shared if line.startswith("#plain") else line for line in text.splitlines())
    report = checked(text, optima=True)
    assert ROWS in text
    assert report.accesses[0].run.extra == 0
    assert len(report.refusals) == cut
    assert report.accounted is not cut
    assert exit_code(findings=False, incomplete=not report.accounted) == (3 if cut else 0)
    assert ("; 1 not analysed" in verdict(report)) is cut
    if cut:
        (why,) = report.refusals
        assert "tt.dot without matrix units" in why.reason
        assert why.location == report.accesses[0].location


@pytest.mark.skipif(not wheel.installed(), reason="needs the extra [triton]")
def test_fix_counts_the_code_of_a_text_whose_reads_are_cut() -> None:
    """A product of f32 for sm_75: no conflicts in the text, but in its code. That is PTX: SASS of
    sm_75 is encoded otherwise, and was an error."""
    import triton_program as user

    case = user.triton_kernels.CASES["product_f32_nt"]
    tile = {"bm": 32, "bn": 32, "bk": 16, "across_b": False}
    fixed = bankwise.triton.fix(
        f"{DATA.parent / 'triton_kernels.py'}:product", case["types"], "sm_75",
        constexprs={**case["constants"], **tile}, numbers={"size": 32}, execute=False,
    )  # fmt: skip
    assert not fixed.patch
    assert fixed.report.before.kernels[0].added.known.extra == 0
    (code,) = fixed.report.emitted
    assert code.added.known.extra > 0
    assert fixed.report.exit_code == 1
