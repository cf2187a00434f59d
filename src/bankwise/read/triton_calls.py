"""The call that checks or fixes a kernel of a Triton program: read off its text, nothing runs.

What it has to guess (:mod:`bankwise.read.triton_guesses`) is marked in the text that is pasted.
"""

from __future__ import annotations

import ast
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence

from bankwise.read.extra import install
from bankwise.read.names import means
from bankwise.read.triton_guesses import (
    constants_of,
    listed,
    numbers_of,
    said_constants,
    said_options,
    types_of,
)
from bankwise.read.triton_types import TypeConstant
from bankwise.read.triton_whole import named
from bankwise.read.ttgir import wheel

_BREAK = "\n  "
_COLUMNS = 76
_LISTED = 3
"""Kernels whose calls are written; of others the names."""
_NAMED = 8
_ASKED = ("check", "fix")
_TARGET = "sm_90"
_MARK = "say yours"
_GUESSES = (
    f'lines with "# {_MARK}" are guesses: types of arguments ("*fp16": a pointer to f16; "i32"), '
    "values of constants, numbers{gpu}; for other ones it is another kernel. A number that is 1 or "
    "a multiple of 16, as strides are, makes other code; and numbers say how far loops run"
)
_ASSUMED = f" and the GPU ({_TARGET} is assumed, -t NAME says another)"


def instead(path: str, text: str, verb: str, target: str = "", kernel: str = "") -> str:
    """What to do with a Triton program that ``verb`` was asked about; empty if it has no kernel.
    ``target``: the GPU, ``kernel``: the kernel, where one was said."""
    try:
        tree = ast.parse(text)
        every = list(_kernels(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if not every or verb not in _ASKED:
        return ""
    kernels = [one for one in every if means(kernel, one.name)]
    if not kernels:
        return f"no kernel is named {kernel!r}; there are {_named([one.name for one in every])}"
    helpers = {one.name: one for one in _functions(tree)}
    calls = [_call(path, one, verb, target, helpers) for one in kernels[:_LISTED]]
    guesses = _GUESSES.format(gpu="" if target else _ASSUMED)
    more = [one.name for one in kernels[_LISTED:]]
    others = f"--kernel NAME gives the call of another: {_named(more)}"
    needs = "" if wheel.installed() else f"\nit needs Triton: {install('triton')}"
    return "\n".join(
        [
            f"Triton compiles it, without a GPU; {guesses}{needs}",
            *(f"\n{call}" for call in calls),
            *(["", others] if more else [""]),
            "or check the folder of a kernel in ~/.triton/cache",
        ]
    )


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + ", .." * (len(names) > _NAMED)


def parameters(text: str, name: str) -> tuple[str, ...]:
    """The names of a function's parameters, in order; none where the text has no such function."""
    functions = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef))
    found = next((n for n in functions if n.name == name), None)
    return () if found is None else tuple(one.arg for one in listed(found))


def _kernels(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    """The ``@triton.jit`` functions that no other one of the file calls, or hands on: to a scan,
    say."""
    found = list(_functions(tree))
    used = {
        node.id
        for one in found
        for statement in one.body
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    return (one for one in found if one.name not in used)


def _functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    return (n for n in tree.body if isinstance(n, ast.FunctionDef) and _jitted(n))


def _jitted(function: ast.FunctionDef) -> bool:
    plain = (d.func if isinstance(d, ast.Call) else d for d in function.decorator_list)
    return any(named(one) == "jit" for one in plain)


def _call(
    path: str,
    function: ast.FunctionDef,
    verb: str,
    target: str,
    helpers: Mapping[str, ast.FunctionDef],
) -> str:
    """A command for a shell, in lines that may be indented; guesses are marked."""
    constants = [a.arg for a in listed(function) if a.annotation and _is_constant(a.annotation)]
    said = said_constants(function, constants)
    values = {**constants_of(function, constants), **said}
    types = types_of(function, values, helpers)
    numbers = numbers_of(types)
    parts = [
        (json.dumps(f"{path}:{function.name}", ensure_ascii=False), False),
        (_dict(types), bool(types)),
        (json.dumps(target or _TARGET), not target),
    ]
    parts += [(f"constexprs={_dict(values)}", values != said)] if values else []
    parts += [(f"numbers={_dict(numbers)}", True)] if numbers else []
    parts += [(f"{name}={value}", False) for name, value in said_options(function).items()]
    lines = "\n".join(_marked(text) if guessed else f"  {text}," for text, guessed in parts)
    types_too = any(isinstance(one, TypeConstant) for one in values.values())
    language = "import triton.language as tl\n" * types_too
    called = f"{language}import bankwise.triton as t; found = t.answer(t.{verb},\n{lines}\n)"
    program = f"{called}\nprint(found); raise SystemExit(found.exit_code)"
    return f"python -c {shlex.quote(program)}"


def _marked(text: str) -> str:
    """An argument of the call, with a comment; on a line of its own where it would be broken."""
    line = f"  {text},"
    fits = len(line.splitlines()[-1]) + len(_MARK) + 4 <= _COLUMNS
    return f"{line}{'  ' if fits else _BREAK}# {_MARK}"


def _is_constant(annotation: ast.expr) -> bool:
    return named(annotation) == "constexpr"


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
