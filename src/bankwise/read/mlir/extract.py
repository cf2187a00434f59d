"""Every access of a kernel to workgroup memory, evaluated for all threads of a workgroup.

The kernel is cut down to what decides its addresses (:mod:`bankwise.read.mlir.slice`), run for one
workgroup (:mod:`bankwise.read.mlir.trace`), and what was touched becomes
:class:`bankwise.counting.access.Access` values: one per operation, or several where the elements of
a thread's vector do not lie one behind the other. What cannot be analysed is a refusal with its
place: no access is ever skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

import numpy as np
from iree.compiler import ir
from msgspec.structs import replace

from bankwise.counting.access import Access, Allocation, BoolArray, Pattern
from bankwise.errors import Refusal
from bankwise.identity import ByIdentity
from bankwise.read.mlir.decode import Locate
from bankwise.read.mlir.footprint import Footprint
from bankwise.read.mlir.indexing import ThreadIds
from bankwise.read.mlir.roots import roots
from bankwise.read.mlir.slice import KernelSlice, Made, cut
from bankwise.read.mlir.touches import MemrefAccess
from bankwise.read.mlir.trace import Note, Seen, WorkgroupTrace, trace
from bankwise.read.mlir.views import View, bytes_of

_MOST_ALIGNMENT = 16
_WORKGROUP_NOTE = "its addresses depend on the workgroup; they are those of one workgroup"
_UNSEEN = "one workgroup never executes it, another one may; where it goes there is not known"


class Base(ByIdentity, frozen=True, eq=False):
    """Where an access starts in its allocation, as an expression over its own indices:

        first byte = element_bytes * (offsets[pattern] + sum of indices[i] * strides[i])

    ``offsets``: one for each pattern of the access, in elements; None where threads differ.
    """

    element_bytes: int
    strides: tuple[int, ...]
    offsets: tuple[int | None, ...]


class SharedAccess(ByIdentity, frozen=True, eq=False):
    """An access and what rewriting it needs: its operation and the values of its operands.

    ``indices``: the index values on the workgroup-memory side. ``vector_elements``: elements that
    one lane touches in this access, the first of which is element ``first_element`` of the
    vector of the operation. ``source`` and ``source_indices``: the other memref of a copy.
    ``base`` is None where the address is no constant combination of the indices. ``moves``:
    another workgroup touches other places.
    """

    access: Access
    op: ir.Operation
    memref: ir.Value
    indices: tuple[ir.Value, ...]
    vector_elements: int
    base: Base | None
    first_element: int = 0
    source: ir.Value | None = None
    source_indices: tuple[ir.Value, ...] = ()
    moves: bool = False


class Extraction(ByIdentity, frozen=True, eq=False):
    """All workgroup memory of a kernel, all accesses to it, and what could not be analysed.

    ``unseen``: what the workgroup in question never executes, while another one, or another launch,
    may, and what could not be followed (which is among the ``refusals`` too).
    The module must stay alive as long as this is used: operations do not keep it so.
    """

    allocations: tuple[Allocation, ...]
    accesses: tuple[SharedAccess, ...]
    refusals: tuple[Refusal, ...]
    notes: tuple[Note, ...]
    unseen: tuple[UnseenAccess, ...] = ()


class UnseenAccess(ByIdentity, frozen=True, eq=False):
    """An access without patterns, and the allocations that it may touch; None if not known.

    ``elsewhere``: another workgroup of the launch may execute it, as far as one can tell.
    """

    site: SharedAccess
    allocations: tuple[str, ...] | None
    elsewhere: bool = False

    @property
    def refusal(self) -> Refusal:
        """Why it is not counted."""
        return Refusal(f"{self.site.access.operation}: {_UNSEEN}", self.site.access.location)


def extract(
    func: ir.Operation,
    *,
    name: str,
    workgroup_size: tuple[int, int, int],
    wave_size: int,
    locate: Locate,
    dims: Mapping[str, int] | None = None,
    workgroup_id: tuple[int, int, int] = (0, 0, 0),
    grid: tuple[int, int, int] | None = None,
    called: Callable[[ir.Value], str] = lambda value: "",
) -> Extraction:
    """Extract all accesses of the kernel ``func`` (called ``name``) to workgroup memory.

    ``dims`` gives numbers that only the launch knows (index arguments, dynamic sizes, push
    constants), by the name of the value without ``%``, also ``arg0``, ``arg1`` ... for arguments.
    ``grid``: workgroups of the launch, None if unknown. ``called``: what the user calls a value,
    empty if unknown; then it has the name that MLIR prints.
    """
    program = cut(func.operation, locate, dims or {}, called)
    ids = ThreadIds(workgroup_size, wave_size, workgroup_id, grid)
    found = trace(program, ids, locate)
    moving = _moving(program, found, ids, locate)
    asks = program.asks_workgroup and _other_workgroup(ids) != ids.workgroup_id
    kernel = _KernelContext(name, ids, locate, found.allocations)
    pieces: list[SharedAccess] = []
    unseen: list[UnseenAccess] = []
    for number, (touch, seen) in enumerate(zip(program.touches, found.seen, strict=True)):
        note = _WORKGROUP_NOTE if number in moving else ""
        done = _accesses(kernel, touch, seen, len(pieces), note)
        pieces.extend(done)
        unseen += () if done else (replace(_unseen(kernel, touch), elsewhere=asks),)
    allocations = [_allocation(kernel, made, view) for made, view in found.allocations.values()]
    return Extraction(
        tuple(each for each in allocations if isinstance(each, Allocation)),
        tuple(pieces),
        (*program.refusals, *found.refusals, *(r for r in allocations if isinstance(r, Refusal))),
        (*found.notes, *_notes(kernel, program, moving)),
        tuple(unseen),
    )


class _KernelContext(ByIdentity, frozen=True, eq=False):
    """What every access of a kernel shares."""

    name: str
    ids: ThreadIds
    locate: Locate
    allocations: Mapping[str, tuple[Made, View]]


def _moving(
    program: KernelSlice, found: WorkgroupTrace, ids: ThreadIds, locate: Locate
) -> frozenset[int]:
    """The accesses that touch other places in another workgroup."""
    if not program.asks_workgroup:
        return frozenset()
    other = trace(program, replace(ids, workgroup_id=_other_workgroup(ids)), locate)
    pairs = enumerate(zip(found.seen, other.seen, strict=True))
    return frozenset(n for n, (a, b) in pairs if _identities(a) != _identities(b))


def _other_workgroup(ids: ThreadIds) -> tuple[int, int, int]:
    """A workgroup that differs along every axis that has more than one."""
    x, y, z = (
        min(1, size - 1) if here == 0 else 0
        for here, size in zip(ids.workgroup_id, ids.grid or (2, 2, 2), strict=True)
    )
    return x, y, z


def _identities(seen: Sequence[Seen]) -> list[tuple[Hashable, int]]:
    return [(each.footprint.identity(), each.executions) for each in seen]


def _notes(kernel: _KernelContext, program: KernelSlice, moving: frozenset[int]) -> Iterator[Note]:
    for made, _ in kernel.allocations.values():
        if made.op.name == "func.func":
            text = f"argument {made.name} is taken to be an allocation of its own"
            yield Note(text, kernel.locate(made.op))
    for number in sorted(moving):
        op = program.touches[number].op
        yield Note(f"{op.name}: {_WORKGROUP_NOTE}", kernel.locate(op))


def _allocation(kernel: _KernelContext, made: Made, view: View) -> Allocation | Refusal:
    where = kernel.locate(made.op)
    if not all(isinstance(amount, int) for amount in (*view.sizes, *view.strides)):
        return Refusal(f"the size of {made.name} is not the same for all threads", where)
    return Allocation(
        made.name,
        kernel.name,
        where,
        tuple(int(size) for size in view.sizes),
        tuple(int(stride) for stride in view.strides),
        view.element_bytes,
        str(made.type.element_type),
    )


def _accesses(
    kernel: _KernelContext, touch: MemrefAccess, seen: Sequence[Seen], number: int, note: str
) -> list[SharedAccess]:
    """The accesses of one operation: one, or one for each run of elements."""
    run = min((_longest_run(touch, each.footprint) for each in seen), default=touch.elements)
    found: list[SharedAccess] = []
    for first in range(0, touch.elements, run):
        used = [each for each in seen if _row(each.footprint.active, first).any()]
        if used:
            found.append(_access(kernel, touch, used, first, run, number + len(found), note))
    return found


def _longest_run(touch: MemrefAccess, found: Footprint) -> int:
    """The most elements that lie one behind the other, and that a thread touches all or none of."""
    if len(found.offsets_bytes) == 1:
        return touch.elements
    lengths = (n for n in range(touch.elements, 0, -1) if touch.elements % n == 0)
    return next(n for n in lengths if _runs(found, n))


def _runs(found: Footprint, length: int) -> bool:
    shape = (-1, length, found.offsets_bytes.shape[1])
    offsets, active = found.offsets_bytes.reshape(shape), found.active.reshape(shape)
    alike = (active == active[:, :1]).all()
    follow = np.diff(offsets, axis=1) == found.element_bytes
    return bool(alike and (follow | ~active[:, 1:]).all())


def _row(values: BoolArray, element: int) -> BoolArray:
    return np.asarray(values[min(element, len(values) - 1)])


def _access(
    kernel: _KernelContext,
    touch: MemrefAccess,
    seen: Sequence[Seen],
    first: int,
    run: int,
    number: int,
    note: str,
) -> SharedAccess:
    op, operands = touch.op, touch.op.operands
    patterns = tuple(_pattern(kernel, each, first) for each in seen)
    notes = dict.fromkeys((note, *(each.footprint.note for each in seen)))
    access = Access(
        op.name,
        touch.direction,
        touch.kind,
        run * seen[0].footprint.element_bytes,
        seen[0].footprint.element_bytes,
        alignment_bytes(patterns),
        kernel.locate(op),
        kernel.name,
        patterns,
        number,
        "; ".join(filter(None, notes)),
        touch.variant,
    )
    source, others = touch.source or (None, ())
    return SharedAccess(
        access,
        op,
        operands[touch.memref],
        tuple(operands[n] for n in touch.indices),
        run,
        _base(touch, seen, first),
        first,
        None if source is None else operands[source],
        tuple(operands[n] for n in others),
        bool(note),
    )


def _unseen(kernel: _KernelContext, touch: MemrefAccess) -> UnseenAccess:
    """An access that was not executed, as far as the text tells."""
    op, operands = touch.op, touch.op.operands
    memref = operands[touch.memref]
    found, made = roots(memref), {m.op: m.name for m, _ in kernel.allocations.values()}
    views = [view for _, view in found or ()]
    element = views[0].element_bytes if views else bytes_of(memref.type.element_type) or 1
    where, size = kernel.locate(op), touch.elements * element
    access = Access(
        *(op.name, touch.direction, touch.kind, size, element, _MOST_ALIGNMENT, where),
        kernel.name,
        (),
    )
    source, others = touch.source or (None, ())
    site = SharedAccess(
        access,
        op,
        memref,
        tuple(operands[n] for n in touch.indices),
        touch.elements,
        _static_base(views),
        0,
        None if source is None else operands[source],
        tuple(operands[n] for n in others),
    )
    names = None if found is None else tuple(made[op] for op, _ in found if op in made)
    return UnseenAccess(site, names)


def _static_base(views: Sequence[View]) -> Base | None:
    """Where views start, if all step alike by constants."""
    strides = {view.strides for view in views}
    if len(strides) != 1 or not all(isinstance(s, int) for s in views[0].strides):
        return None
    starts = [view.base_bytes + view.offset * view.element_bytes for view in views]
    size = views[0].element_bytes
    known = tuple(int(start) // size if start % size == 0 else None for start in starts)
    return Base(size, tuple(int(s) for s in views[0].strides), known)


def _pattern(kernel: _KernelContext, each: Seen, element: int) -> Pattern:
    found = each.footprint
    offsets = found.offsets_bytes[min(element, len(found.offsets_bytes) - 1)]
    if len(found.offsets_bytes) == 1:
        offsets = offsets + element * found.element_bytes
    active = _row(found.active, element)
    shape = (kernel.ids.waves, kernel.ids.wave_size)
    return Pattern(
        np.where(active, offsets, 0).reshape(shape),
        active.reshape(shape),
        found.allocation,
        each.executions,
        each.iterations,
        each.really,
    )


def alignment_bytes(patterns: Sequence[Pattern]) -> int:
    """What all first bytes are multiples of, at most what an instruction asks for."""
    bits = _MOST_ALIGNMENT
    for pattern in patterns:
        bits |= int(np.bitwise_or.reduce(pattern.offsets_bytes, axis=None))
    return bits & -bits


def _base(touch: MemrefAccess, seen: Sequence[Seen], element: int) -> Base | None:
    strides = seen[0].footprint.strides
    if strides is None or any(each.footprint.strides != strides for each in seen):
        return None
    steps = touch.steps
    ahead = element if steps is None else int(steps[element] @ np.array(strides, np.int64))
    if steps is None and strides:
        ahead = element * strides[-1]
    bases = [each.footprint.base for each in seen]
    offsets = tuple(None if base is None else base + ahead for base in bases)
    return Base(seen[0].footprint.element_bytes, strides, offsets)
