"""Calls: functions of the header, of CK, members of values; and what a function's body returns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bankwise.notation.ck.descriptor import TensorDescriptor
from bankwise.notation.ck.encoding import Encoding
from bankwise.read.ck import known
from bankwise.read.ck.evaluate import Handler, HeaderEvaluation
from bankwise.read.ck.expressions import EXPRESSIONS
from bankwise.read.ck.source import CkHeader
from bankwise.read.ck.structure import structures
from bankwise.read.ck.templates import NAMESPACES, TEMPLATE_NAMES, Method, applied, arguments, bound
from bankwise.read.ck.values import (
    Anything,
    CxxBinding,
    CxxFrame,
    Later,
    SaidNames,
    TypeWord,
    Unsaid,
    open_names,
    unsaid,
)
from bankwise.read.cxx.tree import Node, named, walk

_CHANGES = ("assignment_expression", "update_expression")
_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")


def _call(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    function = node.child_by_field_name("function")
    values = node.child_by_field_name("arguments")
    if function.type in ("lambda_expression", "parenthesized_expression"):
        return _of_lambda(run, function, frame)
    name = _last(run, function)
    asked = known.asked(name, run.said.machine)
    if asked is not None:
        return asked
    if function.type == "primitive_type":
        return run.value(named(values)[0], frame)
    if name in known.FUNCTIONS and _is_foreign(run, function, frame):
        inside = arguments(run, values, frame)
        missing = open_names(inside)
        return Unsaid(missing) if missing else known.FUNCTIONS[name](inside)
    if name == "static_cast":
        return run.value(named(values)[0], frame)
    called = run.value(function, frame)
    return run.settled(_called(run, called, values, frame, node))


def _last(run: HeaderEvaluation, function: Node) -> str:
    while function.type == "qualified_identifier":
        function = function.child_by_field_name("name")
    if function.type in ("template_function", "template_method"):
        function = function.child_by_field_name("name")
    return run.source.of(function)


def _is_foreign(run: HeaderEvaluation, function: Node, frame: CxxFrame) -> bool:
    """Whether a function is not of this header."""
    if function.type == "qualified_identifier":
        scope = function.child_by_field_name("scope")
        return scope is None or run.source.of(scope) in NAMESPACES
    return function.type != "field_expression" and run.look(_last(run, function), frame) is None


def _called(
    run: HeaderEvaluation, called: Anything, values: Node, frame: CxxFrame, node: Node
) -> Anything:
    if isinstance(called, Unsaid):
        numbers = ",".join(str(v) for v in arguments(run, values, frame) if isinstance(v, int))
        return unsaid(f"{called.path}({numbers})") if called.path else called
    if isinstance(called, Method):
        return _method(run, called, arguments(run, values, frame), node)
    if isinstance(called, CxxBinding) and called.node is not None:
        return call(run, called, arguments(run, values, frame))
    if isinstance(called, CxxBinding | TypeWord | Encoding | int | tuple):
        inside = named(values)
        return run.value(inside[0], frame) if isinstance(called, TypeWord) and inside else called
    raise run.error(node, f"{run.source.of(node)[:60]!r} is not read")


def _method(run: HeaderEvaluation, method: Method, values: list[Anything], node: Node) -> Anything:
    """A member function of a value of CK."""
    of, name = method.of, method.name
    plain = name.lower().replace("_", "")
    if isinstance(of, Method) and of.name in known.PATTERN_NAMES and "2dstatictile" in plain:
        shuffled = "shuffled" in plain
        return known.pattern(of.template, run.said.machine, shuffled=shuffled)
    place = [*method.template, *values]
    if isinstance(of, Unsaid):
        return of
    if isinstance(of, TensorDescriptor):
        answers = {"get_element_space_size": of.size, "get_num_of_dimension": len(of.shape)}
        if name in answers:
            return answers[name]
        of = of.shape if name in ("get_length", "get_lengths") else of
    if isinstance(of, tuple):
        if name in ("size", "get_size"):
            return len(of)
        if not place and name == "get_lengths":
            return of
        if len(place) == 1 and isinstance(place[0], int) and 0 <= place[0] < len(of):
            return of[place[0]]
    raise run.error(node, f"{name} of {type(of).__name__} is not read")


def _field(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    """``value.member``."""
    of = run.value(node.child_by_field_name("argument"), frame)
    part = node.child_by_field_name("field")
    template = part.child_by_field_name("arguments")
    name = run.source.of(part if template is None else part.child_by_field_name("name"))
    inside = tuple(arguments(run, template, frame))
    if isinstance(of, Unsaid):
        at = f"({','.join(str(v) for v in inside if isinstance(v, int))})" if inside else ""
        return unsaid(f"{of.path}::{name}{at}".removesuffix("()")) if of.path else of
    if isinstance(of, CxxBinding) and of.owner is not None and of.node is None:
        member = run.member(of.owner, name, of.frame)
        if member is not None:
            return member if template is None else applied(run, member, template, frame, part)
    return Method(of, name, inside)


def _of_lambda(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    """``[&]() { .. }()``."""
    while node.type == "parenthesized_expression":
        node = named(node)[0]
    if node.type != "lambda_expression":
        raise run.error(node, "a call of what is no function")
    return body(run, node.child_by_field_name("body"), CxxFrame({}, None, frame))


def call(run: HeaderEvaluation, function: CxxBinding, values: list[Anything]) -> Anything:
    """What a function of the header returns for some arguments; its parameters that get none are
    open."""
    assert function.node is not None, "it is no structure"
    names = {} if function.template is None else bound(run, function.template, [], function.frame)
    owner = None if function.owner is None or function.owner.node is None else function.owner
    made = CxxFrame({}, owner, function.frame)
    declarator = function.node.child_by_field_name("declarator")
    while declarator.type != "function_declarator":
        declarator = named(declarator)[-1]
    parameters = declarator.child_by_field_name("parameters")
    taken = CxxFrame({**names, **bound(run, parameters, values, made)}, None, made)
    return body(run, function.node.child_by_field_name("body"), taken)


def body(run: HeaderEvaluation, block: Node | None, frame: CxxFrame) -> Anything:
    """What a body returns; open where it turns on what is open, None where it returns nothing."""
    for statement in named(block) if block is not None else ():
        found = _statement(run, statement, frame)
        if found is not None:
            return found
    return None


def _statement(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything | None:
    match node.type:
        case "return_statement":
            inside = named(node)
            value = run.value(inside[0], frame) if inside else 0
            run.returned = node, frame
            return value
        case "compound_statement":
            return body(run, node, CxxFrame({}, None, frame))
        case "if_statement":
            return _if(run, node, frame)
        case "static_assert_declaration":
            _assert(run, node, frame)
        case "else_clause" | "labeled_statement":
            return body(run, node, frame)
        case "declaration" | "alias_declaration":
            for name, late in declarations(run, node, frame):
                frame.names[name] = late
        case _:
            _changed(run, node, frame)
    return None


def declarations(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Iterator[tuple[str, Later]]:
    """What a statement declares, evaluated later."""
    if node.type == "alias_declaration":
        name = run.source.of(node.child_by_field_name("name"))
        yield name, Later(node.child_by_field_name("type"), frame, name)
        return
    for one in node.children_by_field_name("declarator"):
        value = one.child_by_field_name("value")
        if one.type == "init_declarator" and value is not None:
            declarator = one.child_by_field_name("declarator")
            names = [n for n in walk(declarator) if "identifier" in n.type]
            if len(names) == 1:
                name = run.source.of(names[0])
                yield name, Later(value, frame, name)


def _if(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything | None:
    holds = run.number(node.child_by_field_name("condition"), frame)
    if isinstance(holds, Unsaid):
        return holds
    branch = node.child_by_field_name("consequence" if holds else "alternative")
    return None if branch is None else _statement(run, branch, CxxFrame({}, None, frame))


def _assert(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> None:
    """A condition that does not hold is an answer of the user that does not fit."""
    condition = node.child_by_field_name("condition")
    if run.number(condition, frame) == 0:
        message = f"static_assert({run.source.of(condition)}) does not hold for these numbers"
        raise run.error(node, " ".join(message.split()))


def _changed(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> None:
    """What is assigned to, in loops or not, is no constant: nobody may look at it."""
    for one in walk(node):
        if one.type in _CHANGES:
            left = one.child_by_field_name("left") or one.child_by_field_name("argument")
            name = run.source.of(left)
            while frame.outer is not None and name not in frame.names:
                frame = frame.outer
            frame.names[name] = Unsaid(frozenset([name]))


def _type(run: HeaderEvaluation, node: Node, frame: CxxFrame) -> Anything:
    """A type; what reads like one of a function, ``F<T>()``, is a call among arguments."""
    found = run.value(node.child_by_field_name("type"), frame)
    declarator = node.child_by_field_name("declarator")
    if declarator is None or not isinstance(found, CxxBinding | Unsaid | Method):
        return found
    if declarator.type != "abstract_function_declarator":
        raise run.error(node, f"{run.source.of(node)[:60]!r} is not read")
    inside = declarator.child_by_field_name("parameters")
    return run.settled(_called(run, found, inside, frame, node))


HANDLERS: Mapping[str, Handler] = {
    **EXPRESSIONS,
    **TEMPLATE_NAMES,
    "type_descriptor": _type,
    "parameter_declaration": lambda run, node, frame: run.value(
        node.child_by_field_name("type"), frame
    ),
    "call_expression": _call,
    "field_expression": _field,
    "lambda_expression": lambda run, node, frame: CxxBinding(frame, None, node),
}


def evaluation(header: CkHeader, said: SaidNames) -> HeaderEvaluation:
    """A reading of a header, which begins with all that it declares."""
    whole = CxxFrame({}, structures(header.source))
    for name, text in header.macros.items():
        if text.isdigit():
            whole.names[name] = int(text)
    return HeaderEvaluation(header.source, said, whole, HANDLERS)
