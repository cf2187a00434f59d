"""Votes and matches: what lanes of a warp ask one another, and which lanes are asked.

    WARPSYNC.EXCLUSIVE R0 ;       lanes with one mask in R0 after those with another,
    VOTE.ANY R2, PT, !P0 ;        so that each asks the lanes that its own R0 names,
    BSYNC B0 ;                    until here

Seen in code of nvcc 13.0 for `__ballot_sync`, `__any_sync` and `__match_any_sync` with a mask that
lanes do not share, as that of a tile of cooperative groups. Where nobody reads what is asked, the
barrier is gone and the groups stay apart: an H200 runs what follows once for each of them. Behind
a WARPSYNC without EXCLUSIVE lanes with different masks run together. Measured: CUDA 13.0, the 144
kernels of `benchmarks/h200_masks.cu`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bankwise.read.follow.functions import apply
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Unknown, Value, constant
from bankwise.read.follow.warp import alike, among, ballot
from bankwise.read.sass.effects import results
from bankwise.read.sass.forms import Meaning
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.operands import (
    OF_GROUPS,
    following,
    names,
    pair,
    predicate,
    predicate_name,
    register,
    word,
)

_ENDS = ("BSYNC", "BSSY", "BRA", "BRX", "CALL", "RET", "EXIT", "ENDCOLLECTIVE")
_ASKS = ("VOTE", "VOTEU", "MATCH", "REDUX", "CREDUX")
_SEEN = ("LDS", "STS", "ATOMS", "LDSM", "STSM", "LD", "ST", "ATOM", "RED", "LDGSTS", "WARPSYNC")
"""What may touch shared memory, or part lanes anew."""
_WRITTEN = "?"
"""In place of a register that was written since the warp was parted by it."""


def masks(instructions: Sequence[SassInstruction]) -> Mapping[int, str]:
    """By the number of a vote, a match or a reduction the register with the mask of its lanes,
    where the warp was parted by one."""
    found: dict[int, str] = {}
    mask = ""
    for number, one in enumerate(instructions):
        name = one.parts[0]
        if name == "WARPSYNC":
            mask = register(one.operands[0]) if one.operands else ""
        elif name in _ENDS:
            mask = ""
        elif mask and name in _ASKS:
            found[number] = mask
        if mask in results(one):
            mask = _WRITTEN
    return found


def partings(instructions: Sequence[SassInstruction]) -> Mapping[int, str]:
    """By the number of a WARPSYNC.EXCLUSIVE behind which the groups of lanes do more apart than to
    ask, the register with the mask of each."""
    return {
        number: one.operands[0]
        for number, one in enumerate(instructions)
        if one.name == "WARPSYNC.EXCLUSIVE" and one.operands and register(one.operands[0])
        and not _meet_at_once(instructions[number + 1 :])
    }  # fmt: skip


def _meet_at_once(behind: Iterable[SassInstruction]) -> bool:
    """Whether lanes come together again before anything that is seen of them."""
    for one in behind:
        name = one.parts[0]
        if name == "BSYNC" or one.name == "WARPSYNC.ALL":
            return True
        if name in _ENDS or name in _SEEN:
            return False
    return False


def of_others(state: State, mask: Value) -> Value:
    """Whether a running lane has another ``mask`` than the first one of its warp."""
    if isinstance(mask, Unknown):
        return constant(0, np.bool_) if mask.uniform else mask
    every = np.broadcast_to(mask, state.active.shape)
    first = state.active.argmax(axis=1)[:, None]
    return np.asarray(every != np.take_along_axis(every, first, axis=1))


def vote(i: SassInstruction, mask: str = "") -> Meaning | None:
    """What a vote or a match writes. ``mask``: the register with the lanes that each lane asks;
    all that run where it is empty."""
    if i.parts[0] in ("VOTE", "VOTEU"):
        return _vote(i, mask)
    return _match(i, mask) if i.parts[0] == "MATCH" else None


def _asked(state: State, found: Value, i: SassInstruction, mask: str) -> Value:
    """Of the lanes ``found``, a word, those that are asked."""
    if not mask:
        return found
    lost = Unknown(f"which lanes {i.name} asks", i.line)
    return among(state, found, lost if mask == _WRITTEN else word(state, mask))


def _vote(i: SassInstruction, mask: str) -> Meaning | None:
    """VOTE.ANY R0, P0, P1: the lanes in which P1 holds; whether it holds in any, in all."""
    mode = i.parts[1] if len(i.parts) == 2 and i.operands else ""
    if mode not in ("ANY", "ALL"):
        return None
    target = following(i.operands[0], 1)
    texts = i.operands[1:] if register(i.operands[0]) else i.operands
    if len(texts) != 2 or not all(map(predicate_name, texts)):
        return None

    def run(state: State) -> tuple[Value, ...]:
        found = _asked(state, ballot(state, predicate(state, texts[1]), i.line), i, mask)
        every = _asked(state, ballot(state, constant(1, np.bool_), i.line), i, mask)
        whole = apply(lambda x, y: x == y if mode == "ALL" else x != 0, found, every)
        given = (*((found,) if target else ()), whole)
        if not mask or i.parts[0] == "VOTE":
            return given
        lost = Unknown(OF_GROUPS, i.line)  # the next group leaves its own in the same register
        return tuple(lost if isinstance(one, Unknown) else one for one in given)

    writes, reads = (*target, predicate_name(texts[0])), (*names(texts[1]), *names(mask))
    return Meaning(writes, reads, run, asks=names(mask), own=mask == _WRITTEN)


def _match(i: SassInstruction, mask: str) -> Meaning | None:
    """MATCH.ANY R0, R1: the lanes that hold the same."""
    if i.name not in ("MATCH.ANY", "MATCH.ANY.U64") or len(i.operands) != 2:
        return None
    take, count = (pair, 2) if i.name.endswith("64") else (word, 1)

    def run(state: State) -> tuple[Value, ...]:
        return (_asked(state, alike(state, take(state, i.operands[1]), i.line), i, mask),)

    reads = (*following(i.operands[1], count), *names(mask))
    return Meaning(following(i.operands[0], 1), reads, run, own=mask == _WRITTEN)
