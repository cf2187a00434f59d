"""The whole flow of iree-org/iree#23778 on a lowered kernel: decide, hint, resolve, pad the rest.

The rule of the pull request (:mod:`.rule_23778`) wants the layouts of a tile's writer and reader,
and reads only the number of elements that a thread moves at once. On a lowered kernel that number
is there too: the widest vector of the accesses. So the flow can be put on any kernel that was
lowered without mitigation, and its counters be compared with the published ones.

What the rule declines is padded by :mod:`.pad`, which pads where counting says that it helps, and
by whole 16-byte units; ``bits`` (64 in IREE's pipelines) are put behind every row uncounted, as
IREE does, which then comes before the hints are resolved: what has one is never padded.
"""

from __future__ import annotations

from functools import partial

from bankwise.change.passes.decide import decide
from bankwise.change.passes.pad import pad
from bankwise.change.passes.resolve import resolve
from bankwise.change.passes.values import Outcome, PassOptions
from bankwise.read.mlir.module import Opened, open_text


def by_rule(opened: Opened, launch: PassOptions, *, bits: int = 0) -> Outcome:
    """The kernel after the flow. Remarks of all its passes, in order."""
    last = partial(pad, launch=launch, bits=bits), partial(resolve, launch=launch)
    done = [decide(opened, launch, rule="pr23778")]
    for each in last if bits else reversed(last):
        done.append(each(open_text(done[-1].text, opened.source.file)))
    return Outcome(
        done[-1].text,
        tuple(remark for outcome in done for remark in outcome.remarks),
        tuple(refusal for outcome in done for refusal in outcome.refusals),
    )
