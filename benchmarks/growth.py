"""How cost grows: with the tile, with its accesses, with the cases of a sweep; processor seconds.

    PYTHONPATH=src python benchmarks/growth.py

Of a tile and of accesses it is all of ``bankwise.solve``, the certificate and what competes
included, once everything is imported; accesses are random directions of lanes. A case of the sweep
counts one instruction, so that what is measured is the sweep: its cases, its store, its report.
The table of docs/sweep.md is of this.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import bankwise
from bankwise.ask.sweep import sweep
from bankwise.sweep.spec import Case

TILE_BITS = (10, 12, 14, 16, 18)
ACCESSES = (2, 4, 8, 16, 32, 64)
CASES = (10, 100, 1_000, 10_000, 100_000)
LANE_BITS = 5
LDS_BITS = 1 << 20


def spent(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def question(bits: int, accesses: int) -> dict[str, object]:
    """A square tile that fits; written along rows, read along columns, then any way."""
    rng, element_bits = random.Random(7), min(32, LDS_BITS >> bits)
    joined = max(0, 3 - (element_bits.bit_length() - 1))
    rows, columns = [f"m{i}" for i in range(bits - bits // 2)], [f"n{i}" for i in range(bits // 2)]
    vector, free = columns[:joined], columns[joined:] + rows
    ways = [free[:LANE_BITS], rows[:LANE_BITS]]
    ways += [rng.sample(free, LANE_BITS) for _ in range(accesses - 2)]
    found = [
        {
            "name": f"a{number}",
            "op": "read" if number else "write",
            "lanes": " ".join(lanes),
            **({"vector": " ".join(vector)} if vector else {}),
        }
        for number, lanes in enumerate(ways)
    ]
    shape = [1 << bits - bits // 2, 1 << bits // 2]
    tile = {"shape": shape, "element_bits": element_bits}
    return {"machine": "sm_90", "tile": tile, "access": found}


def solved(bits: int, accesses: int) -> float:
    stated = question(bits, accesses)
    return spent(lambda: str(bankwise.solve(stated)))


def one(case: Case) -> dict[str, object]:
    row = bankwise.machine(case.target).instruction("ld.shared.b32")
    pitch = dict(case.shape)["n"]
    return {"passes": int(bankwise.count(row, [lane * pitch for lane in range(32)]).passes)}


def swept(cases: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder, "many.toml")
        Path(folder, "none.mlir").write_text("${n}")
        spec.write_text(
            'name = "many"\n[[kernel]]\nname = "k"\nfile = "none.mlir"\ntargets = ["sm_90"]\n'
            'types = ["f16"]\nmitigations = ["iree"]\n'
            f"[[kernel.grid]]\nn = {[4 * n for n in range(1, cases + 1)]}\n"
        )
        return spent(lambda: sweep(spec, engine="here", work=one))


def main() -> None:
    solved(11, 3)
    for bits in TILE_BITS:
        print(f"tile of 2^{bits} elements, 2 accesses: {solved(bits, 2):.3f} s")
    for accesses in ACCESSES:
        print(f"tile of 2^14 elements, {accesses} accesses: {solved(14, accesses):.3f} s")
    for cases in CASES:
        print(f"sweep of {cases:,} cases: {swept(cases):.3f} s", flush=True)


if __name__ == "__main__":
    main()
