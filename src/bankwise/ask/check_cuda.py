"""``bankwise check kernel.cu``: compiled by nvcc, counted as a cubin, at its own lines."""

from __future__ import annotations

from pathlib import Path

from bankwise.ask.check_assembly import asked, report_of
from bankwise.read.cuda import check_cuda
from bankwise.read.options import Options, Progress
from bankwise.show.values import CheckReport


def check_cuda_file(path: Path, options: Options, progress: Progress | None = None) -> CheckReport:
    """Check every kernel of a CUDA source for ``options.target``.

    Raises :class:`bankwise.errors.InputError` where nothing compiles it, and with
    nvcc's own words if it does not compile.
    """
    found = check_cuda(path, options.target, **asked(options))
    return report_of(path, found.kernels, notes=(found.how,))
