"""Numbers for arguments of a launch that nobody says, where they decide which bytes are touched.

    s[2][BK][BM];  s[k & 1][..]     in a loop over a K of the launch: which stage, nobody knows

An array has no plan as long as some access may touch anything. With a number for K every address is
known, and the plan is priced on that; its proof is of all indices, whatever K is. The number is
said with what was assumed, and so is the first block where the block's own number decides that as
well, as in a last part that is shorter than the others. So it is where a loop without a known end
was followed until it touched bytes that no block of the launch has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from bankwise.read.assembly import AssemblyKernel, Opener
from bankwise.read.follow.openers import place_of
from bankwise.read.launch.facts import KernelLaunch

NUMBERS = (64, 256, 1_024, 27)
"""Of each argument, until all that is touched has an address: a loop over tiles has to run, or one
that is unrolled with what is left over, 16 + 8 + 2 + 1 rounds."""

_INDEX = ("ctaid", "workgroup_id")
"""How the names of a block's own number begin: the first block of a grid is there in each."""


def is_open(kernel: AssemblyKernel) -> bool:
    """Whether arguments, or which block it is, decide an address, as far as is known, and which
    they are; or whether an access is inside what the launch gives."""
    return bool(kernel.facts) and (is_lost(kernel) or _leaves(kernel))


def _leaves(kernel: AssemblyKernel) -> bool:
    """Whether an access reaches bytes that a block has not, as far as the launch says how many."""
    if kernel.launch.shared_bytes is None:
        return False
    bytes_ = (kernel.lds_bytes or 0) + kernel.launch.shared_bytes
    return any(
        int(p.offsets_bytes[p.active].max()) + one.access.width_bytes > bytes_
        for one in kernel.accesses
        for p in one.access.patterns
        if p.active.any()
    )


def is_lost(kernel: AssemblyKernel) -> bool:
    """Whether something else decides an address as well, so that no other number helps."""
    return any(one.unknown for one in kernel.accesses)


def supposed(kernel: AssemblyKernel, number: int) -> KernelLaunch:
    """The arguments that decide something in a kernel, each of them this number, in the first block
    where that does, too, of as many."""
    arguments: dict[str | int, int | float] = {
        int(fact) if fact.isdecimal() else fact: 0 if fact.startswith(_INDEX) else number
        for fact in kernel.facts
    }
    return KernelLaunch(kernel.name, arguments=arguments)


def answers(open_: AssemblyKernel, kernel: AssemblyKernel) -> bool:
    """Whether all that ``open_`` touches has an address in the same kernel on more facts, and one
    that a block has."""
    known = {place_of(one) for one in kernel.accesses if not one.unknown}
    left = len(kernel.refusals) > len(open_.refusals)
    return not left and not _leaves(kernel) and known >= {place_of(one) for one in open_.accesses}


def told(
    kernels: Sequence[AssemblyKernel], launches: Sequence[KernelLaunch]
) -> Iterator[AssemblyKernel]:
    """Kernels that were followed with what is supposed, which they say, as they hold it."""
    given = {one.kernel: _whole(one) for one in launches}
    for kernel in kernels:
        mine = given.get(kernel.name, {})
        held = {key: int(kernel.launch.arguments.get(key, n)) for key, n in mine.items()}
        more = f"{Opener(held, 0, 0).option} as an example" if held else ""
        assumed = ", ".join(filter(None, (kernel.assumed, more)))
        yield replace(kernel, assumed=assumed, others=tuple(told(kernel.others, launches)))


def _whole(launch: KernelLaunch) -> dict[str | int, int]:
    return {key: int(number) for key, number in launch.arguments.items()}


def without(
    kernels: Sequence[AssemblyKernel], launches: Sequence[KernelLaunch]
) -> tuple[AssemblyKernel, ...]:
    """Kernels launched as somebody says, without what is supposed."""
    given = {one.kernel: set(one.arguments) for one in launches}

    def plain(one: AssemblyKernel) -> AssemblyKernel:
        mine = given.get(one.name, set())
        said = {key: n for key, n in one.launch.arguments.items() if key not in mine}
        launch = replace(one.launch, arguments=said)
        return replace(one, launch=launch, others=tuple(map(plain, one.others)))

    return tuple(map(plain, kernels))
