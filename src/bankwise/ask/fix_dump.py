"""What ``fix`` writes of a dump of a compiler, and how that gets back into the model.

A dump is a log, of one pass or of all: nobody compiles it. What is written is each executable in it
that has a kernel, at the stage that was read, with the fix and with what says that it is lowered
already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from bankwise.change.compile.lower import substitution
from bankwise.change.compile.wrap import executables, prepare
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from bankwise.read.mlir.dumps import dumps
from bankwise.read.mlir.modernise import is_older
from bankwise.show.values import KernelReport

if TYPE_CHECKING:
    from bankwise.change.rewrite.group import Group
    from bankwise.read.mlir.module import Opened

Modules = tuple[tuple[str, str], ...]
"""Executables by name, each with its text."""

_NO_PIPELINE = re.compile(r"translation_info = #iree_codegen\.translation_info<pipeline = [^>]*>")


def modules(
    opened: Opened, kernels: Sequence[KernelReport], before: Opened, source_text: str
) -> Modules:
    """The executables of ``kernels`` as iree-compile takes them: those that are not as ``before``,
    or all where none was changed; none where one lacks what it needs, or where the user's
    ``source_text`` is no dump."""
    if not _of_a_dump(before, kernels, source_text):
        return ()
    old, new = (_modules(each, kernels) for each in (before, opened))
    return tuple(one for one in new if one not in old) or new


def _of_a_dump(opened: Opened, kernels: Sequence[KernelReport], source_text: str) -> bool:
    """Whether dumps were left out, or the kernels were printed in their executables: a function
    that one pass printed alone is no program, and stays the text that it is."""
    if source_text != opened.source.text:
        return True
    return is_program(opened, source_text, [kernel.name for kernel in kernels])


def is_program(opened: Opened, source_text: str, names: Iterable[str]) -> bool:
    """Whether a text is a dump and these kernels stand in their executables."""
    if not dumps(source_text):
        return False
    held = {name for _, functions in executables(opened.source.parsed) for name in functions}
    return held.issuperset(names)


def _modules(opened: Opened, kernels: Iterable[KernelReport]) -> Modules:
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


def without_copies(opened: Opened, group: Group) -> str:
    """What lowers a kernel of IREE without copies in lane order, in words; empty where none is in
    the way."""
    copied = any(site.access.kind == "dma" for site in group.accesses)
    flag = "--iree-llvmgpu-use-direct-load=false"
    return f"; {flag} lowers it without" * (copied and bool(executables(opened.source.parsed)))


def named(written: Modules, destination: Path) -> tuple[tuple[Path, str], ...]:
    """Which file each executable gets: one that is called ``.mlir``, of several files beside that
    name; otherwise files below a folder. IREE takes a name without ``.mlir`` for an object file."""
    if destination.suffix == ".mlir" and not destination.is_dir():
        if len(written) == 1:
            return ((destination, written[0][1]),)
        return tuple((destination.with_suffix(f".{name}.mlir"), text) for name, text in written)
    return tuple((destination / f"{name}.mlir", text) for name, text in written)


def back_into_iree(opened: Opened, written: Modules, output: str = "") -> tuple[str, ...]:
    """How the answer gets into the model, in lines. ``written``: of a dump, what -o writes of it,
    to ``output``. A text that is not said to be lowered runs through the pipeline again, which
    makes other code of it."""
    text, output = opened.source.parsed, "" if output == "-" else output
    names = [name for name, _ in executables(text)]
    if written and all(name in names for name, _ in written):
        return (*_older(opened), *_the_written(written, output))
    taken = prepare(text)
    if len(names) != 1 or isinstance(taken, Refusal):
        return ()
    file = output or "FIXED.mlir"
    lowered = [] if taken.text == text else _NO_PIPELINE.findall(taken.text)
    first = tuple(line for one in lowered for line in (_LOWERED.format(file=file), f"  {one}"))
    return (*first, *into_the_model({names[0]: Path(file)}))


_LOWERED = (
    "first give its func.func in {file} this attribute; without it IREE lowers the kernel again, "
    "and makes other code of it:"
)


def _older(opened: Opened) -> tuple[str, ...]:
    """What a compiler that printed an older syntax is not promised to take."""
    said = "what is written has the syntax of iree-compile 3.13, which the dump is older than"
    return (said,) if is_older(opened.notes) else ()


def _the_written(written: Modules, output: str) -> tuple[str, ...]:
    out = output or ("FIXED.mlir" if len(written) == 1 else "FIXED/")
    each = "it" if len(written) == 1 else "each kernel"
    files = zip(written, named(written, Path(out)), strict=True)
    first = () if output else (f"-o {out} writes {each} as iree-compile takes it",)
    return (*first, *into_the_model({name: path for (name, _), (path, _) in files}))


def into_the_model(files: Mapping[str, Path]) -> tuple[str, ...]:
    """What to append to a command of iree-compile so that it takes these executables, by name, in
    place of its own; in lines, the flags as a shell takes them."""
    flags = [f"  {quote(substitution(name, str(path)))}" for name, path in files.items()]
    lines = " \\\n".join(flags).split("\n")
    return ("into the model: append to your iree-compile MODEL.mlir ..", *lines) if flags else ()
