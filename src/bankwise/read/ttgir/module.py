"""Opening a TTGIR text: what the module says about itself, its kernels, aliases and locations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bankwise.errors import InputError, Location
from bankwise.hardware.folders import machine_files
from bankwise.hardware.machine import machine
from bankwise.read.ttgir.text import operations, split_top, without_comment
from bankwise.read.ttgir.values import Module, Op, TritonFunction
from bankwise.regex import regex

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from bankwise.notation.triton import Encoding

_ALIAS = regex(r"^\s*#(\w+)\s*=\s*(#tt\w+\.(\w+).*?)\s*$")
_LOCATION = regex(r"^\s*(#loc\d*)\s*=\s*loc\((.*)\)\s*$")
_ATTRIBUTE = regex(r'"?((?:ttg|ttng)\.[\w\-]+)"?\s*=\s*("[^"]*"|-?\d+|true|false)')
_FUNCTION = regex(r"(?:(public|private)\s+)?@([\w$.\-]+|\"[^\"]*\")\s*\(")
_INTEGER = regex(r"(?:i\d+|index)\b")
_ENCODINGS = (
    *("blocked", "slice", "dot_op", "nvidia_mma", "amd_mfma", "linear", "generic_linear"),
    *("swizzled_shared", "amd_rotating_shared", "padded_shared", "nvmma_shared", "shared_linear"),
)
_NOT_READ = ("amd_wmma", "partitioned_shared")


def read_module(text: str, file: str, target: str = "", notes: tuple[str, ...] = ()) -> Module:
    """Read a TTGIR module. ``target``: to count for another machine than the text names.

    Raises :class:`InputError` with the line for text that is no TTGIR, for an encoding that
    Triton does not have, and for missing module attributes.
    """
    module = _module(text, file)
    said = dict(_ATTRIBUTE.findall(module.body))
    gpu, more = _target(said, target, Location(file, module.line))
    aliases, strange = _aliases(text, file)
    functions = {k.name: k for k in map(_function, _functions(module, file))}
    kernels = _kernels(module, functions, file)
    return Module(
        file,
        gpu,
        _number(said, "ttg.num-warps", file, module),
        _number(said, "ttg.threads-per-warp", file, module),
        kernels,
        aliases,
        strange,
        _locations(text),
        functions,
        (*notes, *more),
    )


def signatures(text: str, file: str) -> tuple[str, tuple[TritonFunction, ...]]:
    """The GPU of a TTGIR module and its kernels, for those who ask nothing of what these hold.

    Raises :class:`InputError` as :func:`read_module`, but of encodings.
    """
    module = _module(text, file)
    gpu, _ = _target(dict(_ATTRIBUTE.findall(module.body)), "", Location(file, module.line))
    functions = {k.name: k for k in map(_function, _functions(module, file))}
    return gpu, _kernels(module, functions, file)


def _module(text: str, file: str) -> Op:
    ops = operations(_checked(text, file), file)
    module = next((op for op in ops if op.name == "module"), None)
    if module is None:
        raise InputError(
            "no TTGIR in this file: it has no module",
            location=Location(file),
            hint="the file kernel.ttgir of a Triton cache entry, or compiled.asm['ttgir']",
        )
    return module


def _kernels(
    module: Op, functions: Mapping[str, TritonFunction], file: str
) -> tuple[TritonFunction, ...]:
    public = tuple(k for k in functions.values() if k.name in _public(module))
    if not public:
        raise InputError("no kernel in this module: no public tt.func", location=Location(file))
    return public


def _checked(text: str, file: str) -> str:
    if "#triton_gpu." in text or "triton_gpu.num-warps" in text:
        raise InputError(
            "this TTGIR was printed by a Triton before 3.2 (its dialect is triton_gpu)",
            location=Location(file),
            hint="compile the kernel with Triton 3.2 or later",
        )
    if "ttg." not in text:
        raise InputError(
            "no TTGIR in this file",
            location=Location(file),
            hint="the text behind the ttgir stage; ttir has no encodings yet",
        )
    return text


def _target(said: Mapping[str, str], given: str, where: Location) -> tuple[str, tuple[str, ...]]:
    text = _said_target(said)
    if text and not text.startswith(("cuda:", "hip:")):
        raise InputError(
            f"ttg.target = {text!r} is no GPU known here",
            location=where,
            hint='"cuda:80", "cuda:90", "hip:gfx942" and so on are known',
        )
    if not text and not given:
        raise InputError(
            "the module names no ttg.target",
            location=where,
            hint="pass --target, for example --target gfx942",
        )
    own = named_by_triton(text) if text else ()
    if not given and len(own) != 1:
        several = (
            f"{' and '.join(own)} are all {text!r}" if own else f"there is no machine {text!r}"
        )
        hint = "pass --target to count for another machine; `bankwise machines` lists them"
        raise InputError(several, location=where, hint=hint)
    if given and text and given not in own:
        return given, (f"the text is for {', '.join(own) or text}; counted for {given}",)
    return given or own[0], ()


def said_target(text: str) -> str:
    """What a TTGIR text calls its GPU ("cuda:90"); "" where it says none."""
    return _said_target(dict(_ATTRIBUTE.findall(text)))


def _said_target(said: Mapping[str, str]) -> str:
    return said.get("ttg.target", "").strip('"')


def named_by_triton(text: str) -> tuple[str, ...]:
    """The machines that Triton calls ``text`` ("cuda:90"), as their files say."""
    files = sorted(machine_files().items())
    # Parsing a dozen files takes longer than checking a kernel; most do not have the word.
    tools = ((name, machine(name).tools.triton) for name, file in files if _has(file, text))
    return tuple(name for name, said in tools if said and said.target == text)


def _has(file: Traversable, text: str) -> bool:
    try:
        return text.encode() in file.read_bytes()
    except OSError:  # whoever reads it says so
        return True


def _number(said: Mapping[str, str], name: str, file: str, module: Op) -> int:
    value = said.get(name, "")
    if not value.isdigit() or int(value) < 1 or int(value) & (int(value) - 1):
        raise InputError(
            f"the module attribute {name!r} is {value or 'missing'}: a power of two is needed",
            location=Location(file, module.line),
            hint=f'module attributes {{"{name}" = 4 : i32, ..}}',
        )
    return int(value)


def _aliases(text: str, file: str) -> tuple[dict[str, Encoding], dict[str, str]]:
    from bankwise.notation.triton import parse

    found: dict[str, Encoding] = {}
    strange: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        alias = _ALIAS.match(without_comment(line)) if "#tt" in line else None
        if alias is None or alias[3] == "shared_memory":
            continue
        if alias[3] not in _ENCODINGS:
            strange[alias[1]] = f"the encoding {alias[3]!r} is not read"
            _check_known(alias[2], alias[3], Location(file, number))
            continue
        uses = [n for n in re.findall(r"#(\w+)\b(?!\.)", alias[2]) if n in strange]
        try:
            found[alias[1]] = parse(alias[2], found)
        except InputError as error:
            if not uses and not _unread_encoding(error):
                place = Location(file, number)
                raise InputError(error.message, location=place, hint=error.hint) from error
            strange[alias[1]] = strange[uses[0]] if uses else error.message
    return found, strange


def _unread_encoding(error: InputError) -> bool:
    """Whether the encoding is Triton's, of a kind that is not read here."""
    return "several CTAs" in error.message or "not read here" in error.hint


def _check_known(text: str, name: str, where: Location) -> None:
    """Other dialects' attributes are passed over; an unknown one of ttg is an error."""
    if text.startswith("#ttg.") and name not in _NOT_READ:
        raise InputError(
            f"unknown encoding {name!r}",
            location=where,
            hint="known: " + ", ".join([*_ENCODINGS, *_NOT_READ]),
        )


def _locations(text: str) -> dict[str, str]:
    found = {}
    for line in text.splitlines():
        location = _LOCATION.match(line) if line.lstrip().startswith("#loc") else None
        if location:
            found[location[1]] = location[2]
    return found


def _functions(module: Op, file: str) -> list[Op]:
    inside = [op for region in module.regions for op in region]
    found = [op for op in inside if op.name == "tt.func"]
    for op in found:
        if not _FUNCTION.search(op.body) or len(op.regions) > 1:
            place = Location(file, op.line)
            raise InputError("a tt.func without a name or with two bodies", location=place)
    return found


def _public(module: Op) -> set[str]:
    inside = [op for region in module.regions for op in region if op.name == "tt.func"]
    heads = [_FUNCTION.search(op.body) for op in inside]
    return {head[2].strip('"') for head in heads if head and head[1] != "private"}


def _function(op: Op) -> TritonFunction:
    head = _FUNCTION.search(op.body)
    assert head is not None, "checked before"
    inside = op.body[head.end() :]
    depth, end = 1, len(inside)
    for at, char in enumerate(inside):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            end = at
            break
    given = [p.partition(":") for p in split_top(inside[:end], ",") if p]
    names = tuple(name.strip() for name, _, _ in given)
    sizes = tuple(_bytes(kind.strip()) for _, _, kind in given)
    body = tuple(op.regions[0]) if op.regions else ()
    whole = frozenset(name.strip() for name, _, kind in given if _INTEGER.match(kind.strip()))
    return TritonFunction(head[2].strip('"'), op.line, names, sizes, body, whole)


def _bytes(kind: str) -> int:
    """Bytes of a kernel argument; a pointer, or what is not known, takes 8."""
    found = re.match(r"(?:bf|f|i)(\d+)", kind)
    return max(1, int(found[1]) // 8) if found else 8
