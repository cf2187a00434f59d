"""``bankwise check`` on a binary: a library, an object file, an archive, a code object."""

from __future__ import annotations

from pathlib import Path

from bankwise.ask.check_assembly import asked, origin_of, report_of
from bankwise.read.binary.check import check_binary, chosen_target
from bankwise.read.options import Options, Progress
from bankwise.read.recognise import recognise
from bankwise.show.values import CheckReport


def check_binary_file(
    path: Path, options: Options, progress: Progress | None = None
) -> CheckReport:
    """Check the kernels of a binary: all that are for one GPU, or those that ``--kernel`` means."""
    gpu, note = chosen_target(path, options.target)
    kernels = check_binary(path, gpu or None, **asked(options, path))
    origin = origin_of(recognise(path), path, options)
    return report_of(path, kernels, notes=(note,) if note else (), asked_of=origin)
