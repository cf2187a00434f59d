"""AMD machine code to instructions: by the tables of :mod:`.encodings`, without LLVM; code for GPUs
that are not in them as LLVM reads it, where it is installed.

    disassemble(bytes.fromhex("01ff0186 ffff0000"), "gfx950")
    (MachineInstruction(offset=0, length=8, text="s_and_b32 s1, s1, 0xffff"),)

The texts are those of ``llvm-objdump -d``; a branch names how many words it goes, as there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from msgspec import Struct

from bankwise.read.amd.encodings import TARGETS, find, has_literal
from bankwise.read.amd.llvm import with_llvm
from bankwise.read.amd.printed import printed

LONGEST = 16
"""Bytes of one instruction."""
_BRANCH = re.compile(r"s_(?:branch|cbranch_\w+|call_b64) (?:.*, )?(\d+)")


class MachineInstruction(Struct, frozen=True):
    """One instruction of machine code.

    ``offset``: of its first byte, ``length``: in bytes. ``text``: as LLVM writes it; ``.long`` with
    the word where no instruction is known. ``goes_to``: the offset that a branch goes to.
    """

    offset: int
    length: int
    text: str
    goes_to: int | None = None


def disassemble(code: bytes, target: str) -> tuple[MachineInstruction, ...]:
    """All instructions of ``code``, in order, without a gap.

    Raises :class:`bankwise.errors.InputError` for a GPU that neither the tables nor LLVM knows, and
    where the extra ``binary`` is not installed.
    """
    if target in TARGETS:
        return tuple(_instructions(code))
    rows = with_llvm(code, target)
    return tuple(MachineInstruction(at, size, text, _goes_to(at, text)) for at, size, text in rows)


def _instructions(code: bytes) -> Iterator[MachineInstruction]:
    at = 0
    while at < len(code):
        length, text = _decoded(code[at : at + LONGEST])
        yield MachineInstruction(at, length, text, _goes_to(at, text))
        at += length


def _goes_to(at: int, text: str) -> int | None:
    found = _BRANCH.fullmatch(text)
    if found is None:
        return None
    words = int(found[1])
    return at + 4 + 4 * (words - (words >> 15 << 16))


def _decoded(words: bytes) -> tuple[int, str]:
    """Length and text of the instruction at the start."""
    first = int.from_bytes(words[:4], "little")
    encoding = find(words)
    if encoding is None or len(words) < encoding.length:
        return _word(words)
    literal = has_literal(encoding, first)
    length = encoding.length if not literal else 8
    return (
        _printed(words[:length], encoding.length, literal) if len(words) >= length else _word(words)
    )


@lru_cache(maxsize=1 << 16)
def _printed(words: bytes, length: int, literal: bool) -> tuple[int, str]:
    encoding = find(words)
    assert encoding is not None
    raw = int.from_bytes(words[:length], "little")
    constant = int.from_bytes(words[4:8], "little") if literal else None
    try:
        return len(words), printed(encoding, raw, constant)
    except ValueError:
        return _word(words)


def _word(words: bytes) -> tuple[int, str]:
    if len(words) < 4:
        return len(words), ".byte " + ", ".join(hex(byte) for byte in words)
    return 4, f".long {int.from_bytes(words[:4], 'little'):#010x}"
