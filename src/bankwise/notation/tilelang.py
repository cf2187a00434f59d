"""TileLang's shared layouts: ``tilelang.layout.make_swizzled_layout(A_shared)``, ``T.Layout``.

| text | layout |
|---|---|
| ``make_{full,half,quarter}_bank_swizzled_layout(A)`` | blocks of 128, 64, 32 bytes of a row |
| ``make_swizzled_layout(A)`` | the widest of these that divides a row, else padded rows |
| ``T.Layout((64, 64), lambda i, j: (i, j ^ (i % 8 * 8)))`` | the lambda, its results row-major |
| ``A = T.alloc_shared((64, 72), "float16")`` | rows of 72, if nothing infers a layout |

A text may stand inside ``T.annotate_layout({A_shared: ...})``; the tile is that of the question.
What :mod:`bankwise.notation.lambdas` writes stands in the place of what is there.
Source: src/layout/gemm_layouts.cc, tile-ai/tilelang@a35008a4.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import prod
from typing import Any

import numpy as np

from bankwise.algebra.offset import Shape
from bankwise.counting.access import IntArray
from bankwise.errors import InputError
from bankwise.notation.fold import sizes
from bankwise.notation.framework import Language, Setting
from bankwise.notation.kittens import blocks
from bankwise.notation.lambdas import said_as_lambda
from bankwise.notation.values import Memory, MemoryTable, limit
from bankwise.regex import regex

_BLOCKS = {"full_bank_swizzled": 128, "half_bank_swizzled": 64, "quarter_bank_swizzled": 32}
_MADE = regex(r"make_(?P<kind>(?:\w+_bank_)?swizzled)_layout\(\s*(?P<inside>\w+)\s*\)")
_LAMBDA = regex(r"T\.Layout\(\s*(?P<shape>[\[(][^\])]*[\])])\s*,\s*(?P<map>lambda .*)", re.S)
_ALLOCATED = regex(
    r"\s*(?:(?P<name>\w+)\s*=\s*)?T\.alloc_shared\(\s*[\[(](?P<shape>[\d\s,]+)[\])][^()]*\)\s*"
)
_SIGN = regex(
    r".*(?:make_(?:\w+_bank_)?swizzled_layout\(|T\.Layout\(|T\.alloc_shared\()", re.DOTALL
)
_TERM = regex(r"(?:\w+\.)*(?:make_(?:\w+_bank_)?swizzled_layout|Layout)\(")
_NAME = regex(r"(?:swizzled_layout\(|annotate_layout\(\s*\{)\s*(?P<name>\w+)")
_MOST = 64
"""Nodes of a lambda; no number it makes leaves 63 bits."""
_OPERATORS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitXor: operator.xor,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    tile = sizes(shape)
    limit(f"a tile of {tile}", shape.elements)
    said = _LAMBDA.search(text)
    if said is not None:
        return _of_lambda(_own(said["map"]), tile)
    alone = _ALLOCATED.fullmatch(text)
    if alone is not None:
        return _pitched(alone["shape"], tile)
    made = _MADE.search(text)
    if made is None or len(tile) != 2 or shape.element_bits not in (8, 16, 32):
        hint = "make_swizzled_layout(A_shared) of two dimensions, or T.Layout((64, 64), lambda ..)"
        raise InputError(f"{text.strip()[:60]!r} is no layout of TileLang", hint=hint)
    return _made(made["kind"], tile[0], tile[1], shape.element_bits // 8)


def _made(kind: str, rows: int, columns: int, size: int) -> Memory:
    row = columns * size
    wanted = _BLOCKS.get(kind)
    if wanted is None:
        wanted = next((b for b in _BLOCKS.values() if row % b == 0), None)
    if wanted is None:
        pitch = columns + 16 // size if row % 32 == 0 else columns
        table = np.arange(rows)[:, None] * pitch + np.arange(columns)
        return MemoryTable(table, int(table.max()) + 1)
    if row % wanted or (rows % 8 and rows != 4):
        hint = f"rows of whole {wanted} bytes, 8 rows or a multiple"
        raise InputError(f"{kind} of {rows} x {columns}", hint=hint)
    found = blocks(max(rows, 8), columns, size, wanted)
    if rows >= 8:
        return found
    table, eight = found.table[:rows], 8 * wanted // size
    return MemoryTable(table - table // eight * (eight // 2), rows * columns)


def _pitched(said: str, tile: tuple[int, ...]) -> Memory:
    """Row-major rows as long as the last size said."""
    found = tuple(int(size[:9]) for size in said.replace(",", " ").split())
    if len(found) != len(tile) or found[:-1] != tile[:-1] or found[-1] < tile[-1]:
        hint = "the same sizes, the last one longer if rows are padded"
        raise InputError(f"T.alloc_shared of {found} for a tile of {tile}", hint=hint)
    limit(f"a buffer of {found}", prod(found))
    table = np.arange(prod(found)).reshape(found)[..., : tile[-1]]
    return MemoryTable(table, prod(found))


def _own(text: str) -> str:
    """A text up to the bracket that closes what stands around it."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign in "({[") - (sign in ")}]")
        if depth < 0:
            return text[:at]
    return text


def _of_lambda(text: str, tile: tuple[int, ...]) -> Memory:
    try:
        node = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{text[:60]!r} is no lambda: {error}") from error
    if not isinstance(node, ast.Lambda) or len(list(ast.walk(node))) > _MOST * 4:
        raise InputError(f"{text[:60]!r} is no short lambda")
    names = [one.arg for one in node.args.args]
    if len(names) != len(tile):
        raise InputError(f"a lambda of {len(names)} indices on a tile of {len(tile)} dimensions")
    known = dict(zip(names, np.indices(tile, dtype=np.int64), strict=True))
    parts = node.body.elts if isinstance(node.body, ast.Tuple | ast.List) else [node.body]
    values = [np.broadcast_to(_value(part, known), tile) for part in parts]
    table = np.zeros(tile, np.int64)
    for value in values:
        if value.min() < 0 or value.max() >= 1 << 24:
            raise InputError(f"{text[:60]!r} leaves 0 to {1 << 24}")
        table = table * (int(value.max()) + 1) + value
        limit("what the lambda reaches", int(table.max()) + 1)
    return MemoryTable(table, int(table.max()) + 1)


def _value(node: ast.expr, known: Mapping[str, IntArray]) -> Any:
    match node:
        case ast.Constant(value=int(number)) if 0 <= number < 1 << 24:
            return np.int64(number)
        case ast.Name(id=name) if name in known:
            return known[name]
        case ast.BinOp(op=sign, left=left, right=right) if type(sign) in _OPERATORS:
            a, b = _value(left, known), _value(right, known)
            if isinstance(sign, ast.FloorDiv | ast.Mod) and not np.all(b):
                raise InputError("a lambda that divides by zero")
            found = _OPERATORS[type(sign)](a, b)
            if np.abs(found).max() >= 1 << 31:
                raise InputError("a lambda whose numbers leave 31 bits")
            return found
    raise InputError(f"{ast.unparse(node)[:60]!r} is not read in a lambda")


def _others(text: str, shape: Shape, plans: Iterable[Memory]) -> Iterator[str]:
    """TileLang's own layouts, then lambdas, each where the text has its layout: of an allocation,
    as an annotation below it."""
    alone, named = _ALLOCATED.fullmatch(text), _NAME.search(text)
    name = (alone and alone["name"]) or (named and named["name"]) or "A_shared"
    before, after = text, ""
    if alone is not None:
        whole = ", ".join(map(str, sizes(shape)))
        sized = text[: alone.start("shape")] + whole + text[alone.end("shape") :].rstrip()
        before, after = f"{sized}\nT.annotate_layout({{{name}: ", "})"
    elif (term := _TERM.search(text)) is not None:
        before, inside = text[: term.start()], text[term.end() :]
        after = inside[len(_own(inside)) + 1 :]
    for kind in ("swizzled", *_BLOCKS):
        yield f"{before}tilelang.layout.make_{kind}_layout({name}){after}"
    for plan in plans:
        if said := said_as_lambda(plan):
            yield before + said + after


_PROVISO = (
    "TMA, wgmma and tcgen05 know a swizzle by make_*_swizzled_layout alone: a lambda is for tiles "
    "that they do not touch"
)
"""Source: ``DetectSwizzleMode`` of src/layout/gemm_layouts.cc compares with these layouts."""
TILELANG = Language(
    "tilelang",
    _SIGN,
    _read,
    others=_others,
    proviso=_PROVISO,
    example='T.alloc_shared((64, 72), "float16")',
)
"""No framework of its own: of what bankwise answers a ``T.Layout`` says every formula."""
