"""``check`` and ``fix`` from a model: linalg-level IR, lowered by IREE, analysed per dispatch.

    model.mlir --lower--> kernels with thread ids --check / fix--> --link--> model.vmfb

Every dispatch with workgroup memory is treated like a kernel file of its own. With ``keep`` the
kernels (and after ``fix`` the rewritten ones, their code objects and assembly) stay in a folder,
and locations are places in those files; without, they are places in the dump of that dispatch,
written ``model.mlir[dispatch]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from msgspec.structs import replace

from bankwise.ask.check_mlir import check_opened
from bankwise.change.compile.lower import (
    IREE_DEFAULT,
    Dispatch,
    Lowering,
    code_object,
    link,
    lower,
    recompilable,
)
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import check_writable, make_folder, read_text, write_atomically
from bankwise.hardware.machine import machine
from bankwise.read.mlir.unread import ends_early
from bankwise.read.names import listed, means
from bankwise.read.options import ALL_JUDGES, Judges, Options, Progress, command
from bankwise.show.values import CheckReport, KernelReport
from bankwise.show.words import NOT_DEFAULT

if TYPE_CHECKING:
    from bankwise.ask.cost import Costs
    from bankwise.ask.model_best import DispatchFix, LoweredDispatch
    from bankwise.show.costing import KernelCost
    from bankwise.show.model import ModelFix

_TEXTS = frozenset(
    (".mlir", ".rst", ".md", ".txt", ".json", ".toml", ".csv", ".html", ".ll", ".s", ".ptx", ".py")
)
"""Suffixes of names that promise a text."""


def check_model(file: Path, options: Options, progress: Progress | None = None) -> CheckReport:
    """Lower the model in ``file`` for ``options.target`` and check every dispatch.

    ``progress`` is called with (checked, all) dispatches.

    Raises :class:`InputError` with IREE's diagnosis if it cannot be compiled.
    """
    from bankwise.read.mlir.module import open_text

    dispatches = _lower(file, options, code=False)
    reports = []
    many = sum(d.uses_shared_memory for d in dispatches)
    for dispatch, label in _labelled(file, options, dispatches, _folder(options)):
        opened = open_text(dispatch.text, label, isolated=False)  # as the same IREE printed it
        reports.append(check_opened(opened, options))
        if progress:
            progress(len(reports), many)
    return CheckReport(
        file=str(file),
        target=options.target,
        policy=options.width_policy,
        counter=machine(options.target).counter,
        kernels=tuple(_as_model(k, file, options) for r in reports for k in r.kernels),
        findings=tuple(f for r in reports for f in r.findings),
        refusals=(*_refusals(dispatches), *(x for r in reports for x in r.refusals)),
        notes=tuple(
            dict.fromkeys(
                (
                    *_notes(dispatches, options.target, _lowering(options)),
                    *_not_default(options),
                    _where_places_are(options),
                    *_said(reports),
                )
            )
        ),
    )


def _as_model(kernel: KernelReport, file: Path, options: Options) -> KernelReport:
    """What is written against the conflicts of a dispatch is written by fixing the model, which
    writes nothing unless it is told where."""
    asked = f"{command('fix', str(file), options)} --keep {quote(options.keep or 'fixed')}"
    return replace(kernel, snippets=tuple(replace(s, command=asked) for s in kernel.snippets))


def fix_model(
    file: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    *,
    output: str = "",
    progress: Progress | None = None,
) -> ModelFix:
    """Lower the model in ``file``, fix every dispatch, and link what was accepted.

    Nothing but ``options.keep`` is written; a model has no ``reference`` of its buffers. Raises
    :class:`InputError` as :func:`check_model` does.
    """
    from bankwise.ask.fix_dump import into_the_model
    from bankwise.ask.fix_judged import judged
    from bankwise.ask.judge_smt import need_solver
    from bankwise.ask.model_best import best
    from bankwise.show.model import ModelFix

    assert not judges.reference, "the table of formats refuses it"
    if output:
        check_output(Path(output))
    if judges.prove:
        need_solver()
    judge = partial(judged, judges=judges, progress=progress)
    asked, keep = _lowering(options, _FIXED), _folder(options)
    lowered = {way: _lower(file, options, way) for way in dict.fromkeys((asked, IREE_DEFAULT))}
    with TemporaryDirectory(prefix="bankwise-") as folder:
        groups = _by_dispatch(file, options.target, lowered, keep or Path(folder))
        answers = [best(group, options, judge, code=judges.isa) for group in groups]
    accepted = _accepted(answers)
    text, target = read_text(file), options.target
    vmfb = link(text, target, accepted, IREE_DEFAULT, file=str(file)) if accepted else None
    texts = {name: keep / f"{_fixed(name, target)}.mlir" for name in accepted} if keep else {}
    return ModelFix(
        tuple(answer.report for answer in answers),
        vmfb,
        _keep(file, target, keep, accepted, vmfb, asked) if keep else (),
        _refusals(lowered[asked]),
        _notes(lowered[asked], options.target, *lowered),
        tuple(replace(each.default, before=_before(each, keep)) for each in answers),
        into_the_model(texts),
    )


def _before(answer: DispatchFix, keep: Path | None) -> str:
    """Which text a report's places and its numbers before are of, in words."""
    lowered = answer.lowered
    file = f"{keep / lowered.path.name}" if keep else f"DIR/{lowered.path.name} (--keep DIR)"
    said = f'{lowered.dispatch.executable}: "before" and all places are of {file}'
    if lowered.lowering == IREE_DEFAULT:
        return f"{said}, IREE's default"
    taken = "" if answer.workgroup is None else f" ({answer.workgroup.passes:,} passes a workgroup)"
    return f"{said}, lowered with {lowered.lowering}, not of IREE's default{taken}"


def _accepted(answers: Sequence[DispatchFix]) -> dict[str, str]:
    """The texts that are linked, by their executables."""
    linked = (answer for answer in answers if answer.linked)
    return {each.lowered.dispatch.executable: each.report.fixed_text for each in linked}


def _by_dispatch(
    file: Path, target: str, lowered: Mapping[Lowering, tuple[Dispatch, ...]], folder: Path
) -> Iterator[tuple[LoweredDispatch, ...]]:
    """The ways in which each dispatch is lowered, as files; what IREE does unasked is the last."""
    from bankwise.ask.model_best import LoweredDispatch

    found: dict[str, list[LoweredDispatch]] = {}
    for way, dispatches in lowered.items():
        for dispatch in (d for d in dispatches if d.uses_shared_memory):
            name = _lowered_name(dispatch.executable, target, way)
            path = _write(folder, name, dispatch.text.encode())
            one = LoweredDispatch(way, dispatch, path)
            found.setdefault(dispatch.executable, []).append(one)
    yield from map(tuple, found.values())


def cost_of_model(file: Path, options: Options) -> Costs:
    """Lower the model in ``file`` and cost every dispatch with workgroup memory."""
    from bankwise.ask.cost import cost_of_opened
    from bankwise.read.mlir.module import open_text

    dispatches = _lower(file, options, code=False)
    found: list[KernelCost] = []
    refusals = [*_refusals(dispatches)]
    for dispatch, label in _labelled(file, options, dispatches, None):
        kernels, refused = cost_of_opened(open_text(dispatch.text, label), options)
        found += kernels
        refusals += refused
    return tuple(found), tuple(refusals)


def _folder(options: Options) -> Path | None:
    return Path(options.keep) if options.keep else None


_FIXED = Lowering(padding=False, direct_load=False)
"""What ``fix`` begins with, beside IREE's own."""


def _lowering(options: Options, unasked: Lowering = IREE_DEFAULT) -> Lowering:
    """As it was asked for; ``unasked`` where nothing was."""
    said = options.padding, options.direct_load
    own = unasked.padding, unasked.direct_load
    return Lowering(*(u if s is None else s for s, u in zip(said, own, strict=True)))


def _lower(
    file: Path, options: Options, lowering: Lowering | None = None, *, code: bool = True
) -> tuple[Dispatch, ...]:
    if not options.target:
        raise InputError(
            "a model names no GPU",
            location=Location(str(file)),
            hint="pass --target, for example --target gfx942",
        )
    machine(options.target)
    text, how = read_text(file), lowering or _lowering(options)
    try:
        found = lower(text, options.target, how, file=str(file), code=code)
    except InputError as error:
        hint = error.hint or ends_early(text)
        raise InputError(error.message, location=error.location, hint=hint) from error
    return _chosen(found, file, options)


_FUNCTION = re.compile(r"\bfunc\.func @([\w$.-]+)")


def _chosen(dispatches: tuple[Dispatch, ...], file: Path, options: Options) -> tuple[Dispatch, ...]:
    """The dispatches with a kernel that is asked about."""
    names = {d.executable: _FUNCTION.findall(d.text) for d in dispatches if d.uses_shared_memory}
    asked = {e for e, its in names.items() if any(means(options.kernel, one) for one in its)}
    if not options.kernel or not names:
        return dispatches
    if not asked:
        message = f"no kernel {options.kernel!r} with workgroup memory in this model"
        hint = f"it has {listed([one for its in names.values() for one in its])}"
        raise InputError(message, location=Location(str(file)), hint=hint)
    return tuple(dispatch for dispatch in dispatches if dispatch.executable in asked)


def _refusals(dispatches: tuple[Dispatch, ...]) -> tuple[Refusal, ...]:
    return tuple(d.refusal for d in dispatches if d.refusal is not None)


def _notes(dispatches: tuple[Dispatch, ...], target: str, *ways: Lowering) -> tuple[str, ...]:
    shared = sum(d.uses_shared_memory for d in dispatches)
    own = ", as iree-compile does unasked"
    how = " and ".join(f"({way}{own if way == IREE_DEFAULT else ''})" for way in ways)
    twice = ", each dispatch twice" * (len(ways) > 1)
    many = "es" * (len(dispatches) != 1)
    first = f"lowered by IREE for {target}{twice} {how}: {len(dispatches)} dispatch{many}, "
    return (f"{first}{shared} with workgroup memory",)


def _where_places_are(options: Options) -> str:
    """The text that lines and columns are of: the model has none of them."""
    name = _lowered_name("DISPATCH", options.target, _lowering(options))
    if options.keep:
        return f"places are lines of the lowered kernels, {Path(options.keep) / name}"
    return f"places are lines of the lowered kernels: `--keep DIR` writes them, DIR/{name}"


def _not_default(options: Options) -> tuple[str, ...]:
    """What has to be left out to see the kernel that IREE makes by itself."""
    given = {"--no-padding": options.padding, "--no-direct-load": options.direct_load}
    flags = " ".join(flag for flag, on in given.items() if on is False)
    said = f"{NOT_DEFAULT}: without `{flags}` you see that kernel"
    return (said,) if flags else ()


def _said(reports: Iterable[CheckReport]) -> Iterator[str]:
    for report in reports:
        yield from report.notes


def _labelled(
    file: Path, options: Options, dispatches: tuple[Dispatch, ...], keep: Path | None
) -> Iterator[tuple[Dispatch, str]]:
    """The dispatches to look at, with the file that their locations name."""
    for dispatch in (d for d in dispatches if d.uses_shared_memory):
        if keep is None:
            yield dispatch, f"{file}[{dispatch.executable}]"
        else:
            name = _lowered_name(dispatch.executable, options.target, _lowering(options))
            path = _write(keep, name, dispatch.text.encode())
            yield dispatch, str(path)


def _keep(
    file: Path,
    target: str,
    keep: Path,
    accepted: dict[str, str],
    vmfb: bytes | None,
    lowering: Lowering | None,
) -> tuple[Path, ...]:
    """Write the rewritten kernels, their code objects and assembly, and the linked model."""
    suffixes = ("hsaco", "rocmasm") if machine(target).vendor == "amd" else ("ptx.bin", "ptx")
    written: list[Path] = []
    for executable, text in accepted.items():
        stem = _fixed(executable, target)
        taken = recompilable(text, f"{stem}.mlir")
        written.append(_write(keep, f"{stem}.mlir", taken.encode()))
        binary, assembly = code_object(text, target, lowering, file=f"{stem}.mlir")
        written.append(_write(keep, f"{stem}.{suffixes[0]}", binary))
        written.append(_write(keep, f"{stem}.{suffixes[1]}", assembly.encode()))
    if vmfb is not None:
        written.append(_write(keep, f"{file.stem}.{target}.vmfb", vmfb))
    return tuple(written)


def _lowered_name(executable: str, target: str, how: Lowering) -> str:
    """The file of a lowered kernel, by how it was lowered: that of ``check`` has the same text
    after ``fix``."""
    ways = {"no-padding": how.padding, "no-direct-load": how.direct_load}
    return ".".join((executable, target, *(way for way, on in ways.items() if not on), "mlir"))


def _fixed(executable: str, target: str) -> str:
    """The name of what is kept of a rewritten kernel, but for its suffix."""
    return f"{executable}.{target}.fixed"


def check_output(path: Path) -> None:
    """InputError for a name that a compiled module must not get: a text's, or one in use."""
    where = Location(str(path))
    if path.suffix.lower() in _TEXTS or str(path) == "-":
        message = "a model becomes a binary IREE module, this is the name of a text"
        hint = f"-o {path.stem.strip('-') or 'fixed'}.vmfb; --keep DIR writes the kernels as text"
        raise InputError(message, location=where, hint=hint)
    check_writable(path)


def _write(folder: Path, name: str, content: bytes) -> Path:
    make_folder(folder)
    write_atomically(folder / name, content)
    return folder / name
