"""The six rules of thumb on a question, and where they are wrong about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bankwise.ask.choose_options import with_memory, xor_descriptors
from bankwise.ask.spec import counted
from bankwise.notation import ck
from bankwise.notation.ck.transforms import Transform
from bankwise.notation.values import same_memory
from bankwise.read.tile_file.question import TileQuestion
from bankwise.show.choosing import Option, Thumb, Wrong
from bankwise.show.coalescing import CoalesceRow
from bankwise.show.rules.checklist import banks_of

WORD = "a word of padding"

_ROW_MUL_BANKS = 64


def thumbs(
    spec: TileQuestion, rows: Sequence[CoalesceRow], options: Mapping[str, Option]
) -> tuple[Thumb, ...]:
    """The six rules, each with what counting says here."""
    return (
        Thumb(1, "Start from coalescing.", _coalescing(rows), _first_rule(rows)),
        Thumb(
            2,
            "Padding: one line, a few bytes per row; it makes the stride coprime with the banks.",
            _padding(options),
            _narrowing(options),
        ),
        Thumb(
            3,
            "XOR: no LDS wasted, if the per-thread read aligns with the pack.",
            _one(options.get("XOR")),
        ),
        _row_mul(spec),
        Thumb(5, "A rotated read distribution for a wide global store.", _store(options)),
        Thumb(
            6,
            "Compiler offsets can bypass the XOR.",
            "not counted and not needed: the counts here are of the real addresses",
            "offset-after-xor",
        ),
    )


def wrong_about_row_mul(spec: TileQuestion) -> list[Wrong]:
    """Doubling the first length of the XOR, tried on the user's own tile; it is for 64 banks."""
    if banks_of(spec.machine) != _ROW_MUL_BANKS:
        return []
    found = []
    for banks, memory in xor_descriptors(spec):
        if same_memory(doubled(memory), memory):
            says = f"CK's descriptor for {banks} banks has the same offsets with its B-axis doubled"
            found.append(Wrong("row-mul", says))
    return found[-1:]


def doubled(memory: ck.TensorDescriptor) -> ck.TensorDescriptor:
    """RowMul = 2: the first length of every XOR, twice as long."""
    made = ck.TensorDescriptor(memory.lengths, memory.strides, memory.vector)
    for step in memory.steps:
        changed = tuple(_longer(t) for t in step.transforms)
        made = ck.transform(made, changed, step.low, step.up)
    return made


def _longer(transform: Transform) -> Transform:
    if transform.kind != "xor":
        return transform
    return Transform("xor", (2 * transform.lengths[0], transform.lengths[1]))


def wrong_about_globals(spec: TileQuestion, rows: Sequence[CoalesceRow]) -> list[Wrong]:
    """256-byte strides, and strides in elements."""
    found = []
    for row in rows:
        if row.pitch_bytes == 256 and row.sets is not None:
            says = f"{row.name}: rows 256 bytes apart reach {row.sets.of_rows} L1 sets, not one"
            found.append(Wrong("cache-set-stride", says))
    for access in spec.globals:
        row_bytes = next((r.pitch_bytes for r in rows if r.name == access.name), None)
        if access.swizzle_stride is None or row_bytes in (None, access.swizzle_stride):
            continue
        says = f"{access.name}: cacheSwizzleStride {access.swizzle_stride}, rows {row_bytes} bytes"
        found.append(Wrong("elements-against-bytes", says))
    return found


def _coalescing(rows: Sequence[CoalesceRow]) -> str:
    if not rows:
        return "not judged: the spec has no [[global]]"
    return "; ".join(
        f"{r.op} {r.name}: {r.instructions} x {r.width_bytes} bytes, {r.lines[1]} lines each, "
        f"{r.least} needed" + (", fully coalesced though narrow" * (r.coalesced and narrow(r)))
        for r in rows
    )


def narrow(row: CoalesceRow) -> bool:
    """Whether a lane moves less than 16 bytes at once."""
    return row.width_bytes < 16


def _first_rule(rows: Sequence[CoalesceRow]) -> str:
    return next((r.rule for r in rows if r.rule), "")


def _padding(options: Mapping[str, Option]) -> str:
    word, best = options.get(WORD), options.get("padding")
    return f"one word: {_one(word)}; the best padding: {_one(best)}"


def _narrowing(options: Mapping[str, Option]) -> str:
    """Whether a word of padding cost instructions."""
    word, plain = options.get(WORD), options.get("as is")
    grown = word is not None and plain is not None and word.instructions > plain.instructions
    return "padding-narrows" if grown else ""


def _one(option: Option | None) -> str:
    if option is None:
        return "not possible"
    return (
        f"{option.extra} extra, {option.instructions} instructions, {option.lds_bytes:,} bytes "
        f"({option.label})"
    )


def _row_mul(spec: TileQuestion) -> Thumb:
    says = "RowMul on gfx950: the XOR B-axis doubles."
    if banks_of(spec.machine) != _ROW_MUL_BANKS:
        return Thumb(4, says, f"not for {spec.machine.name}")
    found = []
    for banks, memory in xor_descriptors(spec):
        report = counted(with_memory(spec, memory, f"XOR descriptor for {banks} banks"))
        extra = sum(a.cost.extra for a in report.check.accesses)
        found.append(f"for {banks} banks {extra} extra")
    if not found:
        return Thumb(4, says, "CK's XOR descriptor does not fit this tile")
    here = f"RowMul changes nothing; the bank count does: {', '.join(found)}"
    return Thumb(4, says, here, "row-mul")


def _store(options: Mapping[str, Option]) -> str:
    wide, now = options.get("M-vector store"), options.get("as is")
    if wide is None or now is None or wide.store is None or now.store is None:
        return "not possible here"
    before, after = now.store, wide.store
    return (
        f"global stores {before.instructions} x {before.width_bytes} bytes -> "
        f"{after.instructions} x {after.width_bytes}, lines each {before.lines[1]} -> "
        f"{after.lines[1]}; LDS instructions {now.instructions} -> {wide.instructions}"
    )
