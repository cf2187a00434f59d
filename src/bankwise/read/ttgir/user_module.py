"""The user's file as a module, and the kernel that has a name in it.

A file of a package is imported under the name that it has there, so that ``from .utils import x``
finds what it finds in the user's program, and no file of his hides a module of another name: of
``package/token.py`` only ``package.token`` is made, never ``token``.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

_PACKAGE = "__init__.py"


def module_of(path: str) -> Any:
    """The user's file, imported; it runs its top level, but not what is under ``__main__``, nor
    what follows a question to Triton: this process is there to answer that.

    The packages around it are imported first, as in the user's program. Where one of them cannot
    be, a file that does not need it still can.
    """
    from bankwise.read.ttgir.wheel import ImportedAgain

    folder, name = _named(Path(path))
    package = name.rpartition(".")[0]
    if package:
        sys.path.insert(0, str(folder))
        with suppress(Exception, ImportedAgain):
            importlib.import_module(package)
        if name in sys.modules:
            return sys.modules[name]
    else:
        sys.path.append(str(folder))
    return _executed(path, name)


def kernel_of(module: Any, name: str) -> Any:
    """The ``@triton.jit`` function of that name, whatever decorates it: ``triton.autotune`` and
    ``triton.heuristics`` keep what they are put on as ``fn``. ValueError if there is none."""
    import triton

    kernel = _undecorated(getattr(module, name, None))
    if kernel is not None:
        return kernel
    there = [
        k
        for k, one in vars(module).items()
        if isinstance(one, triton.runtime.KernelInterface) and _undecorated(one) is not None
    ]
    listed = f"; it has {', '.join(there)}" if there else ""
    raise ValueError(f"{name!r} is no @triton.jit function of this file{listed}")


def _undecorated(found: Any) -> Any:
    import triton

    seen: list[Any] = []
    while not isinstance(found, triton.JITFunction):
        seen.append(found)
        found = vars(found).get("fn") if hasattr(found, "__dict__") else None
        if found is None or any(found is one for one in seen):
            return None
    return found


def _named(path: Path) -> tuple[Path, str]:
    """The folder that has the file, or the outermost package around it, and the file's name there;
    of a file in no package a name that no other module has."""
    parts, folder = [path.stem], path.parent
    while (folder / _PACKAGE).is_file() and folder.name.isidentifier():
        parts.append(folder.name)
        folder = folder.parent
    if path.name == _PACKAGE:
        parts = parts[1:]
    if len(parts) == 1 and path.stem in sys.modules:
        parts = [f"bankwise_{path.stem}"]
    return folder, ".".join(reversed(parts))


def _executed(path: str, name: str) -> Any:
    from bankwise.read.ttgir.wheel import ImportedAgain

    found = importlib.util.spec_from_file_location(name, path)
    assert found is not None, path
    assert found.loader is not None, path
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    with suppress(ImportedAgain):
        found.loader.exec_module(module)
    return module
