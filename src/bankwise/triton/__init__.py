"""Triton kernels from Python, without a GPU: checked, fixed, tuned; and a fix installed.

    import bankwise.triton

    kernel = (
        matmul,
        {"a": "*fp16", "b": "*fp16", "c": "*fp16", "size": "i32"},
        "gfx942",
    )
    said = {"constexprs": {"bm": 64, "bn": 64, "bk": 32}, "numbers": {"size": 1024}}
    report = bankwise.triton.check(*kernel, **said)
    print(report)                       # as `bankwise check` prints it; report.ttgir is its text

    fixed = bankwise.triton.fix(*kernel, **said)
    print(fixed.patch)
    with bankwise.triton.install(fixed):
        matmul[grid](a, b, c, 1024, bm=64, bn=64, bk=32)

    print(bankwise.triton.tune(*kernel, **said, knobs={"bk": [32, 64], "num_warps": [4, 8]}))

Triton runs in a process of its own, which imports the file of the kernel anew; only ``install``
touches the Triton of the program.
"""

from bankwise.show.tuning import KnobRow, TuneReport
from bankwise.triton.answer import answer
from bankwise.triton.check import TritonReport, check
from bankwise.triton.fix import TritonFix, fix
from bankwise.triton.install import install
from bankwise.triton.tune import tune

__all__ = [
    "KnobRow",
    "TritonFix",
    "TritonReport",
    "TuneReport",
    "answer",
    "check",
    "fix",
    "install",
    "tune",
]
