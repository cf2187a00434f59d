"""What to write against a conflict that was found in emitted code, in the language of its file.

Text that ``fix`` takes gets the command; AMD assembly its instructions; of other machine code it is
said which byte offsets to compute in the source that it is compiled from.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from bankwise.algebra.address_fold import AddressFold
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.buffers import EmittedBuffer
from bankwise.read.names import variables
from bankwise.show.advised import Optimum, Snippet


class Origin(Struct, frozen=True):
    """Where a kernel comes from: its framework, the TTGIR text beside it, if there is one, and its
    own text where that is AMD assembly. ``language``: of the file that was asked about, empty where
    nothing is to be written; ``command``: that writes it, where one does; ``flat``: no array of it
    has rows that could be longer."""

    framework: str = ""
    ttgir: str = ""
    assembly: str = ""
    language: str = ""
    command: str = ""
    flat: bool = False


def to_write(
    optimum: Optimum,
    buffer: EmittedBuffer,
    fold: AddressFold | None,
    kernel: AssemblyKernel,
    origin: Origin,
) -> Snippet | None:
    """The better layout of one buffer; None where there is none. ``fold``: the same as a map of
    addresses that instructions can apply."""
    pitch, after = optimum.pitch, optimum.best.passes
    rows = pitch is not None and (not optimum.address or pitch.run.passes < after)
    address = optimum.address
    if pitch is not None and rows:
        address, after = pitch.address, pitch.run.passes
    if not origin.language or after >= optimum.present.passes:
        return None
    if rows and origin.flat:
        origin = replace(origin, command="")
    what, text, notes = _said(optimum, address, rows, origin)
    spliced = None
    if fold is not None and not rows and origin.assembly and not origin.command:
        from bankwise.ask.advice_amd import splice

        spliced = splice(origin.assembly, kernel.name, kernel.target, buffer, fold)
    if spliced is not None:
        what = f"before each access of {', '.join(optimum.allocations)}"
        text, notes = spliced
    places = dict.fromkeys(use.access.access.location for use in buffer.uses)
    return Snippet(
        language=origin.language,
        what=what,
        text=text,
        location=min(places),
        before=optimum.present.passes,
        after=after,
        command=origin.command,
        notes=notes,
        buffers=optimum.allocations,
        places=tuple(places),
    )


def _said(
    optimum: Optimum, address: str, rows: bool, origin: Origin
) -> tuple[str, str, tuple[str, ...]]:
    """What stands for what, the text, and what has to be true, in words."""
    names = variables(optimum.allocations)
    if origin.command:
        return f"the addresses of {names}: byte a at {address}", "", ()
    known = str(optimum.pitch) if rows else optimum.notation
    what = f"where byte a of {names} is to lie, in the source that this is compiled from"
    return what, address, tuple(filter(None, (known, *optimum.notes)))
