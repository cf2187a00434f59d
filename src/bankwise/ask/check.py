"""``bankwise check``: say what a file is, and have it checked by who can read it."""

from __future__ import annotations

from pathlib import Path

from bankwise.read.options import Options
from bankwise.show.values import CheckReport


def check(
    file: str | Path,
    target: str = "",
    *,
    kernel: str = "",
    dims: tuple[str, ...] = (),
    workgroup_size: str = "",
    policy: str = "iree",
    isa: bool = False,
) -> CheckReport:
    """Predict the bank conflicts of every kernel in ``file``. Parameters as on the command line."""
    return check_file(Path(file), Options(target, kernel, dims, workgroup_size, policy), isa=isa)


def check_file(file: Path, options: Options, *, isa: bool = False) -> CheckReport:
    """Open ``file`` and check it. Raises InputError for what cannot be read.

    Folders, emitted code (``.s``, ``.rocmasm``, ``.amdgcn``, ``.ptx``) and models go their own
    ways.
    """
    if file.is_dir():
        from bankwise.ask.folder import check_folder

        return check_folder(file, options, check_file)
    from bankwise.ask.check_assembly import check_assembly_file, is_assembly

    if is_assembly(file):
        return check_assembly_file(file, options, options.arguments)
    if file.suffix.lower() == ".ttgir":
        from bankwise.ask.check_ttgir import check_ttgir_file

        return check_ttgir_file(file, options)
    from bankwise.ask.check_mlir import check_mlir_file

    return check_mlir_file(file, options, isa=isa)
