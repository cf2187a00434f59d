"""Random kernels whose lanes part, on an NVIDIA H200: `check` beside every instruction's counter.

    python benchmarks/h200_parted.py build OUT [KERNELS [SEED [WORD]]]    # no GPU: nvcc, `check`
    python benchmarks/h200_parted.py build OUT waits              # the kernels of h200_waits.cu
    python benchmarks/h200_parted.py build OUT masks              # and of h200_masks.cu
    python benchmarks/h200_parted.py measure OUT                  # with it: CuPy, Nsight Compute
    python benchmarks/h200_parted.py compare OUT                  # no GPU

Each kernel is some thirty statements by chance: conditions, switches that fall through, loops with
break and continue, returns and jumps forward, each decided by the number of the thread, with a read
of shared memory at an own stride on every way. ``quiet``: as well conditions and loops without any,
which the number of the thread decides, or data: nothing of them is seen by a read. ``data``: of all
conditions a third is decided by memory: by a word for all lanes of a warp, by one of each lane, or
by one that a pointer names that leads to local memory or not. How often such a read is made nobody
knows; what it takes each time has an upper end, and is a multiple of what all lanes take.
``groups``: as data, and what memory holds is asked for across lanes: by shuffles, votes, matches
and sums of a warp, of parts of it, or of the lanes that are there. The kernels written by hand are
those of ``tests/data/sass/parted.cu``.
"""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from math import gcd
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "data"))

FILE_KERNELS = 40
"""Kernels of a cubin."""
THREADS = 64
SEED = 2026
MOST_DEPTH = 4
MOST_PATTERNS = 200
Passes = tuple[int | None, int, int | None]
LOCAL = "float own[2] = {g[t], g[t + 64]}; const float* p = g[70] > 0.f ? own : g + 80;"
"""A pointer that memory chooses: what it leads to is each lane's own, or one word of all."""
WORDS = ("g[{}]", "g[(t >> 5) + {}]", "g[t + {}]", "p[{} & 1]", "((const volatile float*)g)[{}]")

ACROSS = (
    "__shfl_sync(~0u, d, {0}, 8)", "__shfl_sync(~0u, d, {0}, 16)", "__shfl_sync(~0u, d, {0})",
    "__shfl_sync(~0u, d, t & 24)", "__shfl_sync(~0u, d, (__float_as_int(g[{0}]) >> 4) & 31)",
    "__shfl_up_sync(~0u, d, 8)", "__shfl_xor_sync(~0u, d, 16)", "__shfl_down_sync(~0u, d, {0}, 16)",
    "(int)__ballot_sync(~0u, d & 2)", "(int)__ballot_sync(0xffu << (t & 24), d & 2)",
    "__any_sync(~0u, d & 4) ? d : g0", "__all_sync(0xffu << (t & 24), d & 1) ? g0 : 5",
    "(int)__match_any_sync(~0u, d & 3)", "(int)__match_any_sync(0xffffu << (t & 16), d & 3)",
    "__reduce_add_sync(~0u, d)", "__reduce_add_sync(0xffu << (t & 24), d)",
    "__reduce_max_sync(0xffffu << (t & 16), d & 255)",
)  # fmt: skip
"""What lanes ask of each other, ``d`` the word of each and ``g0`` one of all."""
ACTIVE = (
    "__any_sync(__activemask(), {})", "(__popc(__ballot_sync(__activemask(), {})) & 3)",
    "(__reduce_add_sync(__activemask(), {} >> 4) & 2)",
    "(__match_any_sync(__activemask(), {}) & 5)",
)  # fmt: skip
"""What the lanes ask that are there."""


class PartingKernel:
    """One kernel by chance."""

    def __init__(self, seed: int, word: str = "") -> None:
        self.chance = random.Random(seed)
        self.quiet, self.groups = word == "quiet", word == "groups"
        self.data = word == "data" or self.groups
        self.deepest = 2 if self.data else MOST_DEPTH
        self.places = 0
        self.loops = 0

    def text(self, name: str) -> str:
        body = [*self.block(0, None), "  a += s[t * 2];", "tail:", "  a += s[t * 4];"]
        lines = [
            f'extern "C" __global__ void {name}(float* out, const float* g) {{',
            "  __shared__ volatile float s[4096];",
            "  const int t = threadIdx.x; float a = 0;",
            *(["  " + LOCAL] if self.data else []),
            *(self.across() if self.groups else []),
            *body,
            "  out[t] = a;",
            "}",
        ]
        return "\n".join(lines)

    def block(self, depth: int, loop: str | None) -> Iterator[str]:
        pad = "  " * (depth + 1)
        kinds = ["read"] if depth >= self.deepest else ["read", "if", "if", "switch", "loop"]
        kinds += ["quiet", "quiet"] if self.quiet else []
        for _ in range(self.chance.randint(1, 3 if depth else 5)):
            yield from (
                pad + line for line in self.statement(self.chance.choice(kinds), depth, loop)
            )
        if self.chance.random() < 0.3:
            yield pad + self.leave(loop)

    def statement(self, kind: str, depth: int, loop: str | None) -> Iterator[str]:
        if kind == "read":
            yield self.read(loop)
        elif kind == "quiet":
            yield from self.unread(depth, loop)
        elif kind == "if":
            yield f"if ({self.condition(loop)}) {{"
            yield from self.block(depth + 1, loop)
            if self.chance.random() < 0.5:
                yield "} else {"
                yield from self.block(depth + 1, loop)
            yield "}"
        elif kind == "switch":
            yield f"switch (t & {self.chance.choice((3, 7, 12))}) {{"
            for case in self.chance.sample((0, 1, 2, 3, 4, 5, 8, 12), self.chance.randint(2, 4)):
                yield f"  case {case}: {self.read(loop)}"
                if self.chance.random() < 0.4:
                    yield from ("  " + line for line in self.block(depth + 1, loop))
                if self.chance.random() < 0.5:
                    yield "    break;"
            yield "}"
        else:
            yield from self.loop(depth)

    def unread(self, depth: int, loop: str | None) -> Iterator[str]:
        """What no read depends on."""
        self.places += 1
        word = self.chance.choice(("t", "0", f"t + {self.places}"))
        data = f"((__float_as_int(g[{word}]) ^ (t * 40503)) & {self.chance.choice((16, 64, 512))})"
        decides = data if self.chance.random() < 0.5 else self.condition(loop)
        if self.chance.random() < 0.4:
            name = f"i{self.loops}"
            self.loops += 1
            count = self.chance.choice(
                ("(t & 3) + 1", "(t & 7)", "g[t] > 0.f ? 3 : (t * 40503 >> 6) % 5")
            )
            yield "#pragma unroll 1"
            yield f"for (int {name} = 0; {name} < ({count}); {name}++) {{"
            yield f"if ({decides}) out[t + {64 * self.places} + {name}] = a;"
        else:
            yield f"if ({decides}) {{"
            yield f"out[t + {64 * self.places}] = a;"
        if depth < self.deepest and self.chance.random() < 0.5:
            yield from self.unread(depth + 1, loop)
        yield "}"

    def loop(self, depth: int) -> Iterator[str]:
        name = f"i{self.loops}"
        self.loops += 1
        count = self.chance.choice(("3", "4", "(t & 3) + 1", "(t & 7)", "(t >> 3) % 3 + 1"))
        yield "#pragma unroll 1"
        yield f"for (int {name} = 0; {name} < {count}; {name}++) {{"
        yield from self.block(depth + 1, name)
        yield "}"

    def read(self, loop: str | None) -> str:
        stride = self.chance.choice((1, 2, 3, 4, 8, 16, 32))
        self.places += 1
        more = f" + {loop}" if loop and self.chance.random() < 0.7 else ""
        how = self.chance.choice("+-*")
        return f"a {how}= s[t * {stride}{more}]; out[t + {64 * self.places}] = a;"

    def leave(self, loop: str | None) -> str:
        ways = ["goto tail;", "return;"] + (
            ["break;", "break;", "continue;", "continue;"] if loop else []
        )
        return f"if ({self.condition(loop)}) {self.chance.choice(ways)}"

    def asked(self) -> str:
        """What memory decides, in a warp or in each lane."""
        if self.groups and self.chance.random() < 0.5:
            number = self.chance.randrange(2)
            return f"((v{number} ^ (v{number} >> 3)) & {self.chance.choice((1, 2, 4, 9))})"
        word = self.chance.choice(WORDS).format(self.chance.randrange(32))
        found = f"(__float_as_int({word}) & {self.chance.choice((16, 64, 512, 4096))})"
        if self.groups and self.chance.random() < 0.5:
            return self.chance.choice(ACTIVE).format(found)
        return found

    def across(self) -> Iterator[str]:
        """What lanes ask of each other, once at the start."""
        yield "  const int g0 = __float_as_int(g[0]);"
        yield "  const int d = __float_as_int(g[(t * 5 + 3) & 63]) >> 18;"
        for number in range(2):
            asked = self.chance.choice(ACROSS).format(self.chance.randrange(8))
            yield f"  const int v{number} = {asked};"

    def condition(self, loop: str | None) -> str:
        if self.data and self.chance.random() < 0.35:
            return self.asked()
        mask = self.chance.choice((1, 2, 3, 5, 7, 12, 24))
        some = [
            f"(t & {mask}) == {mask & self.chance.randrange(32)}",
            f"t % {self.chance.choice((3, 5, 6))} == {self.chance.randrange(3)}",
            f"t < {self.chance.choice((7, 16, 24, 32, 40))}",
        ]
        if loop:
            some += [f"{loop} == (t & {mask})", f"((t >> {loop}) & 1)", f"{loop} > (t & 3)"]
        first = self.chance.choice(some)
        if self.chance.random() < 0.2:
            return f"({first}) {self.chance.choice(('&&', '||'))} ({self.chance.choice(some)})"
        return first


def build(out: Path, count: int, seed: int, word: str = "") -> None:
    """Sources by chance, and what :func:`compiled` makes of them."""
    texts = {
        f"parted{number}": [
            PartingKernel(seed + n, word).text(f"p{n}")
            for n in range(first, min(first + FILE_KERNELS, count))
        ]
        for number, first in enumerate(range(0, count, FILE_KERNELS))
    }
    compiled(out, {name: "\n".join(some) + "\n" for name, some in texts.items()})


def compiled(out: Path, texts: Mapping[str, str]) -> None:
    """Machine code, and predicted.json: of each kernel the passes of each instruction."""
    out.mkdir(parents=True, exist_ok=True)
    told: dict[str, dict[str, dict[str, Passes]]] = {}
    for name, text in texts.items():
        source = out / f"{name}.cu"
        source.write_text(text, "utf-8")
        cubin = source.with_suffix(".cubin")
        command = [
            "nvcc",
            "-std=c++17",
            "-arch=sm_90",
            "-cubin",
            "-w",
            "-o",
            str(cubin),
            str(source),
        ]
        subprocess.run(command, check=True)
        told[name] = predicted(cubin)
    (out / "predicted.json").write_text(json.dumps(told), "utf-8")


def predicted(cubin: Path) -> dict[str, dict[str, Passes]]:
    """Of each kernel the passes of each address: of all, None where they are not claimed to be
    exact; what they are a multiple of, and the most each time that a warp makes the access."""
    from h200_cuda_suite import exact_passes

    from bankwise.hardware.machine import machine
    from bankwise.read.sass.cubin import check_cubin

    gpu = machine("sm_90")
    found: dict[str, dict[str, Passes]] = {}
    for kernel in check_cubin(cubin, workgroup_size=(THREADS, 1, 1)):
        mine = found.setdefault(kernel.name, {})
        for refusal in kernel.refusals:
            print(kernel.name, refusal.reason, file=sys.stderr)
        for one in kernel.accesses:
            place, whole = f"0x{one.access.address:04x}", exact_passes(one, gpu)
            unit, most = each_time(one, gpu)
            if place in mine:
                whole = _sum(whole, mine[place][0])
                unit, most = gcd(unit, mine[place][1]), _most(most, mine[place][2])
            mine[place] = whole, unit, most
        for refusal in kernel.refusals:
            mine.pop(refusal.reason.partition(" at ")[2][:6], None)
    return found


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _most(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else max(one, other)


def each_time(one: Any, gpu: Any) -> tuple[int, int | None]:
    """What the passes of all accesses of a warp are a multiple of, and the most that one takes; 1
    where only some of its lanes may make it, None where nobody knows."""
    from bankwise.counting.conflict import count

    if one.unknown or len(one.access.patterns) > MOST_PATTERNS:
        return 1, None
    row = gpu.instruction(one.instruction)
    passes = [
        int(count(row, offsets, active).passes)
        for pattern in one.access.patterns
        for offsets, active in zip(pattern.offsets_bytes, pattern.active, strict=True)
        if active.any()
    ]
    return (1 if one.some_lanes else gcd(*passes)), max(passes)


def measure(out: Path) -> None:
    """counters.csv in ``out``."""
    import measure_sass_kernels as measuring
    from sass_kernels import Launch

    told = json.loads((out / "predicted.json").read_text("utf-8"))
    measuring.LAUNCHES[:] = [
        Launch(file, name, (THREADS, 1, 1)) for file, some in told.items() for name in some
    ]
    if sys.argv[1] == "--launch":
        measuring.launch_all(out)
        return
    measuring.__file__ = __file__
    measuring.profile(out, out)
    rows, _ = measuring.rows(out)
    header = ["kernel", "address", "instruction", "passes", "ideal", "executed"]
    measuring.write(out / "counters.csv", header, rows)


def compare(out: Path) -> Iterator[str]:
    """What `check` says beside what was counted."""
    told = json.loads((out / "predicted.json").read_text("utf-8"))
    said = {name: some for file in told.values() for name, some in file.items()}
    tally: Counter[str] = Counter()
    with (out / "counters.csv").open(encoding="utf-8") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(line for line in file if line[0] != "#"))
    for row in rows:
        passes, times = int(row["passes"]), int(row["executed"])
        whole, unit, most = said[row["kernel"]].get(row["address"], (None, 1, None))
        if whole is None and most is None:
            tally["not claimed"] += 1
        elif whole == passes or (
            whole is None and most is not None and passes <= most * times and passes % unit == 0
        ):
            tally["equal" if whole == passes else "each time between"] += 1
        else:
            tally["differ"] += 1
            place = f"{row['kernel']} {row['address']} {row['instruction']}"
            yield f"{place}: {whole}, {unit} to {most} each time, counted {passes} in {times}"
    counted = {(row["kernel"], row["address"]) for row in rows}
    never = sum(
        whole not in (None, 0) and (name, at) not in counted
        for name, some in said.items() for at, (whole, *_) in some.items()
    )  # fmt: skip
    yield f"{len(said)} kernels, {len(rows)} instructions: {dict(tally)}"
    yield f"{never} claimed and not run"


def main(arguments: list[str]) -> None:
    """See the module's text."""
    word, place, *numbers = arguments
    if word == "build" and numbers in (["waits"], ["masks"]):
        source = Path(__file__).with_name(f"h200_{numbers[0]}.cu")
        compiled(Path(place), {source.stem: source.read_text("utf-8")})
    elif word == "build":
        word = numbers.pop() if numbers and not numbers[-1].isdigit() else ""
        count, seed = (int(n) for n in (*numbers, *("200", str(SEED))[len(numbers) :]))
        build(Path(place), count, seed, word)
    elif word in ("measure", "--launch"):
        measure(Path(place).resolve())
    else:
        print("\n".join(compare(Path(place))))


if __name__ == "__main__":
    main(sys.argv[1:])
