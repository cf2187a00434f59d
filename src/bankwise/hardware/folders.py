"""Where machine files are: those of the package, and a folder of the user's own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bankwise.errors import InputError, Location

FOLDER_VARIABLE = "BANKWISE_MACHINES"
"""The environment variable that names a folder with machine files of the user's own."""


def machine_files() -> Mapping[str, Path]:
    """Every machine file by the machine's name.

    Raises :class:`InputError` if the user's folder cannot be read, or has a file named like one of
    the package: no answer may depend on a file that nobody sees.
    """
    return {**_shipped(), **own_machine_files()}


def own_machine_files() -> Mapping[str, Path]:
    """Those of the user's own; errors as above."""
    folder = os.environ.get(FOLDER_VARIABLE, "")
    return _own(folder) if folder else {}


def shown_path(file: Path) -> str:
    """How to name a file in errors: by its path if it is the user's."""
    return str(file) if file.stem not in _shipped() else file.name


@cache
def _shipped() -> Mapping[str, Path]:
    return {path.stem: path for path in Path(__file__).parent.glob("*.toml")}


def _own(folder: str) -> dict[str, Path]:
    try:
        found = {path.stem: path for path in Path(folder).iterdir() if path.suffix == ".toml"}
    except OSError as error:
        message = f"{FOLDER_VARIABLE}: cannot be read: {error.strerror}"
        raise InputError(message, location=Location(folder)) from error
    for name, path in found.items():
        if name in _shipped():
            raise InputError(
                f"the machine {name} comes with bankwise already",
                location=Location(str(path)),
                hint="give your file, and the machine in it, a name of its own",
            )
    return found
