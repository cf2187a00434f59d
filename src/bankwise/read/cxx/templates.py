"""Kernels that a source has as templates: code is made of them where they are instantiated only."""

from __future__ import annotations

import re
from collections.abc import Collection

from bankwise.read.cxx.tree import ByteSpan, CxxSource, in_template, without_comments
from bankwise.read.names import listed

_KERNEL = re.compile(rb"__global__[\w\s]*(?:\([^()]*\)\s*)?(?:void\s+)?\b(\w+)\s*\(")


def kernel_functions(text: bytes) -> dict[str, ByteSpan]:
    """The names of all ``__global__`` functions of a text, and where each stands first."""
    found: dict[str, ByteSpan] = {}
    for one in _KERNEL.finditer(without_comments(text)):
        found.setdefault(one[1].decode(), ByteSpan(*one.span(1)))
    return found


def uncompiled_templates(source: CxxSource, compiled: Collection[str]) -> tuple[str, ...]:
    """The kernels of the file itself that are templates and of which none of the functions named
    ``compiled`` was made."""
    found = kernel_functions(source.data)
    left = (name for name in found if name not in compiled)
    return tuple(name for name in left if in_template(source, found[name]))


def how_to_instantiate(names: Collection[str]) -> str:
    """What makes code of templates of kernels: a hint."""
    return (
        f"{listed(tuple(names))}: a template is compiled where it is instantiated; check a source "
        f"that does, or put `template __global__ void {next(iter(names))}<..>(..);` behind it"
    )
