"""An address map as text: ``32 * m + (n ^ 2 * m)``, Python and, but for ``//``, C; in elements.

The names are the coordinates of the tile, all of them whole numbers that are not negative. The
price of a map is the number of integer operations that its text has more than the row-major one.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from msgspec import Struct

from bankwise.algebra.address import AddressMap, Fold, Identity, Linear, Padded, Rotated, RowFolds

_OPERATORS = ("+", "*", "//", "%", "^", "&", ">>", "<<")
"""All that texts have; nothing in them is negative."""

Dims = tuple[tuple[str, int], ...]
"""Names with their sizes, the contiguous dimension first."""


class Shape(Struct, frozen=True):
    """A tile: ``dims`` (contiguous first) need not be powers of two here."""

    dims: Dims
    element_bits: int

    @property
    def elements(self) -> int:
        """Elements of the tile."""
        total = 1
        for _, size in self.dims:
            total *= size
        return total

    @property
    def row(self) -> int:
        """Elements of the contiguous dimension."""
        return self.dims[0][1]

    @property
    def bits(self) -> int | None:
        """Coordinate bits; None unless every dimension is a power of two."""
        if any(size & (size - 1) or size < 1 for _, size in self.dims):
            return None
        return self.elements.bit_length() - 1

    @property
    def row_bits(self) -> int:
        """Coordinate bits of the contiguous dimension, a power of two."""
        return self.row.bit_length() - 1

    def bytes_of(self, elements: int) -> int:
        """The bytes that so many elements take."""
        return -(-elements * self.element_bits // 8)


def footprint(shape: Shape, address: AddressMap) -> int:
    """Elements from the first to behind the last of the tile under a map."""
    if isinstance(address, Padded):
        return shape.elements + (shape.elements - 1) // address.row * address.pad
    return shape.elements


def offset_text(shape: Shape, address: AddressMap) -> str:
    """The element offset as an expression of the coordinates in Python.

    It is C too, with ``/`` for ``//``: nothing in it is negative.
    """
    match address:
        case Identity():
            return _row_major(shape.dims, shape.row)
        case Linear(bases=bases) if _whole_bits(shape):
            return _linear_text(shape, bases)
        case Linear(bases=bases):
            return _shifts_text(shape, bases)
        case Padded(row=row, pad=pad) if row == shape.row:
            return _row_major(shape.dims, row + pad)
        case Rotated(row=row, unit=unit, per=per) if row == shape.row:
            moved = _times(unit, _over(_row_index(shape), per))
            return _in_row(shape, f"({shape.dims[0][0]} + {moved}) % {row}")
        case Rotated(row=row, unit=unit, per=1):
            flat = _flat(shape)
            turned = f"({_times(unit, _over(flat, row))} + {flat}) % {row}"
            return f"{_times(row, _over(flat, row))} + {turned}"
        case Fold() as fold:
            return _fold_text(shape, fold)
        case RowFolds(folds=(fold,)):
            return _fold_text(shape, fold)
        case RowFolds(folds=folds):
            flat = _flat(shape)
            return f"({' ^ '.join([flat, *(_times(f.unit, _phase(flat, f)) for f in folds)])})"
    raise AssertionError(f"{address} has no text on rows of {shape.row}")


@lru_cache(maxsize=1 << 14)
def operations(shape: Shape, address: AddressMap) -> int:
    """Integer operations that the map costs beyond the row-major address."""
    return _operators(offset_text(shape, address)) - _operators(_row_major(shape.dims, shape.row))


def _operators(text: str) -> int:
    return sum(map(text.count, _OPERATORS))


def _row_major(dims: Dims, pitch: int) -> str:
    """``pitch`` elements from row to row."""
    terms, stride = [dims[0][0]], pitch
    for name, size in dims[1:]:
        terms.append(_times(stride, name))
        stride *= size
    return " + ".join(reversed(terms))


def _in_row(shape: Shape, column: str) -> str:
    """Every row in its place, the column replaced."""
    rows = _row_major(shape.dims, shape.row).split(" + ")[:-1]
    return " + ".join([*rows, column])


def _row_index(shape: Shape) -> str:
    """The number of the row, all outer dimensions together."""
    if len(shape.dims) == 1:
        return "0"
    index = _row_major(shape.dims[1:], shape.dims[1][1])
    return index if len(shape.dims) == 2 else f"({index})"


def _times(factor: int, text: str) -> str:
    return text if factor == 1 else f"{factor} * {text}"


def _shifted(text: str, by: int) -> str:
    return text if by == 0 else f"({text} >> {by})"


def _flat(shape: Shape) -> str:
    """The row-major offset, as a factor or an operand."""
    text = _row_major(shape.dims, shape.row)
    return text if len(shape.dims) == 1 else f"({text})"


def _over(text: str, divisor: int) -> str:
    """A quotient; of a power of two a shift."""
    if divisor & (divisor - 1) == 0:
        return _shifted(text, divisor.bit_length() - 1)
    return f"({text} // {divisor})"


def _fold_text(shape: Shape, fold: Fold) -> str:
    """Chunks of the row exchanged where the fold keeps rows; else of the whole offset."""
    divisor, row = fold.divisor, shape.row
    rows = divisor % row == 0 and row % fold.block == 0
    number = _over(_row_index(shape), divisor // row) if rows else _over(_flat(shape), divisor)
    phase = _modulo(number, fold.phases)
    place = shape.dims[0][0] if rows else _flat(shape)
    if fold.unit & (fold.unit - 1):
        moved = f"{fold.unit} * ({place} // {fold.unit} ^ {phase}) + {place} % {fold.unit}"
    else:
        moved = f"({place} ^ {_times(fold.unit, phase)})"
    return _in_row(shape, moved) if rows else moved


def _phase(flat: str, fold: Fold) -> str:
    return _modulo(_over(flat, fold.divisor), fold.phases)


def _modulo(text: str, size: int) -> str:
    return f"({text} % {size})" if size & (size - 1) else f"({text} & {size - 1})"


def _whole_bits(shape: Shape) -> bool:
    """Whether coordinates are fields of the offset: only the slowest may have any size."""
    return all(size & (size - 1) == 0 for _, size in shape.dims[:-1])


def _shifts_text(shape: Shape, bases: tuple[int, ...]) -> str:
    """``x ^ (x >> s & mask)`` on the row-major offset x of a tile of any size."""
    masks: dict[int, int] = {}
    for i, base in enumerate(bases):
        assert base >> i & 1, f"bit {i} leaves its place"
        for k in range(base.bit_length()):
            if k != i and base >> k & 1:
                masks[i - k] = masks.get(i - k, 0) | 1 << k
    flat = _flat(shape)
    terms = [f"({_shift_text(flat, s)} & {mask})" for s, mask in sorted(masks.items())]
    return " ^ ".join([flat, *terms]) if terms else _row_major(shape.dims, shape.row)


def _shift_text(text: str, down: int) -> str:
    return f"{text} >> {down}" if down > 0 else f"{text} << {-down}"


def _linear_text(shape: Shape, bases: tuple[int, ...]) -> str:
    """The shorter of two forms: row-major XOR what is added, or the XOR of all moves."""
    moves = [(i, k) for i, base in enumerate(bases) for k in range(base.bit_length())]
    moves = [(i, k) for i, k in moves if bases[i] >> k & 1]
    everything = " ^ ".join(_terms(shape, moves)) or "0"
    if not all(bases[i] >> i & 1 for i in range(len(bases))):
        return everything
    added = [(i, k) for i, k in moves if i != k]
    terms = _terms(shape, added)
    if not terms:
        return _row_major(shape.dims, shape.row)
    if all(k < shape.row_bits for _, k in added):
        column = " ^ ".join([shape.dims[0][0], *terms])
        return _in_row(shape, f"({column})" if len(shape.dims) > 1 else column)
    base = _row_major(shape.dims, shape.row)
    return " ^ ".join([f"({base})", *terms])


def _terms(shape: Shape, moves: list[tuple[int, int]]) -> list[str]:
    """One term for all bits of a dimension that move by the same distance."""
    starts, first = [], 0
    for name, size in shape.dims:
        bits = (size - 1).bit_length()
        starts.append((name, first, bits))
        first += bits
    groups = [_dim_terms(name, start, bits, moves) for name, start, bits in starts]
    return list(chain.from_iterable(reversed(groups)))


def _dim_terms(name: str, start: int, bits: int, moves: list[tuple[int, int]]) -> list[str]:
    masks: dict[int, int] = {}
    for i, k in moves:
        if start <= i < start + bits:
            masks[k - (i - start)] = masks.get(k - (i - start), 0) | 1 << i - start
    return [_term(name, masks[d], d, (1 << bits) - 1) for d in sorted(masks)]


def _term(name: str, sources: int, distance: int, every: int) -> str:
    """The bits ``sources`` of a coordinate, moved up by ``distance`` (down if negative)."""
    if distance >= 0:
        text = name if sources == every else f"({name} & {sources})"
        return _times(1 << distance, text)
    down = -distance
    if sources >> down == every >> down:
        return f"({name} >> {down})"
    return f"(({name} >> {down}) & {sources >> down})"
