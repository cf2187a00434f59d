"""The numbers that the question of a tile may name: ``${m}``, ``${bits}``, ``${lanes}``, its own.

shape = { m = 64, d = 128 }, type f16, 64 lanes, let = { v = "8 // bytes", steps = "d // (4 * v)" }

m = 64, d = 128, type = "f16", bits = 16, bytes = 2, lanes = 64, v = 4, steps = 8
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bankwise.algebra.expression import parse
from bankwise.errors import InputError

_TYPE = re.compile(r"(?:bf|tf|f|si|ui|i|s|u)(4|6|8|16|32|64)(?:E\d+M\d+[A-Z]*)?")
"""As MLIR and Triton write element types."""


def tile_numbers(
    shape: Mapping[str, int], kind: str, lanes: int, let: Mapping[str, Any]
) -> Mapping[str, int | str]:
    """All of them by name. ``lanes``: of a wave; ``let``: expressions of those before, by name.

    Raises :class:`InputError` for a type without a width, and for what ``let`` cannot mean.
    """
    found = _TYPE.fullmatch(kind)
    if found is None:
        raise InputError(f"unknown element type {kind!r}", hint="f16, bf16, f8E4M3FNUZ, i8, f32 ..")
    bits = int(found[1])
    known = {**shape, "bits": bits, "bytes": bits // 8, "lanes": lanes}
    for name, text in let.items():
        if not isinstance(text, str):
            raise InputError(f"let {name} = {text!r} is no text", hint='steps = "d // 16"')
        if name in known or name == "type":
            raise InputError(f"let names {name!r}, which is known already")
        known[name] = _number(name, text, known, shape)
    return {**known, "type": kind}


def _number(name: str, text: str, known: Mapping[str, int], shape: Mapping[str, int]) -> int:
    try:
        value = int(parse(text, tuple(known))(**known))
    except InputError as error:
        raise InputError(f"let {name} = {text!r}: {error.message}", hint=error.hint) from error
    if value < 1:
        raise InputError(f"let {name} = {text!r} is {value} for shape {dict(shape)}")
    return value
