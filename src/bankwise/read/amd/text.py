"""An assembly text as lines that no macro hides any more, and what is where in it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from bankwise.identity import ByIdentity
from bankwise.read.amd.macros import unfolded
from bankwise.regex import regex

LABEL = regex(r'^("[^"]+"|[\w.$@?]+):')
_TARGET = regex(r'^\s*\.amdgcn_target\s+"[^"]*?-?(gfx\w+)', re.MULTILINE)
_FILE = regex(r'\.file\s+(\d+)\s+(?:"([^"]*)"\s+)?"([^"]*)"')

_STRING = regex(r'\.asciz\s+"([^"]*)"')


class AmdText(ByIdentity, frozen=True, eq=False):
    """``lines``, unfolded, and their ``numbers`` in the text, from 1. ``labels``: the line at which
    each is; ``descriptors``: those at which one of a kernel begins, with the kernel's name;
    ``files``: that ``.loc`` names by number; ``metadata``: of the code object. ``gpu``: that the
    text names; ``producer``: who made it, as its line tables say; "" if none."""

    lines: tuple[str, ...]
    numbers: tuple[int, ...]
    labels: Mapping[str, int]
    descriptors: tuple[tuple[int, str], ...]
    files: Mapping[str, str]
    metadata: str
    gpu: str
    producer: str


def target(text: str) -> str:
    """The GPU that the text names, empty if none."""
    found = _TARGET.search(text) or re.search(r"^amdhsa\.target:.*?-(gfx\w+)", text, re.MULTILINE)
    return found[1] if found else ""


@lru_cache(maxsize=4)
def amd_text(text: str) -> AmdText:
    """``text``, unfolded and looked through once."""
    found = unfolded(text)
    lines = tuple(line for _, line in found)
    labels: dict[str, int] = {}
    for at, line in enumerate(lines):
        name = LABEL.match(line) if ":" in line else None
        if name:
            labels.setdefault(name[1], at)
    starts = (n for n, line in enumerate(lines) if line.strip() == "amdhsa.kernels:")
    first = next(starts, len(lines))
    return AmdText(
        lines=lines,
        numbers=tuple(number for number, _ in found),
        labels=labels,
        descriptors=tuple(_descriptors(lines)),
        files={number: whole for number, _, whole in named_files(lines)},
        metadata="\n".join(lines[first:]),
        gpu=target(text),
        producer=_producer(lines, labels),
    )


def _producer(lines: tuple[str, ...], labels: Mapping[str, int]) -> str:
    """DW_AT_producer of the first unit, whose strings LLVM writes in the order of their use."""
    at = labels.get(".Linfo_string0")
    found = None if at is None else _STRING.search(" ".join(lines[at : at + 2]))
    return found[1] if found else ""


def _descriptors(lines: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    for at, line in enumerate(lines):
        words = line.partition(";")[0].split() if ".amdhsa_kernel" in line else []
        if len(words) == 2 and words[0] == ".amdhsa_kernel":
            yield at, words[1]


def named_files(lines: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Of each ``.file``: its number, its name as written, and with the folder it stands in; some
    stand behind their first use."""
    for line in lines:
        found = _FILE.search(line) if ".file" in line else None
        if found:
            yield found[1], found[3], posixpath.join(found[2] or "", found[3])
