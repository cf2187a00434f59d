"""Kernels before and after an edit, in pieces, and what the prover says of them."""

from __future__ import annotations

from dataclasses import dataclass

from bankwise.algebra.address import Fold, RowFolds
from bankwise.change.prove import MapClaim, Proof, prove
from bankwise.notation.padding import Unpadded
from bankwise.read.mlir.module import open_text

FOLD = RowFolds(64, (Fold(64, 8, 8),))
"""Chunks of 8 elements, XORed with the row modulo 8."""

SIZE = "gpu.known_block_size = array<i32: 64, 1, 1>"
TILE = "memref<64x64xf16, #gpu.address_space<workgroup>>"
GLOBAL = "memref<64x64xf16>"

HEAD = f"""
func.func @k(%in: {GLOBAL}, %out: {GLOBAL}, %n: index) attributes {{{SIZE}}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %phase = affine.apply affine_map<()[s0] -> ((s0 mod 8) * 8)>()[%t]
"""
MADE = f"  %lds = memref.alloc() : {TILE}\n"
FILL = f"""
  scf.for %i = %c0 to %c64 step %c8 {{
    %moved = arith.xori %i, %phase : index
    %v = vector.load %in[%t, %i] : {GLOBAL}, vector<8xf16>
    vector.store %v, %lds[%t, COLUMN] : {TILE}, vector<8xf16>
  }}
  gpu.barrier
"""
DRAIN = f"""
  scf.for %i = %c0 to %c64 step %c8 {{
    %moved = arith.xori %i, %phase : index
    %v = vector.load %lds[%t, COLUMN] : {TILE}, vector<8xf16>
    vector.store %v, %out[%t, %i] : {GLOBAL}, vector<8xf16>
  }}
"""
END = "  return\n}\n"


@dataclass(frozen=True, slots=True)
class TwoTexts:
    """A text before and after an edit."""

    before: str
    after: str

    def replace(self, old: str, new: str, *, count: int = -1) -> TwoTexts:
        """The same with something else in both."""
        assert old in self.before, old
        assert old in self.after, old
        return TwoTexts(self.before.replace(old, new, count), self.after.replace(old, new, count))

    def edited(self, old: str, new: str) -> TwoTexts:
        """The same with something else in the text after alone."""
        assert old in self.after, old
        return TwoTexts(self.before, self.after.replace(old, new, 1))


def two(body: str, *, head: str = HEAD, made: str = MADE, end: str = END) -> TwoTexts:
    """``COLUMN`` is ``%i`` before and ``%moved`` after."""
    text = head + made + body + end
    return TwoTexts(text.replace("COLUMN", "%i"), text.replace("COLUMN", "%moved"))


PLAIN = two(FILL + DRAIN)
"""Every access through the fold: right."""


def claim(
    *names: str,
    kernel: str = "k",
    fold: RowFolds | None = FOLD,
    unpadded: Unpadded | None = None,
) -> MapClaim:
    """A claim about ``lds``, if nothing else is named."""
    return MapClaim(kernel, names or ("lds",), fold, unpadded)


def proofs(texts: TwoTexts, *claims: MapClaim) -> tuple[Proof, ...]:
    """What is proved; the plain claim if none is given."""
    before, after = open_text(texts.before), open_text(texts.after)
    return prove(before, after, claims or (claim(),))


def refusal(texts: TwoTexts, *claims: MapClaim) -> str:
    """The first reason why something is not proved; empty if all is."""
    found = [each.refusal for each in proofs(texts, *claims) if each.refusal is not None]
    return str(found[0]) if found else ""
