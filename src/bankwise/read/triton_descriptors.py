"""Arguments of a Triton kernel that are tensor descriptors: how much of a tensor each one moves.

The host makes them, so the kernel's text tells the offsets alone: one per axis. A block is as long
as what its offset counts in (``pid * BLOCK_M``, or the step of a loop).
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence

from bankwise.read.triton_whole import LOOPS, made_of, named

_METHODS = ("load", "store", "atomic_add", "atomic_max", "atomic_min")
_FUNCTIONS = ("load_tensor_descriptor", "store_tensor_descriptor")
_USUAL = 64
_COUNTS = (ast.Mult, ast.Add)


def descriptors(
    function: ast.FunctionDef, names: Collection[str], values: Mapping[str, object]
) -> dict[str, tuple[int, ...]]:
    """The block of each descriptor among ``names``; ``values``: of the constants."""
    steps = _steps(function)
    found = dict[str, tuple[int, ...]]()
    for node in ast.walk(function):
        name, offsets = _moved(node)
        if name in names and offsets and name not in found:
            plain = [_extent(one, steps, values) for one in offsets]
            found[name] = (*(n or 1 for n in plain[:-1]), plain[-1] or _USUAL)
    return found


def _moved(node: ast.AST) -> tuple[str, Sequence[ast.expr]]:
    """The descriptor of ``d.load([m, k])`` and of its like, and its offsets."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr=method),
            args=[ast.List(elts=offsets) | ast.Tuple(elts=offsets), *_],
        ) if method in _METHODS:
            return name, offsets
        case ast.Call(func=func, args=[ast.Name(id=name), ast.List(elts=offsets), *_]) if (
            named(func) in _FUNCTIONS
        ):
            return name, offsets
    return "", ()


def _steps(function: ast.FunctionDef) -> Mapping[str, Sequence[ast.expr]]:
    """What each name is made of; of a loop's variable that is a product with its step."""
    found = {name: [*every] for name, every in made_of(function).items()}
    for node in ast.walk(function):
        match node:
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=func, args=[_, _, step])) if (
                named(func) in LOOPS
            ):
                found.setdefault(name, []).append(ast.BinOp(ast.Constant(1), ast.Mult(), step))
    return found


def _extent(
    node: ast.expr, made: Mapping[str, Sequence[ast.expr]], values: Mapping[str, object]
) -> int:
    """The first constant that an offset is a multiple of, or grows by; 0 if there is none."""
    waiting, seen = [node], set[str]()
    while waiting:
        for one in ast.walk(waiting.pop(0)):
            if isinstance(one, ast.BinOp) and isinstance(one.op, _COUNTS):
                for factor in (one.right, one.left):
                    value = values.get(factor.id) if isinstance(factor, ast.Name) else None
                    if isinstance(value, int) and value > 1:
                        return value
            elif isinstance(one, ast.Name) and one.id not in seen:
                seen.add(one.id)
                waiting += made.get(one.id, ())
    return 0
