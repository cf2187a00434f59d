"""The oracle and the package's own executor, which share no code, leave the same bytes."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from adversarial.kernel import AdversarialKernel
from adversarial.kinds import every_kernel
from adversarial.oracle import GlobalBuffers, read_program
from bankwise.change.execute import execute

_KINDS = (
    "block_floordiv_3",
    "dma_rem",
    "async_select",
    "subview_offset",
    "masked_transfer",
    "swapped_buffers",
    "wrap_around",
    "negative_values",
    "threads_3d",
    "atomics",
    "ldmatrix",
    "transposed",
    "while_loop",
)


def chosen() -> list[AdversarialKernel]:
    first = {kernel.kind: kernel for kernel in reversed(every_kernel())}
    return [first[kind] for kind in _KINDS]


@pytest.mark.parametrize("kernel", chosen(), ids=lambda kernel: kernel.name)
def test_the_oracle_agrees_with_the_executor(kernel: AdversarialKernel) -> None:
    launch = kernel.launches[0]
    program = read_program(kernel.text, kernel)
    (entry,) = program.entries
    given = GlobalBuffers(entry, launch)
    parts = [given.space.bytes[low:high].copy() for low, high in given.starts.values()]
    flat = [part.view(of.stored) for part, (of, _) in zip(parts, given.kinds.values(), strict=True)]
    done = execute(
        entry,
        flat,
        workgroup_size=program.blocks["k"],
        wave_size=program.wave,
        grid=launch.grid,
        locate=program.opened.location_of,
    )
    assert not done.faults
    outcome = program.run(launch)
    assert not outcome.faults
    for (low, high), part in zip(given.starts.values(), parts, strict=True):
        assert np.array_equal(np.frombuffer(outcome.memory[low:high], np.uint8), part)
