"""What was made of a source, kept while texts in its place are tried.

A text differs from the one before in a few lines of some kernels; the other kernels are the same
code, at the same lines, and what follows from it is known. So is all of a text that is compiled
again on other facts of its launches, but for those kernels that they are of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

from msgspec import field

from bankwise.errors import InputError
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel

if TYPE_CHECKING:
    from bankwise.read.ahead import BegunCompilation

Answer = AssemblyKernel | InputError
T = TypeVar("T")


class NamedKernel(Protocol):
    """A kernel, as its language has it."""

    @property
    def name(self) -> str:
        """As the compiler calls it."""
        ...


K = TypeVar("K", bound=NamedKernel)

_MOST_FORMS = 12
"""Of a kernel that are kept, the latest: one for each text, and for each number supposed."""


class KeptCode(ByIdentity, frozen=True, eq=False):
    """``made``: what was compiled or read, by its kind, each behind what it was made of;
    ``answers``: of a kernel, by its name, each behind all that decides it; ``begun``: compilers
    whose answers may be asked for soon, behind what for."""

    made: dict[str, list[tuple[object, object]]] = field(default_factory=dict)
    answers: dict[str, list[tuple[object, Answer]]] = field(default_factory=dict)
    begun: list[tuple[object, BegunCompilation]] = field(default_factory=list)

    def begin(self, of: object, start: Callable[[], BegunCompilation | None]) -> None:
        """Start a compiler, where it was not, and a core is left for it."""
        from bankwise.read.ahead import spare

        running = sum(one.runs for _, one in self.begun)
        if running < spare() and all(known != of for known, _ in self.begun):
            made = start()
            if made is not None:
                self.begun.append((of, made))

    def take(self, of: object) -> BegunCompilation | None:
        """The compiler that was started for this, once; None if none was."""
        for number, (known, one) in enumerate(self.begun):
            if known == of:
                del self.begun[number]
                return one
        return None

    def leave(self) -> None:
        """End the compilers that nobody asked for."""
        while self.begun:
            self.begun.pop()[1].all.close()

    def once(self, kind: str, of: object, make: Callable[[], T], most: int) -> T:
        """What ``make`` makes, or made of an equal value: the ``most`` latest ones are kept."""
        if (known := self.known(kind, of)) is not None:
            return cast("T", known)
        thing, shelf = make(), self.made.setdefault(kind, [])
        shelf.append((of, thing))
        del shelf[:-most]
        return thing

    def known(self, kind: str, of: object) -> object | None:
        """What was made of an equal value, if it is kept."""
        return next((thing for one, thing in self.made.get(kind, ()) if one == of), None)

    def answer(self, name: str, form: object) -> Answer | None:
        """What is known of a kernel; None if nothing is."""
        found = (answer for known, answer in self.answers.get(name, ()) if known == form)
        return next(found, None)

    def keep(self, name: str, form: object, answer: Answer) -> None:
        """Remember it."""
        kept = self.answers.setdefault(name, [])
        kept.append((form, answer))
        del kept[:-_MOST_FORMS]


def answered(
    found: Sequence[K],
    answer: Callable[[Sequence[K]], Sequence[Answer]],
    kept: KeptCode | None,
    form: Callable[[K], object],
) -> Sequence[Answer]:
    """The answers of kernels: those that are kept, by their ``form``, and of the others."""
    if kept is None:
        return answer(found)
    forms = [form(one) for one in found]
    known = [kept.answer(k.name, one) for k, one in zip(found, forms, strict=True)]
    new = iter(answer([k for k, one in zip(found, known, strict=True) if one is None]))
    for number, kernel in enumerate(found):
        if known[number] is None:
            known[number] = next(new)
            kept.keep(kernel.name, forms[number], cast("Answer", known[number]))
    return cast("Sequence[Answer]", known)
