"""``bankwise opt``: run passes over a module, text in, text out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from bankwise.errors import InputError
from bankwise.read.options import Options, dims_of, three
from bankwise.read.recognise import require
from bankwise.show.opting import OptReport

if TYPE_CHECKING:
    from bankwise.change.passes.values import Outcome, PassOptions
    from bankwise.read.mlir.module import Opened

Run = Callable[["Opened", "PassOptions", "Rules"], "Outcome"]


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass. ``looks_for``: what it works on, said where a text has nothing of it."""

    name: str
    looks_for: str
    run: Run


@dataclass(frozen=True, slots=True)
class Rules:
    """How the passes decide. ``flag`` false keeps *decide* from deciding anything.

    ``padding_bits``: what *pad* puts behind every row, as IREE does; 0 lets counting choose.
    """

    decide: Literal["solver", "pr23778"] = "solver"
    buffer: Literal["model", "wave"] = "model"
    flag: bool = True
    padding_bits: int = 0


def opt(
    file: str | Path,
    passes: Sequence[str],
    target: str = "",
    *,
    dims: tuple[str, ...] = (),
    workgroup_size: str = "",
    policy: str = "iree",
    rules: Rules | None = None,
) -> OptReport:
    """Run ``passes`` over ``file``, in order. Nothing is written; the text is in the report."""
    options = Options(target, "", dims, workgroup_size, policy)
    return opt_file(Path(file), passes, options, rules or Rules())


def opt_file(file: Path, passes: Sequence[str], options: Options, rules: Rules) -> OptReport:
    """Run ``passes``; each result is parsed and verified before it goes on.

    Raises InputError for an unknown pass, and for what cannot be read.
    """
    from bankwise.change.passes.values import PassOptions
    from bankwise.read.mlir.module import open_module, open_text

    require(file, "opt")
    known = known_passes()
    chosen = [_pass(name, known) for name in passes]
    size = three(options.workgroup_size) if options.workgroup_size else None
    launch = PassOptions(options.target, size, dims_of(options), options.width_policy)
    opened = open_module(file)
    text = opened.source.text
    done: list[tuple[str, Outcome]] = []
    for each in chosen:
        outcome = replace(each.run(opened, launch, rules), looked_for=each.looks_for)
        done.append((each.name, outcome))
        if outcome.text != text:
            text = outcome.text
            opened = open_text(text, str(file))
    return OptReport(str(file), tuple(done), text)


def names() -> tuple[str, ...]:
    """The names of all passes, in the order of the flow."""
    return (
        *("fold-hints", "decide", "materialise", "flatten", "absorb", "resolve", "dma-swizzle"),
        *("unpad", "pad", "split-access", "buffer", "best"),
    )


def known_passes() -> Mapping[str, Pass]:
    """All passes by name, in the order of the flow."""
    from bankwise.change.passes.absorb import absorb
    from bankwise.change.passes.buffer import buffer
    from bankwise.change.passes.decide import decide
    from bankwise.change.passes.dma_swizzle import dma_swizzle
    from bankwise.change.passes.flatten import flatten
    from bankwise.change.passes.fold_hints import fold_hints
    from bankwise.change.passes.materialise import materialise
    from bankwise.change.passes.pad import pad
    from bankwise.change.passes.resolve import resolve
    from bankwise.change.passes.split_access import split_access
    from bankwise.change.passes.unpad import unpad

    table = (
        Pass(
            "fold-hints",
            "slices and shapes of a hinted tensor",
            lambda opened, launch, rules: fold_hints(opened),
        ),
        Pass(
            "decide",
            "to_layout with shared_memory_conversion; allocations in workgroup memory that "
            "threads access",
            lambda opened, launch, rules: decide(
                opened, launch, rule=rules.decide, enabled=rules.flag
            ),
        ),
        Pass(
            "materialise",
            "to_layout with shared_memory_conversion, or between layouts that exchange elements",
            lambda opened, launch, rules: materialise(opened),
        ),
        Pass(
            "flatten",
            "tensors in workgroup memory; hints on an allocation of two dimensions and more",
            lambda opened, launch, rules: flatten(opened),
        ),
        Pass(
            "absorb",
            "hints that stand directly on an allocation",
            lambda opened, launch, rules: absorb(opened),
        ),
        Pass(
            "resolve",
            "swizzle hints on memrefs; allocations with the attribute iree_codegen.swizzle",
            lambda opened, launch, rules: resolve(opened, launch),
        ),
        Pass(
            "dma-swizzle",
            "allocations that copies in lane order fill (gather_to_lds, device_async_copy)",
            lambda opened, launch, rules: dma_swizzle(opened, launch),
        ),
        Pass(
            "unpad",
            "allocations in workgroup memory that threads access",
            lambda opened, launch, rules: unpad(opened, launch),
        ),
        Pass(
            "pad",
            "allocations in workgroup memory that threads access",
            lambda opened, launch, rules: pad(opened, launch, bits=rules.padding_bits),
        ),
        Pass(
            "split-access",
            "allocations in workgroup memory that threads access",
            lambda opened, launch, rules: split_access(opened, launch),
        ),
        Pass(
            "buffer",
            "bindings in global memory whose users are loads, stores and copies",
            lambda opened, launch, rules: buffer(opened, launch, rule=rules.buffer),
        ),
    )
    found = {each.name: each for each in table}
    looks_for = "kernels with shared memory: what padding, folding and splitting save of it"
    found["best"] = Pass("best", looks_for, _best(found))
    return found


_IREE_BITS = {"pad by 64 bits": 64}
"""What IREE's own pass puts behind every row, under the name that *best* gives it."""


def _best(known: Mapping[str, Pass]) -> Run:
    from bankwise.ask.opt_best import best

    def run(opened: Opened, launch: PassOptions, rules: Rules) -> Outcome:
        def apply(name: str, text: Opened) -> str:
            bits = _IREE_BITS.get(name, 0)
            chosen = known["pad" if bits else name]
            return chosen.run(text, launch, replace(rules, padding_bits=bits)).text

        return best(opened, launch, apply)

    return run


def _pass(name: str, known: Mapping[str, Pass]) -> Pass:
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
    raise InputError(f"unknown pass {name!r}", hint=hint)
