"""``bankwise check kernel.cu``: compiled by its compiler, counted at its own lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from bankwise.ask.check_assembly import asked, origin_of, report_of
from bankwise.errors import InputError
from bankwise.files import read_text
from bankwise.read.compile_flags import compilation_of
from bankwise.read.cxx.places import at_expressions, texts_of
from bankwise.read.options import Options, Progress
from bankwise.read.recognise import recognise
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
    texts = texts_of(found, str(path), read_text(path))
    try:
        found = at_expressions(found, texts)
    except InputError as error:
        said = (*said, f"no columns: {error.message}")
    origin = origin_of(recognise(path), path, options)
    report = report_of(path, found.kernels, notes=(found.how, *said), asked_of=origin)
    return replace(report, source_lines=_lines(report, texts))


def _lines(report: CheckReport, texts: Mapping[str, str]) -> dict[tuple[str, int], str]:
    """The lines of the source at which something is found."""
    lines = {name: text.splitlines() for name, text in texts.items()}
    places = ((a.location.file, a.location.line) for a in report.accesses)
    return {
        (file, line): lines[file][line - 1]
        for file, line in dict.fromkeys(places)
        if 0 < line <= len(lines.get(file, ()))
    }
