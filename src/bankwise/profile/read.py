"""Any profile export: which one it is shows in its header, wherever in the file that stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from bankwise.errors import InputError, Location
from bankwise.files import read_bytes, read_text
from bankwise.profile import nsight, rocprof, source_page
from bankwise.profile.table import NumberedRow, lines_of, named
from bankwise.profile.values import Profile

_READERS: tuple[
    tuple[Callable[[Sequence[str]], bool], Callable[[Sequence[NumberedRow], str], Profile]], ...
] = (
    (source_page.is_source, source_page.read_source),
    (nsight.is_details, nsight.read_details),
    (nsight.is_raw, nsight.read_raw),
    (rocprof.is_rocprof, rocprof.read_rocprof),
)
_HINT = (
    "readable are the CSV of `ncu --csv` (--page details, raw or source) and of rocprof, "
    "rocprofv2, rocprofv3 and rocprof-compute"
)


def profile_file(path: str | Path) -> Path:
    """The export that is meant: of a workload's folder of rocprof-compute its counters.
    :class:`InputError` for a folder that has several, and for a file that is not there."""
    if str(path) != "-" and not Path(path).exists():
        _refuse_missing(path)
    found = sorted(Path(path).rglob(rocprof.COMPUTE)) if Path(path).is_dir() else []
    if len(found) > 1:
        message = f"this folder has {len(found)} files {rocprof.COMPUTE}"
        raise InputError(message, location=Location(str(path)), hint="name one of them")
    return found[0] if found else Path(path)


def _refuse_missing(path: str | Path) -> None:
    try:
        read_bytes(path)
    except InputError as error:
        hint = error.hint or f"a profile is wanted: {_HINT} (docs/profile.md)"
        raise InputError(error.message, location=error.location, hint=hint) from error


def read_profile(path: str | Path) -> Profile:
    """Read a profile export. :class:`InputError` if the file is none, or has no launch."""
    return parse_profile(read_text(path), str(path))


def parse_profile(text: str, file: str = "<text>") -> Profile:
    """As :func:`read_profile`, from its text. ``file`` names it in errors."""
    lines = lines_of(text.removeprefix("\ufeff"), file)
    for at, line in enumerate(lines):
        for belongs, read in _READERS:
            if belongs(line.cells):
                found = read(lines[at:], file)
                if found.launches:
                    return found
                cut = ", for the file ends in the middle of a cell" if lines[-1].open else ""
                message = f"{found.tool}: a header, and no launch{cut}"
                raise InputError(message, location=Location(file, line.number))
    seen = named(lines[0].cells) if lines else "nothing"
    message = f"no profile export: its first row has {seen}"
    raise InputError(message, location=Location(file), hint=_HINT)
