"""The layout of a buffer as a Triton shared encoding, from the TTGIR beside the assembly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from typing import TYPE_CHECKING

from bankwise.algebra.address import AddressMap
from bankwise.errors import InputError, Refusal

if TYPE_CHECKING:
    from bankwise.notation.triton import Shared

_MEMDESC = re.compile(r"!ttg\.memdesc<((?:\d+x)+)[a-z]+(\d+)\w*, #(\w+)")


def shared_encoding(ttgir: str, size_bytes: int, element_bytes: int, address: AddressMap) -> str:
    """``#ttg...`` of the memory descriptors of this size under ``address``; empty if not clear.

    ``address``: on elements of ``element_bytes``, applied behind the encoding that the TTGIR has.
    Where several tiles have this size and would need different encodings, nothing is said.
    """
    sized = list(_of_size(ttgir, size_bytes))
    if not sized:  # as of most: nobody has to read encodings
        return ""
    from bankwise.notation.triton import Shared, parse_aliases

    try:
        aliases = parse_aliases(ttgir)
    except InputError:
        return ""
    texts = set()
    for shape, own_bytes, alias in sized:
        while len(shape) > 2 and shape[0] == 1:
            shape = shape[1:]
        present = aliases.get(alias)
        if not isinstance(present, Shared):
            return ""
        texts.add(_moved(present, shape, own_bytes, element_bytes, address))
    return texts.pop() if len(texts) == 1 else ""


def _of_size(ttgir: str, size_bytes: int) -> Iterator[tuple[tuple[int, ...], int, str]]:
    """Shape, bytes of an element and encoding of the memory that takes so many bytes."""
    for shape_text, bits, alias in set(_MEMDESC.findall(ttgir)):
        shape = tuple(map(int, shape_text.rstrip("x").split("x")))
        if int(bits) % 8 == 0 and int(bits) // 8 * prod(shape) == size_bytes:
            yield shape, int(bits) // 8, alias


def _moved(
    present: Shared, shape: tuple[int, ...], own_bytes: int, element_bytes: int, address: AddressMap
) -> str:
    """The encoding of the present one with ``address`` behind it, in Triton's text."""
    from bankwise.notation.triton import memory
    from bankwise.notation.triton.fit import to_triton_shared
    from bankwise.notation.values import MemoryTable, tabulate

    table = tabulate(memory(present, shape))
    unit = max(own_bytes, element_bytes)
    moved = address(table.table * own_bytes // element_bytes) * element_bytes
    inside = table.table * own_bytes % unit if element_bytes > own_bytes else 0
    if table.size != table.table.size or (moved % own_bytes).any():
        return ""
    found = to_triton_shared(MemoryTable((moved + inside) // own_bytes, table.size), 8 * own_bytes)
    return "" if isinstance(found, Refusal) else f"{found} on {'x'.join(map(str, shape))} elements"
