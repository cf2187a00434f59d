"""A TTGIR text as Triton makes machine code of it, followed and counted."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bankwise.ask.check_assembly import counted_kernel
from bankwise.ask.check_ttgir import Planned
from bankwise.hardware.machine import machine
from bankwise.identity import ByIdentity
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.follow.driver import check_code
from bankwise.read.launch.facts import KernelLaunch, Launches
from bankwise.read.options import Options
from bankwise.read.recognise import load, recognise_text
from bankwise.read.toolkit import find_program
from bankwise.read.ttgir import wheel
from bankwise.read.ttgir.beside import block_of, keys_of
from bankwise.read.ttgir.numbers import emitted_name, is_place, numbers_of
from bankwise.read.ttgir.wheel import LoweredKernel
from bankwise.show.values import KernelReport
from bankwise.show.words import open_rules


class EmittedText(ByIdentity, frozen=True, eq=False):
    """A TTGIR text and its machine code; ``report``: that counted, ``how``: which code it is."""

    text: str
    made: LoweredKernel
    code: AssemblyKernel
    report: KernelReport
    how: str

    @property
    def passes(self) -> int:
        """Of a workgroup, as followed."""
        return self.report.whole.passes

    @property
    def open(self) -> tuple[str, ...]:
        """The rules that nobody knows, or that are assumed, of its instructions, in words."""
        return open_rules((a.ruled, a.evidence) for a in self.report.accesses)

    @property
    def assumed(self) -> int:
        """Its conflicts by rules that nobody knows."""
        return sum(a.run.extra for a in self.report.accesses if a.assumed)

    @property
    def executed(self) -> int:
        """Instructions of shared memory that a workgroup executes, as followed."""
        return sum(
            pattern.executions * len(pattern.active)
            for access in self.code.accesses
            for pattern in access.access.patterns
        )

    def worse_than(self, other: EmittedText) -> str:
        """What speaks against it, in words; empty if it takes fewer passes and no more cycles."""
        if self.passes >= other.passes:
            return f"its code takes {self.passes:,} passes, not fewer than {other.passes:,}"
        if self.passes + self.executed > other.passes + other.executed:
            return f"its code executes {self.executed:,} instructions, before {other.executed:,}"
        lds = machine(self.code.target).lds_bytes
        if self.made.shared_bytes > lds:
            return f"it takes {self.made.shared_bytes:,} bytes of shared memory, there are {lds:,}"
        if len(self.report.refusals) > len(other.report.refusals):
            return f"its code cannot be counted whole: {self.report.refusals[-1].reason}"
        return ""


def emitted_text(
    text: str, planned: Planned, options: Options, triton_options: Mapping[str, Any]
) -> EmittedText:
    """Compile a text and count its code: SASS of sm_80 or later where nvdisasm is found, else PTX;
    AMD assembly.

    ``planned``: the kernel, for the names of its arguments. Raises :class:`InputError` in Triton's
    words if it does not compile.
    """
    made = wheel.lowered(text, planned.module.file, triton_options)
    return replace(counted_code(made, planned, options), text=text)


def counted_code(made: LoweredKernel, planned: Planned, options: Options) -> EmittedText:
    """The code of a kernel, followed and counted."""
    arguments = by_position(planned, options)
    code, how = _followed(made, planned, arguments)
    report = counted_kernel(code, machine(code.target))
    return EmittedText(made.texts["ttgir"], made, code, report, how)


def _followed(
    made: LoweredKernel, planned: Planned, arguments: dict[str | int, int]
) -> tuple[AssemblyKernel, str]:
    name, (suffix, text) = planned.kernel.name, made.assembly
    launch = KernelLaunch(
        block=block_of(made.metadata),
        shared_bytes=made.shared_bytes,
        said="as Triton launches it",
    )
    said = Launches(hosted=(launch,))
    if _has_sass(made, planned):
        from bankwise.read.sass.cubin import check_cubin

        with tempfile.TemporaryDirectory(prefix="bankwise-") as folder:
            path = Path(folder) / f"{name}.cubin"
            path.write_bytes(made.binaries["cubin"])
            return check_cubin(path, args=arguments, kernel=name, launches=said)[0], "SASS"
    file = f"{name}.{suffix}"
    dialect = load(recognise_text(file, text).reader)
    found = check_code(dialect, text, file, args=arguments, kernel=name, launches=said)[0]
    return found, "PTX" if suffix == "ptx" else "AMD assembly"


def _has_sass(made: LoweredKernel, planned: Planned) -> bool:
    """Whether there is SASS that can be followed."""
    if "cubin" not in made.binaries or find_program("nvdisasm") is None:
        return False
    from bankwise.read.sass.dialect import encodes_alike

    return encodes_alike(planned.machine.name)


def by_position(planned: Planned, options: Options) -> dict[str | int, int]:
    """The numbers by position: PTX names parameters otherwise, AMD counts bytes."""
    numbers, vendor = numbers_of(options.arguments), planned.machine.vendor
    starts = keys_of(planned.kernel, vendor)
    places = {name: emitted_name(name, vendor) for name in numbers if is_place(name)}
    keys = {name: places[name] if name in places else starts[name] for name in numbers}
    return {key: numbers[name] for name, key in keys.items() if key != ""}
