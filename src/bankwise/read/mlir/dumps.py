"""Dumps of a compiler: which of them is read, and what of the others its kernel needs.

``--mlir-print-ir-after-all`` prints a function hundreds of times. It is read once, at the last
stage that has threads, loops and memrefs. Printed alone, the function has lost the executable that
it stands in; that was printed whole before, so its opening (target, bindings) and its
``dispatch_config`` (threads, workgroups) are taken from there:

    hal.executable private @mm_dispatch_0 {      from the dump after iree-hal-configure-executables
        builtin.module {
          iree_codegen.dispatch_config @mm ..    from the last dump of the module before the stage
    func.func @mm() { .. }                       from the dump of the stage

Printed with its whole module, the function comes with all executables; only its own is kept.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from bankwise.read.mlir.source import Edit
from bankwise.regex import regex


class Dump(Struct, frozen=True):
    """``text[start:end]`` is what one pass printed, banner and all. ``name``: of its operation."""

    start: int
    end: int
    name: str = ""


class KeptText(Struct, frozen=True):
    """``text[start:end]``, whole lines, with ``before`` and ``behind`` around them, which come from
    ``others`` of the text."""

    start: int
    end: int
    before: str = ""
    behind: str = ""
    others: tuple[tuple[int, int], ...] = ()


_BANNER = regex(r"^[ \t]*// -----// IR Dump [^\n]*$", re.M)
_FUNCTION = regex(r"func\.func (?:public |private )?@([\w$.-]+)")
_ANY_FUNCTION = regex(r"\b(?:func|llvm|util|gpu)\.func\b")
_SYMBOL = regex(r'@([\w$.-]+|"[^"]*")')
_SHARED = regex(r"\bmemref<[^\n]*\baddress_space<workgroup>|\bmemref<[^<>\n]*, 3(?: : i\d+)?>")
_OF_SHARED = ("address_space<workgroup>", ", 3>", ", 3 : i")
"""What :data:`_SHARED` does not match without: plain words are found in less time."""
_LOWERED = regex(r"\bllvm\.|\bcf\.(?:cond_)?br\b|\bvm\.")
_STAGE = "resolve-swizzle-hints"
"""The pass of IREE after which addresses are whole and loops and types are still there."""
_BANNER_LENGTH = 200
_EXECUTABLE = regex(r"^( *)hal\.executable (?:private |public )?@[\w$.\-]+ \{$", re.M)
_MODULE = regex(r"^ *builtin\.module\b[^\n]*\{\n", re.M)
_ALIAS = regex(r"^([#!][A-Za-z_]\w*) = [^\n]*\n", re.M)


def dumps(text: str) -> tuple[Dump, ...]:
    """All dumps of a text, in order."""
    starts = [match.start() for match in _BANNER.finditer(text)]
    ends = [*starts[1:], len(text)]
    return tuple(Dump(s, e, _symbol(text, s, e)) for s, e in zip(starts, ends, strict=False))


def _symbol(text: str, start: int, end: int) -> str:
    """The symbol of the operation a dump shows: in its banner if the whole module was printed,
    otherwise on its first line that is not a definition."""
    lines = _lines(text, start, end)
    banner = next(lines)
    code = (
        line for line in lines if line.strip() and not line.lstrip().startswith(("#", "!", "//"))
    )
    found = _SYMBOL.search(banner) or _SYMBOL.search(next(code, ""))
    return found[1] if found else ""


def _lines(text: str, at: int, end: int) -> Iterator[str]:
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        yield text[at:stop]
        at = stop + 1


def used(text: str, found: Sequence[Dump]) -> tuple[Dump, ...]:
    """Of each name the last dump. Where dumps go on past the stage that can be read (printed after
    all passes, say), of each kernel the one of that stage, and nothing else."""
    last = {dump.name: dump for dump in found}
    if len(found) > len(last):
        read = [dump for dump in found if _is_kernel(text, dump)]
        named = [dump for dump in read if dump.name] or read
        staged = [dump for dump in named if at_stage(text, dump)]
        of = {name: dump for dump in (*named, *staged) for name in _subjects(text, dump)}
        last = {str(dump.start): dump for dump in of.values()} or last
    return tuple(sorted(last.values(), key=lambda dump: dump.start))


def at_stage(text: str, dump: Dump) -> bool:
    """Whether the pass that printed it is the one whose dumps are read."""
    return _STAGE in text[dump.start : dump.start + _BANNER_LENGTH]


def of_function(text: str, dump: Dump) -> bool:
    """Whether it shows a function alone, without its module."""
    return _own(text, dump) is not None and not _EXECUTABLE.search(text, dump.start, dump.end)


def _subjects(text: str, dump: Dump) -> Iterable[str]:
    """The kernels that a dump shows: the function that it is of, or all."""
    return (dump.name,) if _own(text, dump) else kernels(text, dump) or (dump.name,)


def _own(text: str, dump: Dump) -> tuple[int, int] | None:
    """Where the function that a dump is of begins and ends at most, if it is of one."""
    for found in _FUNCTION.finditer(text, dump.start, dump.end):
        if found[1] == dump.name:
            more = _ANY_FUNCTION.search(text, found.end(), dump.end)
            return found.start(), more.start() if more else dump.end
    return None


def _is_kernel(text: str, dump: Dump) -> bool:
    """Whether shared memory is accessed through memrefs, in loops that are still loops."""
    start, end = _own(text, dump) or (dump.start, dump.end)
    return _has_shared(text, start, end) and not _LOWERED.search(text, start, end)


def _has_shared(text: str, start: int, end: int) -> bool:
    """Whether a memref of shared memory stands there."""
    words = any(text.find(word, start, end) >= 0 for word in _OF_SHARED)
    return words and _SHARED.search(text, start, end) is not None


def kernels(text: str, dump: Dump) -> set[str]:
    """The functions of a dump that have shared memory."""
    functions = [*_FUNCTION.finditer(text, dump.start, dump.end)]
    ends = [*(match.start() for match in functions), dump.end][1:]
    pairs = zip(functions, ends, strict=True)
    return {match[1] for match, end in pairs if _has_shared(text, match.start(), end)}


def alone(text: str, dump: Dump) -> tuple[KeptText, ...]:
    """What of ``text`` makes the kernel of a dump a program that compiles; all of the dump where
    there is no executable for it."""
    whole = (KeptText(dump.start, dump.end),)
    own = _own(text, dump)
    if own is None:
        return whole
    around = list(_EXECUTABLE.finditer(text, dump.start, own[0]))
    if around:
        end = _closed(text, own[0], around[-1][1], dump.end)
        defined = (KeptText(*m.span()) for m in _ALIAS.finditer(text, dump.start, own[0]))
        return (*defined, KeptText(around[-1].start(), end)) if end else whole
    head, config = _opening(text, dump), _config(text, dump)
    if head is None or config is None:
        return whole
    opening, launch = (text[one.start : one.end] for one in (head, config))
    lines = opening.split("\n")
    depth = sum(line.endswith("{") for line in lines) - sum(line.strip() == "}" for line in lines)
    others = (head.start, head.end), (config.start, config.end)
    # Where other dumps were left out, the head of the next kernel may stand behind this one.
    end = _closed(text, own[0], "", own[1]) or dump.end
    return (KeptText(dump.start, end, opening + launch, "}\n" * depth, others),)


def _closed(text: str, at: int, indent: str, end: int) -> int:
    """Just behind the line with the brace that closes what was opened with this indent."""
    found = text.find(f"\n{indent}}}\n", at, end)
    return found + len(indent) + 3 if found >= 0 else 0


def _opening(text: str, dump: Dump) -> KeptText | None:
    """The executable of a function up to its module, as it was last printed before."""
    export, opening = f"hal.executable.export public @{dump.name} ", None
    for found in _EXECUTABLE.finditer(text, 0, dump.start):
        end = _closed(text, found.end(), "", dump.start) or dump.start
        module = _MODULE.search(text, found.end(), end)
        if not found[1] and module and text.find(export, found.end(), module.start()) >= 0:
            opening = KeptText(found.start(), module.end())
    return opening


def _config(text: str, dump: Dump) -> KeptText | None:
    """What a launch of a function is, as it was last printed before."""
    at = text.rfind(f"iree_codegen.dispatch_config @{dump.name} workgroup_size", 0, dump.start)
    start = text.rfind("\n", 0, at) + 1
    end = _closed(text, at, text[start:at], dump.start) if at >= 0 else 0
    return KeptText(start, end) if end else None


def blanked(
    text: str, read: Sequence[Dump], kept: Iterable[KeptText]
) -> tuple[str, tuple[KeptText, ...]]:
    """``text`` with every line empty that is not in ``kept`` and no banner of what is ``read``, so
    that lines keep their numbers; and where what is kept lies in it."""
    kept = tuple(kept)
    spans = {(d.start, text.find("\n", d.start) + 1 or len(text)) for d in read}
    spans |= {span for k in kept for span in ((k.start, k.end), *k.others)}
    parts: list[str] = []
    starts, moved = [0], [0]
    at = size = 0
    for start, end in sorted(spans):
        if end <= at:
            continue
        start = max(start, at)
        lines = text.count("\n", at, start)
        parts += ["\n" * lines, text[start:end]]
        starts.append(start)
        moved.append(size + lines)
        size, at = size + lines + end - start, end
    parts.append("\n" * text.count("\n", at))

    def to(offset: int) -> int:
        part = bisect_right(starts, offset) - 1
        return moved[part] + offset - starts[part]

    new = (replace(k, start=to(k.start), end=to(k.end - 1) + 1, others=()) for k in kept)
    return "".join(parts), tuple(new)


def renamed(text: str, parts: Iterable[Sequence[KeptText]]) -> Iterator[Edit]:
    """The aliases of all but the first of several modules, by names of their own."""
    for number, kept in enumerate(parts):
        names = {m[1] for k in kept for m in _ALIAS.finditer(text, k.start, k.end)}
        if not number or not names:
            continue
        longest = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        word = re.compile(rf"(?:{longest})(?![\w.$-])")
        for each in kept:
            for found in word.finditer(text, each.start, each.end):
                yield Edit(*found.span(), f"{found[0]}_of{number}")
