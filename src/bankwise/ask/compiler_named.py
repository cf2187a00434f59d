"""The compiler that a user named for the code of his own MLIR, by an option or a variable.

Kernels that bankwise lowers itself (of a model) are compiled by whoever lowered them.
"""

from __future__ import annotations

import os

from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.read.options import COMPILER, Options

_HINT = (
    "check counts code with --isa, fix without --no-isa; for --worth alone BANKWISE_IREE_COMPILE"
    " names it"
)


def with_compiler(options: Options, *, isa: bool) -> Options:
    """The options with the compiler that is named, which is asked for its release.

    ``isa``: whether anything is compiled. Raises :class:`InputError` for a compiler that is none,
    or that nobody asks.
    """
    from bankwise.change.compile.compilers import VARIABLE, named_compiler

    if options.iree_compile and not isa:
        message = f"{COMPILER} says whose code counts, and nothing is compiled"
        raise InputError(message, hint=_HINT)
    named = options.iree_compile or os.environ.get(VARIABLE, "")
    if named and isa:
        named_compiler(named)
    return replace(options, iree_compile=named)
