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
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bankwise.errors import Refusal
from bankwise.hardware.machine import Machine
from bankwise.hardware.policies import Issue, select

if TYPE_CHECKING:
    from bankwise.read.mlir.extract import SharedAccess

_WIDEST_ELEMENT = 4
_SIZES = (16, 12, 8, 4, 2)


@dataclass(frozen=True, slots=True)
class CompiledAccess:
    """What becomes of an access. ``issues``: the instructions that it issues, empty if it goes;
    ``why``: in words."""

    issues: tuple[Issue, ...]
    why: str


def compiled_accesses(
    accesses: Sequence[SharedAccess], gpu: Machine, policy: str
) -> Mapping[int, CompiledAccess]:
    """Those that do not become what they say, by their number among ``accesses``.

    Only for what was asked: IREE's back end for AMD.
    """
    tools = gpu.tools.iree
    if policy != "iree" or tools is None or tools.backend != "rocm":
        return {}
    from bankwise.read.mlir.joins import joins

    found = joins(accesses)
    out: dict[int, CompiledAccess] = {}
    for number, earlier in found.repeated.items():
        line = accesses[earlier].access.location.line
        out[number] = CompiledAccess((), f"dropped: its bytes are known from line {line}")
    for run in found.runs:
        out.update(_joined([(n, accesses[n]) for n in run], gpu, policy))
    return out


def _joined(
    run: Sequence[tuple[int, SharedAccess]], gpu: Machine, policy: str
) -> Iterator[tuple[int, CompiledAccess]]:
    width = run[0][1].access.width_bytes
    if width > _WIDEST_ELEMENT:
        return
    at = 0
    while at < len(run):
        alignment = run[at][1].access.alignment_bytes
        size = chunk((len(run) - at) * width, width, alignment)
        issues = select(gpu, "write", size, alignment, policy)
        some = run[at : at + size // width]
        at += len(some)
        if len(some) < 2 or isinstance(issues, Refusal):
            continue
        lines = [str(site.access.location.line) for _, site in some]
        yield some[0][0], CompiledAccess(issues, f"one store with lines {', '.join(lines[1:])}")
        for number, _ in some[1:]:
            yield number, CompiledAccess((), f"part of the store of line {lines[0]}")


def chunk(left: int, width: int, alignment: int) -> int:
    """The bytes that one store takes of ``left``, in elements of ``width``, from an address that
    is a multiple of ``alignment``."""
    fits = (s for s in _SIZES if width < s <= left and s % width == 0 and _takes(s, alignment))
    return next(fits, width)


def _takes(size: int, alignment: int) -> bool:
    if size == 12:
        return alignment >= 16 or alignment < 4
    return size >= 8 or alignment >= size
