"""``bankwise doctor``: what this computer has of compilers, GPUs, profilers and extras."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from bankwise.change.compile.compilers import VARIABLE, named_compiler, waves_compiler
from bankwise.errors import InputError
from bankwise.hardware.machine import names
from bankwise.hardware.native import gpus
from bankwise.read.amd.dialect import AMD
from bankwise.read.extra import install
from bankwise.read.follow.driver import followed
from bankwise.read.hip.clang import knows
from bankwise.read.toolkit import find_program
from bankwise.show.health import Health, Part

_PROGRAMS = (
    (("nvcc", "nvdisasm"), "check of CUDA source, with tree-sitter-cuda its fix"),
    (("ptxas", "nvdisasm"), "fix of PTX, and its machine code (--isa)"),
    (("nvdisasm",), "check of cubins"),
)
"""What is needed together for what."""
_PROFILERS = (
    ("ncu", "counters of an NVIDIA GPU: verify, fix --run, exports for --counters"),
    ("rocprofv3", "counters of an AMD GPU, exports for --counters"),
    ("rocprof-compute", "counters of an AMD GPU by source line, exports for --counters"),
)
_PACKAGES = (
    ("iree-base-compiler", "ir", "check, fix and opt of MLIR and of models"),
    ("triton", "triton", "fix of TTGIR, @triton.jit functions from Python"),
    ("tree-sitter-cuda", "cuda", "columns and fixes of CUDA, HIP, CK and CuTe source"),
    ("pyelftools", "binary", "libraries, object files and fat binaries"),
    ("z3-solver", "prove", "the second prover of fix (--prove)"),
    ("cupy-cuda13x", "gpu", "verify, bench and fix --run on an NVIDIA GPU"),
    ("numba", "fast", "counting of millions of lanes, six times as fast or more"),
    ("anywidget", "notebook", "the workbench in a notebook"),
    ("matplotlib", "sweep", "pictures of sweeps and benchmarks"),
    ("dask", "dask", "sweeps and scans on a cluster"),
    ("pygls", "lsp", "bankwise lsp, for editors"),
    ("mcp", "mcp", "bankwise mcp, for agents"),
)


def doctor() -> Health:
    """What is there, and what each part opens; run are the drivers' own query, a clang, and
    Wave's compiler for its release."""
    return Health(version("bankwise"), (*_compilers(), *_gpus(), *_profilers(), *_packages()))


def _compilers() -> Iterator[Part]:
    for needed, opens in _PROGRAMS:
        found = {name: find_program(name) for name in needed}
        lacks = [name for name, place in found.items() if place is None]
        there = "" if lacks else ", ".join(map(str, found.values()))
        missing = f"no {', '.join(lacks)}: " * (0 < len(lacks) < len(needed))
        yield Part("compiler", " and ".join(needed), there, opens, missing + install("cuda"))
    tried = {target: knows(target) for target in followed(AMD)}
    able = [target for target, whose in tried.items() if whose]
    whose = ", ".join(dict.fromkeys(filter(None, tried.values())))
    said = f"{', '.join(able)}: {whose}" if able else ""
    opens = "check of HIP source, with tree-sitter-cuda its fix"
    yield Part("compiler", "clang for HIP", said, opens, install("hip"))
    wave = _waves()
    opens = "fix and check --isa of Wave's text by the code that Wave runs"
    how = "an environment with wave-lang: active, on PATH, or named by --iree-compile"
    yield Part("compiler", "Wave's iree-compile", wave, opens, how)


def _waves() -> str:
    """The compiler that Wave's text is asked of unasked; "" if that is not Wave's."""
    named = os.environ.get(VARIABLE, "")
    try:
        found = named_compiler(named) if named else waves_compiler()
    except InputError:
        return ""
    return f"{found}, {found.program}" if found is not None and found.wave else ""


def _gpus() -> Iterator[Part]:
    found = gpus()
    known = ", ".join(name if name in names() else f"{name} (no machine file)" for name in found)
    yield Part(
        "GPU", "GPU", known, "--target native, verify, probe, bench", "nothing else needs one"
    )


def _profilers() -> Iterator[Part]:
    for name, opens in _PROFILERS:
        found = find_program(name)
        yield Part("profiler", name, "" if found is None else str(found), opens, "of the vendor")


def _packages() -> Iterator[Part]:
    for name, extra, opens in _PACKAGES:
        yield Part("extra", name, _version(name), opens, install(extra))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
