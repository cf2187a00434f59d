"""The fixed TTGIR in a running program: a hook on the stages of Triton's compiler.

Source: triton 3.9, ``knobs.runtime.add_stages_inspection_hook``: called without arguments it gives
a key and a hash for Triton's caches, and with the stages of a compilation it may replace some. So
what is compiled while a fix is installed has cache keys of its own, and what is compiled without it
never sees it. Triton 3.6 has the hook and does not ask it for a key: there a cached kernel would
not be replaced, and a replaced one would stay.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from bankwise.errors import InputError
from bankwise.read.ttgir import wheel
from bankwise.triton.fix import TritonFix

_ASKED = "add_stages_inspection_hook()"
_PLACE = re.compile(r"\s*\bloc\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_PLACES = re.compile(r"^#loc\d*\s*=.*\n", re.MULTILINE)


@contextmanager
def install(*fixes: TritonFix) -> Iterator[list[str]]:
    """While this is entered, kernels that Triton compiles to the TTGIR of a fix get the fixed one.

    Gives the names of the kernels that were replaced so far: of one that was compiled with other
    constants, types or multiples of 16 the TTGIR is another one, and nothing is replaced. Places in
    the source are not compared. A kernel that was compiled here stays replaced only while a fix is
    installed. Raises :class:`InputError` for what is no fix, without Triton, and with one whose
    caches do not ask.
    """
    for fix in fixes:
        if not isinstance(fix, TritonFix):
            raise InputError(
                f"install takes what bankwise.triton.fix returns, not a {type(fix).__name__}",
                hint="with bankwise.triton.install(bankwise.triton.fix(..)): ..",
            )
    if not wheel.installed():
        raise wheel.needed()
    import triton.compiler.compiler
    import triton.knobs

    if _ASKED not in inspect.getsource(triton.compiler.compiler):
        raise InputError(
            f"the caches of Triton {triton.__version__} do not tell a kernel that was replaced",
            hint="Triton 3.9 does; or fixed.write(FOLDER), with the variables that it returns",
        )
    runtime = triton.knobs.runtime
    offered = [fix for fix in fixes if fix.report.accepted]
    replaced: list[str] = []
    before = runtime.add_stages_inspection_hook
    runtime.add_stages_inspection_hook = _hook(offered, replaced, before)
    try:
        yield replaced
    finally:
        runtime.add_stages_inspection_hook = before


def plain(ttgir: str) -> str:
    """A TTGIR text without places in the source."""
    text = _PLACE.sub("", _PLACES.sub("", ttgir))
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def _hook(
    fixes: list[TritonFix], replaced: list[str], before: Callable[..., Any] | None
) -> Callable[..., tuple[str, str] | None]:
    texts = {plain(fix.report.source_text): fix for fix in fixes}
    key = hashlib.sha256("\n".join(fix.ttgir for fix in fixes).encode("utf-8")).hexdigest()

    def hook(*given: Any) -> tuple[str, str] | None:
        if not given:
            # A hook that was there counts, too: it may change other stages.
            other = before() if before is not None else ("", "")
            return f"{other[0]}bankwise-{key}", repr(f"{other[1]}bankwise-{key}")
        if before is not None:
            before(*given)
        _, stages, *_ = given
        made = stages["ttgir"]
        stages["ttgir"] = lambda source, metadata: _instead(made(source, metadata), texts, replaced)
        return None

    return hook


def _instead(module: Any, texts: dict[str, TritonFix], replaced: list[str]) -> Any:
    """The module that takes the place of one that a fix is of; else the same module."""
    fix = texts.get(plain(str(module)))
    if fix is None:
        return module
    from triton._C.libtriton import ir

    handle, path = tempfile.mkstemp(suffix=".ttgir")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(fix.ttgir)
        found = ir.parse_mlir_module(path, module.context)
    finally:
        os.unlink(path)
    found.context = module.context
    replaced.append(fix.name)
    return found
