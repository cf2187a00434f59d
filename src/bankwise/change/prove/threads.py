"""Which threads may execute an operation, and an evaluator for them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from iree.compiler import ir
from msgspec import Struct, field

from bankwise.change.prove.evaluate import FormEvaluator
from bankwise.change.prove.launch import TextLaunch, calls_of, text_launch
from bankwise.change.prove.numbering import Numbering
from bankwise.counting.access import BoolArray
from bankwise.read.mlir.kernels import kernels, operations
from bankwise.read.mlir.module import Opened

_NOTHING = TextLaunch(None, False, None, None, False)


class FormEvaluators(Struct, eq=False):
    """The evaluators of a module's functions: one for each set of threads that branches leave."""

    numbering: Numbering
    _launches: dict[ir.Operation, TextLaunch]
    _known: dict[tuple[ir.Operation, bytes], FormEvaluator] = field(default_factory=dict)

    def everyone(self, op: ir.Operation) -> FormEvaluator:
        """For all threads of the function around ``op``."""
        function = function_of(op)
        launch = self._launches.get(function, _NOTHING)
        return self._of(function, launch, np.ones(launch.threads, np.bool_))

    def executing(self, op: ir.Operation) -> FormEvaluator | None:
        """For the threads that the branches around ``op`` leave; None if they leave none."""
        function = function_of(op)
        launch = self._launches.get(function, _NOTHING)
        active: BoolArray = np.ones(launch.threads, np.bool_)
        for branch, then in branches(op):
            condition = self.everyone(op).value(branch.operands[0])
            if condition.concrete:
                active = active & ((condition.const != 0) == then)
        return self._of(function, launch, active) if active.any() else None

    def _of(self, function: ir.Operation, launch: TextLaunch, active: BoolArray) -> FormEvaluator:
        key = (function, active.tobytes())
        if key not in self._known:
            chosen = None if active.all() else np.flatnonzero(active)
            self._known[key] = FormEvaluator(self.numbering, launch, chosen)
        return self._known[key]


def evaluators(opened: Opened, numbering: Numbering) -> FormEvaluators:
    """For the functions of a module, whose values are numbered."""
    return FormEvaluators(numbering, _launches(opened))


def text_launches(opened: Opened) -> Callable[[ir.Operation], TextLaunch]:
    """What the text says of the launch of the function around an operation."""
    launches = _launches(opened)
    return lambda op: launches.get(function_of(op), _NOTHING)


def _launches(opened: Opened) -> dict[ir.Operation, TextLaunch]:
    calls = calls_of(operations(opened.module.operation))
    return {kernel.op: text_launch(kernel, calls) for kernel in kernels(opened)}


def function_of(op: ir.Operation) -> ir.Operation:
    """The function around an operation, or what is outermost."""
    while not op.name.endswith(".func") and op.parent is not None:
        op = op.parent.operation
    return op


def branches(op: ir.Operation) -> list[tuple[ir.Operation, bool]]:
    """The scf.if around ``op``, and whether it stands in the branch of those who fulfil it."""
    found: list[tuple[ir.Operation, bool]] = []
    while not op.name.endswith(".func") and op.parent is not None:
        parent = op.parent.operation
        if parent.name == "scf.if":
            found.append((parent, op.block == parent.regions[0].blocks[0]))
        op = parent
    return found
