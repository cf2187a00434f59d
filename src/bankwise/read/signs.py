"""By what a format is told: tests on the content of a file or on what a folder holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

from bankwise.regex import regex

HEAD = 1 << 16
"""So many characters show what most texts are."""


class Content(Struct, frozen=True):
    """What a file holds: its first bytes, and its text, "" where it has none. Or a folder."""

    data: bytes = b""
    text: str = ""
    folder: Path | None = None


Sign = Callable[[Content], bool]

_QUIET = regex(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*')
_TENSOR_WORDS = ("tensor<", "!torch.")
_TENSORS = regex(r"\btensor<|!torch\.")
_THREADS = regex(r"\bttg\.|\bgpu\.(?:thread|lane)_id\b|address_space<workgroup>|\bmemref<[^>]*, 3>")
_TRITON = regex(r"\btt\.[a-z]|!tt\.|#ttg\.")
_LAYOUTS = regex(r"\bttg\.|\btriton_gpu\.|\"ttg?\.num-|\"triton_gpu\.")
_MLIR = regex(
    r"^[ \t]*(?:(?:builtin\.)?module\b[^\n]*\{|\"builtin\.module\"|[\w.]+\.func\b[^\n]*@"
    r"|gpu\.[a-z]\w*|(?:hal|flow|stream|util)\.[a-z]\w*|#[\w.]+ = (?:affine_map|#)"
    r"|%[\w#:, %]+ = \"?[a-z_]\w*\.\w+|// -----// IR Dump )",
    re.MULTILINE,
)
_BANNER = regex(r"^[ \t]*// -----// IR Dump (?:Before|After) (\S+)", re.MULTILINE)
_BLOCK = regex(
    r"^[ \t]*(?:\.\. (?:code-block|code|sourcecode)::[ \t]*|(?:`{3,}|~{3,})[ \t]*\{?[.]?)mlir\b",
    re.MULTILINE,
)
_TOP_KEY = regex(r"^(?:\[\[?[ \t]*)?\"?([A-Za-z_]\w*)\"?[ \t]*(=[ \t]*\[|=|\]|\.)", re.MULTILINE)
_IF = regex(r"\s*#\s*if(?:(?:ndef\s+|\s*!\s*defined[\s(]+)(\w+)[\s)]*$|\b|n?def\b)")
"""The beginning of a part of C++ text that the compiler may leave out, and what is not defined."""
_ENDIF = regex(r"\s*#\s*endif\b")
_LIKE_TOML = regex(r"(?:\s|#[^\n]*\n)*(?:\[\[?\w+|\w+[ \t]*=)")


def magic(pattern: bytes) -> Sign:
    """The first bytes match."""
    return lambda content: re.match(rb"(?:" + pattern + rb")", content.data, re.DOTALL) is not None


def lines(*beginnings: str) -> Sign:
    """A line near the start of the text begins with one of these, blanks apart."""
    pattern = rf"^[ \t]*(?:{'|'.join(beginnings)})"
    # Compiled when it is first asked: the help texts need the table, not its signs.
    return lambda content: (
        re.compile(pattern, re.MULTILINE).search(content.text, 0, HEAD) is not None
    )


def always(*beginnings: str) -> Sign:
    """As :func:`lines`, of lines that no ``#if`` of the text may leave out."""
    sign = lines(*beginnings)
    return lambda content: sign(content) and sign(Content(text=_unconditional(content.text)))


def _unconditional(text: str) -> str:
    """The lines near the start of a text that stand in no ``#if``, but for one that guards a header
    against a second reading."""
    kept, depths, depth = list[str](), list[int](), 0
    code = text[:HEAD].splitlines()
    for line, after in zip(code, [*code[1:], ""], strict=True):
        if begins := _IF.match(line):
            guards = begins[1] is not None and re.match(rf"\s*#\s*define\s+{begins[1]}\b", after)
            depths.append(0 if guards else 1)
            depth += depths[-1]
        elif _ENDIF.match(line) and depths:
            depth -= depths.pop()
        elif not depth:
            kept.append(line)
    return "\n".join(kept)


def without(pattern: str, sign: Sign) -> Sign:
    """As ``sign`` says, but of no text that has this in its code: comments, strings apart."""
    return lambda content: (
        sign(content) and re.search(pattern, _QUIET.sub("", content.text)) is None
    )


def keys(*names: str) -> Sign:
    """The text is TOML, or nearly, with one of these keys at its top; ``tile [[]]``: tables."""
    return lambda content: bool(_top_keys(content.text).intersection(names))


def inside(pattern: str) -> Sign:
    """A folder that holds a file of such a name."""
    return lambda content: content.folder is not None and any(content.folder.glob(pattern))


def is_folder(content: Content) -> bool:
    """Any folder."""
    return content.folder is not None


def is_text(content: Content) -> bool:
    """Any text."""
    return bool(content.text)


def schema(name: str) -> Sign:
    """JSON that names a schema of bankwise, ``name`` or, if that is "", any."""
    return lambda content: _schema(content.text).startswith(f"bankwise.{name}{'/' if name else ''}")


def is_json(content: Content) -> bool:
    """The text begins as an object of JSON does."""
    return re.match(r"\s*\{\s*[\"}]", content.text) is not None


def is_ttgir(content: Content) -> bool:
    """MLIR of Triton that says how tensors lie in registers and in shared memory."""
    return is_ttir(content) and _LAYOUTS.search(content.text) is not None


def is_ttir(content: Content) -> bool:
    """MLIR of Triton."""
    code = _QUIET.sub("", content.text[:HEAD])
    return _MLIR.search(code) is not None and _TRITON.search(code) is not None


def is_kernel(content: Content) -> bool:
    """MLIR with threads, or whatever else has no format of its own."""
    plain = _MLIR.search(content.text, 0, HEAD) is not None and not is_ttir(content)
    return plain and not any(sign(content) for sign in (is_model, is_dump, is_document))


def is_dump(content: Content) -> bool:
    """A compiler printed its IR after several different passes."""
    return len(set(_BANNER.findall(content.text))) > 1


def is_model(content: Content) -> bool:
    """MLIR that computes on tensors and knows no threads or workgroup memory yet. A dump of several
    passes that was cut off before there are any is a dump."""
    text = content.text
    # A word is found much faster than a pattern, and texts of other kinds have neither.
    if not any(word in text for word in _TENSOR_WORDS) or is_dump(content):
        return False
    code = _QUIET.sub("", text)
    known = _THREADS.search(code) or _TRITON.search(code)
    return bool(_TENSORS.search(code)) and not known


def is_document(content: Content) -> bool:
    """A page of RST or Markdown with a block of MLIR."""
    return _BLOCK.search(content.text) is not None


@lru_cache(maxsize=2)
def _schema(text: str) -> str:
    """Of a text that is damaged the first that it names."""
    if not is_json(Content(text=text)):
        return ""
    import json

    try:
        data = json.loads(text)
        return str(data.get("schema", ""))
    except (json.JSONDecodeError, RecursionError):
        found = re.search(r'"schema":\s*"([^"\n]*)"', text)
        return found[1] if found else ""


@lru_cache(maxsize=2)
def _top_keys(text: str) -> frozenset[str]:
    """Of a text that is damaged those that its lines show."""
    import tomllib

    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        found = _TOP_KEY.findall(text) if _LIKE_TOML.match(text) else []
        tables = re.findall(r"^\[\[[ \t]*(\w+)[ \t]*\]\]", text, re.MULTILINE) if found else []
        return frozenset((*(k for k, _ in found), *(f"{k} [[]]" for k in tables)))
    tables = [k for k, v in data.items() if isinstance(v, list) and v and isinstance(v[0], dict)]
    return frozenset((*data, *(f"{k} [[]]" for k in tables)))
