"""LZ4 blocks, as CUDA toolkits before Zstandard pack fatbins.

A sequence is a byte of two lengths, literals, and a match of at least 4 bytes that stand some way
back. Source: "LZ4 Block Format Description", lz4/doc/lz4_Block_format.md.
"""

from __future__ import annotations

_LEAST_MATCH = 4


def lz4(data: bytes, size: int) -> bytes:
    """The bytes of a block, at most ``size``; :class:`ValueError`, :class:`IndexError` for one that
    is broken."""
    out, at, end = bytearray(), 0, len(data)
    while at < end:
        token = data[at]
        literals, at = _length(data, at + 1, token >> 4)
        out += data[at : at + literals]
        at += literals
        if len(out) >= size or at >= end:
            break
        back = data[at] | data[at + 1] << 8
        match, at = _length(data, at + 2, token & 15)
        if not 0 < back <= len(out):
            raise ValueError(f"a match {back} bytes back of {len(out)}")
        _copy(out, back, min(match + _LEAST_MATCH, size - len(out)))
    return bytes(out)


def _length(data: bytes, at: int, short: int) -> tuple[int, int]:
    """A length, of which bytes of 255 say that more follow; and what is behind it."""
    if short < 15:
        return short, at
    while data[at] == 255:
        short, at = short + 255, at + 1
    return short + data[at], at + 1


def _copy(out: bytearray, back: int, count: int) -> None:
    """A match may reach into itself: then it repeats."""
    start = len(out) - back
    if back >= count:
        out += out[start : start + count]
    else:
        piece = bytes(out[start:])
        out += (piece * (count // back + 1))[:count]
