"""Which kernels of a profile are meant: those of a name, or the one that uses shared memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bankwise.ask.beside.counters import counters
from bankwise.errors import InputError, Location
from bankwise.profile.names import plain
from bankwise.profile.values import Profile
from bankwise.read.names import demangled, means, own, without_parameters, without_templates

_LISTED = 6
_LONG = 72
"""Characters of a name in a message: those of templates take thousands."""


def only(profile: Profile, pattern: str) -> Profile:
    """The launches of kernels of a name: as the profile has it, spelled, without parameters, or the
    function's own. :class:`InputError` with the names where there is none."""
    launches = tuple(one for one in profile.launches if _means(pattern, one.kernel))
    if not launches:
        message = f"--profiled {pattern!r}: no kernel of this profile is so named"
        hint = f"it has {_listed(profile.kernels)}"
        raise InputError(message, location=Location(profile.file), hint=hint)
    return replace(profile, launches=launches)


def one_kernel(profile: Profile) -> tuple[Profile, str]:
    """The profile of one kernel, and why it is that one: the only one, or the only one that touches
    shared memory. :class:`InputError` where that is none or several."""
    if len(profile.kernels) == 1:
        return profile, "the only kernel of this profile"
    using = tuple(name for name in profile.kernels if _uses(profile, name))
    place = Location(profile.file)
    if not using:
        message = "no kernel of this profile touches shared memory, by its counters"
        raise InputError(message, location=place, hint=f"it has {_listed(profile.kernels)}")
    if len(using) > 1:
        message = f"{len(using)} kernels of this profile touch shared memory"
        hint = f"say which: --profiled '*Gemm*'; it has {_listed(using)}"
        raise InputError(message, location=place, hint=hint)
    launches = tuple(one for one in profile.launches if one.kernel == using[0])
    return replace(profile, launches=launches), "no other kernel here touches shared memory"


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


def _means(pattern: str, name: str) -> bool:
    spelled = demangled(plain(name))
    names = (name, plain(name), spelled, without_parameters(spelled), own(spelled))
    return any(means(pattern, one) for one in names)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(called(name) for name in names[:_LISTED])
    more = len(names) - _LISTED
    return f"{shown} and {more} more" if more > 0 else shown
