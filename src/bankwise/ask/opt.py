"""``bankwise opt``: run passes over a module, text in, text out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from bankwise.errors import InputError
from bankwise.files import read_text
from bankwise.read.options import Options, dims_of, three
from bankwise.read.recognise import require
from bankwise.show.opting import OptReport
from bankwise.show.patch import spliced

if TYPE_CHECKING:
    from bankwise.change.passes.values import Outcome, PassOptions
    from bankwise.read.mlir.module import Opened

Run = Callable[["Opened", "PassOptions", "Rules"], "Outcome"]


class Pass(Struct, frozen=True):
    """One pass. ``looks_for``: what it works on, said where a text has nothing of it."""

    name: str
    looks_for: str
    run: Run


class Rules(Struct, frozen=True):
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
    original = opened.source.text
    done: list[tuple[str, Outcome]] = []
    if _generic(opened):
        done.append((_PRINTED, _printed(opened)))
        opened = open_text(done[0][1].text, str(file))
    text = opened.source.text
    for each in chosen:
        outcome = replace(each.run(opened, launch, rules), looked_for=each.looks_for)
        done.append((each.name, outcome))
        if outcome.text != text:
            text = outcome.text
            opened = open_text(text, str(file))
    if not any(outcome.changed for name, outcome in done if name != _PRINTED):
        text, done = original, [each for each in done if each[0] != _PRINTED]
    return OptReport(str(file), tuple(done), spliced(read_text(file), original, text))


_PRINTED = "custom-form"
_DIALECTS = ("func.", "gpu.", "memref.", "vector.")


def _generic(opened: Opened) -> bool:
    """Whether a text has operations in generic form, which names neither indices nor types where
    the passes edit them."""
    from bankwise.read.mlir.kernels import operations

    text = opened.source.text
    named = (op for op in operations(opened.module.operation) if op.name.startswith(_DIALECTS))
    places = (opened.offset_of(op) for op in named)
    return any(text[at : at + 1] == '"' for at in places if at is not None)


def _printed(opened: Opened) -> Outcome:
    """The module in the custom form of all its operations."""
    from bankwise.change.passes.values import Outcome, Remark

    where = opened.location_of(opened.module.operation)
    told = "generic form: the whole text is printed anew first, in the form that passes edit"
    return Outcome(opened.module.operation.get_asm(), (Remark("module", where, True, told),))


def names() -> tuple[str, ...]:
    """The names of all passes, in the order of the flow."""
    return (
        *("fold-hints", "decide", "materialise", "flatten", "absorb", "resolve", "dma-swizzle"),
        *("unpad", "pad", "split-access", "buffer", "best"),
    )


def known_passes() -> Mapping[str, Pass]:
    """All passes by name, in the order of the flow."""
    found = {each.name: each for each in (*_hint_passes(), *_memory_passes())}
    looks_for = "kernels with conflicts: what splits, folds and paddings save of them"
    found["best"] = Pass("best", looks_for, _best(found))
    return found


_TILES = "to_layout with shared_memory_conversion"
_ALLOCATIONS = "allocations in workgroup memory that threads access"


def _hint_passes() -> tuple[Pass, ...]:
    """What makes hints of tiles, and addresses of hints."""
    from bankwise.change.passes.absorb import absorb
    from bankwise.change.passes.decide import decide
    from bankwise.change.passes.flatten import flatten
    from bankwise.change.passes.fold_hints import fold_hints
    from bankwise.change.passes.materialise import materialise
    from bankwise.change.passes.resolve import resolve

    def chosen(opened: Opened, launch: PassOptions, rules: Rules) -> Outcome:
        return decide(opened, launch, rule=rules.decide, enabled=rules.flag)

    return (
        Pass("fold-hints", "slices and shapes of a hinted tensor", _alone(fold_hints)),
        Pass("decide", f"{_TILES}; {_ALLOCATIONS}", chosen),
        Pass(
            "materialise",
            f"{_TILES}, or between layouts that exchange elements",
            _alone(materialise),
        ),
        Pass(
            "flatten",
            "tensors in workgroup memory; hints on an allocation of two dimensions and more",
            _alone(flatten),
        ),
        Pass("absorb", "hints that stand directly on an allocation", _alone(absorb)),
        Pass(
            "resolve",
            "swizzle hints on memrefs; allocations with the attribute iree_codegen.swizzle",
            lambda opened, launch, rules: resolve(opened, launch),
        ),
    )


def _memory_passes() -> tuple[Pass, ...]:
    """What changes rows, copies and accesses of lowered kernels."""
    from bankwise.change.passes.buffer import buffer
    from bankwise.change.passes.dma_swizzle import dma_swizzle
    from bankwise.change.passes.pad import pad
    from bankwise.change.passes.split_access import split_access
    from bankwise.change.passes.unpad import unpad

    def padded(opened: Opened, launch: PassOptions, rules: Rules) -> Outcome:
        return pad(opened, launch, bits=rules.padding_bits)

    def cast(opened: Opened, launch: PassOptions, rules: Rules) -> Outcome:
        return buffer(opened, launch, rule=rules.buffer)

    copies = "allocations that copies in lane order fill (gather_to_lds, device_async_copy)"
    bindings = "bindings in global memory whose users are loads, stores and copies"
    return (
        Pass("dma-swizzle", copies, lambda opened, launch, rules: dma_swizzle(opened, launch)),
        Pass("unpad", _ALLOCATIONS, lambda opened, launch, rules: unpad(opened, launch)),
        Pass("pad", _ALLOCATIONS, padded),
        Pass(
            "split-access", _ALLOCATIONS, lambda opened, launch, rules: split_access(opened, launch)
        ),
        Pass("buffer", bindings, cast),
    )


def _alone(of: Callable[[Opened], Outcome]) -> Run:
    """A pass that asks nothing of the launch."""
    return lambda opened, launch, rules: of(opened)


def _best(known: Mapping[str, Pass]) -> Run:
    from bankwise.ask.opt_best import IREE_DEFAULT, best

    def run(opened: Opened, launch: PassOptions, rules: Rules) -> Outcome:
        def apply(name: str, text: Opened) -> Outcome:
            if name == IREE_DEFAULT:
                return known["pad"].run(text, launch, replace(rules, padding_bits=64))
            return known[name].run(text, launch, replace(rules, padding_bits=0))

        return best(opened, launch, apply)

    return run


def _pass(name: str, known: Mapping[str, Pass]) -> Pass:
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
    raise InputError(f"unknown pass {name!r}", hint=hint)
