"""Wave: index sequences, and the swizzle of gather-to-LDS tiles in both published versions."""

from bankwise.notation.wave.index import IndexMapping, Sequence, distribution, parse_index
from bankwise.notation.wave.swizzle import (
    MAX_PHASE,
    SwizzledTile,
    head,
    legality,
    parse_swizzle,
    wheel,
)

__all__ = [
    "MAX_PHASE",
    "IndexMapping",
    "Sequence",
    "SwizzledTile",
    "distribution",
    "head",
    "legality",
    "parse_index",
    "parse_swizzle",
    "wheel",
]
