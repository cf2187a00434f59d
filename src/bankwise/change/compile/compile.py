"""Compiling a kernel without a GPU, to see the instructions that it becomes.

The compiler of the extra ``[ir]`` runs as its own process, in a temporary folder and under a time
limit: whatever it does to a strange kernel, the user gets an answer. Its back end ``rocm`` emits
AMD assembly, ``cuda`` PTX; a machine file says which one serves it (``backend`` in ``[iree]``).
Where it says "none" the answer is "not available", never "passed".
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from signal import Signals
from tempfile import TemporaryDirectory, mkdtemp
from textwrap import shorten

from msgspec import Struct
from msgspec.structs import replace

from bankwise.change.compile.compilers import Compiler, own_compiler
from bankwise.change.compile.wrap import CompilerInput, Size, prepare
from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import machine, names
from bankwise.hardware.toolchain import NONE, iree
from bankwise.read.emitted import Listing
from bankwise.regex import regex

TIME_LIMIT_S = 120.0


class Backend(Struct, frozen=True):
    """How iree-compile is asked for one vendor's code; ``listings`` reads what it emits.
    ``target``: the GPU, as the compiler names it."""

    name: str
    target_flag: str
    dump_flag: str
    suffix: str
    listings: Callable[[str], tuple[Listing, ...]]
    extra: tuple[str, ...] = ()
    target: str = ""


def _of_amd(text: str) -> tuple[Listing, ...]:
    from bankwise.read.amd.listing import listings

    return listings(text)


def _of_ptx(text: str) -> tuple[Listing, ...]:
    from bankwise.read.ptx.listing import listings

    return listings(text)


_ROCM = Backend(
    "rocm",
    "--iree-rocm-target",
    "--iree-hal-dump-executable-intermediates-to",
    "rocmasm",
    _of_amd,
)
_CUDA = Backend(
    "cuda",
    "--iree-cuda-target",
    "--iree-hal-dump-executable-binaries-to",
    "ptx",
    _of_ptx,
    ("--mlir-print-ir-after=iree-hal-translate-all-executables",),
)
"""PTX leaves the size of shared memory to the launch; the translated executable states it."""

_BACKENDS: Mapping[str, Backend] = {backend.name: backend for backend in (_ROCM, _CUDA)}


def backend_of(target: str) -> Backend | None:
    """The back end that emits code for the machine ``target``; None if its file says "none".

    Raises :class:`InputError` for an unknown machine, or one whose file does not say.
    """
    said = iree(machine(target).tools)
    return replace(_BACKENDS[said.backend], target=said.target) if said.backend != NONE else None


def compiled_targets() -> tuple[str, ...]:
    """The machines that IREE emits code for here, as their files say."""
    tools = ((name, machine(name).tools.iree) for name in names())
    return tuple(name for name, said in tools if said and said.backend != NONE)


_DIAGNOSTIC = regex(r"^(.*?):(\d+)(?::(\d+))?: error: (.*)$", re.MULTILINE)
_SHARED_BYTES = regex(
    r"@([\w$.\-]+) ordinal\((?:(?! ordinal\().)*?workgroup_local_memory = (\d+)", re.DOTALL
)


def compile_text(
    text: str,
    target: str,
    *,
    kernel: str = "",
    workgroup_size: Size | None = None,
    file: str = "<text>",
    time_limit_s: float = TIME_LIMIT_S,
) -> Listing | Refusal:
    """What the kernel in ``text`` becomes on ``target``.

    ``text``: a program, an executable or one bare lowered function (see
    :mod:`bankwise.change.compile.wrap`). ``kernel`` is needed where there are several. ``file``
    names the text in locations. A :class:`Refusal` if the target has no back end, the compiler
    rejects the kernel, ends or takes too long; :class:`InputError` if it is not installed.
    """
    emitted = emit(
        text,
        target,
        kernel=kernel,
        workgroup_size=workgroup_size,
        file=file,
        time_limit_s=time_limit_s,
    )
    return emitted if isinstance(emitted, Refusal) else listing_of(emitted, target, kernel, file)


class Emitted(Struct, frozen=True):
    """What the ``compiler`` wrote: assembly texts, its diagnostics, and, where the texts leave it
    to the launch, the shared memory of each kernel in bytes."""

    texts: tuple[str, ...]
    diagnostics: tuple[str, ...]
    shared_bytes: Mapping[str, int]
    compiler: Compiler


def listing_of(emitted: Emitted, target: str, kernel: str, file: str) -> Listing | Refusal:
    """The instructions of one kernel of what was emitted for ``target``."""
    backend = backend_of(target)
    assert backend is not None, target
    return _choose(_listings(emitted, backend), backend.target, kernel, file)


def emit(
    text: str,
    target: str,
    *,
    kernel: str = "",
    workgroup_size: Size | None = None,
    file: str = "<text>",
    time_limit_s: float = TIME_LIMIT_S,
    compiler: Compiler | None = None,
) -> Emitted | Refusal:
    """The assembly that the kernel in ``text`` becomes; parameters as of :func:`compile_text`.

    ``compiler``: who is asked, in place of the wheel's; the text is in the syntax of its release.
    """
    backend = backend_of(target)
    if backend is None:
        return Refusal(f"emitted instructions: not available for {target}")
    lanes = machine(target).wave_size
    source = prepare(text, kernel=kernel, workgroup_size=workgroup_size, wave_size=lanes)
    if isinstance(source, Refusal):
        return replace(source, location=Location(file))
    asked = compiler or own_compiler()
    source = replace(source, text=asked.spelled(source.text))
    return _run(asked, source, target, backend, file, time_limit_s)


def _run(
    compiler: Compiler,
    source: CompilerInput,
    target: str,
    backend: Backend,
    file: str,
    limit: float,
) -> Emitted | Refusal:
    with TemporaryDirectory(prefix="bankwise-") as folder:
        try:
            done = _start(compiler, source, backend, Path(folder), limit)
        except subprocess.TimeoutExpired:
            return Refusal(f"the compiler took more than {limit:g} s", Location(file))
        found = sorted(Path(folder).glob(f"out/*.{backend.suffix}"))
        texts = tuple(path.read_text("utf-8") for path in found)
    errors = diagnostics(done.stderr, file)
    if done.returncode:
        said = errors[0] if errors and done.returncode > 0 else died(done, file, compiler)
        return said if done.returncode > 0 else _repeatable(said, done, source.text, compiler)
    if not texts:
        return Refusal(f"the compiler made no {target} kernel of this text", Location(file))
    sizes = {name: int(size) for name, size in _SHARED_BYTES.findall(done.stderr)}
    return Emitted(texts, tuple(str(error) for error in errors), sizes, compiler)


def _listings(emitted: Emitted, backend: Backend) -> tuple[Listing, ...]:
    said = emitted.diagnostics
    found = (one for text in emitted.texts for one in backend.listings(text))
    listings = [replace(one, diagnostics=said) for one in found]
    sizes = emitted.shared_bytes
    if not sizes:
        return tuple(listings)
    return tuple(replace(one, lds_bytes=sizes.get(one.kernel, 0)) for one in listings)


def _start(
    compiler: Compiler, source: CompilerInput, backend: Backend, folder: Path, limit: float
) -> subprocess.CompletedProcess[str]:
    """Run the compiler in ``folder``, where it leaves assembly in ``out``."""
    (folder / "kernel.mlir").write_text(source.text, "utf-8")
    return subprocess.run(
        [
            str(compiler.program),
            "kernel.mlir",
            f"--iree-hal-target-backends={backend.name}",
            f"{compiler.flag(backend.target_flag)}={backend.target}",
            f"{backend.dump_flag}=out",
            *backend.extra,
            *source.arguments,
            "-o=kernel.bin",
        ],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=limit,
        check=False,
    )


_SAID = 400
"""Characters of what a compiler says: some list every attribute that they know."""


def diagnostics(
    stderr: str, file: str, *, name: str = "kernel.mlir", columns: bool = False
) -> list[Refusal]:
    """The compiler's errors at their places in the user's text ``file``, which it read as ``name``.

    Lines only, unless ``columns``: where text was added to the lines, it knows no columns.
    """
    return [
        Refusal(
            f"the compiler says: {shorten(message, _SAID, placeholder=' ..')}",
            Location(file, int(line), int(column or 0) if columns else 0)
            if found == name
            else Location(file),
        )
        for found, line, column, message in _DIAGNOSTIC.findall(stderr)
    ]


def _repeatable(
    crash: Refusal, done: subprocess.CompletedProcess[str], text: str, compiler: Compiler
) -> Refusal:
    """A crash with the command that shows it again, on a file that stays."""
    folder = Path(mkdtemp(prefix="bankwise-crash-"))
    (folder / "kernel.mlir").write_text(text, "utf-8")
    own = compiler == own_compiler()
    again = shlex.join(["iree-compile" if own else str(compiler.program), *done.args[1:]])
    return replace(crash, reason=f"{crash.reason}; again: cd {folder} && {again}")


def died(done: subprocess.CompletedProcess[str], file: str, compiler: Compiler) -> Refusal:
    """What to say of a failure without a diagnostic: a signal (crash, memory), an unknown exit."""
    if done.returncode < 0:
        how = f"crashed on this text ({Signals(-done.returncode).name})"
    else:
        how = f"failed with exit code {done.returncode} and no message"
    return Refusal(f"{compiler} {how}", Location(file), crash=done.returncode < 0)


def _choose(
    listings: tuple[Listing, ...], target: str, kernel: str, file: str
) -> Listing | Refusal:
    wanted = [one for one in listings if kernel in ("", one.kernel)]
    names = ", ".join(one.kernel for one in listings)
    if not wanted:
        return Refusal(f"no kernel {kernel!r} in the emitted code, only {names}", Location(file))
    if len(wanted) > 1:
        return Refusal(f"several kernels: {names}; name one", Location(file))
    if wanted[0].target != target:
        return Refusal(f"the text is made for {wanted[0].target}, not {target}", Location(file))
    return wanted[0]
