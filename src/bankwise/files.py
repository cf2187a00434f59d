"""Reading and writing the user's files: whole texts, clear errors, nothing half-written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bankwise.errors import InputError, Location


def read_text(path: str | Path) -> str:
    """The text of a file, exactly (line ends kept); :class:`InputError` if it has none."""
    where = Location(str(path))
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise InputError("no such file", location=where) from error
    except IsADirectoryError as error:
        raise InputError("this is a directory, a file is needed", location=where) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", location=where) from error
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


def write_atomically(path: Path, text: str) -> None:
    """Write ``text`` to ``path`` whole or not at all; InputError if it cannot be written.

    A link is followed. A read-only file is not replaced, whatever its folder allows.
    """
    where = Location(str(path))
    try:
        path = path.resolve()
        mode = path.stat().st_mode & 0o777 if path.exists() else None
        if mode is not None and not (mode & 0o222 and os.access(path, os.W_OK)):
            raise InputError("cannot be written: it is read-only", location=where)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".bankwise-") as folder:
            temporary = Path(folder) / path.name
            temporary.write_text(text, encoding="utf-8", newline="")
            if mode is not None:
                temporary.chmod(mode)
            temporary.replace(path)
    except OSError as error:
        message = f"cannot be written: {error.strerror}"
        raise InputError(message, location=where) from error
