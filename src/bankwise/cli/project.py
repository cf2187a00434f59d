"""What the ``bankwise.toml`` of a project says where the command line says nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bankwise.cli.common import err

if TYPE_CHECKING:
    from bankwise.read.options import Options

_Answer = TypeVar("_Answer")


def asked(verb: str, file: Path, options: Options, run: Callable[[Options], _Answer]) -> _Answer:
    """The answer of ``run`` about a file. Its project's target is taken where the file names none;
    what was taken from where is said once."""
    from msgspec.structs import replace

    from bankwise.errors import InputError
    from bankwise.read.recognise import recognise
    from bankwise.read.unsaid import told, unsaid

    if not file.is_file():
        return run(options)
    project, taken = unsaid(verb, file, options)
    if project is None:
        return run(options)
    kind = recognise(file)
    target = taken.pop("target", "")
    if target and kind.compiled:
        taken["target"] = target
    try:
        answer = run(replace(options, **taken))
    except InputError as error:
        if not target or kind.compiled or "--target" not in str(error):
            _tell(told(taken, project))
            raise
        taken["target"] = target
        answer = run(replace(options, **taken))
    _tell(told(taken, project))
    return answer


def tell_of_many(verb: str, files: Iterable[str], options: Options) -> None:
    """What was taken for some files, each project once; of one that cannot be read the answer has
    said so."""
    from bankwise.errors import InputError
    from bankwise.read.unsaid import of_one_of_many

    told: dict[str, None] = {}
    for file in (Path(file) for file in dict.fromkeys(files) if Path(file).is_file()):
        with suppress(InputError):
            told.setdefault(of_one_of_many(verb, file, options)[1])
    for said in told:
        _tell(said)


def _tell(said: str) -> None:
    if said:
        err().print(f"note: {said}", markup=False)
