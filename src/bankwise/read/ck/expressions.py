"""Expressions without names: numbers, operators, conditions, sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from bankwise.read.ck.evaluate import Handler, HeaderEvaluation
from bankwise.read.ck.source import OPERATORS
from bankwise.read.ck.values import SIZES, Anything, CxxFrame, TypeWord, Unsaid, open_names, unsaid
from bankwise.read.cxx.tree import Node, named


def _literal(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    text = run.source.of(node).replace("'", "").rstrip("uUlLzZ").lower()
    try:
        return int(text, 0) if text != "0" else 0
    except ValueError:
        raise run.error(node, f"{text[:40]!r} is no whole number") from None


def _name(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    name = run.source.of(node)
    found = run.look(name, frame)
    if found is None and name in SIZES:
        return TypeWord(name)
    return run.settled(unsaid(name) if found is None else found)


def _binary(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    sign = node.child_by_field_name("operator").type
    left = run.number(node.child_by_field_name("left"), frame)
    if isinstance(left, int) and sign in ("&&", "||") and bool(left) == (sign == "||"):
        return int(bool(left))
    right = run.number(node.child_by_field_name("right"), frame)
    if isinstance(left, Unsaid) or isinstance(right, Unsaid):
        return Unsaid(open_names([left, right]))
    if sign in ("/", "%") and not right:
        raise run.error(node, "division by zero")
    if sign not in OPERATORS:
        raise run.error(node, f"{sign!r} is not read")
    found = OPERATORS[sign](left, right)
    if abs(found) >= 1 << 62:
        raise run.error(node, "the number does not fit 63 bits")
    return found


def _unary(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    found = run.number(node.child_by_field_name("argument"), frame)
    if isinstance(found, Unsaid):
        return found
    sign = node.child_by_field_name("operator").type
    known_signs: Mapping[str, Callable[[int], int]] = {
        "-": lambda a: -a,
        "+": lambda a: a,
        "!": lambda a: int(not a),
        "~": lambda a: ~a,
    }
    if sign not in known_signs:
        raise run.error(node, f"{sign!r} is not read")
    return known_signs[sign](found)


def _conditional(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    holds = run.number(node.child_by_field_name("condition"), frame)
    if isinstance(holds, Unsaid):
        return holds
    return run.value(node.child_by_field_name("consequence" if holds else "alternative"), frame)


def _only(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    """What is around another expression and changes nothing."""
    inside = named(node)
    if len(inside) != 1:
        raise run.error(node, f"{run.source.of(node)[:60]!r} is not read")
    return run.value(inside[0], frame)


def _cast(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    return run.value(node.child_by_field_name("value"), frame)


def _braced(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    """``Type{}``, ``index_t{4}``."""
    kind = run.value(node.child_by_field_name("type"), frame)
    inside = named(node.child_by_field_name("value"))
    return run.value(inside[0], frame) if isinstance(kind, TypeWord) and inside else kind


def _list(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    return tuple(run.value(one, frame) for one in named(node))


def _sizeof(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    inside = named(node)[0]
    kind = run.value(inside, frame)
    if isinstance(kind, Unsaid):
        return replace(kind, path="")
    if isinstance(kind, int):
        return kind
    if isinstance(kind, TypeWord) and kind.name in SIZES:
        return SIZES[kind.name]
    what = run.source.of(inside)
    raise run.error(node, f"how many bytes has {what}?", f"say it: --dim '{what}=2'")


EXPRESSIONS: Mapping[str, Handler] = {
    "number_literal": _literal,
    "true": lambda run, node, frame: 1,
    "false": lambda run, node, frame: 0,
    **dict.fromkeys(
        ("identifier", "type_identifier", "namespace_identifier", "field_identifier"), _name
    ),
    **dict.fromkeys(("primitive_type", "sized_type_specifier"), _name),
    "binary_expression": _binary,
    "unary_expression": _unary,
    "conditional_expression": _conditional,
    **dict.fromkeys(
        ("parenthesized_expression", "condition_clause", "decltype", "dependent_type"), _only
    ),
    "cast_expression": _cast,
    "compound_literal_expression": _braced,
    "initializer_list": _list,
    "sizeof_expression": _sizeof,
}
"""By the kind of node."""
