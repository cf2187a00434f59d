"""From a model to kernels with thread ids, and back: IREE lowers, bankwise reads, IREE links.

A model (linalg, torch or ONNX dialects on tensors) has no threads yet. IREE cuts it into dispatches
and lowers each in two steps, which are taken apart here:

    model --configure--> one executable per dispatch, tiles chosen --translate--> threads, LDS

Between the two, the mitigation can be chosen: in the configured text, the padding of LDS rows is
switched off or left on. The translation is printed after the last pass that touches LDS addresses,
and the same run leaves the assembly. :func:`link` goes the other way: it compiles the whole model
again, with rewritten kernels in place of IREE's own, to one loadable file.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct
from msgspec.structs import replace

from bankwise.change.compile.compile import (
    Backend,
    backend_of,
    compiled_targets,
    diagnostics,
    died,
)
from bankwise.change.compile.compilers import own_compiler
from bankwise.change.compile.wrap import prepare
from bankwise.errors import InputError, Location, Refusal
from bankwise.read.emitted import Listing
from bankwise.regex import regex

TIME_LIMIT_S = 600.0

_EXECUTABLE = regex(r"\bhal\.executable (?:public |private )?@([\w$.\-]+)")
_UNPADDED = "no_reduce_shared_memory_bank_conflicts = true"
_STATED = regex(r"\bno_reduce_shared_memory_bank_conflicts = false")
_OPTIONS = regex(r"#iree_gpu\.pipeline_options<([^>]*)>")
_CONFIG = regex(r"(\btranslation_info<pipeline = (?:(?!subgroup_size)[^{])*subgroup_size = \d+)")
_LAST_PASS = "iree-codegen-resolve-swizzle-hints"
_CODE = ("--compile-mode=hal-executable",)
_NO_CODE = ("--compile-from=executable-configurations", "--compile-to=executable-targets")
"""From a configured executable to its code, or to where only LLVM is left."""
_DUMP = regex(r"^// -----// IR Dump After (.*)//----- //\n", re.MULTILINE)


class Lowering(Struct, frozen=True):
    """How IREE is asked to lower. ``padding``: its padding of LDS rows, its default;
    ``direct_load``: copies from global memory straight to LDS, its default where it has them."""

    padding: bool = False
    direct_load: bool = False

    def __str__(self) -> str:
        return (
            f"padding {'on' if self.padding else 'off'}, "
            f"direct loads {'on' if self.direct_load else 'off'}"
        )


IREE_DEFAULT = Lowering(padding=True, direct_load=True)
"""What ``iree-compile`` does unasked."""


class Dispatch(Struct, frozen=True):
    """One executable of the model.

    ``text``: its kernel at thread level, a ``hal.executable``. ``listings``: what it becomes
    without any change. ``refusal``: why there is neither.
    """

    executable: str
    text: str = ""
    listings: tuple[Listing, ...] = ()
    refusal: Refusal | None = None

    @property
    def uses_shared_memory(self) -> bool:
        """Whether there is anything for bankwise to look at."""
        return "#gpu.address_space<workgroup>" in self.text


def lower(
    text: str,
    target: str,
    lowering: Lowering | None = None,
    *,
    file: str = "<model>",
    code: bool = True,
) -> tuple[Dispatch, ...]:
    """All dispatches of a model for ``target``, in its order.

    ``file`` names the text in locations; ``code``: with their listings, for which LLVM takes longer
    than IREE for all that comes before it. Raises :class:`InputError` with IREE's own diagnosis
    where the model does not come as far as dispatches; a dispatch that IREE then cannot translate
    is a :class:`Refusal` of its own.
    """
    chosen = lowering or Lowering()
    backend = _backend(target, file)
    with TemporaryDirectory(prefix="bankwise-") as name:
        folder = Path(name)
        (folder / "model.mlir").write_text(text, "utf-8")
        _configure(folder, backend, chosen, file)
        configured = sorted(folder.glob("configured/*.mlir"), key=_number)
        return tuple(_translate(one, backend, chosen, file, code) for one in configured)


def link(
    text: str,
    target: str,
    kernels: Mapping[str, str],
    lowering: Lowering | None = None,
    *,
    file: str = "<model>",
) -> bytes:
    """The model as a loadable ``.vmfb``, with ``kernels`` (by executable name) in it.

    Each kernel is the thread-level text of :func:`lower`, rewritten; the rest is compiled as ever.
    Raises :class:`InputError` if IREE rejects one of them.
    """
    backend = _backend(target, file)
    with TemporaryDirectory(prefix="bankwise-") as name:
        folder = Path(name)
        (folder / "model.mlir").write_text(text, "utf-8")
        flags = []
        for number, (executable, kernel) in enumerate(kernels.items()):
            (folder / f"kernel{number}.mlir").write_text(recompilable(kernel, file), "utf-8")
            flags.append(substitution(executable, f"kernel{number}.mlir"))
        command = [*_flags(backend, lowering or Lowering()), *flags, "-o=model.vmfb"]
        _run(["model.mlir", *command], folder, file)
        return (folder / "model.vmfb").read_bytes()


def substitution(executable: str, file: str) -> str:
    """The flag with which iree-compile takes an executable from a file in place of its own."""
    return f"--iree-hal-substitute-executable-configuration={executable}={file}"


def code_object(
    kernel: str, target: str, lowering: Lowering | None = None, *, file: str = "<kernel>"
) -> tuple[bytes, str]:
    """One rewritten kernel as a loadable code object (AMD: an ELF file, NVIDIA: PTX) and its text.

    Raises :class:`InputError` if IREE rejects it.
    """
    backend = _backend(target, file)
    with TemporaryDirectory(prefix="bankwise-") as name:
        folder = Path(name)
        (folder / "kernel.mlir").write_text(recompilable(kernel, file), "utf-8")
        flags = _flags(backend, lowering or Lowering())
        dumps = [f"--iree-hal-dump-executable-{k}-to={k}" for k in ("binaries", "intermediates")]
        mode = "--compile-mode=hal-executable"
        _run(["kernel.mlir", mode, *flags, *dumps, "-o=kernel.bin"], folder, file)
        binary = next(iter(sorted(folder.glob("binaries/*"))))
        source = next(iter(sorted(folder.glob(f"*/*.{backend.suffix}"))))
        return binary.read_bytes(), source.read_text("utf-8")


def recompilable(kernel: str, file: str) -> str:
    """The thread-level text of a kernel with what tells IREE that it is lowered already."""
    source = prepare(kernel)
    if isinstance(source, Refusal):
        raise InputError(source.reason, location=Location(file))
    return source.text


def _backend(target: str, file: str) -> Backend:
    backend = backend_of(target)
    if backend is None:
        raise InputError(
            f"models cannot be lowered for {target!r}",
            location=Location(file),
            hint=f"IREE emits code here for {', '.join(compiled_targets())}",
        )
    return backend


def _flags(backend: Backend, lowering: Lowering) -> list[str]:
    direct = "true" if lowering.direct_load else "false"
    return [
        f"--iree-hal-target-backends={backend.name}",
        f"{backend.target_flag}={backend.target}",
        f"--iree-llvmgpu-use-direct-load={direct}",
    ]


def _configure(folder: Path, backend: Backend, lowering: Lowering, file: str) -> None:
    _run(
        [
            "model.mlir",
            *_flags(backend, lowering),
            "--compile-to=executable-configurations",
            "--iree-hal-dump-executable-configurations-to=configured",
            "-o=model.configured",
        ],
        folder,
        file,
    )


def _translate(
    configured: Path, backend: Backend, lowering: Lowering, file: str, code: bool
) -> Dispatch:
    text = configured.read_text("utf-8")
    named = _EXECUTABLE.search(text)
    executable = named[1] if named else configured.stem
    if not lowering.padding:
        configured.write_text(unpadded(text), "utf-8")
    out = f"{configured.stem}.out"
    command = [
        configured.name,
        *_flags(backend, lowering),
        *(_CODE if code else _NO_CODE),
        *((f"{backend.dump_flag}={out}", *backend.extra) if code else ()),
        "--mlir-disable-threading",
        "--mlir-print-local-scope",
        "--mlir-print-ir-module-scope",
        f"--mlir-print-ir-after={_LAST_PASS}",
        f"-o={configured.stem}.bin",
    ]
    try:
        stderr = _run(command, configured.parent, f"{file}: {executable}")
    except InputError as error:
        return Dispatch(executable, refusal=Refusal(error.message, error.location))
    texts = sorted((configured.parent / out).glob(f"*.{backend.suffix}"))
    listings = tuple(one for path in texts for one in backend.listings(path.read_text("utf-8")))
    return Dispatch(executable, last_dump(stderr), _sized(listings, stderr))


def unpadded(configured: str) -> str:
    """A configured executable that does not pad its LDS rows: the option is set in every function.

    There is no flag for it; this is what ``examples/iree/make.sh`` does with sed.
    """
    text = _STATED.sub(_UNPADDED, configured)
    return "\n".join(map(_with_options, text.split("\n")))


def last_dump(stderr: str) -> str:
    """The module as the last pass on LDS addresses left it; empty if it did not run.

    Other passes may be printed beside it (NVIDIA: the one after which the LDS size stands).
    """
    _, *parts = _DUMP.split(stderr)
    dumps = zip(parts[::2], parts[1::2], strict=True)
    return next((text for name, text in reversed(list(dumps)) if _LAST_PASS in name), "")


def _with_options(line: str) -> str:
    """The line, with the option if it configures a function that does not state it."""
    if not _CONFIG.search(line) or "no_reduce_shared_memory_bank_conflicts" in line:
        return line
    if found := _OPTIONS.search(line):
        options = ", ".join(filter(None, (_UNPADDED, found[1])))
        return f"{line[: found.start(1)]}{options}{line[found.end(1) :]}"
    options = f"gpu_pipeline_options = #iree_gpu.pipeline_options<{_UNPADDED}>"
    with_more = re.sub(rf"{_CONFIG.pattern}, {{", rf"\1, {{{options}, ", line, count=1)
    if with_more != line:
        return with_more
    return _CONFIG.sub(rf"\1, {{{options}}}", line, count=1)


def _sized(listings: Sequence[Listing], stderr: str) -> tuple[Listing, ...]:
    """PTX does not state the size of shared memory; the translated executable does."""
    sizes = re.findall(r"workgroup_local_memory = (\d+)", stderr)
    known = len(sizes) == 1 and all(one.lds_bytes is None for one in listings)
    return tuple(replace(one, lds_bytes=int(sizes[0])) if known else one for one in listings)


def _run(command: list[str], folder: Path, file: str) -> str:
    """Run the compiler in ``folder`` and give its standard error.

    Its diagnosis is an :class:`InputError`, placed in the user's text where it speaks of the
    model; in a kernel's text, that the user has not written, only by name.
    """
    try:
        done = subprocess.run(
            [str(own_compiler().program), *command],
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIME_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        message = f"the compiler took more than {TIME_LIMIT_S:g} s"
        raise InputError(message, location=Location(file)) from error
    if not done.returncode:
        return done.stderr
    said = diagnostics(done.stderr, file, name="model.mlir", columns=True)
    first = said[0] if said else died(done, file, own_compiler())
    raise InputError(first.reason, location=first.location)


def _number(path: Path) -> tuple[int, str]:
    """Dispatches in the model's order: dispatch_10 after dispatch_9."""
    found = re.search(r"_dispatch_(\d+)", path.name)
    return (int(found[1]) if found else 0, path.name)
