"""Say what a file is, and hand it to who takes it, or say no in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path, PurePath
from typing import Any

from bankwise.errors import InputError, Location
from bankwise.files import head_of_binary, read_bytes, read_text, unterminated
from bankwise.read import formats
from bankwise.read.format import Format
from bankwise.read.signs import Content

_LEFT = 2
"""The last formats of the table take what no other does."""
_MOST_LISTED = 12
"""Kinds of file that a message names; more hide what it says."""


def recognise(path: str | Path) -> Format:
    """What a file or folder is. :class:`InputError` for one that is empty or cannot be read."""
    if Path(path).is_dir():
        return _format_of(Content(folder=Path(path)), "")
    data = head_of_binary(path) or read_bytes(path)
    if not data.strip():
        raise InputError("the file is empty", location=Location(str(path)))
    return recognise_bytes(str(path), data)


def recognise_text(name: str, text: str) -> Format:
    """What a text is that may have a name."""
    return recognise_bytes(name, text.encode("utf-8", "replace"))


def recognise_bytes(name: str, data: bytes) -> Format:
    """What the content of a file is; ``name`` may tell it by its suffix."""
    held = unterminated(data)
    text = "" if b"\0" in held else held.decode("utf-8", "replace").removeprefix("\ufeff")
    return _format_of(Content(data, text), PurePath(name).suffix.lower())


def _format_of(content: Content, suffix: str) -> Format:
    table = formats.FORMATS
    named = [one for one in table if suffix in one.suffixes]
    family = next((one.family for one in named if one.family and content.text), "")
    end = table.index(named[-1]) + 1 if family else len(table) - _LEFT
    tried = [one for one in table[:end] if family in ("", one.family)]
    shown = next((one for one in tried if one.sign and one.sign(content)), None)
    if shown or (named and content.text):
        return shown or named[-1]
    return next(one for one in table[-_LEFT:] if one.sign and one.sign(content))


def takers(verb: str) -> tuple[Format, ...]:
    """The formats that a verb takes."""
    return tuple(one for one in formats.FORMATS if verb in one.verbs)


def require(
    path: str | Path, verb: str, options: Iterable[str] = (), target: str = "", kernel: str = ""
) -> Format:
    """What a file is that ``verb`` is asked about.

    :class:`InputError` that says so if the verb does not take it, or if one of the ``options`` says
    nothing about it. ``target``, ``kernel``: the GPU and the kernel that were said, for the way on.
    """
    found = recognise(path)
    if verb not in found.verbs:
        raise _not_taken(found, verb, path, target, kernel)
    for option in options:
        users = [one for one in takers(verb) if option in one.options]
        if users and found not in users:
            message = f"{option} says nothing about {found}"
            hint = found.ways_on.get(option) or f"it is for {_listed(users)}"
            raise InputError(message, location=Location(str(path)), hint=hint)
    return found


def asker(
    path: str | Path, verb: str, options: Iterable[str] = (), target: str = "", kernel: str = ""
) -> Callable[..., Any]:
    """Who answers ``verb`` on a file. Raises as :func:`require`."""
    found: Callable[..., Any] = load(require(path, verb, options, target, kernel).verbs[verb])
    return found


def text_of(path: str | Path) -> str:
    """The text of a file; "" for what has none."""
    return "" if recognise(path).binary else read_text(path)


def load(where: str) -> Any:
    """What a record names as ``module:name``: a function, or the ``Dialect`` of a machine code."""
    module, _, name = where.partition(":")
    return getattr(import_module(f"bankwise.{module}"), name)


def help_for(verb: str, lead: str = "") -> str:
    """What the help text of a verb says of its file."""
    names = [f"{one.name}{_suffixes(one)}" for one in takers(verb)]
    return f"{lead}{', '.join(names)}."


def words(*verbs: str) -> str:
    """The texts that one of the verbs takes as they are, without a compiler, in a sentence."""
    taken = (one for verb in verbs for one in takers(verb))
    texts = [one for one in taken if not (one.binary or one.compiled)]
    return ", ".join(str(one) for one in dict.fromkeys(texts))


def stages(*, left: bool = False) -> tuple[str, ...]:
    """Suffixes of what is checked in a folder that a compiler left, the last stage first.

    ``left``: of what else compilers leave there.
    """
    wanted = [one for one in formats.FORMATS if one.stage is not None and (one.stage == 0) == left]
    staged = sorted(wanted, key=lambda one: one.stage or 0, reverse=True)
    return tuple(dict.fromkeys(suffix for one in staged for suffix in one.suffixes))


def suffixes(verb: str) -> tuple[str, ...]:
    """How the names of files end that a verb takes."""
    return tuple(dict.fromkeys(suffix for one in takers(verb) for suffix in one.suffixes))


def _suffixes(one: Format) -> str:
    return f" ({' '.join(one.suffixes)})" if one.suffixes else ""


def _not_taken(found: Format, verb: str, path: str | Path, target: str, kernel: str) -> InputError:
    taken = takers(verb)
    named = [one for one in taken if PurePath(path).suffix.lower() in one.suffixes]
    message = f"this is {found}"
    if named and found in formats.FORMATS[-_LEFT:]:
        message += f", not {_listed(named)}, as its name says"
    elif len(taken) > _MOST_LISTED:
        message += f", which `{verb}` does not take: `bankwise {verb} --help` lists what it takes"
    else:
        message += f"; `{verb}` takes {_listed(taken)}"
    verbs = [f"`{one}`" for one in found.verbs if " " not in one]
    also = f"{_conjunction(verbs)} take{'s' * (len(verbs) == 1)} it" if verbs else ""
    asked = (str(path), read_text(path), verb, target, kernel) if found.instead_of else ()
    own = load(found.instead_of)(*asked) if asked else ""
    ways = (own or found.instead, also)
    hint = "; ".join(filter(None, ways[::-1] if found.compiled else ways))
    return InputError(message, location=Location(str(path)), hint=hint)


def _listed(some: Sequence[Format]) -> str:
    return _conjunction([str(one) for one in some], "or")


def _conjunction(names: Sequence[str], word: str = "and") -> str:
    return f" {word} ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
