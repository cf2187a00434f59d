"""What the user calls a value: MLIR forgets the names of a text, so they are read from it."""

from __future__ import annotations

import re
from collections.abc import Callable

from iree.compiler import ir

from bankwise.read.mlir.module import Opened

Called = Callable[[ir.Value], str]
"""The user's name of a value, without ``%``; empty where the text shows none."""

_RESULTS = re.compile(r"%([\w$.\-]+)(?::\d+)?\s*=\s*$")
_ARGUMENT = re.compile(r"%([\w$.\-]+)\s*:")


def called(opened: Opened) -> Called:
    """How the text of ``opened`` calls a value: the results of operations, and kernel arguments."""

    def name(value: ir.Value) -> str:
        if isinstance(value.owner, ir.Block):
            return _argument(opened, value)
        offset = opened.offset_of(value.owner.operation)
        head = "" if offset is None else opened.source.text[max(0, offset - 400) : offset]
        found = _RESULTS.search(head)
        if found is None:
            return ""
        results = value.owner.operation.results
        number = ir.OpResult(value).result_number
        return found[1] if len(results) == 1 else f"{found[1]}#{number}"

    return name


def _argument(opened: Opened, value: ir.Value) -> str:
    """An argument of a function, from its signature."""
    owner = value.owner.owner.operation
    offset = opened.offset_of(owner) if owner.name.endswith(".func") else None
    if offset is None:
        return ""
    signature = opened.source.text[offset:].partition("{")[0]
    names = _ARGUMENT.findall(signature)
    number = ir.BlockArgument(value).arg_number
    return names[number] if number < len(names) else ""
