"""Names in other names, and names with template arguments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from bankwise.notation.ck.encoding import Encoding
from bankwise.notation.ck.text import TEMPLATES
from bankwise.read.ck import known
from bankwise.read.ck.evaluate import VARIABLES, Handler, HeaderEvaluation, initial_of
from bankwise.read.ck.structure import inner, parameters_of
from bankwise.read.ck.values import (
    Anything,
    CxxBinding,
    CxxFrame,
    Later,
    Structure,
    TypeWord,
    Unsaid,
    open_names,
    unsaid,
)
from bankwise.read.cxx.tree import CxxSource, Node, named

NAMESPACES = ("ck_tile", "std", "ck", "detail", "impl", "math")
_WORDS = ("tensor_layout", "tile_distribution_pattern")
"""What only names words that are compared."""


def arguments(run: HeaderEvaluation, node: Node | None, frame: CxxFrame) -> list[Anything]:
    """The values of a list of arguments."""
    return [] if node is None else [run.value(one, frame) for one in named(node)]


def _qualified(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    """``A::B::c``: each name in what stands before it."""
    parts = list(_parts(node))
    if run.source.of(parts[0]) in NAMESPACES:
        parts = parts[1:]
    if any(run.source.of(part) in _WORDS for part in parts[:-1]):
        return TypeWord(run.source.of(parts[-1]))
    found = run.value(parts[0], frame)
    for part in parts[1:]:
        found = run.settled(_inside(run, found, part, frame))
    return found


def _parts(node: Node) -> Iterator[Node]:
    while node.type == "qualified_identifier":
        scope = node.child_by_field_name("scope")
        if scope is not None:
            yield scope
        node = node.child_by_field_name("name")
    yield node


def _inside(run: HeaderEvaluation, found: Anything, part: Node, frame: CxxFrame) -> Anything:
    """A member of a type or of a value."""
    template = part.child_by_field_name("arguments")
    name = run.source.of(part if template is None else part.child_by_field_name("name"))
    if isinstance(found, Unsaid):
        return unsaid(f"{found.path}::{name}") if found.path else found
    if isinstance(found, CxxBinding) and found.owner is not None and found.node is None:
        member = run.member(found.owner, name, found.frame)
        if member is not None:
            return member if template is None else applied(run, member, template, frame, part)
        return unsaid(f"{found.owner.name}::{name}")
    if name in ("value", "type", "DstrEncode"):
        return found
    if isinstance(found, Encoding) and name == "Ys2RHsMajor":
        return found.registers_major
    return Method(found, name, tuple(arguments(run, template, frame)))


class Method(Struct, frozen=True):
    """A member function of a value, not called yet."""

    of: Anything
    name: str
    template: tuple[Anything, ...] = ()


def _template(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    """``name<..>``."""
    name = run.source.of(node.child_by_field_name("name"))
    inside = node.child_by_field_name("arguments")
    found = run.look(name, frame)
    if found is None or isinstance(found, Unsaid):
        return _foreign(run, name, arguments(run, inside, frame))
    return applied(run, found, inside, frame, node)


def _foreign(run: HeaderEvaluation, name: str, values: list[Anything]) -> Anything:
    """A template of CK, or one that nobody knows."""
    if name in known.PATTERN_NAMES:
        missing = open_names(values)
        return Unsaid(missing) if missing else Method(None, name, tuple(values))
    words = name in ("sequence", "tuple", "remove_cvref_t", "remove_cv_t")
    if open_names(values) and not (words or name.startswith("conditional")):
        if name in TEMPLATES or name.startswith("is_same"):
            return Unsaid(open_names(values))
        return unsaid(f"{name}<>")
    found = known.template(name, values)
    return unsaid(f"{name}<>") if found is None else found


def applied(
    run: HeaderEvaluation, found: Anything, inside: Node, frame: CxxFrame, node: Node
) -> Anything:
    """A template of this file with its arguments."""
    if not isinstance(found, CxxBinding):
        return found
    values = arguments(run, inside, frame)
    found = _overload(found, node, run.source, len(values))
    owner = found.owner
    if found.node is None and owner is not None and owner.outer is not None:
        owner = _specialised(run, owner, values)
    template = found.template if found.node is not None or owner is None else owner.template
    special = owner is not None and owner.arguments is not None
    names = {} if special else bound(run, template, values, found.frame)
    made = CxxFrame(names, owner if found.node is None else None, found.frame)
    if found.node is not None and found.node.type == "alias_declaration":
        return run.value(found.node.child_by_field_name("type"), made)
    if found.node is not None and found.node.type in VARIABLES:
        name = run.source.of(node.child_by_field_name("name"))
        initial = initial_of(run.source, found.node, name)
        return unsaid(f"{name}<>") if initial is None else run.later(Later(initial, made, name))
    return CxxBinding(made, owner, found.node)


def _overload(found: CxxBinding, node: Node, source: CxxSource, given: int) -> CxxBinding:
    """Of the functions that share a name the first that takes so many template arguments."""
    name = node.child_by_field_name("name")
    if found.node is None or found.owner is None or name is None:
        return found
    for declared in found.owner.members.get(source.of(name), ()):
        function, template = inner(declared), parameters_of(declared)
        listed = named(template) if template is not None else ()
        least = sum("optional" not in one.type for one in listed)
        if function.type == found.node.type and least <= given <= len(listed):
            return replace(found, node=function, template=template)
    return found


def _specialised(run: HeaderEvaluation, owner: Structure, values: list[Anything]) -> Structure:
    """The specialisation for these arguments, else the template itself."""
    assert owner.outer is not None, "the file is no template"
    named_so = [one for one in owner.outer.inside if one.name == owner.name]
    for one in named_so:
        whole = one.template is not None and not named(one.template)
        if (
            one.arguments is not None
            and whole
            and arguments(run, one.arguments, run.whole) == values
        ):
            return one
    return next((one for one in named_so if one.arguments is None), owner)


def bound(
    run: HeaderEvaluation, template: Node | None, values: list[Anything], frame: CxxFrame
) -> dict[str, Anything]:
    """The parameters of a template by name; one without argument or default is open."""
    found: dict[str, Anything] = {}
    for place, one in enumerate(named(template) if template is not None else ()):
        name = _parameter(run.source, one)
        fields = ("default_value", "default_type")
        default = next(filter(None, map(one.child_by_field_name, fields)), None)
        if place < len(values):
            found[name] = values[place]
        elif default is not None and run.said.find(name) is None:
            found[name] = Later(default, CxxFrame(found, None, frame), name)
        else:
            found[name] = run.settled(unsaid(name))
    return found


def _parameter(source: CxxSource, node: Node) -> str:
    declarator = node.child_by_field_name("declarator") or node.child_by_field_name("name")
    while declarator is not None and named(declarator):
        declarator = named(declarator)[-1]
    last = declarator if declarator is not None else (named(node) or [node])[-1]
    return source.of(last)


TEMPLATE_NAMES: Mapping[str, Handler] = {
    "qualified_identifier": _qualified,
    **dict.fromkeys(("template_type", "template_function", "template_method"), _template),
}
"""By the kind of node."""
