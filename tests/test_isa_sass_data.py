"""What only data decides is told as that, judged by running floats under two memories."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bankwise.show.scanning import OpenReason, ScannedKernel, summaries
from sass_texts import sass

LOAD = "LDG.E R4, desc[UR4][R8.64]"
ADDRESS = "SEL R3, RZ, 0x100, P0\nLDS R7, [R3]"


def reason(code: str) -> str:
    (refusal,) = sass(f"S2R R0, SR_TID.X\n{code}\n{ADDRESS}").refusals
    return refusal.reason


@pytest.mark.parametrize(
    "code",
    [
        f"{LOAD}\nFSETP.GEU.FTZ.AND P0, PT, R4, R0, PT",
        f"{LOAD}\nFMUL R5, R0, R4\nFSETP.GEU.FTZ.AND P0, PT, |R5|, 1, PT",
        f"{LOAD}\nI2FP.F32.S32 R5, R4\nMUFU.RCP R6, R5\nFSETP.LT.AND P0, PT, R6, RZ, PT",
        f"{LOAD}\nIADD3 R5, R4, 0x1, RZ\nFFMA R5, R5, 2, R0\nFSETP.LT.AND P0, PT, R5, RZ, PT",
    ],
)
def test_a_comparison_of_loaded_numbers_names_the_load(code: str) -> None:
    assert "depends on a value loaded from memory" in reason(code)


def test_a_value_that_one_way_alone_loads_is_data() -> None:
    code = f"""MOV R4, RZ
ISETP.GE.AND P1, PT, R0, c[0x0][0x210], PT
@P1 BRA `(.L_x_1)
{LOAD}
.L_x_1:
FMUL R5, R4, 2
FSETP.GEU.FTZ.AND P0, PT, R5, R0, PT"""
    assert "depends on a value loaded from memory" in reason(code)


@pytest.mark.parametrize(
    "code",
    [
        "FMUL R5, R0, 3\nFSETP.GT.AND P0, PT, R5, 1, PT",
        f"{LOAD}\nFADD R4, R0, 1\nFSETP.GT.AND P0, PT, R4, 1, PT",
        "LDL R4, [R9]\nFSETP.GT.AND P0, PT, R4, 1, PT",
        "LDC.U8 R4, c[0x0][R0+0x210]\nFSETP.GT.AND P0, PT, R4, 1, PT",
    ],
)
def test_what_memory_does_not_decide_is_no_data(code: str) -> None:
    assert "loaded from" not in reason(code)


def test_loaded_values_of_shared_memory_are_data() -> None:
    found = sass(
        f"S2R R0, SR_TID.X\nIMAD.SHL.U32 R2, R0, 0x4, RZ\nLDS R4, [R2]\n"
        f"FSETP.GT.AND P0, PT, R4, 1, PT\n{ADDRESS}"
    )
    (refusal,) = found.refusals
    assert "depends on a value read from shared memory" in refusal.reason


_FLOATS = {
    "FADD": lambda a, b: a + b,
    "FMUL": lambda a, b: a * b,
    "FMNMX": lambda a, b: np.minimum(a, b),
}


def _program(rng: random.Random) -> tuple[str, list[tuple[str, int, int, int]]]:
    """A straight line of float operations; three registers are loaded on the way."""
    rows: list[tuple[str, int, int, int]] = []
    for _ in range(rng.randint(2, 9)):
        name = rng.choice([*_FLOATS, "LDG.E"])
        rows.append((name, rng.randint(4, 8), rng.randint(4, 8), rng.randint(4, 8)))
    lines = [f"I2FP.F32.S32 R{n}, R0" for n in range(4, 9)]
    for name, to, a, b in rows:
        last = ", PT" if name == "FMNMX" else ""
        load = f"LDG.E R{to}, desc[UR4][R10.64]"
        lines.append(load if name == "LDG.E" else f"{name} R{to}, R{a}, R{b}{last}")
    return "\n".join([*lines, "FSETP.GT.AND P0, PT, R4, R5, PT"]), rows


def _compared(rows: list[tuple[str, int, int, int]], rng: np.random.Generator) -> tuple[float, ...]:
    """The two numbers that are compared at last, where loads give ``rng``'s numbers."""
    held = {n: 1.0 + n for n in range(4, 9)}
    for name, to, a, b in rows:
        held[to] = rng.normal() if name == "LDG.E" else float(_FLOATS[name](held[a], held[b]))
    return held[4], held[5]


@pytest.mark.parametrize("seed", range(60))
def test_data_is_what_changes_with_the_memory(seed: int) -> None:
    """Judge: the same floats under several memories. What differs has to be told as data; what
    memory never reaches (no load, or all overwritten) is not."""
    code, rows = _program(random.Random(seed))
    seen = {_compared(rows, np.random.default_rng(one)) for one in range(4)}
    wanted, reached = {4, 5}, False
    for name, to, a, b in reversed(rows):
        if to in wanted:
            wanted = wanted - {to} | (set() if name == "LDG.E" else {a, b})
            reached |= name == "LDG.E"
    told = "loaded from memory" in reason(code)
    assert told or len(seen) == 1
    assert told == reached


def _kernel(answered: int, data: int, other: int) -> ScannedKernel:
    reasons = (
        OpenReason("its address depends on a value loaded from memory", data),
        OpenReason("its address depends on kernel parameter 2", other),
    )
    count = answered + data + other
    return ScannedKernel(
        "k", "f", "sm_90", (32, 1, 1), 0, count, answered, 0, 0, 0, 0, 0, 0, "none", reasons=reasons
    )


@pytest.mark.parametrize(
    ("kernel", "answered"),
    [((18, 0, 2), 1), ((17, 0, 3), 0), ((18, 80, 2), 1), ((17, 80, 3), 0), ((0, 5, 0), 1)],
)
def test_a_kernel_is_answered_by_what_data_does_not_decide(
    kernel: tuple[int, int, int], answered: int
) -> None:
    (row,) = summaries([_kernel(*kernel)], {})
    assert (row.answered, row.by_data) == (answered, kernel[1])
