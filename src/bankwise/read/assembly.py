"""What checking emitted code finds: kernels, their shared-memory accesses, what stayed unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import TYPE_CHECKING

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.counting.access import Access
from bankwise.errors import Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.launch.boxes import Box, Cut, Residues
from bankwise.read.launch.facts import KernelLaunch
from bankwise.read.options import argument_name
from bankwise.regex import regex

if TYPE_CHECKING:
    from bankwise.notation.cute.hopper import MatrixDescriptor

ArgumentValues = Mapping[str | int, int]
"""Numbers of kernel arguments, by name or by byte offset (AMD) or position (PTX)."""

MOST_BYTES = 1 << 20
"""More shared memory than any GPU has; an address beyond it wrapped around."""

NAMED_LINE = regex(r"(?<!launched at )\bline (\d+)\b")
"""How the follower names a line of the machine code in its reasons; a launch has one of the source
already."""


class UnitAccess(Struct, frozen=True):
    """An access of an asynchronous unit. ``side``: "A" or "B" of a matrix instruction, empty for a
    copy; ``descriptors``: of each pattern; ``transposed``: M or N, not K, is contiguous.
    """

    side: str
    descriptors: tuple[MatrixDescriptor, ...] = ()
    transposed: bool = False


class AssemblyAccess(ByIdentity, frozen=True, eq=False):
    """One shared-memory instruction of a kernel with all that it touches.

    ``access``: offsets count from the start of the workgroup's shared memory; its location is the
    line in the assembly. ``instruction``: its name in the machine files. ``apart_bytes``: of a
    two-address form, how far the second address lies behind the first. ``source``: the place in
    the source text, if the assembly says so. ``counted``: whether the executions of the patterns
    are counts; if not, each pattern occurs, nobody knows how often. ``unknown``: why some of its
    executions have no known address; empty if all have. ``immediate_bytes``: the constant that the
    instruction adds to its register; ``xored``: the bits of the addresses that came out of an XOR.
    ``some_lanes``: nobody knows which of the active lanes take part. ``unit``: of what an
    asynchronous unit touches: its patterns are [instructions, lanes]. ``anywhere``: all executions
    of ``unknown`` address are among its patterns, known but for one number of each wave.
    """

    access: Access
    instruction: str
    apart_bytes: int | None = None
    source: Location | None = None
    counted: bool = True
    unknown: str = ""
    immediate_bytes: int = 0
    xored: int = 0
    some_lanes: bool = False
    unit: UnitAccess | None = None
    anywhere: bool = False

    @property
    def unseen(self) -> str:
        """Why some of its executions have no known cost; empty if all have."""
        return "" if self.anywhere else self.unknown


class NotFollowed(Struct, frozen=True, order=True):
    """An instruction that decides an address and whose result is not computed.

    ``line``: where it stands first; ``count``: how many places of the text.
    """

    line: int
    mnemonic: str
    count: int


class Opener(Struct, frozen=True):
    """Facts of a launch that would answer what is open, tried with these values.

    ``opens``: accesses that are refused without them; ``counts``: those whose executions are not
    known without them.
    """

    arguments: ArgumentValues
    opens: int
    counts: int

    @property
    def option(self) -> str:
        """How they are given."""
        given = self.arguments.items()
        return " ".join(f"--arg {argument_name(key)}={value}" for key, value in given)


class LoadsInFlight(Struct, frozen=True):
    """Of global memory, in straight pieces of a kernel that touch shared memory. ``most``: that a
    wave has asked for before it waits for one of them; ``waits``: how often all waves of a
    workgroup wait so, a latency each."""

    most: int = 0
    waits: int = 0


class AssemblyKernel(ByIdentity, frozen=True, eq=False):
    """One kernel of an assembly text.

    ``lds_bytes``: static, as the text states it. ``registers``: per lane (AMD vector registers) or
    None; ``local_bytes``: of its own memory, for its stack and for registers that are kept there;
    ``instructions``: in the text; ``executed``: by all waves in the straight pieces of it that
    touch shared memory, as followed; ``loads``: of global memory. ``open_branches``: line to the
    reason why both ways were followed. ``notes``: what was assumed. ``unseen``: what may touch
    shared memory besides, nobody knows where. ``places``: what lines are called where nobody has
    the text: ``+0x1c0``.
    ``launch``: on which facts it was followed; ``assumed``: what of them nobody says; ``others``:
    the same kernel on others, where several launches are known or were tried. ``facts``: those of
    the launch that stayed unknown and decided something, as ``--arg`` names them; ``openers``: what
    giving them would answer, ``sampled``: the kernel with such values that open an address.
    ``variables``: of a source, the names of its shared variables and their first bytes, in order.
    ``unfollowed``: launches of it beside these, why nobody followed them.
    ``boxes``: the parts of its grid whose blocks run so, empty for any block; ``cut``: where one
    was to be cut since its blocks differ, None if they do not; ``work``: steps that following it
    was worth.
    """

    name: str
    target: str
    location: Location
    lds_bytes: int | None
    registers: int | None
    workgroup_size: tuple[int, int, int]
    accesses: tuple[AssemblyAccess, ...]
    not_followed: tuple[NotFollowed, ...]
    refusals: tuple[Refusal, ...]
    open_branches: Mapping[int, str]
    notes: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    places: Mapping[int, str] = field(default_factory=dict)
    launch: KernelLaunch = field(default_factory=KernelLaunch)
    assumed: str = ""
    others: tuple[AssemblyKernel, ...] = ()
    facts: tuple[str, ...] = ()
    openers: tuple[Opener, ...] = ()
    sampled: tuple[AssemblyKernel, ...] = ()
    local_bytes: int | None = None
    instructions: int | None = None
    variables: tuple[tuple[str, int], ...] = ()
    executed: int = 0
    unfollowed: tuple[str, ...] = ()
    loads: LoadsInFlight = LoadsInFlight()
    boxes: tuple[Box, ...] = ()
    cut: Cut | Residues | None = None
    work: int = 0

    @property
    def blocks(self) -> int:
        """How many blocks of the grid run so; 0 where it stands for any."""
        return sum(prod(map(len, box)) for box in self.boxes)


def reworded(
    found: AssemblyKernel,
    words: Callable[[str], str],
    placed: Callable[[AssemblyKernel], AssemblyKernel],
) -> AssemblyKernel:
    """A kernel whose reasons and notes are rewritten by ``words``, and whose lines by ``placed``;
    so are those that stand beside it."""

    def access(one: AssemblyAccess) -> AssemblyAccess:
        known = replace(one.access, note=words(one.access.note))
        return replace(one, access=known, unknown=words(one.unknown))

    said = replace(
        found,
        accesses=tuple(map(access, found.accesses)),
        refusals=tuple(replace(one, reason=words(one.reason)) for one in found.refusals),
        open_branches={line: words(why) for line, why in found.open_branches.items()},
        notes=tuple(map(words, found.notes)),
        unseen=tuple(map(words, found.unseen)),
        unfollowed=tuple(map(words, found.unfollowed)),
        others=tuple(reworded(one, words, placed) for one in found.others),
        sampled=tuple(reworded(one, words, placed) for one in found.sampled),
    )
    return placed(said)
