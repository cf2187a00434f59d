"""What both languages of CuTe say, without their syntax: names that stand for calls of calls.

    composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>, Stride<_64,_1>>{})          C++
    cute.make_composed_layout(cute.make_swizzle(3,3,3), 0, cute.make_layout(..))    Python

A term is a head with template arguments and arguments, and knows its bytes: what is answered
replaces one of them. A definition gives a name to a term, in the scope of a struct or a function.
"""

from __future__ import annotations

from typing import Literal

from bankwise.errors import Location
from bankwise.identity import ByIdentity
from bankwise.read.cxx.tree import ByteSpan

Dialect = Literal["CuTe C++", "CuTe DSL"]
Scope = tuple[str, ...]


class CuteTerm(ByIdentity, frozen=True, eq=False):
    """A head applied to something. ``arguments``: None for a type or a name, () for ``T{}``.

    ``head``: a name, the digits of a number, an operator, ``.name`` for a member of the first
    argument, or "" for what is not read.
    """

    head: str
    span: ByteSpan
    types: tuple[CuteTerm, ...] = ()
    arguments: tuple[CuteTerm, ...] | None = None


class CuteDefinition(ByIdentity, frozen=True, eq=False):
    """A name for a term. ``term``: None for a parameter that nothing is said of.

    ``parameter``: it is one of a template or of a function, ``place`` its number there; ``type``:
    a type, whose text a value cannot replace. ``declared``: the type that a function's parameter
    is declared with.
    """

    name: str
    scope: Scope
    term: CuteTerm | None
    start: int
    type: bool = False
    parameter: Literal["", "template", "function"] = ""
    place: int = 0
    declared: str = ""


class CuteText(ByIdentity, frozen=True, eq=False):
    """A file: its definitions in order, and the calls that stand in its functions."""

    file: str
    text: str
    dialect: Dialect
    definitions: tuple[CuteDefinition, ...]
    calls: tuple[tuple[Scope, CuteTerm], ...]
    data: bytes = b""

    def of(self, span: ByteSpan) -> str:
        """The text of a span."""
        return self.data[span.start : span.stop].decode()

    def place(self, byte: int) -> Location:
        """Line and column of a byte, from 1."""
        begin = self.data.rfind(b"\n", 0, byte) + 1
        column = len(self.data[begin:byte].decode(errors="replace")) + 1
        return Location(self.file, self.data.count(b"\n", 0, byte) + 1, column)
