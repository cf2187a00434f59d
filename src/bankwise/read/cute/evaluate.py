"""What terms of CuTe are worth: integers, shapes, layouts, atoms, copies, tensors of shared memory.

Names are looked up outwards from where they stand; of a parameter of a function, at its call. What
nobody says (a parameter of a template) is asked for by name: :class:`OpenNameError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from bankwise.errors import InputError
from bankwise.identity import ByIdentity
from bankwise.notation.cute.copies import MmaAtom, TiledMma
from bankwise.notation.cute.strided import StridedLayout
from bankwise.notation.cute.swizzle import ComposedLayout, CuteLayout
from bankwise.read.cute.terms import CuteDefinition, CuteTerm, CuteText, Scope
from bankwise.read.cxx.tree import ByteSpan

Value = Any
"""int, tuple, StridedLayout, ComposedLayout, Swizzle, TypeName, CopyAtom, TiledCopy, TiledMma,
SharedTensor, Slice."""

_MOST_DEPTH = 120
_MOST_ELEMENTS, _MOST_NUMBER = 1 << 22, 1 << 40


class OpenNameError(Exception):
    """A name that nobody gives a value."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class UnreadError(Exception):
    """A term that is not read: what it is, and where."""

    def __init__(self, what: str, term: CuteTerm) -> None:
        super().__init__(what)
        self.what, self.term = what, term


class TypeName(Struct, frozen=True):
    """A type that is no layout, with its template arguments as values."""

    name: str
    arguments: tuple[Value, ...] = ()


class SharedTensor(Struct, frozen=True):
    """``make_tensor(make_smem_ptr(p), layout)``; ``term``: of the layout. ``bits``: of an element,
    0 where nobody says them; ``pointer``: what it begins at, as it is written, with its scope."""

    layout: CuteLayout
    term: CuteTerm
    scope: Scope
    bits: int = 0
    pointer: tuple[Scope, str] = ((), "")


class Slice(ByIdentity, frozen=True, eq=False):
    """What ``get_slice`` takes of a tiled copy or MMA."""

    of: Value


Form = Callable[["CuteEvaluation", CuteTerm, Scope], Value]


class CuteEvaluation(Struct, eq=False):
    """The values of one text. ``given``: of names, by the user; ``instead``: values of terms by
    where they begin, with which an answer is tried; ``forms``: what is known of heads."""

    text: CuteText
    given: Mapping[str, int]
    forms: Mapping[str, Form]
    instead: Mapping[tuple[int, int], Value] = field(default_factory=dict)
    bound: dict[tuple[Scope, str], tuple[CuteTerm, Scope]] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)
    wanted: set[str] = field(default_factory=set)
    used: set[tuple[int, int]] = field(default_factory=set)
    depth: int = 0

    def value(self, term: CuteTerm, scope: Scope) -> Value:
        """The value of a term. Raises OpenNameError, UnreadError, and InputError of the algebra."""
        key = (term.span.start, term.span.stop)
        self.used.add(key)
        if key in self.instead and term.head:
            return self.instead[key]
        self.depth += 1
        try:
            if self.depth > _MOST_DEPTH:
                raise UnreadError("a definition that leads back to itself", term)
            return self._value(term, scope)
        finally:
            self.depth -= 1

    def _value(self, term: CuteTerm, scope: Scope) -> Value:
        head = term.head
        if not head:
            raise UnreadError("this is not read", term)
        if head[0].isdigit():
            return _number(term)
        found = None if term.types else self.definition(head, scope)
        if found is not None:
            value = self.defined(*found)
            return _called(value, term)
        if not term.types and head in self.given:
            return self.given[head]
        form = self.forms.get(head)
        if form is not None:
            return self._formed(form, term, scope)
        if head.startswith("_") and head[1:].isdigit():
            return int(head[1:])
        if "::" in head or head == "::":
            return self._member(term, scope)
        if term.arguments:
            raise UnreadError(f"{head.removeprefix('.')}(..) is not read", term)
        if head.startswith("."):
            raise UnreadError(f"{head[1:]}(..) is not read", term)
        if term.types or not self._is_open(head):
            return TypeName(head, self.all(term.types, scope, softly=True))
        raise OpenNameError(head)

    def _formed(self, form: Form, term: CuteTerm, scope: Scope) -> Value:
        """What a form makes of a term. What it has too few or other arguments for is not read."""
        try:
            value = form(self, term, scope)
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError) as error:
            raise UnreadError("these arguments are not read", term) from error
        where = value.layout if isinstance(value, ComposedLayout) else value
        large = isinstance(where, StridedLayout) and max(where.size, where.cosize) > _MOST_ELEMENTS
        if large or (isinstance(where, int) and abs(where) > _MOST_NUMBER):
            raise UnreadError("larger than any shared memory", term)
        return value

    def all(
        self, terms: tuple[CuteTerm, ...], scope: Scope, *, softly: bool = False
    ) -> tuple[Value, ...]:
        """The values of several terms; ``softly``: what has none is its name."""
        if not softly:
            return tuple(self.value(one, scope) for one in terms)
        return tuple(self.softly(one, scope) for one in terms)

    def softly(self, term: CuteTerm, scope: Scope) -> Value:
        """The value of a term, or its name where it has none."""
        try:
            return self.value(term, scope)
        except (OpenNameError, UnreadError, InputError):
            return TypeName(term.head)

    def definition(self, name: str, scope: Scope) -> tuple[CuteDefinition, Scope] | None:
        """What a name means at a scope: what the innermost scope says that says it once. Raises
        UnreadError where it says several things."""
        for length in range(len(scope), -1, -1):
            here = scope[:length]
            found = [d for d in self.text.definitions if d.name == name and d.scope == here]
            said = {self._said(one) for one in found}
            if len(said) > 1 and name not in self.given:
                what = f"{name} is defined more than once: --dim {name}=.. says it"
                raise UnreadError(what, found[1].term or CuteTerm("", ByteSpan(0, 0)))
            if found:
                return found[0], here
        return None

    def _said(self, one: CuteDefinition) -> object:
        """Equal for definitions that say the same."""
        return "" if one.term is None else " ".join(self.text.of(one.term.span).split())

    def defined(self, one: CuteDefinition, scope: Scope) -> Value:
        """The value of a definition."""
        if (one.scope, one.name) not in self.bound and one.name in self.given:
            return self.given[one.name]
        return self.value(*self.said(one, scope))

    def said(self, one: CuteDefinition, scope: Scope) -> tuple[CuteTerm, Scope]:
        """The term that a definition stands for, and where that is to be read: of a parameter, at
        the first call. Raises OpenNameError where nobody says it."""
        bound = self.bound.get((one.scope, one.name))
        if bound is not None:
            return bound
        if one.parameter == "function":
            return self._argument(one)
        if one.term is not None:
            return one.term, scope
        for other in self.text.definitions:
            plain = "*" not in other.declared and other.declared.split()[:1] == [one.name]
            if other.scope == one.scope and plain:
                return self._argument(other)
        raise OpenNameError(one.name)

    def _argument(self, one: CuteDefinition) -> tuple[CuteTerm, Scope]:
        function = one.scope[-1]
        names = {function, f".{function}"} | {
            d.name for d in self.text.definitions if d.term is not None and d.term.head == function
        }
        for scope, call in self.text.calls:
            given = call.arguments or ()
            if call.head in names and scope != one.scope and len(given) > one.place:
                return given[one.place], scope
        declared = one.declared.replace("const", "").replace("&", "").strip()
        type_ = self.definition(declared, one.scope)
        if type_ is not None and type_[0].term is not None:
            return type_[0].term, type_[1]
        if one.term is not None:
            return one.term, one.scope
        raise OpenNameError(one.name)

    def _member(self, term: CuteTerm, scope: Scope) -> Value:
        """``Traits<64>::Layout`` and ``Base::Layout``, where the file has that struct."""
        if term.head == "::":
            owner, inner = term.types
            owner_scope = scope
        else:
            front, _, name = term.head.rpartition("::")
            owner = CuteTerm(front, term.span)
            inner = CuteTerm(name, term.span, term.types, term.arguments)
            owner_scope = scope
        known = self.definition(owner.head, scope)
        if known is not None and known[0].term is not None:
            owner, owner_scope = known[0].term, known[1]
        inside = (owner.head,)
        if not any(one.scope == inside for one in self.text.definitions):
            form = self.forms.get(inner.head)
            if form is not None:
                return self._formed(form, inner, scope)
            if term.arguments:
                raise UnreadError(f"{term.head} is not read", term)
            raise OpenNameError(term.head)
        before = dict(self.bound)
        for one in self.text.definitions:
            if one.scope == inside and one.parameter == "template" and one.place < len(owner.types):
                self.bound[inside, one.name] = owner.types[one.place], owner_scope
        try:
            return self.value(inner, inside)
        finally:
            self.bound = before

    def _is_open(self, name: str) -> bool:
        """Whether a bare name is a constant that nobody defines, and no type of a library."""
        return not name[:1].isupper() and not name.endswith("_t") and name not in _TYPES


_TYPES = frozenset("float double int char bool half uint8_t auto void unsigned".split())  # noqa: SIM905


def _number(term: CuteTerm) -> int:
    digits = term.head.replace("'", "").rstrip("uUlLzZ")
    try:
        return int(digits, 0)
    except ValueError as error:
        raise UnreadError(f"{term.head} is no integer", term) from error


def _called(value: Value, term: CuteTerm) -> Value:
    """``Name{}`` and ``Name`` are one value; ``tensor(_, _, 0)`` is the tensor's first modes."""
    if not term.arguments:
        return value
    if isinstance(value, SharedTensor):
        return value
    if isinstance(value, StridedLayout | ComposedLayout | TiledMma | MmaAtom):
        raise UnreadError(f"{term.head}(..) at a coordinate is not read", term)
    return value
