"""Packages of an extra, imported when something needs them, and the line that installs them."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote, urlsplit

from bankwise.errors import InputError


def extra(module: str, name: str) -> ModuleType:
    """A module of the extra ``name``; :class:`InputError` says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        message = f"this needs the package {package}, which cannot be imported: {error}"
        raise InputError(message, hint=install(name)) from error


def install(name: str) -> str:
    """The command that adds the extra ``name`` to the copy of bankwise that runs."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        origin = distribution("bankwise").read_text("direct_url.json") or ""
    except PackageNotFoundError:
        origin = ""
    return install_line(name, Path(__file__).resolve().parents[1], origin)


def install_line(name: str, package: Path, origin: str) -> str:
    """The same for a copy whose modules lie in ``package``; ``origin``: what its installer wrote
    down of where it is from (PEP 610), "" for a package index."""
    checkout = package.parents[1]
    if package.parent.name == "src" and (checkout / "pyproject.toml").is_file():
        return f"pip install -e '{_near(checkout)}[{name}]'"
    known = json.loads(origin) if origin else {}
    url = urlsplit(str(known.get("url", "")))
    if url.scheme == "file":
        return f"pip install '{_near(Path(unquote(url.path)))}[{name}]'"
    if "vcs_info" in known:
        about = known["vcs_info"]
        return f"pip install 'bankwise[{name}] @ {about['vcs']}+{known['url']}'"
    if url.scheme:
        return f"pip install 'bankwise[{name}] @ {known['url']}'"
    return f"pip install 'bankwise[{name}]'"


def _near(path: Path) -> str:
    """A path as one types it here."""
    try:
        return "." if path == Path.cwd() else str(path)
    except OSError:
        return os.fspath(path)
