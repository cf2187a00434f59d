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
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct

from bankwise.read.launch.headers import long_headers
from bankwise.read.macro_lines import macro_lines
from bankwise.read.names import demangled, own, without_templates

_TextSpan = tuple[int, int]


class DeviceText(Struct, frozen=True):
    """What makes a device's text of a source: ``headers`` in whose place a few usual ones stand;
    ``kernels`` by their mangled names, whose templates it instantiates; what is ``left`` out beside
    functions of the host, by its text. ``others``: kernels without their bodies, by the names of
    their functions, and without what they alone use; ``included``: which headers in angle brackets
    stay, None for all."""

    headers: tuple[str, ...]
    kernels: tuple[str, ...]
    left: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()
    included: frozenset[str] | None = None

    def has(self, kernel: str) -> bool:
        """Whether a kernel has its body, by its mangled name."""
        return function_of(kernel) not in self.others

    def of(self, text: str) -> str:
        """That text of a whole one, each line where it is."""
        items, mine = list(_items(text)), frozenset(map(function_of, self.kernels))
        gone = [one for one in items if self._is_left_out(text[slice(*one)], mine)]
        gone += [*_bodies(text, self.left), *self._includes(text)]
        gone += self._kernel_bodies(text, set(items).difference(gone))
        if self.others:
            gone += _unused(text, set(items).difference(gone), gone)
        more = filter(None, map(_instantiated, self.kernels))
        return "\n".join((_blanked(text, gone), *more, ""))

    def _is_left_out(self, item: str, mine: frozenset[str]) -> bool:
        """Whether what stands at file scope is of the host, another kernel, or ``left``. ``mine``:
        the names of the kernels' functions, which a macro may make ones of the device."""
        if item.strip() in self.left:
            return True
        return _of_host(item) and not (_declared(item) in mine and _BY_MACRO.match(_plain(item)))

    def _kernel_bodies(self, text: str, items: Iterable[_TextSpan]) -> Iterator[_TextSpan]:
        """What stands between the braces of the other kernels: which instances a source has decides
        what nvcc makes of the rest, and so they stay. What the preprocessor is told does, too."""
        for start, stop in items:
            item = text[start:stop]
            if _declared(item) in self.others and not _is_device_function(item):
                at = start + _opening(item) + 1
                for sign in _SIGN.finditer(text, at, stop - 1):
                    if sign[0].lstrip().startswith("#") and "pragma" not in sign[0]:
                        yield at, sign.start()
                        at = sign.end()
                yield min(at, stop - 1), stop - 1

    def _includes(self, text: str) -> Iterator[_TextSpan]:
        """Where headers in angle brackets are included that do not stay."""
        every = _ANGLED.finditer(text) if self.included is not None else ()
        yield from (one.span() for one in every if one[1] not in (self.included or ()))

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
        return next((s.strip() for s in (*macros, *items) if self._may_go(s)), "")

    def _may_go(self, item: str) -> bool:
        """Whether something may be left out: beside a few kernels also functions of the device."""
        function = bool(self.others) and _is_device_function(item)
        return function or not _OF_DEVICE.search(item)

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


def usual_headers() -> frozenset[str]:
    """What kernels may need of the standard's own headers, and of the toolkit's."""
    return frozenset((*_BROUGHT.split(), *_NEEDED.split()))


_NEEDED = (
    "assert.h cassert cfloat climits float.h limits.h math.h stdint.h stdio.h cuda_bf16.h mma.h"
)
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
_ANGLED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>", re.MULTILINE)
_DEVICE_FUNCTION = re.compile(r"\b__device__\b(?=[^=]*\()")
_BY_MACRO = re.compile(r"\s*[A-Za-z_]\w*\s*\([^()]*\)\s*\w+\s*\(")
"""What begins like ``KERNEL(256) name(``."""
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


def _blanked(text: str, spans: Iterable[_TextSpan]) -> str:
    """A text with blanks there, each line where it is."""
    done, at = [], 0
    for start, stop in sorted(spans):
        blank = re.sub(r"[^\n]", " ", text[max(start, at) : stop])
        done += [text[at:start], blank]
        at = max(at, stop)
    return "".join((*done, text[at:]))


def _declared(item: str) -> str:
    """The name of a function that is defined or declared; "" of what is none."""
    head = _plain(item[: _opening(item)])
    plain = _without_parameters(head)
    taken, depth = -1, 0
    for at, sign in enumerate(plain):
        taken = at if sign == "(" and not depth else taken
        depth += (sign == "(") - (sign == ")")
    found = re.search(r"(\w+)\s*$", without_templates(plain[: max(taken, 0)], 0))
    return found[1] if found else ""


def _is_device_function(item: str) -> bool:
    """Whether it defines or declares a function that kernels may call."""
    head = _plain(item[: _opening(item)])
    return bool(_DEVICE_FUNCTION.search(head) and not _TYPE.match(head) and _declared(item))


def _opening(item: str) -> int:
    """Where the body of a function begins, or it ends without one."""
    signs = (sign.start() for sign in _SIGN.finditer(item) if sign[0] in "{;")
    return next(signs, len(item))


def function_of(kernel: str) -> str:
    """The function whose instance a kernel is, by its own name."""
    return own(demangled(kernel))


def _unused(text: str, items: Iterable[_TextSpan], gone: Iterable[_TextSpan]) -> list[_TextSpan]:
    """The functions of the device that nothing names, beside what is ``gone``."""
    named = ((one, text[slice(*one)]) for one in items)
    left = {one: _declared(item) for one, item in named if _is_device_function(item)}
    words = set(re.findall(r"\w+", _blanked(text, (*gone, *left))))
    while used := [one for one, name in left.items() if not name or name in words]:
        for one in used:
            words.update(re.findall(r"\w+", text[slice(*one)]))
            del left[one]
    return list(left)


def _macros(text: str) -> Iterator[tuple[str, int, int]]:
    """The macros that take something, and where the body of each lies."""
    for one in macro_lines(text):
        if one.taken is not None:
            yield one.name, *one.body_span


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
