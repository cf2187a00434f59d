"""The CUDA texts of this package, and how constants come before them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files


def cuda_text(name: str) -> str:
    """The file ``name`` of the folder ``cuda``."""
    return files("bankwise.lab.kernels").joinpath("cuda", name).read_text(encoding="utf-8")


def defines(values: Mapping[str, int]) -> str:
    """One ``#define`` per constant."""
    return "\n".join(f"#define {name} {value}" for name, value in values.items()) + "\n"
