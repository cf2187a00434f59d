"""A layout as a lambda of TileLang: ``T.Layout((64, 64), lambda i, j: (i, j ^ (i % 8 * 8)))``.

Rows whose columns are XORed with a mask that is linear in the bits of the row, and padded rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bankwise.counting.access import IntArray
from bankwise.notation.values import Memory, tabulate

_NAMES = "ijklmn"


def said_as_lambda(memory: Memory) -> str:
    """The text, equal on every element; empty where it is neither an XOR in rows nor a padding."""
    table = tabulate(memory).table
    names = _NAMES[: table.ndim]
    if table.ndim < 2 or len(names) < table.ndim:
        return ""
    rows = table.reshape(-1, table.shape[-1])
    inside = _folded(rows, names, table.shape) or _padded(rows, names, table.shape)
    return f"T.Layout({table.shape}, lambda {', '.join(names)}: {inside})" if inside else ""


def _folded(rows: IntArray, names: str, shape: tuple[int, ...]) -> str:
    count, length = rows.shape
    places = np.arange(length)
    masks = rows[:, 0] - np.arange(count) * length
    columns = places ^ masks[:, None]
    bits = [int(masks[1 << bit]) for bit in range((count - 1).bit_length())]
    linear = np.zeros(count, np.int64)
    for bit, mask in enumerate(bits):
        linear ^= (np.arange(count) >> bit & 1) * mask
    inside = columns.min() >= 0 and columns.max() < length
    moved = np.arange(count)[:, None] * length + columns
    if not inside or not np.array_equal(linear, masks) or not np.array_equal(moved, rows):
        return ""
    row = _row(names, shape)
    terms = "".join(f" ^ {_term(row, *one, len(bits))}" for one in _runs(bits))
    return f"({', '.join(names[:-1])}, {names[-1]}{terms})"


def _runs(bits: list[int]) -> Iterator[tuple[int, int, int]]:
    """(first bit, bits, mask of the first): bits of the row that are shifted together."""
    at = 0
    while at < len(bits):
        mask, first = bits[at], at
        at += 1
        single = mask and mask & (mask - 1) == 0
        while single and at < len(bits) and bits[at] == mask << (at - first):
            at += 1
        if mask:
            yield first, at - first, mask


def _term(row: str, first: int, bits: int, mask: int, most: int) -> str:
    shifted = f"{row} // {1 << first}" if first else row
    taken = shifted if first + bits == most else f"{shifted} % {1 << bits}"
    found = taken if mask == 1 else f"{taken} * {mask}"
    return found if found == row else f"({found})"


def _padded(rows: IntArray, names: str, shape: tuple[int, ...]) -> str:
    pitch = int(rows[1, 0]) if len(rows) > 1 else 0
    places = np.arange(len(rows))[:, None] * pitch + np.arange(rows.shape[1])
    if pitch <= rows.shape[1] or not np.array_equal(places, rows):
        return ""
    return f"{_row(names, shape)} * {pitch} + {names[-1]}"


def _row(names: str, shape: tuple[int, ...]) -> str:
    """The number of a row; of more than two axes, in brackets."""
    found = names[0]
    for name, size in zip(names[1:-1], shape[1:-1], strict=True):
        found = f"({found} * {size} + {name})"
    return found
