"""From what a user has (MLIR, TTGIR, machine code, problem and spec files) to accesses."""
