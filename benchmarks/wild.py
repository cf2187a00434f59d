"""The findings of docs/wild.md, recomputed without bankwise: ``python benchmarks/wild.py``.

Each address is the formula of one instruction as it was read off the disassembly by hand: bytes of
a lane ``t`` within shared memory, constants that all lanes share left out. Passes are counted from
the definition: per phase, the most different 4-byte words that fall on one bank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

Address = Callable[[int], int]
Phases = Sequence[Sequence[int]]


def lanes(*spans: str) -> Phases:
    """``"0-3 20-23"`` is one phase."""
    ends = ([list(map(int, span.split("-"))) for span in text.split()] for text in spans)
    return [[lane for first, last in phase for lane in range(first, last + 1)] for phase in ends]


def groups(size: int, wave: int) -> Phases:
    """Neighbouring lanes, ``size`` a phase."""
    return [range(n, n + size) for n in range(0, wave, size)]


class Rule(NamedTuple):
    """Of an instruction: the bytes of a lane, the banks, and which lanes are served together."""

    target: str
    instruction: str
    width: int
    banks: int
    phases: Phases


B64_942 = Rule("gfx942", "ds_read_b64", 8, 32, groups(16, 64))
WRITE64_942 = Rule("gfx942", "ds_write_b64", 8, 32, groups(16, 64))
B32_942 = Rule("gfx942", "ds_read_b32", 4, 32, groups(32, 64))
B128_942 = Rule("gfx942", "ds_read_b128", 16, 32, lanes(
    "0-3 20-23", "4-7 16-19", "8-11 28-31", "12-15 24-27",
    "32-35 52-55", "36-39 48-51", "40-43 60-63", "44-47 56-59",
))  # fmt: skip
B64_950 = Rule("gfx950", "ds_read_b64", 8, 64, groups(32, 64))
TR16_950 = Rule("gfx950", "ds_read_b64_tr_b16", 8, 64, groups(32, 64))
B128_950 = Rule("gfx950", "ds_read_b128", 16, 64, lanes(
    "0-3 12-15 20-27", "4-11 16-19 28-31", "32-35 44-47 52-59", "36-43 48-51 60-63"
))  # fmt: skip
LDS128 = Rule("sm_90", "ld.shared.b128", 16, 32, groups(8, 32))
LDS64 = Rule("sm_90", "ld.shared.b64", 8, 32, groups(16, 32))
LDS32 = Rule("sm_90", "ld.shared.b32", 4, 32, groups(32, 32))
LDS16 = Rule("sm_90", "ld.shared.b16", 2, 32, groups(32, 32))
LDS8 = Rule("sm_90", "ld.shared.b8", 1, 32, groups(32, 32))
STS8 = Rule("sm_90", "st.shared.b8", 1, 32, groups(32, 32))


class Finding(NamedTuple):
    """``found``: the address as published; ``better``: with the change that docs/wild.md names."""

    name: str
    rule: Rule
    found: Address
    better: Address | None = None


FINDINGS = (
    Finding("tl.trans", B64_942,
            lambda t: 128 * (t % 32) + 8 * (t // 32),
            lambda t: 128 * (t % 32) + 8 * (t // 32 ^ t % 16)),
    Finding("fused MoE, b128", B128_950,
            lambda t: 2080 * (t % 4) + 256 * (t // 4 % 4) + 16 * (t // 16),
            lambda t: 1216 * (t % 4) + 288 * (t // 4 % 4) + 16 * (t // 16)),
    Finding("fused MoE, b128", B128_942,
            lambda t: 2080 * (t % 4) + 256 * (t // 4 % 4) + 16 * (t // 16)),
    Finding("fused MoE, b64", B64_950,
            lambda t: 256 * (t // 16) + 8 * (t % 16),
            lambda t: 256 * (t // 16) + (8 * (t % 16) ^ 128 * (t // 16 % 2))),
    Finding("fused MoE, b64", B64_942, lambda t: 256 * (t // 16) + 8 * (t % 16)),
    Finding("paged attention", B64_950,
            lambda t: 264 * (t % 16) + 8 * (t // 16),
            lambda t: 272 * (t % 16) + 8 * (t // 16)),
    Finding("paged attention", B64_942,
            lambda t: 264 * (t % 16) + 8 * (t // 16),
            lambda t: 272 * (t % 16) + 8 * (t // 16)),
    Finding("attention, tr_b16", TR16_950,
            lambda t: 8 * (t % 4) + 128 * (t // 4 % 2) + 1088 * (t // 8 % 2) + 32 * (t // 16 % 2)
            + 256 * (t // 32)),
    Finding("attention, tr_b16", TR16_950._replace(banks=32, phases=groups(16, 64)),
            lambda t: 8 * (t % 4) + 128 * (t // 4 % 2) + 1088 * (t // 8 % 2) + 32 * (t // 16 % 2)
            + 256 * (t // 32)),
    Finding("f32 GEMM, b128", LDS128,
            lambda t: 512 * (t % 16), lambda t: 512 * (t % 16) + 16 * (t % 8)),
    Finding("f32 GEMM, b64", LDS64,
            lambda t: 512 * (t % 16), lambda t: 512 * (t % 16) + 16 * (t % 8)),
    Finding("fp8 GEMM", STS8, lambda t: 1024 * (t % 16) + t // 16),
    Finding("convolutionSeparable", LDS32,
            lambda t: 4 * (81 * (t % 16) + t // 16), lambda t: 4 * (82 * (t % 16) + t // 16)),
    Finding("CUB, 2 bytes", LDS16,
            lambda t: 2 * (8 * t + 1 + (8 * t + 1) // 32),
            lambda t: 2 * (8 * t + 1) + 4 * (2 * (8 * t + 1) // 128)),
    Finding("CUB, 1 byte", LDS8,
            lambda t: 8 * t + 1 + (8 * t + 1) // 32,
            lambda t: 8 * t + 1 + 4 * ((8 * t + 1) // 128)),
    Finding("w8a8 GEMM", B32_942,
            lambda t: 128 * (t % 32) + 4 * (t // 32 ^ t % 16),
            lambda t: 128 * (t % 32) + 4 * (t // 32 ^ t % 32)),
    Finding("grouped decode", WRITE64_942,
            lambda t: 256 * (t // 16) + (16 * (t % 16) ^ 8 * (t // 16)),
            lambda t: 256 * (t // 32) + 8 * (t % 32 ^ t // 32)),
)  # fmt: skip


def words(rule: Rule, address: Address, phase: Iterable[int]) -> set[int]:
    return {
        word
        for t in phase
        for word in range(address(t) // 4, (address(t) + rule.width - 1) // 4 + 1)
    }


def ways(rule: Rule, address: Address) -> list[int]:
    """The passes of each phase."""
    found = (Counter(w % rule.banks for w in words(rule, address, p)) for p in rule.phases)
    return [max(banks.values()) for banks in found]


def main() -> None:
    for name, rule, found, better in FINDINGS:
        now = ways(rule, found)
        line = f"{name:21} {rule.target} {rule.instruction:19} {rule.banks} banks"
        line += f" {max(now):2}-way, {sum(now):2} passes for {len(now)}"
        if better is not None:
            then = ways(rule, better)
            line += f"; changed: {max(then)}-way, {sum(then)} for {len(then)}"
        print(line)


if __name__ == "__main__":
    main()
