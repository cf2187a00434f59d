"""What a kit's folder holds: the program, its accesses, a script, a manifest, plain words.

``cases.txt`` has a line for each launch, in order: the instruction, the offset of all lanes but
some, how many these are, and of each its lane and its offset (-1: it takes no part). What is read
back is read from that file, not drawn again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bankwise.errors import InputError, Location
from bankwise.files import read_text, write_atomically
from bankwise.hardware.machine import Machine, machine
from bankwise.lab.gpu.cases import WaveAccess
from bankwise.lab.gpu.counters import AMD_CONFLICTS
from bankwise.lab.kit.design import copies, design, instructions, predicted, rivals
from bankwise.lab.kit.program import REPEATS, program

SCHEMA = "bankwise.probe-kit/1"
AMD_ACTIVE = "SQ_LDS_IDX_ACTIVE"
"""Cycles that LDS works on addresses, those lost to conflicts included."""

_RUN = """#!/bin/sh
# Builds the probe and counts every launch of it. Needs ROCm: hipcc and rocprofv3.
set -eu
cd "$(dirname "$0")"
rm -rf out
hipcc -O1 --offload-arch={target} probe.hip -o probe
rocprofv3 --pmc {counters} --kernel-include-regex '^access_' \\
  --output-format csv -d out -o probe -- ./probe cases.txt > probe.log
echo "done: send this folder back, or run: bankwise probe --import ."
"""

_README = """# What {product} does with LDS accesses

This folder measures bank conflicts of {target}, instruction by instruction. It needs a {target}, \
ROCm (`hipcc`, `rocprofv3`) and a few minutes:

    sh run.sh
    bankwise probe --import .

`run.sh` builds `probe.hip` and launches {cases:,} kernels of one wave each. A kernel executes one
LDS instruction {repeats} times at the offsets of its line in `cases.txt`, and nothing else in it
touches LDS, so `{conflicts}` of a launch is {repeats} times what one execution loses.
Nothing of the machine but these counters is read; `device.txt` gets the name of the GPU.

What is asked of each instruction:

- *Which lanes supply an address?* All lanes at one place, one far away.
- *How many banks are there?* One lane moved ever further: the first distance that conflicts.
- *Which lanes are served together?* Every pair of lanes on one bank, all others on another.
- *Is that all?* {each} accesses at random, which what was read off has to predict exactly.

Copies from global memory to LDS cannot be moved lane by lane; of them the counter alone is asked.

`manifest.json` says what each rival rule predicts. `bankwise probe --import` reads the rule off the
counters, names the rows of the machine file that are measured now or contradicted, and prints the
rows as TOML. Compiled without a GPU; written for whoever has one.
"""


def write_kit(folder: Path, target: str, *, each: int, seed: int = 0) -> tuple[Path, ...]:
    """Write a kit for a machine into a new or empty folder; the files written. ``each``: random
    accesses of an instruction.

    InputError for a machine that is no GPU of AMD's, and for a folder that holds something.
    """
    gpu = machine(target)
    if gpu.vendor != "amd":
        raise InputError(
            f"kits are for GPUs of AMD: {target} is none",
            hint="`bankwise probe` measures an NVIDIA GPU by itself",
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is not an empty folder", hint="name a new one")
    asked = design(gpu, each=each, seed=seed)
    texts = {
        "probe.hip": program(instructions(gpu), copies(gpu), gpu.wave_size),
        "cases.txt": "".join(f"{line}\n" for line in map(case_line, asked)),
        "run.sh": _RUN.format(target=target, counters=f"{AMD_CONFLICTS} {AMD_ACTIVE}"),
        "manifest.json": json.dumps(manifest(gpu, asked), indent=1) + "\n",
        "README.md": _readme(gpu, len(asked), each),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        write_atomically(folder / name, text)
    return tuple(folder / name for name in texts)


def _readme(gpu: Machine, cases: int, each: int) -> str:
    return _README.format(
        product=gpu.product,
        target=gpu.name,
        cases=cases,
        each=each,
        repeats=REPEATS,
        conflicts=AMD_CONFLICTS,
    )


def manifest(gpu: Machine, asked: Sequence[WaveAccess]) -> dict[str, Any]:
    """The kit as JSON, with what each rival rule predicts: extra passes of all accesses together,
    and how many of them conflict."""
    by_name: dict[str, list[WaveAccess]] = {}
    for case in asked:
        by_name.setdefault(case.instruction, []).append(case)
    return {
        "schema": SCHEMA,
        "target": gpu.name,
        "repeats": REPEATS,
        "cases": len(asked),
        "counters": [AMD_CONFLICTS, AMD_ACTIVE],
        "instructions": {
            name: {"cases": len(by_name[name]), "rivals": list(_predicted(gpu, by_name[name]))}
            for name in instructions(gpu)
        },
        "copies": {name: len(by_name[name]) for name in copies(gpu)},
    }


def _predicted(gpu: Machine, asked: Sequence[WaveAccess]) -> Iterator[dict[str, Any]]:
    for rival in rivals(gpu, asked[0].instruction):
        extra = predicted(rival.row, asked)
        yield {
            "rule": str(rival),
            "machine_file": rival.stated,
            "extra": int(extra.sum()),
            "conflicting": int((extra > 0).sum()),
        }


def case_line(case: WaveAccess) -> str:
    """One access as a line of ``cases.txt``."""
    offsets = np.where(case.active, case.offsets_bytes, -1).tolist()
    ((rest, _),) = Counter(offsets).most_common(1)
    odd = [f"{lane} {offset}" for lane, offset in enumerate(offsets) if offset != rest]
    return " ".join([case.instruction, str(rest), str(len(odd)), *odd])


def read_cases(path: Path, wave: int) -> tuple[WaveAccess, ...]:
    """The accesses of a ``cases.txt``. InputError, with the line, for anything else."""
    return parse_cases(read_text(path), str(path), wave)


def parse_cases(text: str, file: str, wave: int) -> tuple[WaveAccess, ...]:
    """As :func:`read_cases`, from its text. ``file`` names it in errors."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found.append(_case(line.split(), wave))
        except (ValueError, IndexError, OverflowError) as error:
            place = Location(file, number)
            raise InputError("this line is no access of a kit", location=place) from error
    return tuple(found)


def _case(words: Sequence[str], wave: int) -> WaveAccess:
    name, rest, odd = words[0], int(words[1]), [int(word) for word in words[3:]]
    if len(odd) != 2 * int(words[2]):
        raise ValueError("cut off")
    offsets = np.full(wave, rest, np.int64)
    for lane, offset in zip(odd[::2], odd[1::2], strict=True):
        if not 0 <= lane < wave:
            raise ValueError("no such lane")
        offsets[lane] = offset
    return WaveAccess(name, np.maximum(offsets, 0), offsets >= 0)
