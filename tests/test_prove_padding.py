"""A padding that is undone is proved only where what is left has room, and nothing more."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.change.prove import MapClaim, prove
from bankwise.notation.padding import Unpadded
from bankwise.read.mlir.module import open_text

SHARED = "#gpu.address_space<workgroup>"
PADDED = f"""\
func.func @k(%in: memref<64x128xf16>, %out: memref<64x128xf16>) attributes {{translation_info =
    #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute>
    workgroup_size = [64, 1, 1] subgroup_size = 64>}} {{
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<64x132xf16, {SHARED}>
  %v = vector.load %in[%t, %c0] : memref<64x128xf16>, vector<4xf16>
  vector.store %v, %m[%t, %c0] : memref<64x132xf16, {SHARED}>, vector<4xf16>
  gpu.barrier
  %w = vector.load %m[%t, %c0] : memref<64x132xf16, {SHARED}>, vector<4xf16>
  vector.store %w, %out[%t, %c0] : memref<64x128xf16>, vector<4xf16>
  return
}}
"""


def refusal(shape: str, before: str = PADDED) -> str | None:
    """Why the padding may not go by this other type; None if it is proved."""
    after = before.replace("64x132xf16", f"{shape}xf16")
    claim = MapClaim("k", ("m",), None, Unpadded(132, 128))
    (proof,) = prove(open_text(before), open_text(after), [claim])
    return proof.refusal and proof.refusal.reason


def test_shorter_rows_of_the_same_number_are_proved() -> None:
    assert refusal("64x128") is None


@pytest.mark.parametrize("shape", ["32x128", "1x128", "128x128", "64x4", "64x64", "64x132"])
def test_any_other_room_is_refused(shape: str) -> None:
    """With rows of 128 every index is still right; half of the rows would lie outside."""
    assert "does not hold 8192 elements" in str(refusal(shape))


def test_a_column_of_the_padding_that_is_used_is_refused() -> None:
    used = PADDED.replace("%c0 = arith.constant 0", "%c0 = arith.constant 126").replace(
        "%in[%t, %c0]", "%in[%t, %t]"
    )
    assert "padding" in str(refusal("64x128", used))


ROWS = f"memref<64x128xf16, strided<[132, 1]>, {SHARED}>"
VIEWED = f"""\
func.func @k(%in: memref<64x128xf16>, %out: memref<64x128xf16>) attributes {{translation_info =
    #iree_codegen.translation_info<pipeline = #iree_gpu.pipeline<VectorDistribute>
    workgroup_size = [64, 1, 1] subgroup_size = 64>}} {{
  %t = gpu.thread_id x
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %m = memref.alloc() : memref<64x132xf16, {SHARED}>
  %r = memref.subview %m[0, 0] [64, 128] [1, 1] : memref<64x132xf16, {SHARED}> to {ROWS}
  %n = memref.alloc() : memref<64x132xf16, {SHARED}>
  %s = memref.subview %n[0, 0] [64, 128] [1, 1] : memref<64x132xf16, {SHARED}> to {ROWS}
  %v = vector.load %in[%t, %c0] : memref<64x128xf16>, vector<4xf16>
  vector.store %v, %r[%t, %c0] : {ROWS}, vector<4xf16>
  vector.store %v, %s[%t, %c4] : {ROWS}, vector<4xf16>
  gpu.barrier
  %w = vector.load %r[%t, %c0] : {ROWS}, vector<4xf16>
  vector.store %w, %out[%t, %c0] : memref<64x128xf16>, vector<4xf16>
  return
}}
"""
PLAIN = f"memref<64x128xf16, {SHARED}>"


def unviewed(text: str = VIEWED) -> str:
    """The same without padding, and without the views that showed the used part of the rows."""
    kept = "".join(line for line in text.splitlines(True) if "memref.subview" not in line)
    shorter = kept.replace(ROWS, PLAIN).replace("64x132xf16", "64x128xf16")
    return shorter.replace("%r[", "%m[").replace("%s[", "%n[")


def refused(before: str, after: str) -> list[str | None]:
    claims = [MapClaim("k", (name,), None, Unpadded(132, 128)) for name in ("m", "n")]
    proofs = prove(open_text(before), open_text(after), claims)
    return [proof.refusal and proof.refusal.reason for proof in proofs]


def test_the_view_that_shows_the_used_part_may_go() -> None:
    assert refused(VIEWED, unviewed()) == [None, None]


WRONG = {
    "other buffer": (VIEWED, unviewed().replace("%m[%t, %c0]", "%n[%t, %c0]")),
    "other index": (VIEWED, unviewed().replace("%n[%t, %c4]", "%n[%t, %c0]")),
    "other row": (
        VIEWED.replace("[0, 0] [64, 128]", "[1, 0] [63, 128]").replace(
            "64x128xf16, strided<[132, 1]>", "63x128xf16, strided<[132, 1], offset: 132>"
        ),
        unviewed(),
    ),
    "every second row": (
        VIEWED.replace("[64, 128] [1, 1]", "[32, 128] [2, 1]").replace(
            "memref<64x128xf16, strided<[132, 1]>", "memref<32x128xf16, strided<[264, 1]>"
        ),
        unviewed(),
    ),
    "a view more": (unviewed(), VIEWED),
}  # fmt: skip


@pytest.mark.parametrize("texts", WRONG.values(), ids=WRONG)
def test_a_view_that_goes_hides_nothing(texts: tuple[str, str]) -> None:
    assert any(refused(*texts))
