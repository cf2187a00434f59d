"""When two register contents are one for all that follows."""

from __future__ import annotations

from collections.abc import Hashable

from bankwise.read.follow.values import Array, Choices, Unknown, Value


def key(value: Value | None, names: dict[Hashable, int]) -> Hashable:
    """Equal for values that no later instruction can tell apart; ``names``: of unknown words, in
    the order in which they came."""
    if value is None:
        return None
    if isinstance(value, Unknown):
        lanes = None if value.lanes is None else content(value.lanes)
        over = value.over and (value.over.wide, *map(content, value.over.arrays))
        part = (value.uniform, value.pointer, value.space, lanes, value.multiple_of, over)
        if value.choices is None and not value.subset_of:
            return part
        bits = _key(value.choices, names)
        tags = tuple(names.setdefault(("condition", tag), len(names)) for tag in value.subset_of)
        return (*part, bits, tags)
    return content(value)


def content(of: Array | Choices) -> Hashable:
    """Shape and bytes of an array, of all words of choices. Neither is ever changed in place, so
    they are remembered."""
    found = _CONTENTS.get(id(of))
    if found is not None and found[0] is of:
        return found[1]
    if len(_CONTENTS) >= _MOST_CONTENTS:
        _CONTENTS.clear()
    new: Hashable = (
        tuple(map(content, of.words)) if isinstance(of, Choices) else (of.shape, of.tobytes())
    )
    _CONTENTS[id(of)] = (of, new)
    return new


_CONTENTS: dict[int, tuple[Array | Choices, Hashable]] = {}
_MOST_CONTENTS = 8_192


def _key(choices: Choices | None, names: dict[Hashable, int]) -> Hashable:
    if choices is None:
        return None
    unknown = tuple(names.setdefault(one, len(names)) for one in choices.unknown)
    return unknown, content(choices)
