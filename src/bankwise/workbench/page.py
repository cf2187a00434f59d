"""The page as one file: template, style, machine facts and all modules in one HTML document.

The modules in ``static`` are plain ES modules, which node runs as they are. Browsers refuse to
load modules from ``file://``, so :func:`script` joins them into one inline module: each becomes a
function that returns its exports, in the order of their imports. Nothing else is transformed.

The document names the hash of its script and forbids every connection but to its own server.
"""

from __future__ import annotations

import base64
import hashlib
import json
import posixpath
import re
from functools import cache
from importlib import resources
from typing import Any

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_SLOT = re.compile(r"@@(\w+)@@")


def page(token: str = "") -> str:
    """The workbench. ``token``: what its server asks for; without one the page stands alone."""
    facts = _static("machines.json")
    many = len(json.loads(facts)["machines"])
    return _fill("index.html", facts=facts, token=token, machines=str(many))


def html(document: dict[str, Any], source: str = "") -> str:
    """A report of check or fix (its JSON document) as a page that needs nothing else.

    ``source``: the text of the kernel, shown beside the report if given.
    """
    text = json.dumps({"document": document, "source": source}, separators=(",", ":"))
    return _fill("report.html", report=text.replace("<", "\\u003c"))


@cache
def script() -> str:
    """All modules from ``main.js`` down as one: every module a function, called once."""
    done: dict[str, str] = {}
    _collect("main.js", done)
    return "".join(done.values())


def _collect(path: str, done: dict[str, str]) -> None:
    if path in done:
        return
    text = _static(path)
    folder = posixpath.dirname(path)
    for _, target in _IMPORT.findall(text):
        _collect(posixpath.normpath(posixpath.join(folder, target)), done)
    done[path] = _module(path, text)


def _module(path: str, text: str) -> str:
    folder = posixpath.dirname(path)

    def bound(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[2]))
        return f"const {{{match[1]}}} = {_variable(target)};\n"

    names = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(bound, text))
    assert not re.search(r"^(?:import|export)\b", body, re.MULTILINE), path
    return f"const {_variable(path)} = (() => {{\n{body}return {{ {names} }};\n}})();\n"


def _variable(path: str) -> str:
    return "module_" + re.sub(r"\W", "_", path.removesuffix(".js"))


def _fill(template: str, **slots: str) -> str:
    code = script()
    values = {"style": _static("style.css"), "script": code, "policy": _policy(code), **slots}
    return _SLOT.sub(lambda match: values[match[1]], _static(template))


def _policy(code: str) -> str:
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
    )


def _static(path: str) -> str:
    return (resources.files(__package__) / "static" / path).read_text("utf-8")
