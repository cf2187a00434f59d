"""From attributes to encodings: what each one needs, and what of it is not read here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from bankwise.notation.linear import Bases, is_power_of_two
from bankwise.notation.reader import Cursor
from bankwise.notation.triton.encodings import (
    AmdMfma,
    Blocked,
    Distributed,
    DotOp,
    Encoding,
    LinearEncoding,
    NvidiaMma,
    NvmmaShared,
    PaddedShared,
    Shared,
    SharedLinear,
    SliceEncoding,
    SwizzledShared,
)
from bankwise.notation.triton.syntax import Attribute, FieldReader, attribute

WHAT = "triton encoding"
"""The name of the text in the locations of errors."""

_ONE_CTA = {"CTAsPerCGA": 1, "CTASplitNum": 1, "CGALayout": 0, "block": 0}
"""Fields about several CTAs, and the only number that says there is one."""

_CTA = (*_ONE_CTA, "CTAOrder")
_MFMA_SHAPES = ((32, 32), (16, 16), (4, 64), (64, 4))
_ALIAS = re.compile(r"^\s*#(\w+)\s*=\s*(#ttg\.(\w+).*?)\s*$", re.MULTILINE)


def parse(text: str, aliases: Mapping[str, Encoding] | None = None) -> Encoding:
    """Read one encoding; ``aliases`` gives ``#name`` a meaning (see :func:`parse_aliases`).

    Raises :class:`InputError` with line and column for anything else.
    """
    known = {name: _attribute_of(x) for name, x in (aliases or {}).items()}
    cursor = Cursor(text, WHAT)
    source = attribute(cursor, known)
    cursor.finish()
    return _encoding(source, cursor)


def parse_distributed(text: str) -> Distributed:
    """Read an encoding of registers (``blocked``, ``linear``, an mma, an operand, a slice)."""
    found = parse(text)
    if isinstance(found, Shared):
        raise Cursor(text, WHAT).error(
            "this is a shared-memory encoding", hint="a register layout is wanted here"
        )
    return found


def parse_shared(text: str) -> Shared:
    """Read an encoding of shared memory."""
    found = parse(text)
    if not isinstance(found, Shared):
        raise Cursor(text, WHAT).error(
            "this is an encoding of registers", hint="a shared-memory layout is wanted here"
        )
    return found


def parse_aliases(module: str) -> dict[str, Encoding]:
    """The encodings that a module's text names, ``#shared = #ttg.swizzled_shared<..>``.

    Encodings that are not read here (``amd_wmma``, several CTAs) are an error only where one is
    named; other attributes are passed over.
    """
    found: dict[str, Attribute] = {}
    out: dict[str, Encoding] = {}
    for line in _ALIAS.finditer(module):
        if line[3] not in _ENCODINGS:
            continue
        cursor = Cursor(_in_place(module, line.start(2)) + line[2], WHAT)
        found[line[1]] = attribute(cursor, found)
        cursor.finish()
        out[line[1]] = _encoding(found[line[1]], cursor)
    return out


def _in_place(module: str, position: int) -> str:
    """Blank text up to a character, so that errors name its place in the module."""
    line = module.rfind("\n", 0, position) + 1
    return "\n" * module.count("\n", 0, position) + " " * (position - line)


def _attribute_of(encoding: Encoding) -> Attribute:
    return _whole_attribute(str(encoding))


@lru_cache(maxsize=256)
def _whole_attribute(text: str) -> Attribute:
    """An attribute that names no other; every alias of a module knows those before it."""
    return attribute(Cursor(text, WHAT), {})


def _encoding(source: Attribute, cursor: Cursor) -> Encoding:
    read = FieldReader(source, cursor)
    build = _ENCODINGS.get(source.name)
    if build is None:
        raise read.error(
            f"the encoding {source.name!r} is not read here", hint=f"read: {', '.join(_ENCODINGS)}"
        )
    _one_cta(read)
    return build(read)


def _one_cta(read: FieldReader) -> None:
    """Several CTAs of a cluster are another matter: a trivial mention is passed over."""
    for key, one in _ONE_CTA.items():
        if read.has(key) and not _only(read.field(key).value, one):
            raise read.error(
                f"{key} spreads the tensor over several CTAs",
                read.field(key),
                "give the layout of one CTA: every CTA has its own shared memory",
            )


def _only(value: object, number: int) -> bool:
    """Whether a nested list holds nothing but this number."""
    if isinstance(value, tuple):
        return all(_only(part, number) for part in value)
    return value == number and not isinstance(value, bool)


def _blocked(read: FieldReader) -> Blocked:
    read.only("sizePerThread", "threadsPerWarp", "warpsPerCTA", "order", *_CTA)
    order = read.order("order")
    rank = len(order)
    return Blocked(
        read.sizes("sizePerThread", rank),
        read.sizes("threadsPerWarp", rank),
        read.sizes("warpsPerCTA", rank),
        order,
    )


def _nvidia_mma(read: FieldReader) -> NvidiaMma:
    read.only("versionMajor", "versionMinor", "warpsPerCTA", "instrShape", *_CTA)
    major = read.integer("versionMajor", lambda v: v in (2, 3), "2 (mma.sync) or 3 (wgmma)")
    warps = read.sizes("warpsPerCTA")
    minor = read.integer("versionMinor", lambda v: v < 10, "a number below 10")
    found = NvidiaMma(major, minor, warps, read.sizes("instrShape"))
    _matrix_rank(read, found.rank)
    shape = found.instr_shape
    tile = shape[:2] if major == 3 else shape[-2:]
    if len(shape) < 2 or (major == 3 and len(shape) != 3) or min(tile) < 8:
        raise read.error(
            f"instrShape = {list(shape)} is no tile of version {major}",
            read.field("instrShape"),
            "version 2: [16, 8]; version 3: [16, n, k]",
        )
    return found


def _amd_mfma(read: FieldReader) -> AmdMfma:
    fields = ("warpsPerCTA", "instrShape", "isTransposed", "tilesPerWarp", "elementBitWidth")
    read.only("version", "versionMajor", "versionMinor", *fields, *_CTA)
    # Before 3.5 Triton printed versionMajor and versionMinor; no rule depends on either.
    spelled = "versionMajor" if read.has("versionMajor") else "version"
    warps = read.sizes("warpsPerCTA")
    _matrix_rank(read, len(warps))
    tiles = read.sizes("tilesPerWarp", len(warps)) if read.has("tilesPerWarp") else ()
    wide = read.has("elementBitWidth")
    bits = read.integer("elementBitWidth", lambda v: v in (32, 64), "32 or 64") if wide else 32
    version = read.integer(spelled, lambda v: 1 <= v <= 4, "1 to 4")
    transposed = read.flag("isTransposed")
    shape = read.sizes("instrShape")
    if shape[:2] not in _MFMA_SHAPES or (bits == 64 and shape[:2] != (16, 16)):
        raise read.error(
            f"instrShape = {list(shape)} is no {bits}-bit matrix instruction",
            read.field("instrShape"),
            "[32, 32, k], [16, 16, k], [4, 64, k], [64, 4, k]; 64 bits: [16, 16, k]",
        )
    if shape[:2] == (64, 4) and not transposed:
        raise read.error("64x4 exists transposed only", read.field("instrShape"))
    plain = tiles if any(t > 1 for t in tiles) else ()
    return AmdMfma(version, warps, shape, transposed, plain, bits)


def _matrix_rank(read: FieldReader, rank: int) -> None:
    if rank < 2:
        raise read.error("a matrix layout has rank 2 or more", read.field("warpsPerCTA"))


def _dot_op(read: FieldReader) -> DotOp:
    read.only("opIdx", "parent", "kWidth")
    index = read.integer("opIdx", lambda v: v in (0, 1), "0 (A) or 1 (B)")
    parent = _parent(read)
    if not isinstance(parent, NvidiaMma | AmdMfma | Blocked):
        raise read.error(
            f"the operand of {read.source.name} needs an mma, or a blocked layout, as parent",
            read.field("parent"),
        )
    if isinstance(parent, Blocked):
        return DotOp(index, parent, 0)
    if isinstance(parent, NvidiaMma) and parent.version_major == 3 and index == 1:
        raise read.error("operand B of version 3 lies in shared memory", read.field("opIdx"))
    return DotOp(index, parent, read.power("kWidth"))


def _slice(read: FieldReader) -> SliceEncoding:
    read.only("dim", "parent")
    parent = _parent(read)
    if isinstance(parent, Shared):
        raise read.error("a slice of shared memory", read.field("parent"))
    if parent.rank < 2:
        raise read.error("a slice needs a parent of rank 2 or more", read.field("parent"))
    dim = read.integer("dim", lambda v: v < parent.rank, f"a dimension below {parent.rank}")
    return SliceEncoding(dim, parent)


def _parent(read: FieldReader) -> Encoding:
    field = read.field("parent")
    if not isinstance(field.value, Attribute):
        raise read.error(
            f"parent = {field.value} is no encoding", field, "parent = #ttg.blocked<..>"
        )
    return _encoding(field.value, read.cursor)


def _linear(read: FieldReader) -> LinearEncoding:
    generic = read.source.name == "generic_linear"
    read.only("register", "lane", "warp", "block")
    parts = [read.bases(key) for key in ("register", "lane", "warp")]
    bases = [basis for part in parts for basis in part]
    _same_rank(read, bases)
    if not generic and _mixes(bases):
        raise read.error("a basis of linear moves one dimension", hint="use generic_linear")
    return LinearEncoding(parts[0], parts[1], parts[2], generic)


def _same_rank(read: FieldReader, bases: list[tuple[int, ...]]) -> None:
    if len({len(basis) for basis in bases}) != 1:
        raise read.error(
            f"{read.source.name} needs bases, all of one rank",
            hint="bases look like [[0, 1], [0, 2], [1, 0]], lowest bit first",
        )


def _mixes(bases: Iterable[tuple[int, ...]]) -> bool:
    """Whether a basis moves more than one dimension."""
    return any(sum(step > 0 for step in basis) > 1 for basis in bases)


def _swizzled(read: FieldReader) -> SwizzledShared:
    read.only("vec", "perPhase", "maxPhase", "order", *_CTA)
    numbers = [read.power(key) for key in ("vec", "perPhase", "maxPhase")]
    rotating = read.source.name == "amd_rotating_shared"
    return SwizzledShared(numbers[0], numbers[1], numbers[2], read.order("order"), rotating)


def _padded(read: FieldReader) -> PaddedShared:
    read.only("order", "shape", "offset", *_CTA)
    if not read.source.paddings:
        raise read.error("padded_shared needs [interval:+pad, ..]", hint="[64:+4] {order = [1, 0]}")
    for interval, pad, at in read.source.paddings:
        if not is_power_of_two(interval) or not is_power_of_two(pad):
            raise read.cursor.error(f"{interval}:+{pad} is not of powers of two", token=at)
    pads = tuple(sorted((interval, pad) for interval, pad, _ in read.source.paddings))
    if len(dict(pads)) < len(pads):
        raise read.error("an interval is given twice")
    if read.has("offset"):
        offset = _offset(read)
        if _mixes(offset):
            raise read.error("a basis of padded_shared moves one dimension", read.field("offset"))
        return PaddedShared(pads, offset=offset)
    order = read.order("order")
    return PaddedShared(pads, order, read.sizes("shape", len(order)))


_MAX_RANK = 5
"""Dimensions of a TMA descriptor."""
_NOT_HERE = "other ranks of transposed tiles are not read here"


def _nvmma(read: FieldReader) -> NvmmaShared:
    read.only("swizzlingByteWidth", "transposed", "elementBitWidth", "fp4Padded", "rank", *_CTA)
    width = read.integer("swizzlingByteWidth", lambda v: v in (0, 32, 64, 128), "0, 32, 64 or 128")
    bits = read.integer("elementBitWidth", lambda v: v in (8, 16, 32, 64), "8, 16, 32 or 64")
    fp4 = read.flag("fp4Padded", default=False)
    if fp4 and (width, bits) != (128, 8):
        raise read.error("fp4Padded needs 128 bytes and 8 bits", read.field("fp4Padded"))
    rank = read.integer("rank", lambda v: 1 <= v <= _MAX_RANK, "1 to 5") if read.has("rank") else 2
    transposed = read.flag("transposed")
    if rank != 2 and transposed:
        raise read.error("a transposed tile of rank 2 is read", read.field("rank"), _NOT_HERE)
    return NvmmaShared(width, transposed, bits, fp4, rank)


def _shared_linear(read: FieldReader) -> SharedLinear:
    read.only("offset", "block", "alignment")
    alignment = read.power("alignment") if read.has("alignment") else 16
    return SharedLinear(_offset(read), alignment)


def _offset(read: FieldReader) -> Bases:
    bases = read.bases("offset")
    _same_rank(read, list(bases))
    return bases


_ENCODINGS: Mapping[str, Callable[[FieldReader], Encoding]] = {
    "blocked": _blocked,
    "slice": _slice,
    "dot_op": _dot_op,
    "nvidia_mma": _nvidia_mma,
    "amd_mfma": _amd_mfma,
    "linear": _linear,
    "generic_linear": _linear,
    "swizzled_shared": _swizzled,
    "amd_rotating_shared": _swizzled,
    "padded_shared": _padded,
    "nvmma_shared": _nvmma,
    "shared_linear": _shared_linear,
}
