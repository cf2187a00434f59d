"""Tensor maps: the 128 bytes by which the copy engine of sm_90 knows a matrix and boxes of it.

Source: CUDA driver API, ``cuTensorMapEncodeTiled``. libcuda is opened when a map is made.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from bankwise.errors import InputError

_BYTES = 128
_ALIGNMENT = 64
_TYPES = {2: 1, 4: 2}
"""CU_TENSOR_MAP_DATA_TYPE_UINT16 and _UINT32."""
_SWIZZLES = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
"""CU_TENSOR_MAP_SWIZZLE_*."""
FETCHES = {0: 0, 64: 1, 128: 2, 256: 3}
"""CU_TENSOR_MAP_L2_PROMOTION_*: bytes that L2 fetches at a time."""


def tensor_map(
    array: Any,
    size: tuple[int, int],
    box: tuple[int, int],
    mode: str = "none",
    fetched_bytes: int = 256,
) -> Any:
    """The map of a row-major matrix of ``size`` and of a ``box`` of it, both (rows, columns), as
    an argument of a kernel. ``array``: CuPy's, of elements of 2 or 4 bytes.

    InputError where the driver refuses it: rows have multiples of 16 bytes, boxes 256 elements
    along a side at most, in the 128-byte mode rows of 128 bytes at most.
    """
    space = ctypes.create_string_buffer(_BYTES + _ALIGNMENT)
    start = -(-ctypes.addressof(space) // _ALIGNMENT) * _ALIGNMENT
    (rows, columns), item = size, int(array.itemsize)
    status = ctypes.CDLL("libcuda.so.1").cuTensorMapEncodeTiled(
        ctypes.c_void_p(start),
        ctypes.c_int(_TYPES[item]),
        ctypes.c_uint32(2),
        ctypes.c_void_p(array.data.ptr),
        (ctypes.c_uint64 * 2)(columns, rows),
        (ctypes.c_uint64 * 1)(columns * item),
        (ctypes.c_uint32 * 2)(box[1], box[0]),
        (ctypes.c_uint32 * 2)(1, 1),
        ctypes.c_int(0),
        ctypes.c_int(_SWIZZLES[mode]),
        ctypes.c_int(FETCHES[fetched_bytes]),
        ctypes.c_int(0),
    )
    if status:
        raise InputError(f"cuTensorMapEncodeTiled: error {status} for {rows} x {columns}")
    return _argument(ctypes.string_at(start, _BYTES))


def _argument(words: bytes) -> Any:
    """128 bytes as an array of one element, which CuPy hands over by value."""
    kind = np.dtype({"names": ["words"], "formats": ["(16,)u8"], "itemsize": _BYTES})
    made = np.zeros(1, kind)
    made["words"][0] = np.frombuffer(words, np.uint64)
    return made
