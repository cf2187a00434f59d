"""The page as one file: template, style, machine facts and all modules in one HTML document.

The modules in ``static`` are plain ES modules, which node runs as they are. Browsers refuse to
load modules from ``file://``, so :func:`script` joins them into one inline module: each becomes a
function that returns its exports, in the order of their imports. Comments and indentation stay at
home; nothing else is transformed.

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
from typing import Any, Literal

from bankwise.read.recognise import words
from bankwise.show.schema import plain

Host = Literal["", "yes", "static"]
"""Behind a page: nobody, ``bankwise workbench`` with its jobs, or any host of plain files."""

_IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^\s*(?:/\*\*.*?\*/|//[^\n]*)[ \t]*\n", re.MULTILINE | re.DOTALL)
_REMARK = re.compile(r"/\*.*?\*/", re.DOTALL)
_AROUND = re.compile(r"\s*([{};])\s*|(?<=[\w-]:) ")
_SLOT = re.compile(r"@@(\w+)@@")


def page(server: Host = "") -> str:
    """The workbench. ``server``: who stands behind it (:data:`Host`)."""
    facts = _static("machines.json")
    formats = words("check", "solve")
    gallery = _carried(json.loads(_static("gallery.json")))
    return _fill("index.html", "main", facts=facts, server=server, gallery=gallery, formats=formats)


def site() -> dict[str, str]:
    """A public build, by file name: the page, and what lets it open without its host again."""
    text = page("static")
    version = hashlib.sha256(text.encode()).hexdigest()[:16]
    return {"index.html": text, "sw.js": _static("sw.js").replace("@@version@@", version)}


def html(report: object, source: str = "") -> str:
    """A report of check or fix (its document) as a page that needs nothing else.

    ``source``: the text of the kernel, shown beside the report if given.
    """
    document = plain(report)
    known = json.loads(_static("machines.json"))["machines"]
    machines = [m for m in known if m["name"] in _targets(document)]
    return _fill(
        "report.html",
        "report",
        report=_carried({"document": document, "source": source}),
        facts=_carried({"machines": machines}),
    )


def _carried(value: object) -> str:
    """A value as the text of a script element, which nothing in it can end."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")


def _targets(document: dict[str, Any]) -> set[str]:
    """The machines of a check, or of the checks in a fix, or of the fixes of a model."""
    inside = [document.get("before"), document.get("after"), *document.get("dispatches", [])]
    kernels = {kernel["target"] for kernel in document.get("kernels", [])}
    return kernels.union(*(_targets(one) for one in inside if one))


def scan_html(**slots: str) -> str:
    """A scan as a page: what stands in its slots, and the script that arranges its rows."""
    return _fill("scan.html", "scan", **slots)


@cache
def script(entry: str = "main") -> str:
    """All modules from ``entry`` down as one: every module a function, called once."""
    done: dict[str, str] = {}
    _collect(f"{entry}.js", done)
    return "".join(done.values())


def _collect(path: str, done: dict[str, str]) -> None:
    if path in done:
        return
    text = _static(path)
    folder = posixpath.dirname(path)
    for _, target in _IMPORT.findall(text):
        _collect(posixpath.normpath(posixpath.join(folder, target)), done)
    done[path] = lean(_module(path, text))


def _module(path: str, text: str) -> str:
    folder = posixpath.dirname(path)

    def bound(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match[2]))
        return f"const {{{match[1]}}} = {_variable(target)};\n"

    names = ", ".join(_EXPORT.findall(text))
    body = _EXPORT.sub("", _IMPORT.sub(bound, text))
    assert not re.search(r"^(?:import|export)\b", body, re.MULTILINE), path
    return f"const {_variable(path)} = (() => {{\n{body}return {{ {names} }};\n}})();\n"


def lean(text: str) -> str:
    """Without comments that have lines of their own, and without indentation but in literals."""
    lines, inside = [], False
    for line in _COMMENT.sub("", text).splitlines(keepends=True):
        lines.append(line if inside else line.lstrip(" \t"))
        inside ^= line.count("`") % 2 == 1
    return "".join(lines)


def style(entry: str = "main") -> str:
    """The style sheets without comments, and without spaces where they mean nothing: what all
    pages share, and but for the workbench what reports have of their own."""
    sheets = _static("style.css") + ("" if entry == "main" else _static("report.css"))
    return _AROUND.sub(lambda match: match[1] or "", _REMARK.sub("", lean(sheets)))


def _variable(path: str) -> str:
    return "module_" + re.sub(r"\W", "_", path.removesuffix(".js"))


def _fill(template: str, entry: str, **slots: str) -> str:
    code = script(entry)
    values = {"style": style(entry), "script": code, "policy": _policy(code), **slots}
    return _SLOT.sub(lambda match: values[match[1]], _static(template))


def _policy(code: str) -> str:
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
    )


def _static(path: str) -> str:
    return (resources.files(__package__) / "static" / path).read_text("utf-8")
