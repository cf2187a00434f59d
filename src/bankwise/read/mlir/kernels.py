"""The kernels of a module: functions that use workgroup memory or ask which thread they are.

What a launch needs to know (target, workgroup size, grid) is written in different places by
different compilers: on the function, on its executable, or as bounds of the thread ids. The most
explicit statement counts; nothing is guessed, so that each of the three may be None.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iree.compiler import ir

from bankwise.identity import ByIdentity
from bankwise.read.mlir.module import Opened

Size = tuple[int, int, int]


class KernelFunction(ByIdentity, frozen=True, eq=False):
    """One kernel. ``workgroup_size``: threads per axis; ``grid``: workgroups per axis.

    ``stated``: the text says the workgroup size itself, not only that thread ids stay below it.
    """

    name: str
    op: ir.Operation
    target: str | None
    workgroup_size: Size | None
    grid: Size | None
    stated: bool


_FUNCTIONS = ("func.func", "gpu.func")
_TARGETS = (
    *("hal.executable.target", "iree_codegen.target_info", "target", "targets"),
    *("hal.device.targets", "stream.affinity.default", "hal.affinity"),
)
_CHIP = re.compile(r'"(gfx[0-9a-f]{3,}|sm_\d+[af]?)"')
_EXPORTS = (
    "stream.executable.export",
    "hal.executable.export",
    "iree_codegen.dispatch_config",
)
_AXES = ("x", "y", "z")


def kernels(opened: Opened) -> tuple[KernelFunction, ...]:
    """The kernels of a module, in its order; none if no function is one."""
    return tuple(_kernel(op) for op in operations(opened.module.operation) if _is_kernel(op))


def operations(root: ir.Operation) -> list[ir.Operation]:
    """``root`` and all operations inside it, in the order of the text."""
    found: list[ir.Operation] = []

    def visit(op: ir.Operation) -> ir.WalkResult:
        found.append(op)
        return ir.WalkResult.ADVANCE

    root.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def is_shared(kind: ir.Type) -> bool:
    """Whether values of this type live in workgroup memory: a memref in the GPU dialect's
    workgroup space or in address space 3, its number on AMD and NVIDIA alike (LLVM)."""
    if not isinstance(kind, ir.MemRefType):
        return False
    space = kind.memory_space
    return space is not None and str(space) in ("#gpu.address_space<workgroup>", "3", "3 : i64")


def stated_size(op: ir.Operation) -> Size | None:
    """Threads per axis that the function around ``op`` states, whether or not it is a kernel."""
    function = next((each for each in _parents(op) if each.name in _FUNCTIONS), None)
    if function is None:
        return None
    return _stated_size(function, _export(function, _text(function, "sym_name")))


def _is_kernel(function: ir.Operation) -> bool:
    if function.name not in _FUNCTIONS or not function.regions[0].blocks:
        return False
    return any(
        op.name in ("gpu.thread_id", "gpu.lane_id") or any(is_shared(r.type) for r in op.results)
        for op in operations(function)
    ) or any(is_shared(a.type) for a in function.regions[0].blocks[0].arguments)


def _kernel(function: ir.Operation) -> KernelFunction:
    name = _text(function, "sym_name")
    export = _export(function, name)
    stated = _stated_size(function, export)
    return KernelFunction(
        name=name,
        op=function,
        target=_target(function),
        workgroup_size=stated or _bounds(function, "gpu.thread_id"),
        grid=_grid(function, export),
        stated=stated is not None,
    )


def _parents(op: ir.Operation) -> Iterator[ir.Operation]:
    """``op`` and the operations around it, the nearest first."""
    here: ir.Operation | None = op
    while here is not None:
        yield here
        here = here.parent.operation if here.parent is not None else None


def _target(function: ir.Operation) -> str | None:
    """The chip named nearest to the function; None if none or more than one is named there."""
    for op in _parents(function):
        said = " ".join(str(op.attributes[name]) for name in _TARGETS if name in op.attributes)
        chips = set(_CHIP.findall(said))
        if chips:
            return chips.pop() if len(chips) == 1 else None
    return None


def _export(function: ir.Operation, name: str) -> ir.Operation | None:
    """The operation beside the function, or beside its module, that states its launch."""
    for parent in _parents(function.parent):
        for op in parent.regions[0].blocks[0].operations:
            if op.operation.name in _EXPORTS and name in _exported(op.operation):
                return op.operation
    return None


def _exported(export: ir.Operation) -> tuple[str, ...]:
    given = (str(export.attributes.get(name, "")) for name in ("sym_name", "function_ref"))
    return tuple(text.rpartition("@")[2].strip('"') for text in given)


def _text(op: ir.Operation, attribute: str) -> str:
    return str(ir.StringAttr(op.attributes[attribute]).value)


_STATED = re.compile(r"\bworkgroup_size = (\[[^]]+\])")


def _stated_size(function: ir.Operation, export: ir.Operation | None) -> Size | None:
    if stated := _STATED.search(str(function.attributes.get("translation_info", ""))):
        return _size(stated[1])
    for name in ("gpu.known_block_size", "known_block_size"):
        if name in function.attributes:
            return _size(str(function.attributes[name]))
    if export is not None and "workgroup_size" in export.attributes:
        return _size(str(export.attributes["workgroup_size"]))
    return None


def _grid(function: ir.Operation, export: ir.Operation | None) -> Size | None:
    for name in ("gpu.known_grid_size", "known_grid_size"):
        if name in function.attributes:
            return _size(str(function.attributes[name]))
    counted = _counted(export) if export is not None else None
    return counted or _bounds(function, "gpu.block_id")


def _size(text: str) -> Size:
    """Up to three sizes, as in ``[256 : index, 2 : index]`` or ``array<i32: 256, 2>``; missing
    axes have size 1."""
    x, y, z = (*(int(size) for size in re.findall(r"(?<!\w)-?\d+\b", text)), 1, 1, 1)[:3]
    return x, y, z


def _bounds(function: ir.Operation, id_name: str) -> Size | None:
    """The upper bounds of the ids that a function asks for; an axis never asked for has size 1.

    None if no id is asked for, or one without a bound. What is asked for inside a branch or a loop
    bounds nothing: a launch in which it does not run may be larger.
    """
    bounds: dict[str, int | None] = {}
    for op in operations(function):
        if op.name == id_name:
            axis = re.sub(
                r"#gpu<dim (\w)>|#gpu\.dim<(\w)>", r"\1\2", str(op.attributes["dimension"])
            )
            bound, known = _bound(op, function), bounds.get(axis)
            bounds[axis] = bound if known is None else min(known, bound or known)
    sizes = [bounds.get(axis, 1) for axis in _AXES]
    if not bounds or None in sizes:
        return None
    x, y, z = (size or 1 for size in sizes)
    return x, y, z


def _bound(op: ir.Operation, function: ir.Operation) -> int | None:
    """The bound of an id that every launch asks for, or None."""
    bound = op.attributes.get("upper_bound")
    first = function.regions[0].blocks[0]
    return int(ir.IntegerAttr(bound).value) if bound is not None and op.block == first else None


def _counted(export: ir.Operation) -> Size | None:
    """The workgroup count that the region of an export returns, if all of it is constant."""
    if not export.regions[0].blocks:
        return None
    *_, last = export.regions[0].blocks[0].operations
    counts = [_constant(value) for value in last.operation.operands]
    if len(counts) != len(_AXES) or None in counts:
        return None
    x, y, z = (count or 0 for count in counts)
    return x, y, z


def _constant(value: ir.Value) -> int | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name != "arith.constant":
        return None
    return int(ir.IntegerAttr(owner.attributes["value"]).value)
