"""How large a kernel's buffers are, where the module that calls it says so."""

from __future__ import annotations

from math import prod

from iree.compiler import ir

from bankwise.read.mlir.kernels import KernelFunction, operations
from bankwise.read.mlir.module import Opened


def dispatch_sizes(opened: Opened, kernel: KernelFunction) -> dict[int, int]:
    """Elements of each binding, from a ``flow.dispatch`` of the kernel; empty if there is none.

    The tensors of the dispatch are the bindings in order; a result tied to an operand is that
    operand's binding.
    """
    for op in operations(opened.module.operation):
        if op.name == "flow.dispatch" and kernel.name in str(op.attributes["entry_points"]):
            shapes = [ir.RankedTensorType(v.type) for v in op.operands if _is_tensor(v.type)]
            return {i: prod(s.shape) for i, s in enumerate(shapes) if s.has_static_shape}
    return {}


def _is_tensor(kind: ir.Type) -> bool:
    return isinstance(kind, ir.RankedTensorType)
