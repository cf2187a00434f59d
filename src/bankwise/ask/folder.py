"""``bankwise check DIR``: a folder that a compiler left, from IREE or Triton.

    iree-compile --iree-hal-dump-executable-files-to=DIR    a Triton cache entry
      module_d.mlir, configured_module_d.mlir                 kernel.ttir, kernel.ttgir
      module_d_rocm_hsaco_fb_benchmark.mlir                   kernel.llir, kernel.amdgcn or .ptx
      module_d_rocm_hsaco_fb.optimized.ll, .rocmasm, .hsaco   kernel.hsaco or .cubin, kernel.json

The files of one dispatch, or one kernel, are stages of one thing: the last that can be read is
checked, the others are left out, and both is said. What has no readable stage is a refusal. Of
several dispatches IREE links the code into one file, ``module_m_linked_rocm_hsaco_fb.rocmasm``,
which is the last stage of each that it has a kernel of.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_bytes
from bankwise.read.options import Options, Progress
from bankwise.read.recognise import asker, recognise, stages, takers
from bankwise.read.unsaid import of_one_of_many
from bankwise.show.values import CheckReport, KernelReport

APART = " ["
"""Between a kernel's own name and the file it is from, where several have that name."""

_SOURCES = "source, which is checked only by name"
_TELLS = "`bankwise check {file}` compiles a source, `bankwise scan {folder}` every one"
_MOST_FILES = 5_000
_NAMED = 3
_BACKEND = r"_(?:rocm|cuda|vulkan|llvm|embedded|system)"
"""What IREE appends to the name of a dispatch in the names of its emitted files."""

_EARLIER = "an earlier stage"
_LINKED = re.compile(rf"_linked{_BACKEND}")

_HINT = (
    "wanted is what `iree-compile --iree-hal-dump-executable-files-to=DIR` writes, or a Triton "
    "cache entry: files that end in "
)


class DispatchStages(Struct, frozen=True):
    """The stages of one dispatch, the last first."""

    name: str
    files: tuple[Path, ...]


def check_folder(folder: Path, options: Options, progress: Progress | None = None) -> CheckReport:
    """Check the last readable stage of everything in ``folder`` and below it.

    Raises :class:`InputError` for a folder without any, and if nothing in it could be read.
    """
    files = files_below(folder)
    found = families([f for f in files if f.suffix.lower() in stages()])
    if not found:
        raise _foreign(folder, files)
    reports: list[CheckReport] = []
    refusals: list[Refusal] = []
    notes: list[str] = []
    left: dict[str, list[Path]] = defaultdict(list)
    projects: dict[str, None] = {}
    for family in sorted(found, key=lambda one: not is_linked(one)):
        if linked_in(family, (Path(report.file) for report in reports)):
            left[_EARLIER] += family.files
            continue
        report, failed = _first(family, options)
        if report is not None:
            reports.append(report)
            projects[of_one_of_many("check", Path(report.file), options)[1]] = None
            notes.append(f"{family.name}: checked {Path(report.file).name}")
            tried = [file for file, _ in failed]
            notes += (f"left out, a later stage: {file.name}: {e.message}" for file, e in failed)
            own = (f for f in family.files if str(f) != report.file and f not in tried)
            left[_EARLIER] += own
        elif not _elsewhere(failed, options):
            refusals += [Refusal(e.message, e.location or Location(str(f))) for f, e in failed]
    if not reports:
        raise _unreadable(folder, refusals, options)
    notes += _own_gpus(reports, options.target)
    notes += filter(None, projects)
    sources = {suffix for one in takers("check") if one.compiled for suffix in one.suffixes}
    for file in (f for f in files if f.suffix.lower() not in stages()):
        left[_SOURCES if file.suffix.lower() in sources else "not read"].append(file)
    notes += [_left(why, some) for why, some in left.items() if some]
    notes += [_TELLS.format(folder=folder, file=some[0]) for some in [left.get(_SOURCES)] if some]
    return _merged(folder, reports, refusals, notes)


def files_below(folder: Path, most: int = _MOST_FILES) -> list[Path]:
    """Every file in a folder and below it, hidden ones out; :class:`InputError` beyond ``most``."""
    try:
        found = sorted(p for p in folder.rglob("*") if p.is_file() and not _hidden(p, folder))
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise InputError(message, location=Location(str(folder))) from error
    if len(found) > most:
        message = f"{len(found):,} files: no dump of one program"
        raise InputError(message, location=Location(str(folder)), hint="name a folder below it")
    return found


def _hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def families(files: Sequence[Path]) -> list[DispatchStages]:
    """Files that are stages of one thing: of one folder and, but for what IREE adds, one name."""
    bases = sorted({(f.parent, _plain(f)) for f in files if f.suffix == ".mlir"}, key=_length)
    groups: dict[tuple[Path, str], list[Path]] = defaultdict(list)
    for file in files:
        stem = _plain(file)
        here = (base for folder, base in bases if folder == file.parent)
        found = (base for base in here if re.match(re.escape(base) + _BACKEND, stem))
        groups[file.parent, next(found, stem)].append(file)
    return [
        DispatchStages(stem, tuple(sorted(group, key=_rank))) for (_, stem), group in groups.items()
    ]


def _plain(file: Path) -> str:
    """The name of a file without its stage."""
    return file.stem.removeprefix("configured_").removesuffix("_benchmark")


def is_linked(family: DispatchStages) -> bool:
    """Whether it is the code of several dispatches."""
    return _LINKED.search(family.name) is not None


def linked_in(family: DispatchStages, files: Iterable[Path]) -> bool:
    """Whether linked code beside it, of these files, has a kernel of a dispatch: that is named
    after it."""
    dispatch = re.escape(family.name.removeprefix("module_"))
    kernel = re.compile(rf"\b{dispatch}(?:_|\b)".encode())
    beside = (f for f in files if f.parent == family.files[0].parent and _LINKED.search(f.name))
    return not is_linked(family) and any(kernel.search(read_bytes(file)) for file in beside)


def _length(base: tuple[Path, str]) -> int:
    return len(base[1])


def _rank(file: Path) -> tuple[int, bool, bool, str]:
    """The later stage first, what is no stage before all; of MLIR the configured one, a benchmark
    last."""
    benchmark = file.stem.endswith("_benchmark")
    configured = file.name.startswith("configured_")
    order = {suffix: n for n, suffix in enumerate(stages())}
    return order.get(file.suffix.lower(), -1), benchmark, not configured, file.name


def _first(
    family: DispatchStages, options: Options
) -> tuple[CheckReport | None, list[tuple[Path, InputError]]]:
    """The last stage that can be read, and why others cannot. What has no threads yet is told where
    nothing can be read, once: it is no later stage."""
    failed: list[tuple[Path, InputError]] = []
    models = [file for file in family.files if _is_model(file)]
    for file in (f for f in family.files if f not in models):
        try:
            return _checked(file, options), failed
        except InputError as error:
            failed.append((file, error))
    message = "no threads in it yet: a stage before IREE lowers it"
    early = [(f, InputError(message, location=Location(str(f)))) for f in models[:1]]
    return None, [*failed, *early]


def _is_model(file: Path) -> bool:
    try:
        return recognise(file).name == "model"
    except InputError:
        return False


def _checked(file: Path, options: Options) -> CheckReport:
    said, _ = of_one_of_many("check", file, options)
    report: CheckReport = asker(file, "check")(file, said)
    return report


def _own_gpus(reports: Sequence[CheckReport], target: str) -> Iterator[str]:
    """Which files are counted for a GPU of their own, not for the one that is asked for."""
    own = [r for r in reports if target and r.target and r.target != target]
    if own:
        shown = ", ".join(f"{Path(r.file).name} ({r.target})" for r in own[:_NAMED])
        more = f" and {len(own) - _NAMED} more" if len(own) > _NAMED else ""
        yield f"counted for the GPU that they name, not for {target}: {shown}{more}"


def _elsewhere(failed: Sequence[tuple[Path, InputError]], options: Options) -> bool:
    """Whether a family was only asked for a kernel that another one has."""
    asked = [(of_one_of_many("check", file, options)[0].kernel, error) for file, error in failed]
    return any(kernel and f"no kernel {kernel!r}" in error.message for kernel, error in asked)


def _merged(
    folder: Path, reports: Sequence[CheckReport], refusals: list[Refusal], notes: list[str]
) -> CheckReport:
    counts = Counter(k.name for r in reports for k in r.kernels)
    kernels = [_renamed(k, folder, counts[k.name] > 1) for r in reports for k in r.kernels]
    return CheckReport(
        file=str(folder),
        target=_joined(name for r in reports for name in r.target.split(", ")),
        policy=_joined(r.policy for r in reports),
        counter=_joined(name for r in reports for name in r.counter.split(", ")),
        kernels=tuple(kernels),
        findings=tuple(f for r in reports for f in r.findings),
        refusals=(*refusals, *(x for r in reports for x in r.refusals)),
        notes=tuple(dict.fromkeys((*notes, *(n for r in reports for n in r.notes)))),
    )


def _renamed(kernel: KernelReport, folder: Path, twice: bool) -> KernelReport:
    """Kernels of one name in several files carry the file in their name."""
    if not twice:
        return kernel
    file = Path(kernel.location.file)
    name = f"{kernel.name}{APART}{file.relative_to(folder)}]"
    accesses = tuple(replace(a, kernel=name) for a in kernel.accesses)
    return replace(kernel, name=name, accesses=accesses)


def _joined(names: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(name for name in names if name))


def _left(why: str, files: Sequence[Path]) -> str:
    shown = ", ".join(f.name for f in files[:_NAMED])
    more = f" and {len(files) - _NAMED} more" if len(files) > _NAMED else ""
    return f"left out, {why}: {shown}{more}"


def _foreign(folder: Path, files: Sequence[Path]) -> InputError:
    place, hint = Location(str(folder)), _HINT + ", ".join(stages())
    if not files:
        return InputError("the folder is empty", location=place, hint=hint)
    kinds = Counter(f.suffix or f.name for f in files).most_common(_NAMED)
    seen = ", ".join(f"{count} {suffix}" for suffix, count in kinds)
    dump = any(f.suffix.lower() in stages(left=True) for f in files)
    sources = {suffix for one in takers("check") if one.compiled for suffix in one.suffixes}
    source = next((f for f in files if f.suffix.lower() in sources), None)
    if source is not None:
        hint = _TELLS.format(folder=folder, file=source)
    what = "no stage of a kernel that is text" if dump else "nothing that a compiler dumps"
    return InputError(f"{what} in this folder: it has {seen}", location=place, hint=hint)


def _unreadable(folder: Path, refusals: Sequence[Refusal], options: Options) -> InputError:
    place = Location(str(folder))
    if not refusals:
        return InputError(f"no kernel {options.kernel!r} in this folder", location=place)
    first = "; ".join(str(r) for r in refusals[:_NAMED])
    return InputError(f"nothing in this folder can be checked: {first}", location=place)
