"""``bankwise check kernel.ptx``: as the text has it, or with ``--isa`` as ptxas assembles it.

PTX is not the last word: ptxas joins accesses and splits them. What was counted from the PTX then
stands beside what is counted from the machine code.
"""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from bankwise.ask.check_assembly import asked, kernels_of, origin_of, report_of
from bankwise.files import read_text
from bankwise.read.options import Options, Progress
from bankwise.read.ptxas import check_assembled
from bankwise.read.recognise import recognise
from bankwise.show.values import AsEmitted, CheckReport

NOTE = "counted from PTX; ptxas may join or split accesses: --isa counts its machine code"


def check_ptx_file(path: Path, options: Options, progress: Progress | None = None) -> CheckReport:
    """Check every kernel of a PTX text; ``options.isa``: of the machine code that ptxas makes.

    Raises :class:`bankwise.errors.InputError` where ptxas is wanted and missing, or refuses it.
    """
    kernels, text = kernels_of(path, options), read_text(path)
    origin = origin_of(recognise(path), path, options)
    found = report_of(path, kernels, text, () if options.isa else (NOTE,), origin)
    if not options.isa:
        return found
    made = check_assembled(text, str(path), kernels[0].target, **asked(options, path))
    report = report_of(path, made.kernels, text, asked_of=origin)
    added = {kernel.name: kernel.added for kernel in found.kernels}
    counted = (
        replace(kernel, compiled=AsEmitted(made.assembler, added[kernel.name]))
        for kernel in report.kernels
    )
    return replace(report, kernels=tuple(counted))
