"""Numbers of a launch that its text does not say, and the words for those that were used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from iree.compiler import ir

from bankwise.identity import ByIdentity
from bankwise.read.mlir.indexing import compiled, integer_bits
from bankwise.read.mlir.kernels import KernelFunction, operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.names import called


class LaunchFacts(ByIdentity, frozen=True, eq=False):
    """What only the user said of a launch.

    ``numbers``: by value; ``names``: the same by name; ``size``: of a workgroup, None if the text
    has it.
    """

    numbers: Mapping[ir.Value, int]
    names: Mapping[str, int]
    size: tuple[int, int, int] | None

    def number(self, value: ir.Value) -> int | None:
        """The number that was given for a value."""
        return self.numbers.get(value)

    @property
    def words(self) -> str:
        """``, with n = 4096``; nothing if all facts stand in the text."""
        told = [f"{name} = {number}" for name, number in self.names.items()]
        if self.size is not None:
            told.append("workgroups of " + "x".join(map(str, self.size)))
        return f", with {' and '.join(told)}" if told else ""


def launch_facts(
    opened: Opened,
    kernel: KernelFunction,
    workgroup_size: tuple[int, int, int],
    dims: Mapping[str, int],
) -> LaunchFacts:
    """The facts of one kernel's launch; ``dims`` by name, arguments also as arg0, arg1, ..."""
    size = None if kernel.workgroup_size else workgroup_size
    numbers: dict[ir.Value, int] = {}
    names: dict[str, int] = {}
    for value, given in _open_values(opened, kernel.op) if dims else ():
        for name in given:
            if name in dims:
                numbers[value] = names[name] = dims[name]
                break
    return LaunchFacts(numbers, names, size)


def _open_values(
    opened: Opened, function: ir.Operation
) -> Iterator[tuple[ir.Value, tuple[str, ...]]]:
    """The integers of a kernel that nothing in its text decides, each with its names."""
    name = called(opened)
    for argument in function.regions[0].blocks[0].arguments:
        if integer_bits(argument.type) is not None:
            yield argument, (name(argument), f"arg{argument.arg_number}")
    for op in operations(function):
        if not op.regions and any(integer_bits(r.type) for r in op.results) and not compiled(op):
            yield from ((result, (name(result),)) for result in op.results)
