"""``ar`` archives: static libraries (``.a``) of GNU and BSD tools.

A member begins with 60 characters: name, dates and owners, size in decimal, and two marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankwise.read.binary.blob import Blob

MARK = b"!<arch>\n"
_HEADER = 60
_TABLES = ("/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED")
_LONG_NAMES = "//"


def members(blob: Blob) -> Iterator[tuple[str, Blob]]:
    """Name and bytes of each file in an archive."""
    at, names = len(MARK), b""
    while at + _HEADER <= len(blob):
        header = bytes(blob.part(at, _HEADER, "a header").data)
        digits = re.fullmatch(rb"[0-9]{1,10}", header[48:58].strip())
        if digits is None or header[58:] != b"`\n":
            raise blob.broken(at, "no header of an archive's member")
        body = blob.part(at + _HEADER, int(digits[0]), "a member")
        name = header[:16].decode("latin-1").rstrip()
        at += _HEADER + len(body) + len(body) % 2
        if name == _LONG_NAMES:
            names = bytes(body.data)
        elif name not in _TABLES:
            yield _member(name, body, names)


def _member(name: str, body: Blob, names: bytes) -> tuple[str, Blob]:
    """Long names stand in a table (GNU), or in front of the bytes (BSD)."""
    if re.fullmatch(r"/\d{1,9}", name):
        start = int(name[1:])
        return names[start : names.find(b"/\n", start)].decode("utf-8", "replace"), body
    if found := re.fullmatch(r"#1/(\d{1,4})", name):
        size = int(found[1])
        text = bytes(body.part(0, size, "a name").data).rstrip(b"\0").decode("utf-8", "replace")
        return text, body.part(size, len(body) - size, "a member")
    return name.removesuffix("/"), body
