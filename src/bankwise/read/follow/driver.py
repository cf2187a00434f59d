"""Checking machine code: every shared-memory instruction of every kernel, with the bytes of all
lanes. One driver for all languages; a language is a :class:`Dialect`, a record of what it alone
knows. To add one: a record like ``read/ptx/dialect.py``, and its name in the machine files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import prod

from msgspec.structs import replace

from bankwise.errors import InputError, Location
from bankwise.hardware.machine import machine
from bankwise.hardware.machine import names as machine_names
from bankwise.hardware.toolchain import languages
from bankwise.read.assembly import ArgumentValues, AssemblyKernel
from bankwise.read.follow.apart import each_apart
from bankwise.read.follow.block_classes import MOST_WORK, block_classes
from bankwise.read.follow.decoded import Decoded, I
from bankwise.read.follow.dialect import Dialect, K, Place, Size
from bankwise.read.follow.openers import with_openers
from bankwise.read.follow.prepared import Preparations
from bankwise.read.follow.result import not_answered, whole_size
from bankwise.read.follow.side_by_side import (
    MOST_AGAIN,
    bounded,
    is_long,
    numbers_of_name,
    side_by_side,
)
from bankwise.read.follow.under import LaunchRuns, asks_size, under
from bankwise.read.kept_code import KeptCode, answered
from bankwise.read.launch.boxes import Box, first_block
from bankwise.read.launch.facts import (
    Given,
    KernelLaunch,
    Launches,
    as_passed,
    as_tried,
    launches_of,
)
from bankwise.read.launch.shapes import assumed, at_bound
from bankwise.read.names import demangled, listed, means, parameters, short

UNSAID = Launches()
"""Nobody says how kernels are launched."""

_FILE_SAMPLES = 16_000_000
"""Steps that it is worth to try what opens the kernels of a file; each gets the same part, so that
no answer depends on which kernels were followed before."""


def check_code(
    dialect: Dialect[K, I],
    text: str,
    file: str,
    target: str | None = None,
    *,
    args: ArgumentValues | None = None,
    kernel: str = "",
    workgroup_size: Size | None = None,
    launches: Launches = UNSAID,
) -> tuple[AssemblyKernel, ...]:
    """Find what every shared-memory instruction of ``text`` touches, for all lanes of one
    workgroup.

    ``target``: the GPU, if the text does not name it, or, in a portable language, to count for
    another. ``args``: numbers of kernel arguments, by name, position or offset, as the language
    has them, and of the workgroup's number; all else that only the launch knows stays unknown.
    ``kernel``: only kernels that this glob means. ``workgroup_size``: where the text requires none.
    ``launches``: what else is said of how they are launched; what nobody says is assumed.

    Raises :class:`InputError` if the text is not of this language, is cut off, or is for a machine
    that is not followed, and where no kernel at all can be answered; one that cannot, among others,
    is a refusal.
    """
    gpu = target_of(dialect, text, file, target)
    found = dialect.kernels(text, file, kernel)
    if not found:
        raise no_kernel(dialect, text, file, kernel)
    place: Place = lambda one: Location(file, one.line)  # noqa: E731 - a value of the record
    return check_kernels(dialect, found, file, gpu, place, args or {}, workgroup_size, launches)


def check_kernels(
    dialect: Dialect[K, I],
    found: Sequence[K],
    file: str,
    gpu: str,
    place: Place,
    args: ArgumentValues,
    size: Size | None,
    launches: Launches = UNSAID,
) -> tuple[AssemblyKernel, ...]:
    """Follow kernels that are read already; ``place``: where the user finds an instruction."""
    said = with_options(dialect, found, args, size, launches, file)
    return isolated(
        found,
        lambda one: check_kernel(dialect, one, file, gpu, place, said),
        lambda one: Location(file, one.line),
        gpu,
        lambda one: len(dialect.instructions(one)),
    )


def with_options(
    dialect: Dialect[K, I],
    found: Sequence[K],
    args: ArgumentValues,
    size: Size | None,
    launches: Launches,
    file: str,
) -> Launches:
    """``launches`` with what is said of all kernels alike. :class:`InputError` for what concerns
    none of them: a launch of another kernel, an argument that no kernel takes."""
    names = [one.name for one in found]
    for launch in launches.stated[0] if launches.stated else ():
        if not any(means(launch.kernel, name) for name in names):
            message = f"no kernel {launch.kernel!r} here to launch"
            raise InputError(message, hint=f"there is {listed(names)}")
    for key in args:
        strange = [dialect.strange_argument(one, key) for one in found]
        if strange and all(one is not None for one in strange):
            raise InputError(
                f"kernel {short(names[0])} has no parameter {key!r}", hint=strange[0] or ""
            )
    plain = KernelLaunch(block=size, arguments=args, said="as --workgroup-size says")
    if size is not None and not any(_takes(dialect, one, size) for one in found):
        most = ",".join(map(str, dialect.threads(found[0]).size or ()))
        message = f"kernel {short(names[0])} is compiled for {most} threads, not for {prod(size)}"
        raise InputError(message, location=Location(file, found[0].line))
    samples = _FILE_SAMPLES // max(1, len(found)) if launches.sample else None
    return replace(launches, plain=plain, samples=samples)


def _takes(dialect: Dialect[K, I], kernel: K, size: Size) -> bool:
    """Whether a kernel may have a block of this size; one that requires another has no use for it,
    which is no mistake."""
    text = dialect.threads(kernel)
    return not text.bound or text.size is None or prod(size) <= prod(text.size)


def isolated(
    found: Sequence[K],
    follow_one: Callable[[K], AssemblyKernel],
    place: Callable[[K], Location],
    gpu: str,
    size: Callable[[K], int],
    kept: KeptCode | None = None,
    form: Callable[[K], object] = lambda one: one,
) -> tuple[AssemblyKernel, ...]:
    """Every kernel by itself, on all cores where that pays: one that cannot be answered is a
    refusal among the others, at its ``place``, and the error of all where none can. ``size``: the
    instructions of a kernel; ``kept``: answers of before, by all that decides a kernel's, its
    ``form``."""

    def answer(one: K) -> AssemblyKernel | InputError:
        try:
            return follow_one(one)
        except InputError as error:
            return error

    done = answered(found, lambda some: each_apart(answer, some, size), kept, form)
    errors = [one for one in done if isinstance(one, InputError)]
    if errors and len(errors) == len(done):
        raise errors[0]
    return tuple(
        not_answered(one.name, place(one), gpu, answer)
        if isinstance(answer, InputError)
        else answer
        for one, answer in zip(found, done, strict=True)
    )


def no_kernel(dialect: Dialect[K, I], text: str, file: str, wanted: str) -> InputError:
    """What to say of a text without the kernel ``wanted``, or without any."""
    names = listed(dialect.names(text))
    message, hint = dialect.empty
    if wanted and names:
        message, hint = f"no kernel {wanted!r} in this {dialect.sign}", f"it has {names}"
    return InputError(message, location=Location(file), hint=hint)


def followed(dialect: Dialect[K, I]) -> tuple[str, ...]:
    """The machines whose code of this language is followed, as their files say."""
    tools = ((name, machine(name).tools) for name in machine_names())
    return tuple(name for name, one in tools if dialect.name in (one.machine_code or ()))


def check_target(dialect: Dialect[K, I], gpu: str, file: str) -> str:
    """``gpu`` if its code is followed; :class:`InputError` if not."""
    if gpu in machine_names() and dialect.name in languages(machine(gpu).tools):
        return gpu
    silent = "" if gpu else ": the text names no target"
    raise InputError(
        f"{dialect.sign} for {gpu or 'an unknown machine'} is not followed{silent}",
        location=Location(file),
        hint=f"{dialect.title} for {', '.join(followed(dialect))}",
    )


def target_of(dialect: Dialect[K, I], text: str, file: str, given: str | None) -> str:
    """The GPU to count a text for; :class:`InputError` if it is not followed, or not ``given``."""
    said = dialect.target(text)
    if given and said and given != said and not dialect.portable:
        raise InputError(
            f"the {dialect.sign} is for {said}, not for {given}", location=Location(file)
        )
    return check_target(dialect, given or said, file)


def check_kernel(
    dialect: Dialect[K, I], kernel: K, file: str, gpu: str, place: Place, said: Launches
) -> AssemblyKernel:
    """Follow one kernel under every launch that is known of it, or on assumptions.

    Raises :class:`InputError` if it cannot be launched as somebody says.
    """
    decoded = dialect.decode(kernel)
    runs = LaunchRuns(Preparations(decoded.program))
    own = set(dialect.group_index)

    def in_box(
        launch: KernelLaunch, box: Box | None = None, steps: int | None = None
    ) -> AssemblyKernel:
        most = min(filter(None, (steps, said.steps)), default=None)
        return under(dialect, kernel, decoded, runs, file, gpu, place, launch, most, box)

    def run(launch: KernelLaunch) -> AssemblyKernel:
        found = in_box(launch)
        if not own & set(found.facts) or own & set(map(str, launch.arguments)):
            return found
        each = partial(in_box, launch)
        first, *others = block_classes(found, each, said.steps or MOST_WORK)
        return replace(first, others=tuple(others))

    every = _launches(dialect, kernel, decoded, runs, file, said)
    launches = [one for one in every if one.block is not None]
    touches = bool(decoded.touches or decoded.refusals)
    found = side_by_side(launches, run, touches, said.tried)
    found = replace(found, unfollowed=tuple(_unfollowed(every, found)) if touches else ())
    known, block = found.launch, first_block(found.boxes[0]) if found.boxes else None

    def again(more: Given, steps: int | None) -> AssemblyKernel:
        tried = as_tried(more, dialect.parameters(kernel))
        launch = replace(known, arguments={**tried, **known.arguments})
        return in_box(launch, None if own & set(map(str, more)) else block, steps)

    asked = _trials(dialect, kernel, found), dialect.parameters(kernel), said.samples
    return with_openers(found, again, *asked) if said.sample else found


_NO_BLOCK = "it is also {said} with a block that is not known: --launch says it"


def _unfollowed(every: Sequence[KernelLaunch], found: AssemblyKernel) -> Iterator[str]:
    """Why some of the launches that are known of a kernel were not followed."""
    if found.launch.assumed:
        return
    yield from (
        _NO_BLOCK.format(said=one.said.removeprefix("as it is "))
        for one in every
        if one.block is None
    )
    many = len([one for one in every if one.block is not None])
    ran = {str(one.launch) for one in (found, *found.others)}
    if many > len(ran):
        yield f"{many - len(ran)} more launches are known and not followed: --launch chooses one"


def _concerning(
    dialect: Dialect[K, I], kernel: K, plain: KernelLaunch, most: Size | None
) -> KernelLaunch:
    """What is said of all kernels, as far as this one has a use for it: the arguments that it has,
    a block that is not more than it was compiled for."""
    given = plain.arguments.items()
    args = {k: n for k, n in given if dialect.strange_argument(kernel, k) is None}
    fits = plain.block is None or most is None or prod(plain.block) <= prod(most)
    return replace(plain, arguments=args, block=plain.block if fits else None)


def _trials(dialect: Dialect[K, I], kernel: K, found: AssemblyKernel) -> int:
    """How often a kernel may be followed again: long ones, and those that spin, less often."""
    size = max(1, len(dialect.instructions(kernel)))
    return 1 if is_long(found) else max(1, min(8, MOST_AGAIN // size))


def _launches(
    dialect: Dialect[K, I],
    kernel: K,
    decoded: Decoded,
    runs: LaunchRuns,
    file: str,
    said: Launches,
) -> tuple[KernelLaunch, ...]:
    text, place = dialect.threads(kernel), Location(file, kernel.line)
    size = None
    if text.size is not None:
        size = whole_size(text.size, dialect.group, kernel.name, place)
    required = () if size is None or text.bound else (KernelLaunch(block=size),)
    plain = _concerning(dialect, kernel, said.plain, size)
    types = parameters(demangled(kernel.name))
    hosted = tuple(as_passed(said.hosted, dialect.parameters(kernel), types))
    supposed = tuple(
        replace(one, arguments=as_tried(one.arguments, dialect.parameters(kernel)))
        for one in said.supposed
    )
    levels = (*said.stated, required, (plain,), hosted, supposed)
    found = tuple(
        replace(one, arguments={dialect.key_of(kernel, k): n for k, n in one.arguments.items()})
        for one in launches_of(kernel.name, levels)
    )
    if size is not None:
        bounded(found, size, kernel.name, place, not text.bound)
    open_ = [one for one in found if one.block is None]
    if len(open_) < len(found):
        return found
    axes, bound = dialect.axes(kernel), size if text.bound else None
    whole = at_bound(open_[0], axes, bound)
    asked = (dialect, kernel, decoded, runs)
    if whole and not (decoded.touches and asks_size(*asked, whole, said.steps)):
        return (whole,)
    return assumed(open_[0], axes, bound, numbers_of_name(kernel.name))
