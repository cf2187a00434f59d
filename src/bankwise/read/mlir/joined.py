"""What of a source's accesses the compiler joins or drops, as far as the source shows it.

LLVM for AMD joins stores of neighbouring elements from the first on, as many as one store takes: 16
bytes, 12 or 8, issued as a vector store of that width and alignment is (12 only from a multiple of
16 bytes, or where no multiple of 4 is known and it stores unaligned); fewer bytes only from a
multiple of their number:

    5 x f16 from a multiple of 16     ds_write_b64, ds_write_b16
    6 x f16 from a multiple of 4      ds_write2_b32, ds_write_b32
    6 x f16 from a multiple of 2      ds_write_b96
    4 x i8  from an odd byte          ds_write_b8, ds_write_b16, ds_write_b8

Known by asking: tests/test_joins.py holds the table against iree-compile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.policies import WIDEST_BYTES, Issue, paired, select
from bankwise.identity import ByIdentity

if TYPE_CHECKING:
    from bankwise.read.mlir.extract import SharedAccess
    from bankwise.read.mlir.joins import Joins

_WIDEST_ELEMENT = 4
_SIZES = (16, 12, 8, 4, 2)


def issues_of(site: SharedAccess, machine: Machine, policy: str) -> tuple[Issue, ...] | Refusal:
    """The instructions that the width policy makes of an access as it stands."""
    access = site.access
    return select(
        machine,
        access.direction,
        access.width_bytes,
        access.alignment_bytes,
        policy,
        access.kind,
        operation=access.variant,
        element_bits=8 * access.element_bytes,
    )


class CompiledAccess(Struct, frozen=True):
    """What becomes of an access. ``issues``: the instructions that it issues, empty if it goes;
    ``why``: in words."""

    issues: tuple[Issue, ...]
    why: str


class JoinedStore(ByIdentity, frozen=True, eq=False):
    """Stores of a source that the compiler issues as one, in order, and as which instructions."""

    sites: tuple[SharedAccess, ...]
    issues: tuple[Issue, ...]


def joins_of(accesses: Sequence[SharedAccess], gpu: Machine, policy: str) -> Joins:
    """What the compiler joins and drops of the accesses of a kernel.

    Only for what was asked: IREE's back end for AMD.
    """
    from bankwise.read.mlir.joins import Joins, joins

    return joins(accesses) if _asked(gpu, policy) else Joins((), {})


def pairs_of(accesses: Sequence[SharedAccess], gpu: Machine, policy: str) -> Mapping[int, int]:
    """Reads that the compiler may join in pairs (:mod:`bankwise.read.mlir.pairs`), where that is
    served otherwise."""
    from bankwise.read.mlir.pairs import pairable

    return pairable(accesses) if _asked(gpu, policy) and paired(gpu) != gpu else {}


def _asked(gpu: Machine, policy: str) -> bool:
    """Whether it is the compiler that was asked: IREE's back end for AMD."""
    tools = gpu.tools.iree
    return policy == "iree" and tools is not None and tools.backend == "rocm"


def compiled_accesses(
    accesses: Sequence[SharedAccess], found: Joins, gpu: Machine, policy: str
) -> Mapping[int, CompiledAccess]:
    """Those that do not become what they say, by their number among ``accesses``."""
    out: dict[int, CompiledAccess] = {}
    for number, earlier in found.repeated.items():
        line = accesses[earlier].access.location.line
        out[number] = CompiledAccess((), f"dropped: its bytes are known from line {line}")
    for run in found.runs:
        at = {id(accesses[n]): n for n in run}
        for store in joined_stores([accesses[n] for n in run], gpu, policy):
            lines = [str(site.access.location.line) for site in store.sites]
            first, *rest = (at[id(site)] for site in store.sites)
            out[first] = CompiledAccess(
                store.issues, f"one store with lines {', '.join(lines[1:])}"
            )
            out |= {n: CompiledAccess((), f"part of the store of line {lines[0]}") for n in rest}
    return out


def joined_stores(
    run: Sequence[SharedAccess], gpu: Machine, policy: str, most: int = WIDEST_BYTES
) -> Iterator[JoinedStore]:
    """The stores that a run of neighbours becomes, of those that take more than one of them.

    ``most``: bytes that a store may take, where something keeps it from taking more.
    """
    width = run[0].access.width_bytes
    if width > _WIDEST_ELEMENT:
        return
    at = 0
    while at < len(run):
        alignment = run[at].access.alignment_bytes
        size = chunk((len(run) - at) * width, width, alignment, most)
        issues = select(gpu, "write", size, alignment, policy)
        some = tuple(run[at : at + size // width])
        at += len(some)
        if len(some) > 1 and not isinstance(issues, Refusal):
            yield JoinedStore(some, issues)


def chunk(left: int, width: int, alignment: int, most: int = WIDEST_BYTES) -> int:
    """The bytes that one store takes of ``left``, in elements of ``width``, from an address that
    is a multiple of ``alignment``; no more than ``most``."""
    sizes = (s for s in _SIZES if width < s <= min(left, most) and s % width == 0)
    fits = (s for s in sizes if _takes(s, alignment))
    return next(fits, width)


def _takes(size: int, alignment: int) -> bool:
    if size == 12:
        return alignment >= 16 or alignment < 4
    return size >= 8 or alignment >= size
