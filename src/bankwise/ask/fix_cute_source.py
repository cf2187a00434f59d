"""``bankwise fix kernel.cu`` where its shared memory is laid out by CuTe: the layout's own term.

Arrays that go through ``make_smem_ptr`` have no index to rewrite. What CuTe's layouts say is read
from the text, answered there, and compiled: the machine code has to take fewer passes than before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from msgspec.structs import replace

from bankwise.ask.check_cute import open_cute, snippet_of
from bankwise.ask.fix_cute import apart, change_of, edited, judged
from bankwise.errors import InputError, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.options import Options
from bankwise.show.advised import Snippet
from bankwise.show.fixing import Change, Verdict

_CUTE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]cute/|\bcute::', re.MULTILINE)


class Costed(Protocol):
    """A text that was compiled."""

    def cost(self) -> tuple[int, int]:
        """Passes, and executed instructions of shared memory."""


CompiledT = TypeVar("CompiledT", bound=Costed)


class CuteFixed(ByIdentity, Generic[CompiledT], frozen=True, eq=False):
    """The answers of a source, and what the compiler makes of the text with them."""

    changes: tuple[Change, ...]
    compiled: CompiledT
    verdicts: tuple[Verdict, ...]


def fixed_by_cute(
    file: str, text: str, options: Options, now: CompiledT, compiled: Callable[[str], CompiledT]
) -> CuteFixed[CompiledT] | tuple[Refusal, ...]:
    """The source with other layouts of CuTe, or why there is none; () for a source without CuTe.

    ``now``: as it is compiled; ``compiled``: compiles a changed text.
    """
    if _CUTE.search(text) is None:
        return ()
    refused: list[Refusal] = []
    try:
        before = open_cute(text, file, options)
        chosen = tuple(apart(before, refused))
        fixed = edited(before, chosen)
        made = compiled(fixed) if chosen else now
        verdict = judged(before, open_cute(fixed, file, options), chosen)
    except InputError as error:
        return (Refusal(f"its layouts of CuTe: {error.message}", error.location),)
    old, new = now.cost()[0], made.cost()[0]
    if not chosen or new >= old:
        told = Refusal(
            f"its layouts of CuTe: {new:,} passes of machine code, not fewer than {old:,}"
        )
        return (*refused, *((told,) if chosen else ()))
    rows = (("passes of shared memory", old, new),)
    emitted = Verdict("isa", "passed", "the changed layouts, compiled, take fewer passes", rows)
    return CuteFixed(tuple(change_of(before, one) for one in chosen), made, (verdict, emitted))


def written_by_cute(file: str, text: str, options: Options) -> tuple[Snippet, ...]:
    """The terms that :func:`fixed_by_cute` compiles, as far as the text alone tells; () where there
    are none."""
    if _CUTE.search(text) is None:
        return ()
    try:
        before = open_cute(text, file, options)
        chosen = tuple(apart(before, []))
        after = open_cute(edited(before, chosen), file, options)
    except InputError:
        return ()
    if judged(before, after, chosen).status != "passed":
        return ()
    return tuple(replace(snippet_of(before, one), notes=(_COMPILED,)) for one in chosen)


_COMPILED = "`bankwise fix` takes it if the machine code, too, takes fewer passes"
