"""``bankwise show``: a layout in any notation, drawn over a tile."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from bankwise.algebra.offset import Shape
from bankwise.ask.picture_texts import EXAMPLES, SaidLayout, drawable, said_layout, unsaid
from bankwise.counting.access import IntArray
from bankwise.counting.conflict import count
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import BANK_BYTES, Instruction, Machine, machine, names
from bankwise.hardware.policies import select
from bankwise.notation.framework import Setting
from bankwise.notation.frameworks import languages, notation_of, read_memory
from bankwise.show.picture import ColumnRead, Picture

_BARE = re.compile(r"\s*(?:Swizzle|Sw)\s*<\s*(\d{1,2})\s*,\s*(\d{1,2})\s*,\s*(\d{1,2})\s*>\s*")
_TILE = re.compile(r"\s*(\d{1,5})\s*[xX,]\s*(\d{1,5})\s*")
_SAID = re.compile(r"[(<]\s*(\d{1,5})\s*,\s*(\d{1,5})\s*[)>]")
_USUAL = (64, 64)
"""The tile of a layout that is said for any."""
_PIECE_BYTES = 16
"""The widest access of a lane: longer pieces are drawn as several."""


def picture(
    text: str, target: str = "", tile: str = "", bits: int = 0, notation: str = ""
) -> Picture:
    """A layout over a tile of ``tile`` ("64x32", rows first) elements of ``bits`` bits.

    A bare ``Swizzle<B,M,S>`` is one of byte offsets, over the block in which it repeats, unless
    told otherwise. Without a ``notation`` also what :mod:`bankwise.ask.picture_texts` reads. Raises
    InputError for what cannot be read or drawn.
    """
    gpu = machine(target) if target else _best_known()
    by_target = () if target else (f"{gpu.name} (-t)",)
    if bits % 8 or not 0 <= bits <= 128:
        raise InputError(f"elements of {bits} bits cannot be drawn", hint="8, 16, .. 128")
    told = drawable(_told(tile)) if tile else None
    plain = None if notation else said_layout(text, told, bits, gpu.wave_size)
    if plain is None:
        plain = _in_notation(text, gpu, tile, bits, notation)
    offsets, element_bits = plain.offsets, plain.element_bits
    rows, columns = drawable((len(offsets), offsets.shape[1]))
    row_major = np.arange(rows * columns).reshape(rows, columns)
    piece = _piece(offsets, element_bits)
    reads = tuple(_reads(gpu, offsets, row_major, element_bits, piece))
    fits = [read.banks for read in reads if read.passes is not None]
    banks = fits[-1] if fits else _banks(gpu)
    return Picture(
        text,
        plain.name,
        gpu.name,
        banks,
        element_bits,
        tuple(map(tuple, offsets.tolist())),
        piece,
        _most(offsets, element_bits, banks),
        _most(row_major, element_bits, banks),
        reads,
        (*plain.assumed, *by_target),
    )


def _in_notation(text: str, gpu: Machine, tile: str, bits: int, notation: str) -> SaidLayout:
    """The layout in the words of a framework."""
    bare = _BARE.fullmatch(text)
    element_bits = bits or (8 if bare else 16)
    rows, columns = _tile(text, tile, bare)
    of = f"o 0 o ({rows},{columns}):({columns},1)"
    layout = f"Sw<{bare[1]},{bare[2]},{bare[3]}> {of}" if bare else text
    if notation and notation not in languages():
        raise InputError(f"unknown notation {notation!r}", hint=f"one of {', '.join(languages())}")
    name = notation or _seen(layout)
    shape = Shape((("n", columns), ("m", rows)), element_bits)
    memory = read_memory(layout, name, shape, Setting(gpu, {}, (gpu.wave_size, 1, 1)))
    if isinstance(memory, Refusal):
        raise InputError(str(memory.reason))
    assumed = _assumed(layout, bare, tile, bits, (rows, columns))
    places = np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), -1)
    return SaidLayout(name, element_bits, memory.offsets(places), assumed)


def _assumed(
    text: str, bare: re.Match[str] | None, tile: str, bits: int, size: tuple[int, int]
) -> tuple[str, ...]:
    """What neither the text nor an option says."""
    of_bytes = "elements of 8 bits: bytes are swizzled (--bits 16: elements of 16 bits)"
    guessed = not tile and bare is None and _SAID.search(text) is None
    width = unsaid(16) if bare is None else (of_bytes,)
    return (*width * (not bits), *unsaid(tile=size if guessed else None))


def _seen(text: str) -> str:
    try:
        return notation_of(text)
    except InputError as error:
        known = [f"{name}: {one.example}" for name, one in languages().items() if one.example]
        lines = "\n".join(f"    {one}" for one in (*EXAMPLES, *known))
        raise InputError(
            error.message, hint=f"say --notation NAME, or write it as one of these\n{lines}"
        ) from None


def _tile(text: str, tile: str, bare: re.Match[str] | None) -> tuple[int, int]:
    """Rows and columns: as told, as the text says, or the block of a bare swizzle."""
    if tile:
        return _told(tile)
    if bare:
        return drawable((1 << int(bare[1]), 1 << min(int(bare[2]) + int(bare[3]), 20)))
    found = _SAID.search(text)
    return drawable((int(found[1]), int(found[2])) if found else _USUAL)


def _told(tile: str) -> tuple[int, int]:
    found = _TILE.fullmatch(tile)
    if found is None:
        raise InputError(f"the tile {tile!r} is not ROWSxCOLUMNS", hint="for example 64x32")
    return drawable((int(found[1]), int(found[2])))


def _best_known() -> Machine:
    """The machine of which most rules are measured: for banks alone any will do."""
    machines = map(machine, names())
    return max(
        machines, key=lambda m: sum(r.evidence == "measured" for r in m.instructions.values())
    )


def _banks(gpu: Machine) -> int:
    return Counter(row.banks for row in gpu.instructions.values()).most_common(1)[0][0]


def _piece(offsets: IntArray, bits: int) -> int:
    """Elements that stay together in every row, as many as a lane may take."""
    columns, piece = offsets.shape[1], max(_PIECE_BYTES * 8 // bits, 1)
    while piece > 1:
        if columns % piece == 0:
            runs = offsets.reshape(len(offsets), -1, piece)
            if (runs == runs[:, :, :1] + np.arange(piece)).all():
                break
        piece //= 2
    return piece


def _reads(
    gpu: Machine, offsets: IntArray, row_major: IntArray, bits: int, piece: int
) -> Iterator[ColumnRead]:
    """A column by one instruction, a row for each lane: of an element, and of a piece."""
    for width in sorted({bits // 8, piece * bits // 8}):
        issues = select(gpu, "read", width, width & -width)
        if isinstance(issues, Refusal) or len(issues) != 1:
            continue
        row = gpu.instruction(issues[0].instruction)
        starts = offsets[:, :: width * 8 // bits] * bits // 8
        torn = next((at for at in starts[:, 0].tolist() if at % width), None)
        fits = torn is None and not (starts % width).any()
        worst = _worst_column(row, starts, gpu.wave_size) if fits else (None,) * 3
        passes, ideal, lanes = worst
        plain = row_major[:, :: width * 8 // bits] * bits // 8
        before = None if (plain % width).any() else _worst_column(row, plain, gpu.wave_size)[0]
        yield ColumnRead(row.name, width, row.banks, passes, ideal, lanes, before, torn)


def _worst_column(row: Instruction, starts: IntArray, wave: int) -> tuple[int, int, int]:
    """Passes and ideal of the column, and of the rows that a wave reaches, that take most; and how
    many lanes read it."""
    waves = -(-len(starts) // wave)
    lanes = np.zeros((waves * wave, starts.shape[1]), np.int64)
    lanes[: len(starts)] = starts
    each = lanes.reshape(waves, wave, -1).transpose(0, 2, 1)
    active = (np.arange(waves * wave) < len(starts)).reshape(waves, 1, wave)
    counted = count(row, each, active)
    at = int(counted.extra.argmax())
    reading = int(active[at // starts.shape[1]].sum())
    return int(counted.passes.flat[at]), int(counted.ideal.flat[at]), reading


def _most(offsets: IntArray, bits: int, banks: int) -> int:
    """Of the words in which rows begin, the most different ones of one bank."""
    words = set((offsets[:, 0] * bits // 8 // BANK_BYTES).tolist())
    return max(Counter(word % banks for word in words).values())
