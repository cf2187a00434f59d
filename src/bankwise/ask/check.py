"""``bankwise check``: say what a file is, and have it checked by who can read it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bankwise.read.options import Options, Progress
from bankwise.read.recognise import asker
from bankwise.show.values import CheckReport

if TYPE_CHECKING:
    from bankwise.show.spec import SpecReport


def check(
    file: str | Path,
    target: str = "",
    *,
    kernel: str = "",
    dims: tuple[str, ...] = (),
    workgroup_size: str = "",
    policy: str = "",
    arguments: tuple[str, ...] = (),
    isa: bool = False,
    keep: str = "",
    padding: bool | None = None,
    direct_load: bool | None = None,
    launches: tuple[str, ...] = (),
    iree_compile: str = "",
) -> CheckReport:
    """Predict the bank conflicts of whatever ``file`` holds: all that the command line takes.

    Parameters as on the command line. Of a spec this is the count alone;
    :func:`bankwise.ask.spec.check_spec` has the rest. Raises :class:`bankwise.errors.InputError`
    for what cannot be read, and for an option that says nothing about such a file.
    """
    options = Options(
        *(target, kernel, dims, workgroup_size, policy, arguments),
        *(isa, keep, padding, direct_load, launches),
        iree_compile=iree_compile,
    )
    report = check_file(Path(file), options)
    return report if isinstance(report, CheckReport) else report.check


def check_file(
    file: Path,
    options: Options,
    progress: Progress | None = None,
    *,
    beside: Sequence[str] = (),
) -> CheckReport | SpecReport:
    """Open ``file`` and check it. Raises InputError for what cannot be read.

    ``progress`` is called with (checked, all) dispatches of a model. ``beside``: further options
    that were given, as the command line spells them.
    """
    answer = asker(file, "check", (*options.given, *beside), options.target, options.kernel)
    report: CheckReport | SpecReport = answer(file, options, progress)
    return report
