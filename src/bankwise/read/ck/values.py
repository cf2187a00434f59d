"""What an expression of a header may mean, and what the user says of what it leaves open."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.identity import ByIdentity
from bankwise.notation.ck.encoding import Encoding
from bankwise.read.cxx.tree import Node

_TYPES = {
    1: "char int8_t uint8_t fp8_t bf8_t fp8 bf8 f8_t bool",
    2: "half_t fp16_t half fp16 _Float16 bf16_t bhalf_t bf16 ushort int16_t uint16_t short __bf16",
    4: "float fp32_t float32_t int int32_t uint32_t index_t unsigned",
    8: "double fp64_t int64_t uint64_t long_index_t size_t",
}
SIZES: Mapping[str, int] = {name: size for size, names in _TYPES.items() for name in names.split()}
"""Bytes of the types that CK and C++ name."""

Anything = Any
"""int, tuple, Transform, TensorDescriptor, Encoding, TypeWord, Unsaid, a structure or function."""


class TypeWord(Struct, frozen=True):
    """A type, a layout or an enumerator that is only compared, by its last name."""

    name: str


class Unsaid(Struct, frozen=True):
    """What the header leaves open. ``path``: how it names it; empty for what is computed of
    ``names`` that nobody says."""

    names: frozenset[str]
    path: str = ""


def unsaid(path: str) -> Unsaid:
    """A name that is left open; a template is said by its name."""
    return Unsaid(frozenset([path.replace("<>", "")]), path)


def open_names(values: Iterable[Anything]) -> frozenset[str]:
    """What of some values nobody says, also inside tuples."""
    found: frozenset[str] = frozenset()
    for value in values:
        if isinstance(value, Unsaid):
            found |= value.names
        elif isinstance(value, tuple):
            found |= open_names(value)
    return found


class Structure(ByIdentity, frozen=True, eq=False):
    """A ``struct`` or namespace. ``members``: declarations by name, in the order of the text;
    ``node``: its own, None for the file; ``template``: its parameters; ``arguments``: which
    specialisation it is; ``bases``: the nodes of what it derives from; ``inside``: structures."""

    name: str
    node: Node | None
    members: dict[str, list[Node]]
    outer: Structure | None = None
    template: Node | None = None
    arguments: Node | None = None
    bases: tuple[Node, ...] = ()
    inside: list[Structure] = field(default_factory=list)


class CxxFrame(Struct, eq=False):
    """Where names are looked up: those bound here, then members of ``owner``, then ``outer``."""

    names: dict[str, Anything] = field(default_factory=dict)
    owner: Structure | None = None
    outer: CxxFrame | None = None


class CxxBinding(ByIdentity, frozen=True, eq=False):
    """A structure or a function with what its surroundings bind. ``node``: of a function."""

    frame: CxxFrame
    owner: Structure | None = None
    node: Node | None = None
    template: Node | None = None


class Later(Struct, frozen=True):
    """An initialiser that is evaluated when somebody needs it."""

    node: Node
    frame: CxxFrame
    name: str


def plain(path: str) -> str:
    """A path as people name it: without namespaces of CK and trailing underscores."""
    parts = [part for part in path.split("::") if part not in ("ck_tile", "ck", "std", "")]
    return "::".join(part.rstrip("_") for part in parts)


class SaidNames(Struct, frozen=True):
    """The user's answers. ``used``: by answer, the names of the header that it was taken for;
    ``asked``: the names that the header left open, answered or not."""

    values: Mapping[str, Anything]
    machine: Machine
    used: dict[str, set[str]] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def find(self, path: str) -> Anything | None:
        """The answer for a path: its own, or the longest end of it that was said."""
        path = plain(path).replace("<>", "")
        self.asked.add(path)
        parts = path.split("::")
        for start in range(len(parts)):
            key = "::".join(parts[start:])
            if key in self.values:
                self.used.setdefault(key, set()).add(path)
                return self.values[key]
        return self._of_warp_gemm(parts)

    def said_of(self, *names: str) -> Anything | None:
        """The first answer to one of some names, which is not taken for one of the header."""
        self.asked.update(names)
        return next((self.values[name] for name in names if name in self.values), None)

    def _of_warp_gemm(self, parts: list[str]) -> Anything | None:
        """What the tile of a warp GEMM decides: lanes and elements of an MFMA operand.

        ck_tile/ops/gemm/warp/warp_gemm_attribute_mfma.hpp: lane = k_lane * rows + row, and each
        lane holds the kK / k_lanes elements of k behind each other.
        """
        last, side = parts[-1], "kN" if parts[-1].startswith(("B", "kB")) else "kM"
        known = ("kABKLane", "kAMLane", "kBNLane", "AWarpDstrEncoding", "BWarpDstrEncoding")
        if len(parts) < 2 or last not in known:
            return None
        end = parts.index("WarpGemmAttribute") if "WarpGemmAttribute" in parts else -1
        prefix = "::".join(parts[:end])
        rows = self.find(f"{prefix}::{side}")
        depth = self.find(f"{prefix}::kK") if last.endswith("Encoding") else 0
        if not isinstance(rows, int) or not isinstance(depth, int):
            missing = [n for n, v in ((side, rows), ("kK", depth)) if not isinstance(v, int)]
            return Unsaid(frozenset(f"{prefix}::{name}" for name in missing))
        if not last.endswith("Encoding"):
            return self.machine.wave_size // rows if last == "kABKLane" else rows
        return operand(rows, depth, self.machine.wave_size)

    def ambiguous(self) -> tuple[str, tuple[str, ...]] | None:
        """An answer that was taken for names that differ, with these."""
        for key, paths in self.used.items():
            if len({path.split("::")[-2:][0] for path in paths}) > 1:
                return key, tuple(sorted(paths))
        return None


def operand(rows: int, depth: int, lanes: int) -> Encoding:
    """The encoding of an MFMA operand of ``rows`` x ``depth``."""
    if rows < 1 or lanes % rows or depth % (lanes // rows):
        raise InputError(f"a matrix instruction with operands of {rows} x {depth}")
    apart = lanes // rows
    return Encoding((), ((rows,), (apart, depth // apart)), ((2, 1),), ((0, 0),), (2,), (1,))


def read_said(texts: Iterable[str]) -> dict[str, Anything]:
    """Read ``NAME=VALUE`` texts: numbers, several with commas, and names of types and layouts.

    Raises :class:`InputError` for a text that is none.
    """
    found: dict[str, Anything] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        name = plain(name.removeprefix("sizeof(").removesuffix(")") if "sizeof" in name else name)
        if not (name and equals and value):
            hint = "for example --dim kM=128, or --dim ADataType=half_t"
            raise InputError(f"--dim {text!r} is not NAME=VALUE", hint=hint)
        wanted = _said(name, value, text)
        if found.get(name, wanted) != wanted:
            hint = "say it once; names of several structures by more of their ends: Gemm::kM=64"
            raise InputError(f"--dim {text!r}: {name} was said before, otherwise", hint=hint)
        found[name] = wanted
    return found


_SIZE = re.compile(r"k[MNK]\d?(?:Per(?:Block|Tile))?|kBlockSize")
"""Names of sizes in every header of CK."""
_TRIPLE = re.compile(r"(?:Gemm[01])?(?:WarpTile|BlockWarps)")


def _said(name: str, value: str, text: str) -> Anything:
    last = name.split("::")[-1]
    numbers = re.fullmatch(r"[0-9]{1,18}(,[0-9]{1,18})*", value)
    found = tuple(map(int, value.split(","))) if numbers else ()
    wanted = 1 if _SIZE.fullmatch(last) else 3 if _TRIPLE.fullmatch(last) else 0
    if wanted and (len(found) != wanted or 0 in found):
        what = "three whole numbers" if wanted == 3 else "one whole number"
        hint = f"for example --dim {name}={'32,32,16' if wanted == 3 else 64}"
        raise InputError(f"--dim {text!r}: {what} of 1 and more expected", hint=hint)
    if found:
        return found if "," in value else found[0]
    if value in ("true", "false"):
        return int(value == "true")
    if re.fullmatch(r"[A-Za-z_][\w:]*", value):
        return TypeWord(value.split("::")[-1])
    raise InputError(f"--dim {text!r}: {value!r} is no number and no name of a type")
