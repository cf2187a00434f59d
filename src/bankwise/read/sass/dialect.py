"""SASS: what the follower needs to know of it.

This is what runs: nothing stands between these instructions and the counters.
"""

from __future__ import annotations

from bankwise.errors import InputError, Location
from bankwise.read.follow.dialect import Dialect, Parts, Threads
from bankwise.read.follow.in_flight import GlobalLoads
from bankwise.read.follow.result import ALLOCATION
from bankwise.read.follow.run import Trace
from bankwise.read.follow.spaces import NOT_SHARED
from bankwise.read.follow.touched import Touched, by_window, of_shared
from bankwise.read.sass.decode import decode_kernel
from bankwise.read.sass.effects import brought, named
from bankwise.read.sass.facts import RESERVED_BYTES
from bankwise.read.sass.instruction import SassInstruction
from bankwise.read.sass.parse import (
    SassKernel,
    generation,
    kernel_names,
    kernels,
    target,
)
from bankwise.read.sass.start import IDS, SHARED_BYTES, start
from bankwise.read.sass.symbols import WINDOW

LEAST_GENERATION = 80
"""sm_80: what is older encodes control flow and addresses in other ways."""


def encodes_alike(gpu: str) -> bool:
    """Whether code of ``gpu`` has the encoding that is followed."""
    return generation(gpu) >= LEAST_GENERATION


def check_generation(gpu: str, file: str) -> None:
    """:class:`InputError` if the code of ``gpu`` has another encoding, or none is named."""
    if not encodes_alike(gpu):
        raise InputError(
            f"SASS for {gpu or 'an unknown machine'} is not followed",
            location=Location(file),
            hint=f"code of sm_{LEAST_GENERATION} or later, with the line that names its target",
        )


def _kernels(text: str, file: str, only: str) -> tuple[SassKernel, ...]:
    found = kernels(text, file, only=only)
    if found:
        check_generation(found[0].target, file)
    return found


def _threads(kernel: SassKernel) -> Threads:
    bound = "is the most that the kernel was compiled for (MAX_THREADS)"
    return Threads(kernel.facts.workgroup_size, bound if kernel.facts.bounded else "")


def _strange_argument(kernel: SassKernel, key: str | int) -> str | None:
    count = len(kernel.facts.parameters or ())
    place = isinstance(key, str) and key.startswith("c[0x0][")
    position = str(key).isdecimal() and int(key) < count
    if place or position or key in (*IDS, SHARED_BYTES, *filter(None, kernel.facts.names)):
        return None
    has = f"it has parameters 0 to {count - 1}" if count else "the text counts none"
    if any(kernel.facts.names):
        has += f" ({', '.join(name or '_' for name in kernel.facts.names)})"
    return f"{has}; also c[0x0][OFFSET] and {', '.join(IDS)}"


def _key_of(kernel: SassKernel, key: str | int) -> str | int:
    """The position of a parameter that the source names."""
    own = key in (*IDS, SHARED_BYTES) or not key
    return key if own or key not in kernel.facts.names else kernel.facts.names.index(str(key))


def _axes(kernel: SassKernel) -> int:
    """How many of x, y, z a kernel asks for."""
    asked = {text for i in kernel.instructions for text in i.operands if text.startswith("SR_TID")}
    return 3 if "SR_TID.Z" in asked else 2 if "SR_TID.Y" in asked else 1


def _parts(kernel: SassKernel, trace: Trace) -> Parts:
    """Addresses from the start of the block's own shared memory."""
    kept = _reserved(kernel, trace)
    names = {n + 1: name for n, name in enumerate(kernel.code.shared)}

    def parts(touched: Touched) -> dict[str, Touched]:
        found = of_shared(touched, kept)
        if names:
            return by_window(found, {0: ALLOCATION, **names}, WINDOW)
        return {ALLOCATION: found} if found.patterns else {}

    return parts


def _reserved(kernel: SassKernel, trace: Trace) -> int:
    """How far behind the first address of shared memory the block's own part begins."""
    if generation(kernel.target) < 90:
        return 0
    every = (part for touched in trace.touched.values() for part in touched.patterns)
    parts = (part for part in every if part[0].ndim == part[1].ndim)  # no numbers of a unit
    inside = (offsets[active & (offsets != NOT_SHARED)] for offsets, active in parts)
    first = min((int(offsets.min()) for offsets in inside if offsets.size), default=0)
    return RESERVED_BYTES if first >= RESERVED_BYTES else 0


def _label(i: SassInstruction) -> str:
    return f"{i.name} at 0x{i.address:04x}"


SASS: Dialect[SassKernel, SassInstruction] = Dialect(
    name="sass",
    title="SASS with the line that names its target,",
    sign="SASS",
    group="block",
    empty=("no code in this SASS", "the text of nvdisasm -g or cuobjdump --dump-sass"),
    portable=True,
    target=target,
    names=kernel_names,
    kernels=_kernels,
    instructions=lambda kernel: kernel.instructions,
    registers=lambda kernel: kernel.facts.registers,
    local_bytes=lambda kernel: kernel.facts.local_bytes,
    threads=_threads,
    axes=_axes,
    parameters=lambda kernel: {
        str(n): size for n, (_, size) in enumerate(kernel.facts.parameters or ())
    },
    grid=lambda kernel: IDS[3:],
    group_index=IDS[:3],
    shared_bytes=SHARED_BYTES,
    strange_argument=_strange_argument,
    key_of=_key_of,
    decode=decode_kernel,
    start=start,
    parts=_parts,
    label=_label,
    address=lambda i: i.address,
    place=lambda i: i.line,
    loads=GlobalLoads(brought, named),
    runs=lambda i: i.guard != "!PT",  # the compiler guards with !PT what only fills a slot
)
