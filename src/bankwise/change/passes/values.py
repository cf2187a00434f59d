"""What every pass takes and gives.

A pass reads an open module and gives an :class:`Outcome`: the new text, a remark for every place
it looked at, and refusals. A place that it leaves alone has a remark or a refusal that says why.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from bankwise.errors import Location, Refusal

PROVED = "proved for all launches"


def told(refusal: Refusal | None) -> str:
    """What a proof says of a change, in words; ``refusal``: why there is none."""
    return PROVED if refusal is None else f"not proved: {refusal.reason}"


class PassOptions(Struct, frozen=True):
    """What a text may not say about its kernels.

    ``dims``: sizes by name. ``policy``: a width policy of :mod:`bankwise.hardware.policies`.
    """

    target: str = ""
    workgroup_size: tuple[int, int, int] | None = None
    dims: Mapping[str, int] = field(default_factory=dict)
    policy: str = "iree"


class Remark(Struct, frozen=True):
    """What a pass decided about one thing of the text (an allocation, a binding), and why.

    ``assumed``: the reason names what has to be true and is not known to be.
    """

    subject: str
    location: Location
    changed: bool
    reason: str
    assumed: bool = False

    def __str__(self) -> str:
        return f"{self.location}: {self.subject}: {self.reason}"


class Outcome(Struct, frozen=True):
    """The text after a pass. It is the text before, byte for byte, where nothing was changed.

    ``looked_for``: what the pass works on, for a text that has nothing of it.
    """

    text: str
    remarks: tuple[Remark, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    looked_for: str = ""

    @property
    def changed(self) -> bool:
        """Whether the pass did anything."""
        return any(remark.changed for remark in self.remarks)
