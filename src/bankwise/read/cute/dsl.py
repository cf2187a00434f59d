"""CuTe DSL: Python kernels read from their syntax tree, never imported or run.

``cute.make_layout((64, 64), stride=(64, 1))`` becomes the term that C++ has for it: names of
modules are dropped, keywords stand behind the other arguments, tuples are shapes. What is assigned
to ``self`` belongs to the class. A name that is assigned two values has none here.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator

from bankwise.errors import InputError, Location
from bankwise.read.cute.terms import CuteDefinition, CuteTerm, CuteText, Scope
from bankwise.read.cxx.tree import ByteSpan

_MODULES = frozenset(("cute", "cutlass", "utils", "nvgpu", "warp", "cpasync", "pipeline", "arch"))
_SIGNS = {
    "+": ast.Add,
    "-": ast.Sub,
    "*": ast.Mult,
    "/": ast.Div,
    "//": ast.FloorDiv,
    "%": ast.Mod,
    "<<": ast.LShift,
    ">>": ast.RShift,
    "&": ast.BitAnd,
    "|": ast.BitOr,
    "==": ast.Eq,
    "!=": ast.NotEq,
    "<": ast.Lt,
    ">": ast.Gt,
    "<=": ast.LtE,
    ">=": ast.GtE,
    "!": ast.Not,
}
_OPERATORS: dict[type[ast.AST], str] = {kind: sign for sign, kind in _SIGNS.items()}
_OPERATORS |= {ast.USub: "-", ast.Is: "==", ast.IsNot: "!="}


def read_dsl(text: str, file: str) -> CuteText:
    """The definitions and calls of a Python source. Raises :class:`InputError` for no Python."""
    try:
        with warnings.catch_warnings(action="ignore"):
            tree = ast.parse(text)
        reader = _DslReader(text)
        found = tuple(reader.below(tree, ()))
    except SyntaxError as error:
        place = Location(file, error.lineno or 0)
        raise InputError(f"this is no Python: {error.msg}", location=place) from error
    except (RecursionError, ValueError, MemoryError) as error:
        raise InputError(f"this is no Python: {error}", location=Location(file)) from error
    definitions = tuple(one for one in found if isinstance(one, CuteDefinition))
    calls = tuple(one for one in found if not isinstance(one, CuteDefinition))
    return CuteText(file, text, "CuTe DSL", definitions, calls, text.encode())


Found = CuteDefinition | tuple[Scope, CuteTerm]


class _DslReader:
    """Terms of one text: places of Python's tree are lines and bytes of a line."""

    def __init__(self, text: str) -> None:
        self.starts = [0]
        for line in text.encode().splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def span(self, node: ast.AST) -> ByteSpan:
        """The bytes of an expression."""
        line, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or 1
        first, last = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None) or 0
        return ByteSpan(self.starts[line - 1] + first, self.starts[end - 1] + last)

    def below(self, node: ast.AST, scope: Scope) -> Iterator[Found]:
        """What a statement and all below it define and call."""
        match node:
            case ast.ClassDef(name=name):
                scope = (*scope, name)
            case ast.FunctionDef(name=name, args=arguments):
                scope = (*scope, name)
                yield from self._parameters(arguments, scope)
            case ast.Assign(targets=[target], value=value):
                yield from self._assigned(target, self.term(value), scope)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from self._assigned(target, self.term(value), scope)
            case ast.AugAssign(target=target):
                yield from self._assigned(target, CuteTerm("", self.span(node)), scope)
            case ast.For(target=target):
                yield from self._assigned(target, CuteTerm("", self.span(node)), scope)
            case ast.Call():
                yield scope, self.term(node)
        for child in ast.iter_child_nodes(node):
            yield from self.below(child, scope)

    def _parameters(self, arguments: ast.arguments, scope: Scope) -> Iterator[CuteDefinition]:
        listed = [*arguments.posonlyargs, *arguments.args]
        defaults = [None] * (len(listed) - len(arguments.defaults)) + list(arguments.defaults)
        for place, (one, default) in enumerate(zip(listed, defaults, strict=True)):
            said = None if default is None else self.term(default)
            at = one.arg, scope, said, self.span(one).start
            yield CuteDefinition(*at, parameter="function", place=place)

    def _assigned(self, target: ast.AST, value: CuteTerm, scope: Scope) -> Iterator[CuteDefinition]:
        match target:
            case ast.Name(id=name):
                yield CuteDefinition(name, scope, value, self.span(target).start)
            case ast.Attribute(value=ast.Name(id="self"), attr=name):
                outer = scope[:-1] if len(scope) > 1 else scope
                yield CuteDefinition(f"self.{name}", outer, value, self.span(target).start)
            case ast.Tuple(elts=parts):
                for number, part in enumerate(parts):
                    index = CuteTerm(str(number), value.span)
                    one = CuteTerm("get", ByteSpan(-1, -1), (index,), (value,))
                    yield from self._assigned(part, one, scope)

    def term(self, node: ast.AST) -> CuteTerm:
        """An expression as a term; one with an empty head where it is not read."""
        at = self.span(node)
        match node:
            case ast.Constant(value=bool(value)):
                return CuteTerm("true" if value else "false", at)
            case ast.Constant(value=int(value)):
                return CuteTerm(str(value), at)
            case ast.Constant(value=None):
                return CuteTerm("None", at)
            case ast.Name(id=name):
                return CuteTerm(name, at)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                return CuteTerm("make_shape", at, (), self.terms(parts))
            case ast.Attribute(value=owner, attr=name):
                return self._attribute(at, owner, name)
            case ast.Subscript(value=owner, slice=ast.Constant(value=int()) as index):
                return CuteTerm("get", at, (self.term(index),), (self.term(owner),))
            case ast.Subscript(value=owner):
                return CuteTerm("()", at, (), (self.term(owner),))
            case ast.IfExp(test=test, body=body, orelse=other):
                return CuteTerm("?:", at, (), self.terms([test, body, other]))
            case ast.BinOp(left=left, op=op, right=right):
                return CuteTerm(_OPERATORS.get(type(op), ""), at, (), self.terms([left, right]))
            case ast.UnaryOp(op=op, operand=operand):
                return CuteTerm(_OPERATORS.get(type(op), ""), at, (), self.terms([operand]))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return CuteTerm(_OPERATORS.get(type(op), ""), at, (), self.terms([left, right]))
            case ast.Call(func=called, args=given, keywords=named):
                return self._call(at, called, [*given, *(one.value for one in named)])
        return CuteTerm("", at)

    def _attribute(self, at: ByteSpan, owner: ast.expr, name: str) -> CuteTerm:
        if isinstance(owner, ast.Name) and owner.id == "self":
            return CuteTerm(f"self.{name}", at)
        if _is_module(owner):
            return CuteTerm(name, at)
        return CuteTerm(f".{name}", at, (), (self.term(owner),))

    def _call(self, at: ByteSpan, called: ast.expr, given: list[ast.expr]) -> CuteTerm:
        listed = self.terms(given)
        if isinstance(called, ast.Attribute) and not _is_module(called.value):
            return CuteTerm(f".{called.attr}", at, (), (self.term(called.value), *listed))
        name = called.attr if isinstance(called, ast.Attribute) else ""
        return CuteTerm(called.id if isinstance(called, ast.Name) else name, at, (), listed)

    def terms(self, nodes: list[ast.expr]) -> tuple[CuteTerm, ...]:
        """Several terms."""
        return tuple(self.term(one) for one in nodes)


def _is_module(node: ast.AST) -> bool:
    """``cute``, ``cute.nvgpu.warp``: no value."""
    while isinstance(node, ast.Attribute):
        if node.attr not in _MODULES:
            return False
        node = node.value
    return isinstance(node, ast.Name) and node.id in _MODULES
