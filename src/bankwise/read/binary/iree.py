"""IREE's executables: the flatbuffers of a ``.vmfb``, each with the code of some dispatches.

A ``.vmfb`` is a zip file. Of HIP and CUDA its executables are flatbuffers behind a header of 24
bytes that begins with a mark; the code stands in them as it is, AMD code objects and PTX, each
behind its length (a vector or a string of a flatbuffer). They are found by how they begin, and not
by the schema, which changes between releases. Held against what ``iree-compile`` 3.13 writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankwise.read.binary.blob import Blob

MARKS = (b"HIP1", b"CDA1")
_HEADER = 24
_CODE = re.compile(rb"\x7fELF|//|\.version\b")
_PTX_TARGET = re.compile(rb"^\.target\s+(sm_\w+)", re.MULTILINE)


def members(blob: Blob) -> Iterator[tuple[str, Blob]]:
    """The GPU of each PTX text, "" for what says it itself (ELF), and its bytes."""
    at = _HEADER
    while (found := _CODE.search(blob.data, at)) is not None:
        start = found.start()
        at = found.end()
        (size,) = blob.unpack("<I", start - 4, "the length of code")
        if size <= len(found[0]) or start + size > len(blob):
            continue
        code = blob.part(start, size, "code")
        named = _PTX_TARGET.search(code.data)
        if named is not None or found[0].startswith(b"\x7f"):
            yield "" if named is None else named[1].decode(), code
            at = start + size
