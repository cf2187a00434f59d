"""Small SASS texts for tests, and counting what was found in them."""

from __future__ import annotations

import csv
import sys
from functools import cache
from pathlib import Path

from bankwise.counting.conflict import count
from bankwise.hardware.machine import machine
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.read.follow.driver import check_code
from bankwise.read.sass.dialect import SASS

DATA = Path(__file__).parent / "data"
sys.path.insert(0, str(DATA))

from sass_kernels import FOLDER, LAUNCHES, Launch  # noqa: E402

__all__ = ["FOLDER", "LAUNCHES", "Launch", "checked", "cost", "sass", "sass_text", "table"]

SHARED = """\
S2R R0, SR_TID.X
MOV R2, 0x400
"""


def sass_text(body: str, *, threads: int = 32, target: str = "sm_90") -> str:
    """A kernel ``k`` around ``body``, one instruction a line; ``name:`` is a label."""
    lines, address = [], 0
    for line in [*body.strip().splitlines(), "EXIT", "BRA `(.L_end)"]:
        text = line.strip()
        if text.endswith(":") or text.startswith("//"):
            lines.append(f"\t{text}" if text.startswith("//") else text)
            continue
        if text.startswith("BRA `(.L_end)"):
            lines.append(".L_end:")
        lines.append(f"        /*{address:04x}*/                   {text} ;")
        address += 16
    code = "\n".join(lines)
    return f"""\t.target\t{target}

\t.section\t.nv.info.k,"",@"SHT_CUDA_INFO"
\t//----- nvinfo : EIATTR_KPARAM_INFO
        /*0000*/ \t.byte\t0x04, 0x17
        /*0002*/ \t.short\t(.L_2 - .L_1)
.L_1:
        /*0004*/ \t.word\t0x00000000
        /*0008*/ \t.short\t0x0000
        /*000a*/ \t.short\t0x0000
        /*000c*/ \t.byte\t0x00, 0xf0, 0x21, 0x00
\t//----- nvinfo : EIATTR_KPARAM_INFO
        /*0010*/ \t.byte\t0x04, 0x17
        /*0012*/ \t.short\t(.L_3 - .L_2)
.L_2:
        /*0014*/ \t.word\t0x00000000
        /*0018*/ \t.short\t0x0001
        /*001a*/ \t.short\t0x0008
        /*001c*/ \t.byte\t0x00, 0xf0, 0x11, 0x00
\t//----- nvinfo : EIATTR_REQNTID
        /*0020*/ \t.byte\t0x04, 0x10
        /*0022*/ \t.short\t(.L_4 - .L_3)
.L_3:
        /*0024*/ \t.word\t0x{threads:08x}
        /*0028*/ \t.word\t0x00000001
        /*002c*/ \t.word\t0x00000001

\t.section\t.text.k,"ax",@progbits
        .size           k,(.L_x_9 - k)
k:
.text.k:
{code}
.L_x_9:

\t.section\t.nv.shared.k,"aw",@nobits
.nv.shared.k:
\t.zero\t\t5120
"""


def sass(body: str, **options: object) -> AssemblyKernel:
    """What is found in a kernel around ``body``."""
    shape = {k: options.pop(k) for k in ("threads", "target") if k in options}
    (found,) = check_code(SASS, sass_text(body, **shape), "k.sass", **options)  # type: ignore[arg-type]
    return found


@cache
def checked(launch: Launch) -> AssemblyKernel:
    """One of the kernels of tests/data/sass, told what its launch knows."""
    text = (FOLDER / f"{launch.file}.sass").read_text()
    (found,) = check_code(
        SASS, text, launch.file, args=launch.args, kernel=launch.kernel, workgroup_size=launch.block
    )
    return found


def cost(access: AssemblyAccess, target: str = "sm_90") -> tuple[int, int]:
    """Passes and ideal passes of all executions of all warps."""
    row, passes, ideal = machine(target).instructions[access.instruction], 0, 0
    for pattern in access.access.patterns:
        found = count(row, pattern.offsets_bytes, pattern.active)
        passes += int(found.passes.sum()) * pattern.executions
        ideal += int(found.ideal.sum()) * pattern.executions
    return passes, ideal


def table(name: str) -> list[dict[str, str]]:
    """A table of tests/data; the first line says where it comes from."""
    return list(csv.DictReader((DATA / name).read_text().splitlines()[1:]))
