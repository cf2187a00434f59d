"""``bankwise check kernel.cu``: compiled by its compiler, counted at its own lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bankwise.ask.advice import unseen_addresses
from bankwise.ask.array_lines import without_others
from bankwise.ask.array_skews import foreseen
from bankwise.ask.array_texts import WrittenArray
from bankwise.ask.check_assembly import asked, origin_of, report_of, shown_first
from bankwise.ask.device_alone import alone, takes_long
from bankwise.ask.fix_cute_source import written_by_cute
from bankwise.ask.header_copies import copied_text, summed
from bankwise.ask.joined_headers import joined_source
from bankwise.ask.source_plans import SourcePlans, promised, source_plans
from bankwise.ask.source_text import source_beside
from bankwise.ask.supposed import NUMBERS, is_open
from bankwise.ask.write_emitted import Origin
from bankwise.errors import InputError
from bankwise.files import read_text
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.compile_flags import compilation_of
from bankwise.read.cxx.arrays import SharedArray, shared_arrays
from bankwise.read.cxx.places import at_expressions, texts_of
from bankwise.read.cxx.templates import how_to_instantiate, uncompiled_templates
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.kept_code import KeptCode
from bankwise.read.names import demangled, own
from bankwise.read.options import Options, Progress, phase_of
from bankwise.read.recognise import recognise
from bankwise.read.source import Compilation, Compiled, SourceLanguage
from bankwise.read.sources import language_of
from bankwise.show.snippets import NOT_EDITED
from bankwise.show.values import CheckReport, KernelReport


def check_source_file(
    path: Path, options: Options, progress: Progress | None = None
) -> CheckReport:
    """Check every kernel of a source for ``options.target``.

    Raises :class:`bankwise.errors.InputError` where nothing compiles it, and in the compiler's own
    words if it does not compile.
    """
    phase = phase_of(progress)
    what, said = compilation_of(path, options)
    phase("compiling, following kernels")
    language = language_of(what)
    kept = KeptCode() if takes_long(what, language) else None
    found = language.check(what, **asked(options), kept=kept)
    texts = texts_of(found, str(path), read_text(path))
    read = _read(found, what, path, texts, everything=not options.kernel)
    origin = origin_of(recognise(path), path, options)
    if read.source is not None:
        origin = replace(origin, flat=all(one.flat for one in read.arrays))
    kernels = read.found.kernels
    notes = (read.found.how, *said, *read.notes)
    report = report_of(path, kernels, notes=notes, asked_of=origin)
    named = [k.name for k in report.kernels if k.snippets]
    unadvised = [one.name for one in kernels if _unadvised(report, one, read)]
    refused = _not_written(named or unadvised, read.arrays)
    planned = _NO_PLANS
    if read.source is not None and named and not refused and origin.command:
        launches = shown_first(kernels)
        what = _lean(read.what, found.emitted, language, options, kept)
        planned = source_plans(read.source, language, what, options, launches, phase)
        written = foreseen(read.source, what, launches, planned.plans, planned.sizes)
        report, refused = _promised(report, planned, written, launches, named)
    if refused:
        by_cute = _by_cute(report, texts[str(path)], options)
        report = by_cute or _by_hand(report, path, kernels, origin, planned, refused)
    elif unadvised:
        report = replace(report, notes=(*report.notes, _BY_ARRAY))
    supposing = tuple(_supposing(k, kernels, read.arrays) for k in report.kernels)
    return replace(report, kernels=supposing, source_lines=_lines(report, texts))


class _ReadSource(Struct, frozen=True):
    """A source whose kernels were followed, ``found``, at the expressions of its text. ``what``: is
    compiled of it, with its own headers in it; ``source``: that text, with copies of what headers
    are given its arrays; None where it could not be read, and ``notes`` say why."""

    found: Compiled
    what: Compilation
    source: CxxSource | None = None
    arrays: tuple[SharedArray, ...] = ()
    notes: tuple[str, ...] = ()


def _read(
    found: Compiled, what: Compilation, path: Path, texts: Mapping[str, str], *, everything: bool
) -> _ReadSource:
    """``everything``: all kernels are asked about, so those that are not compiled are told."""
    try:
        found = at_expressions(found, texts)
        plain = source_beside(texts[str(path)], str(path), what)
        notes = _uncompiled(plain, found.kernels) if everything else ()
        source, joined = joined_source(plain, what)
        what = what if joined is None else replace(what, text=source.text)
        source = summed(copied_text(source, what)).source
        return _ReadSource(found, what, source, shared_arrays(source), notes)
    except InputError as error:
        return _ReadSource(found, what, notes=(f"no columns: {error.message}",))


def _uncompiled(source: CxxSource, kernels: Sequence[AssemblyKernel]) -> tuple[str, ...]:
    """What of the file no word of the report is about."""
    left = uncompiled_templates(source, {own(demangled(one.name)) for one in kernels})
    return (f"not compiled, so not checked: {how_to_instantiate(left)}",) if left else ()


def _lean(
    what: Compilation,
    emitted: str,
    language: SourceLanguage,
    options: Options,
    kept: KeptCode | None,
) -> Compilation:
    """A compilation that takes long without the host's code, where that makes the same kernels."""
    if kept is None:
        return what
    return alone(what, language, emitted, partial(_followed, language, options, kept)) or what


def _followed(
    language: SourceLanguage, options: Options, kept: KeptCode, what: Compilation
) -> Sequence[AssemblyKernel]:
    """The kernels of a compilation; the very same values for the same code."""
    return language.check(what, **asked(options), kept=kept).kernels


def _promised(
    report: CheckReport,
    planned: SourcePlans,
    written: Sequence[WrittenArray],
    launches: Sequence[AssemblyKernel],
    named: Sequence[str],
) -> tuple[CheckReport, str]:
    """The report with what `fix` writes; and why it writes less than layouts of buffers promise for
    the kernels ``named``, empty if it writes all."""
    kernels = tuple(promised(k, written, planned.names, launches) for k in report.kernels)
    found = replace(report, kernels=kernels)
    less = _commands(found) < _commands(report) or not planned.kernels.issuperset(named)
    return found, "; ".join(map(str, planned.refusals)) if less else ""


def _supposing(
    report: KernelReport, kernels: Sequence[AssemblyKernel], arrays: Sequence[SharedArray]
) -> KernelReport:
    """A kernel that has no layout for want of numbers for its arguments, with what takes some."""
    opened = any(one.name == report.name and is_open(one) for one in kernels)
    if not opened or report.optima or not report.totals.run.extra:
        return report
    if not arrays or _not_written([report.name], arrays):
        return report
    return replace(report, notes=(*report.notes, _SUPPOSING))


_SUPPOSING = (
    "`bankwise fix`, with the same options, looks for a layout with a number for each argument "
    f"that nobody says ({', '.join(map(str, NUMBERS))}), as an example"
)

_BY_ARRAY = "`bankwise fix`, with the same options, looks for layouts array by array"


def _commands(report: CheckReport) -> int:
    """How many conflicts a command is named against."""
    return sum(bool(one.command) for kernel in report.kernels for one in kernel.snippets)


_NO_PLANS = SourcePlans((), ())


def _by_hand(
    report: CheckReport,
    path: Path,
    kernels: Sequence[AssemblyKernel],
    origin: Origin,
    planned: SourcePlans,
    refused: str,
) -> CheckReport:
    """The report with what to write by hand, for the kernels that have no plan."""
    plain = report_of(path, kernels, asked_of=replace(origin, command=""))
    told = f"{NOT_EDITED}{refused}"
    both = zip(report.kernels, plain.kernels, strict=True)
    mine = tuple(one if one.name in planned.kernels else other for one, other in both)
    return replace(report, kernels=mine, notes=(*report.notes, told))


def _by_cute(report: CheckReport, text: str, options: Options) -> CheckReport | None:
    """The report with the terms of CuTe to write, at the kernels whose conflicts they are against;
    None where the text has none."""
    target = next((k.target for k in report.kernels), options.target)
    found = written_by_cute(report.file, text, replace(options, target=target))
    kernels = (replace(k, snippets=found) if k.snippets else k for k in report.kernels)
    return replace(report, kernels=tuple(kernels)) if found else None


def _unadvised(report: CheckReport, found: AssemblyKernel, read: _ReadSource) -> bool:
    """Whether a kernel has conflicts whose best layout was not looked for, though all is known of
    it, or of an array of its."""
    conflicts = (k for k in report.kernels if k.name == found.name and k.totals.run.extra)
    seen = [found]
    if read.source is not None:
        arrays = _declared(read.arrays, [found.name])
        seen += [without_others(found, read.source, one) for one in arrays]
    known = any(not unseen_addresses(one) for one in seen)
    return known and any(not k.optima for k in conflicts)


def _declared(arrays: Sequence[SharedArray], named: Sequence[str]) -> list[SharedArray]:
    """Those that kernels may have, by the functions that declare them."""
    return [a for a in arrays if not a.kernel or any(a.function in name for name in named)]


def _not_written(named: Sequence[str], arrays: Sequence[SharedArray]) -> str:
    """Why `fix` would write nothing for the kernels ``named``, as far as the text tells; empty if
    it may write something."""
    theirs = _declared(arrays, named)
    if not named or any(a.uses and not a.refusals for a in theirs):
        return ""
    return next((str(one) for a in theirs for one in a.refusals), _NONE)


_NONE = "no array is declared in the text"


def _lines(report: CheckReport, texts: Mapping[str, str]) -> dict[tuple[str, int], str]:
    """The lines of the source at which something is found."""
    lines = {name: text.splitlines() for name, text in texts.items()}
    inner = [a.origin for a in report.accesses if a.origin is not None]
    places = ((at.file, at.line) for at in (*(a.location for a in report.accesses), *inner))
    return {
        (file, line): lines[file][line - 1]
        for file, line in dict.fromkeys(places)
        if 0 < line <= len(lines.get(file, ()))
    }
