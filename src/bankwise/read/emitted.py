"""What a kernel was compiled to: its shared-memory instructions, and how many of each.

The values that the one reader of each language fills (:mod:`bankwise.read.amd.listing`,
:mod:`bankwise.read.ptx.listing`). Names are those of the machine files:

    buffer_load_dwordx4 v4, s[12:15], 0 offen lds        buffer_load_dwordx4_lds
    ds_read2_b64 v[2:5], v0 offset1:1                    ds_read2_b64, offsets 0 and 8 bytes
    st.shared.v4.b32 [%rd8], {...}                       st.shared.b128
    ldmatrix.sync.aligned.m8n8.x4.shared.b16 {...}       ldmatrix.x4

PTX is not the last word (ptxas may still combine or split); AMD assembly is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec import Struct, field

from bankwise.errors import InputError, Location

SPILLED = "spilled vector registers"
"""A total of a listing: those that a kernel keeps in memory for want of registers; if it does."""


class SharedInstruction(Struct, frozen=True):
    """One emitted shared-memory instruction.

    ``line``: in the assembly, from 1. ``offsets_bytes``: the immediate offsets, one per address.
    """

    name: str
    line: int
    offsets_bytes: tuple[int, ...]


class EmittedStep(Struct, frozen=True):
    """One instruction in the order of the text.

    ``name`` with its encoding ("v_add_u32_e32"). ``waits_for``: how many LDS operations may be
    outstanding behind it, None if it does not wait for any. ``goes_to``: the line of the first
    instruction behind the label that a branch names, 0 if it is no branch.
    """

    line: int
    name: str
    waits_for: int | None = None
    goes_to: int = 0


class Listing(Struct, frozen=True):
    """What one kernel was compiled to.

    ``lds_bytes`` is None where the text does not say (PTX with shared memory sized at launch).
    ``exchanges``: lane exchanges through the LDS unit, which touch no storage. ``totals``: counts
    of whole families: "v_*" and "s_*" on AMD (and :data:`SPILLED`), "instructions" on NVIDIA.
    ``steps``: all instructions in order (AMD only). ``diagnostics``: what the compiler complained
    about although it succeeded.
    """

    kernel: str
    target: str
    lds_bytes: int | None = None
    vgprs: int | None = None
    sgprs: int | None = None
    workgroup_size: tuple[int, ...] | None = None
    wave_size: int | None = None
    shared: tuple[SharedInstruction, ...] = ()
    exchanges: Mapping[str, int] = field(default_factory=dict)
    totals: Mapping[str, int] = field(default_factory=dict)
    steps: tuple[EmittedStep, ...] = ()
    diagnostics: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Static number of each shared-memory instruction, sorted by name."""
        return counted(i.name for i in self.shared)


class ListingChange(Struct, frozen=True):
    """One line of a comparison of two listings."""

    name: str
    before: int
    after: int

    @property
    def changed(self) -> bool:
        """Whether the two differ."""
        return self.before != self.after


def compare(before: Listing, after: Listing) -> tuple[ListingChange, ...]:
    """LDS bytes (if both state them), every shared-memory instruction, the family totals."""
    rows = []
    if before.lds_bytes is not None and after.lds_bytes is not None:
        rows.append(ListingChange("LDS bytes", before.lds_bytes, after.lds_bytes))
    for old, new in (
        (before.counts, after.counts),
        (before.exchanges, after.exchanges),
        (before.totals, after.totals),
    ):
        rows += [
            ListingChange(n, old.get(n, 0), new.get(n, 0)) for n in sorted(old.keys() | new.keys())
        ]
    return tuple(rows)


def counted(names: Iterable[str]) -> dict[str, int]:
    """How often each name occurs, sorted by name."""
    return dict(sorted(Counter(names).items()))


def some(listings: Iterable[Listing], file: str) -> tuple[Listing, ...]:
    """The listings of a text; :class:`InputError` if there is none."""
    found = tuple(listings)
    if not found:
        raise InputError(
            "no kernel in this assembly",
            location=Location(file),
            hint="AMD assembly printed by LLVM, or PTX, is understood",
        )
    return found
