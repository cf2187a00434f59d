"""The judge: re-derives every claim of a certificate by plain counting.

It shares no code with the solver or the theorem: no ranks, no spans. It takes the offset of every
element from the certificate's layout, lists which bytes each lane touches, and counts words per
bank with :mod:`bankwise.counting.conflict`. What it checks:

* the layout is a bijection of the tile;
* what is said to write in lane order is a direct-to-LDS copy;
* every vector is contiguous, aligned and in order, in every execution;
* passes and ideal of every access, in every execution;
* the conflict directions: exactly these collide;
* the floor, by the pigeonhole principle: the pins fix in which banks a lane's data can lie, and so
  many different words do not fit into so many banks in fewer passes;
* the totals, and that the stated reason proves optimality;
* what a search that ended above the floor is said to have shown: the judge searches again, in its
  own way (:mod:`bankwise.solver.judge_search`). Where its steps end first, that stays on trust, and
  the verdict says so.

How many ``nodes`` a search took is its history, no claim.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from bankwise.counting import conflict
from bankwise.errors import InputError, Refusal, exit_code
from bankwise.hardware.machine import BANK_BYTES, Instruction, machine
from bankwise.solver.certificate import Certificate, Claim
from bankwise.solver.judge_search import STEPS, Wants, better

Elements = npt.NDArray[np.int64]

_COPY = re.compile(r"buffer_load_\w+_lds|global_load_lds_\w+")
"""The names of AMD's direct-to-LDS copies (CDNA 3 and CDNA 4 instruction sets, chapter 9)."""
_STEPS = 256
"""Executions of one access that are counted, and one along each direction: the others are sums."""


class Judgement(Struct, frozen=True):
    """``errors``: what is wrong. ``trusted``: what was not checked."""

    errors: tuple[str, ...]
    trusted: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether every claim that was checked holds."""
        return not self.errors

    @property
    def exit_code(self) -> int:
        """0 every claim holds, 1 one does not, 3 something stays on trust."""
        return exit_code(findings=bool(self.errors), incomplete=bool(self.trusted))


def check(certificate: Certificate) -> Judgement:
    """Judge a certificate. Bad content is a verdict, never an exception."""
    try:
        errors, trusted = _check(certificate)
    except InputError as error:
        return Judgement((str(error),))
    return Judgement(tuple(errors), tuple(trusted))


def _check(c: Certificate) -> tuple[list[str], list[str]]:
    bits = sum(b for _, b in c.dims)
    if len({name for name, _ in c.dims}) != len(c.dims):
        raise InputError("two dimensions have one name")
    if c.element_bits not in (4, 8, 16, 32, 64) or bits > 30 or not c.accesses:
        raise InputError("no tile of 4 to 64-bit elements with accesses")
    if len(c.bases) != bits or any(b >> bits for b in c.bases):
        raise InputError(f"the layout does not give {bits} offsets inside the tile")
    offsets = _table(c.bases)
    if len(np.unique(offsets)) != len(offsets):
        raise InputError("the layout is no bijection: two elements share an offset")
    if (len(offsets) * c.element_bits) // 8 > machine(c.machine).lds_bytes:
        raise InputError(f"the tile is larger than the shared memory of {c.machine}")
    errors = [e for claim in c.accesses for e in _check_access(c, claim, offsets)]
    errors += _check_pins(c, offsets) + _check_totals(c, offsets)
    if errors or c.how != "search":
        return errors, []
    return _check_search(c, offsets)


def _check_access(c: Certificate, claim: Claim, offsets: Elements) -> list[str]:
    row = machine(c.machine).instruction(claim.instruction)
    starts, vector = _starts(c, claim, row), _directions(c, claim.vector)
    where = offsets[starts]
    errors = [*_check_width(c, claim, row), *_check_vector(claim, offsets, starts, vector)]
    if claim.kind == "dma":
        errors += _check_copy(row)
        where = np.broadcast_to(np.arange(where.shape[-1]) << len(vector), where.shape)
    elif claim.kind != "plain":
        raise InputError(f"{claim.name}: unknown kind {claim.kind!r}")
    if errors:
        return [f"{claim.name}: {e}" for e in errors]
    counted = conflict.count(row, where * c.element_bits // 8)
    passes, ideal = sorted(set(counted.passes.tolist())), sorted(set(counted.ideal.tolist()))
    if passes != [claim.passes] or ideal != [claim.ideal]:
        errors.append(
            f"counted {passes} passes, ideal {ideal}; {claim.passes} / {claim.ideal} said"
        )
    lowest = claim.ideal if claim.kind == "dma" else _floor(c, row, claim, where[0])
    if lowest != claim.floor:
        errors.append(f"the floor is {lowest}, not {claim.floor}")
    if claim.kind == "plain":
        errors += _check_conflicts(c, claim, row, offsets, starts[0])
    return [f"{claim.name}: {e}" for e in errors]


def _check_copy(row: Instruction) -> list[str]:
    """Only a direct-to-LDS copy writes in lane order, whatever the layout is."""
    if row.direction == "write" and _COPY.fullmatch(row.name):
        return []
    return [f"{row.name} is no direct-to-LDS copy, so it is not of the kind 'dma'"]


def _check_width(c: Certificate, claim: Claim, row: Instruction) -> list[str]:
    width = c.element_bits << len(_directions(c, claim.vector))
    if width < 8 and row.direction == "read":
        width = 8
    if row.addresses != 1 or width != 8 * row.width_bytes:
        return [f"{row.name} does not move {width} bits from one address"]
    return [] if claim.weight >= 1 else ["the weight is 0"]


def _check_vector(
    claim: Claim, offsets: Elements, starts: Elements, vector: list[int]
) -> list[str]:
    """Contiguous, aligned, in order."""
    first = offsets[starts]
    if (first & ((1 << len(vector)) - 1)).any():
        return ["a vector is not aligned"]
    for place, element in enumerate(_table(vector)):
        if not np.array_equal(offsets[starts ^ element], first + place):
            return ["a vector is not contiguous and in order"]
    return []


def _check_pins(c: Certificate, offsets: Elements) -> list[str]:
    """No coordinate bit reaches into the widest vector, unless what is known of it demands that.

    What lanes, registers and vectors of the accesses with this vector reach, its alignment judges.
    """
    width = max(len(a.vector.split()) for a in c.accesses)
    known = np.zeros(len(offsets), np.bool_)
    known[0] = True
    for claim in c.accesses:
        if len(claim.vector.split()) == width:
            for text in (claim.vector, claim.lanes, claim.registers):
                for direction in _directions(c, text):
                    known |= known[np.arange(len(known)) ^ direction]
    errors = []
    for bit, image in enumerate(c.bases):
        if not known[1 << bit]:
            known |= known[np.arange(len(known)) ^ (1 << bit)]
            if image & ((1 << width) - 1):
                errors.append(f"coordinate bit {bit} permutes the inside of the widest vector")
    return errors


def _check_conflicts(
    c: Certificate, claim: Claim, row: Instruction, offsets: Elements, starts: Elements
) -> list[str]:
    """The stated directions are exactly those in which words of one phase share a bank."""
    said = set(_table(_directions(c, claim.conflicts)).tolist())
    if len(said) != 1 << len(claim.conflicts.split()):
        return ["the conflict directions are not independent"]
    unit = max(BANK_BYTES * 8, c.element_bits << len(_directions(c, claim.vector)))
    granule = offsets * c.element_bits // unit
    banks = row.banks * BANK_BYTES * 8 // unit
    lanes = np.array(conflict.phases(row, starts, np.ones(len(starts), bool))[0])
    moved = np.unique(starts[lanes] ^ starts[lanes[0]])
    clash = [int(x) for x in moved if granule[x] and granule[x] % banks == 0]
    same = {int(granule[x]) for x in said if x}
    if len(same) != len(said) - 1 or same != {int(granule[x]) for x in clash}:
        return [f"{claim.conflicts!r} is not what collides"]
    return [] if (said - {0}) <= set(clash) else [f"{claim.conflicts!r} leaves the phase"]


def _floor(c: Certificate, row: Instruction, claim: Claim, where: Elements) -> int:
    """The pigeonhole bound of one execution, from the element offsets of its lanes.

    The low offset bits that the widest vector pins are the same in every admissible layout. Data
    with one value of them has only the banks with that value to lie in.
    """
    pinned = max(len(_directions(c, a.vector)) for a in c.accesses)
    word = max(1, BANK_BYTES * 8 // c.element_bits)
    unit = max(word, 1 << len(_directions(c, claim.vector)))
    low = 1 << pinned
    total = 0
    bank_row = row.banks * BANK_BYTES * 8 // c.element_bits
    for lanes in conflict.phases(row, where, np.ones(len(where), bool)):
        if low >= word:
            places = {int(w) // unit for w in where[lanes]}
            groups = Counter(place % (low // unit) for place in places)
            total += max(-(-n * low // bank_row) for n in groups.values())
        else:
            vectors = {int(w) // low for w in where[lanes]}
            words = -(-len(vectors) * low // word)
            total += -(-words // row.banks)
    return total


def _check_totals(c: Certificate, offsets: Elements) -> list[str]:
    errors = []
    passes = sum(a.weight * a.passes for a in c.accesses)
    lowest = sum(a.weight * a.floor for a in c.accesses)
    if (passes, lowest) != (c.total_passes, c.total_floor):
        errors.append(f"the totals are {passes} and {lowest}")
    if c.how in ("floor", "lemma") and passes != lowest:
        errors.append(f"{passes} passes do not reach the floor {lowest}")
    if c.how == "lemma" and sum(a.kind == "plain" for a in c.accesses) > 2:
        errors.append("the dimension lemma is about two accesses")
    if c.how in ("search", "budget") and passes < lowest:
        errors.append(f"{passes} passes are below the floor {lowest}")
    if (c.nodes > 0) != (c.how in ("search", "budget")):
        errors.append(f"{c.nodes} nodes do not fit {c.how!r}")
    if c.colours != _colours(c, offsets):
        errors.append("the colours are not the bank bits of the layout")
    names = [a.name for a in c.accesses]
    errors += [f"two accesses are called {n!r}" for n in set(names) if names.count(n) > 1]
    return errors


def _colours(c: Certificate, offsets: Elements) -> tuple[int, ...]:
    banks = max(machine(c.machine).instruction(a.instruction).banks for a in c.accesses)
    units = [int(offsets[1 << i]) for i in range(len(c.bases))]
    return tuple(x * c.element_bits // (8 * BANK_BYTES) % banks for x in units)


def _check_search(c: Certificate, offsets: Elements) -> tuple[list[str], list[str]]:
    """What the judge's own search says of a total above the floor, or that it stays on trust."""
    pinned = max(len(_directions(c, a.vector)) for a in c.accesses)
    word = max(1, BANK_BYTES * 8 // c.element_bits).bit_length() - 1
    copies = sum(a.weight * a.passes for a in c.accesses if a.kind == "dma")
    wanted = [_wants(c, a, offsets, pinned) for a in c.accesses if a.kind == "plain"]
    said, bits = c.total_passes - copies, len(c.bases) - pinned
    found = better(wanted, bits, max(0, word - pinned), said, STEPS)
    if isinstance(found, Refusal):
        return [], [f"that no linear layout takes fewer passes: {found}"]
    if found is None:
        return [], []
    return [f"a linear layout takes {found + copies} passes, fewer than {c.total_passes}"], []


def _wants(c: Certificate, claim: Claim, offsets: Elements, pinned: int) -> Wants:
    """What one phase wants, in the offset bits above the pinned ones."""
    row = machine(c.machine).instruction(claim.instruction)
    starts = _starts(c, claim, row)[0]
    lanes = conflict.phases(row, starts, np.ones(len(starts), bool))[0]
    moved = offsets[starts[lanes] ^ starts[lanes[0]]].tolist()
    unit = max(BANK_BYTES * 8 // c.element_bits, 1 << len(_directions(c, claim.vector)))
    low = 1 << pinned
    kept = frozenset(x >> pinned for x in moved if x % low < unit)
    bank_row = row.banks * BANK_BYTES * 8 // c.element_bits
    return Wants(kept, bank_row // max(low, unit), claim.weight * claim.ideal)


def _starts(c: Certificate, claim: Claim, row: Instruction) -> Elements:
    """The first element of every lane: [executions, lanes]."""
    lanes = _table(_directions(c, claim.lanes))
    if len(lanes) != machine(c.machine).wave_size:
        raise InputError(f"{claim.name}: {len(lanes)} lanes")
    if row.direction == "write" and len(np.unique(lanes)) != len(lanes):
        raise InputError(f"{claim.name}: two lanes write one element")
    steps = _directions(c, claim.registers)
    registers = np.concatenate([_table(steps)[:_STEPS], np.array(steps, np.int64)])
    return registers[:, None] ^ lanes[None, :]


def _table(directions: tuple[int, ...] | list[int]) -> Elements:
    """The sums of the directions at the set bits of 0, 1, 2, ..."""
    sums = np.zeros(1, np.int64)
    for direction in directions:
        sums = np.concatenate([sums, sums ^ direction])
    return sums


def _directions(c: Certificate, text: str) -> list[int]:
    """Read ``"n0 m1^n2"`` in packed coordinates."""
    place, first = {}, 0
    for name, bits in c.dims:
        place.update({f"{name}{i}": 1 << first + i for i in range(bits)})
        first += bits
    found = []
    for word in text.split():
        terms = [] if word == "0" else word.split("^")
        if any(term not in place for term in terms):
            raise InputError(f"no direction {word!r} in the tile")
        found.append(int(np.bitwise_xor.reduce([place[t] for t in terms] or [0])))
    return found
