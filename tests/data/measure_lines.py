"""Measure how copies past the cache and the forms of atomics are served: h200_lines.csv and
h200_forms.csv.

    python tests/data/measure_lines.py FOLDER

needs an NVIDIA GPU, CuPy and Nsight Compute. Each pattern is one instruction of a kernel of one
warp; its passes are those of the source page (memory_l1_wavefronts_shared), instruction by
instruction. The patterns are random, from a fixed seed, or written down below.
"""

from __future__ import annotations

import csv
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PASSES = "memory_l1_wavefronts_shared"
PIECE_BYTES = 16
AT_ONCE = 128
"""Patterns of one kernel."""
SHARED_BYTES = 96 * 1024
COPY = (
    'asm volatile("cp.async.cg.shared.global [%0], [%1], 16; cp.async.commit_group; '
    'cp.async.wait_group 0;" :: "r"(address), "l"(from) : "memory");'
)
RED = 'asm volatile("%s [%%0], %%1;" :: "r"(address), "%s"((%s)value) : "memory");'
ONE = 'asm volatile("%s [%%0], 1;" :: "r"(address) : "memory");'
TAKE = '%s was; asm volatile("%s %%0, [%%1], %%2;" : "=%s"(was) : "r"(address), "%s"((%s)value) '
TAKE += ': "memory"); sum += (unsigned)was;'
SWAP = '%s was; asm volatile("%s %%0, [%%1], %%2, %%3;" : "=%s"(was) : "r"(address), '
SWAP += '"%s"((%s)value), "%s"((%s)value + 1) : "memory"); sum += (unsigned)was;'
INT, LONG, FLOAT = ("unsigned", "r"), ("unsigned long long", "l"), ("float", "f")


def _red(name: str, kind: tuple[str, str] = INT) -> str:
    return RED % (name, kind[1], kind[0])


def _take(name: str, kind: tuple[str, str] = INT) -> str:
    return TAKE % (kind[0], name, kind[1], kind[1], kind[0])


def _swap(name: str, kind: tuple[str, str] = INT) -> str:
    return SWAP % (kind[0], name, kind[1], kind[1], kind[0], kind[1], kind[0])


FORMS: dict[str, tuple[str, int]] = {
    "red.shared.add.u32": (_red("red.shared.add.u32"), 4),
    "red.shared.add.u32 1": (ONE % "red.shared.add.u32", 4),
    "atom.shared.add.u32": (_take("atom.shared.add.u32"), 4),
    "red.shared.min.s32": (_red("red.shared.min.s32"), 4),
    "red.shared.max.u32": (_red("red.shared.max.u32"), 4),
    "red.shared.or.b32": (_red("red.shared.or.b32"), 4),
    "red.shared.xor.b32": (_red("red.shared.xor.b32"), 4),
    "red.shared.inc.u32": (_red("red.shared.inc.u32"), 4),
    "atom.shared.exch.b32": (_take("atom.shared.exch.b32"), 4),
    "atom.shared.cas.b32": (_swap("atom.shared.cas.b32"), 4),
    "atom.shared.exch.b64": (_take("atom.shared.exch.b64", LONG), 8),
    "atom.shared.cas.b64": (_swap("atom.shared.cas.b64", LONG), 8),
    "red.shared.add.u64": (_red("red.shared.add.u64", LONG), 8),
    "red.shared.add.f32": (_red("red.shared.add.f32", FLOAT), 4),
}
"""What is measured: a text and the bytes of a lane. ``1``: every lane adds the constant 1."""


@dataclass(frozen=True)
class Moves:
    """Lane, source, destination of every lane that takes part, in units of what it moves."""

    lanes: tuple[tuple[int, int, int], ...]

    def __str__(self) -> str:
        return " ".join(f"{lane}:{source}>{to}" for lane, source, to in self.lanes)


def _own(lanes: range | list[int], to: list[int]) -> Moves:
    return Moves(tuple((lane, lane, place) for lane, place in zip(lanes, to, strict=True)))


def _from(sources: list[int], to: list[int]) -> Moves:
    return Moves(tuple((n, *both) for n, both in enumerate(zip(sources, to, strict=True))))


def copies() -> Iterator[Moves]:
    """Pairs of lanes; lines turned, shifted, shuffled; rows of 1 to 8 pieces; sources apart."""
    draw, warp = random.Random(5), list(range(32))
    for other in (1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 31):
        yield from (_own([0, other], [a, b]) for a in range(3) for b in range(20))
    yield from (_own(range(8), draw.sample(range(8), 8)) for _ in range(60))
    yield from (_own(range(8), [n ^ x for n in range(8)]) for x in range(8))
    yield from (_own(range(8), [(n + x) % 8 for n in range(8)]) for x in range(1, 8))
    yield from (_own(range(8), [n + x for n in range(8)]) for x in range(1, 8))
    for row in (8, 4, 2, 1):
        for pitch in (*range(row, row + 5), 12, 16, 17, 18, 20, 24, 32, 33, 40, 64):
            yield _own(warp, [n // row * pitch + n % row for n in warp])
            yield _own(warp, [n // row * pitch + (n % row ^ n // row % row) for n in warp])
    for step in (2, 4, 8, 9, 16, 17):
        yield _from([n * step for n in warp], warp)
        yield _from([n // 8 * 8 * step + n % 8 for n in warp], warp)
        yield _from([n // 4 * 4 * step + n % 4 for n in warp], warp)
    for _ in range(20):
        one, two = draw.sample(warp, 32), draw.sample(warp, 32)
        yield from (_from(one, warp), _from(warp, one), _from(one, two), _from(one, one))
    for _ in range(40):
        some = sorted(draw.sample(warp, draw.randint(2, 31)))
        yield Moves(tuple((n, n, draw.randrange(24)) for n in some))
    yield _from([0] * 32, warp)


def atomics() -> Iterator[Moves]:
    """Places drawn from all, from one bank, from a few; strides; one for several lanes."""
    draw, warp = random.Random(6), list(range(32))
    for number in range(60):
        step, share = draw.choice((1, 2, 3, 4, 8, 16, 32, 33)), draw.choice((1, 2, 4, 8))
        places = (
            [draw.randrange(256) for _ in warp],
            [n * step for n in warp],
            [n % share for n in warp],
            [n // share * step for n in warp],
            [draw.randrange(8) * 32 for _ in warp],
            [draw.randrange(16) + 32 * draw.randrange(3) for _ in warp],
        )[number % 6]
        active = warp if number % 3 else [n for n in warp if draw.random() < 0.6] or [0]
        yield Moves(tuple((n, 0, places[n]) for n in active))


HEAD = """
extern "C" __global__ void %s(const int* offsets, const int* active, const int* sources,
                              const unsigned char* source, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char shared[];
  unsigned base = (unsigned)__cvta_generic_to_shared(shared), sum = 0, value = threadIdx.x + 2;
"""
BODY = """ {
  int at = %d * 32 + threadIdx.x;
  unsigned address = base + offsets[at];
  unsigned long long from = __cvta_generic_to_global(source + sources[at]);
  bool on = active[at];
  __syncwarp();
  if (on) { %s }
  __syncwarp();
 }
"""


def kernel(name: str, text: str, count: int) -> str:
    """``count`` times the instruction, each with places of its own."""
    bodies = "".join(BODY % (number, text) for number in range(count))
    return f"{HEAD % name}{bodies} out[threadIdx.x] = sum;\n}}"


@dataclass(frozen=True)
class Job:
    """One kernel: ``of`` is what the table calls its instruction."""

    name: str
    of: str
    text: str
    unit: int
    moves: list[Moves]


def jobs() -> list[Job]:
    every, found = list(copies()), []
    for start in range(0, len(every), AT_ONCE):
        some = every[start : start + AT_ONCE]
        found.append(Job(f"k_copy_{start}", "cp.async.cg.b128", COPY, PIECE_BYTES, some))
    for number, (of, (text, width)) in enumerate(FORMS.items()):
        found.append(Job(f"k_form_{number}", of, text, width, list(atomics())))
    return found


def launch() -> None:
    """What the profiler watches."""
    import cupy
    import numpy as np

    source, out = cupy.zeros(1 << 20, cupy.uint8), cupy.zeros(32, cupy.uint32)
    for job in jobs():
        tables = np.zeros((3, len(job.moves), 32), np.int32)
        for number, moves in enumerate(job.moves):
            for lane, piece, to in moves.lanes:
                tables[:, number, lane] = to * job.unit, 1, piece * job.unit
        module = cupy.RawModule(code=kernel(job.name, job.text, len(job.moves)))
        run = module.get_function(job.name)
        run.max_dynamic_shared_size_bytes = SHARED_BYTES
        arguments = (*(cupy.asarray(table) for table in tables), source, out)
        run((1,), (32,), arguments, shared_mem=SHARED_BYTES)
        cupy.cuda.Device().synchronize()


def profile(folder: Path) -> None:
    report = folder / "lines.ncu-rep"
    command = ["ncu", "--force-overwrite", "--export", str(report), "--clock-control", "none"]
    command += ["--kernel-name", "regex:^k_", "--section", "SourceCounters", "--metrics", PASSES]
    subprocess.run([*command, sys.executable, __file__, "--launch"], check=True)
    by_name = {job.name: job for job in jobs()}
    lines: list[list[object]] = []
    forms: list[list[object]] = []
    for part in _reader().load_report(str(report)):
        for action in part:
            job = by_name[action.name()]
            rows = forms if job.name.startswith("k_form") else lines
            seen = _passes(action, ("LDGSTS", "ATOMS"))
            assert len(seen) == len(job.moves), job
            for (written, passes), moves in zip(seen, job.moves, strict=True):
                rows.append([job.of, written, passes, moves])
    for name, rows in (("h200_lines.csv", lines), ("h200_forms.csv", forms)):
        with (folder / name).open("w", newline="") as file:
            file.write("# NVIDIA H200, Nsight Compute: tests/data/measure_lines.py\n")
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["instruction", "written", "passes", "lane:source>destination"])
            writer.writerows(rows)


def _passes(action, words: tuple[str, ...]) -> list[tuple[str, int]]:
    """The instructions with one of the words, in order, with all their passes."""
    metric = action[PASSES]
    places = metric.correlation_ids()
    counted = {places.as_uint64(n): int(metric.as_double(n)) for n in range(metric.num_instances())}
    texts = {place: action.sass_by_pc(place).split() for place in sorted(counted)}
    named = {p: next((w for w in t if w.startswith(words)), "") for p, t in texts.items()}
    return [(word.rstrip(";"), counted[place]) for place, word in named.items() if word]


def _reader():
    """The module that comes with Nsight Compute."""
    places = sorted(Path("/opt/nvidia/nsight-compute").glob("*/extras/python"))
    places += sorted(Path("/usr/local").glob("cuda*/nsight-compute*/extras/python"))
    sys.path.append(str(places[-1]))
    import ncu_report

    return ncu_report


if __name__ == "__main__":
    launch() if sys.argv[1] == "--launch" else profile(Path(sys.argv[1]))
