"""All accesses of a kernel to shared memory, with the instructions that Triton makes of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.machine import Direction, Machine
from bankwise.notation.linear import LinearDistribution
from bankwise.read.ttgir.copies import lower_copy
from bankwise.read.ttgir.follow import Followed
from bankwise.read.ttgir.locations import sources
from bankwise.read.ttgir.lower import Issued, lower
from bankwise.read.ttgir.placed import held_by, place
from bankwise.read.ttgir.scratch import needs_shared, scratch
from bankwise.read.ttgir.types import Types, split_arrow
from bankwise.read.ttgir.values import MemoryType, Module, SharedOperation, TensorType

SCRATCH = "scratch"
"""What the memory is called that no buffer of the text is."""

_NOT_MODELLED = {
    "tt.scan": "a scan over several waves goes through scratch memory that is not modelled",
    "tt.histogram": "its scratch memory is not modelled",
    "tt.gather": "its scratch memory is not modelled",
}


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
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
        if touch.op.name == "ttg.convert_layout":
            yield from self._convert(touch)
        elif touch.view is None:
            yield from self._other_scratch(touch)
        else:
            yield self._buffer(touch, instead)

    def _buffer(self, touch: SharedOperation, instead: Mapping[str, MemoryType]) -> Moved | Refusal:
        assert touch.view is not None, "scratch goes another way"
        buffer, read = touch.view.buffer, touch.op.name == "ttg.local_load"
        tensor = self._tensor(touch, -1 if read else 0)
        if isinstance(tensor, Refusal):
            return self._no(touch, tensor)
        kind = instead.get(buffer.name, buffer.type)
        if tensor.bits != kind.bits and touch.op.name.startswith("ttg.local_"):
            raise InputError(f"a tensor of {tensor.bits} bits an element, memory of {kind.bits}")
        held = self._distribution(tensor)
        laid = place(held, touch.view, kind)
        if isinstance(laid, Refusal):
            return self._no(touch, laid)
        direction: Direction = "read" if read else "write"
        if touch.op.name.startswith("ttg.local_"):
            issued = lower(self.machine, laid, direction)
        else:
            issued = lower_copy(self.machine, laid, touch.op)
        if isinstance(issued, Refusal):
            return self._no(touch, issued)
        return self._access_of(touch, direction, buffer.name, issued, held)

    def _convert(self, touch: SharedOperation) -> Iterator[Moved | Refusal]:
        source, target = self._tensor(touch, 0), self._tensor(touch, -1)
        if isinstance(source, Refusal) or isinstance(target, Refusal):
            refusal = source if isinstance(source, Refusal) else target
            assert isinstance(refusal, Refusal), "one of them is"
            yield self._no(touch, refusal)
            return
        before, after = self._distribution(source), self._distribution(target)
        if not needs_shared(before, after):
            return
        made = scratch(before, after, source.bits, self.machine)
        if isinstance(made, Refusal):
            yield self._no(touch, made)
            return
        yield self._access_of(touch, "write", SCRATCH, made.written, None)
        yield self._access_of(touch, "read", SCRATCH, made.read, None)

    def _other_scratch(self, touch: SharedOperation) -> Iterator[Refusal]:
        """Reductions inside a wave exchange lanes; the rest is not modelled."""
        if touch.op.name == "tt.reduce" and not self._across_waves(touch):
            return
        if touch.op.name == "tt.scan" and not self._across_waves(touch):
            return
        reason = _NOT_MODELLED.get(
            touch.op.name, "a reduction over several waves: its scratch memory is not modelled"
        )
        yield self._no(touch, Refusal(reason))

    def _across_waves(self, touch: SharedOperation) -> bool:
        tensor = self._tensor(touch, 0)
        axis = touch.op.body.partition("axis = ")[2].partition(" ")[0]
        if isinstance(tensor, Refusal) or not axis.isdigit() or int(axis) >= len(tensor.shape):
            return True
        return any(basis[int(axis)] for basis in self._distribution(tensor).wave_bases)

    def _tensor(self, touch: SharedOperation, which: int) -> TensorType | Refusal:
        """The first type in front of the arrow (0), or the one behind it (-1)."""
        before, after = split_arrow(touch.op.types)
        listed = after if which else before
        tensors = [t for t in listed if t.startswith("tensor<")]
        if not tensors:
            place = self.module.place(touch.op)
            raise InputError(f"{touch.op.name} has no tensor type", location=place)
        return self.types.tensor(tensors[0], touch.op.line)

    def _distribution(self, tensor: TensorType) -> LinearDistribution:
        held = held_by(tensor.encoding, tensor.shape, self.module.warps, self.module.lanes)
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
