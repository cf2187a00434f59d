"""How many bytes types of C++ have."""

from __future__ import annotations

TYPE_BYTES = {
    **dict.fromkeys(("char", "bool", "int8_t", "uint8_t"), 1),
    **dict.fromkeys(
        ("half", "__half", "__nv_bfloat16", "nv_bfloat16", "short", "int16_t", "uint16_t"), 2
    ),
    **dict.fromkeys(
        ("float", "int", "half2", "unsigned", "unsigned int", "int32_t", "uint32_t"), 4
    ),
    **dict.fromkeys(("double", "float2", "int2", "int64_t", "uint64_t", "long long"), 8),
    **dict.fromkeys(("float4", "int4", "uint4", "double2"), 16),
}
"""Types of C++ whose size every compiler of kernels agrees on."""
