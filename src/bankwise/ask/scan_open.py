"""From a file to the cases of a scan: the kernels of machine code one by one, other texts whole.

Who opens a file is named in the table of formats, under the verb ``scan``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.folder import families, files_below, is_linked, linked_in
from bankwise.ask.scan_case import ScanCase, case_of_kernel, case_of_refused
from bankwise.errors import InputError, Location
from bankwise.files import read_bytes, read_text
from bankwise.read.binary.check import NO_CODE, NO_KERNEL, chosen_kernels, chosen_target
from bankwise.read.binary.kernels import BinaryKernel, readable
from bankwise.read.follow.driver import check_target, no_kernel, target_of
from bankwise.read.options import Options
from bankwise.read.recognise import load, recognise, require, suffixes
from bankwise.read.sass.cubin import cubin_kernels
from bankwise.read.sass.dialect import SASS
from bankwise.read.unsaid import of_one_of_many

MOST_FILES = 1_000_000


class ScanFile(Struct, frozen=True):
    """A file to open, the ``number``-th. ``stages``: it, and behind it what it was made from, which
    is opened where it cannot be. ``named``: by the user, who is told that it holds no kernel;
    ``alone``: and no other is."""

    number: int
    stages: tuple[Path, ...]
    named: bool
    options: Options
    alone: bool = False


def check_paths(paths: Sequence[Path]) -> None:
    """Raise :class:`InputError` before any work: for a path that is not there, and if what is named
    can hold no kernel at all."""
    failed: list[InputError] = []
    for path in paths:
        try:
            require(path, "scan")
        except InputError as error:
            failed.append(error)
            if not path.exists():
                raise
    if len(failed) == len(paths):
        raise failed[0]


def files_of(paths: Sequence[Path], options: Options) -> Iterator[ScanFile]:
    """What is to be opened: files as they are named, and of folders what may hold kernels."""
    for number, (stages, named) in enumerate(_found(paths)):
        yield ScanFile(number, stages, named, options, named and len(set(paths)) == 1)


def _found(paths: Sequence[Path]) -> Iterator[tuple[tuple[Path, ...], bool]]:
    known = suffixes("scan")
    for path in dict.fromkeys(paths):
        if not path.is_dir():
            yield (path,), True
            continue
        below = files_below(path, MOST_FILES)
        found = families([f for f in below if f.suffix.lower() in known])
        linked = [family.files[0] for family in found if is_linked(family)]
        for family in (one for one in found if not linked_in(one, linked)):
            yield family.files, False


def open_file(file: ScanFile) -> tuple[ScanCase, ...]:
    """The cases of a file. Raises :class:`InputError` if no stage of it can be read."""
    failed: InputError | None = None
    for path in file.stages:
        try:
            kind = require(path, "scan") if file.named else recognise(path)
            if "scan" not in kind.verbs:
                continue
            said, _ = of_one_of_many("scan", path, file.options)
            if file.alone and file.options.target:
                said = replace(said, target=file.options.target)
            return tuple(load(kind.verbs["scan"])(path, said))
        except InputError as error:
            failed = failed or error
    if failed is not None and not _elsewhere(failed, file):
        raise failed
    return ()


def _elsewhere(error: InputError, file: ScanFile) -> bool:
    """Whether a file, that is not the only one, lacks the kernel that was asked for; or one of a
    folder has none."""
    wanted = file.options.kernel
    if wanted and f"no kernel {wanted!r}" in error.message:
        return not file.alone
    return not file.named and error.message in (NO_CODE, NO_KERNEL)


def of_text(path: Path, options: Options) -> Iterable[ScanCase]:
    """The kernels of an assembly text."""
    kind, text, file = recognise(path), read_text(path), str(path)
    dialect = load(kind.reader)
    gpu = target_of(dialect, text, file, options.target or None)
    found = dialect.kernels(text, file, options.kernel)
    if not found:
        raise no_kernel(dialect, text, file, options.kernel)
    for kernel in found:
        yield case_of_kernel(file, kernel, gpu, dialect, options)


def of_cubin(path: Path, options: Options) -> Iterable[ScanCase]:
    """The kernels of a cubin, disassembled together."""
    text, found = cubin_kernels(path, options.kernel)
    if not found:
        raise no_kernel(SASS, text, str(path), options.kernel)
    for kernel in found:
        gpu = check_target(SASS, options.target or kernel.target, str(path))
        yield case_of_kernel(str(path), kernel, gpu, SASS, options)


def of_binary(path: Path, options: Options) -> Iterable[ScanCase]:
    """The kernels of a library, an object file or a code object for one GPU: the newest that is
    followed, unless the user names one."""
    gpu, _ = chosen_target(path, options.target)
    members: list[InputError] = []
    broken: list[tuple[BinaryKernel, InputError]] = []
    read = 0
    for one in readable(chosen_kernels(path, gpu, options.kernel, members), broken):
        read += 1
        file = str(one.kernel.member)
        target = check_target(one.dialect, one.kernel.target or options.target, file)
        inside = one.kernel.member.inside
        yield case_of_kernel(file, one.code, target, one.dialect, options, inside)
    if broken and not read:
        raise broken[0][1]
    for kernel, error in broken:
        target = kernel.target or options.target
        yield case_of_refused(kernel.member.place, kernel.name, target, options, error)
    for error in members:
        yield case_of_refused(error.location or Location(str(path)), "", gpu, options, error)


def of_whole(path: Path, options: Options) -> Iterable[ScanCase]:
    """A text whose kernels are read together: MLIR, TTGIR, CUDA."""
    digest = hashlib.sha256(read_bytes(path) + path.suffix.encode()).hexdigest()
    yield ScanCase(str(path), "", options.target, "", b"", digest, options)
