"""A layout as text: Python, C, MLIR, and each framework's notation or the reason why not."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from fractions import Fraction

from bankwise.algebra.offset import Shape, offset_text
from bankwise.errors import Refusal
from bankwise.solver.families import FAMILIES, NOTATIONS, members
from bankwise.solver.fit import Candidate, Fit
from bankwise.solver.tile import Workload

_ARITH: Mapping[type[ast.operator], str] = {
    ast.Add: "arith.addi",
    ast.Mult: "arith.muli",
    ast.Mod: "arith.remui",
    ast.BitXor: "arith.xori",
    ast.BitAnd: "arith.andi",
    ast.RShift: "arith.shrui",
}


def emit(work: Workload, answer: Candidate, fits: Mapping[str, Fit | Refusal]) -> Mapping[str, str]:
    """One text for each notation, or the reason why there is none, with what its best costs."""
    text = offset_text(work.shape, answer.address)
    texts = {"python": text, "c": text, "mlir": mlir(work.shape, text)}
    return {**texts, **{name: _notation(work, answer, name, fits) for name in NOTATIONS}}


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
    work: Workload, answer: Candidate, name: str, fits: Mapping[str, Fit | Refusal]
) -> str:
    about = FAMILIES[name].about
    same = [m for m in members(name, work.ground) if m.address == answer.address]
    if same:
        return same[0].notation
    best = fits.get(name)
    if best is None or isinstance(best, Refusal):
        return f"not a member of {about}: {best.reason if best else 'none was tried'}"
    found = best.best
    return f"not a member of {about}: its best, {found.label}, takes {_passes(found, answer)}"


def _passes(found: Candidate, answer: Candidate) -> str:
    more = found.passes - answer.passes
    if more == 0:
        return f"{number(found.passes)} passes too"
    return f"{number(found.passes)} passes, {number(abs(more))} {'more' if more > 0 else 'fewer'}"


def number(value: Fraction) -> str:
    """A mean of passes, without a fraction where it has none."""
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.2f}"
