"""What SASS calls the instructions of a machine file: ``LDS.128`` is its ``ld.shared.b128``."""

from __future__ import annotations

import re
from collections.abc import Mapping

_WIDTHS: Mapping[str, str] = {
    "": "b32",
    "U8": "b8",
    "S8": "b8",
    "U16": "b16",
    "S16": "b16",
    "64": "b64",
    "128": "b128",
}
_PLAIN = re.compile(r"(?:^|\s)(LDS|STS)((?:\.\w+)*)\s")
_MATRIX = re.compile(r"(?:^|\s)(LDSM|STSM)\.\w+\.(M\w+?)(?:\.(\d))?\s")


def kind_of(text: str) -> str:
    """``LDS.128 R8, [R8]`` to ``ld.shared.b128``; the text itself for anything unknown."""
    text = text + " "
    matrix = _MATRIX.search(text)
    if matrix:
        name = "ldmatrix" if matrix[1] == "LDSM" else "stmatrix"
        return f"{name}.x{matrix[3] or 1}" + (".trans" if matrix[2].startswith("MT") else "")
    plain = _PLAIN.search(text)
    if plain is None:
        return text.split(",")[0].strip()
    words = plain[2].strip(".").split(".")
    width = next((_WIDTHS[w] for w in words if w and w in _WIDTHS), "b32")
    return f"{'ld' if plain[1] == 'LDS' else 'st'}.shared.{width}"
