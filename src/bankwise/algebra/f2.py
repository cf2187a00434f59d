"""Linear algebra over F2 = {0, 1}: addition is XOR, a vector is a plain Python int.

Bit i of the int is coordinate i. A *list of vectors* spans a subspace; a linear map is given by its
*columns*: ``columns[i]`` is the image of unit vector ``1 << i``. No dimension is carried along: a
vector has as many coordinates as the caller says.

Example: ``span((0b011, 0b110))`` is ``(0, 3, 6, 5)``, of rank 2; ``0b101`` lies in it.

Bases are canonical: the reduced echelon form with the highest bit leading, ascending. Two
subspaces are equal exactly when their bases are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Vector = int
Basis = tuple[Vector, ...]


def reduce(vector: Vector, echelon: Iterable[Vector]) -> Vector:
    """``vector`` modulo an echelon basis given highest leading bit first; 0 if it lies in it."""
    for row in echelon:
        if vector ^ row < vector:
            vector ^= row
    return vector


def basis(vectors: Iterable[Vector]) -> Basis:
    """The reduced echelon basis of the span, ascending."""
    rows: list[Vector] = []
    for vector in vectors:
        for row in rows:
            if vector ^ row < vector:
                vector ^= row
        if vector:
            rows.append(vector)
    rows.sort()
    for i, low in enumerate(rows):
        for j in range(i + 1, len(rows)):
            if rows[j] ^ low < rows[j]:
                rows[j] ^= low
    return tuple(rows)


def rank(vectors: Iterable[Vector]) -> int:
    """The dimension of the span."""
    rows: list[Vector] = []
    for vector in vectors:
        for row in rows:
            if vector ^ row < vector:
                vector ^= row
        if vector:
            rows.append(vector)
    return len(rows)


def span(vectors: Iterable[Vector]) -> tuple[Vector, ...]:
    """All members; member j is the sum of the (independent) vectors at the set bits of j."""
    members = [0]
    for vector in independent(vectors):
        members += [member ^ vector for member in members]
    return tuple(members)


def in_span(vector: Vector, vectors: Iterable[Vector]) -> bool:
    """Whether ``vector`` is a sum of some of the vectors."""
    return reduce(vector, reversed(basis(vectors))) == 0


def independent(vectors: Iterable[Vector], modulo: Iterable[Vector] = ()) -> Basis:
    """The vectors, in order, that are not a sum of those before them and of ``modulo``."""
    rows: list[Vector] = list(reversed(basis(modulo)))
    kept: list[Vector] = []
    for vector in vectors:
        rest = vector
        for row in rows:
            if rest ^ row < rest:
                rest ^= row
        if rest:
            kept.append(vector)
            rows.append(rest)
    return tuple(kept)


def apply(columns: Sequence[Vector], vector: Vector) -> Vector:
    """The image of ``vector`` under the map with these columns."""
    image = 0
    while vector:
        low = vector & -vector
        image ^= columns[low.bit_length() - 1]
        vector ^= low
    return image


def compose(first: Sequence[Vector], then: Sequence[Vector]) -> tuple[Vector, ...]:
    """The columns of "``first``, then ``then``"."""
    return tuple(apply(then, column) for column in first)


def kernel(columns: Sequence[Vector]) -> Basis:
    """The basis of all vectors that the map sends to 0."""
    rows: list[tuple[Vector, Vector]] = []
    null: list[Vector] = []
    for i, image in enumerate(columns):
        source = 1 << i
        for row_image, row_source in rows:
            if image ^ row_image < image:
                image, source = image ^ row_image, source ^ row_source
        if image:
            rows.append((image, source))
        else:
            null.append(source)
    return basis(null)


def intersection(a: Iterable[Vector], b: Iterable[Vector]) -> Basis:
    """The basis of span(a) ∩ span(b)."""
    first = basis(a)
    relations = kernel((*first, *basis(b)))
    inside = (1 << len(first)) - 1
    return basis(apply(first, relation & inside) for relation in relations)


def complement(vectors: Iterable[Vector], dimension: int) -> Basis:
    """Unit vectors, ascending, that complete the span to the whole space F2^dimension."""
    return independent((1 << i for i in range(dimension)), modulo=vectors)


def solve(columns: Sequence[Vector], image: Vector) -> Vector | None:
    """One vector with this image under the map; None if there is none."""
    rows: list[tuple[Vector, Vector]] = []
    for i, column in enumerate(columns):
        source = 1 << i
        for row_image, row_source in rows:
            if column ^ row_image < column:
                column, source = column ^ row_image, source ^ row_source
        if column:
            rows.append((column, source))
    found = 0
    for row_image, row_source in rows:
        if image ^ row_image < image:
            image, found = image ^ row_image, found ^ row_source
    return found if image == 0 else None


def inverse(columns: Sequence[Vector]) -> tuple[Vector, ...] | None:
    """The columns of the inverse of a square map; None if it is singular."""
    left, right = list(columns), [1 << i for i in range(len(columns))]
    for i in range(len(left)):
        bit = 1 << i
        pivot = next((j for j in range(i, len(left)) if left[j] & bit), None)
        if pivot is None:
            return None
        left[i], left[pivot] = left[pivot], left[i]
        right[i], right[pivot] = right[pivot], right[i]
        for j in range(len(left)):
            if j != i and left[j] & bit:
                left[j], right[j] = left[j] ^ left[i], right[j] ^ right[i]
    return tuple(right) if left == [1 << i for i in range(len(left))] else None


def transpose(columns: Sequence[Vector], rows: int) -> tuple[Vector, ...]:
    """The columns of the transposed matrix; ``rows`` is the dimension of the images."""
    return tuple(
        sum(((column >> r) & 1) << i for i, column in enumerate(columns)) for r in range(rows)
    )
