"""All commands: importing this registers them at the application."""

from __future__ import annotations

# In the order in which `bankwise --help` names their verbs.
from bankwise.cli import check
from bankwise.cli import (
    first,
    kernels,
    layouts,
    passes,
    triton_plan,
    scan,
    evidence,
    study,
    hardware,
    bench,
    schema,
    servers,
)
from bankwise.cli.common import app

__all__ = [
    "app",
    "bench",
    "check",
    "evidence",
    "first",
    "hardware",
    "kernels",
    "layouts",
    "passes",
    "scan",
    "schema",
    "servers",
    "study",
    "triton_plan",
]
