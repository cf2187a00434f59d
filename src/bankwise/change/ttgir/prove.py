"""The judge of an edit of encodings: both texts again, and nothing of who wrote it.

What is decided: the two texts are one text but for the encodings of memory descriptors and for what
names of ``blocked`` distributions mean. Each allocation keeps every element in a place of its own;
no operation that depends on the encoding itself (a matrix or copy unit, another type for the same
bytes) sees another one, and none whose result depends on who holds what (a sum has an order)
another distribution. Beyond that an encoding in TTGIR says only where elements lie, a distribution
who holds them. So both texts mean the same; that Triton lowers both rightly is left to it, and to
those who execute.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from bankwise.counting.access import distinct
from bankwise.errors import Location, Refusal
from bankwise.notation.triton import memory
from bankwise.notation.values import points
from bankwise.read.ttgir.follow import follow
from bankwise.read.ttgir.module import read_module
from bankwise.read.ttgir.text import every, operations
from bankwise.read.ttgir.types import Types
from bankwise.read.ttgir.values import Buffer, Op

_ALIAS = re.compile(r"^\s*(#\w+) = (#tt\w+\..*?)\s*$")
_USE = re.compile(r"#\w+\b(?![.\w~])")
_MEMORY = re.compile(
    r"((?:!ttg\.memdesc|-> )<(?:\d+x)+[\w!.]+(?:<[^<>]*>)?, )"
    r"(?:#ttg\.\w+<(?:\{[^}]*\}|[^{}<>]*\{[^}]*\})(?:, alignment = \d+)?>|#\w+)"
)
"""The type of a memory descriptor up to its encoding, and that, spelled out or as a name."""

_DEPENDS = re.compile(r"\b(?:ttng\.|amdg\.async_tdm_|ttg\.memdesc_reinterpret\b|tt\.call\b)")
_ORDER = re.compile(
    r"\btt\.(?:reduce|scan|dot|dot_scaled|histogram|gather|atomic_\w+|print|extern_elementwise"
    r"|elementwise_inline_asm|map_elementwise)\b|\bamdg\.buffer_atomic_"
)
_EITHER = re.compile(r"\bttng\.warp_group_dot_wait\b")


def prove_encodings(before: str, after: str, file: str) -> tuple[str, ...] | Refusal:
    """The names of the buffers whose encodings differ; a Refusal if anything else does."""
    names = _renamed(before, after)
    old, new = (list(_erased(text, names)) for text in (before, after))
    ordered = _ordered(before, file, names) if names else None
    if ordered is not None:
        place = Location(file, ordered.line)
        return Refusal(f"its result depends on who holds what: {ordered.name}", place)
    for number, (one, other) in enumerate(zip(old, new, strict=False)):
        if one != other:
            return Refusal(f"operation {number + 1} is another one: {other[:80]!r}")
    if len(old) != len(new):
        return Refusal(f"{len(old)} lines before, {len(new)} after")
    buffers = _buffers(before, file), _buffers(after, file)
    called = [[name for name, _ in each] for each in buffers]
    if called[0] != called[1]:
        return Refusal("the buffers are not the same")
    changed = [new for (_, old), (_, new) in zip(*buffers, strict=True) if old.type != new.type]
    for found in map(_apart, changed):
        if found is not None:
            return found
    return tuple(buffer.name for buffer in changed)


def _aliases(text: str) -> dict[str, str]:
    return {m[1]: m[2] for m in map(_ALIAS.match, text.split("\n")) if m}


def _renamed(before: str, after: str) -> set[str]:
    """Names of ``blocked`` distributions that mean another one afterwards, marked as lines have
    them."""
    old, new = _aliases(before), _aliases(after)
    both = (name for name in old if old[name] != new.get(name, old[name]))
    blocked = (n for n in both if all(x[n].startswith("#ttg.blocked<") for x in (old, new)))
    return {f"{name}~" for name in blocked}


def _ordered(text: str, file: str, names: set[str]) -> Op | None:
    """An operation whose result depends on who holds what, under one of some distributions; its
    types stand behind its region."""
    known = {**_aliases(text), **{name.removesuffix("~"): name for name in names}}
    for op in every(operations(text, file)):
        spelled = _spelled(f"{op.body} {op.types}", known) if _ORDER.search(op.name) else ""
        if any(name in spelled for name in names):
            return op
    return None


def _erased(text: str, kept: set[str]) -> Iterator[str]:
    """Every line but definitions of aliases, with aliases spelled out but those ``kept``, and
    without the encodings of memory where these may differ."""
    lines = text.split("\n")
    marked = {name.removesuffix("~"): name for name in kept}
    known = {**_aliases(text), **marked}
    for line in lines:
        if _ALIAS.match(line):
            continue
        free = not _DEPENDS.search(line) or _EITHER.search(line)
        erased = _MEMORY.sub(r"\1_", line) if free else line
        yield _spelled(erased, known)


def _spelled(line: str, known: Mapping[str, str]) -> str:
    for _ in range(len(known) + 1):
        spelled = _USE.sub(lambda m: known.get(m[0], m[0]), line)
        if spelled == line:
            break
        line = spelled
    return line


def _buffers(text: str, file: str) -> list[tuple[str, Buffer]]:
    """Of every kernel, in the order of the text; line numbers in names are not compared."""
    module = read_module(text, file)
    types = Types(file, module.aliases, module.strange)
    followed = ((kernel, follow(module, kernel, types, {})) for kernel in module.kernels)
    return [
        (f"{kernel.name}: {buffer.name.partition(':')[0]}", buffer)
        for kernel, found in followed
        for buffer in found.buffers
    ]


def _apart(buffer: Buffer) -> Refusal | None:
    """Whether every element has bytes of its own."""
    laid = memory(buffer.type.encoding, buffer.type.shape)
    offsets = laid.offsets(points(buffer.type.shape))
    if len(distinct(offsets)) != offsets.size or offsets.min() < 0 or offsets.max() >= laid.size:
        return Refusal(f"{buffer.name}: two elements lie in one place under the new encoding")
    return None
