"""Proving that an edit of a kernel moves elements of workgroup memory, and does nothing else.

The one who edits is not trusted: both texts are read again, and the claim, that every access goes
to ``sigma(offset)`` where it went to ``offset``, is decided here, for all threads, workgroups,
sizes and rounds. What is not proved is refused with the reason. No code is shared with whoever
edits (:mod:`bankwise.change.rewrite`, :mod:`bankwise.change.passes`) or executes.

Why that suffices: if both texts are one program but for where accesses of a class of buffers go,
sigma is a bijection of its elements, and every access of the class goes through it, then by
induction over the steps of a run ``after[sigma(a)] == before[a]`` for all ``a``, and all else is
equal.

claim       what is to be proved, and what was
numbering   values that are computed alike have one number
pairing     the two texts, side by side: one program, but for the accesses
parts       whether operations are, together, one access
storage     which memrefs may be one buffer, in all functions; claimed: and whose they are
forms       integers as affine forms in every thread; division, bitwise, choice: what is not affine
arithmetic  MLIR's integer operations on forms
launch      what the text says of its launches; nothing else counts
evaluate    what a value of a kernel is, as a form; threads: for those who execute an operation
cases       what is left: few values of a symbol in turn, or its remainders
places      where a memref begins in its allocation
sigma       the claimed map on forms
accesses    loads and stores
copies      copies into workgroup memory; lanes, waves, barriers: what lanes may exchange
prove       from claims to proofs
smt         the same claims, asked of an SMT solver: another judge, with arithmetic of its own
"""

from bankwise.change.prove.claim import MapClaim, Proof
from bankwise.change.prove.prove import prove, prove_parts

__all__ = ["MapClaim", "Proof", "prove", "prove_parts"]
