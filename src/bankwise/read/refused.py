"""What compilers print against a source, as one error at the author's line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bankwise.errors import InputError, Location
from bankwise.read.source import Name

_MORE = 3
_LAST_LINES = 4
_ERROR = re.compile(
    r"^(?P<file>[^\n(:]+)(?:\((?P<line>\d+)\)|:(?P<at>\d+)(?::\d+)?): "
    r"(?:(?:catastrophic|fatal) )?error(?: #[\w-]+)?: (?P<message>.+)$",
    re.MULTILINE,
)
"""``k.cu(5): error: ..`` of nvcc, ``k.cu:2:10: fatal error: ..`` of clang and gcc."""


def refused(
    printed: str, code: int, compiler: str, file: str, name: Name, hints: Sequence[tuple[str, str]]
) -> InputError:
    """The errors that a ``compiler`` printed, the first at its place; ``hints``: by a pattern on
    what it says, the first that fits."""
    found = [
        (Location(name(one["file"]), int(one["line"] or one["at"])), one["message"])
        for one in _ERROR.finditer(printed)
    ]
    told = found[0][1] if found else printed
    hint = next(one for sign, one in hints if re.search(sign, told))
    if not found:
        last = [line for line in printed.splitlines() if line.strip()][-_LAST_LINES:]
        said = "\n  ".join(last) or f"exit {code}"
        message = f"{compiler} does not compile it: {said}"
        return InputError(message, location=Location(file), hint=hint)
    (place, first), *more = found
    others = [f"\n  {where}: {message}" for where, message in more[:_MORE]]
    left = f"\n  and {len(more) - _MORE} more" if len(more) > _MORE else ""
    message = f"{compiler} does not compile it: {first}{''.join(others)}{left}"
    return InputError(message, location=place, hint=hint)
