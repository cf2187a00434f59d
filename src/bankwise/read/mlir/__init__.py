"""Kernels as MLIR: opened, evaluated and extracted, through the IREE bindings."""
