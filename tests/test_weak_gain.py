"""Gains that rest on rules of low confidence: both counts, by hand and lane by lane."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from bankwise.ask.text_price import TextPrice
from bankwise.ask.weak_gain import OtherRule, Weighed, leans
from bankwise.errors import InputError
from bankwise.hardware.folders import machine_files
from bankwise.hardware.machine import machine, parse
from bankwise.hardware.weak import NAMED_BELOW, weak_rules

RULE = OtherRule("a", "inferred, confidence 0.6", "b")


def price(passes: int, issue: int) -> TextPrice:
    return TextPrice(0, passes, passes + issue, 0)


def told(new: tuple[int, int], other: int) -> str:
    """Of 12 passes that are ``other`` if the rule does not hold, and a plan that has none of it."""
    old = Weighed(price(12, 12), {RULE: price(other, 12)})
    return leans(Weighed(price(*new), {}), old, "it", cycles=True)


def test_a_gain_that_is_none_under_the_other_rule_is_told_with_both_counts() -> None:
    assert told((8, 12), 8) == (
        "it takes 12 -> 8 passes if a is served by its rule (inferred, confidence 0.6), "
        "8 -> 8 if as b is"
    )
    assert "12 -> 8 passes" in told((8, 12), 6)
    assert told((8, 12), 6).endswith("6 -> 8 if as b is")


def test_a_gain_that_is_smaller_under_the_other_rule_rests_on_nothing() -> None:
    assert told((8, 12), 9) == ""


def test_what_is_no_gain_rests_on_nothing() -> None:
    assert told((12, 12), 10) == ""


def test_cycles_decide_where_passes_are_gained_either_way() -> None:
    """24 -> 22 cycles as counted; 22 -> 22 with 2 passes fewer before."""
    assert "24 -> 22 cycles" in told((8, 14), 10)
    assert told((8, 14), 10).endswith("22 -> 22 if as b is")


def test_rules_that_are_surer_or_without_a_rival_are_not_named() -> None:
    gpu = machine("gfx950")
    names = ("ds_read2_b64", "ds_read_b128", "ds_write2_b64", "ds_write_b96")
    assert [(rule.row.name, rule.otherwise) for rule in weak_rules(gpu, names)] == [
        ("ds_read2_b64", "ds_read_b64")
    ]
    row = replace(gpu.instruction("ds_read2_b64"), confidence=NAMED_BELOW)
    surer = replace(gpu, instructions={**gpu.instructions, row.name: row})
    assert not list(weak_rules(surer, names))


def test_a_rival_has_to_be_a_row_of_as_many_bytes() -> None:
    text = machine_files()["gfx950"].read_text("utf-8")
    for wrong in ("ds_read_b128", "ds_read_b99"):
        bad = text.replace('served_as = "ds_read_b64"', f'served_as = "{wrong}"')
        with pytest.raises(InputError, match=f"served_as '{wrong}' is no row of 8 bytes"):
            parse(bad, "gfx950.toml")


def test_fix_says_without_which_rule_its_plan_gains_nothing(tmp_path: Path) -> None:
    """Rows of 136 bytes, read in pieces of 16: pairs of 8 bytes, 4 groups of 16 lanes on 32 banks
    or 2 of 32 on 64. Whole they take 8 passes."""
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    from bankwise.ask.fix import fix
    from bankwise.show.documents.fixing import fix_document
    from kernel_texts import written

    report = fix(written(tmp_path, GEMM_TILE), "gfx950", execute=False, isa=False)
    old, new = report.before.totals.run.passes, report.after.totals.run.passes
    stores = 4 * 2 * pairs(16, 32, STORED)
    assert old == stores + 4 * 4 * pairs(16, 32, READ)
    otherwise = stores + 4 * 4 * pairs(32, 64, READ)
    assert (new, otherwise) == (new, new), "nothing is gained then"
    said = (
        f"a workgroup takes {old:,} -> {new:,} passes if ds_read2_b64 is served by its rule "
        f"(inferred, confidence 0.6), {otherwise:,} -> {new:,} if as ds_read_b64 is"
    )
    assert report.hinge == said == fix_document(report).gamble
    assert f"whether it gains is not known: {said} (measure both)" in report.incomplete
    assert report.exit_code == 3


def pairs(group: int, banks: int, offsets: list[int]) -> int:
    """Passes of 16 bytes in two pieces of 8, lanes served in consecutive groups."""
    passes = 0
    for half in (0, 8):
        for first in range(0, 64, group):
            words = {(at + half) // 4 + w for at in offsets[first : first + group] for w in (0, 1)}
            on = [sum(word % banks == bank for word in words) for bank in range(banks)]
            passes += max(on)
    return passes


PITCH = 136
STORED = [lane // 8 * PITCH + lane % 8 * 16 for lane in range(64)]
READ = [lane % 32 * PITCH + lane // 32 * 16 for lane in range(64)]

LDS = "memref<64x68xf16, #gpu.address_space<workgroup>>"
GEMM_TILE = f"""
func.func @k(%in: memref<64x64xf16>, %out: memref<256x32xf16>) attributes {{
    gpu.known_block_size = array<i32: 256, 1, 1>, gpu.known_grid_size = array<i32: 1, 1, 1>}} {{
  %x = gpu.thread_id x upper_bound 256
  %w = affine.apply affine_map<()[s0] -> (s0 floordiv 8)>()[%x]
  %w2 = affine.apply affine_map<()[s0] -> (s0 floordiv 8 + 32)>()[%x]
  %j = affine.apply affine_map<()[s0] -> ((s0 mod 8) * 8)>()[%x]
  %r = affine.apply affine_map<()[s0] -> (s0 mod 32 + (s0 floordiv 128) * 32)>()[%x]
  %p = memref.alloc() : {LDS}
  %a = vector.load %in[%w, %j] : memref<64x64xf16>, vector<8xf16>
  %b = vector.load %in[%w2, %j] : memref<64x64xf16>, vector<8xf16>
  vector.store %a, %p[%w, %j] : {LDS}, vector<8xf16>
  vector.store %b, %p[%w2, %j] : {LDS}, vector<8xf16>
  gpu.barrier
  READS
  return
}}
""".replace(
    "READS",
    "\n".join(
        f"""  %c{n} = affine.apply
    affine_map<()[s0] -> ((s0 mod 64) floordiv 32 * 8 + {n * 16})>()[%x]
  %o{n} = arith.constant {n * 8} : index
  %v{n} = vector.load %p[%r, %c{n}] : {LDS}, vector<8xf16>
  vector.store %v{n}, %out[%x, %o{n}] : memref<256x32xf16>, vector<8xf16>"""
        for n in range(4)
    ),
)
"""A tile of 64 rows of 64 f16 with a padding of 4, filled by 256 threads and read as the operand of
a 32 x 32 MFMA: lane, row, lane; all its waves read the same columns 16 apart."""
