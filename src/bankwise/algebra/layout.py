"""Linear layouts: every index is a bit vector, every map a matrix over F2.

One tensor, two opinions about it. A warp of 32 lanes transposes a 16x32 tile of f32 through shared
memory: 32 banks, one word wide. Call the element in row m and column n by its bits,
``m3 m2 m1 m0`` and ``n4 n3 n2 n1 n0``. The *store* writes one row per step: lane bit i moves n_i.
The *read* fetches two columns per step: lane bits 0 to 3 move m0 to m3 and lane bit 4 moves n0. In
the notation of this module (outputs with their sizes, then the image of every input bit, lowest
first):

    store  (n:5 m:4) lane = n0 n1 n2 n3 n4; reg = m0 m1 m2 m3
    read   (n:5 m:4) lane = m0 m1 m2 m3 n0; reg = n1 n2 n3 n4

The *memory layout* says which element lies at an offset. Row-major, and row-major with every row's
columns permuted by n XOR 2m:

    plain    (n:5 m:4) offset = n0 n1 n2 n3 n4 m0 m1 m2 m3
    swizzle  (n:5 m:4) offset = n0 n1 n2 n3 n4 m0^n1 m1^n2 m2^n3 m3^n4

Read the last image: one step of offset bit 8 moves row bit 3 *and* column bit 4. That is the one
rule of a linear layout: **an input bit moves the same output bits whatever the other inputs are**;
the image of an index is the XOR of the images of its set bits. Nothing carries.

Two questions become arithmetic. *Where does lane 5 of step 3 write?* Send it to its element, and
the element through the inverse of the memory layout: ``compose(store, invert(swizzle))``. *Who
collides?* Two words share a bank when their offsets differ in offset bits 5 to 8 only, so a
conflict is a direction that lane bits and those offset bits have in common. For the read:

    plain    span{m0, m1, m2, m3}                  16 words in a bank: 16 passes
    n XOR m  span{m0^n0, m1^n1, m2^n2, m3^n3}      meets the lanes in m0^n0: 2 passes
    n XOR 2m span{m0^n1, m1^n2, m2^n3, m3^n4}      meets the lanes in 0 only: 1 pass

:mod:`bankwise.solver` makes a theorem of this and searches for the swizzle.

Limits. Sizes are powers of two. Padding (``33 * m + n``) and rotation carry, so they are no linear
layouts: :mod:`bankwise.counting.conflict` counts them like everything else. What a bank, a word or
a lane is worth is no business of this module: it knows named bits only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from bankwise.algebra import f2
from bankwise.errors import InputError, Refusal
from bankwise.regex import regex

Dimensions = tuple[tuple[str, int], ...]
"""Names with their number of bits. Packed into one index, the first dimension is the lowest."""

_NAME = regex(r"[A-Za-z_]+")
_LAYOUT = regex(r"\s*\(([^()]*)\)(.*)", re.DOTALL)
_MOST_BITS = 48
"""Of an index: as many as an address has, so that an offset in bits fits into 64 of them."""
_BIT = regex(r"([A-Za-z_]+)(\d+)")


class Layout(Struct, frozen=True):
    """A linear map from input bits to output bits, both grouped into named dimensions.

    ``columns[i]``: the image of packed input bit i, as packed output bits. ``str(layout)`` is the
    notation shown above; :func:`parse` reads it back.
    """

    inputs: Dimensions
    outputs: Dimensions
    columns: tuple[f2.Vector, ...]

    def __post_init__(self) -> None:
        for dimensions in (self.inputs, self.outputs):
            _check(dimensions)
        assert len(self.columns) == size(self.inputs), "one column for every input bit"
        assert all(0 <= c < 1 << size(self.outputs) for c in self.columns), "an image is outside"

    def __str__(self) -> str:
        header = " ".join(f"{name}:{bits}" for name, bits in self.outputs)
        groups = []
        for name, images in self.images().items():
            texts = [vector_text(image, self.outputs) for image in images]
            groups.append(" ".join([name, "=", *texts]))
        return f"({header}) {'; '.join(groups)}".rstrip()

    def images(self) -> dict[str, tuple[f2.Vector, ...]]:
        """The images of the bits of every input dimension, lowest bit first, packed."""
        return {
            name: self.columns[first : first + bits]
            for name, first, bits in _positions(self.inputs)
        }

    def __call__(self, **index: Any) -> dict[str, Any]:
        """The outputs of one index: whole numbers or integer arrays by input name, default 0."""
        image = self.packed(pack(self.inputs, index))
        return unpack(self.outputs, image)

    def packed(self, index: Any) -> Any:
        """The packed image of a packed index (a whole number or an integer array)."""
        image = index & 0
        for i, column in enumerate(self.columns):
            image = image ^ (index >> i & 1) * column
        return image


def size(dimensions: Dimensions) -> int:
    """The number of bits of all dimensions together."""
    return sum(bits for _, bits in dimensions)


def identity(dimensions: Dimensions, inputs: Dimensions | None = None) -> Layout:
    """The map that changes nothing but the grouping of the bits: row-major memory, for example."""
    inputs = dimensions if inputs is None else inputs
    assert size(inputs) == size(dimensions), "the identity keeps the number of bits"
    return Layout(inputs, dimensions, tuple(1 << i for i in range(size(inputs))))


def compose(first: Layout, then: Layout) -> Layout:
    """``first``, then ``then``: the outputs of one are the inputs of the other."""
    if first.outputs != then.inputs:
        raise InputError(
            f"cannot compose: the first layout ends in {_dimension_text(first.outputs)}, "
            f"the second starts from {_dimension_text(then.inputs)}"
        )
    return Layout(first.inputs, then.outputs, f2.compose(first.columns, then.columns))


def invert(layout: Layout) -> Layout | Refusal:
    """The inverse map; a Refusal naming two indices with one image, or the missing bits."""
    if size(layout.inputs) != size(layout.outputs):
        return Refusal(
            f"{layout} has no inverse: {size(layout.inputs)} bits go to {size(layout.outputs)}"
        )
    columns = f2.inverse(layout.columns)
    if columns is None:
        lost = vector_text(f2.kernel(layout.columns)[0], layout.inputs)
        return Refusal(f"{layout} has no inverse: {lost} moves nothing")
    return Layout(layout.outputs, layout.inputs, columns)


def product(low: Layout, high: Layout) -> Layout:
    """Side by side: ``low`` on the low bits of every dimension, ``high`` on the bits above.

    Dimensions of one name are joined, so this is how a tile is repeated: by registers, by warps.
    """
    inputs, low_in, high_in = _join(low.inputs, high.inputs)
    outputs, low_out, high_out = _join(low.outputs, high.outputs)
    columns = [0] * size(inputs)
    for part, sources, targets in ((low, low_in, low_out), (high, high_in, high_out)):
        for source, column in zip(sources, part.columns, strict=True):
            columns[source] = f2.apply(tuple(1 << t for t in targets), column)
    return Layout(inputs, outputs, tuple(columns))


def divide(layout: Layout, low: Layout) -> Layout | Refusal:
    """The ``high`` with ``product(low, high) == layout``; a Refusal if there is none."""
    inputs, outputs = _rest(layout.inputs, low.inputs), _rest(layout.outputs, low.outputs)
    if inputs is None or outputs is None:
        return Refusal(f"{low} is no factor of {layout}: a dimension is too large")
    joined_in, _, high_in = _join(low.inputs, inputs)
    joined_out, _, high_out = _join(low.outputs, outputs)
    if (joined_in, joined_out) != (layout.inputs, layout.outputs):
        return Refusal(f"{low} is no factor of {layout}: the dimensions are in another order")
    place = {1 << target: 1 << i for i, target in enumerate(high_out)}
    columns = [
        sum(bit for target, bit in place.items() if layout.columns[i] & target) for i in high_in
    ]
    high = Layout(inputs, outputs, tuple(columns))
    if product(low, high) != layout:
        return Refusal(f"{low} is no factor of {layout}: its bits mix with the others")
    return high


def from_function(
    inputs: Dimensions, outputs: Dimensions, function: Callable[..., Mapping[str, Any]]
) -> Layout:
    """The layout of an index function; :class:`InputError` with a witness if it is not linear.

    ``function(**index)`` takes and returns integer arrays by dimension name (all indices at once).
    """
    _check(inputs)
    _check(outputs)
    packed = np.arange(1 << size(inputs))
    image = np.asarray(pack(outputs, function(**unpack(inputs, packed))))
    image = np.broadcast_to(image, packed.shape)
    columns = tuple(int(image[1 << i]) for i in range(size(inputs)))
    expected = table(Layout(inputs, outputs, columns))
    wrong = np.flatnonzero(expected != image)
    if wrong.size:
        index = unpack(inputs, int(wrong[0]))
        raise InputError(
            f"not linear over F2: {index} goes to {unpack(outputs, int(image[wrong[0]]))}, "
            f"its bits together to {unpack(outputs, int(expected[wrong[0]]))}",
            hint="a sum that carries (padding, rotation) is not linear: count it instead",
        )
    return Layout(inputs, outputs, columns)


def table(layout: Layout) -> npt.NDArray[np.int64]:
    """The packed images of all packed indices, in order: the layout as an index array."""
    images = np.zeros(1 << len(layout.columns), np.int64)
    for i, column in enumerate(layout.columns):
        np.bitwise_xor(images[: 1 << i], column, out=images[1 << i : 2 << i])
    return images


def pack(dimensions: Dimensions, index: Mapping[str, Any]) -> Any:
    """One packed index from numbers or arrays by name; :class:`InputError` outside the range."""
    unknown = sorted(set(index) - {name for name, _ in dimensions})
    if unknown:
        raise InputError(f"no dimension {unknown[0]!r} in {_dimension_text(dimensions)}")
    packed: Any = 0
    for name, first, bits in _positions(dimensions):
        value = index.get(name, 0)
        if np.any(np.asarray(value) >> bits):
            raise InputError(f"{name} = {value} does not fit into {bits} bits")
        packed = packed | value << first
    return packed


def unpack(dimensions: Dimensions, packed: Any) -> dict[str, Any]:
    """The inverse of :func:`pack`."""
    return {n: packed >> first & (1 << bits) - 1 for n, first, bits in _positions(dimensions)}


def vector_text(vector: f2.Vector, dimensions: Dimensions) -> str:
    """A sum of bits such as ``m0^n1``, the highest dimension first; ``0`` for none."""
    terms = [
        f"{name}{i}"
        for name, first, bits in reversed(_positions(dimensions))
        for i in range(bits)
        if vector >> first + i & 1
    ]
    return "^".join(terms) or "0"


def vector(text: str, dimensions: Dimensions) -> f2.Vector:
    """Read a sum of bits, the inverse of :func:`vector_text`."""
    if text == "0":
        return 0
    total = 0
    places = {name: (first, bits) for name, first, bits in _positions(dimensions)}
    for term in text.split("^"):
        match = _BIT.fullmatch(term.strip())
        first, bits = places.get(match[1], (0, 0)) if match else (0, 0)
        if match is None or int(match[2]) >= bits:
            raise InputError(
                f"no bit {term.strip()!r} in {_dimension_text(dimensions)}",
                hint="a direction is a bit or a sum of bits: n0, m2, m0^n1",
            )
        total ^= 1 << first + int(match[2])
    return total


def parse(text: str) -> Layout:
    """Read the notation that ``str(layout)`` writes."""
    match = _LAYOUT.fullmatch(text)
    if match is None:
        raise InputError(f"not a layout: {text!r}", hint="(n:5 m:4) lane = n0 n1; reg = m0^n2")
    outputs = tuple(_dimension(part) for part in match[1].split())
    if size(outputs) > _MOST_BITS:
        raise _too_wide(outputs)
    inputs: list[tuple[str, int]] = []
    columns: list[f2.Vector] = []
    for group in filter(str.strip, match[2].split(";")):
        name, equals, images = group.partition("=")
        if not equals:
            raise InputError(f"no '=' in {group.strip()!r}", hint="lane = n0 n1 n2")
        found = [vector(image, outputs) for image in images.split()]
        inputs.append((name.strip(), len(found)))
        columns += found
    if size(tuple(inputs)) > _MOST_BITS:
        raise _too_wide(tuple(inputs))
    return Layout(tuple(inputs), outputs, tuple(columns))


def _dimension(text: str) -> tuple[str, int]:
    name, colon, bits = text.partition(":")
    if not colon or not bits.isdecimal():
        raise InputError(f"not a dimension: {text!r}", hint="a name and its bits, n:5")
    return name, int(bits)


def _too_wide(dimensions: Dimensions) -> InputError:
    message = f"{_dimension_text(dimensions)} has more than {_MOST_BITS} bits"
    return InputError(message, hint="n:5 is a dimension of 5 bits, that is of 32 places")


def _check(dimensions: Dimensions) -> None:
    names = [name for name, _ in dimensions]
    for name in names:
        if not _NAME.fullmatch(name) or names.count(name) > 1:
            raise InputError(
                f"bad dimension name {name!r} in {_dimension_text(dimensions)}",
                hint="letters only, each name once: a bit is the name and its number, n0",
            )


def _positions(dimensions: Dimensions) -> list[tuple[str, int, int]]:
    """(name, lowest packed bit, bits) of every dimension."""
    out, first = [], 0
    for name, bits in dimensions:
        out.append((name, first, bits))
        first += bits
    return out


def _join(low: Dimensions, high: Dimensions) -> tuple[Dimensions, list[int], list[int]]:
    """The joined dimensions, and where the packed bits of each part go in them."""
    names = dict.fromkeys(name for name, _ in (*low, *high))
    lows, highs = dict(low), dict(high)
    joined = tuple((name, lows.get(name, 0) + highs.get(name, 0)) for name in names)
    first = {name: place for name, place, _ in _positions(joined)}
    low_places = [first[name] + i for name, bits in low for i in range(bits)]
    high_places = [first[name] + lows.get(name, 0) + i for name, bits in high for i in range(bits)]
    return joined, low_places, high_places


def _rest(whole: Dimensions, low: Dimensions) -> Dimensions | None:
    lows = dict(low)
    if any(bits > dict(whole).get(name, 0) for name, bits in low):
        return None
    return tuple((name, bits - lows.get(name, 0)) for name, bits in whole)


def _dimension_text(dimensions: Dimensions) -> str:
    return "(" + " ".join(f"{name}:{bits}" for name, bits in dimensions) + ")"
