"""What a link of the workbench means, in Python: the passes of A and of B, counted."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

import numpy as np

from bankwise.algebra import expression
from bankwise.counting.conflict import Count, count
from bankwise.hardware.machine import Machine, machine

UNTOUCHED = {
    "i": "layout",
    "g": "sm_90",
    "t": "5x4x32",
    "l": "f2.4.8.16",
    "o": "f",
    "a": "store:w:n0.n1.n2.n3.n4:,read:r:m0.m1.m2.m3.n0:",
    "e": "ld.shared.b32:128*lane:132*lane",
    "v": "1",
}


def passes(link: str) -> dict[str, Count]:
    """The counts of the access that is looked at, in A and in B, by side."""
    said = dict(part.split("=", 1) for part in link.split("&") if part)
    values = {**UNTOUCHED, **{key: unquote(text) for key, text in said.items()}}
    gpu = machine(values["g"])
    if values["i"] == "address":
        name, before, after = values["e"].split(":")
        lane = np.arange(gpu.wave_size)
        texts = {"A": before, "B": after}
        row = gpu.instruction(name)
        return {
            side: count(row, np.asarray(expression.parse(text, ["lane"])(lane=lane)))
            for side, text in texts.items()
        }
    return {side: _access(gpu, values, values[key]) for side, key in (("A", "o"), ("B", "l"))}


def _access(gpu: Machine, values: dict[str, str], layout: str) -> Count:
    columns, _, bits = map(int, values["t"].split("x"))
    _, op, lanes, vector = values["a"].split(",")[int(values["v"])].split(":")
    width = bits // 8 << len([word for word in vector.split(".") if word])
    lane = np.arange(gpu.wave_size)
    coordinate = np.zeros_like(lane)
    for bit, word in enumerate(lanes.split(".")):
        for one in word.split("-"):
            place = int(one[1:]) + (columns if one[0] == "m" else 0)
            coordinate ^= (lane >> bit & 1) << place
    offsets = _places(layout, columns, coordinate) * (bits // 8)
    return count(gpu.instruction(_instruction(gpu, op, width)), offsets)


def _instruction(gpu: Machine, op: str, width: int) -> str:
    stems = {"w": ["st.shared.b", "ds_write_b"], "r": ["ld.shared.b", "ds_read_b", "ds_read_u"]}
    return next(s + str(8 * width) for s in stems[op] if s + str(8 * width) in gpu.instructions)


def _places(layout: str, columns: int, coordinate: Any) -> Any:
    numbers = [int(text) for text in layout[1:].split(".") if text]
    row, column = coordinate >> columns, coordinate & ((1 << columns) - 1)
    if layout[0] == "p":
        return coordinate + row * numbers[0]
    if layout[0] == "r":
        return (row << columns) + (column + row * numbers[0]) % (1 << columns)
    inputs, found = (row, coordinate.copy()) if layout[0] == "f" else (coordinate, 0 * coordinate)
    for bit, image in enumerate(numbers):
        found ^= (inputs >> bit & 1) * image
    return found
