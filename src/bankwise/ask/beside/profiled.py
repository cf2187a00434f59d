"""Which kernels of a profile are meant: those of a name, or the one that uses shared memory."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from shlex import quote

from msgspec.structs import replace

from bankwise.ask.beside.counters import counters
from bankwise.errors import InputError, Location
from bankwise.profile.names import plain
from bankwise.profile.values import Profile
from bankwise.read.names import (
    demangled,
    means,
    own,
    spellings,
    without_parameters,
    without_templates,
)

_LISTED = 6
_LONG = 72
"""Characters of a name in a message: those of templates take thousands."""
_WORDS = 12
_TRIES = 8
_WORD = re.compile(r"\w+")
_WORD_OF_LETTERS = re.compile(r"\b[A-Za-z_]")
_LEFT_OUT = re.compile(r"\.\.+")
_ALONE = "the only kernel of this profile"


def only(profile: Profile, pattern: str) -> Profile:
    """The launches of kernels of a name: as the profile has it, spelled, without parameters,
    namespace or template arguments. :class:`InputError` with the names where there is none."""
    kernels = [name for name in profile.kernels if is_meant(pattern, name)]
    if not kernels:
        message = f"--profiled {pattern!r}: no kernel of this profile is so named"
        hint = f"it has {_listed(profile.kernels)}"
        raise InputError(message, location=Location(profile.file), hint=hint)
    return _of(profile, kernels)


def one_kernel(profile: Profile) -> tuple[Profile, str]:
    """The profile of one kernel, and why it is that one: the only one, or the only one that touches
    shared memory. :class:`InputError` where that is none or several."""
    those = " that --profiled names" if profile.others else ""
    if len(profile.kernels) == 1:
        return profile, "the one that --profiled names" if those else _ALONE
    using = tuple(name for name in profile.kernels if _uses(profile, name))
    place = Location(profile.file)
    if not using:
        message = f"no kernel of this profile{those} touches shared memory, by its counters"
        raise InputError(message, location=place, hint=f"it has {_listed(profile.kernels)}")
    if len(using) > 1:
        message = f"{len(using)} kernels of this profile{those} touch shared memory"
        hint = f"say which: {_chosen(using, (*profile.kernels, *profile.others))}"
        raise InputError(message, location=place, hint=hint)
    why = f"no other kernel{those or ' here'} touches shared memory"
    return _of(profile, using), why


def _of(profile: Profile, kernels: Sequence[str]) -> Profile:
    launches = tuple(one for one in profile.launches if one.kernel in kernels)
    others = tuple(name for name in profile.kernels if name not in kernels)
    return replace(profile, launches=launches, others=(*profile.others, *others))


def called(name: str) -> str:
    """A name for a line: without parameters, the innermost template arguments go first."""
    spelled = without_parameters(demangled(plain(name)))
    tries = [spelled, *(without_templates(spelled, depth) for depth in (4, 3, 2, 1))]
    return next((one for one in tries if len(one) <= _LONG), f"{tries[-1][: _LONG - 2]}..")


def _uses(profile: Profile, name: str) -> bool:
    """Whether a kernel may touch shared memory: a counter of it is not 0, or none was taken."""
    taken = [
        launch.counters[one.name].value
        for launch in profile.launches
        for one in counters(profile.vendor)
        if launch.kernel == name and one.name in launch.counters
    ]
    return any(taken) or not taken


def is_meant(pattern: str, name: str) -> bool:
    """Whether ``pattern`` means a kernel: it is one of its names, or a glob of one; ``..``, which
    stands in a name for what it has no room for, is any text."""
    spelled = demangled(plain(name))
    tries = dict.fromkeys((pattern, _LEFT_OUT.sub("*", pattern)))
    names = (name, plain(name), *spellings(spelled))
    return any(means(one, other) for one in tries for other in names)


def glob_of(name: str, among: Sequence[str]) -> str:
    """The pattern that means this kernel and no other: its own name, the fewest words of it that no
    other has, or all of it. Empty where none does."""
    rest = [one for one in dict.fromkeys(among) if one != name]
    spelled = demangled(plain(name))
    whole = (without_parameters(spelled), spelled, plain(name), name)
    for text in (own(spelled), *_words_of(spelled, rest), *whole):
        # A message is broken at its spaces, and a name that is broken means nothing.
        pattern = text.replace(" ", "?")
        if is_meant(pattern, name) and not any(is_meant(pattern, one) for one in rest):
            return pattern
    return ""


def _words_of(spelled: str, rest: Sequence[str]) -> Iterator[str]:
    """Globs of a few words of a kernel that stand in none of the ``rest``, the fewest first, and of
    as many those without numbers; no number alone."""
    texts = [without_parameters(demangled(plain(one))) for one in rest]
    mine = without_parameters(spelled)
    for count in range(1, _WORDS + 1):
        others = {window for text in texts for window in _windows(text, count)}
        own_words = (one for one in _windows(mine, count) if one not in others)
        found = sorted((one for one in own_words if _WORD_OF_LETTERS.search(one)), key=_has_number)
        yield from (f"*{one}*" for one in found[:_TRIES])


def _windows(text: str, count: int) -> Iterator[str]:
    """Every ``count`` words in a row, with what stands between them."""
    words = [found.span() for found in _WORD.finditer(text)]
    for first, last in zip(words, words[count - 1 :], strict=False):
        yield text[first[0] : last[1]]


def _has_number(text: str) -> bool:
    return any(word.isdigit() for word in _WORD.findall(text))


def _chosen(names: Sequence[str], among: Sequence[str]) -> str:
    """For each kernel the option that names it alone, and its name."""
    each = []
    for name in names[:_LISTED]:
        pattern = glob_of(name, among)
        each.append(f"--profiled {quote(pattern)} is {called(name)}" if pattern else called(name))
    more = len(names) - _LISTED
    return "; ".join(each) + (f"; and {more} more" if more > 0 else "")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(called(name) for name in names[:_LISTED])
    more = len(names) - _LISTED
    return f"{shown} and {more} more" if more > 0 else shown
