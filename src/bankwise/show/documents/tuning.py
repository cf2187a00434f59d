"""``bankwise.triton.tune`` as JSON."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

from bankwise.show.documents.parts import Extra, Number, Passes, Whole, empty_is_null


class KnobRowDocument(Struct, frozen=True):
    """One setting of the knobs, compiled; numbers are of a workgroup, of the code emitted."""

    knobs: Annotated[dict[str, Any], Meta(description="values by name")]
    work: Annotated[Number, Meta(description="what a workgroup does, as the caller says")]
    passes: Passes
    passes_per_work: Annotated[Number, Meta(description="by which settings are ranked")]
    conflicts: Extra
    instructions: Annotated[Whole, Meta(description="of shared memory, executed")]
    shared_bytes: Whole
    registers: Annotated[Whole, Meta(description="of a thread; 0: the code does not say")]
    counted: Annotated[bool, Meta(description="whether it is known how often everything runs")]
    assumed: Annotated[Whole, Meta(description="conflicts, of all, by rules that nobody knows")]
    open: Annotated[tuple[str, ...], Meta(description="rules that nobody knows, or assumed")]
    refusal: Annotated[str | None, Meta(description="why there are no numbers, or null")]

    def __post_init__(self) -> None:
        """A setting with numbers has no refusal."""
        empty_is_null(self, "refusal")


class TuneDocument(Struct, frozen=True, tag_field="schema", tag="bankwise.tune/1"):
    """Settings of a Triton kernel's knobs, the fewest passes for one unit of work first."""

    kernel: str
    target: str
    code: Annotated[str, Meta(description="which code was counted")]
    rows: tuple[KnobRowDocument, ...]
    paste: Annotated[str, Meta(description="the launch of the best setting; empty: there is none")]
