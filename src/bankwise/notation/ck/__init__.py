"""CK tile in its own words: C++ text to descriptors and distributions, and back.

:func:`parse` reads the part of C++ that CK's ``Make...Descriptor`` and ``Make...Distribution``
functions are written in: ``constexpr`` definitions, a final ``return``, whole-number arithmetic,
``make_tuple``, ``number<8>{}``, ``sequence<0, 1>{}`` and the factories of descriptors, transforms
and encodings. Names that the text does not define (``kM``, ``sizeof(DataType)``) are given as
``symbols``. An encoding also has a short form:

    <1 | (1,4,16),(4,8) | (1),(1,2) | (1),(2,0) | 1,2 | 0,1>

``str`` of a value is C++ that parses back to it.
"""

from __future__ import annotations

from collections.abc import Mapping

from bankwise.errors import InputError
from bankwise.hardware.machine import Machine
from bankwise.notation.ck.descriptor import (
    TensorDescriptor,
    TransformStep,
    aligned,
    legality,
    naive,
    packed,
    transform,
    xor_descriptor,
)
from bankwise.notation.ck.encoding import Encoding, emitted, short, vector_length
from bankwise.notation.ck.factories import Value, describe
from bankwise.notation.ck.text import read
from bankwise.notation.ck.transforms import Transform
from bankwise.notation.reader import Cursor

__all__ = [
    "Encoding",
    "TensorDescriptor",
    "Transform",
    "TransformStep",
    "aligned",
    "descriptor",
    "emitted",
    "encoding",
    "legality",
    "machine_symbols",
    "naive",
    "packed",
    "parse",
    "short",
    "transform",
    "vector_length",
    "xor_descriptor",
]

_KNOWN: Mapping[str, int] = {
    "get_n_dwords_per_128b()": 4,
    "sizeof(half_t)": 2,
    "sizeof(fp16_t)": 2,
    "sizeof(bf16_t)": 2,
    "sizeof(fp8_t)": 1,
    "sizeof(int8_t)": 1,
    "sizeof(float)": 4,
}
"""What CK itself defines."""


def machine_symbols(machine: Machine) -> dict[str, int]:
    """What CK asks the target: the LDS banks that it sizes its XOR descriptor for."""
    return {"get_n_lds_banks()": machine.instruction("ds_read_b128").banks}


def parse(text: str, symbols: Mapping[str, int] | None = None, file: str = "ck") -> Value:
    """Read a value: a descriptor, an encoding, a transform, a tuple or a number.

    ``symbols``: numbers for the names that the text leaves open. Raises :class:`InputError` with
    the line and column of what is not understood.
    """
    return read(Cursor(text, file), {**_KNOWN, **(symbols or {})})


def descriptor(
    text: str, symbols: Mapping[str, int] | None = None, file: str = "ck"
) -> TensorDescriptor:
    """Read a tensor descriptor; :class:`InputError` if the text is anything else."""
    found = parse(text, symbols, file)
    if not isinstance(found, TensorDescriptor):
        raise InputError(
            f"a tensor descriptor expected, not {describe(found)}",
            hint="make_naive_tensor_descriptor(...) or transform_tensor_descriptor(...)",
        )
    return found


def encoding(text: str, symbols: Mapping[str, int] | None = None, file: str = "ck") -> Encoding:
    """Read a tile distribution; :class:`InputError` if the text is anything else."""
    found = parse(text, symbols, file)
    if not isinstance(found, Encoding):
        raise InputError(
            f"a tile distribution expected, not {describe(found)}",
            hint="tile_distribution_encoding<...> or <1 | (1,4,16),(4,8) | ...>",
        )
    return found
