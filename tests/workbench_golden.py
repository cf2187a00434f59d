"""Golden vectors for the page's JavaScript twin: random questions with Python's answers.

``python tests/workbench_golden.py FILE`` writes them; the test does so on every run, so they are
never stale and never in the repository.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np

from bankwise.algebra import f2
from bankwise.counting.conflict import count
from bankwise.errors import InputError
from bankwise.hardware.machine import Instruction, machine, names
from bankwise.solver.problem import BitTile, Request, problem
from bankwise.solver.theorem import conflict_directions, passes

ROUNDS_PER_INSTRUCTION = 16
LINEAR = 4_000
ALGEBRA = 2_000


def golden(seed: int = 20_261_004) -> dict[str, Any]:
    """All vectors: ``counting``, ``linear`` and ``algebra``."""
    rng = random.Random(seed)
    rows = [i for name in names() for i in machine(name).instructions.values()]
    counting = [_counting(rng, row) for row in rows for _ in range(ROUNDS_PER_INSTRUCTION)]
    linear = [_linear(rng) for _ in range(LINEAR)]
    return {
        "counting": counting,
        "linear": linear,
        "algebra": [_algebra(rng) for _ in range(ALGEBRA)],
    }


def _counting(rng: random.Random, row: Instruction) -> dict[str, Any]:
    offsets = _offsets(rng, row)
    active = [rng.random() < 0.8 for _ in offsets] if rng.random() < 0.4 else None
    second = _offsets(rng, row) if row.addresses == 2 and rng.random() < 0.5 else None
    mask = None if active is None else np.array(active)
    answer = count(row, np.array(offsets), mask, second_offsets_bytes=second)
    seen = answer.witness
    return {
        "machine": row.machine,
        "instruction": row.name,
        "offsets": offsets,
        "active": active,
        "second": second,
        "passes": int(answer.passes),
        "ideal": int(answer.ideal),
        "ways": int(answer.ways),
        "witness": None if seen is None else [seen.phase, seen.bank, seen.lanes, seen.words],
        "banks": None if seen is None else seen.banks,
    }


def _offsets(rng: random.Random, row: Instruction) -> list[int]:
    """Strided, folded, paired and random offsets, aligned as the machine asks."""
    step = max(row.alignment_bytes, rng.choice((1, 4, row.width_bytes)))
    lanes = range(row.wave_size)
    kind = rng.choice(("stride", "xor", "pairs", "random", "few"))
    if kind == "stride":
        stride = rng.choice((1, 2, 3, 8, 16, 32, 33, 64))
        return [step * stride * lane for lane in lanes]
    if kind == "xor":
        a, b = rng.randrange(64), rng.choice((0, 16, 32, 64))
        return [step * ((lane * b) ^ (lane * a % 64)) for lane in lanes]
    if kind == "pairs":
        bit, scale = rng.choice((1, 2)), rng.choice((1, 4, 32))
        return [step * scale * (lane & ~bit) for lane in lanes]
    reach = 8 if kind == "few" else 1024
    return [step * rng.randrange(reach) for _ in lanes]


def _linear(rng: random.Random) -> dict[str, Any]:
    """Passes and conflict directions of a random fold of a random tile."""
    while True:
        gpu = machine(rng.choice(names()))
        columns, rows = rng.randint(2, 7), rng.randint(1, 7)
        tile = BitTile((("n", columns), ("m", rows)), rng.choice((8, 16, 32, 64)))
        vector = tuple(1 << i for i in range(rng.randint(0, 3)))
        lane_bits = gpu.wave_size.bit_length() - 1
        rest = [1 << i for i in range(len(vector), columns + rows)]
        rng.shuffle(rest)
        if len(rest) < lane_bits:
            continue
        lanes = rest[:lane_bits]
        if rng.random() < 0.3:
            lanes[rng.randrange(lane_bits)] ^= rng.choice(rest)
        op = "read" if rng.random() < 0.6 else "write"
        if op == "read" and rng.random() < 0.2:
            lanes[rng.randrange(lane_bits)] = 0
        try:
            asked = problem(
                gpu, tile, [Request("a", op, tuple(lanes), vector, tuple(rest))], widen=False
            )
        except InputError:
            continue
        masks = [rng.randrange(1 << columns) >> len(vector) << len(vector) for _ in range(rows)]
        access = asked.accesses[0]
        if access.vector != vector or access.instruction.width_bytes * 8 < tile.element_bits:
            continue
        bases = [1 << i for i in range(columns)]
        bases += [1 << columns + j ^ mask for j, mask in enumerate(masks)]
        return {
            "machine": gpu.name,
            "tile": [columns, rows, tile.element_bits],
            "op": op,
            "lanes": tile.text(lanes),
            "vector": tile.text(vector),
            "masks": masks,
            "instruction": access.instruction.name,
            "passes": passes(tile, bases, access),
            "directions": conflict_directions(tile, bases, access),
            "counted": _counted(tile, masks, access),
        }


def _counted(tile: BitTile, masks: list[int], access: Any) -> int:
    """The same passes by counting the bytes of the lanes."""
    columns = tile.dims[0][1]
    offsets = []
    for lane in range(access.instruction.wave_size):
        x = f2.apply(access.lanes, lane)
        offsets.append((x ^ f2.apply(masks, x >> columns)) * tile.element_bits // 8)
    return int(count(access.instruction, np.array(offsets)).passes)


def _algebra(rng: random.Random) -> dict[str, Any]:
    dimension = rng.randint(1, 12)
    some = [rng.randrange(1 << dimension) for _ in range(rng.randint(0, 8))]
    more = [rng.randrange(1 << dimension) for _ in range(rng.randint(0, 8))]
    square = [rng.randrange(1 << dimension) for _ in range(dimension)]
    return {
        "dimension": dimension,
        "a": some,
        "b": more,
        "square": square,
        "rank": f2.rank(some),
        "basis": f2.basis(some),
        "kernel": f2.kernel(some),
        "intersection": f2.intersection(some, more),
        "independent": f2.independent(some, more),
        "complement": f2.complement(some, dimension),
        "inverse": f2.inverse(square),
    }


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(golden()), "utf-8")
