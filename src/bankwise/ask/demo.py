"""``bankwise demo``: the simplest bank conflict, what a counter says of it, and two ends of it.

What is asked are questions that a user types; what is said beside them stands here.
"""

from __future__ import annotations

from msgspec import Struct

from bankwise.ask.count import count_expression
from bankwise.show.counting import CountReport

TARGET, INSTRUCTION = "sm_90", "ld.shared.b32"


class Act(Struct, frozen=True):
    """``words`` and ``code`` before the question, ``offsets``: the byte of every lane."""

    words: str
    code: tuple[str, ...]
    offsets: str

    @property
    def command(self) -> str:
        """What the user would type."""
        return f"bankwise count -t {TARGET} {INSTRUCTION} '{self.offsets}'"

    def answer(self) -> CountReport:
        """What is answered."""
        return count_expression(TARGET, INSTRUCTION, self.offsets, "", "")


STEPS = (
    Act(
        "The 32 lanes of a warp read a column of 32 x 32 floats in shared memory. A row\n"
        "is 128 bytes, one round of the 32 banks: all lanes want words of the same bank.",
        ("__shared__ float tile[32][32];", "x = tile[lane][0];"),
        "lane*128",
    ),
    Act(
        "They take turns, one word a pass; behind += is what the counter of a profiler\n"
        "adds. One line mends it: a float behind every row that nobody uses. A row is 132\n"
        "bytes then, and each begins one bank further. (4 bytes, for that is what a lane\n"
        "takes at once: 16 for float4. Behind every row, for the lanes lie one apart:\n"
        "behind every fourth if they lie four apart.)",
        ("__shared__ float tile[32][33];", "x = tile[lane][0];"),
        "lane*132",
    ),
    Act(
        "No memory to spare? XOR the column with the row, where it is written and where\n"
        "it is read. Here is column 5:",
        ("__shared__ float tile[32][32];", "x = tile[lane][5 ^ lane];"),
        "lane*128 + (5 ^ lane)*4",
    ),
)
NEXT = (
    ("bankwise check KERNEL", "every such access of a .cu, .ptx, .mlir"),
    ("bankwise fix KERNEL", "the text mended, with proof"),
    ("bankwise show 'float tile[32][33]'", "the bank of every element"),
    ("bankwise explain pass", "the words: bank, pass, padding, swizzle"),
    ("bankwise workbench", "the same to play with, in a browser"),
    ("bankwise doctor", "what is installed here, and what it opens"),
)
"""What else to try, and what for."""
