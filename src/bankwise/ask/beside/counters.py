"""What the vendors' counters of shared memory count, as a rule that predicts each of them.

NVIDIA (measured in 4,000 launches on an H200, docs/hardware.md): passes and conflicts of reads are
under ``_op_ld``, ldmatrix included, those of writes under ``_op_st``, stmatrix included. Executed
instructions are not: ldmatrix has a counter of its own. The forms without ``_op_`` count more.
AMD (ROCm documentation; published counters of six kernels are reproduced): SQ_LDS_BANK_CONFLICT
adds up extra passes, SQ_INSTS_LDS executed instructions; untested on hardware here.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from bankwise.counting.counted import AccessReport
from bankwise.hardware.machine import Direction, Vendor
from bankwise.show.values import KernelReport

Quality = Literal["extra", "passes", "instructions"]

_PASSES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
_EXECUTED = "smsp__inst_executed_op_"
_ORDINARY = frozenset({"plain", "matrix"})
_ON_LDS = frozenset({"plain", "transpose", "atomic"})


class Counter(Struct, frozen=True):
    """One counter: what it is of, and which accesses it takes in.

    ``exact``: it counts shared-memory instructions and nothing else.
    """

    name: str
    quality: Quality
    direction: Direction | None
    kinds: frozenset[str]
    exact: bool = False

    @property
    def what(self) -> str:
        """In words."""
        of = {"read": "of reads", "write": "of writes", None: "of all accesses"}[self.direction]
        words = {"extra": "extra passes", "passes": "passes", "instructions": "instructions"}
        kind = "matrix " if self.kinds == {"matrix"} else ""
        return f"{words[self.quality]} {of.replace('of ', f'of {kind}', 1)}"

    def predict(self, kernel: KernelReport) -> int:
        """Its value for one workgroup."""
        return sum(self._quantity(a) for a in kernel.accesses if self._takes(a))

    def assume(self, kernel: KernelReport) -> int:
        """The part of that by rules that nobody knows; how often something runs needs no rule."""
        if self.quality == "instructions":
            return 0
        mine = (a for a in kernel.accesses if a.assumed and self._takes(a))
        return sum(self._quantity(a) for a in mine)

    def free(self, kernel: KernelReport) -> bool:
        """Whether it is 0 however often the accesses run: all of a direction never conflict, and
        the kernel has none of another kind, of which this counter may take a part."""
        mine = (a for a in kernel.accesses if self.direction in (None, a.direction))
        known = all(a.kind in self.kinds for a in kernel.accesses)
        return self.quality == "extra" and known and all(a.surely_free for a in mine)

    def _takes(self, access: AccessReport) -> bool:
        return access.kind in self.kinds and self.direction in (None, access.direction)

    def _quantity(self, access: AccessReport) -> int:
        if self.quality == "instructions":
            return access.instructions * access.waves * access.executions
        return access.run.extra if self.quality == "extra" else access.run.passes


def counters(vendor: Vendor) -> tuple[Counter, ...]:
    """The counters that are understood."""
    return _AMD if vendor == "amd" else _NVIDIA


def counters_named(vendor: Vendor) -> str:
    """Their names, for a message."""
    return ", ".join(c.name for c in counters(vendor))


_NVIDIA = (
    Counter(f"{_CONFLICTS}_op_ld.sum", "extra", "read", _ORDINARY),
    Counter(f"{_CONFLICTS}_op_st.sum", "extra", "write", _ORDINARY),
    Counter("derived__memory_l1_wavefronts_shared_excessive", "extra", None, _ORDINARY, exact=True),
    Counter(f"{_CONFLICTS}.sum", "extra", None, _ORDINARY),
    Counter(f"{_PASSES}ld.sum", "passes", "read", _ORDINARY),
    Counter(f"{_PASSES}st.sum", "passes", "write", _ORDINARY),
    Counter(f"{_EXECUTED}shared_ld.sum", "instructions", "read", frozenset({"plain"})),
    Counter(f"{_EXECUTED}shared_st.sum", "instructions", "write", frozenset({"plain"})),
    Counter(f"{_EXECUTED}ldsm.sum", "instructions", "read", frozenset({"matrix"})),
)
_AMD = (
    Counter("SQ_LDS_BANK_CONFLICT", "extra", None, _ON_LDS),
    Counter("SQC_LDS_BANK_CONFLICT", "extra", None, _ON_LDS),
    Counter("SQ_LDS_IDX_ACTIVE", "passes", None, _ON_LDS),
    Counter("SQC_LDS_IDX_ACTIVE", "passes", None, _ON_LDS),
    Counter("SQ_INSTS_LDS", "instructions", None, _ON_LDS),
)
