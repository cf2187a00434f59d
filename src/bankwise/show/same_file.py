"""Whether the file of a saved check is the one that is checked now.

A saved check names files as its command did, and the folder in which that ran: below the root of a
git repository from there, so that another clone is the same, elsewhere absolute. What is not surely
the same file is new: a conflict that is told twice costs a look, one that is masked costs the
answer.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePath


def working_folder() -> str:
    """The folder from which relative files are named: from the root of its git repository, absolute
    outside of one."""
    here = Path.cwd()
    root = _root(here)
    return str(here) if root is None else here.relative_to(root).as_posix()


def named_from_here(file: str, folder: str | None, saved: str) -> str:
    """A file of a saved check as it is named in this working folder; as it was where nobody knows
    where its folder is (``folder`` None: the check did not say). ``saved``: the file of the check;
    its repository counts where this folder is in none that has the other."""
    if folder is None or os.path.isabs(file):
        return file
    roots = (_root(Path.cwd()), _root(Path(saved).absolute().parent), Path("/"))
    tops = (root / folder for root in roots if root is not None)
    known = [there for there in tops if there.is_dir()]
    has = [there for there in known if (there / file).exists()]
    return str(relative(str((has or known)[0] / file))) if known else file


def _root(folder: Path) -> Path | None:
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)


def same(now: tuple[str, str], then: tuple[str, str]) -> bool:
    """Whether two files are one, each with what was asked about when it was read.

    Two relative paths must be equal; an absolute one may be of another checkout, and is held by its
    end. Files of two folders that lie apart are held by where they lie in the folder that was asked
    about.
    """
    new, old = relative(now[0]), relative(then[0])
    if new == old:
        return True
    tops = relative(now[1]), relative(then[1])
    inner = tuple(f.relative_to(t) for f, t in zip((new, old), tops, strict=True) if t in _above(f))
    apart = tops[0] not in _above(tops[1]) and tops[1] not in _above(tops[0])
    folders = len(inner) == 2 and all(path.parts for path in inner)
    if apart and folders and inner[0] == inner[1]:
        return True
    if not (new.is_absolute() or old.is_absolute()):
        return False
    least = max(1, *(len(path.parts) for path in inner))
    short, long = sorted((_parts(new), _parts(old)), key=len)
    return len(short) >= least and long[-len(short) :] == short


def relative(file: str) -> Path:
    """A path without dots: from the working folder if it is below it, else absolute where it
    leaves it."""
    path, here = Path(os.path.normpath(file)), Path.cwd()
    path = Path(os.path.normpath(here / path)) if path.parts[:1] == ("..",) else path
    return path.relative_to(here) if here in path.parents or path == here else path


def _above(path: PurePath) -> tuple[PurePath, ...]:
    return (path, *path.parents)


def _parts(path: PurePath) -> tuple[str, ...]:
    return path.relative_to(path.anchor).parts
