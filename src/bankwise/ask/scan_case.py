"""One case of a scan: a kernel of machine code, or a text whose kernels are read together.

It holds all that another process needs, the parsed kernel above all: no worker reads or
disassembles a file again for the sake of one kernel. Its key is a digest of all that decides the
answer, so that a kernel that stands in five libraries is answered once.
"""

from __future__ import annotations

import hashlib
import pickle
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.check_assembly import asked, counted_kernel, named_openers
from bankwise.counting.counted import AccessReport
from bankwise.errors import InputError, Location, Refusal
from bankwise.hardware.folders import machine_files
from bankwise.hardware.machine import machine
from bankwise.read.assembly import AssemblyKernel, Opener
from bankwise.read.follow.decoded import Decoded
from bankwise.read.follow.dialect import CodeKernel, Dialect
from bankwise.read.follow.driver import UNSAID, check_kernel
from bankwise.read.launch.facts import KernelLaunch, Launches
from bankwise.read.options import Options
from bankwise.read.recognise import asker, load
from bankwise.show.scanning import OpenReason, ScannedKernel
from bankwise.show.values import KernelReport
from bankwise.show.words import several, still_open

COLUMNS = ("file", "kernel", "target")
"""Of a case, in a store."""
_PLACES = ("line", "source", "places", "file")
"""Fields that say where something stands, not what it is."""
_LABEL = re.compile(r"^[\w.$]+(?: at 0x[0-9a-f]+)?: ")
"""What stands before a reason: which instruction it is of."""
_PLACE = re.compile(r"(?<=\w) at 0x[0-9a-f]+(?=: )")
"""Where a place is at which control flow is lost; the instruction tells what it is."""
_NUMBER = re.compile(r" \(line \d+\)|\b(lines?) [\d, ]*\d|\bat 0x[0-9a-f]+")


class ScanCase(Struct, frozen=True):
    """One kernel to answer, or the kernels of a whole text.

    ``kernel``: its name, "" for those of a whole text; ``reader``: the dialect of its code, "" for
    a text that its own verb reads. ``content``: of machine code the parsed kernel and its
    instructions' addresses by line, packed; ``digest``: of the code and what the file says about
    it, whatever its name and place are. ``launches``: what is said of how kernels are launched.
    ``refused``: why a kernel cannot be read, "" if it can. ``member``: the end of ``file``, where
    in a library it stands.
    """

    file: str
    kernel: str
    target: str
    reader: str
    content: bytes
    digest: str
    options: Options
    launches: Launches = UNSAID
    refused: str = ""
    member: str = ""

    @property
    def place(self) -> Location:
        """Its file, and where in it."""
        return Location(self.file.removesuffix(self.member), inside=self.member)

    @property
    def key(self) -> str:
        """What decides the answer: code, facts, rules of the machine, version of bankwise."""
        asked_for = replace(self.options, kernel="" if self.reader else self.options.kernel)
        said = f"{asked_for}{self.launches}"
        parts = (self.digest, self.target, said, _rules(self.target), _version())
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]

    @property
    def columns(self) -> Mapping[str, str]:
        """What a person selects cases by."""
        return dict(zip(COLUMNS, (self.file, self.kernel, self.target), strict=True))


@cache
def _rules(target: str) -> str:
    found = machine_files().get(target)
    return hashlib.sha256(found.read_bytes()).hexdigest() if found else ""


@cache
def _version() -> str:
    return version("bankwise")


def case_of_kernel(
    file: str,
    kernel: CodeKernel,
    gpu: str,
    dialect: Dialect[Any, Any],
    options: Options,
    member: str = "",
) -> ScanCase:
    """A kernel of machine code that is parsed already."""
    reader = f"read.{dialect.name}.dialect:{dialect.name.upper()}"
    launches = launches_said(options, Path(file))
    address = ((i.line, dialect.address(i)) for i in dialect.instructions(kernel))
    packed = zlib.compress(pickle.dumps((kernel, dict(address))), 1)
    code = repr([(one, _content(getattr(kernel, one))) for one in _said(kernel, "name")])
    nameless = code.replace(repr(kernel.name), "''")
    digest = hashlib.sha256(f"{reader}\0{nameless}".encode()).hexdigest()
    facts = (reader, packed, digest, options, launches)
    return ScanCase(file, kernel.name, gpu, *facts, member=member)


def case_of_refused(
    place: Location, kernel: str, gpu: str, options: Options, error: InputError
) -> ScanCase:
    """A kernel that cannot be read: a line of the answer, and none of its neighbours' business."""
    why = str(error).removeprefix(f"{error.location}: ")
    digest = hashlib.sha256(f"{place}\0{kernel}\0{why}".encode()).hexdigest()
    inside = place.inside
    return ScanCase(str(place), kernel, gpu, "", b"", digest, options, refused=why, member=inside)


@lru_cache(maxsize=1)
def launches_said(options: Options, path: Path | None = None) -> Launches:
    """How kernels of a file are launched, as far as the user and its neighbours say; each takes
    what concerns it."""
    words = asked(options, path)
    size, args = words["workgroup_size"], words["args"]
    plain = KernelLaunch(block=size, arguments=args, said="as --workgroup-size says")
    launches: Launches = words["launches"]
    return replace(launches, plain=plain)


def _said(value: Any, *besides: str) -> list[str]:
    return [name for name in value.__struct_fields__ if name not in (*_PLACES, *besides)]


def _content(value: Any) -> Any:
    """What a value says, without the places where it is said."""
    if isinstance(value, Location):
        return ()
    if isinstance(value, Struct):
        return tuple(_content(getattr(value, name)) for name in _said(value))
    if isinstance(value, Mapping):
        return tuple((key, _content(one)) for key, one in value.items())
    if isinstance(value, tuple | list):
        return tuple(map(_content, value))
    return value


def answer(case: ScanCase) -> list[dict[str, Any]]:
    """The kernels of a case that use shared memory, as rows; none for a kernel without."""
    if case.refused:
        raise InputError(case.refused)
    found = _code(case) if case.reader else _text(case)
    return [one.as_row() for one in found]


def followed_case(case: ScanCase) -> AssemblyKernel | None:
    """The kernel of a case, followed; None if it does not touch shared memory.

    Its places are lines of what was read, in no file. Raises :class:`bankwise.errors.InputError`
    where it cannot be followed at all.
    """
    kernel, addresses = pickle.loads(zlib.decompress(case.content))
    dialect: Dialect[Any, Any] = load(case.reader)

    def decode(kernel: Any) -> Decoded:
        found: Decoded = dialect.decode(kernel)
        if not found.touches and not found.refusals:
            raise _Untouched
        return found

    known = replace(dialect, decode=decode, address=lambda one: addresses[one.line])
    try:
        return check_kernel(known, kernel, case.file, case.target, _place, case.launches)
    except _Untouched:
        return None


class _Untouched(Exception):  # noqa: N818
    """A kernel does not touch shared memory, so nothing of it need be followed."""


def _code(case: ScanCase) -> Iterable[ScannedKernel]:
    found = followed_case(case)
    if found is None:
        return
    report = counted_kernel(found, machine(case.target))
    sources = {a.access.location: a.source for a in found.accesses}
    report = replace(report, openers=named_openers(report.openers, Path(case.file)))
    yield scanned(report, case.file, report.refusals, sources)


def _place(instruction: Any) -> Location:
    """The line of the text that was read, in which no two instructions share one."""
    return Location("", instruction.line)


def _text(case: ScanCase) -> Iterable[ScannedKernel]:
    report = asker(case.file, "check")(Path(case.file), case.options)
    for kernel in report.kernels:
        refusals = report.refused(kernel)
        if kernel.accesses or refusals:
            yield scanned(kernel, case.file, refusals)


def scanned(
    kernel: KernelReport,
    file: str,
    refusals: Iterable[Refusal],
    sources: Mapping[Location, Location | None] | None = None,
) -> ScannedKernel:
    """A counted kernel in one line. ``sources``: where in its source an access stands."""
    counted, added = {a.location for a in kernel.accesses}, kernel.added
    every = tuple(refusals)
    refused = {r.location: r for r in every if r.access}
    lost = {r.location: r for r in every if not r.access}
    wasting = (a for a in kernel.accesses if a.run.extra)
    worst = max(wasting, key=lambda a: (a.run.extra, a.ways), default=None)
    place = None if worst is None else (sources or {}).get(worst.location) or worst.location
    open_ = refused.keys() - counted
    return ScannedKernel(
        name=kernel.name,
        file=file,
        target=kernel.target,
        threads=kernel.workgroup_size,
        lds_bytes=kernel.lds_bytes,
        accesses=len(counted | refused.keys()),
        answered=len(counted - refused.keys()),
        passes=sum(a.run.passes for a in kernel.accesses),
        ideal=sum(a.run.ideal for a in kernel.accesses),
        wasted=sum(a.run.extra for a in kernel.accesses),
        low=added.bound.low,
        high=None if open_ or lost else added.bound.high,
        assumed=0 if added.assumed is None else added.assumed.extra,
        conflict=kernel.conflict,
        ways=max((a.ways for a in kernel.accesses), default=1),
        worst="" if worst is None else _worst(worst),
        why="" if worst is None or worst.reason is None else str(worst.reason),
        source="" if place is None else place.file,
        line=place.line if worst is not None and place is not None and _shown(worst, place) else 0,
        left=still_open(kernel, 0),
        notes=kernel.notes,
        reasons=_reasons((*refused.values(), *lost.values())),
        openers=tuple(map(_opener, kernel.openers)),
    )


def _opener(one: Opener) -> str:
    """What giving some facts was seen to answer."""
    counts = f"counts the executions of {one.counts}" if one.counts else ""
    opens = f"opens {several(one.opens, 'access')}" if one.opens else ""
    return f"{one.option} {' and '.join(filter(None, (opens, counts)))}"


def _worst(access: AccessReport) -> str:
    at = "" if access.address is None else f" at 0x{access.address:04x}"
    return f"{access.called}{at}: {access.ways}-way"


def _shown(access: AccessReport, place: Location) -> bool:
    """Whether the user has the file in which that line is: not what a disassembler printed."""
    return bool(place.file) or access.address is None


def _reasons(refusals: Iterable[Refusal]) -> tuple[OpenReason, ...]:
    """Each reason once, with how many accesses it leaves open; places in it do not tell apart."""
    found: Counter[str] = Counter()
    for one in refusals:
        label = _LABEL if one.access else _PLACE
        found[_NUMBER.sub(_without_number, label.sub("", one.reason))] += one.access
    return tuple(OpenReason(*one) for one in found.most_common())


def _without_number(found: re.Match[str]) -> str:
    return "" if found[0].startswith(" (") else f"{found[1]} .." if found[1] else "at .."
