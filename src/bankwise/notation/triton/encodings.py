"""Triton's layout encodings as values; ``str(x)`` is the text that Triton 3.9 prints.

Names are Triton's own, in Python's spelling. An encoding alone has no tensor shape:
:mod:`.distributed` and :mod:`.shared` apply it to one. Only one CTA is described.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bankwise.notation.linear import Bases

Ints = tuple[int, ...]


class Blocked(Struct, frozen=True):
    """``blocked``: registers, then lanes, then warps tile the tensor, fastest ``order[0]``."""

    size_per_thread: Ints
    threads_per_warp: Ints
    warps_per_cta: Ints
    order: Ints

    @property
    def rank(self) -> int:
        """Tensor dimensions."""
        return len(self.order)

    def __str__(self) -> str:
        return (
            f"#ttg.blocked<{{sizePerThread = {_list(self.size_per_thread)}, "
            f"threadsPerWarp = {_list(self.threads_per_warp)}, "
            f"warpsPerCTA = {_list(self.warps_per_cta)}, order = {_list(self.order)}}}>"
        )


class NvidiaMma(Struct, frozen=True):
    """``nvidia_mma``: the accumulator of mma.sync (``version_major`` 2) or wgmma (3)."""

    version_major: int
    version_minor: int
    warps_per_cta: Ints
    instr_shape: Ints

    @property
    def rank(self) -> int:
        """Tensor dimensions."""
        return len(self.warps_per_cta)

    def __str__(self) -> str:
        return (
            f"#ttg.nvidia_mma<{{versionMajor = {self.version_major}, "
            f"versionMinor = {self.version_minor}, warpsPerCTA = {_list(self.warps_per_cta)}, "
            f"instrShape = {_list(self.instr_shape)}}}>"
        )


class AmdMfma(Struct, frozen=True):
    """``amd_mfma``: the accumulator of a matrix core; ``tiles_per_warp`` () means one each."""

    version: int
    warps_per_cta: Ints
    instr_shape: Ints
    is_transposed: bool
    tiles_per_warp: Ints = ()
    element_bit_width: int = 32

    @property
    def rank(self) -> int:
        """Tensor dimensions."""
        return len(self.warps_per_cta)

    @property
    def tiles(self) -> Ints:
        """Tiles per warp of every dimension."""
        return self.tiles_per_warp or (1,) * self.rank

    def __str__(self) -> str:
        tiles = f", tilesPerWarp = {_list(self.tiles_per_warp)}" if self.tiles_per_warp else ""
        wide = self.element_bit_width != 32
        bits = f", elementBitWidth = {self.element_bit_width}" if wide else ""
        return (
            f"#ttg.amd_mfma<{{version = {self.version}, "
            f"warpsPerCTA = {_list(self.warps_per_cta)}, "
            f"instrShape = {_list(self.instr_shape)}, "
            f"isTransposed = {_flag(self.is_transposed)}{tiles}{bits}}}>"
        )


class DotOp(Struct, frozen=True):
    """``dot_op``: an operand of the matrix instruction; 0 is A (M x K), 1 is B (K x N).

    ``k_width``: 0 where plain multiply-adds do it: of a blocked parent.
    """

    op_idx: int
    parent: NvidiaMma | AmdMfma | Blocked
    k_width: int

    @property
    def rank(self) -> int:
        """Tensor dimensions."""
        return self.parent.rank

    def __str__(self) -> str:
        width = f", kWidth = {self.k_width}" if self.k_width else ""
        return f"#ttg.dot_op<{{opIdx = {self.op_idx}, parent = {self.parent}{width}}}>"


class LinearEncoding(Struct, frozen=True):
    """``linear``: the bases themselves; as ``generic_linear`` a basis may mix dimensions."""

    register: Bases
    lane: Bases
    warp: Bases
    generic: bool = False

    @property
    def rank(self) -> int:
        """Tensor dimensions."""
        return len((*self.register, *self.lane, *self.warp)[0])

    def __str__(self) -> str:
        name = "generic_linear" if self.generic else "linear"
        return (
            f"#ttg.{name}<{{register = {_nested(self.register)}, "
            f"lane = {_nested(self.lane)}, warp = {_nested(self.warp)}, block = []}}>"
        )


class SliceEncoding(Struct, frozen=True):
    """``slice``: the parent's tensor without dimension ``dim``."""

    dim: int
    parent: Distributed

    @property
    def rank(self) -> int:
        """Tensor dimensions."""
        return self.parent.rank - 1

    def __str__(self) -> str:
        return f"#ttg.slice<{{dim = {self.dim}, parent = {self.parent}}}>"


class SwizzledShared(Struct, frozen=True):
    """``swizzled_shared``: groups of ``vec`` columns, XORed with a row phase.

    ``rotating`` (``amd_rotating_shared``): the phases change from one block of rows to the next.
    """

    vec: int
    per_phase: int
    max_phase: int
    order: Ints
    rotating: bool = False

    @property
    def rank(self) -> int:
        """Tensor dimensions."""
        return len(self.order)

    def __str__(self) -> str:
        name = "amd_rotating_shared" if self.rotating else "swizzled_shared"
        return (
            f"#ttg.{name}<{{vec = {self.vec}, perPhase = {self.per_phase}, "
            f"maxPhase = {self.max_phase}, order = {_list(self.order)}}}>"
        )


class PaddedShared(Struct, frozen=True):
    """``padded_shared``: after every ``interval`` elements a pad; (interval, pad) in elements.

    Either ``order`` and ``shape`` (the elements in that order) or the ``offset`` bases are given.
    """

    paddings: tuple[tuple[int, int], ...]
    order: Ints = ()
    shape: Ints = ()
    offset: Bases = ()

    @property
    def rank(self) -> int:
        """Tensor dimensions."""
        return len(self.order) or len(self.offset[0])

    def __str__(self) -> str:
        pads = ", ".join(f"{interval}:+{pad}" for interval, pad in self.paddings)
        if self.offset:
            return f"#ttg.padded_shared<[{pads}] {{offset = {_nested(self.offset)}, block = []}}>"
        order = f"order = {_list(self.order)}, shape = {_list(self.shape)}"
        return f"#ttg.padded_shared<[{pads}] {{{order}}}>"


class NvmmaShared(Struct, frozen=True):
    """``nvmma_shared``: what TMA writes and wgmma reads; a 16-byte XOR in 8-row tiles.

    ``rank``: tensor dimensions; of more than two all but the last number the rows.
    """

    swizzling_byte_width: int
    transposed: bool
    element_bit_width: int
    fp4_padded: bool = False
    rank: int = 2

    def __str__(self) -> str:
        more = ", fp4Padded = true" if self.fp4_padded else ""
        more += f", rank = {self.rank}" if self.rank != 2 else ""
        return (
            f"#ttg.nvmma_shared<{{swizzlingByteWidth = {self.swizzling_byte_width}, "
            f"transposed = {_flag(self.transposed)}, "
            f"elementBitWidth = {self.element_bit_width}{more}}}>"
        )


class SharedLinear(Struct, frozen=True):
    """``shared_linear``: the coordinate basis of every offset bit. ``alignment``: bytes."""

    offset: Bases
    alignment: int = 16

    @property
    def rank(self) -> int:
        """Tensor dimensions."""
        return len(self.offset[0])

    def __str__(self) -> str:
        bases = f"{{offset = {_nested(self.offset)}}}"
        return f"#ttg.shared_linear<{bases}, alignment = {self.alignment}>"


Distributed = Blocked | NvidiaMma | AmdMfma | DotOp | LinearEncoding | SliceEncoding
Shared = SwizzledShared | PaddedShared | NvmmaShared | SharedLinear
Encoding = Distributed | Shared


def _list(values: Sequence[int]) -> str:
    return f"[{', '.join(map(str, values))}]"


def _nested(bases: Bases) -> str:
    return f"[{', '.join(map(_list, bases))}]"


def _flag(value: bool) -> str:
    return "true" if value else "false"
