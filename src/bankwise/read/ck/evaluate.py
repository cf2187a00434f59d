"""C++ that is evaluated while it compiles: constants, types, templates and ``constexpr`` functions.

Only what CK's policies are written in. What a header leaves open (``Problem::kBlockSize``) is asked
of the user's answers; without one it stays open, and so does all that needs it
(:class:`bankwise.read.ck.values.Unsaid`). Types and values are not told apart: ``number<8>`` and
``number<8>{}`` are both 8.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.read.ck.structure import inner, parameters_of
from bankwise.read.ck.values import (
    Anything,
    CxxBinding,
    CxxFrame,
    Later,
    SaidNames,
    Structure,
    Unsaid,
    unsaid,
)
from bankwise.read.cxx.tree import CxxSource, Node

_DEPTH = 100
VARIABLES = ("declaration", "field_declaration")
_WORK = 200_000
"""Nodes that are evaluated for one header."""


Handler = Callable[["HeaderEvaluation", Node, CxxFrame], Anything]


class HeaderEvaluation(Struct):
    """One reading of a header. ``handlers``: who evaluates which kind of node; ``work``: what is
    left of it; ``depth``: of the nodes that are open; ``returned``: the last ``return``
    and what is bound there."""

    source: CxxSource
    said: SaidNames
    whole: CxxFrame
    handlers: Mapping[str, Handler]
    work: int = _WORK
    depth: int = 0
    returned: tuple[Node, CxxFrame] | None = None

    def value(self, node: Node, frame: CxxFrame) -> Anything:
        """What an expression or a type means; raises :class:`InputError` at what is not read."""
        self.work -= 1
        if self.work < 0 or self.depth > _DEPTH:
            raise self.error(node, "this takes too long to evaluate: does it call itself?")
        handler = self.handlers.get(node.type)
        if handler is None:
            raise self.error(node, f"{self.source.of(node)[:60]!r} is not read")
        self.depth += 1
        try:
            return handler(self, node, frame)
        except InputError as error:
            if error.location is not None and error.location.line:
                raise
            raise self.error(node, error.message, error.hint) from error
        finally:
            self.depth -= 1

    def error(self, node: Node, message: str, hint: str = "") -> InputError:
        """At a place of the header."""
        return InputError(message, location=self.source.place(node.start_byte), hint=hint)

    def settled(self, value: Anything) -> Anything:
        """A value, or what the user says of what is left open."""
        if isinstance(value, Unsaid) and value.path:
            found = self.said.find(value.path)
            return value if found is None else found
        return value

    def number(self, node: Node, frame: CxxFrame) -> int | Unsaid:
        """A whole number, or open."""
        found = self.value(node, frame)
        if isinstance(found, Unsaid):
            return replace(found, path="")
        if not isinstance(found, int):
            raise self.error(node, f"{self.source.of(node)!r} is no number")
        return found

    def look(self, name: str, frame: CxxFrame | None) -> Anything | None:
        """What a name means here; None for one that nobody declares."""
        while frame is not None:
            if name in frame.names:
                found = frame.names[name]
                return self._now(frame, name, found) if isinstance(found, Later) else found
            if frame.owner is not None:
                member = self.member(frame.owner, name, frame)
                if member is not None:
                    return member
            frame = frame.outer
        return None

    def _now(self, frame: CxxFrame, name: str, late: Later) -> Anything:
        """The value of a name that is looked at for the first time; inside it, it is open."""
        frame.names[name] = unsaid(name)
        try:
            frame.names[name] = self.later(late)
        except InputError:
            frame.names[name] = late
            raise
        return frame.names[name]

    def later(self, late: Later) -> Anything:
        """The value of an initialiser, called by the name that it gets where it is open."""
        found = self.value(late.node, late.frame)
        if isinstance(found, Unsaid) and (not found.path or set("(<") & set(found.path)):
            calls = bool(found.path)
            return self.settled(unsaid(late.name)) if calls else found
        return found

    def member(self, owner: Structure, name: str, frame: CxxFrame) -> Anything | None:
        """A member of a structure whose parameters ``frame`` binds, or of what it derives from."""
        for declared in owner.members.get(name, ()):
            found = self._declared(owner, declared, name, frame)
            if found is not None:
                return found
        around = CxxFrame(frame.names, None, frame.outer)
        for base in owner.bases:
            below = self.value(base, around)
            if isinstance(below, CxxBinding) and below.owner is not None and not below.node:
                found = self.member(below.owner, name, below.frame)
                if found is not None:
                    return found
        return None

    def _declared(
        self, owner: Structure, declared: Node, name: str, frame: CxxFrame
    ) -> Anything | None:
        node = inner(declared)
        if node.type == "function_definition":
            return CxxBinding(frame, owner, node, parameters_of(declared))
        if node.type == "alias_declaration":
            if parameters_of(declared) is not None:
                return CxxBinding(frame, owner, node, parameters_of(declared))
            return self.later(Later(node.child_by_field_name("type"), frame, name))
        if node.type in VARIABLES and parameters_of(declared) is not None:
            return CxxBinding(frame, owner, node, parameters_of(declared))
        one = next((s for s in owner.inside if s.name == name), None)
        if one is not None:
            return CxxBinding(frame, one, None, one.template)
        initial = initial_of(self.source, node, name)
        return None if initial is None else self.later(Later(initial, frame, name))


def initial_of(source: CxxSource, node: Node, name: str) -> Node | None:
    """How a variable is initialised."""
    values = list(node.children_by_field_name("default_value"))
    for place, one in enumerate(node.children_by_field_name("declarator")):
        inside = one.child_by_field_name("declarator") if one.type == "init_declarator" else one
        if source.of(inside) == name:
            if one.type == "init_declarator":
                return one.child_by_field_name("value")
            return values[place] if place < len(values) else None
    return None
