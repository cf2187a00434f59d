"""nvcc's own programs, with those declarations of its headers alone that a source needs.

    nvcc --dryrun   gcc -E -include cuda_runtime.h k.cu -o k.ii;  cicc k.ii -o k.ptx;  ptxas k.ptx
    here            gcc -E -include macros.h k.cu -o k.ii;  declarations before it;  cicc;  ptxas

Of 190 ms of CPU that a small kernel takes 140 go into reading ``cuda_runtime.h``. Here it is
preprocessed and cut into declarations once for all tests of a run, with those of the toolkit's
headers that a source begins with. What is made is the same to the byte; where that is not certain,
and whatever is refused here, is left to nvcc.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import declarations
from declarations import Declarations

_INCLUDE, _HEADER = "-include", "cuda_runtime.h"
_BEFORE = '# 0 "<command-line>" 2\n'
"""Where it stands for the last time in what gcc prints, the source begins."""
_ELSEWHERE = ("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "CCC_OVERRIDE_OPTIONS")
_OTHER = re.compile(r"-D(?!_*(?:CUDA|NVCC))|-isystem.|-iquote|-idirafter|-imacros|@|-U|-std=.*17")
"""Flags that headers may heed."""
_LAUNCH = "__cudaPushCallConfiguration"
"""What cicc asks for where a kernel is launched."""
_FIRST = re.compile(
    r"(?:\s*(?://.*|# *include *<(?:cuda_\w+|mma|stdio|cmath|math|cstdint|stdint)(?:\.h)?>)? *\n)+"
)


class Header(NamedTuple):
    """Headers for some flags: ``macros`` that hold behind them, the names of the ``files`` that
    they include, and what they declare."""

    macros: str
    files: frozenset[str]
    declared: Declarations


def compiled(words: Sequence[str], folder: Path, kept: Path) -> str | None:
    """What nvcc prints that is called so, for what it makes is made; None where it has to be
    called. ``folder``: for its files; ``kept``: where headers lie that were read."""
    try:
        return _compiled(list(_steps(words, folder)), folder, kept)
    finally:
        for one in folder.glob("tmpxft_*"):
            one.unlink()


def _compiled(steps: Sequence[Sequence[str]], folder: Path, kept: Path) -> str | None:
    if [Path(one[0]).name for one in steps] not in (["gcc", "cicc", "ptxas"], ["gcc", "cicc"]):
        return None
    if any(map(os.environ.get, _ELSEWHERE)) or not _preprocessed(steps[0], folder, kept):
        return None
    said = [_said(one, folder) for one in steps[1:]]
    return None if None in said else "".join(filter(None, said))


def _steps(words: Sequence[str], folder: Path) -> Iterator[list[str]]:
    """The programs that nvcc would run."""
    known: dict[str, str] = {}
    for line in (_said([*words, "--dryrun"], folder) or "").splitlines():
        text = line.removeprefix("#$ ")
        if found := re.fullmatch(r"(\w+)=(.*)", text):
            known[found[1]] = found[2]
        else:
            told = re.sub(r"\$(\w+)", lambda one: known.get(one[1], one[0]), text)
            program, *more = shlex.split(told)
            yield [shutil.which(program, path=known.get("PATH")) or program, *more]


def _said(words: Sequence[str], folder: Path) -> str | None:
    """What a program prints; None where it fails."""
    done = subprocess.run(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "TMPDIR": str(folder)},
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return None if done.returncode else done.stdout


def _preprocessed(words: Sequence[str], folder: Path, kept: Path) -> bool:
    """Whether the source is preprocessed, what it needs of headers before it."""
    at, source, made = words.index(_INCLUDE), Path(words[-3]), Path(words[-1])
    own = [one for one in words[:-3] if one.startswith("-I") and "/targets/" not in one]
    plain = [one for one in words[:-3] if one not in own]
    if words[at + 1] != _HEADER or words[-2] != "-o" or any(map(_OTHER.match, plain[1:])):
        return False
    text = source.read_text("utf-8", errors="surrogateescape")
    place, known = _header(tuple(plain), _first_headers(text), kept)
    if known is None:
        return False
    folders = [one for one in (Path(word[2:]) for word in own) if one.is_dir()]
    if any(known.files.intersection(os.listdir(one)) for one in folders):
        return False
    if _said([*words[: at + 1], str(place), *words[at + 2 :]], folder) is None:
        return False
    text = made.read_text("utf-8", errors="surrogateescape")
    mine = text[text.rindex(_BEFORE) :]
    need = declarations.needed(known.declared, declarations.words_of(mine) | {_LAUNCH})
    made.write_text(f'# 1 "{source}"\n{need}{mine}', "utf-8", errors="surrogateescape")
    return True


def _first_headers(text: str) -> tuple[str, ...]:
    """Headers of the toolkit that a source includes before it says anything else."""
    found = _FIRST.match(text)
    return tuple(re.findall(r"<([^>]+)>", found[0])) if found else ()


@cache
def _header(
    words: tuple[str, ...], more: tuple[str, ...], kept: Path
) -> tuple[Path, Header | None]:
    """The file of the macros of ``cuda_runtime.h`` and ``more`` headers, and what there is to know
    of these; None where these are not the toolkit's. ``words``: gcc, and its flags."""
    code = [Path(one).read_bytes() for one in (__file__, declarations.__file__)]
    digest = hashlib.sha256(repr((words, more, code)).encode()).hexdigest()
    place, macros = kept / f"header-{digest}", kept / f"header-{digest}.h"
    with suppress(FileNotFoundError):
        return macros, pickle.loads(place.read_bytes())
    made = _read(list(words), more)
    if made is None:
        return macros, None
    for path, data in ((macros, made.macros.encode()), (place, pickle.dumps(made))):
        with tempfile.NamedTemporaryFile(dir=kept, delete=False) as file:
            file.write(data)
        os.replace(file.name, path)
    return macros, made


def _read(words: list[str], more: tuple[str, ...]) -> Header | None:
    at = words.index(_INCLUDE)
    without = words[:at] + words[at + 2 :]
    words = words[: at + 2] + [word for name in more for word in (_INCLUDE, name)] + words[at + 2 :]
    with tempfile.TemporaryDirectory() as folder:
        empty = Path(folder, "empty.cu")
        empty.touch()
        text, after, before = (
            _said([*one, str(empty)], Path(folder))
            for one in (words, [*words, "-dM"], [*without, "-dM"])
        )
    if text is None or after is None or before is None:
        return None
    builtin = set(before.splitlines())
    macros = "".join(f"{one}\n" for one in after.splitlines() if one not in builtin)
    files = re.findall(r'^# \d+ "(/[^"]+)"', text, re.MULTILINE)
    names = {name for one in files for name in one.split("/")[-2:]} - {"include"}
    return Header(macros, frozenset(names), declarations.declarations(text))
