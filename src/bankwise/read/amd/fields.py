"""Fields of an AMD instruction, and the words that LLVM has for registers and numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from bankwise.read.amd.encodings import LITERAL, MachineEncoding

_SPECIAL: Mapping[int, str] = {
    **dict(
        enumerate(("flat_scratch_lo", "flat_scratch_hi", "xnack_mask_lo", "xnack_mask_hi"), 102)
    ),
    106: "vcc_lo",
    107: "vcc_hi",
    124: "m0",
    126: "exec_lo",
    127: "exec_hi",
    **dict(enumerate(("src_shared_base", "src_shared_limit", "src_private_base"), 235)),
    238: "src_private_limit",
    239: "src_pops_exiting_wave_id",
    **dict(enumerate(("0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"), 240)),
    248: "0.15915494",
    251: "src_vccz",
    252: "src_execz",
    253: "src_scc",
    254: "src_lds_direct",
}
_PAIRS = {102: "flat_scratch", 104: "xnack_mask", 106: "vcc", 126: "exec"}
_FLOATS = {
    0x3F000000: "0.5",
    0xBF000000: "-0.5",
    0x3F800000: "1.0",
    0xBF800000: "-1.0",
    0x40000000: "2.0",
    0xC0000000: "-2.0",
    0x40800000: "4.0",
    0xC0800000: "-4.0",
    0x3E22F983: "0.15915494",
}


class Fields(Struct, frozen=True):
    """An instruction: its fields by name, and the constant behind it."""

    encoding: MachineEncoding
    raw: int
    literal: int | None

    @property
    def name(self) -> str:
        """LLVM's name of the instruction."""
        return self.encoding.name

    def __getitem__(self, name: str) -> int:
        return self.encoding.get(self.raw, name)

    def has(self, name: str) -> bool:
        """Whether the instruction has this operand."""
        return name in self.encoding.registers

    def size(self, name: str) -> int:
        """Registers of an operand."""
        return self.encoding.registers.get(name, 1)

    def vector(self, name: str, accumulator: int = 0, size: int = 0) -> str:
        """A vector register, or a scalar one where the instruction writes one."""
        if name in self.encoding.scalar:
            return source(self[name], self.size(name))
        return ranged("a" if accumulator else "v", self[name] & 255, size or self.size(name))

    def register(self, name: str, accumulator: int, size: int = 0) -> str:
        """A source that can be nothing but a vector register."""
        if self[name] < 256:
            raise ValueError(f"source {self[name]} where a vector register stands")
        return ranged("a" if accumulator else "v", self[name] - 256, size or self.size(name))

    def source(self, name: str, size: int = 0) -> str:
        """A register of either kind, or a number."""
        if self[name] == LITERAL and self.literal is not None:
            return constant(self.literal)
        return source(self[name], size or self.size(name))

    def flags(self, *names: str) -> Iterator[str]:
        """Those of the one-bit fields that are set."""
        return (name for name in names if self[name])


def ranged(file: str, first: int, count: int) -> str:
    """``v5`` or ``v[5:6]``."""
    return f"{file}{first}" if count <= 1 else f"{file}[{first}:{first + count - 1}]"


def source(code: int, count: int) -> str:
    """A source or scalar destination by its number. Scalar registers of an operand of several
    parts begin at a multiple: the low bits of the number are not looked at."""
    if code >= 256:
        return ranged("v", code - 256, count)
    step = min(count, 4) if count & 1 == 0 else 1
    if code < 102:
        return ranged("s", code // step * step, count)
    if count == 2 and code in _PAIRS:
        return _PAIRS[code]
    if 108 <= code < 124:
        return ranged("ttmp", (code - 108) // step * step, count)
    if 128 <= code <= 192:
        return str(code - 128)
    if 193 <= code <= 208:
        return str(192 - code)
    if code in _SPECIAL:
        return _SPECIAL[code]
    raise ValueError(f"source {code}")


def constant(value: int) -> str:
    """A 32-bit constant behind an instruction."""
    signed = value - (1 << 32) if value >> 31 else value
    return str(signed) if -16 <= signed <= 64 else _FLOATS.get(value, hex(value))
