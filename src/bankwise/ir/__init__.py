"""Kernels as MLIR: opened, evaluated, extracted, rewritten and run, through the IREE bindings."""
