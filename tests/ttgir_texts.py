"""Small TTGIR modules for tests."""

from __future__ import annotations

from bankwise.ask.check_ttgir import check_ttgir
from bankwise.counting.counted import AccessReport
from bankwise.read.options import Options
from bankwise.show.values import CheckReport

ROWS = (
    "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>"
)
COLUMN = (
    "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], warpsPerCTA = [2, 2], "
    "order = [1, 0]}>"
)
PLAIN = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>"

ALIASES = f"#rows = {ROWS}\n#column = {COLUMN}\n#plain = {PLAIN}\n#smem = #ttg.shared_memory\n"
TILE = "!ttg.memdesc<64x32xf16, #plain, #smem, mutable>"
TENSOR = "tensor<64x32xf16, #rows>"


def module(
    body: str,
    *,
    aliases: str = "",
    target: str = "cuda:80",
    lanes: int = 32,
    arguments: str = "%n: i32",
) -> str:
    """A module with one kernel ``k`` around ``body``."""
    said = f'ttg.target = "{target}", "ttg.threads-per-warp" = {lanes} : i32'
    return f"""{ALIASES}{aliases}
module attributes {{"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, {said}}} {{
  tt.func public @k({arguments}) attributes {{noinline = false}} {{
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
{body}
    tt.return
  }}
}}
"""


def checked(text: str, *arguments: str, **options: object) -> CheckReport:
    """The report, without asking the wheel and without looking for better encodings."""
    said = Options(arguments=arguments)
    return check_ttgir(text, "k.ttgir", said, verify=False, optima=bool(options.get("optima")))


def only(report: CheckReport) -> AccessReport:
    """The one access of a report."""
    assert report.refusals == ()
    (access,) = report.accesses
    return access
