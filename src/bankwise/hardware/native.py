"""Which GPUs this computer has, by the names of machines: what the drivers say, nothing is run on
them.

NVIDIA: the compute capability that ``nvidia-smi`` prints, 9.0 for sm_90. AMD: the
``gfx_target_version`` that the kernel driver shows for each node of its topology, 90402 for gfx942
(major * 10000 + minor * 100 + stepping; minor and stepping are hexadecimal digits of the name).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bankwise.errors import InputError

NATIVE = "native"
"""What a user says for the GPU of this computer."""

_TOPOLOGY = Path("/sys/class/kfd/kfd/topology/nodes")
_QUERY = ("--query-gpu=compute_cap", "--format=csv,noheader")
_PATIENCE_S = 10


def gpus(topology: Path = _TOPOLOGY) -> tuple[str, ...]:
    """The names of the GPUs of this computer, each once; none where no driver answers."""
    return tuple(dict.fromkeys((*_nvidia(), *_amd(topology))))


def native() -> str:
    """The name of this computer's GPU. InputError where there is none, or where there are GPUs of
    several kinds."""
    found = gpus()
    if len(found) == 1:
        return found[0]
    said = f"has GPUs of several kinds: {', '.join(found)}" if found else "shows no GPU"
    raise InputError(f"target {NATIVE!r}: this computer {said}", hint="name the GPU: --target")


def _nvidia() -> Iterator[str]:
    import shutil
    import subprocess

    tool = shutil.which("nvidia-smi")
    if tool is None:
        return
    try:
        ended = subprocess.run(
            [tool, *_QUERY], capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return
    for major, minor in re.findall(r"(?m)^\s*(\d+)\.(\d+)\s*$", ended.stdout):
        yield f"sm_{major}{minor}"


def _amd(topology: Path) -> Iterator[str]:
    for node in sorted(topology.glob("*/properties")):
        try:
            said = re.search(r"(?m)^gfx_target_version (\d+)$", node.read_text("ascii", "replace"))
        except OSError:
            continue
        version = int(said[1]) if said else 0
        if version:  # a node that is a CPU says 0
            yield f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}"
