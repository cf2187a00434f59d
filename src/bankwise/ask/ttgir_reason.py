"""Why accesses to a swizzled buffer of Triton conflict: the swizzle repeats before the rows end."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from bankwise.counting.counted import AccessReport
from bankwise.counting.reason import Reason
from bankwise.hardware.machine import BANK_BYTES
from bankwise.notation.triton.encodings import SwizzledShared
from bankwise.read.ttgir.values import Buffer


def by_rows(access: AccessReport, buffers: Iterable[Buffer]) -> AccessReport:
    """The access, its reason told in rows of the buffer, where the words that meet are whole
    rounds of its swizzle apart."""
    named = [buffer for buffer in buffers if buffer.name in access.allocations]
    why = access.reason
    if len(named) != 1 or not isinstance(why, Reason):
        return access
    (buffer,) = named
    encoding = buffer.type.encoding
    if not isinstance(encoding, SwizzledShared) or len(buffer.tile) != len(encoding.order):
        return access
    if encoding.rotating:
        return access
    row_bits = buffer.tile[encoding.order[0]] * buffer.type.bits
    apart, left = divmod(why.advance_words * BANK_BYTES * 8, row_bits)
    round_ = encoding.per_phase * encoding.max_phase
    if left or apart < 2 or round_ < 2 or apart % round_:
        return access
    swizzle = f"the swizzle repeats after {round_} rows (perPhase * maxPhase)"
    return replace(access, reason=replace(why, rows_apart=apart, repeats=swizzle))
