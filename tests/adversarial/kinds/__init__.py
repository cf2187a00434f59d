"""All adversarial kernels, one file for each family of tricks."""

from __future__ import annotations

from importlib import import_module

from adversarial.kernel import AdversarialKernel

FAMILIES = (
    "blocks",
    "copies",
    "facts",
    "owners",
    "views",
    "edges",
    "flow",
    "arithmetic",
    "operations",
    "statements",
    "writing",
)


def every_kernel() -> tuple[AdversarialKernel, ...]:
    """All kernels, in a fixed order; their names differ."""
    found = [
        kernel
        for family in FAMILIES
        for kernel in import_module(f"adversarial.kinds.{family}").kernels()
    ]
    names = [kernel.name for kernel in found]
    twice = {name for name in names if names.count(name) > 1}
    assert not twice, f"kernels of one name: {sorted(twice)}"
    return tuple(found)
