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
* the totals, and that the stated reason proves optimality.

What remains is the statement that a search which ended above the floor missed nothing: the verdict
names it as trusted. Whoever doubts it runs the search again.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bankwise.counting import conflict
from bankwise.errors import InputError
from bankwise.hardware.machine import BANK_BYTES, Instruction, machine
from bankwise.solver.certificate import Certificate, Claim

Elements = npt.NDArray[np.int64]

_COPY = re.compile(r"buffer_load_\w+_lds|global_load_lds_\w+")
"""The names of AMD's direct-to-LDS copies (CDNA 3 and CDNA 4 instruction sets, chapter 9)."""
_STEPS = 256
"""Executions of one access that are counted; by linearity any one would do."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """``errors``: what is wrong. ``trusted``: what was not checked."""

    errors: tuple[str, ...]
    trusted: tuple[str, ...] = ()

    @property
    def accepted(self) -> bool:
        """Whether every claim that was checked holds."""
        return not self.errors


def check(certificate: Certificate) -> Judgement:
    """Judge a certificate. Bad content is a verdict, never an exception."""
    try:
        errors, trusted = _check(certificate)
    except InputError as error:
        return Judgement((str(error),))
    return Judgement(tuple(errors), tuple(trusted))


def _check(c: Certificate) -> tuple[list[str], list[str]]:
    bits = sum(b for _, b in c.dims)
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
    return errors + _check_pins(c) + _check_totals(c, offsets), _trusted(c)


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


def _check_pins(c: Certificate) -> list[str]:
    """No coordinate bit reaches into the widest vector, unless what is known of it demands that.

    Bits that occur in lanes or registers of an access with this vector are judged by its alignment.
    """
    width = max(len(a.vector.split()) for a in c.accesses)
    known = 0
    for claim in c.accesses:
        if len(claim.vector.split()) == width:
            for text in (claim.vector, claim.lanes, claim.registers):
                known |= int(np.bitwise_or.reduce(_directions(c, text) or [0]))
    inside = (1 << width) - 1
    reach = [i for i, b in enumerate(c.bases) if b & inside and not known >> i & 1]
    return [f"coordinate bit {i} permutes the inside of the widest vector" for i in reach]


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


def _trusted(c: Certificate) -> list[str]:
    if c.how == "search":
        return [f"that a search of {c.nodes} nodes found nothing better"]
    return ["nothing is said about optimality"] if c.how == "budget" else []


def _starts(c: Certificate, claim: Claim, row: Instruction) -> Elements:
    """The first element of every lane: [executions, lanes]."""
    lanes = _table(_directions(c, claim.lanes))
    if len(lanes) != machine(c.machine).wave_size:
        raise InputError(f"{claim.name}: {len(lanes)} lanes")
    if row.direction == "write" and len(np.unique(lanes)) != len(lanes):
        raise InputError(f"{claim.name}: two lanes write one element")
    registers = _table(_directions(c, claim.registers))[:_STEPS]
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
