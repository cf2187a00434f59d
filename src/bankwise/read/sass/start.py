"""What a block starts with: special registers of all threads, and the words of the constant banks.

Bank 2 is the compiler's, and stands in the cubin; bank 3 holds what a source calls __constant__,
which the host may change: the cubin's values are only the first ones.

The layout of bank 0 is not documented. sm_80 to sm_90: threads of a block at 0x0, blocks at 0xc,
bytes of dynamic shared memory at 0x2c; from sm_100 on threads and blocks at 0x360 and 0x370.
Parameters begin where the cubin says (EIATTR_PARAM_CBANK), else at the place that ptxas 13.0 uses.
Seen in code that ptxas 13.0 makes of %ntid, %nctaid and %dynamic_smem_size.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from bankwise.read.assembly import ArgumentValues
from bankwise.read.follow.dialect import GROUP_SIZE
from bankwise.read.follow.result import threads
from bankwise.read.follow.spaces import WINDOW_HIGH
from bankwise.read.follow.state import State
from bankwise.read.follow.values import Unknown, Value, constant
from bankwise.read.sass.parse import SassKernel, generation

WARP = 32
Size = tuple[int, int, int]
IDS = ("ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z")
SHARED_BYTES = "dynamic_smem_size"
"""What only the launch knows and ``args`` may name."""


Constants = Callable[[int, int, int], Value]
"""The number at (bank, offset in bytes) of the constant memory, of so many bytes; no sign."""


def start(kernel: SassKernel, size: Size, args: ArgumentValues, /, *, told: bool = True) -> State:
    """The special registers of all warps of one block, and its constant memory."""
    (x, y, z), exists = threads(size, WARP)
    state = State(exists, memory=_constants(kernel, size if told else None, args))
    lane = np.arange(WARP, dtype=np.uint32)[None, :]
    below = (np.uint32(1) << lane) - np.uint32(1)
    equal = below + np.uint32(1)
    registers: dict[str, Value] = {"SR_TID.X": x, "SR_TID.Y": y, "SR_TID.Z": z, "SR_LANEID": lane}
    registers |= {"SR_LTMASK": below, "SR_EQMASK": equal, "SR_LEMASK": below | equal}
    registers |= {"SR_GEMASK": ~below, "SR_GTMASK": ~(below | equal)}
    # A block's own shared memory, wherever it stands in its cluster (sass.cluster).
    registers |= {"SR_CgaCtaId": constant(0), "SR_SWINHI": constant(WINDOW_HIGH)}
    for axis in "xyz":
        given = args.get(f"ctaid.{axis}")
        lost = Unknown(f"the block's index blockIdx.{axis}", uniform=True, fact=f"ctaid.{axis}")
        registers[f"SR_CTAID.{axis.upper()}"] = lost if given is None else constant(given)
    state.registers.update(registers)
    return state


def _constants(kernel: SassKernel, size: Size | None, args: ArgumentValues) -> Constants:
    """The numbers of the constant banks, as far as block size, where it is told, and arguments give
    them."""
    facts = _facts(kernel)
    new = generation(kernel.target) >= 100
    sizes = [(0x360 if new else 0) + 4 * n for n in range(3)]
    words = dict(zip(sizes, size, strict=True)) if size else {}
    facts |= {} if size else dict.fromkeys(sizes, GROUP_SIZE)
    said = {(0x370 if new else 0xC) + 4 * n: name for n, name in enumerate(IDS[3:])}
    said |= {} if new else {0x2C: SHARED_BYTES}
    words |= {place: args[name] for place, name in said.items() if name in args}
    facts |= said
    words |= _window(kernel)
    known = {at + n: word >> 8 * n & 0xFF for at, word in words.items() for n in range(4)}
    known |= _arguments(kernel, args)
    names = _names(kernel)

    def number(bank: int, offset: int, size_bytes: int) -> Value:
        if bank == 2:
            return _literal(kernel.facts.literals, offset, size_bytes)
        places = range(offset, offset + size_bytes)
        if bank == 0 and offset in known and not any(n in names and n not in known for n in places):
            return constant(sum(known.get(at, 0) << 8 * n for n, at in enumerate(places)))
        lost = next((n for n in places if n in names and n not in known), offset)
        word = lost if lost in facts else lost & ~3
        place = f"c[0x{bank:x}][0x{word:x}]"
        name = names.get(lost, "") if bank == 0 else ""
        changes = ", which the host may change" if bank == 3 else ""
        name = name or f"the constant {place}{changes}"
        return Unknown(name, uniform=True, fact=facts.get(word, place) if bank == 0 else "")

    return number


def _literal(literals: bytes, offset: int, size_bytes: int) -> Value:
    """A number of bank 2."""
    if not 0 <= offset <= len(literals) - size_bytes:
        return Unknown(f"the constant c[0x2][0x{offset & ~3:x}]", uniform=True)
    return constant(int.from_bytes(literals[offset : offset + size_bytes], "little"))


def window_constant(kernel: SassKernel) -> str:
    """Where bank 0 has the upper word of the addresses of shared memory; empty if nowhere."""
    return "0x1c" if generation(kernel.target) < 90 else ""


def _window(kernel: SassKernel) -> dict[int, int]:
    """Of sm_80 to sm_89 the address at which shared memory begins; it has a word of zeros below."""
    place = window_constant(kernel)
    high = int(place, 16) if place else 0
    return {high - 4: 0, high: WINDOW_HIGH} if place else {}


def _arguments(kernel: SassKernel, args: ArgumentValues) -> dict[int, int]:
    """The bytes that ``args`` gives: of a parameter all that it has, of a place a word."""
    found: dict[int, int] = {}
    base, parameters = _base(kernel), kernel.facts.parameters or ()
    for name, number in args.items():
        place = re.fullmatch(r"c\[0x0\]\[(0x[0-9a-f]+)\]", str(name))
        if place:
            first, size = int(place[1], 16), 4
        elif str(name).isdecimal() and int(name) < len(parameters):
            offset, size = parameters[int(name)]
            first = base + offset
        else:
            continue
        found |= {first + n: number >> 8 * n & 0xFF for n in range(size)}
    return found


def _names(kernel: SassKernel) -> dict[int, str]:
    """The parameter that each byte of bank 0 is of, with the name that its source has."""
    base, named = _base(kernel), dict(enumerate(kernel.facts.names))
    return {
        base + offset + at: f"kernel parameter {n}" + (f" ({named[n]})" if named.get(n) else "")
        for n, (offset, size) in enumerate(kernel.facts.parameters or ())
        for at in range(size)
    }


def _facts(kernel: SassKernel) -> dict[int, str]:
    """Parameters of at most 8 bytes by position: of a larger one every word is a fact."""
    base = _base(kernel)
    return {
        base + offset + at: str(n)
        for n, (offset, size) in enumerate(kernel.facts.parameters or ())
        for at in range(size)
        if size <= 8
    }


def _base(kernel: SassKernel) -> int:
    if kernel.facts.parameter_base is not None:
        return kernel.facts.parameter_base
    new = generation(kernel.target)
    return 0x380 if new >= 100 else 0x210 if new >= 90 else 0x160
