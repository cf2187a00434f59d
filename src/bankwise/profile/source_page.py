"""Nsight Compute's source page as CSV: what every instruction cost at its own address.

With ``--print-source sass`` a listing per launch, with ``cuda,sass`` one per launch and source
file, the instructions under their source line:

    "Kernel Name","transpose(...)",            "File Path","tiles.cu"
    "Address","Source",...                     "Function Name","transpose(...)"
    "0x7f38737a0360","LDS R11, [R16]",...      "Line No","Source","Address","Source",...
                                               "21","to[...] = tile[...];","-","-",...
                                               "","","0x7f38737a0360","LDS R11, [R16]",...

Two habits of Nsight Compute 2025.3.1, both in ``tests/data/profile``: every listing is printed
twice, and a quotation mark in a source line is not escaped, which shifts the cells of that line. So
equal neighbours are one launch, and only cells of instruction rows are read. Its column "L1
Conflicts Shared N-Way" is passes per instruction (32 for an 8-way 16-byte store): it is not used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from bankwise.errors import Location
from bankwise.profile.table import NumberedRow, cell, check_whole, column, need, whole
from bankwise.profile.values import CountedInstruction, Launch, Profile

_NAMED = ("kernel name", "function name")
_EXECUTED = ("Instructions Executed", "inst_executed")
_PASSES = ("L1 Wavefronts Shared", "memory_l1_wavefronts_shared")
_IDEAL = ("L1 Wavefronts Shared Ideal", "memory_l1_wavefronts_shared_ideal")
_SHARED = re.compile(r"^(?:@!?\w+\s+)?(?:LDS|STS|LDSM|STSM|ATOMS|LDGSTS|RED|LD|ST|ATOM)\b")


class _SourceListing(Struct):
    """One listing while it is read."""

    kernel: str
    paths: list[str] = field(default_factory=list)
    found: dict[int, CountedInstruction] = field(default_factory=dict)
    entered: int | None = None
    entry: int = 1 << 64
    line: int = 0


def is_source(cells: Sequence[str]) -> bool:
    """Whether a row opens a listing, or is the header of one."""
    opens = cells[0].casefold() in (*_NAMED, "file path") and len([c for c in cells if c]) == 2
    return opens or (cells[0] == "Address" and "Source" in cells)


def read_source(lines: Sequence[NumberedRow], file: str) -> Profile:
    """The rows from the first listing on."""
    listings: list[_SourceListing] = []
    path, header = "", NumberedRow(0, [])
    for line in lines:
        word = line.cells[0].casefold()
        if word == "file path":
            path = cell(line, 1)
        elif word in _NAMED:
            _open(listings, cell(line, 1), path)
        elif word in ("address", "line no"):
            header = line
            _check(header, file)
        elif header.cells:
            listings = listings or [_SourceListing("")]
            _row(listings[-1], header, line, file, path)
    launches = [
        Launch(x.kernel, str(n), instructions=tuple(x.found.values()), entered=x.entered)
        for n, x in enumerate(listings)
    ]
    return Profile(file, "Nsight Compute, source page", "nvidia", *_once(launches))


def _open(listings: list[_SourceListing], kernel: str, path: str) -> None:
    """A listing of another source file of the same launch goes on with it."""
    if listings and path and listings[-1].kernel == kernel and path not in listings[-1].paths:
        listings[-1].paths.append(path)
    else:
        listings.append(_SourceListing(kernel, [path]))


def _check(header: NumberedRow, file: str) -> None:
    for names in (_EXECUTED, _PASSES, _IDEAL):
        need(header, file, *names)


def _row(
    listing: _SourceListing, header: NumberedRow, line: NumberedRow, file: str, path: str
) -> None:
    at = header.cells.index("Address") if "Address" in header.cells else 0
    if at and re.fullmatch(r"\d{1,9}", line.cells[0]):
        listing.line = int(line.cells[0])
    address = cell(line, at)
    if not re.fullmatch(r"0x[0-9a-fA-F]{1,16}|\d{1,20}", address):
        return
    if len(line.cells) < len(header.cells):
        check_whole(header, line, file)
    where = int(address, 0 if address.startswith("0x") else 10)

    def count(names: tuple[str, ...]) -> int:
        text = cell(line, column(header.cells, *names))
        return whole(text, names[0], lambda: Location(file, line.number))

    executed = count(_EXECUTED)
    if where < listing.entry:
        listing.entry, listing.entered = where, executed
    text = cell(line, at + 1).strip()
    passes, ideal = count(_PASSES), count(_IDEAL)
    if where not in listing.found and _SHARED.match(text) and (passes or ideal):
        row = CountedInstruction(
            where, text, executed, passes, ideal, listing.line, path if at else ""
        )
        listing.found[where] = row


def _once(launches: list[Launch]) -> tuple[tuple[Launch, ...], tuple[str, ...]]:
    """Launches without their repetitions, and what to say about it."""
    kept: list[Launch] = []
    single = False
    for launch in launches:
        same = bool(kept) and replace(launch, number="") == replace(kept[-1], number="")
        if same and not single:
            single = True
            continue
        kept.append(launch)
        single = False
    dropped = len(launches) - len(kept)
    note = f"{dropped} listings that repeat the one before were left out"
    renumbered = (replace(launch, number=str(n)) for n, launch in enumerate(kept))
    return tuple(renumbered), (note,) if dropped else ()
