"""Storage classes: which buffers a memref value may be, in all functions of a module.

Whatever may be the same buffer is one class: views, what goes round a loop or through a branch, a
selection, a global in every function that names it. Parts of a byte pool are classes of their own
(:mod:`bankwise.read.mlir.pools`). A class is *closed* where every operation on
it is a view, a deallocation or an access that bankwise knows (:mod:`bankwise.read.mlir.touches`);
everything else lets the buffer out of sight and is told as an escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iree.compiler import ir
from msgspec import Struct, field

from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.kernels import operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.pools import Pool, pool_of
from bankwise.read.mlir.touches import MemrefAccess, touch
from bankwise.read.mlir.views import is_view, is_workgroup

_ALLOCATES = frozenset({"memref.alloc", "memref.alloca"})
_QUIET = frozenset({"memref.dealloc", "scf.for", "scf.if", "arith.select"})
_APART = frozenset({"gpu.dynamic_shared_memory", "llvm.mlir.addressof"})
"""What they give is no buffer that the text allocates in another way."""

_FORGETS = frozenset({"memref.reinterpret_cast", "memref.extract_strided_metadata"})
"""Views that need not stay inside of what they view."""

_ASSEMBLY = "llvm.inline_asm"
_SHARED_ASSEMBLY = re.compile(r"\bds_|\blds\b|\bflat_|shared|\b(ld|st|atom)\.(?!global|param)")
_BOUNDS = 3
"""Operands of an scf.for before the carried values."""


class StorageClass(ByIdentity, frozen=True, eq=False):
    """Memref values that may be one buffer. ``origins``: results and arguments that begin one.

    ``incoming``: of an argument of a loop, a result of a loop or branch and a selection, the
    values that it may be. ``escapes``: why the class is not closed. ``pools``: it is a part of.
    """

    values: frozenset[ir.Value]
    origins: tuple[ir.Value, ...]
    accesses: tuple[MemrefAccess, ...]
    escapes: tuple[Refusal, ...]
    incoming: dict[ir.Value, tuple[ir.Value, ...]]
    facts: tuple[str, ...] = ()
    pools: tuple[Pool, ...] = ()


def storage_classes(opened: Opened) -> tuple[StorageClass, ...]:
    """All classes of workgroup memory of a module."""
    scan = _Scan(opened)
    found = operations(opened.module.operation)
    scan.globals = {
        (op.parent.operation, str(op.attributes["sym_name"].value)): op
        for op in found
        if op.name == "memref.global"
    }
    for op in found:
        scan.operation(op)
    return scan.classes([_by_address(opened, op) for op in found if op.name == _ASSEMBLY])


class _Scan(Struct, eq=False):
    opened: Opened
    globals: dict[tuple[ir.Operation, str], ir.Operation] = field(default_factory=dict)
    leaders: dict[ir.Value, ir.Value] = field(default_factory=dict)
    origins: list[ir.Value] = field(default_factory=list)
    accesses: list[tuple[ir.Value, MemrefAccess]] = field(default_factory=list)
    escapes: list[tuple[ir.Value, Refusal]] = field(default_factory=list)
    facts: list[tuple[ir.Value, str]] = field(default_factory=list)
    incoming: dict[ir.Value, tuple[ir.Value, ...]] = field(default_factory=dict)
    anywhere: list[Refusal] = field(default_factory=list)
    pools: dict[ir.Operation, Pool] = field(default_factory=dict)
    forgets: list[tuple[ir.Value, ir.Operation]] = field(default_factory=list)
    _named: dict[ir.Operation, ir.Value] = field(default_factory=dict)
    _kinds: dict[ir.Type, bool] = field(default_factory=dict)

    def classes(self, everywhere: Sequence[Refusal | None]) -> tuple[StorageClass, ...]:
        """All classes; ``everywhere``: what escapes from each of them."""
        for value, op in self.forgets:
            self._leaves_part(self._leader(value), op)
        members: dict[ir.Value, set[ir.Value]] = {}
        for value in self.leaders:
            members.setdefault(self._leader(value), set()).add(value)
        told = (*self.anywhere, *(each for each in everywhere if each is not None))
        return tuple(self._class(frozenset(values), told) for values in members.values())

    def _class(self, values: frozenset[ir.Value], everywhere: tuple[Refusal, ...]) -> StorageClass:
        return StorageClass(
            values,
            tuple(v for v in self.origins if v in values),
            tuple(a for v, a in self.accesses if v in values),
            (*(r for v, r in self.escapes if v in values), *everywhere),
            {v: into for v, into in self.incoming.items() if v in values},
            tuple(dict.fromkeys(f for v, f in self.facts if v in values)),
            tuple(p for p in self.pools.values() if any(v in values for v in p.views)),
        )

    def operation(self, op: ir.Operation) -> None:
        """Take in one operation: what it makes, joins, touches or lets escape."""
        for value in op.results:
            if self._shared(value):
                self._leader(value)
        for region in op.regions:
            for number, block in enumerate(region.blocks):
                self._arguments(op, block, entry=number == 0)
        used = [n for n, value in enumerate(op.operands) if self._shared(value)]
        if used or any(self._shared(r) for r in op.results):
            self._use(op, used)

    def _use(self, op: ir.Operation, used: list[int]) -> None:
        if op.name in _ALLOCATES:
            self.origins.append(op.results[0])
        elif op.name == "memref.get_global":
            self._global(op)
        elif op.name == "scf.for":
            self._loop(op)
        elif op.name == "scf.if":
            yields = [r.blocks[0].operations for r in op.regions if len(r.blocks)]
            for n, result in enumerate(op.results):
                self._flow(result, *(_last(body).operands[n] for body in yields))
        elif op.name == "arith.select":
            self._flow(op.results[0], op.operands[1], op.operands[2])
        elif op.name == "memref.view" and (pool := pool_of(op)):
            self._part(op, pool)
        elif is_view(op):
            self._view(op, used)
        elif op.name not in _QUIET and not _follows(op):
            self._touches(op, used)

    def _touches(self, op: ir.Operation, used: list[int]) -> None:
        for n in used:
            found = touch(op, n)
            if isinstance(found, str):
                self._escape(op.operands[n], op, found)
            else:
                self.accesses.append((op.operands[n], found))
        for result in op.results:
            if self._shared(result):
                reason = f"{op.name} makes workgroup memory in an unknown way"
                self._escape(result, op, reason)
                if not used and op.name not in _APART:
                    self.anywhere.append(Refusal(reason, self.opened.location_of(op)))

    def _part(self, op: ir.Operation, pool: Pool) -> None:
        """A view of a pool in parts: an allocation, the same one as other views of its bytes."""
        value, first = op.results[0], pool.part(op)
        assert first is not None, "it is a view of this pool"
        self.pools[pool.op] = pool
        self.origins.append(value)
        self._join(value, first.results[0])
        self.facts.append((value, "accesses to a view of a byte pool stay inside of the view"))

    def _leaves_part(self, leader: ir.Value, op: ir.Operation) -> None:
        """What may look beyond its part of a pool lets all parts of that pool escape."""
        for pool in self.pools.values():
            if any(self._leader(value) == leader for value in pool.views):
                for value in pool.views:
                    self._escape(value, op, f"{op.name} may show more than a part of a pool")

    def _view(self, op: ir.Operation, used: list[int]) -> None:
        if op.name in _FORGETS:
            self.forgets.append((op.operands[0], op))
        if op.name == "iree_codegen.swizzle_hint":
            self._escape(op.operands[0], op, "a swizzle hint already says where its elements lie")
        for value in op.results:
            if self._shared(value):
                self._join(value, op.operands[0])
            elif isinstance(value.type, ir.MemRefType | ir.UnrankedMemRefType):
                reason = f"{op.name} hides that its result is workgroup memory"
                self._escape(op.operands[0], op, reason)
        for n in used:
            if n:
                self._escape(op.operands[n], op, f"{op.name} takes it as operand {n}")

    def _loop(self, op: ir.Operation) -> None:
        block = op.regions[0].blocks[0]
        yielded = _last(block.operations).operands
        for n, result in enumerate(op.results):
            argument = block.arguments[1 + n]
            self._flow(argument, op.operands[_BOUNDS + n], yielded[n])
            self._flow(result, op.operands[_BOUNDS + n], yielded[n])

    def _flow(self, value: ir.Value, *sources: ir.Value) -> None:
        if self._shared(value):
            self.incoming[value] = sources
            for source in sources:
                self._join(value, source)

    def _arguments(self, op: ir.Operation, block: ir.Block, *, entry: bool) -> None:
        shared = [(n, v) for n, v in enumerate(block.arguments) if self._shared(v)]
        for n, value in shared:
            self._leader(value)
            if op.name == "gpu.func" and entry and n >= _inputs(op):
                self.origins.append(value)
            elif op.name.endswith(".func") and entry:
                self.origins.append(value)
                reason = "an argument: whoever calls may hand the same buffer elsewhere, too"
                self._escape(value, op, reason)
            elif op.name != "scf.for":
                self._escape(value, op, f"it goes round {op.name}")

    def _global(self, op: ir.Operation) -> None:
        value, name = op.results[0], str(op.attributes["name"].value)
        self.origins.append(value)
        made = next((g for p in _around(op) if (g := self.globals.get((p, name)))), None)
        if made is None:
            return self._escape(value, op, f"no global @{name} is found for it")
        if not isinstance(made.attributes.get("initial_value"), ir.UnitAttr | None):
            return self._escape(value, made, "the global begins with values of its own")
        if "private" not in str(made.attributes.get("sym_visibility", "")):
            self.facts.append((value, f"no other module uses @{name}"))
        return self._join(value, self._named.setdefault(made, value))

    def _shared(self, value: ir.Value) -> bool:
        of = value.type
        if of not in self._kinds:
            self._kinds[of] = is_workgroup(of)
        return self._kinds[of]

    def _escape(self, value: ir.Value, op: ir.Operation, reason: str) -> None:
        self.escapes.append((value, Refusal(reason, self.opened.location_of(op))))

    def _leader(self, value: ir.Value) -> ir.Value:
        while (up := self.leaders.setdefault(value, value)) != value:
            self.leaders[value] = self.leaders[up]
            value = up
        return value

    def _join(self, one: ir.Value, other: ir.Value) -> None:
        self.leaders[self._leader(one)] = self._leader(other)


def _by_address(opened: Opened, op: ir.Operation) -> Refusal | None:
    """Why an assembler text may reach any buffer; None if it is about something else."""
    if _SHARED_ASSEMBLY.search(str(op.attributes["asm_string"])) is None:
        return None
    return Refusal(f"{op.name} may reach workgroup memory", opened.location_of(op))


def _follows(op: ir.Operation) -> bool:
    """Whether this ends a body whose values are joined with what is around it."""
    return op.name == "scf.yield" and op.parent.operation.name in ("scf.for", "scf.if")


def _last(body: ir.OperationList) -> ir.Operation:
    return body[len(body) - 1].operation


def _inputs(op: ir.Operation) -> int:
    """How many arguments of a gpu.func its callers give; the others are its own buffers."""
    return len(op.attributes["function_type"].value.inputs)


def _around(op: ir.Operation) -> Iterator[ir.Operation]:
    """The operations around ``op``, the nearest first."""
    while (parent := op.parent) is not None:
        op = parent.operation
        yield op
