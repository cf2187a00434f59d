"""A language of machine code as a record of what it alone knows, for the one driver of all."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from msgspec import Struct

from bankwise.errors import Location
from bankwise.read.assembly import ArgumentValues
from bankwise.read.follow.decoded import Decoded, I
from bankwise.read.follow.in_flight import GlobalLoads
from bankwise.read.follow.result import ALLOCATION
from bankwise.read.follow.run import Trace
from bankwise.read.follow.state import State
from bankwise.read.follow.touched import Touched

Size = tuple[int, int, int]
"""Threads of a workgroup along x, y, z."""


class CodeKernel(Protocol):
    """A kernel as the reader of a language gives it. ``line``: where it begins."""

    @property
    def name(self) -> str:
        """Of the kernel."""

    @property
    def line(self) -> int:
        """In the text, from 1."""

    @property
    def lds_bytes(self) -> int | None:
        """Static shared memory, as the text states it; None if the launch decides."""


K = TypeVar("K", bound=CodeKernel)


class Threads(Struct, frozen=True):
    """``size`` of a workgroup, as the text says it; ``bound``: that it is only a bound, in words
    that continue "block size 256,1,1 ..."; empty if it is required."""

    size: Sequence[int] | None
    bound: str = ""


_K = TypeVar("_K", contravariant=True)


class WorkgroupStart(Protocol[_K]):
    """The registers of one workgroup, and what a launch lays down beside them."""

    def __call__(
        self, kernel: _K, size: Size, args: ArgumentValues, /, *, told: bool = True
    ) -> State:
        """For a size and values of arguments; not ``told``, the kernel cannot read the size."""


GROUP_SIZE = "group size"
"""The fact of a number that is the size of the workgroup, where the kernel is not told."""

GENERIC = "a generic access of shared memory"

Parts = Callable[[Touched], Mapping[str, Touched]]
"""What an access touched, cut into allocations by name; "" for what is of none, or of several."""


def _no_other(kernel: object, size: Size, args: ArgumentValues, trace: Trace) -> tuple[State, ...]:
    return ()


class Dialect(Struct, Generic[K, I], frozen=True, kw_only=True):
    """One language of machine code.

    Words: ``name``: in the machine files (``machine_code``); ``title`` and ``sign``: of the
    language, and of a text of it, in messages; ``group``: what it calls a workgroup; ``empty``:
    message and hint for a text without a kernel. ``portable``: code for one GPU may be counted for
    another.

    Reading: ``target``: the GPU that a text names, "" if none; ``names``: of its kernels;
    ``kernels(text, file, only)``: they, or those that a glob means; ``instructions``,
    ``registers``, ``local_bytes``: of a kernel, as :class:`bankwise.read.assembly.AssemblyKernel`
    has them.

    Launching: ``threads``: what the text says; ``axes``: how many of x, y, z a kernel asks its
    threads for; ``parameters``: its arguments in the author's order, as ``--arg`` names them,
    and their bytes; ``grid``: those that are the numbers of workgroups along x, y, z;
    ``group_index``: those that are the followed workgroup's own; ``shared_bytes``: the one that is
    the bytes of shared memory that the launch adds, "" if none is;
    ``strange_argument(kernel, key)``: what the kernel has instead, None if it has it; ``key_of``: a
    key as the code has it, of one that its source has.

    Following:
    ``decode``: the steps of a kernel, whatever launches it; ``start``: see :class:`WorkgroupStart`;
    ``other_starts``: the same with other numbers where only the machine knows them: what is touched
    must not depend on them. ``parts``: see :data:`Parts`; ``label``: what an instruction is called
    in notes beside its name in the machine files, "" if nothing; ``address``: of an instruction in
    its function, in bytes; ``place``: equal for the copies of one instruction, where a function is
    called several times; ``runs``: whether an instruction can run at all; ``loads``: see
    :class:`GlobalLoads`; ``generic``: what may touch shared memory besides, nobody knows where.
    """

    name: str
    title: str
    sign: str
    group: str
    empty: tuple[str, str]
    portable: bool
    target: Callable[[str], str]
    names: Callable[[str], Sequence[str]]
    kernels: Callable[[str, str, str], tuple[K, ...]]
    instructions: Callable[[K], Sequence[I]]
    threads: Callable[[K], Threads]
    registers: Callable[[K], int | None] = lambda kernel: None
    local_bytes: Callable[[K], int | None] = lambda kernel: None
    axes: Callable[[K], int] = lambda kernel: 1
    parameters: Callable[[K], Mapping[str | int, int]] = lambda kernel: {}
    grid: Callable[[K], Sequence[str | int]] = lambda kernel: ()
    group_index: Sequence[str] = ()
    shared_bytes: str = ""
    strange_argument: Callable[[K, str | int], str | None] = lambda kernel, key: None
    key_of: Callable[[K, str | int], str | int] = lambda kernel, key: key
    decode: Callable[[K], Decoded]
    start: WorkgroupStart[K]
    other_starts: Callable[[K, Size, ArgumentValues, Trace], Sequence[State]] = _no_other
    parts: Callable[[K, Trace], Parts] = lambda kernel, trace: _whole
    label: Callable[[I], str] = lambda instruction: ""
    address: Callable[[I], int | None] = lambda instruction: None
    place: Callable[[I], Hashable] = id
    runs: Callable[[I], bool] = lambda instruction: True
    loads: GlobalLoads[I] | None = None
    generic: Callable[[K, Decoded, Trace], str] = lambda kernel, decoded, trace: ""


def _whole(touched: Touched) -> Mapping[str, Touched]:
    return {ALLOCATION: touched}


Place = Callable[[Any], Location]
"""Where the user finds an instruction."""
