"""``bankwise check kernel.cu``: compiled by its compiler, counted at its own lines."""

from __future__ import annotations

from pathlib import Path

from bankwise.ask.check_assembly import asked, report_of
from bankwise.read.compile_flags import compilation_of
from bankwise.read.options import Options, Progress
from bankwise.read.sources import language_of
from bankwise.show.values import CheckReport


def check_source_file(
    path: Path, options: Options, progress: Progress | None = None
) -> CheckReport:
    """Check every kernel of a source for ``options.target``.

    Raises :class:`bankwise.errors.InputError` where nothing compiles it, and in the compiler's own
    words if it does not compile.
    """
    what, said = compilation_of(path, options)
    found = language_of(what).check(what, **asked(options))
    return report_of(path, found.kernels, notes=(found.how, *said))
