"""``bankwise.triton.answer``: a question as a command asks it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

from bankwise.errors import FAILED, InputError

_Answer = TypeVar("_Answer")


def answer(question: Callable[..., _Answer], *given: Any, **said: Any) -> _Answer:
    """``question(*given, **said)``, of ``check``, ``fix`` or ``tune``. Input that cannot be used
    ends the process as it ends a command: one message on stderr, no traceback, exit code 2, which
    no answer has."""
    try:
        return question(*given, **said)
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        raise SystemExit(FAILED) from None
