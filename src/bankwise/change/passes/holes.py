"""The holes of iree-base-compiler 3.13.0, found in a text: what it accepts, and gets wrong.

Each has a rule of its own. The passes here refuse to make any of them; ``check`` reports those that
it finds. Most produce wrong data without a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from iree.compiler import ir
from msgspec import Struct

from bankwise.algebra.address import Identity
from bankwise.change.passes.buffer_strides import stride_holes
from bankwise.change.passes.hints import ATTRIBUTE, HINT, Hinted, hints, rooted
from bankwise.change.passes.legality import HintedUse, dropped_by_iree, period, unsound
from bankwise.change.passes.lowered import Lowered, lower
from bankwise.change.passes.resolve import Swizzled, classified
from bankwise.change.passes.statements import users
from bankwise.change.passes.values import PassOptions
from bankwise.change.rewrite.group import groups, tile_of
from bankwise.counting.access import Pattern
from bankwise.errors import InputError, Location, Refusal
from bankwise.notation.padding import Unpadded
from bankwise.read.mlir.kernels import is_shared, kernels, operations
from bankwise.read.mlir.module import Opened
from bankwise.read.mlir.swizzle_hint import swizzle_hint
from bankwise.solver.price import Workload, costs

RULES = {
    "swizzle-zero": "xor_shuffle<0, a> or <w, 0> ends the process that parses it",
    "swizzle-not-bijective": "a swizzle whose groups are no power of two overwrites elements",
    "swizzle-shifted": "a swizzle counts from a view that does not begin at a whole period",
    "swizzle-padded": "a swizzle stands on a padded allocation",
    "swizzle-dma": "a swizzle stands on memory that copies in lane order fill: only reads move",
    "swizzle-dropped": "the compiler drops this swizzle and exits with 0",
    "padding-dma": "copies in lane order fill padded rows and miss them",
    "padding-blind": "a padding that saves no pass",
    "allocation-dead": "nobody uses this allocation, and it takes its bytes all the same",
    "buffer-stride": "a cacheSwizzleStride that is not the bytes of a row",
}
"""Every rule, and what is wrong."""


class Hole(Struct, frozen=True):
    """One place where the text runs into a hole; ``rule`` is a key of :data:`RULES`."""

    rule: str
    location: Location
    message: str


def holes(
    opened: Opened, launch: PassOptions, lowered: Sequence[Lowered] | None = None
) -> tuple[Hole, ...]:
    """All holes of a module, in the order of the text.

    ``lowered``: its kernels, if they are known already.
    """
    known = lower(opened, launch) if lowered is None else lowered
    found = [*_statically(opened), *_by_kernel(opened, launch, known)]
    unique = dict.fromkeys(found)
    return tuple(sorted(unique, key=lambda hole: (hole.location, hole.rule)))


def hole_of_error(error: InputError) -> Hole | None:
    """The hole behind an error of opening a text: sizes of 0, which cannot even be parsed."""
    if error.location is None or not re.match(r"(xor_shuffle|rotate_rows)<", error.message):
        return None
    return Hole("swizzle-zero", error.location, error.message)


def _statically(opened: Opened) -> Iterator[Hole]:
    """What the operations show without the values of any index."""
    for op in operations(opened.module.operation):
        where = opened.location_of(op)
        attribute = op.attributes.get("swizzle" if op.name == HINT else ATTRIBUTE)
        hint = swizzle_hint(attribute) if attribute is not None else None
        if hint is not None and unsound(hint):
            yield Hole("swizzle-not-bijective", where, f"{hint}: {unsound(hint)}")
        if op.name == "memref.alloc" and _is_dead(op):
            yield Hole("allocation-dead", where, RULES["allocation-dead"])
    yield from (Hole("buffer-stride", *each) for each in stride_holes(opened))


def _is_dead(allocation: ir.Operation) -> bool:
    value = allocation.results[0]
    return is_shared(value.type) and all(u.name == "memref.dealloc" for u in users(value))


def _by_kernel(opened: Opened, launch: PassOptions, known: Sequence[Lowered]) -> Iterator[Hole]:
    """What only the addresses of all threads show."""
    for kernel in kernels(opened):
        found, unknown = hints(opened, kernel.op)
        yield from (
            _shifted(opened, hinted, found) for hinted in found if _is_shifted(hinted, found)
        )
        for refusal in unknown:
            rule = "swizzle-padded" if "not contiguous" in refusal.reason else "swizzle-dropped"
            yield Hole(rule, refusal.location or Location(opened.source.file), refusal.reason)
    swizzled, _ = classified(opened, launch)
    for each in swizzled:
        yield from _of_swizzle(opened, each)
    for lowered in known:
        yield from _of_padding(lowered)


def _is_shifted(hinted: Hinted, all_hints: list[Hinted]) -> bool:
    others = [h for h in all_hints if h.allocation == hinted.allocation]
    shifted = hinted.base % period(hinted.hint) if not unsound(hinted.hint) else 0
    return bool(shifted) and any(h.base != hinted.base for h in others)


def _shifted(opened: Opened, hinted: Hinted, all_hints: list[Hinted]) -> Hole:
    message = (
        f"{hinted.hint} counts from element {hinted.base} of {hinted.allocation}, which is no "
        f"multiple of its period of {period(hinted.hint)}; another hint counts from elsewhere"
    )
    return Hole("swizzle-shifted", opened.location_of(hinted.op), message)


def _of_swizzle(opened: Opened, each: Swizzled) -> Iterator[Hole]:
    where = opened.location_of(each.hints[0].op)
    hint = each.hints[0].hint
    if any(use.kind == "dma" for use in each.uses) and any(_moves(use) for use in each.uses):
        message = f"{hint} on {each.names}: {RULES['swizzle-dma']}"
        yield Hole("swizzle-dma", where, message)
        return
    dropped = [use for use in each.uses if dropped_by_iree(use)]
    for use in dropped[:1]:
        message = (
            f"IREE 3.13.0 drops {hint} from {each.names}: {use.operation} of {use.span} elements "
            f"at line {use.location.line}"
        )
        yield Hole("swizzle-dropped", where, message)
    if not dropped and each.refusal is not None and not unsound(hint):
        yield Hole(_rule_of(each.refusal), where, each.refusal.reason)


def _rule_of(refusal: Refusal) -> str:
    return "swizzle-shifted" if "one map" in refusal.reason else "swizzle-dropped"


def _moves(use: HintedUse) -> bool:
    return use.hint is not None and use.kind != "dma"


def _of_padding(lowered: Lowered) -> Iterator[Hole]:
    """Allocations of which every use is a subview with shorter rows."""
    for group in groups(lowered.extraction):
        first = group.allocations[0]
        if len(group.allocations) > 1 or len(first.shape) < 2:
            continue
        pitch, row = first.shape[-1], _used_columns(lowered, first.name)
        if not row or row >= pitch:
            continue
        copies = [s for s in group.accesses if s.access.kind == "dma"]
        if any(
            _leaves_row(s.access.patterns, s.access.width_bytes, first.element_bytes, pitch, row)
            for s in copies
        ):
            message = f"{first.name}: {RULES['padding-dma']} ({row} of {pitch} elements used)"
            yield Hole("padding-dma", first.location, message)
            continue
        tile = tile_of(group, {})
        if isinstance(tile, Refusal):
            continue
        work = Workload(lowered.machine, tile)
        with_it, without_it = costs(work, [Identity(), Unpadded(pitch, row)])
        if isinstance(with_it, Refusal) or isinstance(without_it, Refusal):
            continue
        if without_it.passes <= with_it.passes:
            saved = first.size_bytes * (pitch - row) // pitch
            addresses = [each.addresses(lowered.machine) for each in (without_it, with_it)]
            message = (
                f"{first.name}: {pitch - row} elements behind each row save no pass: "
                f"{without_it.passes} without, {with_it.passes} with, and "
                f"{addresses[0]} -> {addresses[1]} accesses, {saved} bytes"
            )
            yield Hole("padding-blind", first.location, message)


def _used_columns(lowered: Lowered, name: str) -> int:
    """Elements of a row that the only subview of an allocation shows; 0 if it is not used so."""
    for op in operations(lowered.kernel.op):
        if op.name != "memref.subview" or not is_shared(op.results[0].type):
            continue
        root = rooted(op.results[0])
        source = op.operands[0].owner
        if isinstance(root, str) or isinstance(source, ir.Block) or source.operation != root[0]:
            continue
        own = [u for u in users(op.operands[0]) if u.name != "memref.dealloc"]
        if own == [op] and lowered.name_of(root[0]) == name and root[1].offset == 0:
            last = root[1].sizes[-1]
            return last if isinstance(last, int) else 0
    return 0


def _leaves_row(
    patterns: tuple[Pattern, ...], width_bytes: int, element_bytes: int, pitch: int, row: int
) -> bool:
    """Whether a copy in lane order writes behind the used part of a row."""
    span = width_bytes // element_bytes
    columns = [p.offsets_bytes[p.active] // element_bytes % pitch + span for p in patterns]
    return any(bool((each > row).any()) for each in columns)
