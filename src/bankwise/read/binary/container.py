"""What GPU code a file holds: its members, however deep they lie.

    libx.so                        sections .nv_fatbin, .hip_fatbin
      fatbin                       entries by GPU, compressed or not
        cubin, PTX
      offload bundle               entries by GPU; the bundle itself may be compressed
        code object
    libx.a                         object files, each with such sections
    x.whl                          a zip file of all that
    x.vmfb                         a zip file of IREE's executables
      code object, PTX

Nothing is unpacked before it is asked for, but for a compressed bundle, whose list of entries is
inside. What a host runs is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from bankwise.errors import InputError, Location
from bankwise.read.binary import archive, bundle, elf, fatbin, iree, zipped
from bankwise.read.binary.blob import Blob, open_blob

_DEEPEST = 8
_LONGEST_LIST = 200_000
PTX, CUBIN, CODE_OBJECT = "PTX", "cubin", "AMD code object"
"""What a member may be."""


@dataclass(frozen=True, slots=True)
class BinaryMember:
    """Code for one GPU in a file. ``kind``: :data:`PTX`, :data:`CUBIN` or :data:`CODE_OBJECT`.

    ``target``: the GPU, "" where only its own notes say it. ``path``: the names that lead there,
    () for a file that is nothing else; ``number``: from 1, of those with one path and target.
    ``offset``: where it stands in the file, compressed or not. ``content``: its bytes, unpacked.
    """

    file: str
    path: tuple[str, ...]
    kind: str
    target: str
    offset: int
    content: Callable[[], Blob] = field(repr=False, compare=False)
    number: int = 1

    def __str__(self) -> str:
        """``lib.so[sm_90]``: the file, and the member in it."""
        return self.file + self.inside

    @property
    def place(self) -> Location:
        """The same as a place."""
        return Location(self.file, inside=self.inside)

    @property
    def inside(self) -> str:
        """``[sm_90]``: the member alone."""
        return _names(self.path) + (f"#{self.number}" if self.number > 1 else "")


Broken = list[InputError] | None
"""Where what cannot be read is added, so that its neighbours are; None: the first one is raised."""


def members(path: str | Path, broken: Broken = None) -> Iterator[BinaryMember]:
    """All members of a file, in order. Raises :class:`InputError` where the file is broken, but for
    what costs no more than a part of it if there is a list ``broken``."""
    seen: dict[tuple[tuple[str, ...], str, str], int] = {}
    for count, one in enumerate(_members(open_blob(path), (), "", 0, broken)):
        if count > _LONGEST_LIST:
            raise InputError(f"more than {_LONGEST_LIST:,} members", location=Location(str(path)))
        key = (one.path, one.kind, one.target)
        seen[key] = seen.get(key, 0) + 1
        yield replace(one, number=seen[key])


def is_container(data: bytes) -> bool:
    """Whether a file that begins like this may hold code for GPUs."""
    marks = (elf.MARK, archive.MARK, bundle.MARK, bundle.PACKED, fatbin.MARK, zipped.MARK)
    return data.startswith((*marks, *iree.MARKS))


def _isolated(
    found: Iterator[BinaryMember], path: tuple[str, ...], broken: Broken
) -> Iterator[BinaryMember]:
    """What can be read below ``path``; what cannot is added to ``broken``, with its place."""
    try:
        yield from found
    except InputError as error:
        if broken is None:
            raise
        broken.append(placed(error, path))


def placed(error: InputError, path: tuple[str, ...]) -> InputError:
    """``error`` with the names of the member that it is about."""
    place = error.location
    if place is None or place.inside:
        return error
    where = Location(place.file, inside=_names(path))
    return InputError(error.message, location=where, hint=error.hint)


def _names(path: tuple[str, ...]) -> str:
    return "".join(f"[{name}]" for name in path)


def _members(
    blob: Blob, path: tuple[str, ...], target: str, depth: int, broken: Broken
) -> Iterator[BinaryMember]:
    if depth > _DEEPEST:
        raise blob.broken(0, f"containers in containers, more than {_DEEPEST} deep")
    if blob.begins(elf.MARK):
        yield from _of_elf(blob, path, target, depth, broken)
    elif blob.begins(archive.MARK):
        for name, part in archive.members(blob):
            below = (*path, name)
            yield from _isolated(_members(part, below, "", depth + 1, broken), below, broken)
    elif blob.begins(bundle.MARK) or blob.begins(bundle.PACKED):
        yield from _of_bundle(blob, path, depth, broken)
    elif blob.begins(fatbin.MARK):
        yield from _of_fatbin(blob, path)
    elif any(map(blob.begins, iree.MARKS)):
        yield from _of_iree(blob, path, depth, broken)
    elif blob.begins(zipped.MARK):
        for name, unpack in zipped.members(blob, is_container):
            below = (*path, name)
            yield from _isolated(_unpacked(unpack, below, depth + 1, broken), below, broken)


def _unpacked(
    unpack: zipped.Unpack, path: tuple[str, ...], depth: int, broken: Broken
) -> Iterator[BinaryMember]:
    yield from _members(unpack(), path, "", depth, broken)


def _of_bundle(
    blob: Blob, path: tuple[str, ...], depth: int, broken: Broken
) -> Iterator[BinaryMember]:
    for name, part in bundle.members(blob):
        if gpu := bundle.target_of(name):
            below = (*path, gpu)
            yield from _isolated(_members(part, below, gpu, depth + 1, broken), below, broken)


def _of_fatbin(blob: Blob, path: tuple[str, ...]) -> Iterator[BinaryMember]:
    for entry in fatbin.members(blob):
        kind, name = (PTX, f"{entry.target}.ptx") if entry.ptx else (CUBIN, entry.target)
        where, offset = (*path, name), entry.packed.offset
        yield BinaryMember(blob.file, where, kind, entry.target, offset, entry.content)


def _of_iree(
    blob: Blob, path: tuple[str, ...], depth: int, broken: Broken
) -> Iterator[BinaryMember]:
    for gpu, code in iree.members(blob):
        if gpu:
            yield BinaryMember(blob.file, path, PTX, gpu, code.offset, partial(_itself, code))
        else:
            yield from _isolated(_members(code, path, "", depth + 1, broken), path, broken)


def _itself(blob: Blob) -> Blob:
    return blob


def _of_elf(
    blob: Blob, path: tuple[str, ...], target: str, depth: int, broken: Broken
) -> Iterator[BinaryMember]:
    machine = elf.machine_of(blob)
    if machine == elf.CUDA:
        yield BinaryMember(blob.file, path, CUBIN, target, blob.offset, lambda: blob)
    elif machine == elf.AMDGPU:
        yield BinaryMember(blob.file, path, CODE_OBJECT, target, blob.offset, lambda: blob)
    else:
        for name, section in elf.gpu_sections(blob):
            amd = name == elf.HIP_FATBIN
            inner = _of_bundle(section, path, depth, broken) if amd else _of_fatbin(section, path)
            yield from _isolated(inner, path, broken)
