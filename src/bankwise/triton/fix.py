"""``bankwise.triton.fix``: a ``@triton.jit`` function with better shared encodings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from bankwise.ask.fix_ttgir import fixed_ttgir
from bankwise.ask.ttgir_files import override_variables, ttgir_options
from bankwise.files import make_folder, write_atomically
from bankwise.identity import ByIdentity
from bankwise.read.options import Judges
from bankwise.show.columns import Console
from bankwise.show.fix_story import print_fix
from bankwise.show.fixing import FixReport
from bankwise.show.notebook import printed
from bankwise.triton.source import assumed_in, compiled, source_of


@printed("bankwise.triton.fix:print_triton_fix")
class TritonFix(ByIdentity, frozen=True, eq=False):
    """A kernel before and after; printed with its patch. ``report``: as ``bankwise fix`` of its
    TTGIR answers; ``source_hash``: the name of its folder below TRITON_OVERRIDE_DIR."""

    name: str
    report: FixReport
    source_hash: str

    @property
    def ttgir(self) -> str:
        """The text to use: the fixed one where it is offered, else the one of Triton."""
        return self.report.fixed_text if self.report.accepted else self.report.source_text

    @property
    def patch(self) -> str:
        """From the TTGIR that Triton makes to this one; empty where nothing is offered."""
        return self.report.patch if self.report.accepted else ""

    @property
    def exit_code(self) -> int:
        """As of the report: what ``bankwise fix`` of the TTGIR ends with."""
        return self.report.exit_code

    def write(self, folder: str | Path) -> dict[str, str]:
        """Write the TTGIR below ``folder``; the environment variables that make Triton use it. None
        where nothing is offered: then nothing is written.

        The names are of this source, these constants, types, multiples of 16 and, on AMD, of
        tensors below 2 GB: a launch with others is another kernel to Triton. Triton compiles into
        a cache below ``folder``: its own would keep the replaced kernel. Raises
        :class:`InputError` if it cannot be written.
        """
        if not self.report.accepted:
            return {}
        place = Path(folder) / self.source_hash / f"{self.name[:150]}.ttgir"
        make_folder(place.parent)
        write_atomically(place, self.ttgir)
        return override_variables(str(folder))


_APPLIED = """to use it, where found is what fix returned:
  found.write("override") writes this TTGIR and returns the variables that make
    Triton take it, to be set where the program is run
  with bankwise.triton.install(found): .. for launches in the same program"""


def print_triton_fix(fixed: TritonFix, console: Console) -> None:
    """The report, and behind it the patch, where one is offered."""
    print_fix(fixed.report, console)
    if fixed.patch:
        console.print()
        console.print(fixed.patch, markup=False, soft_wrap=True)
        console.print(_APPLIED, markup=False)


def fix(
    fn: Any,
    signature: Mapping[str, str],
    target: str,
    *,
    execute: bool = True,
    accept_sampled: bool = False,
    **said: Any,
) -> TritonFix:
    """Compile a ``@triton.jit`` function, and give its shared buffers better encodings.

    ``fn`` to ``said``: as :func:`bankwise.triton.source.source_of` takes them. ``execute``:
    simulate the code of both; it runs some blocks, none where it cannot, and ``accept_sampled``
    takes the proof for the rest, as ``--accept-sampled`` does. What is fixed is the kernel of these
    constants, types and options: name those that the program uses.

    Raises :class:`InputError` as :func:`bankwise.triton.check` does.
    """
    source = source_of(fn, signature, target, **said)
    made = compiled(source)
    report, _ = fixed_ttgir(
        made.texts["ttgir"],
        Path(f"{source.name}.ttgir"),
        source.said,
        Judges(execute=execute, accept_sampled=accept_sampled),
        ttgir_options(made.metadata),
    )
    report = replace(report, notes=(*report.notes, *assumed_in(made.texts["ttgir"])))
    return TritonFix(source.name, report, made.source_hash)
