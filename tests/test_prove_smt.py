"""The solver as a judge of the prover: no arithmetic is shared, and no answer contradicted."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
pytest.importorskip("z3", reason="needs the extra [prove]")

from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.algebra.address import Fold, RowFolds
from bankwise.ask.fix import fix
from bankwise.change.prove import MapClaim, prove
from bankwise.change.prove.smt import SmtAnswer, decide
from bankwise.errors import InputError
from bankwise.notation.padding import PaddedFold, Unpadded
from bankwise.read.mlir.module import Opened, open_text

LDS = "#gpu.address_space<workgroup>"
SIGMA = RowFolds(64, (Fold(64, 8, 8),))
"""Rows of 64 elements, chunks of 8: chunk XOR (row mod 8)."""


def kernel(write: str, read: str, more: str = "", tile: str = "64x64", facts: str = "") -> Opened:
    """Store at %wi, %wj, load at %ri, %rj, by thread %t of 64, workgroup %b and argument %n."""
    text = f"""func.func @k(%n: index, %in: memref<?xf16>, %i: memref<?xi32>) attributes {{
    gpu.known_block_size = array<i32: 64, 1, 1>{facts}}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %lds = memref.alloc() : memref<{tile}xf16, {LDS}>
  %v = arith.constant dense<1.0> : vector<8xf16>
{more}
  scf.for %k = %c0 to %c64 step %c8 {{
{write}
    vector.store %v, %lds[%wi, %wj] : memref<{tile}xf16, {LDS}>, vector<8xf16>
  }}
  gpu.barrier
  scf.for %k = %c0 to %c64 step %c8 {{
{read}
    %x = vector.load %lds[%ri, %rj] : memref<{tile}xf16, {LDS}>, vector<8xf16>
    vector.store %x, %in[%k] : memref<?xf16>, vector<8xf16>
  }}
  return
}}"""
    return open_text(text, isolated=False)


def plain(row: str, name: str) -> str:
    """Row ``row``, column %k: in the text before."""
    return f"""    %{name}i = affine.apply affine_map<()[s, b] -> ({row})>()[%t, %b]
    %{name}j = arith.addi %k, %c0 : index"""


def folded(row: str, name: str, phase: str = "s0 mod 8 * 8") -> str:
    """The same, the column folded by the row's phase."""
    return f"""    %{name}i = affine.apply affine_map<()[s, b] -> ({row})>()[%t, %b]
    %{name}h = arith.addi %k, %c0 : index
    %{name}p = affine.apply affine_map<()[s0] -> ({phase})>()[%{name}i]
    %{name}j = arith.xori %{name}h, %{name}p : index"""


ROWS = ["s", "63 - s", "(s + b) mod 64", "(s + b floordiv 3) mod 64", "s floordiv 2 * 2"]


def judged(
    before: Opened, after: Opened, sigma: RowFolds | PaddedFold | None = SIGMA, **more: Unpadded
) -> SmtAnswer:
    """The solver's answer, and that the prover does not say otherwise."""
    claim = MapClaim("k", ("lds",), sigma, **more)
    (proof,) = prove(before, after, [claim])
    (answer,) = decide(before, after, [claim])
    if answer.status == "counterexample":
        assert proof.refusal is not None, answer.detail
    return answer


@pytest.mark.parametrize(("write", "read"), [*zip(ROWS, ROWS, strict=True), ("s", ROWS[3])])
def test_a_right_fold_is_proved_for_all_workgroups(write: str, read: str) -> None:
    before = kernel(plain(write, "w"), plain(read, "r"))
    after = kernel(folded(write, "w"), folded(read, "r"))
    answer = judged(before, after)
    assert (answer.status, answer.accesses) == ("proved", 2), answer.detail


WRONG = {
    "another number of phases": "s0 mod 4 * 8",
    "another unit": "s0 mod 8 * 4",
    "other rows": "s0 floordiv 2 mod 8 * 8",
    "rows moved by one": "(s0 + 1) mod 8 * 8",
    "no fold": "s0 - s0",
    "the last row alone": "(s0 - s0 floordiv 63) mod 8 * 8",
}


@pytest.mark.parametrize("phase", WRONG.values(), ids=WRONG)
def test_a_wrong_fold_has_a_counterexample(phase: str) -> None:
    before = kernel(plain("s", "w"), plain("s", "r"))
    after = kernel(folded("s", "w"), folded("s", "r", phase))
    answer = judged(before, after)
    assert (answer.status, answer.accesses) == ("counterexample", 1)
    assert answer.location is not None
    assert "vector.load: it goes elsewhere: " in answer.detail
    thread, round_, old, new, wanted = numbers(
        answer.detail, r"thread (\d+)", r"round of the loop at \S+: (\d+)", *PLACES
    )
    assert old == 64 * thread + 8 * round_
    assert wanted == old ^ (thread % 8 * 8)
    assert new == old ^ _evaluated(phase, thread)
    assert new != wanted


PLACES = (r"element before (\d+)", r"after (\d+)", r"the map says (\d+)")


def numbers(text: str, *patterns: str) -> list[int]:
    """The number behind each of the patterns, 0 where it does not stand (nothing depends on it)."""
    found = [re.search(pattern, text) for pattern in patterns]
    return [int(match[1]) if match else 0 for match in found]


def _evaluated(phase: str, row: int) -> int:
    python = phase.replace("floordiv", "//").replace("mod", "%")
    return int(eval(python, {"s0": row}))


def test_what_only_one_workgroup_in_thousands_does_is_found() -> None:
    before = kernel(plain("s", "w"), plain("s", "r"))
    late = "(s0 + b floordiv 12345) mod 8 * 8"
    read = folded("s", "r").replace("()[s0] -> (s0 mod 8 * 8)>()[%ri]", "()[s0, b] -> (" + late)
    after = kernel(folded("s", "w"), read.replace(late, late + ")>()[%ri, %b]"))
    answer = judged(before, after)
    assert answer.status == "counterexample"
    (block,) = numbers(answer.detail, r"block_x (\d+)")
    assert block // 12345 % 8 != 0


def test_what_depends_on_a_size_is_found_and_named() -> None:
    clamp = "  %m = arith.minsi %n, %c64 : index"
    before = kernel(plain("s", "w"), plain("s", "r"), clamp)
    read = folded("s", "r").replace("arith.addi %k, %c0", "arith.minsi %k, %m")
    answer = judged(before, kernel(folded("s", "w"), read, clamp))
    assert answer.status == "counterexample"
    assert re.search(r"%n = -?\d+", answer.detail)


def test_a_row_that_is_loaded_is_one_value_in_both_texts() -> None:
    row = """    %{0}l = memref.load %i[%t] : memref<?xi32>
    %{0}c = arith.index_cast %{0}l : i32 to index
    %{0}i = arith.remui %{0}c, %c64 : index
"""
    column = "    %{0}j = arith.addi %k, %c0 : index"
    fold = """    %{0}h = arith.addi %k, %c0 : index
    %{0}p = affine.apply affine_map<()[s0] -> (s0 mod 8 * 8)>()[%{0}i]
    %{0}j = arith.xori %{0}h, %{0}p : index"""
    before = kernel(*((row + column).format(name) for name in "wr"))
    after = kernel(*((row + fold).format(name) for name in "wr"))
    assert judged(before, after).status == "proved"
    wrong = kernel((row + fold).format("w"), (row + fold.replace("mod 8", "mod 4")).format("r"))
    assert judged(before, wrong).status == "counterexample"


def test_narrow_integers_wrap() -> None:
    """4 t / 4 is t in 8 bits, as t stays below 64; in 4 bits it is t mod 4."""

    def row(name: str, bits: int) -> str:
        return f"""    %{name}n = arith.index_castui %t : index to i{bits}
    %{name}f = arith.constant 4 : i{bits}
    %{name}m = arith.muli %{name}n, %{name}f : i{bits}
    %{name}s = arith.shrui %{name}m, %{name}w : i{bits}
    %{name}i = arith.index_castui %{name}s : i{bits} to index"""

    def two(name: str, bits: int) -> str:
        return f"    %{name}w = arith.constant 2 : i{bits}\n" + row(name, bits)

    fold = """
    %{0}h = arith.addi %k, %c0 : index
    %{0}p = affine.apply affine_map<()[s0] -> (s0 mod 8 * 8)>()[%t]
    %{0}j = arith.xori %{0}h, %{0}p : index"""
    for bits, status in ((8, "proved"), (4, "counterexample")):
        column = "\n    %{0}j = arith.addi %k, %c0 : index"
        before = kernel(*(two(n, bits) + column.format(n) for n in "wr"))
        after = kernel(*(two(n, bits) + fold.format(n) for n in "wr"))
        assert judged(before, after).status == status


def test_a_row_overrun_is_one_place_with_two_names() -> None:
    """Column %k + 8 of a row is column %k - 56 of the next: the phase of the row is wrong."""
    over = """    %wi = arith.addi %t, %c0 : index
    %wj = arith.addi %k, %c8 : index"""
    fold = """    %wi = arith.addi %t, %c0 : index
    %wh = arith.addi %k, %c8 : index
    %wp = affine.apply affine_map<()[s0] -> (s0 mod 8 * 8)>()[%wi]
    %wj = arith.xori %wh, %wp : index"""
    before = kernel(over, plain("s", "r"))
    answer = judged(before, kernel(fold, folded("s", "r")))
    assert (answer.status, answer.accesses) == ("counterexample", 0)


@pytest.mark.parametrize(("rows", "status"), [(32, "proved"), (33, "counterexample")])
def test_a_branch_bounds_what_is_asked(rows: int, status: str) -> None:
    """The phase is that of the row for rows below 32 alone; the branch says who stores."""

    def text(column: str) -> Opened:
        source = kernel("    %wi = arith.addi %t, %c0 : index\n" + column, plain("s", "r"))
        store = f"    vector.store %v, %lds[%wi, %wj] : memref<64x64xf16, {LDS}>, vector<8xf16>"
        guard = f"    %rows = arith.constant {rows} : index\n"
        guard += "    %ok = arith.cmpi ult, %t, %rows : index\n    scf.if %ok {\n"
        made = source.source.text.replace(store, f"{guard}{store}\n    }}")
        return open_text(made, isolated=False)

    fold = """    %wh = arith.addi %k, %c0 : index
    %wq = arith.constant 31 : index
    %wr = arith.minui %wi, %wq : index
    %wp = affine.apply affine_map<()[s0] -> (s0 mod 8 * 8)>()[%wr]
    %wj = arith.xori %wh, %wp : index"""
    before = text("    %wj = arith.addi %k, %c0 : index")
    after = text(fold)
    load = after.source.text.replace(plain("s", "r"), folded("s", "r"))
    answer = judged(before, open_text(load, isolated=False))
    assert answer.status == status
    assert rows == 32 or numbers(answer.detail, r"thread (\d+)") == [32]


def test_a_map_that_is_no_bijection_has_a_counterexample() -> None:
    text = kernel(plain("s", "w"), plain("s", "r"))
    answer = judged(text, text, RowFolds(64, (Fold(64, 8, 6), Fold(8, 8, 8))))
    assert answer.status == "counterexample"
    assert "no bijection" in answer.detail


def test_a_padding_undone_and_one_that_is_used() -> None:
    padded = kernel(plain("s", "w"), plain("s", "r"), tile="64x72")
    short = kernel(folded("s", "w"), folded("s", "r"))
    rows = Unpadded(72, 64)
    assert judged(padded, short, unpadded=rows).status == "proved"
    used = kernel(plain("s", "w").replace("%k, %c0", "%k, %c8"), plain("s", "r"), tile="64x72")
    both = kernel(folded("s", "w").replace("%k, %c0", "%k, %c8"), folded("s", "r"))
    assert judged(used, both, unpadded=rows).status == "counterexample"


def test_a_fold_inside_padded_rows() -> None:
    before = kernel(plain("s", "w"), plain("s", "r"), tile="64x72")
    after = kernel(folded("s", "w"), folded("s", "r"), tile="64x72")
    assert judged(before, after, PaddedFold(SIGMA, 8)).status == "proved"
    assert judged(before, after, SIGMA).status == "counterexample"


def test_too_little_work_is_no_answer() -> None:
    before = kernel(plain(ROWS[3], "w"), plain("s", "r"))
    after = kernel(folded(ROWS[3], "w"), folded("s", "r"))
    claim = MapClaim("k", ("lds",), SIGMA)
    (answer,) = decide(before, after, [claim], rlimit=10)
    assert (answer.status, answer.accesses) == ("unknown", 0)
    assert "no answer within 10 steps" in answer.detail


def test_texts_that_differ_elsewhere_are_not_asked_about() -> None:
    before = kernel(plain("s", "w"), plain("s", "r"))
    after = kernel(folded("s", "w"), folded("s", "r"), "  gpu.barrier")
    answer = judged(before, after)
    assert (answer.status, answer.accesses) == ("unknown", 0)
    assert "the two texts differ" in answer.detail


@settings(max_examples=12, deadline=None)
@given(
    row=st.sampled_from(ROWS),
    divisor=st.sampled_from([64, 128, 256]),
    phases=st.sampled_from([2, 3, 4, 8]),
    written=st.tuples(st.sampled_from([1, 2, 4]), st.sampled_from([2, 3, 4, 8])),
)
def test_the_answer_is_that_of_a_loop_over_all_rows(
    row: str, divisor: int, phases: int, written: tuple[int, int]
) -> None:
    """The text folds by (row / every) mod phases; the claim is another such fold, or the same."""
    every, turns = written
    phase = f"s0 floordiv {every} mod {turns} * 8"
    before = kernel(plain(row, "w"), plain(row, "r"))
    after = kernel(folded(row, "w", phase), folded(row, "r", phase))
    answer = judged(before, after, RowFolds(64, (Fold(divisor, 8, phases),)))
    python = row.replace("floordiv", "//").replace("mod", "%")
    code = compile(python, "row", "eval")
    rows = {int(eval(code, {"s": s, "b": b})) for s, b in product(range(64), range(200))}
    same = all(r // every % turns == r * 64 // divisor % phases for r in rows)
    assert answer.status == ("proved" if same else "counterexample")


# Copies into workgroup memory, and whole kernels

GEMM = Path(__file__).parent.parent / "examples/gemm_gather_to_lds/gemm_gfx950.mlir"
CLAIMS = tuple(MapClaim("gemm_gather_to_lds", (name,), SIGMA) for name in ("a_tile", "b_tile"))


@pytest.fixture(scope="module")
def fixed() -> tuple[Opened, str]:
    """The text of direct-to-LDS copies, and the same folded by ``fix``."""
    report = fix(GEMM, execute=False, isa=False)
    assert {name for change in report.changes for name in change.allocations} == {
        "a_tile",
        "b_tile",
    }
    return open_text(report.source_text), report.fixed_text


def test_copies_whose_lanes_are_exchanged_are_proved(fixed: tuple[Opened, str]) -> None:
    before, text = fixed
    answers = decide(before, open_text(text), CLAIMS)
    assert [answer.status for answer in answers] == ["proved", "proved"]
    assert sum(answer.accesses for answer in answers) == 12


def _corrupted(before: str, text: str) -> list[str]:
    """The fixed text with one of its new lines changed."""
    old = set(before.splitlines())
    lines = text.splitlines()
    found = []
    for n, line in enumerate(lines):
        if line in old:
            continue
        for piece, other in CORRUPTIONS:
            if piece in line:
                changed = line.replace(piece, other, 1)
                found.append("\n".join([*lines[:n], changed, *lines[n + 1 :]]) + "\n")
    return found


CORRUPTIONS = (
    ("arith.xori", "arith.addi"),
    ("arith.xori", "arith.ori"),
    ("mod 8", "mod 4"),
    ("mod 8", "mod 16"),
    ("floordiv 8", "floordiv 16"),
    ("* 8", "* 16"),
    ("s0", "s0 + 1"),
)


def test_no_corrupted_fold_of_copies_is_proved_by_one_and_refuted_by_the_other(
    fixed: tuple[Opened, str],
) -> None:
    before, text = fixed
    wrong = 0
    for changed in _corrupted(before.source.text, text):
        try:
            after = open_text(changed, isolated=False)
        except InputError:
            continue
        proofs = prove(before, after, CLAIMS)
        answers = decide(before, after, CLAIMS)
        for proof, answer in zip(proofs, answers, strict=True):
            assert proof.refusal is not None or answer.status == "proved", changed
            wrong += answer.status == "counterexample"
    assert wrong >= 10
