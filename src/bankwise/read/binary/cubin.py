"""Cubins: their kernels by the table of symbols, and the SASS of the ones that are wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from bankwise.errors import InputError, Location
from bankwise.read.binary.container import BinaryMember
from bankwise.read.sass.cubin import listing
from bankwise.read.sass.disassemble import disassembled
from bankwise.read.sass.facts import CubinFunction, Facts, from_cubin, functions
from bankwise.read.sass.parse import SassKernel, kernels


class Cubin(Struct, frozen=True):
    """An opened cubin. ``functions``: of its table of symbols; ``facts``: of its kernels."""

    file: str
    target: str
    data: bytes
    functions: Mapping[str, CubinFunction]
    facts: Mapping[str, Facts]

    @property
    def kernels(self) -> Mapping[str, Facts]:
        """The kernels, by name. A cubin without symbols has all of its functions as such."""
        marked = {name for name, one in self.functions.items() if one.kernel}
        return {n: facts for n, facts in self.facts.items() if n in marked or not self.functions}


def open_cubin(member: BinaryMember) -> Cubin:
    """Read a cubin, without its code."""
    data, file = bytes(member.content().data), str(member)
    target, found = functions(data, file)
    return Cubin(file, target, data, found, from_cubin(data, file))


def sass_kernels(cubin: Cubin, names: Sequence[str]) -> Mapping[str, SassKernel]:
    """Disassemble some kernels of a cubin, and the functions that they call."""
    whole = set(names) >= set(cubin.kernels) or not cubin.functions
    text = "" if whole else listing(cubin.data, cubin.file, cubin.functions, names)
    text = text or disassembled(cubin.data, cubin.file)
    found = {one.name: one for one in kernels(text, cubin.file, cubin.facts)}
    missing = next((name for name in names if name not in found), "")
    if missing:
        raise InputError(f"nvdisasm prints no {missing}", location=Location(cubin.file))
    return found
