"""``bankwise evidence FOLDER --target GPU``: which lane order hand-tuned kernels are laid out for.

Somebody who tunes a kernel by hand lays shared memory out so that it is free of conflicts under the
rule that he believes in, checked on the machine or not. Where rival rules judge a layout
differently, its freedom under one of them is a vote. Model, over the layouts that tell rivals
apart:

    a layout is free under the true rule with probability p, under any other with probability q
    log10 LR(R against S) = (free under R - free under S) * log10( p (1 - q) / (q (1 - p)) )
    p = (free under the best rule + 1) / (n + 2)
    q = (free under the others, all together + 1) / (n (rules - 1) + 2)

which follows from the two likelihoods, factor by factor; p and q are estimated of the same layouts
(Laplace's rule of succession). Layouts of one library are not independent: an author copies
himself. So each distinct layout counts once, however many instructions have it; the same sum is
done with kernels in the place of layouts (a kernel is free if all its telling accesses are), and
the smaller number is the one that is judged by.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import log10
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, field

from bankwise.ask.evidence_case import Wave, layouts
from bankwise.ask.rivals import BelievedRule, rivals_of
from bankwise.ask.scan import Progress, ScanLimits, ScanState, gather, unreadable
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_text
from bankwise.hardware.lanes import phases_text
from bankwise.hardware.machine import Machine, machine, names, parse
from bankwise.read.options import Options
from bankwise.show.evidence import EvidenceReport, RivalScore, RowEvidence, Votes

Layout = tuple[int, tuple[Wave, ...]]
"""From the first to the second address (0 for one), and the distinct waves."""


class _Material(Struct):
    """Of one instruction: in which kernels each layout stands, and of how many accesses."""

    kernels: dict[Layout, set[str]] = field(default_factory=lambda: defaultdict(set))
    accesses: dict[Layout, int] = field(default_factory=lambda: defaultdict(int))


def evidence(
    paths: Sequence[Path],
    target: str,
    *,
    rival_files: Sequence[Path] = (),
    kernel: str = "",
    store_file: Path | None = None,
    limits: ScanLimits | None = None,
    progress: Progress | None = None,
) -> EvidenceReport:
    """How rival rules of ``target`` fare with the kernels of ``paths``.

    ``rival_files``: machine files of the user's own. Others as of :func:`bankwise.ask.scan.scan`.
    Raises :class:`InputError` for a bad machine file, and where there is no kernel of the target.
    """
    gpu = machine(target)
    machines = [_machine(path) for path in rival_files] + [machine(name) for name in names()]
    options = Options(kernel=kernel, openers=False)
    seen = gather(paths, options, layouts, store_file, limits, progress, only=target)
    kernels, material = _material(seen, target)
    if not kernels and not seen.why:
        raise _silent(seen, target)
    rows = [
        _row(gpu, name, found, machines)
        for name, found in material.items()
        if name in gpu.instructions
    ]
    return EvidenceReport(
        paths=tuple(map(str, paths)),
        target=target,
        kernels=kernels,
        rows=tuple(sorted(rows, key=lambda row: -row.layouts)),
        broken=(*seen.broken, *_failed(seen)),
        unfinished=seen.why,
    )


def _silent(seen: ScanState, target: str) -> InputError:
    """What to say where nothing was followed."""
    broken = (*seen.broken, *_failed(seen))
    if broken:
        return unreadable(broken)
    hint = "evidence is asked of machine code: code objects, libraries, assembly"
    return InputError(f"no kernel for {target} here", hint=hint)


def _machine(path: Path) -> Machine:
    return parse(read_text(path), str(path))


def _material(seen: ScanState, target: str) -> tuple[int, dict[str, _Material]]:
    """How many kernels of the target there are, and the layouts of each instruction."""
    kernels = 0
    found: dict[str, _Material] = defaultdict(_Material)
    for key, result in seen.ended.items():
        if result.error or result.case.target != target:
            continue
        kernels += 1
        for row in result.row:
            layout = row["apart"], tuple(tuple(wave) for wave in row["waves"])
            of = found[row["instruction"]]
            of.kernels[layout].add(key)
            of.accesses[layout] += row["accesses"]
    return kernels, found


def _failed(seen: ScanState) -> Iterable[Refusal]:
    for result in seen.ended.values():
        if result.error:
            place = f"{result.case.file}: {result.case.kernel}"
            yield Refusal(result.error.partition("\n")[0], Location(place))


def _row(gpu: Machine, name: str, found: _Material, machines: Sequence[Machine]) -> RowEvidence:
    row = gpu.instruction(name)
    rivals = rivals_of(row, machines)
    every = list(found.kernels)
    verdicts = {layout: tuple(_free(rival, layout) for rival in rivals) for layout in every}
    telling = [layout for layout in every if len(set(verdicts[layout])) > 1]
    kernels = set().union(*(found.kernels[layout] for layout in telling)) if telling else set()
    votes = [
        Votes(
            layouts=sum(verdicts[layout][n] for layout in telling),
            kernels=len(kernels) - len(_conflicting(telling, verdicts, n, found.kernels)),
            accesses=sum(found.accesses[layout] for layout in telling if verdicts[layout][n]),
        )
        for n in range(len(rivals))
    ]
    most = Votes(len(telling), len(kernels), sum(found.accesses[layout] for layout in telling))
    return RowEvidence(
        instruction=name,
        evidence=row.evidence,
        layouts=len(every),
        accesses=sum(found.accesses.values()),
        free=sum(found.accesses[layout] for layout in every if verdicts[layout][0]),
        telling=most,
        scores=tuple(_scores(rivals, votes, most)),
    )


def _scores(
    rivals: Sequence[BelievedRule], votes: Sequence[Votes], most: Votes
) -> Iterable[RivalScore]:
    by_layouts = log_ratios([one.layouts for one in votes], most.layouts)
    by_kernels = log_ratios([one.kernels for one in votes], most.kernels)
    for rival, vote, *ratios in zip(rivals, votes, by_layouts, by_kernels, strict=True):
        row = rival.instruction
        rule = (rival.name, rival.own, row.banks, phases_text(row.phases))
        yield RivalScore(*rule, vote, *ratios)


def _free(rival: BelievedRule, layout: Layout) -> bool:
    """Whether all waves of a layout are free of conflicts under a rule."""
    apart, waves = layout
    offsets = np.array(waves, np.int64)
    active = offsets >= 0
    try:
        return bool(rival.free(np.maximum(offsets, 0), active, apart).all())
    except InputError:  # an address that this machine would refuse
        return False


def _conflicting(
    telling: Sequence[Layout],
    verdicts: Mapping[Layout, tuple[bool, ...]],
    n: int,
    kernels: Mapping[Layout, set[str]],
) -> set[str]:
    """The kernels that have a telling layout which the rival ``n`` finds conflicts in."""
    bad = (kernels[layout] for layout in telling if not verdicts[layout][n])
    return set().union(*bad)


def log_ratios(free: Sequence[int], telling: int) -> tuple[float, ...]:
    """log10 of the likelihood ratio of the best rule against each: 0 for the best.

    ``free``: how many of the ``telling`` layouts are free under each rule. 0 for all where the best
    rule does no better than chance.
    """
    if len(free) < 2 or not telling:
        return (0.0,) * len(free)
    best = max(free)
    others: Any = sum(free) - best
    p = (best + 1) / (telling + 2)
    q = (others + 1) / (telling * (len(free) - 1) + 2)
    step = log10(p * (1 - q) / (q * (1 - p)))
    return tuple(max(0.0, (best - one) * step) for one in free)
