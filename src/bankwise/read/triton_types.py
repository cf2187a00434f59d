"""Constants of a Triton kernel that are no numbers: its types, and words for an operation."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from msgspec import Struct

from bankwise.read.triton_whole import named

_WORDS = {"input_precision": "ieee", "cache_modifier": "", "eviction_policy": ""}
"""What calls take by these names: a precision of f32 products that every GPU of Triton's has, and
nothing special of caches."""
_NAME, _SUM = "dtype", "acc"
_BEHIND = {"to": 0, "zeros": 1, "cast": 1, "full": 2, "pointer_type": 0}
"""Which argument of a call is a type."""


class TypeConstant(Struct, frozen=True):
    """A type of Triton, printed as a program writes it behind ``import triton.language as tl``."""

    name: str

    def __repr__(self) -> str:
        return f"tl.{self.name}"


def constants_of_type(
    function: ast.FunctionDef, names: Collection[str]
) -> Iterator[tuple[str, TypeConstant | str]]:
    """A type for each constant that is used as one, or named so; a word where a call takes one."""
    types = {name for name in names if name.lower().endswith(_NAME)}
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            place = _BEHIND.get(named(node.func), len(node.args))
            types |= {one.id for one in node.args[place:][:1] if isinstance(one, ast.Name)}
            for keyword in node.keywords:
                if isinstance(keyword.value, ast.Name) and keyword.arg is not None:
                    types |= {keyword.value.id} if keyword.arg.endswith(_NAME) else set()
                    if keyword.arg in _WORDS and keyword.value.id in names:
                        yield keyword.value.id, _WORDS[keyword.arg]
    for name in names:
        if name in types:
            yield name, TypeConstant("float32" if _SUM in name.lower() else "float16")
