"""What an NVIDIA SM takes to issue a shared-memory instruction beside moving its data.

    python benchmarks/h200_issue.py FOLDER               # texts and machine code; nvcc, no GPU
    python benchmarks/h200_issue_run.py measure FOLDER   # on a computer with the GPU

Loads and stores are volatile, so that ptxas joins none. *single*: one instruction again and again,
its lanes apart by 1, 2, 4 or 8 times its width (conflicts of that degree), independent or each
load's address the last one's result. *tiles*: the accesses of tile questions as `bankwise solve`
plans them, whole and split: every plan that competes, with a barrier between stores and loads and
without.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

UNROLL = 16
MOST_BYTES = 64 * 1024
NARROWEST = 4
"""Plans with narrower instructions are not measured: no kernel is issued like that."""
Offsets = npt.NDArray[np.int64]


def question(shape: Sequence[int], bits: int, *accesses: Mapping[str, Any]) -> dict[str, Any]:
    """A tile question for sm_90."""
    tile = {"shape": list(shape), "element_bits": bits}
    return {"machine": "sm_90", "tile": tile, "access": [dict(each) for each in accesses]}


def access(name: str, op: str, **more: Any) -> dict[str, Any]:
    """One access; ``registers`` that are named are those that are executed."""
    return {"name": name, "op": op, **more}


ROWS = access("store", "write", vector="n0 n1", lanes="n2 n3 n4 n5 m0", registers="m1 m2")
COLUMN = access(
    *("column", "read"), lanes="m0 m1 m2 m3 m4", registers="n2 n3", instruction="ld.shared.b32"
)
QUESTIONS = {
    "odd_48x80_f16": question(
        *((48, 80), 16),
        access("store", "write", offset="(lane + 32*reg)*8", vector=8, registers=15),
        access(
            *("read", "read"), vector=8, registers=15,
            offset="(lane%16 + 16*(reg%3))*80 + lane//16*8 + reg//3*16",
        ),
    ),
    "attention_k_f16": question(
        *((64, 128), 16),
        access("store", "write", vector="n0 n1 n2", lanes="n3 n4 n5 n6 m0", registers="m1 m2"),
        access(
            *("read", "read"), vector="n0 n1", lanes="m0 m1 m2 m3 n2", registers="m4 m5", weight=4
        ),
    ),
    "column_f32": question((32, 64), 32, ROWS, {**COLUMN, "weight": 4}),
    "column_once_f32": question((32, 64), 32, ROWS, COLUMN),
    "pairs_f32": question(
        *((64, 64), 32), ROWS,
        access(
            *("read", "read"), vector="n0", lanes="m0 m1 m2 m3 m4", registers="n1 m5", weight=2,
            instruction="ld.shared.b64",
        ),
    ),
}  # fmt: skip
"""Tiles whose stores may be split."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One instruction of a round. ``offsets``: of every lane, in bytes."""

    op: str
    width: int
    offsets: Offsets


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """A plan of a tile question as instructions. ``passes``: what bankwise predicts of a round."""

    question: str
    plan: str
    instructions: int
    passes: int
    stores: tuple[Step, ...]
    loads: tuple[Step, ...]


def planned(name: str) -> Iterator[Planned]:
    """Every plan that competes, as `solve` answers: addresses from the offset that it prints."""
    from bankwise.ask.solve import solve
    from bankwise.counting.conflict import count
    from bankwise.hardware.machine import machine

    gpu = machine("sm_90")
    asked = QUESTIONS[name]
    report = solve(asked, prefer="fewest-passes")
    kept = solve({**asked, "solve": {"allow_narrowing": False}})
    seen: set[object] = set()
    found = {plan.name: plan for plan in (*report.pareto, *report.baselines, *kept.pareto)}
    for plan in found.values():
        steps: dict[str, list[Step]] = {"read": [], "write": []}
        for each, use in zip(asked["access"], plan.cost.uses, strict=True):
            steps[each["op"]] += issued(asked, each, use, plan.offset)
        every = [*steps["write"], *steps["read"]]
        alike = tuple((s.op, s.width, s.offsets.tobytes()) for s in every)
        if alike in seen or min(s.width for s in every) < NARROWEST:
            continue
        seen.add(alike)
        words = {"read": "ld", "write": "st"}
        rows = [gpu.instruction(f"{words[s.op]}.shared.b{8 * s.width}") for s in every]
        on = np.ones(32, np.bool_)
        passes = [int(count(r, s.offsets, on).passes) for r, s in zip(rows, every, strict=True)]
        both = tuple(steps["write"]), tuple(steps["read"])
        yield Planned(name, plan.name, len(every), sum(passes), *both)


def issued(
    asked: Mapping[str, Any], each: Mapping[str, Any], use: Any, offset: str
) -> Iterator[Step]:
    """The instructions of one access, ``weight`` times each of its executions."""
    columns, bits = asked["tile"]["shape"][1], asked["tile"]["element_bits"]
    for starts in executions(each, columns):
        for _ in range(each.get("weight", 1)):
            for part in range(use.parts):
                at = starts + part * moved(each) // use.parts
                placed = eval(offset, {"m": at // columns, "n": at % columns})
                for issue in use.issues:
                    width = int(issue.instruction.rpartition("b")[2]) // 8
                    yield Step(each["op"], width, placed * bits // 8 + issue.offset_bytes)


def moved(each: Mapping[str, Any]) -> int:
    """Elements of a lane."""
    vector = each.get("vector", "")
    return vector if isinstance(vector, int) else 1 << len(vector.split())


def executions(each: Mapping[str, Any], columns: int) -> Iterator[Offsets]:
    """The element at which every lane begins, row-major, in every execution."""
    lane = np.arange(32)
    if "offset" in each:
        for register in range(each["registers"]):
            yield eval(each["offset"], {"lane": lane, "reg": register})
        return
    lanes, registers = (directions(each[key], columns) for key in ("lanes", "registers"))
    for number in range(1 << len(registers)):
        start = sum((number >> i & 1) * step for i, step in enumerate(registers))
        yield start + sum((lane >> i & 1) * step for i, step in enumerate(lanes))


def directions(text: str, columns: int) -> list[int]:
    """``m1 n0`` as row-major steps."""
    return [(columns if d[0] == "m" else 1) << int(d[1:]) for d in text.split()]


HEAD = """
extern __shared__ __align__(16) unsigned char memory[];
#define LDB(a, r) asm volatile("ld.volatile.shared.u8 %0, [%1];" : "=r"(r.x) : "r"(a))
#define LDH(a, r) asm volatile("ld.volatile.shared.u16 %0, [%1];" : "=r"(r.x) : "r"(a))
#define LD1(a, r) asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(r.x) : "r"(a))
#define LD2(a, r) asm volatile("ld.volatile.shared.v2.b32 {%0, %1}, [%2];" \\
  : "=r"(r.x), "=r"(r.y) : "r"(a))
#define LD4(a, r) asm volatile("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];" \\
  : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "r"(a))
#define STB(a, r) asm volatile("st.volatile.shared.u8 [%0], %1;" :: "r"(a), "r"(r.x))
#define STH(a, r) asm volatile("st.volatile.shared.u16 [%0], %1;" :: "r"(a), "r"(r.x))
#define ST1(a, r) asm volatile("st.volatile.shared.b32 [%0], %1;" :: "r"(a), "r"(r.x))
#define ST2(a, r) asm volatile("st.volatile.shared.v2.b32 [%0], {%1, %2};" \\
  :: "r"(a), "r"(r.x), "r"(r.y))
#define ST4(a, r) asm volatile("st.volatile.shared.v4.b32 [%0], {%1, %2, %3, %4};" \\
  :: "r"(a), "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w))
#define MATRIX(op, n) op ".sync.aligned.m8n8.x" n ".shared.b16 "
#define LM1(a, r) asm volatile(MATRIX("ldmatrix", "1") "{%0}, [%1];" : "=r"(r.x) : "r"(a))
#define LM2(a, r) asm volatile(MATRIX("ldmatrix", "2") "{%0, %1}, [%2];" \\
  : "=r"(r.x), "=r"(r.y) : "r"(a))
#define LM4(a, r) asm volatile(MATRIX("ldmatrix", "4") "{%0, %1, %2, %3}, [%4];" \\
  : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "r"(a))
#define SM1(a, r) asm volatile(MATRIX("stmatrix", "1") "[%0], {%1};" :: "r"(a), "r"(r.x))
#define SM2(a, r) asm volatile(MATRIX("stmatrix", "2") "[%0], {%1, %2};" \\
  :: "r"(a), "r"(r.x), "r"(r.y))
#define SM4(a, r) asm volatile(MATRIX("stmatrix", "4") "[%0], {%1, %2, %3, %4};" \\
  :: "r"(a), "r"(r.x), "r"(r.y), "r"(r.z), "r"(r.w))
"""

KERNEL = """
extern "C" __global__ void __launch_bounds__(512) %(name)s(
    const int* offsets, long long* times, int rounds, int apart, int step, unsigned* sink) {
  const unsigned lane = threadIdx.x %% 32, warp = threadIdx.x / 32;
  const unsigned base = (unsigned)__cvta_generic_to_shared(memory);
  for (int i = threadIdx.x; i < %(words)d; i += blockDim.x)
    ((unsigned*)memory)[i] = base + %(own)s;
  unsigned at[%(addresses)d];
#pragma unroll
  for (int i = 0; i < %(addresses)d; ++i) at[i] = base + offsets[i * 32 + lane];
  uint4 r[%(registers)d], v = {at[0], at[0], at[0], at[0]};
#pragma unroll
  for (int i = 0; i < %(registers)d; ++i) r[i] = v;
  __syncthreads();
  if (warp %% apart) return;
  const long long start = clock64();
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) {
%(body)s
  }
  const long long end = clock64();
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < %(registers)d; ++i) sum ^= r[i].x ^ r[i].y ^ r[i].z ^ r[i].w;
  if (sum == 1234567) *sink = sum;
  if (lane == 0) { times[2 * warp] = start; times[2 * warp + 1] = end; }
}
"""
KEPT = UNROLL
"""Results that are in flight at once, in fours of registers: one that is overwritten in its round
would be dead, and its ldmatrix left out."""


def kernel(name: str, lines: Sequence[str], addresses: int, *, own: bool = False) -> str:
    """The text of one kernel; ``own``: every word of the memory holds its own address."""
    body = "\n".join(f"    {line}" for line in lines)
    words = {"name": name, "addresses": addresses, "registers": KEPT, "body": body}
    return KERNEL % {**words, "words": MOST_BYTES // 4, "own": "4 * i" if own else "0"}


_WIDTHS = {"B": 1, "H": 2, "1": 4, "2": 8, "4": 16}
SINGLES = {
    **{
        f"ld.shared.b{8 * w}": (f"LD{c}", w) for c, w in zip("BH124", (1, 2, 4, 8, 16), strict=True)
    },
    **{
        f"st.shared.b{8 * w}": (f"ST{c}", w) for c, w in zip("BH124", (1, 2, 4, 8, 16), strict=True)
    },
    **{f"ldmatrix.x{n}": (f"LM{n}", 16) for n in (1, 2, 4)},
    **{f"stmatrix.x{n}": (f"SM{n}", 16) for n in (1, 2, 4)},
}
"""Macro of each instruction, and the bytes between its lanes where there is no conflict."""
CHASED = {f"chased b{8 * w}": (f"LD{w // 4}", w) for w in (4, 8, 16)}


def kernel_name(instruction: str) -> str:
    """As a name of C."""
    return instruction.replace(".", "_").replace(" ", "_")


def single(name: str) -> str:
    """``UNROLL`` times one instruction. ``step`` is 0, which the compiler does not know: it would
    join equal ldmatrix."""
    lines = []
    for i in range(UNROLL):
        kept = "v" if name.startswith("st") else f"r[{i % KEPT}]"
        step = "at[0] += step; " if "matrix" in name else ""
        lines.append(f"{step}{SINGLES[name][0]}(at[0], {kept});")
    return kernel(kernel_name(name), lines, 1)


def chased(name: str) -> str:
    """``UNROLL`` loads, each at the address that the last one read."""
    line = f"{CHASED[name][0]}(r[0].x, r[0]);"
    return kernel(kernel_name(name), [line] * UNROLL, 1, own=True)


def numbered(plan: Planned) -> list[int]:
    """For each step the number of its offsets among those that differ."""
    seen: dict[bytes, int] = {}
    steps = (*plan.stores, *plan.loads)
    return [seen.setdefault(s.offsets.tobytes(), len(seen)) for s in steps]


def tile_text(plan: Planned, name: str, *, barrier: bool) -> str:
    """A round of a plan, all stores, then all loads; each address once in registers."""
    lines, meet = [], ["__syncthreads();"] if barrier else []
    numbers = numbered(plan)
    for place, (step, number) in enumerate(zip((*plan.stores, *plan.loads), numbers, strict=True)):
        if place == len(plan.stores):
            lines += meet
        kept = "v" if step.op == "write" else f"r[{place % KEPT}]"
        op = {"read": "LD", "write": "ST"}[step.op]
        lines.append(f"{op}{step.width // 4}(at[{number}], {kept});")
    return kernel(name, [*lines, *meet], max(numbers) + 1)


def build(folder: Path) -> None:
    """issue.cu, issue.cubin and tiles.json in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    plans = [plan for name in QUESTIONS for plan in planned(name)]
    texts = [*map(single, SINGLES), *map(chased, CHASED)]
    for number, plan in enumerate(plans):
        texts += [tile_text(plan, f"tile{number}_{b}", barrier=bool(b)) for b in (0, 1)]
    (folder / "issue.cu").write_text(HEAD + "".join(texts), "utf-8")
    listed = [stated(plan) for plan in plans]
    (folder / "tiles.json").write_text(json.dumps(listed), "utf-8")
    command = ["nvcc", "-cubin", "-arch=sm_90", "-o", "issue.cubin", "issue.cu"]
    subprocess.run(command, cwd=folder, check=True)


def stated(plan: Planned) -> dict[str, Any]:
    """A plan for the computer with the GPU, which needs nothing of bankwise."""
    numbers = numbered(plan)
    first = [numbers.index(n) for n in range(max(numbers) + 1)]
    steps = (*plan.stores, *plan.loads)
    return {
        "question": plan.question, "plan": plan.plan, "passes": plan.passes,
        "instructions": plan.instructions, "stores": len(plan.stores),
        "offsets": [steps[i].offsets.tolist() for i in first],
    }  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build(Path(sys.argv[1]))
