"""Types in the text: ``tensor<..>`` and ``!ttg.memdesc<..>``, with what their encodings mean."""

from __future__ import annotations

import re
from collections.abc import Mapping

from bankwise.errors import InputError, Location, Refusal
from bankwise.notation.linear import check_shape
from bankwise.notation.triton import Distributed, Encoding, Shared, parse
from bankwise.read.ttgir.text import split_top
from bankwise.read.ttgir.values import MemoryType, TensorType

_SHAPED = re.compile(r"(?:tensor|!ttg\.memdesc)?<(?P<shape>(?:\d+x)*)(?P<element>[^,>]+.*)>$")
_BITS = re.compile(r"(?:bf|f|i|si|ui|tf)(\d+)")
_OTHER = re.compile(r"#(?:ttg\.(?:amd_wmma|partitioned_shared)|ttng\.\w+)<")
"""Encodings that Triton has and that are not read here."""


class Types:
    """Reads the types of one module; every encoding text is parsed once.

    ``aliases`` and ``strange``: as in :class:`bankwise.read.ttgir.values.Module`.
    """

    def __init__(
        self, file: str, aliases: Mapping[str, Encoding], strange: Mapping[str, str]
    ) -> None:
        self._file = file
        self._aliases = aliases
        self._strange = strange
        self._known: dict[str, Encoding | Refusal] = {}

    def tensor(self, text: str, line: int) -> TensorType | Refusal:
        """``tensor<64x32xf16, #blocked>``. A Refusal for an encoding that is not read here."""
        shape, element, encoding = self._shaped(text, line)
        if isinstance(encoding, Refusal):
            return encoding
        if not isinstance(encoding, Distributed):
            raise self._error(f"a tensor with a shared-memory encoding: {text[:80]}", line)
        self._check(shape, line)
        return TensorType(shape, self.bits(element, line), encoding)

    def memory(self, text: str, line: int) -> MemoryType | Refusal:
        """``!ttg.memdesc<64x32xf16, #shared, #smem>``, as :meth:`tensor`."""
        shape, element, encoding = self._shaped(text, line)
        if isinstance(encoding, Refusal):
            return encoding
        if not isinstance(encoding, Shared):
            raise self._error(f"a memdesc with an encoding of registers: {text[:80]}", line)
        if len(shape) not in (encoding.rank, encoding.rank + 1):
            raise self._error(f"the shape {list(shape)} has not the rank of {encoding}", line)
        self._check(shape[len(shape) - encoding.rank :], line)
        return MemoryType(shape, self.bits(element, line), encoding)

    def encoding(self, text: str, line: int) -> Encoding | Refusal:
        """An encoding or the name of one. Raises InputError for a text that is neither."""
        if text not in self._known:
            self._known[text] = self._parse(text, line)
        return self._known[text]

    def _parse(self, text: str, line: int) -> Encoding | Refusal:
        for name in re.findall(r"#(\w+)\b(?!\.)", text):
            if name in self._strange:
                return Refusal(self._strange[name], Location(self._file, line))
        other = _OTHER.search(text)
        if other:
            reason = f"the encoding {other[0][1:-1]!r} is not read"
            return Refusal(reason, Location(self._file, line))
        try:
            return parse(text, self._aliases)
        except InputError as error:
            raise self._error(error.message, line, error.hint) from error

    def _shaped(self, text: str, line: int) -> tuple[tuple[int, ...], str, Encoding | Refusal]:
        found = _SHAPED.fullmatch(text.strip())
        parts = split_top(found["element"], ",") if found else []
        if found is None or len(parts) < 2:
            raise self._error(f"a type with shape and encoding expected, not {text[:80]!r}", line)
        shape = tuple(int(n) for n in found["shape"].split("x") if n)
        return shape, parts[0], self.encoding(parts[1], line)

    def _check(self, shape: tuple[int, ...], line: int) -> None:
        try:
            check_shape(shape)
        except InputError as error:
            raise self._error(error.message, line, error.hint) from error

    def bits(self, element: str, line: int) -> int:
        """Bits in memory: a pointer takes 64, what is smaller than a byte takes one."""
        if element.startswith("!tt.ptr"):
            return 64
        found = _BITS.match(element)
        if found is None or not 1 <= int(found[1]) <= 64:
            raise self._error(f"{element!r} is no element type", line)
        return max(8, int(found[1]))

    def _error(self, message: str, line: int, hint: str = "") -> InputError:
        return InputError(message, location=Location(self._file, line), hint=hint)


def split_arrow(types: str) -> tuple[list[str], list[str]]:
    """``(A, B) -> C`` gives the types in front of the arrow and behind it."""
    before, _, after = _arrow(types)
    return _listed(before), _listed(after)


def _arrow(types: str) -> tuple[str, str, str]:
    parts = split_top(types, "->")
    if len(parts) == 1:
        return types, "", ""
    return parts[0], "->", parts[-1]


def _listed(text: str) -> list[str]:
    text = text.strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    return [part for part in split_top(text, ",") if part]
