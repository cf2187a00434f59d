"""What an adversarial kernel is: a text, the options of ``fix``, and the launches to judge by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Size = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Launch:
    """One run of the kernel functions of a text, one after the other.

    ``grid``: workgroups. ``block``: threads, where the text does not say. ``arguments``: values of
    integer arguments and push constants, by number. ``shapes``: of buffers whose type does not say,
    by argument. ``fill``: the least and greatest value of an integer buffer, by argument
    (all values between occur, and both ends). ``same``: arguments that are one buffer, as pairs.
    """

    grid: Size = (1, 1, 1)
    block: Size | None = None
    arguments: Mapping[int, int] = field(default_factory=dict)
    shapes: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    fill: Mapping[int, tuple[int, int]] = field(default_factory=dict)
    same: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class AdversarialKernel:
    """One kernel written to break ``fix``.

    ``fixable``: a rewrite exists that a careful person would write: there are conflicts, and all
    conditions of a right rewrite hold; otherwise ``why`` says which does not. ``launches``: all are
    executed, over all workgroups, to judge a rewrite. ``entries``: the functions that a launch
    runs. ``dims`` and ``workgroup_size`` are options of ``fix``, facts of one launch.
    """

    kind: str
    name: str
    text: str
    fixable: bool
    launches: tuple[Launch, ...]
    why: str = ""
    target: str = "gfx942"
    dims: tuple[str, ...] = ()
    workgroup_size: str = ""
    entries: tuple[str, ...] = ("k",)
