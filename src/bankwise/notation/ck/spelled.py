"""A tensor descriptor as the statements of a ``Make...Descriptor`` function, in its own names.

    constexpr auto desc_0 = make_naive_tensor_descriptor_packed(
        make_tuple(number<kM / 8>{}, number<8>{}, number<kK / 8>{}, number<8>{}), number<8>{});

A length that the axis decides is written with the axis: 16 of 128 rows in groups of 8 is
``kM / 8``. What is so written holds for every size that the groups divide, which a
``static_assert`` says; so does it of vectors in a padded row, ``kK + kKPack`` elements long. Where
numbers stand for what the header computes, it says which sizes they are for. Of digits that an XOR
exchanges the second has to be a power of two: CK takes the first modulo it, and the XOR of two
numbers below 6 may be 7.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod

from msgspec import Struct

from bankwise.notation.ck.descriptor import Indices, TensorDescriptor, TransformStep, sequences
from bankwise.notation.ck.transforms import Transform, number, row_major

_WIDTH = 100


class AxisNames(Struct, frozen=True):
    """How a header calls the lengths of a tile's axes, empty for none; ``vector``: and
    ``side_by_side`` elements that lie so; ``sizes``: what the text before was computed of, with
    the values that the answers give; ``answered``: names of them that are answers themselves."""

    axes: tuple[str, ...]
    vector: str = ""
    side_by_side: int = 0
    sizes: tuple[tuple[str, int], ...] = ()
    answered: frozenset[str] = frozenset()


def statements(made: TensorDescriptor, name: str, names: AxisNames, indent: str) -> str:
    """C++ statements, the last of which defines ``name``; ``indent``: before each line."""
    lengths, checks = _lengths(made, names)
    lines = [_assert(checks)] if checks else []
    lines += [_assert([power]) for power in dict.fromkeys(_powers(made, lengths))]
    pinned = len(lines)
    last = len(made.steps)
    for place in range(last + 1):
        called = name if place == last else f"{name}_{place}"
        if place == 0:
            text = _box(made, lengths, names)
        else:
            below, step = f"{name}_{place - 1}", made.steps[place - 1]
            text = _step(below, step, lengths if in_digits(made) else None)
        lines.append(f"constexpr auto {called} = {text};")
    pins = _pins(made, names, " ".join(lines))
    lines[pinned:pinned] = [_assert(pins)] if pins else []
    return "\n\n".join("\n".join(_wrapped(line, indent)) for line in lines)


def for_one_size(made: TensorDescriptor, names: AxisNames) -> bool:
    """Whether numbers stand where another size would need others."""
    if made.steps and not in_digits(made):
        return True
    packed = made.strides == row_major(made.lengths)
    return not (packed or _padded(made, names)) or not all(names.axes)


def _pins(made: TensorDescriptor, names: AxisNames, text: str) -> list[str]:
    """The sizes that a text of numbers is for; answers stay named, so that they are asked for."""
    whole = for_one_size(made, names)
    words = set(re.findall(r"\w+", text))
    return [
        f"{name} == {value}"
        for name, value in names.sizes
        if whole or (name in names.answered and name not in words)
    ]


def in_digits(made: TensorDescriptor) -> bool:
    """Whether the box's dimensions are the digits of the axes, merged at the end: such a text is
    written in the axes' names."""
    *below, last = made.steps
    kinds = {t.kind for step in below for t in step.transforms}
    straight = all(step.low == step.up for step in below)
    joined = all(t.kind in ("merge", "pass_through") for t in last.transforms)
    return kinds <= {"xor", "pass_through"} and straight and joined


def _lengths(made: TensorDescriptor, names: AxisNames) -> tuple[list[str], list[str]]:
    """The box's lengths as texts, and what has to divide what."""
    texts = [str(n) for n in made.lengths]
    checks: list[str] = []
    if not made.steps:
        texts = [name or text for name, text in zip(names.axes, texts, strict=True)]
        return texts, _whole_vectors(made, names, texts)
    if not in_digits(made):
        return texts, []
    if names.vector and len(texts) > 1 and made.lengths[-1] == names.side_by_side:
        texts[-1] = names.vector
    last = made.steps[-1]
    for transform, low, up in zip(last.transforms, last.low, last.up, strict=True):
        name = names.axes[up[0]]
        inside = _product([texts[i] for i in low[1:]])
        if name and low[1:]:
            over = f"({inside})" if " " in inside else inside
            texts[low[0]] = f"{name} / {over}"
            checks.append(f"{name} % {over} == 0")
        elif name and len(transform.lengths) == 1:
            texts[low[0]] = name
    return texts, checks


def _whole_vectors(made: TensorDescriptor, names: AxisNames, lengths: Sequence[str]) -> list[str]:
    """That a row of a named length is whole vectors: one behind another, each begins as it should.
    Where other numbers stand they say for which sizes they are."""
    vector = _vector(made, lengths, names)
    if made.vector[0] <= 1 or lengths[-1] in (vector, str(made.lengths[-1])):
        return []
    return [f"{lengths[-1]} % {vector} == 0"]


def _powers(made: TensorDescriptor, texts: Sequence[str]) -> list[str]:
    """That the lengths below which an XOR of digits stays are powers of two, where no number says
    them."""
    if not made.steps or not in_digits(made):
        return []
    xors = (
        low
        for s in made.steps
        for t, low in zip(s.transforms, s.low, strict=True)
        if t.kind == "xor"
    )
    names = (texts[low[1]] for low in xors)
    return [f"(({name}) & ({name} - 1)) == 0" for name in names if not name.isdigit()]


def _product(texts: list[str]) -> str:
    """Their product, numbers as one."""
    words = [text for text in texts if not text.isdigit()]
    known = prod(int(text) for text in texts if text.isdigit())
    return " * ".join(([str(known)] if known > 1 or not words else []) + words)


def _box(made: TensorDescriptor, lengths: list[str], names: AxisNames) -> str:
    """The naive box: packed where it is, with strides where it is not."""
    vector = [] if made.vector[0] < 1 else [_number(_vector(made, lengths, names))]
    if made.strides == row_major(made.lengths):
        return f"make_naive_tensor_descriptor_packed({', '.join((_tuple(lengths), *vector))})"
    strides = [str(n) for n in made.strides]
    if _padded(made, names):
        strides[0] = f"{names.axes[-1]} + {_elements(made.strides[0] - made.lengths[-1], names)}"
    last = [*vector, number(1)] if vector else []
    parts = (_tuple(lengths), _tuple(strides), *last)
    return f"make_naive_tensor_descriptor({', '.join(parts)})"


def _padded(made: TensorDescriptor, names: AxisNames) -> bool:
    """Whether it is rows of a named length, with a pad behind each."""
    if made.steps or len(made.strides) != 2 or not names.axes[-1]:
        return False
    return made.strides[1] == 1 and made.strides[0] > made.lengths[1]


def _vector(made: TensorDescriptor, lengths: Sequence[str], names: AxisNames) -> str:
    same = made.vector[0] == made.lengths[-1]
    return lengths[-1] if same else _elements(made.vector[0], names)


def _elements(many: int, names: AxisNames) -> str:
    """So many elements that lie side by side, by the header's name for a vector of them."""
    return names.vector if names.vector and many == names.side_by_side else str(many)


def _step(below: str, step: TransformStep, lengths: list[str] | None) -> str:
    pairs = zip(step.transforms, step.low, strict=True)
    texts = [_transform(t, lengths and [lengths[i] for i in low]) for t, low in pairs]
    parts = (below, f"make_tuple({', '.join(texts)})", _places(step.low), _places(step.up))
    return f"transform_tensor_descriptor({', '.join(parts)})"


def _transform(transform: Transform, lengths: list[str] | None) -> str:
    fits = lengths is not None and len(lengths) == len(transform.lengths) and not transform.amounts
    if not fits or lengths is None:
        return str(transform)
    inside = _number(lengths[0]) if transform.kind == "pass_through" else _tuple(lengths)
    return f"make_{transform.kind}_transform({inside})"


def _places(groups: Indices) -> str:
    return sequences("make_tuple(", groups, "{}", ")")


def _number(text: str) -> str:
    return f"number<{text}>{{}}"


def _tuple(texts: Sequence[str]) -> str:
    return f"make_tuple({', '.join(map(_number, texts))})"


def _assert(checks: list[str]) -> str:
    return f"static_assert({' && '.join(dict.fromkeys(checks))});"


def _wrapped(text: str, indent: str) -> list[str]:
    """A call over several lines where one is too short for it."""
    opening = text.find("(")
    if len(indent) + len(text) <= _WIDTH or opening < 0:
        return [indent + text]
    parts, depth, start = [], 0, opening + 1
    for at, sign in enumerate(text):
        depth += sign in "(<{"
        if sign == "," and depth == 1:
            parts.append(text[start : at + 1].strip())
            start = at + 1
        depth -= sign in ")>}"
    inside = [*parts, text[start:].strip()]
    return [indent + text[: opening + 1]] + [
        line for part in inside for line in _wrapped(part, indent + "    ")
    ]
