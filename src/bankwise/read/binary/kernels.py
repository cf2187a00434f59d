"""The kernels of a file of machine code, one after the other, without disassembling any.

    for kernel in kernels_in("libx.so", target="gfx942"):
        kernel.name, kernel.target, kernel.lds_bytes, str(kernel.member)

    for read in readings(kernels):          # disassembled, member by member
        read.kernel, read.dialect, read.code, read.place

What a kernel is read as is a :class:`Disassembly`: the kernel of its language
(:class:`bankwise.read.follow.driver.Dialect`), which ``check_kernels`` follows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.read.amd.dialect import AMD
from bankwise.read.binary.assembly import kernel_text
from bankwise.read.binary.code_object import CodeObject, no_target, open_object
from bankwise.read.binary.container import (
    CODE_OBJECT,
    CUBIN,
    PTX,
    BinaryMember,
    Broken,
    members,
    placed,
)
from bankwise.read.binary.cubin import Cubin, open_cubin, sass_kernels
from bankwise.read.follow.dialect import Dialect
from bankwise.read.follow.driver import check_target
from bankwise.read.names import means
from bankwise.read.ptx.dialect import PTX as PTX_DIALECT
from bankwise.read.sass.dialect import SASS

_BATCH = 200
"""Kernels that one run of a disassembler reads."""


@dataclass(frozen=True, slots=True)
class BinaryKernel:
    """A kernel that stands in a file. ``name``: its symbol; ``lds_bytes``: static shared memory,
    None where only its text says it (PTX). ``opened``: its member, read once for all kernels."""

    name: str
    target: str
    member: BinaryMember
    lds_bytes: int | None
    opened: Cubin | CodeObject | str = field(repr=False, compare=False)

    def __str__(self) -> str:
        """``lib.so[sm_90][_Z4workPf]``: where it stands."""
        return str(self.place())

    def place(self, address: int | None = None) -> Location:
        """Where it stands, or an instruction of it at ``address`` bytes."""
        at = "" if address is None else f"+{address:#x}"
        return Location(self.member.file, inside=f"{self.member.inside}[{self.name}]{at}")


@dataclass(frozen=True, slots=True)
class Disassembly:
    """A kernel, disassembled: ``code`` is a kernel of ``dialect``; ``place``: of an instruction of
    it; ``written``: one as text, "" where the file itself has the text (PTX)."""

    kernel: BinaryKernel
    dialect: Dialect[Any, Any]
    code: Any
    place: Callable[[Any], Location] = field(compare=False)
    written: Callable[[Any], str] = field(compare=False)


def kernels_in(
    path: str | Path,
    target: str = "",
    pattern: str = "",
    *,
    ptx: bool = False,
    broken: Broken = None,
) -> Iterator[BinaryKernel]:
    """The kernels of a file, lazily, in the order of its members.

    ``target``: only the members for this GPU; ``pattern``: only kernels that it means (see
    :func:`bankwise.read.names.means`). PTX members are passed over unless ``ptx``: what runs is the
    machine code beside them. Raises :class:`InputError` where the file is broken, and for a member
    that names no GPU without a ``target``; with a list ``broken`` a member that cannot be read is
    added to it, and costs no other.
    """
    for member in members(path, broken):
        if member.kind == PTX and not ptx:
            continue
        if target and member.target not in ("", target):
            continue
        for kernel in _readable(member, target, broken):
            if target in ("", kernel.target) and means(pattern, kernel.name):
                yield kernel


def _readable(member: BinaryMember, target: str, broken: Broken) -> tuple[BinaryKernel, ...]:
    try:
        return tuple(kernels_of(member, target))
    except InputError as error:
        if broken is None:
            raise
        broken.append(placed(error, member.path))
        return ()


def kernels_of(member: BinaryMember, target: str = "") -> Iterator[BinaryKernel]:
    """The kernels of one member; ``target``: of one whose file does not say it."""
    if member.kind == CUBIN:
        cubin = open_cubin(member)
        for name, facts in cubin.kernels.items():
            yield BinaryKernel(name, cubin.target, member, facts.shared_bytes, cubin)
    elif member.kind == CODE_OBJECT:
        code = open_object(member.content(), member.target or target)
        if code.kernels and not code.target:
            raise no_target(code.blob)
        for one in code.kernels:
            yield BinaryKernel(one.name, code.target, member, one.lds_bytes, code)
    else:
        text = bytes(member.content().data).partition(b"\0")[0].decode("utf-8", "replace")
        for name in PTX_DIALECT.names(text):
            yield BinaryKernel(name, member.target, member, None, text)


def readings(kernels: Iterable[BinaryKernel]) -> Iterator[Disassembly]:
    """Disassemble kernels, in their order; neighbours of one member together."""
    for _, group in groupby(kernels, key=lambda kernel: id(kernel.opened)):
        found = tuple(group)
        opened = found[0].opened
        if isinstance(opened, Cubin):
            for n in range(0, len(found), _BATCH):
                yield from _sass(opened, found[n : n + _BATCH])
        elif isinstance(opened, CodeObject):
            yield from (_amd(opened, kernel) for kernel in found)
        else:
            yield from (_ptx(opened, kernel) for kernel in found)


def readable(
    kernels: Sequence[BinaryKernel], broken: list[tuple[BinaryKernel, InputError]]
) -> Iterator[Disassembly]:
    """Those that can be disassembled, many together; the others are added to ``broken``."""
    try:
        yield from tuple(readings(kernels))
    except InputError as error:
        if len(kernels) == 1:
            broken.append((kernels[0], error))
            return
        half = len(kernels) // 2
        yield from readable(kernels[:half], broken)
        yield from readable(kernels[half:], broken)


def _sass(cubin: Cubin, kernels: Sequence[BinaryKernel]) -> Iterator[Disassembly]:
    read = sass_kernels(cubin, [kernel.name for kernel in kernels])
    for kernel in kernels:
        code = read[kernel.name]
        yield Disassembly(kernel, SASS, code, _sass_place(kernel), str)


def _sass_place(kernel: BinaryKernel) -> Callable[[Any], Location]:
    return lambda one: one.source or kernel.place(one.address)


def _amd(code: CodeObject, kernel: BinaryKernel) -> Disassembly:
    check_target(AMD, code.target, str(kernel))
    one = next(k for k in code.kernels if k.name == kernel.name)
    text = kernel_text(code, one)
    (found,) = AMD.kernels(text.text, str(kernel), "")
    at, lines = text.addresses, text.text.splitlines()
    return Disassembly(
        kernel,
        replace(AMD, address=lambda op: at.get(op.line)),
        replace(found, name=kernel.name),
        lambda op: op.source or kernel.place(at.get(op.line)),
        lambda op: lines[op.line - 1].strip(),
    )


def _ptx(text: str, kernel: BinaryKernel) -> Disassembly:
    (found,) = PTX_DIALECT.kernels(text, str(kernel), kernel.name)
    place = lambda op: replace(kernel.place(), line=op.line)  # noqa: E731 - a value of the record
    return Disassembly(kernel, PTX_DIALECT, found, place, lambda op: "")
