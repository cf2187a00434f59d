"""What the solver is asked beside the place of an element, and what it says it does not know."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
pytest.importorskip("z3", reason="needs the extra [prove]")

from bankwise.change.prove.smt import SmtAnswer, decide
from bankwise.read.mlir.module import open_text
from prove_texts import DRAIN, FILL, GLOBAL, MADE, PLAIN, TILE, TwoTexts, claim, two
from test_prove_accesses import MASKED
from test_prove_copies import COLUMN, ROW, dma


def asked(texts: TwoTexts) -> SmtAnswer:
    (answer,) = decide(open_text(texts.before), open_text(texts.after), [claim()])
    return answer


def test_elements_that_are_left_out_in_one_text_alone_are_a_counterexample() -> None:
    """Of 60 columns the last chunk is cut: another one after the edit, at the right places."""
    assert asked(two(FILL + MASKED)).status == "proved"
    cut = "memref<64x60xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>"
    view = f"  %view = memref.subview %lds[0, 0] [64, 60] [1, 1] : {TILE} to {cut}\n"
    answer = asked(two(FILL + view + MASKED.replace("%lds", "%view").replace(TILE, cut)))
    assert answer.status == "counterexample"
    assert "vector.transfer_read: it leaves out others" in answer.detail


def test_rows_that_are_left_out_count_too() -> None:
    """A vector of two rows whose second one lies below the memref in one text alone."""
    rows = f"""
  %zero = arith.constant 0.0 : f16
  %w = vector.transfer_read %lds[%last, %c0], %zero {{in_bounds = [false, true]}}
      : {TILE}, vector<2x8xf16>
"""
    made = MADE + "  %last = affine.apply affine_map<()[s0] -> (s0 mod 64)>()[%b]\n"
    texts = two(FILL.replace("COLUMN", "%i") + rows, made=made)
    before, after = open_text(texts.before), open_text(texts.before)
    (answer,) = decide(before, after, [claim(fold=None)])
    assert answer.status == "proved", answer.detail


@pytest.mark.parametrize(("threads", "status"), [(32, "unknown"), (64, "proved")])
def test_copies_that_half_a_wave_may_execute_are_not_decided(threads: int, status: str) -> None:
    guard = f"  %n0 = arith.constant {threads} : index\n  %some = arith.cmpi ult, %t, %n0 : index\n"
    answer = asked(dma(ROW, COLUMN, lines=guard, guard="scf.if %some {"))
    assert answer.status == status
    assert ("some lanes of a wave may execute it" in answer.detail) == (status == "unknown")


def test_a_value_that_goes_round_a_loop_by_no_fixed_step_gives_no_counterexample() -> None:
    """Not every number is one that it takes: what the solver finds may never happen."""
    body = f"""
  %e = scf.for %k = %c0 to %n step %c1 iter_args(%i = %c0) -> (index) {{
    %moved = arith.xori %i, %phase : index
    %v = vector.load %lds[%t, COLUMN] : {TILE}, vector<8xf16>
    vector.store %v, %out[%t, %i] : {GLOBAL}, vector<8xf16>
    NEXT
    scf.yield %next : index
  }}
"""
    turned = "%next = affine.apply affine_map<()[s0] -> ((s0 + 8) mod 64)>()[%i]"
    answer = asked(two(FILL + body.replace("NEXT", turned)))
    assert answer.status == "unknown"
    assert "a value carried at" in answer.detail
    stepped = body.replace("NEXT", "%next = arith.addi %i, %c8 : index").replace("to %n", "to %c8")
    assert asked(two(FILL + stepped)).status == "proved"
    wide = stepped.replace("addi %i, %c8", "addi %i, %c1")
    assert asked(two(FILL + wide)).status == "counterexample"


def test_a_global_begins_where_its_buffer_does() -> None:
    name = f'memref.global "private" @lds : {TILE}\n'
    texts = PLAIN.replace(MADE, f"  %lds = memref.get_global @lds : {TILE}\n")
    assert asked(TwoTexts(name + texts.before, name + texts.after)).status == "proved"


def test_views_that_the_solver_does_not_follow_are_told() -> None:
    other = "memref<64x64xf16, strided<[64, 1]>, #gpu.address_space<workgroup>>"
    view = "  %view = memref.reinterpret_cast %lds to offset: [0], sizes: [64, 64], "
    view += f"strides: [64, 1] : {TILE} to {other}\n"
    body = DRAIN.replace("%lds", "%view").replace(TILE, other)
    answer = asked(two(FILL + view + body))
    assert (answer.status, answer.accesses) == ("unknown", 1)
    assert "where memref.reinterpret_cast begins is not followed" in answer.detail


def test_how_long_a_wave_is_must_be_said_where_gpus_differ() -> None:
    narrow = dma(ROW, COLUMN).replace(f"vector<8xf16>, {GLOBAL}", f"vector<2xf16>, {GLOBAL}")
    answer = asked(narrow)
    assert answer.status == "unknown"
    assert "does not say how many threads a wave has" in answer.detail
