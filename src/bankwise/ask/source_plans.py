"""Which plans the shared arrays of a source have: what ``fix`` writes, and ``check`` promises."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

from msgspec import field
from msgspec.structs import replace

from bankwise.ask.array_plans import ArrayPlans, plans_of
from bankwise.ask.array_posed import can_be
from bankwise.ask.array_texts import WrittenArray
from bankwise.ask.every_launch import (
    LaunchKey,
    every_launch,
    key_of,
    other_launches,
    over,
)
from bankwise.errors import Location, Refusal
from bankwise.hardware.machine import machine
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.cxx.arrays import SharedArray, shared_arrays, tied
from bankwise.read.cxx.headers import that_declare_shared
from bankwise.read.cxx.sizes import Sizes, sizes
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.launch.headers import header_texts
from bankwise.read.names import listed
from bankwise.read.options import Options, Phase
from bankwise.read.source import Compilation, SourceLanguage
from bankwise.show.advised import Snippet
from bankwise.show.values import KernelReport


class SourcePlans(ByIdentity, frozen=True, eq=False):
    """``plans``: of the arrays that have conflicts, what saves most first; ``refusals``: why others
    have none, ``unasked``: why those have none that no kernel has; ``names``: of all arrays;
    ``keys``: the launches that can be, None where that was not asked; ``sizes``: of the arrays."""

    plans: tuple[ArrayPlans, ...]
    refusals: tuple[Refusal, ...]
    unasked: tuple[Refusal, ...] = ()
    names: frozenset[str] = frozenset()
    keys: frozenset[LaunchKey] | None = None
    sizes: Sizes = field(default_factory=dict)

    @property
    def kernels(self) -> frozenset[str]:
        """The names of those that have an array with a plan."""
        return frozenset(name for one in self.plans for name in one.kernels)


def source_plans(
    source: CxxSource,
    language: SourceLanguage,
    what: Compilation,
    options: Options,
    kernels: Sequence[AssemblyKernel],
    phase: Phase = lambda _: None,
    measure: Callable[[Sequence[SharedArray]], Sizes | Refusal] | None = None,
) -> SourcePlans:
    """The plans of each array of a source whose ``kernels`` were followed. ``measure``: tells how
    large its arrays are, where that is asked with something else."""
    phase("compiling it for the sizes of arrays")
    arrays = shared_arrays(source)
    if not arrays:
        return SourcePlans((), (_without_arrays(source, what),))
    measured = measure(arrays) if measure else sizes(source, arrays, language, what)
    if isinstance(measured, Refusal):
        return SourcePlans((), (measured,))
    gpu = machine(language.target(what.target, source.file))
    keys = frozenset(key_of(one) for one in every_launch(kernels) if can_be(one, measured, gpu))
    known = other_launches(kernels, lambda one: key_of(one) in keys)
    plans: list[ArrayPlans] = []
    refusals: list[Refusal] = []
    unasked: list[Refusal] = []
    for numbers in tied(arrays):
        phase(f"planning {arrays[numbers[0]].name}")
        one = plans_of(
            *(source, {n: arrays[n] for n in numbers}, known, measured, gpu),
            accessor=options.accessor,
            only=options.kernel,
        )
        if isinstance(one, ArrayPlans):
            plans.append(one)
        elif one is not None:
            here = any(n in measured.get(kernel.name, {}) for n in numbers for kernel in known)
            (refusals if here else unasked).append(one)
    names = frozenset(array.name for array in arrays)
    plans.sort(key=lambda one: -one.saved)
    return SourcePlans(tuple(plans), tuple(refusals), tuple(unasked), names, keys, measured)


def _without_arrays(source: CxxSource, what: Compilation) -> Refusal:
    found = that_declare_shared(header_texts(source.text, what.path, what.flags))
    said = listed([one.name for one in found])
    does = "declares" if len(found) == 1 else "declare"
    more = f"; {said} {does} some, which stay as they are" if found else ""
    return Refusal(f"no __shared__ array is declared in it{more}", Location(source.file))


def sharing(
    source: CxxSource,
    language: SourceLanguage,
    what: Compilation,
    kernels: Sequence[AssemblyKernel],
) -> tuple[str, ...]:
    """The names of other kernels that have an array of some, or one with uses in the same text:
    what is written of it is theirs, too, as of another instance of a template."""
    arrays = shared_arrays(source)
    measured = sizes(source, arrays, language, what) if arrays else {}
    if isinstance(measured, Refusal):
        return ()
    asked = {kernel.name for kernel in kernels}
    own = {number for name in asked for number in measured.get(name, {})}
    theirs = {number for group in tied(arrays) if own & {*group} for number in group}
    return tuple(n for n, its in measured.items() if n not in asked and theirs & its.keys())


def promised(
    kernel: KernelReport,
    written: Sequence[WrittenArray],
    known: Set[str],
    launches: Sequence[AssemblyKernel],
) -> KernelReport:
    """What to write against the conflicts of a kernel, as ``fix`` writes it: its words and passes
    in place of those that layouts of the emitted buffers have. ``known``: the names of all arrays
    of the text."""
    keys = [key_of(one) for one in launches if one.name == kernel.name]
    mine = [one for one in written if kernel.name in one.plans.kernels]
    said = (_as_planned(one, mine, known, keys) for one in kernel.snippets)
    shorter = (one.plans.unpadded for one in mine if one.plans.unpadded)
    return replace(kernel, snippets=tuple(said), notes=(*kernel.notes, *shorter))


def _as_planned(
    snippet: Snippet, written: Sequence[WrittenArray], known: Set[str], keys: Sequence[LaunchKey]
) -> Snippet:
    """A snippet in the words of the text of its arrays, without the command where they have none.
    ``known``: the names of all arrays of the text."""
    mine = {name.partition(" in parts of ")[0] for name in snippet.buffers}
    for one in written:
        plans = one.plans
        names = {array.array.name for array in plans.arrays}
        if names & mine:
            before, after = (over(each, keys) for each in (plans.present, one.plan.passes))
            alike = names == mine and before == snippet.before
            why = f" ({plans.longer})" if plans.longer and not one.skew else ""
            text = f"{one.spelling.text}{why}{_IF * one.plan.hides}"
            return replace(snippet, what=text, after=after) if alike else snippet
    return replace(snippet, command="") if mine & known else snippet


_IF = " (`fix` compiles it, and writes it only where it costs less)"
"""Of a text from which a compiler may not see what it joined: what it makes of it decides."""
