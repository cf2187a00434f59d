"""The machines: what each GPU does with a shared-memory access, as data with evidence.

A machine is one TOML file in ``bankwise/hardware``, or in the folder that the environment variable
BANKWISE_MACHINES names. Its instruction rows say how many banks the
instruction sees and which lanes are served together (its *phases*); every row carries its source,
an evidence level and a confidence. Nothing here computes a conflict:
:mod:`bankwise.counting.conflict` does.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args

from msgspec import Struct

from bankwise.errors import InputError, Location
from bankwise.hardware import toolchain
from bankwise.hardware.folders import machine_files, shown_path
from bankwise.hardware.lanes import MOST_LANES, lanes
from bankwise.hardware.lanes import lane_text as lane_text
from bankwise.hardware.lanes import phases_text as phases_text
from bankwise.hardware.native import NATIVE, native
from bankwise.hardware.near import did_you_mean, near, plain, seen
from bankwise.hardware.toolchain import Toolchain, check_keys

Direction = Literal["read", "write"]
AccessKind = Literal[
    "plain", "dma", "transpose", "matrix", "atomic", "async", "operand", "bulk", "barrier"
]
"""What moves the data: an ordinary load or store; a direct-to-shared copy in lane order ("dma",
AMD); a transposing read (``ds_read_*_tr_*``); ldmatrix / stmatrix; an atomic; ``cp.async``; a
matrix instruction that reads its operand through a descriptor (wgmma, tcgen05); a bulk copy (TMA);
an operation on an mbarrier."""
Vendor = Literal["amd", "nvidia"]
Merge = Literal["none", "neighbours", "lines"]
"""What is served together beyond a phase, see :class:`Instruction`."""
Evidence = Literal["measured", "documented", "claimed", "inferred", "assumed", "unknown"]
"""How a rule is known, the surest first."""
UNITS: frozenset[AccessKind] = frozenset({"operand", "bulk", "barrier"})
"""Kinds whose places asynchronous units choose, not lanes: no layout of ours moves them."""
PIECEWISE: frozenset[AccessKind] = frozenset({"operand", "bulk"})
"""Those that touch whole core matrices, or whole runs of 16-byte pieces: wherever these lie, 128 of
their bytes lie on all banks once, so they conflict at no address."""
LEVELS: tuple[Evidence, ...] = get_args(Evidence)

_KEYS: tuple[str, ...] = (
    "name",
    "product",
    "also",
    "architecture",
    "vendor",
    "wave_size",
    "counter",
    "note",
)
_KEYS += ("machine_code", "elf_machine", "sources", "facts", "instruction", "iree", "triton")
_ROW_KEYS: tuple[str, ...] = (
    "names",
    "direction",
    "width_bytes",
    "addresses",
    "banks",
    "phases",
    "span",
    "merge",
    "serial",
    "by_source",
)
_ROW_KEYS += ("alignment_bytes", "source", "evidence", "confidence", "note", "alternative")

BANK_BYTES = 4
"""Width of one bank, of one word: 4 bytes on every machine known here."""


class Alternative(Struct, frozen=True):
    """One statement about an instruction that competes with the chosen one. ``served_as``: the row
    of the same machine whose banks and phases it would have, address by address; "" if none."""

    statement: str
    source: tuple[str, ...]
    evidence: Evidence
    confidence: float
    served_as: str = ""


class Instruction(Struct, frozen=True):
    """How one machine serves one shared-memory instruction of one wave.

    ``phases`` are the groups of lanes served together; ``span`` generates the phase of lane 0 over
    F2 (the others are its cosets); lanes in no phase supply no address. ``addresses`` is 2 for the
    two-address forms (read2, write2): the phases are run through once per address, and
    ``width_bytes`` is per address. ``merge`` is "neighbours" where loads whose lanes come in equal
    pairs merge neighbouring phases (NVIDIA); "lines" where a copy past the cache moves pieces of
    one line together (:mod:`bankwise.counting.lines`). ``serial``: lanes that want one word are
    served one after the other, as by an atomic. ``by_source``: a copy that takes more, up to a pass
    a lane, where its lanes do not read neighbouring places.
    """

    name: str
    machine: str
    wave_size: int
    direction: Direction
    width_bytes: int
    banks: int
    phases: tuple[tuple[int, ...], ...]
    span: tuple[int, ...]
    addresses: int = 1
    merge: Merge = "none"
    serial: bool = False
    by_source: bool = False
    alignment_bytes: int = 1
    source: tuple[str, ...] = ()
    evidence: Evidence = "unknown"
    confidence: float = 0.0
    note: str = ""
    alternatives: tuple[Alternative, ...] = ()

    def __str__(self) -> str:
        return self.name


class Fact(Struct, frozen=True):
    """A number of the machine beside the place it comes from."""

    value: float
    source: str
    evidence: Evidence

    def __int__(self) -> int:
        return int(self.value)


class Machine(Struct, frozen=True):
    """One GPU. ``facts`` holds what occupancy and cost need, by name (see hardware/README.md), of
    its ``product``; ``also``: what else is served by the same rules, as people call it;
    ``architecture``: what all such GPUs are called."""

    name: str
    product: str
    vendor: Vendor
    wave_size: int
    counter: str
    instructions: Mapping[str, Instruction]
    facts: Mapping[str, Fact]
    sources: Mapping[str, str]
    note: str = ""
    tools: Toolchain = Toolchain()
    also: tuple[str, ...] = ()
    architecture: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Machine(name={self.name!r}, product={self.product!r})"

    def instruction(self, name: str) -> Instruction:
        """The row of the instruction called ``name``; :class:`InputError` if there is none."""
        found = self.instructions.get(name)
        if found is None:
            alike = near(name, self.instructions, 0.5)
            raise InputError(
                f"{self.name} has no shared-memory instruction {name!r}",
                hint=did_you_mean(alike, f"bankwise machines {self.name}"),
            )
        return found

    def fact(self, name: str) -> Fact:
        """The fact called ``name``; KeyError if the machine file does not state it."""
        return self.facts[name]

    @property
    def lds_bytes(self) -> int:
        """Largest shared memory of one workgroup, in bytes."""
        return int(self.facts["lds_bytes_per_workgroup"])


def names() -> tuple[str, ...]:
    """The names of all machines, sorted: those of the package and the user's own.

    Raises :class:`InputError` if the user's folder cannot be used.
    """
    return tuple(sorted(machine_files()))


def canonical(said: str) -> str:
    """The name of the machine that somebody calls ``said``: MI300X, Hopper, sm_90a, hip:gfx942,
    gfx942:sramecc+:xnack-, or ``native`` for the GPU of this computer. A name that nobody knows
    stays as it is.

    Raises :class:`InputError` for a bad file of the user's, and where ``native`` finds no GPU.
    """
    if not said or said in machine_files():
        return said
    if said == NATIVE:
        return native()
    whole, bare = (plain(text) for text in (said, said.partition(":")[0]))
    for name in names():
        gpu = machine(name)
        if bare in map(plain, (name, *gpu.also)) or whole == plain(_as_triton(gpu)):
            return name
    found = _of_architecture(said)
    return found[0] if len(found) == 1 else said


def exact(said: str) -> str:
    """``said`` where it names a machine as compilers do whose own instructions, or those of its
    family, are wanted: sm_90a, sm_100f; else empty."""
    return said if said[-1:] in ("a", "f") and said[:-1] == canonical(said) else ""


def _of_architecture(said: str) -> list[str]:
    """The machines of an architecture: Hopper, CDNA3."""
    return [n for n in names() if plain(said) in map(plain, machine(n).architecture)]


def _as_triton(gpu: Machine) -> str:
    return gpu.tools.triton.target if gpu.tools.triton else ""


def machine(name: str) -> Machine:
    """The machine called ``name``, for example ``gfx942`` or ``sm_90``, or what :func:`canonical`
    takes for one.

    Raises :class:`InputError` for an unknown name, or a bad file of the user's.
    """
    files = machine_files()
    if name not in files:
        name = canonical(name)
    if name not in files:
        known = tuple(sorted(files))
        alike = _of_architecture(name) or _by_product(name, known) or _near_name(name, known)
        every = "known: " + ", ".join(_with_products(target) for target in known)
        hint = did_you_mean(alike, "bankwise machines", every)
        raise InputError(f"unknown target {name!r}" if name else "no target is named", hint=hint)
    return _read(name, shown_path(files[name]))


@cache
def _read(name: str, shown: str) -> Machine:
    try:
        text = machine_files()[name].read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", location=Location(shown)) from error
    found = parse(text, shown)
    if found.name != name:
        raise InputError(
            f"bad machine file: it is named after {name!r}, the machine in it {found.name!r}",
            location=Location(shown),
        )
    return found


def parse(text: str, file: str) -> Machine:
    """Read a machine file. ``file`` names it in errors."""
    try:
        data = tomllib.loads(text)
        check_keys(data, _KEYS, "the file")
        sources = dict(data.get("sources", {}))
        rows = {i.name: i for row in data["instruction"] for i in _instructions(row, data)}
        facts = {key: _fact(value) for key, value in data.get("facts", {}).items()}
        _check_sources(rows, facts, sources)
        _check_rivals(rows)
        return Machine(
            name=data["name"],
            product=data["product"],
            vendor=_one_of(Vendor, data["vendor"]),
            wave_size=_wave_size(data["wave_size"]),
            counter=data["counter"],
            instructions=rows,
            facts=facts,
            sources=sources,
            note=data.get("note", ""),
            also=_texts(data.get("also", []), "also"),
            architecture=_texts(data.get("architecture", []), "architecture"),
            tools=toolchain.parse(data, file),
        )
    except KeyError as error:
        raise InputError(
            f"bad machine file: {error} is missing", location=Location(file)
        ) from error
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(f"bad machine file: {error}", location=Location(file)) from error


def _wave_size(value: Any) -> int:
    if not isinstance(value, int) or not 0 < value <= MOST_LANES:
        raise ValueError(f"wave_size: {value!r} is no number of lanes up to {MOST_LANES}")
    return value


def _instructions(row: dict[str, Any], data: dict[str, Any]) -> list[Instruction]:
    check_keys(row, _ROW_KEYS, f"the row of {', '.join(row.get('names', ()))}")
    claims = tuple(_alternative(c) for c in row.get("alternative", ()))
    return [
        Instruction(
            name=name,
            machine=data["name"],
            wave_size=_wave_size(data["wave_size"]),
            direction=_one_of(Direction, row["direction"]),
            width_bytes=row["width_bytes"],
            banks=row["banks"],
            phases=tuple(lanes(str(text)) for text in row["phases"]),
            span=tuple(row["span"]),
            addresses=row.get("addresses", 1),
            merge=_one_of(Merge, row.get("merge", "none")),
            serial=_flag(row, "serial"),
            by_source=_flag(row, "by_source"),
            alignment_bytes=row.get("alignment_bytes", 1),
            source=tuple(row["source"]),
            evidence=_one_of(Evidence, row["evidence"]),
            confidence=float(row["confidence"]),
            note=row.get("note", ""),
            alternatives=claims,
        )
        for name in row["names"]
    ]


def _alternative(value: dict[str, Any]) -> Alternative:
    evidence = _one_of(Evidence, value["evidence"])
    return Alternative(
        *(value["statement"], tuple(value["source"]), evidence, float(value["confidence"])),
        served_as=str(value.get("served_as", "")),
    )


def _fact(value: dict[str, Any]) -> Fact:
    return Fact(value["value"], value["source"], _one_of(Evidence, value["evidence"]))


def _one_of(words: Any, value: Any) -> Any:
    """``value`` if the ``Literal`` type ``words`` has it."""
    if value not in get_args(words):
        raise ValueError(f"{value!r} is none of {', '.join(get_args(words))}")
    return value


def _texts(value: Any, key: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise ValueError(f"{key}: {value!r} is not a list of texts")
    return tuple(value)


def _flag(row: Mapping[str, Any], key: str) -> bool:
    value = row.get(key, False)
    if not isinstance(value, bool):
        raise ValueError(f"{key}: {value!r} is neither true nor false")
    return value


def _check_sources(
    rows: Mapping[str, Instruction], facts: Mapping[str, Fact], sources: Mapping[str, str]
) -> None:
    cited = [(row.name, s) for row in rows.values() for s in row.source]
    cited += [(r.name, s) for r in rows.values() for claim in r.alternatives for s in claim.source]
    cited += [(name, fact.source) for name, fact in facts.items()]
    for name, source in cited:
        if source not in sources:
            raise ValueError(f"{name}: source {source!r} is not listed in [sources]")


def _check_rivals(rows: Mapping[str, Instruction]) -> None:
    for row, other in ((r, c.served_as) for r in rows.values() for c in r.alternatives):
        if other and (other not in rows or rows[other].width_bytes != row.width_bytes):
            raise ValueError(
                f"{row.name}: served_as {other!r} is no row of {row.width_bytes} bytes"
            )


def _by_product(name: str, known: tuple[str, ...]) -> list[str]:
    """The targets whose product is called ``name``: people say MI300 and mean gfx942."""
    if len(name) < 3:
        return []
    return [target for target in known if name.casefold() in machine(target).product.casefold()]


def _with_products(target: str) -> str:
    also = machine(target).also
    return f"{target} ({', '.join(also)})" if also else target


def _near_name(name: str, known: tuple[str, ...]) -> list[str]:
    """Targets and products that are spelled much like ``name``."""
    spelled = {seen(one): one for target in known for one in (*machine(target).also, target)}
    return [spelled[one] for one in near(seen(name), spelled, 0.6)]
