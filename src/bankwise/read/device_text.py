"""A source without its host code: the same kernels, compiled in a fraction of the time.

    #include <torch/extension.h>                            a few of the standard's own
    template <int N> __global__ void k(float* p) { .. }     as it is
    void run(torch::Tensor t) { k<32><<<1, 32>>>(..); }     blanks
                                                            template __global__ void k<32>(float*);

A binding to a framework includes its headers, megabytes of them, for functions of the host alone;
nvcc parses them for the device as well, a minute for each text that is tried. Nothing here knows
what a host function or a header means to the kernels: whoever uses such a text compares the machine
code that it becomes with that of the whole one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from bankwise.read.launch.headers import long_headers
from bankwise.read.names import demangled

_TextSpan = tuple[int, int]


class DeviceText(Struct, frozen=True):
    """What makes a device's text of a source: ``headers`` in whose place a few usual ones stand;
    ``kernels`` by their mangled names, whose templates it instantiates; what is ``left`` out beside
    functions of the host, by its text."""

    headers: tuple[str, ...]
    kernels: tuple[str, ...]
    left: tuple[str, ...] = ()

    def of(self, text: str) -> str:
        """That text of a whole one, each line where it is."""
        gone = (
            (start, stop)
            for start, stop in _items(text)
            if _of_host(text[start:stop]) or text[start:stop].strip() in self.left
        )
        done, at = [], 0
        for start, stop in sorted((*gone, *_bodies(text, self.left))):
            blank = re.sub(r"[^\n]", " ", text[max(start, at) : stop])
            done += [text[at:start], blank]
            at = max(at, stop)
        more = filter(None, map(_instantiated, self.kernels))
        return "\n".join(("".join((*done, text[at:])), *more, ""))

    def at(self, text: str, line: int) -> str:
        """What may be left out as well at a line of a text: the body of the macro that it calls
        there, or what declares nothing of a device; "" where there is nothing of the kind."""
        lines = text.split("\n")
        if not 0 < line <= len(lines):
            return ""
        begin = sum(len(one) + 1 for one in lines[: line - 1])
        called = re.match(r"\s*(\w+)\s*\(", lines[line - 1])
        macros = (text[start:stop] for name, start, stop in _macros(text) if _is(name, called))
        stop = begin + len(lines[line - 1])
        items = (text[one:other] for one, other in _items(text) if one <= stop and begin < other)
        return next((s.strip() for s in (*macros, *items) if not _OF_DEVICE.search(s)), "")

    def put(self, folder: Path) -> str:
        """The flag of a compiler by which it finds what stands for the headers, in ``folder``."""
        absent = folder / "absent"
        for name in self.headers:
            path = absent / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_USUAL, "utf-8")
        return f"-I{absent}"


def device_text(text: str, file: Path, flags: tuple[str, ...]) -> DeviceText | None:
    """What may be left out of a source, the text of ``file``; None where nothing takes long."""
    headers = long_headers(text, file, flags)
    inside = tuple(name for name in headers if ".." not in Path(name).parts)
    return DeviceText(inside, ()) if inside else None


_BROUGHT = "algorithm cmath cstdint cstdio cstdlib cstring limits type_traits utility cuda_fp16.h"
_USUAL = "#pragma once\n" + "".join(f"#include <{name}>\n" for name in _BROUGHT.split())
"""What a source may have from a long header without including it itself."""

_OF_DEVICE = re.compile(r"\b(?:__global__|__device__|__shared__|__constant__)\b")
_MAY_BE_DEVICE = re.compile(r"\b(?:constexpr|consteval|[A-Z][A-Z0-9_]{2,})\b")
"""Before the name of a function: what makes it one of the device as well, or a macro that may."""

_SIGN = re.compile(
    r'//(?:\\\n|[^\n])*|/\*.*?\*/|R"(?P<mark>[^(\n]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|'(?:\\.|[^'\\\n])*'|^[ \t]*#(?:\\\n|[^\n])*|[{}();]",
    re.DOTALL | re.MULTILINE,
)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\([^()]*\)(?P<body>(?:\\\n|[^\n])*)", re.M)
_AROUND = re.compile(r"\s*(?:inline\s+)?(?:namespace\b[^()=;]*|extern\s*\"C(?:\+\+)?\"\s*)")
_TYPE = re.compile(r"\s*(?:class|struct|union|enum|using|typedef|static_assert)\b")


def _items(text: str) -> Iterator[_TextSpan]:
    """What stands at file scope and in namespaces, up to its semicolon or its last brace."""
    start = braces = parens = 0
    for sign in _SIGN.finditer(text):
        what = sign[0]
        parens += (what == "(") - (what == ")")
        if what == "{" and not braces and _AROUND.fullmatch(_plain(text[start : sign.start()])):
            start = sign.end()
            continue
        braces = max(0, braces + (what == "{") - (what == "}"))
        if braces or parens > 0:
            continue
        if what in ("}", ";"):
            yield start, sign.end()
        if what in ("}", ";") or what.lstrip().startswith("#"):
            start, parens = sign.end(), 0


def _plain(text: str) -> str:
    """A text without its comments."""
    return _SIGN.sub(lambda one: " " if one[0].startswith(("//", "/*")) else one[0], text)


def _macros(text: str) -> Iterator[tuple[str, int, int]]:
    """The macros that take something, and where the body of each lies."""
    for one in _DEFINE.finditer(text):
        yield one[1], one.start("body"), one.end("body")


def _is(name: str, called: re.Match[str] | None) -> bool:
    return called is not None and called[1] == name


def _bodies(text: str, left: tuple[str, ...]) -> Iterator[_TextSpan]:
    """Where the bodies of macros lie that are left out."""
    yield from (
        (start, stop) for _, start, stop in _macros(text) if text[start:stop].strip() in left
    )


def _of_host(item: str) -> bool:
    """Whether it is a function of the host alone, or says that there is one, as far as the text
    before its name tells."""
    head, body, _ = _plain(item).partition("{")
    head = _without_parameters(head)
    before, opens, _ = head.partition("(")
    typed, *name = before.rsplit(None, 1) or ("",)
    no_function = not opens or not (body or name) or _TYPE.match(head) or "=" in before
    return not (no_function or _OF_DEVICE.search(item) or _MAY_BE_DEVICE.search(typed * bool(name)))


def _without_parameters(head: str) -> str:
    """The head of a function behind the parameters of its template."""
    found = re.match(r"\s*template\s*<", head)
    if found is None:
        return head
    depth, at = 1, found.end()
    while at < len(head) and depth:
        depth += (head[at] == "<") - (head[at] == ">")
        at += 1
    return _without_parameters(head[at:])


def _instantiated(kernel: str) -> str:
    """The instantiation of a template whose instance a kernel is; empty of one of none."""
    spelled = demangled(kernel).replace("(anonymous namespace)::", "")
    return f"template __global__ {spelled};" if "<" in spelled.partition("(")[0] else ""
