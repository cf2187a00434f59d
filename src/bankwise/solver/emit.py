"""A layout as text: Python, C, MLIR, and each framework's notation or the reason why not."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from bankwise.algebra.offset import Shape
from bankwise.errors import Refusal
from bankwise.notation.fold import sizes
from bankwise.notation.framework import Framework
from bankwise.notation.frameworks import frameworks
from bankwise.notation.values import Mapped
from bankwise.solver.fit import Fit
from bankwise.solver.plan import Plan, number
from bankwise.solver.price import Workload

_ARITH: Mapping[type[ast.operator], str] = {
    ast.Add: "arith.addi",
    ast.Mult: "arith.muli",
    ast.Mod: "arith.remui",
    ast.BitXor: "arith.xori",
    ast.BitAnd: "arith.andi",
    ast.RShift: "arith.shrui",
    ast.LShift: "arith.shli",
    ast.FloorDiv: "arith.divui",
}


def emit(work: Workload, answer: Plan, fits: Mapping[str, Fit | Refusal]) -> Mapping[str, str]:
    """One text for each notation, or the reason why there is none, with what its best costs."""
    text = answer.offset
    texts = {"python": text, "c": text.replace("//", "/"), "mlir": mlir(work.shape, text)}
    named = [f for f in frameworks().values() if f.notation]
    return {**texts, **{f.name: _notation(work, answer, f, fits) for f in named}}


def mlir(shape: Shape, text: str) -> str:
    """The offset as lines of ``arith`` on index values named as the coordinates."""
    lines: list[str] = []
    constants: dict[int, str] = {}
    result = _value(ast.parse(text, mode="eval").body, lines, constants)
    heads = [f"{name} = arith.constant {value} : index" for value, name in constants.items()]
    if not lines:
        lines.append(f"// the offset is {result}")
    return "\n".join([*heads, *lines])


def _value(node: ast.expr, lines: list[str], constants: dict[int, str]) -> str:
    match node:
        case ast.Name(id=name):
            return f"%{name}"
        case ast.Constant(value=int(number)):
            return constants.setdefault(number, f"%c{number}")
        case ast.BinOp(left=left, op=op, right=right):
            a, b = _value(left, lines, constants), _value(right, lines, constants)
            result = f"%o{len(lines)}"
            lines.append(f"{result} = {_ARITH[type(op)]} {a}, {b} : index")
            return result
    raise AssertionError(ast.dump(node))


def _notation(
    work: Workload, answer: Plan, known: Framework, fits: Mapping[str, Fit | Refusal]
) -> str:
    said = known.write(Mapped(sizes(work.shape), answer.layout), work.ground)
    if not isinstance(said, Refusal):
        return str(said)
    best = fits.get(known.name)
    if not isinstance(best, Fit):
        return f"not a member of {known.about}: {best.reason if best else said.reason}"
    found = f"its best, {best.best.name}, takes {_passes(best.best, answer)}"
    if known.complete:
        return f"not a member of {known.about}: {found}"
    return f"not found among {best.members} of {known.about}: {found}"


def _passes(found: Plan, answer: Plan) -> str:
    more = found.passes - answer.passes
    if more == 0:
        return f"{number(found.passes)} passes too"
    return f"{number(found.passes)} passes, {number(abs(more))} {'more' if more > 0 else 'fewer'}"
