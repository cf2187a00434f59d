"""How often operations of TTGIR run, and in which waves."""

from __future__ import annotations

from msgspec import Struct

from bankwise.counting.bound import Bound
from bankwise.read.ttgir.values import BufferView, Op, SharedOperation
from bankwise.read.ttgir.views import Value, facts_of


class Frequency(Struct, frozen=True):
    """How often what follows runs, in which waves. ``silent``: only its values are wanted;
    ``open``: what decides how often, where that is not known."""

    times: Bound
    maybe: bool = False
    silent: bool = False
    waves: int | None = None
    calls: int = 0
    open: frozenset[str] = frozenset()

    def __add__(self, other: Frequency) -> Frequency:
        both, facts = self.maybe and other.maybe, self.open | other.open
        return Frequency(self.times + other.times, both, waves=self.waves, open=facts)

    def by(self, *values: Value) -> frozenset[str]:
        """What decides how often it runs, these values included."""
        return self.open | facts_of(*values)

    def touch(self, op: Op, view: BufferView | None) -> SharedOperation:
        """What cannot be counted is taken to run once at least."""
        followed = self.times.low if self.times.exact else max(1, self.times.low)
        return SharedOperation(
            op, view, followed, self.times, self.maybe, self.waves, open=self.open
        )
