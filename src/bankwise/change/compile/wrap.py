"""Making a kernel's text compilable again, without moving a line of it.

A kernel comes as a whole program, as an executable (``stream.executable``, ``hal.executable``,
``hal.executable.source``) or as the bare function that a pass printed. The compiler wants an
executable whose function says that it is already lowered (``no_pipeline``) and how large its
workgroups are. Both are added here *on the lines that are there*, so that every line number in a
diagnostic is one of the user's text.

Only text is handled: nothing here can crash on a kernel, and no binding is imported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from bankwise.errors import Refusal
from bankwise.regex import regex

_FUNCTION = regex(r"\b(func\.func|gpu\.func)\s+(?:public\s+|private\s+)?@([\w$.\-]+)\s*\(")
_EXECUTABLE = regex(r"\b(?:stream\.executable|hal\.executable\.source)\b")
_HAL_EXECUTABLE = regex(r"\bhal\.executable\s+(?:public\s+|private\s+)?@([\w$.\-]+)")
_ALIAS = regex(r"^[#!][A-Za-z_]\w* = [^\n]*", re.MULTILINE)
_MODULE = regex(r"^[ \t]*(?:builtin\.)?module\b[^\n]*\{", re.MULTILINE)
_LOWERED = regex(r"\bgpu\.(?:thread|lane)_id\b|#gpu\.address_space<workgroup>")
_BLOCK_SIZE = regex(r"\bknown_block_size\s*=\s*array<i32:\s*(\d+),\s*(\d+),\s*(\d+)>")
_DISPATCH = regex(
    r"\bdispatch_config\s+@([\w$.\-]+)\s+workgroup_size\s*=\s*\[([\d,\s]+)\]"
    r"(?:\s*subgroup_size\s*=\s*(\d+))?"
)
_THREADS = regex(r"\bgpu\.thread_id\s+([xyz])(?:\s+upper_bound\s+(\d+))?")
_SHARED = regex(r"#gpu\.address_space<workgroup>|,\s*3\s*(?::\s*i32\s*)?>\s*$")

Size = tuple[int, ...]


class CompilerInput(Struct, frozen=True):
    """A text that ``iree-compile`` takes, and the arguments that say what it is."""

    text: str
    arguments: tuple[str, ...] = ()


class _Function(Struct, frozen=True):
    """Where a function's parts are: ``text[start:end]``, ``text[body]`` is its opening brace."""

    name: str
    device: bool
    start: int
    end: int
    body: int
    arguments: str
    header: str


def prepare(
    text: str, *, kernel: str = "", workgroup_size: Size | None = None, wave_size: int = 64
) -> CompilerInput | Refusal:
    """The text as the compiler takes it.

    ``kernel`` picks a function where there are several; ``workgroup_size`` is needed where the text
    does not state it. Of several executables, or of one in a program, the kernel's own is taken. A
    :class:`Refusal` says what is missing.
    """
    text = _own_executable(text, kernel)
    clean = _blank(text)
    functions = [f for m in _FUNCTION.finditer(clean) if (f := _function(text, clean, m))]
    device = [f for f in functions if f.device or _LOWERED.search(clean, f.body, f.end)]
    chosen = [f for f in device if kernel in ("", f.name)]
    program = bool(_EXECUTABLE.search(clean) or _HAL_EXECUTABLE.search(clean))
    if not program and len(chosen) > 1:
        return Refusal(f"several kernels: {', '.join(f.name for f in chosen)}; name one")
    if not program and chosen:
        return _bare(text, clean, functions, chosen[0], workgroup_size, wave_size)
    arguments = ("--compile-mode=hal-executable",) if _HAL_EXECUTABLE.search(clean) else ()
    for function in reversed(device):
        if "translation_info" in function.header:
            continue
        size = workgroup_size or _size(clean, function)
        if size is None:
            return _no_size(function)
        header = _configured(function.header, size, _wave(clean, function, wave_size))
        text = text[: function.body - len(function.header)] + header + text[function.body :]
    return CompilerInput(text, arguments)


def executables(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The executables of a text by name, each with the functions in it."""
    clean = _blank(text)
    return tuple(
        (match[1], tuple(f[2] for f in _FUNCTION.finditer(clean, *span)))
        for match, span in _executables(clean)
    )


def _executables(clean: str) -> Iterator[tuple[re.Match[str], tuple[int, int]]]:
    for match in _HAL_EXECUTABLE.finditer(clean):
        body = clean.find("{", match.end())
        if body >= 0:
            yield match, (match.start(), _close(clean, body) + 1)


def _own_executable(text: str, kernel: str) -> str:
    """The text without whatever stands beside the executable of ``kernel``, lines kept; as it is
    where it has no such executable.

    It becomes public: a private one that nobody dispatches is dropped, and iree-compile 3.13 then
    crashes for want of it.
    """
    clean = _blank(text)
    found = [span for _, span in _executables(clean)]
    own = [s for s in found if any(kernel in ("", f[2]) for f in _FUNCTION.finditer(clean, *s))]
    if len(own) != 1:
        return text
    (start, end), aliases = own[0], [m.span() for m in _ALIAS.finditer(text)]
    name = text.index("@", start)
    public = text[start:name].replace("private", "public") + text[name:end]
    beside = _ALIAS.sub("", f"{clean[:start]}{clean[end:]}")
    if not _MODULE.sub("", beside).replace("}", "").strip():
        return f"{text[:start]}{public}{text[end:]}"
    parts, at = [], 0
    for first, last in sorted({*aliases, (start, end)}):
        parts += [_lines(text[at:first]), public if first == start else text[first:last]]
        at = last
    return "".join((*parts, _lines(text[at:])))


def _bare(
    text: str,
    clean: str,
    functions: list[_Function],
    kernel: _Function,
    workgroup_size: Size | None,
    wave_size: int,
) -> CompilerInput | Refusal:
    """One function inside a new executable; other functions are left out."""
    header = kernel.header
    if "translation_info" not in header:
        size = workgroup_size or _size(clean, kernel)
        if size is None:
            return _no_size(kernel)
        wave = _wave(clean, kernel, wave_size)
        header = _configured("" if kernel.device else header, size, wave)
    arguments = _arguments(kernel)
    if isinstance(arguments, Refusal):
        return arguments
    layout = _layout(len(arguments)) if arguments else _stated_layout(text, clean, kernel)
    if not layout:
        return Refusal(f"{kernel.name} has neither arguments nor bindings: nothing to compile")
    function = _function_text(text, kernel, header, arguments, layout)
    before = _without(text[: kernel.start], clean, 0, functions)
    after = _without(text[kernel.end :], clean, kernel.end, functions)
    before, after = _outside_device_module(before, after, clean, kernel)
    opening = (
        "hal.executable.source public @bankwise { "
        f"hal.executable.export public @{kernel.name} ordinal(0) layout({layout}) "
        "count(%d: !hal.device, %x: index, %y: index, %z: index) -> (index, index, index) "
        "{ hal.return %x, %y, %z : index, index, index } builtin.module { "
    )
    return CompilerInput(f"{before}{opening}{function} }} }}{after}")


def _outside_device_module(
    before: str, after: str, clean: str, kernel: _Function
) -> tuple[str, str]:
    """The text around the kernel without the ``gpu.module`` it stands in, if any."""
    opened = re.search(r"\bgpu\.module\b[^{]*\{", clean[: kernel.start])
    if opened is None:
        return before, after
    first, last = opened.span()
    close = _close(clean, last - 1) - kernel.end
    return (
        before[:first] + _lines(before[first:last]) + before[last:],
        after[:close] + after[close + 1 :],
    )


def _function_text(
    text: str, kernel: _Function, header: str, arguments: list[tuple[str, str]], layout: str
) -> str:
    """The kernel as a ``func.func`` without arguments, its bindings and buffers made inside."""
    loads = "".join(
        f" {name} = hal.interface.binding.subspan layout({layout}) binding({i}) : {kind}"
        for i, (name, kind) in enumerate(arguments)
    )
    allocs = "".join(f" {n} = memref.alloc() : {k}" for n, k in _attributions(kernel))
    body = text[kernel.body + 1 : kernel.end]
    ends = "\n" * (text.count("\n", kernel.start, kernel.body) - header.count("\n"))
    if kernel.device:
        body = re.sub(r"\bgpu\.return\b", "return", body)
    return f"func.func @{kernel.name}() {ends}{header}{{{loads}{allocs}{body}"


def _stated_layout(text: str, clean: str, kernel: _Function) -> str:
    """The pipeline layout that the function's own bindings name; empty if there is none."""
    at = clean.find(" layout(", kernel.body, kernel.end)
    if at < 0:
        return ""
    first = at + len(" layout(")
    layout = text[first : _close(clean, first - 1)]
    return layout if layout.startswith("#") else f"#hal.pipeline.layout{layout}"


def _arguments(kernel: _Function) -> list[tuple[str, str]] | Refusal:
    """(name, type) of the arguments that can be bound: global memrefs of static shape."""
    found = []
    for argument in _split(kernel.arguments):
        name, _, kind = (part.strip() for part in argument.partition(":"))
        kind = re.sub(r"\s*\{[^{}]*\}\s*$", "", kind)
        if not kind.startswith("memref<") or "?" in kind or _SHARED.search(kind):
            return Refusal(
                f"argument {name} of {kernel.name} is a {kind}: only memrefs of static shape "
                "in global memory can be bound"
            )
        found.append((name, kind))
    return found


def _attributions(kernel: _Function) -> list[tuple[str, str]]:
    """(name, type) of a gpu.func's ``workgroup(..)`` buffers."""
    at = re.search(r"\bworkgroup\s*\(", kernel.header)
    if at is None:
        return []
    inside = kernel.header[at.end() : _close(kernel.header, at.end() - 1)]
    pairs = (part.partition(":") for part in _split(inside))
    return [(n.strip(), re.sub(r"\s*\{[^{}]*\}\s*$", "", k.strip())) for n, _, k in pairs]


def _configured(header: str, size: Size, wave_size: int) -> str:
    """What stands between a function's arguments and its body, with ``translation_info`` added."""
    info = _info(size, wave_size)
    old = re.search(r"\battributes\s*\{", header)
    if old is None:
        return f"{header}attributes {{{info}}} "
    return f"{header[: old.end()]}{info}, {header[old.end() :]}"


def _info(size: Size, wave_size: int) -> str:
    return (
        "translation_info = #iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline "
        f"workgroup_size = {list(size)} subgroup_size = {wave_size}>"
    )


def _layout(bindings: int) -> str:
    each = ", ".join(["#hal.pipeline.binding<storage_buffer>"] * bindings)
    return f"#hal.pipeline.layout<bindings = [{each}]>"


def _size(clean: str, function: _Function) -> Size | None:
    """The workgroup size that the text states: block size, dispatch config or id bounds."""
    stated = _BLOCK_SIZE.search(function.header)
    if stated:
        return tuple(map(int, stated.groups()))
    config = _config(clean, function)
    if config:
        return tuple(int(n) for n in config[2].split(","))
    bounds = dict(_THREADS.findall(clean[function.body : function.end]))
    if not bounds or "" in bounds.values():
        return None
    return tuple(int(bounds.get(d, 1)) for d in "xyz")


def _config(clean: str, function: _Function) -> re.Match[str] | None:
    """What the text says of the function's launch beside it."""
    return next((m for m in _DISPATCH.finditer(clean) if m[1] == function.name), None)


def _wave(clean: str, function: _Function, wave_size: int) -> int:
    """Lanes of a wave as the text says them, or what is given."""
    config = _config(clean, function)
    return int(config[3]) if config and config[3] else wave_size


def _no_size(function: _Function) -> Refusal:
    return Refusal(f"{function.name} does not say how large its workgroups are")


def _function(text: str, clean: str, match: re.Match[str]) -> _Function | None:
    """The function whose name ``match`` found; None for a declaration."""
    stop = _close(clean, match.end() - 1)
    at = stop + 1
    while (step := re.compile(r"[^{}]*?\battributes\s*\{").match(clean, at)) is not None:
        at = _close(clean, step.end() - 1) + 1
    body = re.compile(r"[^{}]*\{").match(clean, at)
    if body is None:
        return None
    return _Function(
        name=match[2],
        device=match[1] == "gpu.func",
        start=match.start(),
        end=_close(clean, body.end() - 1) + 1,
        body=body.end() - 1,
        arguments=text[match.end() : stop].strip(),
        header=text[stop + 1 : body.end() - 1],
    )


def _without(part: str, clean: str, offset: int, functions: list[_Function]) -> str:
    """``part`` (at ``offset`` in the text) with every function in it blanked, lines kept."""
    for f in reversed(functions):
        first, last = f.start - offset, f.end - offset
        if first >= 0 and last <= len(part):
            part = part[:first] + _lines(part[first:last]) + part[last:]
    return part


def _lines(part: str) -> str:
    """Blanks of the same length, line ends kept."""
    return re.sub(r"[^\n]", " ", part)


def _blank(text: str) -> str:
    """The text with strings and comments blanked, every character in its place."""
    return re.sub(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*', lambda m: " " * len(m[0]), text)


def _close(clean: str, at: int) -> int:
    """Where the bracket opened at ``at`` is closed; the end of the text if it never is."""
    opening = clean[at]
    closing = {"(": ")", "{": "}"}[opening]
    depth = 0
    for found in re.compile(f"[{opening}{closing}]").finditer(clean, at):
        depth += 1 if found[0] == opening else -1
        if not depth:
            return found.start()
    return len(clean) - 1


def _split(arguments: str) -> list[str]:
    """Split at commas outside all brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(arguments.replace("->", "  ")):
        depth += (c in "(<[{") - (c in ")>]}")
        if c == "," and not depth:
            parts.append(arguments[start:i])
            start = i + 1
    return [p for p in (*parts, arguments[start:]) if p.strip()]
