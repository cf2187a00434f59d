"""All accesses of a kernel to shared memory, with the instructions that Triton makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Direction, Machine
from bankwise.identity import ByIdentity
from bankwise.notation.linear import LinearDistribution
from bankwise.notation.triton import memory
from bankwise.read.ttgir.copies import lower_copy
from bankwise.read.ttgir.exchanges import Both, atomic, bins, scanned
from bankwise.read.ttgir.follow import Followed
from bankwise.read.ttgir.locations import sources
from bankwise.read.ttgir.lower import Issued, lower
from bankwise.read.ttgir.placed import PlacedElements, ViewedElements, held_by, viewed
from bankwise.read.ttgir.reduction import changes
from bankwise.read.ttgir.scratch import needs_shared, scratch
from bankwise.read.ttgir.types import Types, split_arrow
from bankwise.read.ttgir.units import unit_issued
from bankwise.read.ttgir.values import MemoryType, Module, SharedOperation, TensorType

SCRATCH = "scratch"
"""What the memory is called that no buffer of the text is."""

_OFFSETS = re.compile(r"^!tt\.ptr<[^\[]*>\[(tensor<.*?>)\](?:\s.*)?$", re.DOTALL)
"""The type of a buffer operation's global side: ``!tt.ptr<f16>[tensor<64xi32, #blocked>]``."""

_DATA_DECIDES = {
    "tt.histogram": "which bins it counts up is decided by data",
    "tt.gather": "what it reads of its scratch is decided by data",
}


class Moved(ByIdentity, frozen=True, eq=False):
    """One access: a direction of one operation, for all waves of one workgroup.

    ``held``: who holds which element, with copies in registers left out; None for scratch.
    ``sources``: the place in the source text, innermost first, where the text says it.
    """

    touch: SharedOperation
    direction: Direction
    buffer: str
    issued: tuple[Issued, ...]
    location: Location
    sources: tuple[Location, ...]
    held: LinearDistribution | None = None


class Reader:
    """Makes accesses of what was followed. ``machine``: whose instructions are chosen.

    ``one_wave``: only the first wave is looked at, which is enough to compare layouts.
    """

    def __init__(
        self, module: Module, types: Types, machine: Machine, *, one_wave: bool = False
    ) -> None:
        if machine.wave_size != module.lanes:
            raise InputError(
                f"the module is for waves of {module.lanes} lanes, {machine.name} has "
                f"{machine.wave_size}",
                location=Location(module.file),
                hint="count for a machine of the vendor that the text was made for",
            )
        self.module, self.types, self.machine = module, types, machine
        self.one_wave = one_wave

    def accesses(
        self, followed: Followed, instead: Mapping[str, MemoryType] | None = None
    ) -> Iterator[Moved | Refusal]:
        """Every access, or why it is not counted. ``instead``: other types of some buffers."""
        for touch in followed.touches:
            try:
                yield from self._touch(touch, instead or {})
            except InputError as error:
                if error.location is not None and error.location.file == self.module.file:
                    raise
                place = self.module.place(touch.op)
                raise InputError(error.message, location=place, hint=error.hint) from error

    def _touch(
        self, touch: SharedOperation, instead: Mapping[str, MemoryType]
    ) -> Iterator[Moved | Refusal]:
        if touch.operand is not None:
            yield self._unit(touch)
        elif touch.op.name == "ttg.convert_layout":
            yield from self._convert(touch)
        elif touch.op.name == "tt.reduce":
            yield from self._reduce(touch)
        elif touch.view is None:
            yield from self._other_scratch(touch)
        else:
            yield self._buffer(touch, instead)

    def _buffer(self, touch: SharedOperation, instead: Mapping[str, MemoryType]) -> Moved | Refusal:
        assert touch.view is not None, "scratch goes another way"
        buffer, elements = touch.view.buffer, self.viewed(touch)
        if isinstance(elements, Refusal):
            return self._no(touch, elements)
        kind = instead.get(buffer.name, buffer.type)
        laid = memory(kind.encoding, kind.shape)
        issued = self.issued(touch, PlacedElements(elements, laid, kind.bits))
        if isinstance(issued, Refusal):
            return self._no(touch, issued)
        return self._access_of(touch, moved_direction(touch), buffer.name, issued, elements.held)

    def viewed(self, touch: SharedOperation) -> ViewedElements | Refusal:
        """What threads move to or from a buffer, whatever the encoding of that."""
        assert touch.view is not None, "scratch goes another way"
        bits = touch.view.buffer.type.bits
        tensor = self._tensor(touch, -1 if moved_direction(touch) == "read" else 0)
        if isinstance(tensor, Refusal):
            return tensor
        if tensor.bits != bits and touch.op.name.startswith("ttg.local_"):
            raise InputError(f"a tensor of {tensor.bits} bits an element, memory of {bits}")
        return viewed(self._distribution(touch, tensor), touch.view)

    def issued(
        self, touch: SharedOperation, placed: PlacedElements
    ) -> tuple[Issued, ...] | Refusal:
        """The instructions of that, placed in a buffer."""
        if touch.op.name.startswith("ttg.local_"):
            return lower(self.machine, placed, moved_direction(touch))
        return lower_copy(self.machine, placed, touch.op)

    def _unit(self, touch: SharedOperation) -> Moved | Refusal:
        """What a matrix or copy unit touches."""
        assert touch.view is not None, "a unit reaches a buffer"
        issued = unit_issued(touch, self.types)
        if isinstance(issued, Refusal):
            return self._no(touch, issued)
        return self._access_of(touch, issued.direction, touch.view.buffer.name, (issued,), None)

    def _convert(self, touch: SharedOperation) -> Iterator[Moved | Refusal]:
        source, target = self._tensor(touch, 0), self._tensor(touch, -1)
        if isinstance(source, Refusal) or isinstance(target, Refusal):
            refusal = source if isinstance(source, Refusal) else target
            assert isinstance(refusal, Refusal), "one of them is"
            yield self._no(touch, refusal)
            return
        before, after = self._distribution(touch, source), self._distribution(touch, target)
        yield from self._change(touch, before, after, source.bits)

    def _change(
        self,
        touch: SharedOperation,
        before: LinearDistribution,
        after: LinearDistribution,
        bits: int,
    ) -> Iterator[Moved | Refusal]:
        """One change of distribution: nothing, or a write and a read of scratch."""
        if not needs_shared(before, after):
            return
        made = scratch(before, after, bits, self.machine)
        yield from self._pair(
            touch, made if isinstance(made, Refusal) else (made.written, made.read)
        )

    def _reduce(self, touch: SharedOperation) -> Iterator[Moved | Refusal]:
        """Every tensor of a reduction goes through the same changes of distribution."""
        source, targets = self._tensor(touch, 0), self._tensors(touch, -1)
        if isinstance(source, Refusal) or any(isinstance(t, Refusal) for t in targets):
            refusals = [t for t in (source, *targets) if isinstance(t, Refusal)]
            yield self._no(touch, refusals[0])
            return
        axis = self._axis(touch, source)
        results = [self._distribution(touch, t) for t in targets if isinstance(t, TensorType)]
        held = self._distribution(touch, source)
        way = list(changes(held, axis, results[0] if results else None))
        tensors = [t for t in self._tensors(touch, 0) if isinstance(t, TensorType)]
        for tensor in tensors:
            for before, after in way:
                yield from self._change(touch, before, after, tensor.bits)

    def _other_scratch(self, touch: SharedOperation) -> Iterator[Moved | Refusal]:
        """Scans and gathers inside a wave exchange lanes; what data decides is said."""
        name = touch.op.name
        if name == "tt.scan":
            yield from self._scan(touch)
        elif "atomic_" in name:
            yield from self._atomic(touch)
        elif name == "tt.histogram":
            tensor = self._tensor(touch, -1)
            if isinstance(tensor, TensorType):
                held = self._distribution(touch, tensor)
                yield from self._pair(touch, bins(held, tensor.bits // 8, self.machine))
        if name == "tt.histogram" or (
            name == "tt.gather" and "efficient_layout" not in touch.op.body
        ):
            yield self._no(touch, Refusal(_DATA_DECIDES[name]))

    def _scan(self, touch: SharedOperation) -> Iterator[Moved | Refusal]:
        for tensor in self._tensors(touch, 0):
            if isinstance(tensor, Refusal):
                yield self._no(touch, tensor)
                return
            axis, held = self._axis(touch, tensor), self._distribution(touch, tensor)
            if any(basis[axis] for basis in held.wave_bases):
                yield from self._pair(touch, scanned(held, axis, tensor.bits // 8, self.machine))

    def _atomic(self, touch: SharedOperation) -> Iterator[Moved | Refusal]:
        result = split_arrow(touch.op.types)[1]
        waves = 1 if self.one_wave else touch.waves or self.module.warps
        tensor = self._tensor(touch, -1) if result[0].startswith("tensor<") else None
        if isinstance(tensor, Refusal):
            yield self._no(touch, tensor)
            return
        bits = tensor.bits if tensor else self.types.bits(result[0], touch.op.line)
        held = self._distribution(touch, tensor) if tensor else None
        made = atomic(held, bits // 8, self.machine, waves)
        yield from self._pair(touch, made) if made is not None else ()

    def _pair(self, touch: SharedOperation, made: Both | Refusal) -> Iterator[Moved | Refusal]:
        """A write and a read of scratch."""
        if isinstance(made, Refusal):
            yield self._no(touch, made)
            return
        yield self._access_of(touch, "write", SCRATCH, made[0], None)
        yield self._access_of(touch, "read", SCRATCH, made[1], None)

    def _axis(self, touch: SharedOperation, tensor: TensorType) -> int:
        axis = touch.op.body.partition("axis = ")[2].partition(" ")[0]
        if not axis.isdigit() or int(axis) >= len(tensor.shape):
            place = self.module.place(touch.op)
            raise InputError(f"{touch.op.name} has no axis of its tensor", location=place)
        return int(axis)

    def _tensor(self, touch: SharedOperation, which: int) -> TensorType | Refusal:
        """The first type in front of the arrow (0), or the one behind it (-1)."""
        tensors = self._tensors(touch, which)
        if not tensors:
            place = self.module.place(touch.op)
            raise InputError(f"{touch.op.name} has no tensor type", location=place)
        return tensors[0]

    def _tensors(self, touch: SharedOperation, which: int) -> list[TensorType | Refusal]:
        """All tensor types in front of the arrow (0), or behind it (-1)."""
        listed = split_arrow(touch.op.types)[1 if which else 0]
        listed = [_OFFSETS.sub(r"\1", t) for t in listed]
        tensors = [t for t in listed if t.startswith("tensor<")]
        return [self.types.tensor(t, touch.op.line) for t in tensors]

    def _distribution(self, touch: SharedOperation, tensor: TensorType) -> LinearDistribution:
        waves = touch.waves or self.module.warps
        held = held_by(tensor.encoding, tensor.shape, waves, self.module.lanes)
        return replace(held, wave_bases=()) if self.one_wave else held

    def _access_of(
        self,
        touch: SharedOperation,
        direction: Direction,
        buffer: str,
        issued: tuple[Issued, ...],
        held: LinearDistribution | None,
    ) -> Moved:
        place = self.module.place(touch.op)
        found = sources(touch.op.loc, self.module.locations)
        return Moved(touch, direction, buffer, issued, place, found, held)

    def _no(self, touch: SharedOperation, refusal: Refusal) -> Refusal:
        place = self.module.place(touch.op)
        return replace(refusal, reason=f"{touch.op.name}: {refusal.reason}", location=place)


def moved_direction(touch: SharedOperation) -> Direction:
    """Which way an operation of threads moves what is in a buffer."""
    return "read" if touch.op.name == "ttg.local_load" else "write"
