"""Cells whose recorded answer is known to be wrong, and why; mend it, record again, drop the line.

A traceback, a wrong parser and a promise of the help that is not kept are marked without a line
here (see :mod:`frozen.observe`).
"""

KNOWN_WRONG: dict[str, str] = {
    "solve examples/solve/ck_kernel08_gfx950.toml": (
        "iree: a best xor_shuffle that is not the optimum, although xor_shuffle<32, 8, 64, 4> "
        "is exactly the answer"
    ),
    "solve examples/solve/ck_kernel10_gfx950.toml": (
        "says of frameworks that can express the optimum that they cannot"
    ),
    "solve examples/solve/masked_odd_sm90.toml": (
        "cute: no member, although Sw<5,0,5> o (24,32):(32,1) is exactly the answer"
    ),
}
