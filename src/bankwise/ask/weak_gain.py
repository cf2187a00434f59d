"""What of a gain is there only if a rule of low confidence holds (:mod:`bankwise.hardware.weak`).

Both prices are counted once more under the other rule that the machine file states. A gain that is
none then is told with both:

    9,216 -> 6,144 passes if ds_read2_b64 is served by its rule (inferred, confidence 0.6),
    6,144 -> 6,144 if as ds_read_b64 is
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from bankwise.ask.analysis import Analysis
from bankwise.ask.check_mlir import kernel_of
from bankwise.ask.text_price import TextPrice, accesses_price
from bankwise.counting.count_kernel import count_kernel
from bankwise.counting.counted import AccessReport
from bankwise.counting.kernel import Kernel
from bankwise.hardware.machine import Machine
from bankwise.hardware.weak import WeakRule, weak_rules
from bankwise.identity import ByIdentity
from bankwise.read.names import short


class OtherRule(Struct, frozen=True):
    """A rule of low confidence, in words, and the instruction as which it would be served else."""

    name: str
    known: str
    otherwise: str


Otherwise = Mapping[OtherRule, TextPrice]
"""What something takes under the other rules of its instructions."""


def otherwise(kernel: Kernel, accesses: Sequence[AccessReport], gpu: Machine) -> Otherwise:
    """What a kernel takes under each; ``accesses``: as they are counted."""
    names = [name for access in accesses for name in access.issued]
    rules = tuple(weak_rules(gpu, names))
    counts = ((rule, count_kernel(kernel, rule.machine)[0]) for rule in rules)
    return {
        _named(rule): accesses_price(found, rule.machine, kernel.lds_bytes)
        for rule, found in counts
    }


def _named(rule: WeakRule) -> OtherRule:
    row = rule.row
    return OtherRule(row.name, f"{row.evidence}, confidence {row.confidence:g}", rule.otherwise)


class Weighed(ByIdentity, frozen=True, eq=False):
    """A price, and what it is under other rules. ``kernel``: whose."""

    price: TextPrice
    otherwise: Otherwise
    kernel: str = ""


def weighed(analyses: Sequence[Analysis]) -> Iterator[Weighed]:
    """Of each kernel of a text."""
    for each in analyses:
        kernel, gpu = kernel_of(each), each.machine
        accesses, _ = count_kernel(kernel, gpu)
        price = accesses_price(accesses, gpu, kernel.lds_bytes)
        yield Weighed(price, otherwise(kernel, accesses, gpu), short(kernel.name))


def leans(new: Weighed, old: Weighed, of: str, *, cycles: bool) -> str:
    """The rules without which nothing is gained, in words; empty where there is none. ``of``: of
    what they are prices; ``cycles``: whether these decide, where passes alone do not."""
    rules = dict.fromkeys((*old.otherwise, *new.otherwise))
    return "; ".join(filter(None, (_lean(rule, new, old, of, cycles) for rule in rules)))


def _lean(rule: OtherRule, new: Weighed, old: Weighed, of: str, cycles: bool) -> str:
    before, after = (each.otherwise.get(rule, each.price) for each in (old, new))
    counted, other = (old.price, new.price), (before, after)
    if not _gains(*counted, cycles) or _gains(*other, cycles):
        return ""
    by_passes = new.price.passes < old.price.passes and after.passes >= before.passes
    unit = "passes" if by_passes else "cycles"
    pairs = (f"{getattr(a, unit):,} -> {getattr(b, unit):,}" for a, b in (counted, other))
    known, unknown = pairs
    return (
        f"{of} takes {known} {unit} if {rule.name} is served by its rule ({rule.known}), "
        f"{unknown} if as {rule.otherwise} is"
    )


def _gains(old: TextPrice, new: TextPrice, cycles: bool) -> bool:
    """Whether something is gained and nothing lost. Where cycles count they decide: fewer passes
    that issue cycles eat up are no gain."""
    steps = [new.passes - old.passes, *([new.cycles - old.cycles] if cycles else [])]
    return steps[-1] < 0 and max(steps) <= 0
