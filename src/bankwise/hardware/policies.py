"""Which instructions one access becomes: the width policies.

What a program text asks for ("load 8 x f16") is not what the machine executes. How an access of
so many bytes per lane, at so much provable alignment, is cut into instructions is the decision of
a compiler, so it is a *named policy*:

``iree``
    LLVM's back ends, as IREE 3.13.0 drives them. On AMD a 16-byte access becomes

        alignment    16, or 2, or 1     8                4
        instructions one b128           one 2 x b64      two 2 x b32

    and the same for 8 and 12 bytes. Below 4 bytes of alignment LLVM keeps the full width: such
    an address is served as unaligned, which it prefers to byte accesses. Above 16 bytes the
    access is cut into pieces of 16 bytes. ``tests/data/widths_gfx9.json`` holds the compiler's
    own answers and the tests hold this module to them. On NVIDIA, whose instructions must be
    naturally aligned, no piece is wider than the alignment.
``triton``, ``ck``
    On AMD the text's width is kept whatever the alignment: both pick vector widths from the
    layout and promise the alignment to LLVM. On NVIDIA as ``iree``.

Not modelled: LLVM also joins two narrow accesses at a constant distance into one two-address
instruction (``ds_read2_b64``). To see that, read the emitted code (:mod:`bankwise.change.compile`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import AccessKind, Direction, Machine

Policy = Literal["iree", "triton", "ck"]

WIDEST_BYTES = 16
"""The widest shared-memory instruction of every machine known here, in bytes per lane."""

_LARGEST_ACCESS_BYTES = 64

Pieces = tuple[tuple[str, int], ...]
"""Instructions of one piece of an access: (the end of the name, first byte in the piece)."""

_ONE: Mapping[int, Pieces] = {
    16: (("_b128", 0),),
    12: (("_b96", 0),),
    8: (("_b64", 0),),
    4: (("_b32", 0),),
}
_DWORD_ALIGNED: Mapping[int, Pieces] = {
    16: (("2_b32", 0), ("2_b32", 8)),
    12: (("2_b32", 0), ("_b32", 8)),
    8: (("2_b32", 0),),
    4: (("_b32", 0),),
}
_QWORD_ALIGNED: Mapping[int, Pieces] = {
    16: (("2_b64", 0),),
    12: (("_b64", 0), ("_b32", 8)),
    8: (("_b64", 0),),
    4: (("_b32", 0),),
}
_LLVM_AMD: Mapping[int, Mapping[int, Pieces]] = {
    1: _ONE,
    2: _ONE,
    4: _DWORD_ALIGNED,
    8: _QWORD_ALIGNED,
    16: _ONE,
}
"""Alignment -> piece of 4 to 16 bytes -> instructions (gfx90a, gfx942, gfx950, gfx11, gfx12)."""

_DMA_TAILS: Mapping[int, str] = {1: "ubyte", 2: "ushort", 4: "dword", 12: "dwordx3", 16: "dwordx4"}

_TRANSPOSE: Mapping[int, str] = {
    16: "ds_read_b64_tr_b16",
    8: "ds_read_b64_tr_b8",
    6: "ds_read_b96_tr_b6",
    4: "ds_read_b64_tr_b4",
}


class Issue(Struct, frozen=True):
    """One emitted instruction: its name in the machine file, and the byte it starts at.

    ``offset_bytes`` counts from the first byte of the lane. A two-address instruction of width w
    (``ds_read2_b64``, w = 8) touches ``offset_bytes`` and ``offset_bytes + w``.
    """

    instruction: str
    offset_bytes: int

    def __str__(self) -> str:
        return f"{self.instruction}@{self.offset_bytes}" if self.offset_bytes else self.instruction


def policies() -> tuple[str, ...]:
    """The names of the policies."""
    return get_args(Policy)


def select(
    machine: Machine,
    direction: Direction,
    width_bytes: int,
    alignment_bytes: int,
    policy: str = "iree",
    kind: AccessKind = "plain",
    *,
    operation: str = "",
    element_bits: int = 0,
) -> tuple[Issue, ...] | Refusal:
    """The instructions of one access, in ascending order of their first byte.

    ``width_bytes``: contiguous bytes per lane; ``alignment_bytes``: a power of two that divides
    every lane's offset (larger than 16 counts as 16). ``operation`` completes the name where the
    width does not: the atomic ("add_u32", "add_rtn_f32"; empty: an add), the ldmatrix or stmatrix
    shape ("x4", "x2.trans"; empty: "x4"). ``element_bits``: of the elements that a transposing
    read exchanges. A :class:`Refusal` where the machine has no such instruction;
    :class:`InputError` for an unknown policy.
    """
    if policy not in policies():
        raise InputError(f"unknown policy {policy!r}", hint="known: " + ", ".join(policies()))
    assert width_bytes > 0, width_bytes
    assert alignment_bytes > 0, alignment_bytes
    assert alignment_bytes & (alignment_bytes - 1) == 0, alignment_bytes
    if kind == "plain":
        issues = _plain(machine, direction, width_bytes, alignment_bytes, policy)
    else:
        issues = (
            Issue(_special(machine, direction, width_bytes, kind, operation, element_bits), 0),
        )
    if issues is None:
        return Refusal(
            f"a {direction} of {width_bytes} bytes per lane: how the compiler cuts it into "
            "instructions is not modelled"
        )
    missing = next((i.instruction for i in issues if i.instruction not in machine.instructions), "")
    if missing and kind == "dma":
        return Refusal(f"{machine.name} has no {width_bytes}-byte direct-to-LDS copy")
    return Refusal(f"{machine.name} has no {missing}") if missing else issues


def _plain(
    machine: Machine, direction: Direction, width: int, alignment: int, policy: str
) -> tuple[Issue, ...] | None:
    alignment = min(alignment, WIDEST_BYTES)
    if machine.vendor == "nvidia":
        return _nvidia(direction, width, alignment)
    return _amd(direction, width, alignment if policy == "iree" else WIDEST_BYTES)


def _amd(direction: Direction, width: int, alignment: int) -> tuple[Issue, ...] | None:
    stem = "ds_read" if direction == "read" else "ds_write"
    if width % 4:
        tails = _small(direction, width, alignment)
    elif width <= _LARGEST_ACCESS_BYTES:
        tails = _cut(width, _LLVM_AMD[alignment])
    else:
        tails = None
    return None if tails is None else tuple(Issue(stem + tail, at) for tail, at in tails)


def _cut(width: int, pieces: Mapping[int, Pieces]) -> Pieces:
    """Pieces of 16 bytes and a rest."""
    starts = range(0, width, WIDEST_BYTES)
    return tuple(
        (tail, start + at)
        for start in starts
        for tail, at in pieces[min(WIDEST_BYTES, width - start)]
    )


def _small(direction: Direction, width: int, alignment: int) -> Pieces | None:
    """Accesses below a dword, and of 6 bytes.

    An aligned read of 3 or 6 bytes is widened to 4 or 8: it may read what nobody asked for. A
    write may not. (Of i8, 6 bytes at alignment 4 exactly also become one ``ds_read2_b32``.)
    """
    byte, half = ("_u8", "_u16") if direction == "read" else ("_b8", "_b16")
    widened = direction == "read" and alignment >= {3: 4, 6: 8}.get(width, 0)
    cuts: Mapping[int, Pieces] = {
        1: ((byte, 0),),
        2: ((half, 0),),
        3: (("_b32", 0),) if widened else ((half, 0), (byte, 2)),
        6: (("_b64", 0),) if widened else (("_b32", 0), (half, 4)),
    }
    return cuts.get(width)


def _nvidia(direction: Direction, width: int, alignment: int) -> tuple[Issue, ...] | None:
    """Pieces of a power of two, none wider than the alignment: instructions are naturally aligned.

    Source: PTX ISA, "ld" (the address must be a multiple of the access size); the sizes of odd
    accesses are those of LLVM's NVPTX back end.
    """
    if width > _LARGEST_ACCESS_BYTES:
        return None
    odd = {3: (2, 1), 6: (4, 2), 12: (8, 4), 24: (8, 8, 8)}
    sizes = odd.get(width, _powers(width))
    stem = "ld.shared" if direction == "read" else "st.shared"
    issues: list[Issue] = []
    start = 0
    for size in sizes:
        step = min(size, alignment)
        issues += [Issue(f"{stem}.b{8 * step}", start + at) for at in range(0, size, step)]
        start += size
    return tuple(issues) if sizes else None


def _powers(width: int) -> tuple[int, ...]:
    """A power of two, cut into 16-byte pieces; empty for every other width."""
    if width & (width - 1):
        return ()
    return (min(width, WIDEST_BYTES),) * max(1, width // WIDEST_BYTES)


def _special(
    machine: Machine,
    direction: Direction,
    width: int,
    kind: AccessKind,
    operation: str,
    element_bits: int,
) -> str:
    """The one instruction of an access that is no plain load or store, were there such a one."""
    if kind == "dma":
        return f"buffer_load_{_DMA_TAILS.get(width, '')}_lds"
    if kind == "transpose":
        return _TRANSPOSE.get(element_bits, f"ds_read_tr_b{element_bits}")
    if kind == "matrix":
        return f"{'ldmatrix' if direction == 'read' else 'stmatrix'}.{operation or 'x4'}"
    if kind == "async":
        past = ".cg" if operation == "cg" and width == WIDEST_BYTES else ""
        return f"cp.async{past}.b{8 * width}"
    assert kind == "atomic"
    if machine.vendor == "amd":
        return f"ds_{operation or f'add_u{8 * width}'}"
    returns = operation in ("", "atom") or "_rtn" in operation
    return f"{'atom' if returns else 'red'}.shared.b{8 * width}"


def paired(gpu: Machine) -> Machine:
    """The machine with every read served as one address of its two-address form, where the rule of
    that is known: what reads take that the compiler joins in pairs (``ds_read2_b64``)."""
    joined = {row.name.replace("read2", "read"): row for row in gpu.instructions.values()}
    rows = dict(gpu.instructions)
    for name, row in joined.items():
        if row.addresses == 2 and name in rows and row.evidence != "unknown":
            rows[name] = replace(row, name=name, addresses=1)
    return replace(gpu, instructions=rows)


def one_by_one(gpu: Machine) -> Machine:
    """The machine with two-address forms that serve one address: for tiles whose accesses name
    both addresses, each as an access of its own."""
    two = (row for row in gpu.instructions.values() if row.addresses != 1)
    rows = {row.name: replace(row, addresses=1) for row in two}
    return replace(gpu, instructions={**gpu.instructions, **rows})
