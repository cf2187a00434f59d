"""The call that checks or fixes a kernel of a Triton program: read off its text, nothing runs.

An argument is taken for a pointer where its name ends so, or where it is the first summand of what
``tl.load``, a store, an atomic or a descriptor takes, on the way through assignments; every other
one for an i32.
"""

from __future__ import annotations

import ast
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from bankwise.read.extra import install
from bankwise.read.ttgir import wheel

_BREAK = "\n  "
_LISTED = 3
"""Kernels whose calls are written; of others the names."""
_NAMED = 8
_ASKED = ("check", "fix")
_CONSTANT, _STAGES, _NUMBER, _TARGET = 64, 2, 1024, "sm_90"
_GUESSES = (
    'types of arguments ("*fp16": a pointer to f16; "i32"), values of constants, numbers and the '
    "GPU are placeholders: put yours, for other ones are another kernel. A number that is 1 or a "
    "multiple of 16, as strides are, makes other code; and numbers say how far loops run"
)
_FEW = ("num_stages", "stages", "num_warps")
"""Constants that are small numbers."""
_MEMORY = ("load", "store", "make_block_ptr", "make_tensor_descriptor")
_MOST = 64


def instead(path: str, text: str, verb: str, target: str = "") -> str:
    """What to do with a Triton program that ``verb`` was asked about; empty if it has no kernel.
    ``target``: the GPU, where one was said."""
    try:
        kernels = list(_kernels(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if not kernels or verb not in _ASKED:
        return ""
    calls = [_call(path, one, verb, target or _TARGET) for one in kernels[:_LISTED]]
    more = [one.name for one in kernels[_LISTED:]]
    others = f"the same for {', '.join(more[:_NAMED])}" + ", .." * (len(more) > _NAMED)
    needs = "" if wheel.installed() else f"\nit needs Triton: {install('triton')}"
    return "\n".join(
        [
            f"Triton compiles it, without a GPU; {_GUESSES}{needs}",
            *(f"\n{call}" for call in calls),
            *(["", others] if more else [""]),
            "or check the folder of a kernel in ~/.triton/cache",
        ]
    )


def parameters(text: str, name: str) -> tuple[str, ...]:
    """The names of a function's parameters, in order; none where the text has no such function."""
    functions = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef))
    found = next((n for n in functions if n.name == name), None)
    return () if found is None else tuple(one.arg for one in _listed(found))


def _listed(function: ast.FunctionDef) -> list[ast.arg]:
    args = function.args
    return [*args.posonlyargs, *args.args, *args.kwonlyargs]


def _kernels(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """The ``@triton.jit`` functions that no other one of the file calls."""
    found = [n for n in tree.body if isinstance(n, ast.FunctionDef) and _jitted(n)]
    called = {
        node.func.id
        for one in found
        for node in ast.walk(one)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    return (one for one in found if one.name not in called)


def _jitted(function: ast.FunctionDef) -> bool:
    plain = (d.func if isinstance(d, ast.Call) else d for d in function.decorator_list)
    return any(_last(one) == "jit" for one in plain)


def _last(node: ast.expr) -> str:
    """``jit`` of ``triton.jit`` and of ``jit``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _call(path: str, function: ast.FunctionDef, verb: str, target: str) -> str:
    """A command for a shell, in lines that may be indented."""
    listed = _listed(function)
    constants = [a.arg for a in listed if a.annotation and _last(a.annotation) == "constexpr"]
    pointers = _pointers(function)
    types = {
        a.arg: "*fp16" if a.arg in pointers or a.arg.endswith("ptr") else "i32"
        for a in listed
        if a.arg not in constants
    }
    guesses = {name: _STAGES if name.lower() in _FEW else _CONSTANT for name in constants}
    values = {**guesses, **_said(function, constants)}
    parts = [
        json.dumps(f"{path}:{function.name}", ensure_ascii=False),
        _dict(types),
        json.dumps(target),
    ]
    numbers = _numbers([name for name, kind in types.items() if kind == "i32"])
    parts += [f"constexprs={_dict(values)}"] if values else []
    parts += [f"numbers={_dict(numbers)}"] if numbers else []
    said = f"{verb}(\n  {f',{_BREAK}'.join(parts)})"
    return f"python -c {shlex.quote(f'import bankwise.triton as t; print(t.{said})')}"


def _numbers(names: Sequence[str]) -> dict[str, int]:
    """A size for each; of strides of one tensor (``stride_am``, ``stride_ak``) the last is 1."""
    found = dict.fromkeys(names, _NUMBER)
    strides = [name for name in names if "stride" in name.lower()]
    for name, after in pairwise((*strides, "")):
        before = any(one != name and one[:-1] == name[:-1] for one in strides)
        if before and after[:-1] != name[:-1]:
            found[name] = 1
    return found


def _dict(values: Mapping[str, object]) -> str:
    """A dict in lines of at most 76 characters."""
    items = [f'"{name}": {_literal(value)}' for name, value in values.items()]
    lines = ["{"]
    for number, item in enumerate(items):
        last = number == len(items) - 1
        piece = item + ("}" if last else ", ")
        if len(lines[-1]) + len(piece) > 60:
            lines.append("   ")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines) if items else "{}"


def _literal(value: object) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _said(function: ast.FunctionDef, constants: list[str]) -> dict[str, object]:
    """Values of constants that the text itself names: of the first ``triton.Config``, else the
    defaults."""
    args = function.args
    plain = [*args.posonlyargs, *args.args]
    behind = plain[len(plain) - len(args.defaults) :]
    pairs = [*zip(behind, args.defaults, strict=True)]
    pairs += [(a, d) for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d]
    found: dict[str, object] = {a.arg: d.value for a, d in pairs if isinstance(d, ast.Constant)}
    found.update(_configured(function))
    known = bool | int | float | str
    return {k: v for k, v in found.items() if k in constants and isinstance(v, known)}


def _configured(function: ast.FunctionDef) -> dict[str, object]:
    for decorator in function.decorator_list:
        for node in ast.walk(decorator):
            if isinstance(node, ast.Call) and _last(node.func) == "Config" and node.args:
                try:
                    values = ast.literal_eval(node.args[0])
                except (ValueError, TypeError):
                    continue
                if isinstance(values, dict):
                    return {str(name): value for name, value in values.items()}
    return {}


def _pointers(function: ast.FunctionDef) -> set[str]:
    made: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            for name, value in _assigned(node.targets[0], node.value):
                made.setdefault(name, value)
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and _reaches(_last(node.func)):
            base = node.args[0] if node.args else _keyword(node)
            found.add(_base(base, made) if base is not None else "")
    return found


def _assigned(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, part in zip(target.elts, value.elts, strict=False):
            yield from _assigned(one, part)


def _reaches(name: str) -> bool:
    return name in _MEMORY or name.startswith("atomic_")


def _keyword(call: ast.Call) -> ast.expr | None:
    return next((k.value for k in call.keywords if k.arg in ("pointer", "base")), None)


def _base(node: ast.expr, made: dict[str, ast.expr]) -> str:
    """The name of the first summand, on the way through assignments."""
    for _ in range(_MOST):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            node = node.left
        elif isinstance(node, ast.IfExp):
            node = node.body
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value  # x.to(tl.pointer_type(..)), (a + b).broadcast_to(..)
        elif isinstance(node, ast.Name) and node.id in made:
            node = made.pop(node.id) if _names(made[node.id], node.id) else made[node.id]
        else:
            break
    return node.id if isinstance(node, ast.Name) else ""


def _names(node: ast.expr, name: str) -> bool:
    """``x = x + 1``: the argument of the same name is behind it."""
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(node))
