"""Operands of matrix instructions, by the name of the instruction: who holds which element."""

from __future__ import annotations

import re

from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.notation.framework import Language, Setting
from bankwise.notation.mfma import mfma, operand
from bankwise.notation.nvidia_mma import MMA_SYNC, fragment
from bankwise.notation.values import Distribution, Memory


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    raise InputError(f"{text.strip()!r} is a matrix instruction, no memory layout")


def _hold(text: str, shape: Shape, setting: Setting) -> Distribution | Refusal:
    name = text.strip()
    if name in MMA_SYNC:
        return fragment(name, "C" if setting.operand == "D" else setting.operand)
    found = mfma(name)
    return found if isinstance(found, Refusal) else operand(found, setting.operand)


MATRIX = Language("matrix", re.compile(r"\s*(v_|v?mfma|m\d+n\d+k\d+)", re.IGNORECASE), _read, _hold)
