"""What ``fix`` writes of a dump of a compiler, and how that gets back into the model.

A dump is a log: nobody compiles it. What is written is each executable in it that has a kernel, at
the stage that was read, with the fix and with what says that it is lowered already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from bankwise.change.compile.wrap import executables, prepare
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.show.values import KernelReport

if TYPE_CHECKING:
    from bankwise.read.mlir.module import Opened

Modules = tuple[tuple[str, str], ...]
"""Executables by name, each with its text."""

_NO_PIPELINE = re.compile(r"translation_info = #iree_codegen\.translation_info<pipeline = [^>]*>")
_FLAG = "iree-compile MODEL.mlir .. --iree-hal-substitute-executable-configuration="


def modules(opened: Opened, kernels: Iterable[KernelReport]) -> Modules:
    """The executables of ``kernels`` as iree-compile takes them; none where one lacks what it
    needs."""
    text = opened.source.parsed
    names = {held: name for name, functions in executables(text) for held in functions}
    found: dict[str, str] = {}
    for kernel in kernels:
        size, lanes = kernel.workgroup_size, machine(kernel.target).wave_size
        taken = prepare(text, kernel=kernel.name, workgroup_size=size, wave_size=lanes)
        if isinstance(taken, Refusal):
            return ()
        lines = (f"{line}\n" for line in taken.text.split("\n") if line.strip())
        found[names.get(kernel.name, kernel.name)] = "".join(lines)
    return tuple(found.items())


def back_into_iree(opened: Opened, written: Modules) -> tuple[str, ...]:
    """How the answer gets into the model, in lines. ``written``: of a dump, what -o writes of it.
    A text that is not said to be lowered runs through the pipeline again, which makes other code
    of it."""
    text = opened.source.parsed
    named = [name for name, _ in executables(text)]
    if written and all(name in named for name, _ in written):
        return tuple(_of_a_dump([name for name, _ in written]))
    taken = prepare(text)
    if len(named) != 1 or isinstance(taken, Refusal):
        return ()
    lowered = [] if taken.text == text else _NO_PIPELINE.findall(taken.text)
    first = (f"before that its func.func needs the attribute {lowered[0]}",) if lowered else ()
    return (f"into the model: {_FLAG}{named[0]}=FIXED.mlir", *first)


def _of_a_dump(names: list[str]) -> Iterable[str]:
    one = len(names) == 1
    out = "FIXED.mlir" if one else "FIXED"
    yield f"-o {out} writes {'it' if one else 'each'} as iree-compile takes it; into the model:"
    for name in names:
        yield f"  {_FLAG}{name}={out if one else f'{out}/{name}.mlir'}"
