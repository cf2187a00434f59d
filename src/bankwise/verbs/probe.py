"""``bankwise probe``: measure a machine's rules, or hold measured accesses against them."""

from __future__ import annotations

from pathlib import Path

from bankwise.gpu import records, source
from bankwise.gpu.cases import cases
from bankwise.gpu.counters import measure
from bankwise.gpu.probe import Agreement, compare
from bankwise.machine import machine


def probe(
    target: str, *, each: int = 350, seed: int = 0, replay: str = "", save: str = ""
) -> Agreement:
    """Measure ``each`` fresh accesses per instruction on this computer's GPU and compare.

    ``replay``: a CSV of accesses measured before, instead of measuring. ``save``: where to write
    what was measured. InputError where there is no GPU, no profiler, or the file is not one.
    """
    gpu = machine(target)
    if replay:
        from bankwise.files import read_text

        chosen, counters = records.loads(read_text(replay), replay)
        return compare(gpu, chosen, counters)
    chosen = cases(gpu, source.instructions(gpu.vendor), each, seed)
    counters = measure(chosen, gpu.vendor)
    if save:
        from bankwise.files import write_atomically

        write_atomically(Path(save), records.dumps(chosen, counters))
    return compare(gpu, chosen, counters)
