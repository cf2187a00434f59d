"""Random Triton kernels as TTGIR text: one tile from registers through shared memory to registers.

    python tests/ttgir_random.py < questions    one "FILE TARGET" a line; needs the Triton wheel

Written by hand: the code under test has no part in the texts.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

WAVES = 4


@dataclass(frozen=True)
class Made:
    """``copies``: lanes or waves of the second layout hold what others hold."""

    text: str
    target: str
    copies: bool


def power(low: int, high: int) -> int:
    return 1 << random.randint(low, high)


def split(bits: int) -> list[int]:
    sizes = [1, 1]
    for _ in range(bits):
        sizes[random.randrange(2)] *= 2
    return sizes


def registers(target: str) -> str:
    amd = target.startswith("gfx")
    if random.random() < 0.5:
        return (
            f"#ttg.blocked<{{sizePerThread = {split(random.randint(0, 4))}, threadsPerWarp = "
            f"{split(6 if amd else 5)}, warpsPerCTA = {split(2)}, order = "
            f"{random.sample([0, 1], 2)}}}>"
        )
    if amd:
        shape = random.choice([[32, 32, 8], [16, 16, 16]])
        mma = (
            f"#ttg.amd_mfma<{{version = {3 if target == 'gfx942' else 4}, warpsPerCTA = {split(2)},"
            f" instrShape = {shape}, isTransposed = {random.choice(['true', 'false'])}}}>"
        )
    else:
        mma = (
            "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = "
            f"{split(2)}, instrShape = [16, 8]}}>"
        )
    if random.random() < 0.4:
        return mma
    width = random.choice([2, 4, 8]) if amd else 2
    index = random.randint(0, 1)
    return f"#ttg.dot_op<{{opIdx = {index}, parent = {mma}, kWidth = {width}}}>"


def memory(target: str, shape: list[int]) -> str:
    order = random.sample([0, 1], 2)
    if target.startswith("gfx") and random.random() < 0.4:
        pad = f"{power(5, 8)}:+{power(2, 4)}"
        return f"#ttg.padded_shared<[{pad}] {{order = {order}, shape = {shape}}}>"
    return (
        f"#ttg.swizzled_shared<{{vec = {power(0, 3)}, perPhase = {power(0, 2)}, "
        f"maxPhase = {power(0, 3)}, order = {order}}}>"
    )


def pointers(tag: str, base: str, layout: str, shape: list[int], element: str) -> str:
    """%<tag>p: pointers to all elements, row-major."""
    m, n = shape
    row, column = (f"#ttg.slice<{{dim = {d}, parent = {layout}}}>" for d in (1, 0))
    tall, flat = f"tensor<{m}x1xi32, {layout}>", f"tensor<1x{n}xi32, {layout}>"
    pointer = f"tensor<{m}x{n}x!tt.ptr<{element}>, {layout}>"
    number = f"tensor<{m}x{n}xi32, {layout}>"
    return f"""
    %{tag}0 = tt.make_range {{end = {m} : i32, start = 0 : i32}} : tensor<{m}xi32, {row}>
    %{tag}1 = tt.make_range {{end = {n} : i32, start = 0 : i32}} : tensor<{n}xi32, {column}>
    %{tag}2 = tt.expand_dims %{tag}0 {{axis = 1 : i32}} : tensor<{m}xi32, {row}> -> {tall}
    %{tag}3 = tt.expand_dims %{tag}1 {{axis = 0 : i32}} : tensor<{n}xi32, {column}> -> {flat}
    %{tag}4 = arith.constant dense<{n}> : {tall}
    %{tag}5 = arith.muli %{tag}2, %{tag}4 : {tall}
    %{tag}6 = tt.broadcast %{tag}5 : {tall} -> {number}
    %{tag}7 = tt.broadcast %{tag}3 : {flat} -> {number}
    %{tag}8 = arith.addi %{tag}6, %{tag}7 : {number}
    %{tag}9 = tt.splat %{base} : !tt.ptr<{element}> -> {pointer}
    %{tag}p = tt.addptr %{tag}9, %{tag}8 : {pointer}, {number}"""


def kernel(target: str, through: int) -> Made:
    """``through``: 0 a conversion of layouts, 1 a buffer."""
    element = random.choice(["f16", "f16", "f32"])
    shape = [power(5, 7), power(5, 6)]
    first, second = registers(target), registers(target)
    tile = f"{shape[0]}x{shape[1]}x{element}"
    a, b = (f"tensor<{tile}, {layout}>" for layout in (first, second))
    pa, pb = (t.replace(f"x{element}", f"x!tt.ptr<{element}>") for t in (a, b))
    if through:
        kind = f"!ttg.memdesc<{tile}, {memory(target, shape)}, #smem, mutable>"
        moved = (
            f"%m = ttg.local_alloc %v : ({a}) -> {kind}\n    %w = ttg.local_load %m : {kind} -> {b}"
        )
    else:
        moved = f"%w = ttg.convert_layout %v : {a} -> {b}"
    argument = f"!tt.ptr<{element}> {{tt.divisibility = 16 : i32}}"
    amd = target.startswith("gfx")
    name = f"hip:{target}" if amd else f"cuda:{target.removeprefix('sm_')}"
    said = f'ttg.target = "{name}", "ttg.threads-per-warp" = {64 if amd else 32} : i32'
    before = pointers("a", "x", first, shape, element) + pointers("b", "y", second, shape, element)
    text = f"""#smem = #ttg.shared_memory
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = {WAVES} : i32, {said}}} {{
  tt.func public @k(%x: {argument}, %y: {argument}) attributes {{noinline = false}} {{{before}
    %v = tt.load %ap : {pa}
    {moved}
    tt.store %bp, %w : {pb}
    tt.return
  }}
}}
"""
    return Made(text, target, holds_copies(second, shape))


def holds_copies(layout: str, shape: list[int]) -> bool:
    from bankwise.notation.triton import distribution, parse_distributed

    held = distribution(parse_distributed(layout), shape)
    return not all(any(basis) for basis in (*held.lane_bases, *held.wave_bases))


def outcome(texts: Sequence[str], folder: Path) -> list[str | None]:
    """The assembly of every TTGIR text; None where Triton does not compile it, or dies of it."""
    paths = [folder / f"k{n}.ttgir" for n in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    left = [str(p) for p in paths]
    while left:
        done = subprocess.run(
            [sys.executable, __file__, str(folder)],
            input="\n".join(left),
            capture_output=True,
            text=True,
            check=False,
        )
        left = left[done.stdout.count("answered\n") + 1 :] if done.returncode else []
    made = [path.with_suffix(".s") for path in paths]
    return [path.read_text() if path.exists() else None for path in made]


def answer() -> None:
    """Compile the files named on stdin, each beside itself."""
    os.environ["TRITON_CACHE_DIR"] = str(Path(sys.argv[1]) / "cache")
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    import triton
    from triton.backends.compiler import GPUTarget

    for line in sys.stdin.read().splitlines():
        path = Path(line)
        name = path.read_text().partition('ttg.target = "')[2].partition('"')[0]
        vendor, _, gpu = name.partition(":")
        wide = GPUTarget("hip", gpu, 64) if vendor == "hip" else GPUTarget("cuda", int(gpu), 32)
        try:
            made = triton.compile(str(path), target=wide)
            path.with_suffix(".s").write_text(made.asm["amdgcn" if vendor == "hip" else "ptx"])
        except Exception as error:
            print(type(error).__name__, file=sys.stderr)
        print("answered", flush=True)


if __name__ == "__main__":
    answer()
