"""What the data of a Triton kernel must be for its text to compile: yes or no, or of 32 bits.

Masks, ``and``, ``or`` and ``not`` take yes or no alone (of other types Triton says "cannot
bitcast", or that a mask is no 1-bit integer), ``tl.exp`` and its like f32 alone ("Expected dtype
['fp32', 'fp64'] but got fp16"; triton 3.9, ``language/math.py``).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from bankwise.read.triton_whole import Base, made_of, named

_F32 = (
    *("exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "sqrt_rn", "rsqrt", "erf", "sigmoid"),
    *("softmax", "div_rn"),
)
_BOTH = (ast.BitAnd, ast.BitOr)
_MASKED = ("load", "store")
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div)
_CHOOSING = ("where", "maximum", "minimum")

Made = Mapping[str, Sequence[ast.expr]]


def yes_or_no(function: ast.FunctionDef, base: Base) -> tuple[set[str], set[str]]:
    """Pointers to yes or no, and names that are it."""
    made = made_of(function)
    waiting, pointers, seen = list(_asked(function, made)), set[str](), set[str]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Subscript):
            waiting.append(node.value)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _BOTH):
            waiting += [node.left, node.right]
        elif isinstance(node, ast.IfExp):
            waiting += [node.body, node.orelse]
        elif isinstance(node, ast.Name) and node.id not in seen:
            seen.add(node.id)
            waiting += made.get(node.id, ())
        elif isinstance(node, ast.Call) and named(node.func) == "load" and node.args:
            pointers.add(base(node.args[0]))
    return pointers - {""}, seen


def _asked(function: ast.FunctionDef, made: Made) -> Iterator[ast.expr]:
    """What stands beside a comparison, in a mask, or under ``not``."""
    for node in ast.walk(function):
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield node.operand
        elif isinstance(node, ast.BoolOp):
            yield from node.values
        elif isinstance(node, ast.BinOp) and isinstance(node.op, _BOTH):
            if any(_compares(one, made) for one in (node.left, node.right)):
                yield node
        elif isinstance(node, ast.Call) and named(node.func) in _MASKED:
            yield from (k.value for k in node.keywords if k.arg == "mask")


def _compares(node: ast.expr, made: Made) -> bool:
    """Whether something is yes or no as the text makes it."""
    waiting, seen = [node], set[str]()
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Compare | ast.BoolOp):
            return True
        if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not):
            return True
        if isinstance(one, ast.Subscript):
            waiting.append(one.value)
        elif isinstance(one, ast.BinOp) and isinstance(one.op, _BOTH):
            waiting += [one.left, one.right]
        elif isinstance(one, ast.Name) and one.id not in seen:
            seen.add(one.id)
            waiting += made.get(one.id, ())
    return False


def of_32_bits(function: ast.FunctionDef, base: Base) -> set[str]:
    """Pointers of whose data alone the argument of ``tl.exp`` or its like is made."""
    made = made_of(function)
    found = set[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and named(node.func) in _F32:
            for argument in node.args[:1]:
                found |= _loaded(argument, made, base)
    return found - {""}


def _loaded(node: ast.expr, made: Made, base: Base) -> set[str]:
    """The pointers that a value is made of by sums and products; none where something else takes
    part, which may be of 32 bits already."""
    waiting, found, seen = [node], set[str](), set[str]()
    while waiting:
        match waiting.pop():
            case ast.Name(id=name):
                waiting += made.get(name, ()) if name not in seen else ()
                seen.add(name)
            case ast.BinOp(left=left, op=op, right=right) if isinstance(op, _ARITHMETIC):
                waiting += [left, right]
            case ast.UnaryOp(operand=value) | ast.Subscript(value=value):
                waiting.append(value)
            case ast.Call(func=ast.Attribute(value=block, attr="load"), args=[ast.List(), *_]):
                found.add(base(block))
            case ast.Call(func=func, args=[pointer, *_]) if named(func) == "load":
                found.add(base(pointer))
            case ast.Call(func=func, args=args) if named(func) in _CHOOSING:
                waiting += args[named(func) == "where" :]
            case ast.Constant():
                pass
            case _:
                return set()
    return found
