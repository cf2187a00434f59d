"""``bankwise check``: say what a file is, and have it checked by who can read it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bankwise.read.follow.apart import telling
from bankwise.read.options import Named, Options, Progress, phase_of, size_text, texts, words
from bankwise.read.recognise import asker
from bankwise.show.values import CheckReport

if TYPE_CHECKING:
    from bankwise.show.spec import SpecReport


def check(
    file: str | Path,
    target: str = "",
    *,
    kernel: str = "",
    dims: Named = (),
    workgroup_size: str | Sequence[int] = "",
    policy: str = "",
    arguments: Named = (),
    isa: bool = False,
    keep: str = "",
    padding: bool | None = None,
    direct_load: bool | None = None,
    launches: str | Sequence[str] = (),
    iree_compile: str = "",
    flags: str | Sequence[str] = (),
    compile_commands: str = "",
) -> CheckReport:
    """Predict the bank conflicts of whatever ``file`` holds: all that the command line takes.

    Parameters as on the command line; ``dims`` and ``arguments`` also as numbers by name, the size
    as numbers, ``flags`` (of the compiler of a source) as one text or several. The report has the
    ``kernels`` with their ``accesses`` and ``totals``, and what is open as ``refusals``. Of a spec
    this is the count alone; :func:`bankwise.ask.spec.check_spec` has the rest. Raises
    :class:`bankwise.errors.InputError` for what cannot be read, and for an option that says nothing
    about such a file.
    """
    options = Options(
        *(target, kernel, texts("dims", dims), size_text(workgroup_size), policy),
        *(texts("arguments", arguments), isa, keep, padding, direct_load),
        launches=texts("launches", launches),
        iree_compile=iree_compile,
        flags=words(flags),
        compile_commands=compile_commands,
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

    ``progress`` is called with (checked, all) dispatches of a model, and told in its phase how many
    kernels of a file were followed. ``beside``: further options
    that were given, as the command line spells them.
    """
    answer = asker(file, "check", (*options.given, *beside), options.target, options.kernel)
    phase = phase_of(progress)
    with telling(lambda done, every: phase(f"following kernels, {done} of {every} done")):
        report: CheckReport | SpecReport = answer(file, options, progress)
    return report
