"""What a Triton kernel's text tells of its arguments where nobody says it: types and values.

An argument is taken for a pointer where its name ends so, or where it is the first summand of what
``tl.load``, a store, an atomic or a descriptor takes, on the way through assignments. Atomics on
whole numbers, names of scales and means, and factors beside a fraction tell more; every other
pointer is one to f16, every other argument an i32. All of that are guesses: whoever prints them
says so.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise

from bankwise.read.triton_data import of_32_bits, yes_or_no
from bankwise.read.triton_descriptors import descriptors
from bankwise.read.triton_types import constants_of_type
from bankwise.read.triton_whole import Base, assigned, named, to_whole

_CONSTANT, _STAGES, _GROUP, _NUMBER = 64, 2, 8, 1024
_FEW = ("num_stages", "stages", "num_warps")
"""Constants that are small numbers."""
_OF_POINTERS = ("make_block_ptr", "make_tensor_descriptor")
_MEMORY = ("load", "store", *_OF_POINTERS)
_WHOLE = ("atomic_cas", "atomic_xchg", "atomic_and", "atomic_or", "atomic_xor")
"""Atomics that count or lock."""
_OPTIONS = ("num_warps", "num_stages", "num_ctas")
_INDEX = "index"
"""The use of a pointer whose data are made whole numbers, say where, or how often."""
_WHOLE_VALUE, _FLAG, _FLAG_VALUE = "whole value", "yes or no", "yes or no value"
_F32, _ADDRESS, _POINTER = "f32", "address", "pointer"
"""Further uses: values that are no pointers, and what the data of a pointer must be."""
_VALUES = (_WHOLE_VALUE, _FLAG_VALUE)
_ADDED = ("atomic_add", "atomic_max", "atomic_min")
_FRACTION = re.compile(
    r"(^|_)(\w*scale|eps|epsilon|alpha|beta|slope|prob|lr|decay|momentum|temperature|dropout)$",
    re.IGNORECASE,
)
_PRECISE = re.compile(r"scale|mean|rstd|(^|_)(var|lse|s|m|l|delta)(_ptr)?$", re.IGNORECASE)
"""Pointers to what is kept in f32 beside tensors of fewer bits."""
_FP8 = re.compile(r"fp8|float8|f8", re.IGNORECASE)
_STRIDE = re.compile(r"stride_?[a-z]{2,}$", re.IGNORECASE)
"""The stride of a tensor that it names, along an axis: the last one of a tensor is often 1."""
_MOST = 64


def listed(function: ast.FunctionDef) -> list[ast.arg]:
    """The parameters of a function, in order."""
    args = function.args
    return [*args.posonlyargs, *args.args, *args.kwonlyargs]


def types_of(
    function: ast.FunctionDef,
    constants: Mapping[str, object],
    helpers: Mapping[str, ast.FunctionDef],
) -> dict[str, str]:
    """Triton's type of each argument that is no constant. ``constants``: with their values;
    ``helpers``: the functions that it may call, by name."""
    uses = _uses(function, helpers)
    fractions = {one for one in _beside_fractions(function) if one not in uses}
    names = [a.arg for a in listed(function) if a.arg not in constants]
    kinds = {name: _type(name, uses.get(name), fractions, function.name) for name in names}
    plain = [name for name in names if not uses.get(name, set()) - {*_VALUES}]
    for name, block in descriptors(function, plain, constants).items():
        element = _type(name, {"load"}, fractions, function.name).removeprefix("*")
        kinds[name] = f"tensordesc<{element}{[*block]}>"
    return kinds


def _type(name: str, uses: set[str] | None, fractions: set[str], kernel: str) -> str:
    uses = uses or set()
    if not uses - {*_VALUES} and not name.endswith("ptr"):
        if _FLAG_VALUE in uses:
            return "i1"
        return "fp32" if name in fractions or _FRACTION.search(name) else "i32"
    if _ADDRESS in uses:
        return "*u64"
    if uses & {*_WHOLE, _INDEX, _FLAG}:
        return "*i1" if _FLAG in uses else "*i32"
    if uses & {*_ADDED, _F32} or _PRECISE.search(name):
        return "*fp32"
    return "*fp8e4nv" if _FP8.search(kernel) and "store" not in uses else "*fp16"


def _beside_fractions(function: ast.FunctionDef) -> Iterator[str]:
    """Names that are multiplied with a fraction that the text has."""
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            for one, other in ((node.left, node.right), (node.right, node.left)):
                fraction = isinstance(other, ast.Constant) and isinstance(other.value, float)
                if isinstance(one, ast.Name) and fraction:
                    yield one.id


def constants_of(function: ast.FunctionDef, names: Sequence[str]) -> dict[str, object]:
    """A value for each constant: a word that it is compared with, True for what is asked alone,
    else a usual number."""
    found: dict[str, object] = {name: _usual(name) for name in names}
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.IfExp):
            found.update((name, True) for name in _asked(node.test) if name in found)
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
            (other, *_) = node.comparators
            if node.left.id in found and isinstance(other, ast.Constant):
                found[node.left.id] = other.value
    words = {name for name, value in found.items() if isinstance(value, str)}
    found.update((k, v) for k, v in constants_of_type(function, names) if k not in words)
    return found


def _usual(name: str) -> int:
    if name.lower() in _FEW:
        return _STAGES
    return _GROUP if "group" in name.lower() else _CONSTANT


def _asked(test: ast.expr) -> Iterator[str]:
    """Names of which a test asks whether they are true, with and, or and not."""
    if isinstance(test, ast.Name):
        yield test.id
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        yield from _asked(test.operand)
    elif isinstance(test, ast.BoolOp):
        for one in test.values:
            yield from _asked(one)


def numbers_of(types: Mapping[str, str]) -> dict[str, int]:
    """A size for each whole number; of strides of one tensor (``stride_am``, ``stride_ak``) the
    last is 1."""
    names = [name for name, kind in types.items() if kind == "i32"]
    found = dict.fromkeys(names, _NUMBER)
    strides = [name for name in names if "stride" in name.lower()]
    for name, after in pairwise((*strides, "")):
        before = any(one != name and one[:-1] == name[:-1] for one in strides)
        if before and after[:-1] != name[:-1] and _STRIDE.search(name):
            found[name] = 1
    return found


def said_constants(function: ast.FunctionDef, constants: Sequence[str]) -> dict[str, object]:
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


def said_options(function: ast.FunctionDef) -> dict[str, int]:
    """Options of Triton that the first ``triton.Config`` of the text says: num_warps, .."""
    call = next(_configs(function), None)
    said = {k.arg: k.value for k in call.keywords if k.arg in _OPTIONS} if call else {}
    values = {name: node.value for name, node in said.items() if isinstance(node, ast.Constant)}
    return {str(k): v for k, v in values.items() if isinstance(v, int)}


def _configured(function: ast.FunctionDef) -> dict[str, object]:
    call = next(_configs(function), None)
    values = ast.literal_eval(call.args[0]) if call else {}
    return {str(name): value for name, value in values.items()}


def _configs(function: ast.FunctionDef) -> Iterator[ast.Call]:
    """Calls of ``triton.Config`` whose constants the text itself says."""
    for decorator in function.decorator_list:
        for node in ast.walk(decorator):
            if isinstance(node, ast.Call) and named(node.func) == "Config" and node.args:
                with suppress(ValueError, TypeError):
                    if isinstance(ast.literal_eval(node.args[0]), dict):
                        yield node


def _uses(function: ast.FunctionDef, helpers: Mapping[str, ast.FunctionDef]) -> dict[str, set[str]]:
    """By what each pointer is used: ``load``, ``store``, ``atomic_cas``.., here and in helpers."""
    made: dict[str, ast.expr] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            for name, value in assigned(node.targets[0], node.value):
                made.setdefault(name, value)

    def base(node: ast.expr) -> str:
        return _base(node, dict(made))

    found = defaultdict[str, set[str]](set)
    addresses, handed = [], []
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and _reaches(named(node.func)):
            pointer = node.args[0] if node.args else _keyword(node)
            addresses += [] if pointer is None else [pointer]
            found[base(pointer) if pointer is not None else ""].add(named(node.func))
        loaded, use = _converted(node, made)
        if loaded is not None:
            found[base(loaded)].add(use)
        match node:
            case ast.Attribute(ast.Attribute(ast.Name(id=name), "dtype"), "element_ty"):
                found[name].add(_POINTER)
    for argument, uses in _handed(function, helpers):
        found[base(argument)] |= uses - {*_VALUES}
        handed += [argument] if _WHOLE_VALUE in uses else []
    for use, names in _of_data(function, addresses, base, handed):
        for name in names:
            found[name].add(use)
    return {name: uses for name, uses in found.items() if uses}


def _of_data(
    function: ast.FunctionDef,
    addresses: Sequence[ast.expr],
    base: Base,
    handed: Sequence[ast.expr],
) -> Iterator[tuple[str, set[str]]]:
    """What the data of pointers must be, and values."""
    own = {a.arg for a in listed(function)}
    pointers, values = to_whole(function, addresses, base, handed)
    yield _INDEX, pointers
    yield _WHOLE_VALUE, values & own
    pointers, values = yes_or_no(function, base)
    yield _FLAG, pointers
    yield _FLAG_VALUE, values & own
    yield _F32, of_32_bits(function, base)


def _handed(
    function: ast.FunctionDef, helpers: Mapping[str, ast.FunctionDef]
) -> Iterator[tuple[ast.expr, set[str]]]:
    """What is given to other functions of the text, and what they do with it."""
    known = dict[str, dict[str, set[str]]]()
    for node in ast.walk(function):
        helper = helpers.get(named(node.func)) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Call) and helper is not None and helper is not function:
            others = {k: v for k, v in helpers.items() if v is not helper}
            if helper.name not in known:
                known[helper.name] = _uses(helper, others)
            uses = known[helper.name]
            given = dict(zip((a.arg for a in listed(helper)), node.args, strict=False))
            given |= {k.arg: k.value for k in node.keywords if k.arg}
            yield from ((one, uses[name]) for name, one in given.items() if name in uses)


def _converted(node: ast.AST, made: Mapping[str, ast.expr]) -> tuple[ast.expr | None, str]:
    """``p`` of ``tl.load(p).to(tl.int32)``, also through a name, and what its data are then."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="to"), args=[kind, *_]):
            if isinstance(value, ast.Name):
                value = made.get(value.id, value)
            match value:
                case ast.Call(func=load, args=[pointer, *_]) if named(load) == "load":
                    if re.fullmatch(r"u?int(32|64)", named(kind)):
                        return pointer, _INDEX
                    if isinstance(kind, ast.Call) and named(kind.func) == "pointer_type":
                        return pointer, _ADDRESS
    return None, ""


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
        elif isinstance(node, ast.Call) and named(node.func) in _OF_POINTERS and node.args:
            node = node.args[0]
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
