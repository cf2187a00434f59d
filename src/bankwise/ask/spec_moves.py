"""Which instructions the accesses of a question become under a layout."""

from __future__ import annotations

from bankwise.errors import InputError, Location, Refusal
from bankwise.notation import ck
from bankwise.notation.accesses import TileInstruction, accesses, in_runs
from bankwise.notation.frameworks import languages
from bankwise.notation.values import Distribution, Memory
from bankwise.read.tile_file.question import Held, TileQuestion, WrittenAccess, WrittenLayout
from bankwise.read.tile_file.views import pieces, seen
from bankwise.solver.general import Listed
from bankwise.solver.units import UnitUse


def moves(
    spec: TileQuestion, access: WrittenAccess, layout: WrittenLayout
) -> tuple[TileInstruction, ...] | Refusal:
    """The instructions of one pass over the tile, piece by piece.

    A Refusal where a text is in dispute or the machine has no such instruction. Raises
    :class:`InputError` at the access where distribution and memory do not fit together.
    """
    memory = seen(access, layout)
    if isinstance(memory, Refusal):
        return Refusal(memory.reason, (access.layout or layout).location)
    if isinstance(access.held, Listed):
        from bankwise.ask.listed_count import listed_moves

        found = listed_moves(spec, access.held, memory)
        return Refusal(found.reason, access.location) if isinstance(found, Refusal) else found
    if isinstance(access.held, UnitUse):
        from bankwise.ask.unit_count import unit_moves

        used = unit_moves(spec, access.held, memory)
        return Refusal(used.reason, access.location) if isinstance(used, Refusal) else used
    return _by_distribution(spec, access, access.held, memory, (access.layout or layout).location)


def _by_distribution(
    spec: TileQuestion, access: WrittenAccess, held: Held, memory: Memory, place: Location
) -> tuple[TileInstruction, ...] | Refusal:
    whole = held.distribution
    if isinstance(whole, Refusal):
        return Refusal(whole.reason, access.location)
    vector, policy = _emission(spec, access, held, memory)
    found: list[TileInstruction] = []
    for piece in pieces(whole, memory.shape):
        if _breaks(access, piece, memory, vector):
            reason = (
                f"the layout promises {access.name} vectors of {vector} elements, and they do not "
                "lie side by side: CK would move other elements than the tile's"
            )
            return Refusal(reason, place)
        moved = _accesses(spec, access, piece, memory, vector, policy)
        if isinstance(moved, Refusal):
            return Refusal(moved.reason, access.location)
        found += moved
    return tuple(found)


def _breaks(access: WrittenAccess, piece: Distribution, memory: Memory, vector: int | None) -> bool:
    """Whether a vector that nobody but the layout's guarantees asks for holds other elements."""
    return access.vector is None and vector is not None and not in_runs(piece, memory, vector)


def _accesses(
    spec: TileQuestion,
    access: WrittenAccess,
    piece: Distribution,
    memory: Memory,
    vector: int | None,
    policy: str,
) -> tuple[TileInstruction, ...] | Refusal:
    try:
        return accesses(
            piece,
            memory,
            element_bytes=spec.element_bytes,
            machine=spec.machine,
            direction=access.op,
            policy=policy,
            vector=vector,
        )
    except InputError as error:
        raise InputError(error.message, location=access.location, hint=error.hint) from error


def _emission(
    spec: TileQuestion, access: WrittenAccess, held: Held, memory: Memory
) -> tuple[int | None, str]:
    """(vector, policy): what the user says, else what the framework of the texts does."""
    made: tuple[int | None, str] = (None, languages()[held.notation].policy)
    whole = held.distribution
    if isinstance(whole, ck.Encoding) and isinstance(memory, ck.TensorDescriptor):
        made = ck.emitted(whole, memory)
    return access.vector or made[0], spec.policy or made[1]
