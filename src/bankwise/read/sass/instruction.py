"""One instruction of SASS, as the text has it."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from bankwise.errors import Location


class SassInstruction(Struct, frozen=True):
    """``/*0150*/ @!P0 BRA `(.L_x_0) ;``: address, guard ("!P0" or empty), name, operands.

    ``line``: in the text. ``places``: in the source text, the innermost first, then where it was
    inlined.
    """

    line: int
    address: int
    guard: str
    name: str
    operands: tuple[str, ...]
    places: tuple[Location, ...] = ()

    def __str__(self) -> str:
        """``@!P0 LDS R4, [R2+0x10]``."""
        guard = f"@{self.guard} " if self.guard else ""
        return f"{guard}{self.name} {', '.join(self.operands)}".rstrip()

    @property
    def source(self) -> Location | None:
        """The innermost place in the source text, if the text names one."""
        return self.places[0] if self.places else None

    @property
    def parts(self) -> list[str]:
        """The name without its dots: ["LDSM", "16", "MT88", "4"]."""
        return list(_pieces(self.name))


@lru_cache(maxsize=4_096)
def _pieces(name: str) -> tuple[str, ...]:
    return tuple(name.split("."))
