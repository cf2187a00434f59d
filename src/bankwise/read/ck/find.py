"""Which functions of a header make layouts of LDS, and which say who stores and loads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from bankwise.errors import InputError, Location, Refusal
from bankwise.identity import ByIdentity
from bankwise.notation.ck.descriptor import TensorDescriptor
from bankwise.notation.ck.encoding import Encoding
from bankwise.read.ck.calls import call
from bankwise.read.ck.evaluate import HeaderEvaluation
from bankwise.read.ck.structure import inner, parameters_of
from bankwise.read.ck.templates import bound
from bankwise.read.ck.values import CxxBinding, CxxFrame, Structure, Unsaid
from bankwise.read.cxx.tree import Node

_MAKES = re.compile(
    r"make_naive_tensor_descriptor|transform_tensor_descriptor|tile_distribution_encoding"
    r"|make_static_tile_distribution|TileDistributionEncodingPattern2D|Descriptor<|Descriptor\("
    r"|StaticTileDistribution|TileDistribution<"
)
_LDS = re.compile(r"Lds|LDS|Smem|Shared(?!Mem\w*Size)|lds|smem")
_ELSEWHERE = re.compile(r"Dram|Gmem|Global|dram|gmem|global")
_OPERAND = re.compile(
    r"^(?:[Mm]ake|[Gg]et)_?(?:Shuffled)?(?P<operand>[A-Z][A-Za-z0-9]*?)??_?"
    r"(?:Lds|LDS|Smem|Shared|Dram|Gmem|Global|Reg|Block|Tile|Dist|2[Dd])"
)
_NUMBERS = ("index_t", "ck_tile::index_t", "int", "bool", "size_t", "void", "long_index_t")
_WRITES = re.compile(r"Write|Store|Shuffled|store|write")
_READS = re.compile(r"Read|Load|Reg|read|load")


class CkFunction(ByIdentity, frozen=True, eq=False):
    """A function that makes a descriptor or a distribution. ``node``: its definition; ``frame``:
    what its structure binds; ``value``: what it returns, or why that is not known;
    ``returned``: the ``return`` that does, and what is bound there."""

    name: str
    owner: Structure
    node: Node
    frame: CxxFrame
    location: Location
    value: TensorDescriptor | Encoding | Unsaid | Refusal
    returned: tuple[Node, CxxFrame] | None = None

    @property
    def operand(self) -> str:
        """Of what it is, by its name: A of MakeALdsBlockDescriptor; empty where none is named."""
        found = _OPERAND.match(self.name)
        return (found["operand"] or "") if found else ""

    @property
    def layout(self) -> bool:
        """Whether it makes, or would make, a layout of LDS."""
        named = _LDS.search(self.name) and not _ELSEWHERE.search(self.name)
        kind = isinstance(self.value, TensorDescriptor) or "Distr" not in self.name
        return bool(named) and kind and not isinstance(self.value, Encoding)

    @property
    def shuffled(self) -> bool:
        """Whether it is of the tile that was transposed in registers."""
        return "Shuffled" in self.name

    @property
    def transposed(self) -> bool:
        """Whether it is of an operand's transposed view: KT of MakeKTLdsReadBlockDescriptor."""
        return len(self.operand) > 1 and self.operand.endswith("T")

    @property
    def only(self) -> Literal["write", "read", ""]:
        """Whether its name says that it is for stores alone or for loads alone."""
        rest = self.name.removeprefix("Make").removeprefix("Get")
        if _WRITES.search(rest):
            return "write"
        return "read" if _READS.search(rest) else ""


def functions(run: HeaderEvaluation) -> tuple[CkFunction, ...]:
    """Everything in a header that makes descriptors and distributions, in the order of the text."""
    assert run.whole.owner is not None
    found = list(_below(run, run.whole.owner, run.whole))
    return tuple(sorted(found, key=lambda one: one.node.start_byte))


def _below(run: HeaderEvaluation, owner: Structure, frame: CxxFrame) -> Iterator[CkFunction]:
    for name, members in owner.members.items():
        for member in members:
            node = inner(member)
            if node.type != "function_definition" or not _MAKES.search(run.source.of(node)):
                continue
            if run.source.of(node.child_by_field_name("type") or node) in _NUMBERS:
                continue
            run.returned = None
            made = _made(run, CxxBinding(frame, owner, node, parameters_of(member)))
            if made is not None:
                place = run.source.place(node.start_byte)
                yield CkFunction(name, owner, node, frame, place, made, run.returned)
    for one in owner.inside:
        special = one.arguments is not None
        names = {} if special else bound(run, one.template, [], frame)
        yield from _below(run, one, CxxFrame(names, one, frame))


def _made(
    run: HeaderEvaluation, function: CxxBinding
) -> TensorDescriptor | Encoding | Unsaid | Refusal | None:
    """What a function makes; None where it makes something else."""
    try:
        value = call(run, function, [])
    except InputError as error:
        return Refusal(error.message, error.location)
    return value if isinstance(value, TensorDescriptor | Encoding | Unsaid) else None
