"""Calls to functions of the same PTX file: a kernel with its functions in it, once for every call.

    st.param.b64 [param0+0], %rd7;                 the parameter param0 of the call
    call.uni (retval0), _Z4peekPKfi, (param0);     a jump to a copy of the function, in which
    ld.param.f32 %f2, [retval0+0];                 its parameter is called param0, too

Every other name of a copy is its own. What calls itself, is reached through a register, or is not
in the file is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.read.ptx.parse import PtxFunction, PtxKernel, Statement

MOST_STATEMENTS = 12_000
MOST_DEPTH = 24
"""How much a kernel may grow by its calls, and how deep they go."""

_NAME = re.compile(r"(?<![\w$%.])[%$A-Za-z_][\w$]*")
_SPECIAL = re.compile(
    r"%(?:tid|ntid|ctaid|nctaid|laneid|warpid|nwarpid|smid|nsmid|gridid|lanemask_\w+|clock\w*|pm\d"
    r"|envreg\d+|globaltimer\w*|reserved_smem_\w+|dynamic_smem_size|total_smem_size|aggr_smem_size"
    r"|cluster\w*|is_explicit_cluster|current_graph_exec)|WARP_SZ|pt"
)


class _Inlining(Struct, frozen=True):
    """A copy of a function that is still to be made: ``names``: of its parameters and results;
    ``stack``: the functions that led here."""

    function: PtxFunction
    label: str
    back: str
    names: Mapping[str, str]
    stack: tuple[str, ...]


class _Work(Struct):
    functions: Mapping[str, PtxFunction]
    statements: list[Statement] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    waiting: list[_Inlining] = field(default_factory=list)
    made: int = 0


def inlined(kernel: PtxKernel, functions: Mapping[str, PtxFunction]) -> PtxKernel:
    """``kernel`` with the functions that it calls."""
    if not functions or not any(one.parts[0] == "call" for one in kernel.statements):
        return kernel
    work = _Work(functions)
    work.labels.update(kernel.labels)
    for one in kernel.statements:
        work.statements.append(_jump(work, one, len(work.statements) + 1, ()))
    work.statements.append(Statement(kernel.line, "ret", "", ()))
    while work.waiting:
        _copy(work, work.waiting.pop(0), kernel)
    return replace(kernel, statements=tuple(work.statements), labels=work.labels)


def _jump(work: _Work, one: Statement, behind: int, stack: tuple[str, ...]) -> Statement:
    """A call that is followed, as a jump to a copy of its function that returns to ``behind``."""
    found = _called(one, work.functions) if one.parts[0] == "call" else None
    if found is None or found[0].name in stack or len(stack) > MOST_DEPTH:
        return one
    if len(work.statements) > MOST_STATEMENTS:
        return one
    function, names = found
    work.made += 1
    label, back = f"$call{work.made}", f"$back{work.made}"
    work.labels[back] = behind
    work.waiting.append(_Inlining(function, label, back, names, (*stack, function.name)))
    return replace(one, name="bra", operands=(label,))


def _called(
    one: Statement, functions: Mapping[str, PtxFunction]
) -> tuple[PtxFunction, dict[str, str]] | None:
    """The function that a call names, and the call's names of its parameters and results."""
    lists = [text for text in one.operands if text.startswith("(")]
    at = next((n for n, text in enumerate(one.operands) if text in functions), -1)
    if at < 0 or at > 1 or len(one.operands) > at + 2:
        return None
    function = functions[one.operands[at]]
    given = {"before": "", "behind": ""}
    for text in lists:
        given["behind" if one.operands.index(text) > at else "before"] = text
    results, parameters = _NAME.findall(given["before"]), _NAME.findall(given["behind"])
    if len(results) != len(function.results) or len(parameters) != len(function.parameters):
        return None
    pairs = zip((*function.results, *function.parameters), (*results, *parameters), strict=True)
    return function, dict(pairs)


def _copy(work: _Work, copy: _Inlining, kernel: PtxKernel) -> None:
    """Append a copy: every name its own, a return a jump back, and one more at the end."""
    start = len(work.statements)
    work.labels[copy.label] = start
    function, mark = copy.function, f"${copy.label.removeprefix('$call')}"
    shared = {variable.name for variable in kernel.shared}

    def name(found: re.Match[str]) -> str:
        text = found[0]
        if text in copy.names:
            return copy.names[text]
        kept = text in shared or text in work.functions or _SPECIAL.fullmatch(text)
        return text if kept else text + mark

    for label, number in function.labels.items():
        work.labels[label + mark] = start + number
    for one in function.statements:
        operands = tuple(_NAME.sub(name, text) for text in one.operands)
        guard = _NAME.sub(name, one.guard)
        placed = replace(one, operands=operands, guard=guard)
        if one.parts[0] == "ret":
            placed = replace(placed, name="bra", operands=(copy.back,))
        work.statements.append(_jump(work, placed, len(work.statements) + 1, copy.stack))
    work.statements.append(Statement(function.line, "bra", "", (copy.back,)))
