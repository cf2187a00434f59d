"""A kernel as a graph: which operation makes a value, which block holds it, what is shared.

One walk gathers it all. It keeps to ``ir.Operation``: asking for operation classes would import
the Python module of every dialect in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from iree.compiler import ir

from bankwise.identity import ByIdentity
from bankwise.read.mlir.pools import Pool, pool_of
from bankwise.read.mlir.views import is_workgroup

ALLOCATORS = frozenset({"memref.alloc", "memref.alloca", "memref.get_global"})


class Graph(ByIdentity, frozen=True, eq=False):
    """One kernel. ``operations``: all, in program order, and by block; ``parents``: of the blocks.

    ``pools``: the byte pools that are in parts, by the operation that allocates each.
    ``producers`` and ``arguments`` give the place of a result among its operation's results, of a
    block argument among its block's. ``shared``: the values whose type says workgroup memory.
    The module must stay alive as long as this: operations do not keep it so.
    """

    func: ir.Operation
    operations: list[ir.Operation]
    blocks: dict[ir.Block, list[ir.Operation]]
    parents: dict[ir.Block, ir.Operation]
    producers: dict[ir.Value, tuple[ir.Operation, int]]
    arguments: dict[ir.Value, tuple[ir.Operation, int]]
    shared: set[ir.Value]
    names: ir.AsmState
    pools: dict[ir.Operation, Pool]
    called: Callable[[ir.Value], str]

    def name(self, value: ir.Value) -> str:
        """The user's name of a value, without ``%``; where none is known, the one MLIR prints."""
        return self.called(value) or str(value.get_name(self.names)).removeprefix("%")

    def body(self, op: ir.Operation, region: int = 0) -> list[ir.Operation]:
        """The operations of the only block of a region; none where the region is empty."""
        blocks = op.regions[region].blocks
        return self.blocks.get(blocks[0], []) if len(blocks) else []

    def ancestors(self, op: ir.Operation) -> Iterator[ir.Operation]:
        """The operations around ``op``, innermost first, without the kernel itself."""
        around = self.parents[op.block]
        while around != self.func:
            yield around
            around = self.parents[around.block]

    def maker(self, value: ir.Value) -> ir.Operation | None:
        """The operation whose result ``value`` is; None for a block argument."""
        found = self.producers.get(value)
        return found[0] if found else None

    def part(self, op: ir.Operation) -> ir.Operation | None:
        """The view that stands for the part of a pool that ``op`` shows; None if it shows none."""
        source = self.maker(op.operands[0]) if op.name == "memref.view" else None
        pool = None if source is None else self.pools.get(source)
        return None if pool is None else pool.part(op)

    def allocates(self, op: ir.Operation) -> bool:
        """Whether ``op`` gives an allocation of workgroup memory: all of one, or a part of a pool.

        A pool itself does where bytes of it are in no part.
        """
        if op.name in ALLOCATORS and op.results[0] in self.shared:
            return op not in self.pools or self.pools[op].rest_bytes > 0
        return self.part(op) is not None

    def shared_operands(self, op: ir.Operation) -> list[int]:
        """The numbers of the operands that are workgroup memory."""
        return [n for n, value in enumerate(op.operands) if value in self.shared]


def read(func: ir.Operation, called: Callable[[ir.Value], str]) -> Graph:
    """Walk a kernel once. ``called``: the user's name of a value, empty if unknown."""
    graph = Graph(func, [], {}, {}, {}, {}, set(), ir.AsmState(func, True), {}, called)
    types: dict[ir.Type, bool] = {}

    def collect(op: ir.Operation) -> ir.WalkResult:
        graph.operations.append(op)
        return ir.WalkResult.ADVANCE

    def mark(value: ir.Value) -> None:
        of = value.type
        if of not in types:
            types[of] = is_workgroup(of)
        if types[of]:
            graph.shared.add(value)

    func.walk(collect, ir.WalkOrder.PRE_ORDER)
    for op in graph.operations:
        if op != func:
            graph.blocks.setdefault(op.block, []).append(op)
        for number, value in enumerate(op.results):
            graph.producers[value] = (op, number)
            mark(value)
        pool = pool_of(op) if op.name in ALLOCATORS else None
        if pool is not None:
            graph.pools[op] = pool
        for block in (block for region in op.regions for block in region.blocks):
            graph.parents[block] = op
            for number, value in enumerate(block.arguments):
                graph.arguments[value] = (op, number)
                mark(value)
    return graph
