"""Checking the kernels of a binary file: of which GPU, where they stand, and what they touch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bankwise.errors import InputError, Location, Refusal
from bankwise.read.amd.dialect import AMD
from bankwise.read.assembly import NAMED_LINE, ArgumentValues, AssemblyKernel, reworded
from bankwise.read.binary.container import PTX, members
from bankwise.read.binary.kernels import BinaryKernel, Disassembly, kernels_in, readable
from bankwise.read.follow.dialect import Dialect, Size
from bankwise.read.follow.driver import (
    UNSAID,
    check_kernel,
    check_target,
    followed,
    isolated,
    with_options,
)
from bankwise.read.follow.result import not_answered
from bankwise.read.launch.facts import Launches
from bankwise.read.names import listed
from bankwise.read.ptx.dialect import PTX as PTX_DIALECT
from bankwise.read.sass.dialect import SASS

NO_CODE, NO_KERNEL = "no code for a GPU in this file", "no kernel for a GPU"
"""Errors of files that hold something else, as most libraries do."""


def check_binary(
    path: Path,
    target: str | None = None,
    *,
    args: ArgumentValues | None = None,
    kernel: str = "",
    workgroup_size: Size | None = None,
    launches: Launches = UNSAID,
) -> tuple[AssemblyKernel, ...]:
    """Disassemble the kernels of a file and check them as
    :func:`bankwise.read.follow.driver.check_code` does.

    Of a file with code for several GPUs the newest that is followed is checked, or ``target``.
    What is found stands at its source line, if the file has line numbers, else at its address in
    its kernel: ``lib.so[gfx942][work]+0x1c0``.
    """
    gpu, _ = chosen_target(path, target or "")
    members_: list[InputError] = []
    kernels_: list[tuple[BinaryKernel, InputError]] = []
    found = tuple(readable(chosen_kernels(path, gpu, kernel, members_), kernels_))
    if kernels_ and not found:
        raise kernels_[0][1]
    kinds = {one.dialect.name: one.dialect for one in found}
    checked = (
        one
        for name, dialect in kinds.items()
        for one in _of_one_language(
            dialect,
            [one for one in found if one.dialect.name == name],
            (args or {}, workgroup_size, launches),
            str(path),
            target or "",
        )
    )
    machine_ = check_target(found[0].dialect, gpu or found[0].kernel.target, str(path))
    return (
        *checked,
        *(not_answered(one.name, one.place(), machine_, error) for one, error in kernels_),
        *(_unread(error, machine_, path) for error in members_),
    )


def _unread(error: InputError, gpu: str, path: Path) -> AssemblyKernel:
    """A member that cannot be read, in the place of the kernels that it may hold."""
    place = error.location or Location(str(path))
    found = not_answered(place.inside or str(place), place, gpu, error)
    return replace(found, refusals=(Refusal(f"{error.message}; {error.hint}", place),))


def _of_one_language(
    dialect: Dialect[Any, Any],
    found: Sequence[Disassembly],
    asked: tuple[ArgumentValues, Size | None, Launches],
    file: str,
    target: str,
) -> tuple[AssemblyKernel, ...]:
    by_code = {id(one.code): one for one in found}
    codes = [one.code for one in found]
    said = with_options(dialect, codes, *asked, file)
    gpu = check_target(dialect, found[0].kernel.target or target, file)
    return isolated(
        codes,
        lambda code: check_reading(by_code[id(code)], gpu, said),
        lambda code: by_code[id(code)].kernel.place(),
        gpu,
        lambda code: len(dialect.instructions(code)),
    )


def check_reading(one: Disassembly, gpu: str, said: Launches) -> AssemblyKernel:
    """Follow one kernel that was disassembled, as :func:`check_kernel` does."""
    where = one.kernel.place()
    found = check_kernel(one.dialect, one.code, str(where), gpu, one.place, said)
    return _in_words(replace(found, location=where), one)


def _in_words(found: AssemblyKernel, one: Disassembly) -> AssemblyKernel:
    """Lines of a disassembly that only bankwise sees become addresses in the kernel, and what
    stands there."""
    places: dict[int, str] = {}
    texts: dict[int, str] = {}
    for each in one.dialect.instructions(one.code):
        address, text = one.dialect.address(each), one.written(each)
        if address is not None and text:
            places[each.line] = f"+{address:#x}"
            texts[each.line] = f"+{address:#x} {text}"

    def words(text: str) -> str:
        """The kernel's own line is where what the launch gives comes from: that says nothing."""
        plain = text.replace(f" (line {one.code.line})", "")
        return NAMED_LINE.sub(lambda line: texts.get(int(line[1]), line[0]), plain)

    return reworded(found, words, lambda one: replace(one, places=places)) if places else found


def chosen_kernels(
    path: Path, gpu: str, pattern: str, broken: list[InputError]
) -> tuple[BinaryKernel, ...]:
    """The kernels that are asked for; :class:`InputError` if there is none. Members that cannot be
    read are added to ``broken``."""
    found = tuple(kernels_in(path, gpu, pattern, broken=broken))
    found = found or tuple(kernels_in(path, gpu, pattern, ptx=True, broken=[]))
    if found:
        return found
    if broken:
        raise broken[0]
    names = [one.name for one in kernels_in(path, gpu, ptx=True, broken=[])]
    message = f"no kernel {pattern!r} in this file" if pattern and names else NO_KERNEL
    hint = f"it has {listed(names)}" if names else "a program may load its kernels from elsewhere"
    raise InputError(message, location=Location(str(path)), hint=hint)


def chosen_target(path: Path, target: str) -> tuple[str, str]:
    """The GPU whose code of a file is checked, and a note if there is code for others.

    ``target``: what the user wants; "" for the newest that is followed. Raises
    :class:`InputError` if the file has nothing for it.
    """
    broken: list[InputError] = []
    every = ((one.kind == PTX, one.target) for one in members(path, broken))  # not their code
    found = Counter(every)
    if broken and not found:
        raise broken[0]
    if not found:
        raise InputError(
            NO_CODE,
            location=Location(str(path)),
            hint="cubins, fatbins, PTX, AMD code objects and what holds them are read",
        )
    counts = {gpu for is_text, gpu in found if not is_text} or {gpu for _, gpu in found}
    known = [gpu for gpu in counts if gpu]
    if target and target not in counts and "" not in counts:
        raise InputError(
            f"there is no code for {target} in this file",
            location=Location(str(path)),
            hint=f"it has code for {', '.join(sorted(known, key=age))}",
        )
    wanted = target or _newest(path, known)
    others = [gpu for gpu in sorted(known, key=age) if gpu != wanted]
    note = f"checked for {wanted}; --target chooses another: {', '.join(others)}"
    return wanted, note if others and not target else ""


def _newest(path: Path, targets: Iterable[str]) -> str:
    """The newest GPU whose machine code is followed; "" where the code itself says its GPU."""
    found = tuple(targets)
    known = {*followed(AMD), *followed(SASS), *followed(PTX_DIALECT)}
    chosen = sorted((gpu for gpu in found if gpu in known), key=age)
    if found and not chosen:
        raise InputError(
            f"code for {', '.join(sorted(found, key=age))} is not followed",
            location=Location(str(path)),
            hint=f"followed is code for {', '.join(sorted(known, key=age))}",
        )
    return chosen[-1] if chosen else ""


def age(gpu: str) -> tuple[str, int]:
    """Orders GPUs of one vendor by the numbers in their names: sm_75, sm_90; gfx90a, gfx942."""
    vendor, digits = (gpu[:3], gpu[3:]) if gpu.startswith(("gfx", "sm_")) else (gpu, "0")
    try:
        return vendor, len(digits) << 32 | int(digits, 16)
    except ValueError:
        return vendor, 0
