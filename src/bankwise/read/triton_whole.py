"""Which pointers of a Triton kernel must be to whole numbers: their data say where, or how often.

What stands beside a pointer in its address, what a loop runs to and what is shifted, masked bit by
bit or divided without a rest is a whole number. So is what those were made of by sums, products and
the like; where that is loaded, the pointer is found.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

_INTEGER = re.compile(r"u?int(8|16|32|64)$")
LOOPS = ("range", "static_range")
_TAKES = (ast.FloorDiv, ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)
"""What takes whole numbers alone, or yes and no."""
_KEEPS = (ast.Add, ast.Sub, ast.Mult, ast.Mod, *_TAKES)
"""What makes a whole number of whole numbers; others may round."""
_CHOOSES = ("where",)
_OF_BOTH = ("minimum", "maximum", "cdiv", "min", "max")
_RANDOM = ("rand", "randn", "randint", "rand4x", "randint4x", "philox")
_SAME = ("to", "cast", "broadcast_to", "expand_dims", "reshape")

Base = Callable[[ast.expr], str]
"""The name of the pointer that an address begins with."""


def to_whole(
    function: ast.FunctionDef,
    addresses: Sequence[ast.expr],
    base: Base,
    handed: Iterable[ast.expr] = (),
) -> tuple[set[str], set[str]]:
    """Pointers to whole numbers, and names that are such; ``addresses``: what loads, stores and
    atomics take; ``handed``: what other functions take as whole."""
    made = made_of(function)
    waiting = [*_loop_ends(function), *_beside(addresses, made), *_taken_whole(function), *handed]
    found, seen = {base(node.args[0]) for node in _counting(function)}, set[str]()
    while waiting:
        for part in _parts(waiting.pop()):
            if isinstance(part, ast.Name) and part.id not in seen:
                seen.add(part.id)
                waiting += made.get(part.id, ())
            elif isinstance(part, ast.Call) and part.args:
                found.add(base(part.args[0]))
    return found - {""}, seen


def _taken_whole(function: ast.FunctionDef) -> Iterator[ast.expr]:
    """What is shifted and its like, seeds, and what stands for a number that the text says: both
    sides of ``x if n > 0 else 0`` have one type."""
    constants = {a.arg for a in function.args.args if a.annotation}
    for node in ast.walk(function):
        match node:
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _TAKES):
                yield from (left, right)
            case ast.Call(func=func, args=args) if named(func) in _RANDOM:
                yield from args[:2]
            case ast.IfExp(test=ast.Compare(left=left), body=body, orelse=ast.Constant(int())):
                asked = {one.id for one in ast.walk(left) if isinstance(one, ast.Name)}
                yield from [body] if asked - constants else []


def _counting(function: ast.FunctionDef) -> Iterator[ast.Call]:
    """Atomics that add a whole number which the text says, or an array of some."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and named(node.func).startswith("atomic_"):
            for added in node.args[1:2]:
                plain = isinstance(added, ast.Constant) and isinstance(added.value, int)
                if plain or any(_INTEGER.match(named(one)) for one in _expressions(added)):
                    yield node


def _expressions(node: ast.expr) -> Iterator[ast.expr]:
    return (one for one in ast.walk(node) if isinstance(one, ast.expr))


def made_of(function: ast.FunctionDef) -> Mapping[str, Sequence[ast.expr]]:
    """What each name is made of, wherever it is."""
    found = defaultdict[str, list[ast.expr]](list)
    for node in ast.walk(function):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            grown = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
            found[node.target.id].append(grown)
        elif isinstance(node, ast.Assign):
            for name, value in assigned(node.targets[0], node.value):
                found[name].append(value)
    return found


def assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that an assignment makes, and of what, also in tuples."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, part in zip(target.elts, value.elts, strict=False):
            yield from assigned(one, part)


def _loop_ends(function: ast.FunctionDef) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        match node:
            case ast.For(iter=ast.Call(func=func, args=args)) if named(func) in LOOPS:
                yield from args


def _beside(
    addresses: Sequence[ast.expr], made: Mapping[str, Sequence[ast.expr]]
) -> Iterator[ast.expr]:
    """All that is added to pointers, on the way through assignments."""
    waiting, seen = list(addresses), set[str]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            yield node.right
            waiting.append(node.left)
        elif isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            waiting += [value for value in made.get(node.id, ()) if _leftmost(value)]


def _leftmost(node: ast.expr) -> bool:
    """Whether a sum begins with a name: a pointer may be behind it."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        node = node.left
    return isinstance(node, ast.Name)


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Names that a whole number is made of, and loads."""
    match node:
        case ast.Name():
            yield node
        case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _KEEPS):
            yield from _parts(left)
            yield from _parts(right)
        case ast.Subscript(value=value):
            yield from _parts(value)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _parts(body)
            yield from _parts(orelse)
        case ast.Call(func=func, args=args):
            yield from _of_call(node, named(func), args)


def _of_call(node: ast.Call, name: str, args: Sequence[ast.expr]) -> Iterator[ast.expr]:
    if name == "load" or name.startswith("atomic_"):
        yield node
        return
    inside = node.func.value if isinstance(node.func, ast.Attribute) else None
    method = inside is not None and not (isinstance(inside, ast.Name) and inside.id == "tl")
    if name in _SAME and (method or args):
        yield from _parts(inside if method and inside is not None else args[0])
    elif name in (*_CHOOSES, *_OF_BOTH):
        for one in args[name in _CHOOSES :]:
            yield from _parts(one)


def named(node: ast.expr) -> str:
    """``load`` of ``tl.load`` and of ``load``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
