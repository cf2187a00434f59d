"""Reading and writing the user's files: whole texts, clear errors, nothing half-written."""

from __future__ import annotations

import os
import re
import stat
import sys
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from bankwise.errors import InputError, Location

_HEAD = 1 << 16
_MOST_BYTES = 1 << 30
"""More than any text or cubin that is read here; a stream without an end is not read for ever."""

CXX_SOURCES = frozenset({".cu", ".cuh", ".cpp", ".cc", ".cxx", ".hip", ".c"})
CXX_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".ipp", ".tpp"})
"""Suffixes of C, C++, CUDA and HIP: compilers take any byte in comments, and nvcc
13.0 none in literals that is no UTF-8 (tried)."""
_APART = re.compile("[\U0010ff80-\U0010ffff]+")
_APART_UTF8 = re.compile(b"((?:\xf4\x8f[\xbe\xbf][\x80-\xbf])+)")
_TO_APART = 0x10FF00
"""What a byte that is no UTF-8 is raised by: 0x80 to 0xFF become U+10FF80 to U+10FFFF, the last of
the private use area B, which no font has."""


def nearby(path: str | Path) -> str:
    """A path as it is named from the working folder if it lies below it, else as it is."""
    below = os.path.relpath(path)
    return str(path) if below.split(os.sep, 1)[0] == os.pardir else below


def read_text(path: str | Path) -> str:
    """The text of a file, exactly (line ends kept); :class:`InputError` if it has none, or no
    UTF-8 and is no source of C, C++, CUDA or HIP: of these as :func:`with_any_bytes` has it."""
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
        if Path(path).suffix.lower() in CXX_SOURCES | CXX_HEADERS:
            return with_any_bytes(data)
        place = Location(str(path), data.count(b"\n", 0, error.start) + 1)
        message = f"not UTF-8 text: byte 0x{data[error.start]:02x}"
        hint = "iconv -f latin1 -t utf-8 FILE writes it so, where it is Latin-1"
        raise InputError(message, location=place, hint=hint) from error
    if b"\xf4\x8f" in data:  # of plane 16: what the reader of any bytes writes, too
        text = with_any_bytes(data)
    if not text.strip():
        raise InputError("the file is empty", location=where)
    return text


def with_any_bytes(data: bytes) -> str:
    """A text whose comments may be of another encoding (Latin-1, GBK): bytes that are no UTF-8, and
    what would be mistaken for them, become private signs, of which :func:`bytes_of` makes them
    again."""

    def apart(part: bytes) -> str:
        return "".join(chr(byte + _TO_APART) for byte in part)

    def decoded(part: bytes) -> str:
        text = part.decode("utf-8", "surrogateescape")
        return re.sub("[\udc80-\udcff]", lambda one: chr(ord(one[0]) - 0xDC00 + _TO_APART), text)

    parts = _APART_UTF8.split(data)
    return "".join(apart(one) if n % 2 else decoded(one) for n, one in enumerate(parts))


def is_unicode(text: str) -> bool:
    """Whether a text has none of the bytes that :func:`with_any_bytes` kept."""
    return text.isascii() or not _APART.search(text)


def bytes_of(text: str) -> bytes:
    """A text as it is in a file: UTF-8, and the bytes that :func:`with_any_bytes` kept."""
    if is_unicode(text):
        return text.encode("utf-8")
    parts = _APART.split(text)
    kept = [bytes(ord(one) - _TO_APART for one in part) for part in _APART.findall(text)]
    return b"".join(one.encode("utf-8") + two for one, two in zip(parts, [*kept, b""], strict=True))


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

    data = bytes_of(content) if isinstance(content, str) else content
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
