"""``bankwise opt``: run passes over a module, text in, text out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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

Pass = Callable[["Opened", "PassOptions", "Rules"], "Outcome"]


@dataclass(frozen=True, slots=True)
class Rules:
    """How the passes decide. ``flag`` false keeps *decide* from deciding anything."""

    decide: Literal["solver", "pr23778"] = "solver"
    buffer: Literal["model", "wave"] = "model"
    flag: bool = True


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
    """Run the passes; each result is parsed and verified before it goes on.

    Raises InputError for an unknown pass, and for what cannot be read.
    """
    from bankwise.change.passes.values import PassOptions
    from bankwise.read.mlir.module import open_module, open_text

    require(file, "opt")
    known = _passes()
    chosen = [(name, _pass(name, known)) for name in passes]
    size = three(options.workgroup_size) if options.workgroup_size else None
    launch = PassOptions(options.target, size, dims_of(options), options.width_policy)
    opened = open_module(file)
    text = opened.source.text
    done: list[tuple[str, Outcome]] = []
    for name, run in chosen:
        outcome = run(opened, launch, rules)
        done.append((name, outcome))
        if outcome.text != text:
            text = outcome.text
            opened = open_text(text, str(file))
    return OptReport(str(file), tuple(done), text)


def names() -> tuple[str, ...]:
    """The names of all passes, in the order of the flow."""
    return ("decide", "materialise", "flatten", "resolve", "pad", "buffer")


def _passes() -> Mapping[str, Pass]:
    from bankwise.change.passes.buffer import buffer
    from bankwise.change.passes.decide import decide
    from bankwise.change.passes.flatten import flatten
    from bankwise.change.passes.materialise import materialise
    from bankwise.change.passes.pad import pad
    from bankwise.change.passes.resolve import resolve

    return {
        "decide": lambda opened, launch, rules: decide(
            opened, launch, rule=rules.decide, enabled=rules.flag
        ),
        "materialise": lambda opened, launch, rules: materialise(opened),
        "flatten": lambda opened, launch, rules: flatten(opened),
        "resolve": lambda opened, launch, rules: resolve(opened, launch),
        "pad": lambda opened, launch, rules: pad(opened, launch),
        "buffer": lambda opened, launch, rules: buffer(opened, launch, rule=rules.buffer),
    }


def _pass(name: str, known: Mapping[str, Pass]) -> Pass:
    if name in known:
        return known[name]
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known)}"
    raise InputError(f"unknown pass {name!r}", hint=hint)
