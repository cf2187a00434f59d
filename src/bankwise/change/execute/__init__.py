"""Run a kernel's MLIR on the CPU, vectorised over the threads of a workgroup: the functional judge.

The judge is dull on purpose. It reads every operation once (``program``), runs it on numpy arrays
with one row per thread (``values``), and watches shared memory through a shadow (``shadow``) that
knows what is written, by whom, and before which barrier. What it cannot execute it refuses by name.
"""

from bankwise.change.execute.program import ExecutableKernel, Known, compiled
from bankwise.change.execute.run import (
    Difference,
    Execution,
    compare,
    execute,
    execute_workgroup,
    random_buffers,
)
from bankwise.change.execute.state import Fault

__all__ = [
    "Difference",
    "ExecutableKernel",
    "Execution",
    "Fault",
    "Known",
    "compare",
    "compiled",
    "execute",
    "execute_workgroup",
    "random_buffers",
]
