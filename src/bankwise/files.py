"""Reading and writing the user's files: whole texts, clear errors, nothing half-written."""

from __future__ import annotations

import os
import stat
import sys
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from bankwise.errors import InputError, Location

_HEAD = 1 << 16
_MOST_BYTES = 1 << 30
"""More than any text or cubin that is read here; a stream without an end is not read for ever."""


def nearby(path: str | Path) -> str:
    """A path as it is named from the working folder if it lies below it, else as it is."""
    below = os.path.relpath(path)
    return str(path) if below.split(os.sep, 1)[0] == os.pardir else below


def read_text(path: str | Path) -> str:
    """The text of a file, exactly (line ends kept); :class:`InputError` if it has none."""
    where = Location(str(path))
    data = unterminated(read_bytes(path))
    if data.startswith(b"ML\xefR"):
        hint = "print it as text: iree-opt FILE --mlir-print-local-scope -o FILE.mlir"
        raise InputError("this is MLIR bytecode, text is needed", location=where, hint=hint)
    if b"\0" in data:
        raise InputError("this is a binary file, text is needed", location=where)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        place = Location(str(path), data.count(b"\n", 0, error.start) + 1)
        message = f"not UTF-8 text: byte 0x{data[error.start]:02x}"
        raise InputError(message, location=place) from error
    if not text.strip():
        raise InputError("the file is empty", location=where)
    return text


def unterminated(data: bytes) -> bytes:
    """A text as it is without the zero that C ends it with: who writes PTX from the buffer of
    ``nvrtcGetPTX`` often writes that, too (NVRTC documentation: its size includes it)."""
    return data.removesuffix(b"\0")


def read_bytes(path: str | Path) -> bytes:
    """The content of a regular file or a pipe; :class:`InputError` for anything else.

    ``-`` is standard input. What came through a pipe is kept: it comes only once.
    """
    where = Location(str(path))
    try:
        found = os.fstat(sys.stdin.fileno()) if str(path) == "-" else os.stat(path)
        if stat.S_ISFIFO(found.st_mode) or str(path) == "-":
            data = _piped(str(path), found.st_ino)
        elif stat.S_ISREG(found.st_mode):
            data = _content(path)
        else:
            message = f"this is {_kind(found.st_mode)}, a file is needed"
            raise InputError(message, location=where)
    except FileNotFoundError as error:
        hint = _meant(Path(path))
        raise InputError("no such file", location=where, hint=hint) from error
    except (OSError, ValueError) as error:
        message = f"cannot be read: {_reason(error)}"
        raise InputError(message, location=where) from error
    if len(data) > _MOST_BYTES:
        raise InputError(f"more than {_MOST_BYTES:,} bytes are not read", location=where)
    return data


def _meant(missing: Path) -> str:
    """The file beside one that is not there whose name is nearest, as a question; of a link, where
    it leads."""
    try:
        if missing.is_symlink():
            return f"it is a link to {os.readlink(missing)}, which is not there"
        beside = os.listdir(missing.parent)
    except OSError:
        return ""
    near = get_close_matches(missing.name, beside, 1, cutoff=0.8)
    return f"did you mean {missing.with_name(near[0])}?" if near else ""


def head_of_binary(path: str | Path) -> bytes:
    """The first bytes of a large regular file that has no text: enough to tell what it is. Empty
    for any other file, and for one that cannot be read."""
    try:
        if str(path) == "-" or not stat.S_ISREG(os.stat(path).st_mode):
            return b""
        with open(path, "rb") as file:
            data = file.read(_HEAD)
    except (OSError, ValueError):
        return b""
    return data if len(data) == _HEAD and b"\0" in data[:64] else b""


@lru_cache(maxsize=8)
def _piped(path: str, inode: int) -> bytes:
    return sys.stdin.buffer.read(_MOST_BYTES + 1) if path == "-" else _content(path)


def _content(path: str | Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(_MOST_BYTES + 1)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write ``content`` to ``path`` whole or not at all; InputError if it cannot be written.

    A link is followed. A read-only file is not replaced, whatever its folder allows, nor is
    anything that is no regular file: a device, a pipe, a socket or a folder.
    """
    import tempfile

    data = content.encode("utf-8") if isinstance(content, str) else content
    check_writable(path)
    try:
        place = Path(os.path.realpath(path))
        mode = place.stat().st_mode & 0o777 if place.exists() else None
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".bankwise-") as folder:
            temporary = Path(folder) / place.name
            temporary.write_bytes(data)
            if mode is not None:
                temporary.chmod(mode)
            temporary.replace(place)
    except OSError as error:
        message = f"cannot be written: {_reason(error)}"
        raise InputError(message, location=Location(str(path))) from error


def check_writable(path: Path) -> None:
    """InputError if writing ``path`` would replace what is no regular file, or is read-only."""
    where = Location(str(path))
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be written: {_reason(error)}", location=where) from error
    if not stat.S_ISREG(mode):
        message = f"cannot be written: this is {_kind(mode)}, only regular files are replaced"
        raise InputError(message, location=where)
    if not (mode & 0o222 and os.access(path, os.W_OK)):
        raise InputError("cannot be written: it is read-only", location=where)


def check_placed(path: Path) -> None:
    """As :func:`check_writable`; also for a file in a folder that is not there, and that nobody is
    going to make."""
    check_writable(path)
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        message = f"cannot be written: there is no folder {nearby(folder)}"
        hint = f"mkdir -p {nearby(folder)}"
        raise InputError(message, location=Location(str(path)), hint=hint)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it; :class:`InputError` if that is not possible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"cannot make this folder: {_reason(error)}"
        raise InputError(message, location=Location(str(folder))) from error


def _kind(mode: int) -> str:
    """What a file that is not regular is, in words."""
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISFIFO(mode):
        return "a pipe"
    return "a socket" if stat.S_ISSOCK(mode) else "a device"


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error)
