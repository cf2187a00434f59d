"""``bankwise fix kernel.cu``: the plan of each shared array, written into the author's own text.

    compile, follow      what each array's accesses are, in the machine code
    plan                 folds of its rows and pitches, priced on those accesses together
    spell, compile       one way after the other, until what is emitted is what was planned
    judge                the proof on both texts, the emitted code before and after

A spelling is not trusted: an index that reads ``c ^ (r << 2)`` may cost the compiler the wide
accesses it had. So each is compiled and followed again, and the one with the fewest passes is
kept, of equals the one with the fewest instructions, then the one that reads best.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from bankwise.ask.array_plans import ArrayPlans
from bankwise.ask.array_search import FEWEST
from bankwise.ask.array_skews import by_constants
from bankwise.ask.array_texts import WrittenArray, rejection, written_arrays
from bankwise.ask.array_unrolled import in_flight
from bankwise.ask.check_assembly import counted_kernel, report_of
from bankwise.ask.dearer import dear
from bankwise.ask.device_alone import is_whole, quick, said_alone
from bankwise.ask.every_launch import every_launch, key_of, over
from bankwise.ask.extents_early import sizes_with_extents
from bankwise.ask.fix_cute_source import fixed_by_cute
from bankwise.ask.header_copies import copied, lines_of, remaining
from bankwise.ask.header_users import needed_as_it_is
from bankwise.ask.joined_headers import (
    in_files,
    is_folder,
    one_file,
    with_headers,
)
from bankwise.ask.judge_emitted import beyond, judge_code, judge_taken
from bankwise.ask.judge_run import judge_run, need_gpu
from bankwise.ask.line_copies import said_copies
from bankwise.ask.source_plans import sharing, source_plans
from bankwise.ask.source_proof import extents, proved
from bankwise.ask.source_text import Author, CompiledText, opened, source_beside
from bankwise.ask.supposed import without
from bankwise.change.cxx.same_code import changed_kernels
from bankwise.change.cxx.spelling import CxxEdit
from bankwise.counting.cost import Cost
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import check_placed, read_text
from bankwise.hardware.machine import machine
from bankwise.identity import ByIdentity
from bankwise.read.compile_flags import compilation_of
from bankwise.read.cxx.tree import CxxSource
from bankwise.read.instances import back, instances_in
from bankwise.read.names import listed
from bankwise.read.options import ALL_JUDGES, Judges, Options, Phase, Progress, phase_of
from bankwise.read.refused import asked_by
from bankwise.read.sources import language_of
from bankwise.show.fixing import Change, FixReport, SlowerText, Verdict
from bankwise.show.patch import unified_patch
from bankwise.solver.plan import preference


def fix_source_file(
    file: Path,
    options: Options,
    judges: Judges = ALL_JUDGES,
    *,
    output: str = "",
    progress: Progress | None = None,
) -> FixReport:
    """:func:`bankwise.ask.fix.fix_file` for source that is compiled here.

    Raises :class:`InputError` where nothing compiles it, or the compiler says no, in its words.
    """
    if output not in ("", "-") and not is_folder(output):
        check_placed(Path(output))
    _asks_fewest(file, options)
    if judges.run:
        need_gpu(file)
    phase = phase_of(progress)
    try:
        author, before, said = _asked(file, options, phase, one_file(output))
    except InputError as error:
        raise asked_by(error, "fix") from error
    found = in_files(author, *_report(author, before, said, judges), output)
    if isinstance(found, Refusal):
        author, before, said = _asked(file, options, phase, str(found))
        found = in_files(author, *_report(author, before, said, judges), output)
    assert isinstance(found, FixReport)
    return found


def _report(
    author: Author, before: CompiledText, said: Sequence[str], judges: Judges
) -> tuple[FixReport, str]:
    """What becomes of a source, as one text; and what the compiler made of that on the way, as far
    as it is known."""
    file, fixed = author.what.path, _tried_alone(author, before, judges)
    told = beyond(fixed.changes, fixed.before.kernels, fixed.compiled.kernels)
    if not fixed.changes:
        fixed = _by_cute(author, before, judges, fixed)
    before, after = fixed.before, fixed.compiled
    slower = dear(before.kernels, after.kernels)
    left = tuple(Refusal(one, Location(str(file))) for one in author.left)
    report = FixReport(
        before=report_of(file, before.kernels, notes=(before.how, *said)),
        after=report_of(file, after.kernels, notes=(after.how, *said)),
        changes=fixed.changes,
        refusals=(*fixed.refusals, *left * _conflicts(after)),
        verdicts=fixed.verdicts,
        source_text=before.text,
        fixed_text=after.text,
        patch=unified_patch(file, before.text, after.text),
        accept_sampled=judges.accept_sampled,
        by_line=True,
        lines=fixed.lines,
        notes=(*fixed.unpadded, *fixed.copied, *told, *_notes(author, fixed, slower)),
        slower=slower,
        passed_over=fixed.passed_over,
        accept_slower=_asks_fewest(file, author.options),
    )
    return report, "" if after.changed else after.between


def _asks_fewest(file: Path, options: Options) -> bool:
    """Whether texts are wanted that may be slower; InputError for what no source can be ranked
    by."""
    known = ("cheapest", FEWEST)
    if options.prefer in ("", *known):
        return options.prefer == FEWEST
    preference(options.prefer)
    message = f"--prefer {options.prefer} says nothing about a source"
    raise InputError(message, location=Location(str(file)), hint=f"one of {', '.join(known)}")


def _notes(author: Author, fixed: _Fixed, slower: Sequence[str]) -> Iterator[str]:
    """What there is to say of copies of lines, of what may be ``slower``, and of what is left."""
    if copies := said_copies(fixed.before.kernels, fixed.compiled.kernels):
        yield copies
    yield from (f"{one}: {_TIME[author.language.name == 'CUDA']}" for one in slower)
    yield from _left(fixed)


def _left(fixed: _Fixed) -> tuple[str, ...]:
    """What there is to say of arrays of which other texts than the written ones may be slower; of
    those that have none a refusal says it."""
    refused = [one.reason for one in fixed.refusals]
    return tuple(
        f"{listed(one.allocations)}: {one.told}"
        for one in fixed.passed_over
        if not any(one.told in reason for reason in refused)
    )


def _asked(
    file: Path, options: Options, phase: Phase, why: str
) -> tuple[Author, CompiledText, tuple[str, ...]]:
    """A source as it is, compiled, with kernels that share its arrays and numbers for what is open;
    and what there is to say of that. ``why`` its headers stay as they are, "" if they need not."""
    text = read_text(file)
    what, said = compilation_of(file, options)
    author = Author(
        source_beside(text, str(file), what), language_of(what), what, options, phase=phase
    )
    phase("compiling, following kernels")
    before = author.compiled(text)
    author, before = with_headers(author, before, why)
    if options.kernel and (also := sharing(author.source, author.asking, what, before.kernels)):
        author = replace(author, also=also)
        before = author.compiled(before.text)
        said = (*said, _ALSO.format(names=listed(also)))
    return *opened(author, before), said


class _Fixed(ByIdentity, frozen=True, eq=False):
    """What became of a source. ``lines``: by line of its text that which it was, where that
    differs; ``unpadded``: what would take fewer passes without a padding that is there; ``edits``:
    what makes one text of the other; ``copied``: which functions of headers have copies;
    ``passed_over``: what takes fewer passes and may be slower."""

    before: CompiledText
    compiled: CompiledText
    changes: tuple[Change, ...]
    verdicts: tuple[Verdict, ...]
    refusals: tuple[Refusal, ...]
    lines: Mapping[Location, Location]
    unpadded: tuple[str, ...] = ()
    edits: tuple[CxxEdit, ...] = ()
    copied: tuple[str, ...] = ()
    passed_over: tuple[SlowerText, ...] = ()

    @property
    def rejected(self) -> bool:
        """Whether a judge says no."""
        return bool(rejection(self.verdicts))


def _tried_alone(author: Author, before: CompiledText, judges: Judges) -> _Fixed:
    """The source with other indices and extents; where its host code takes long to compile, what is
    tried is compiled without, and what is written is compiled whole."""
    other = quick(author, before)
    if other is author:
        return _with_headers(author, before, judges)
    fixed = _with_headers(other, other.compiled(before.text), judges)
    author.phase("compiling the whole text")
    if fixed.changes and not is_whole(author, other, fixed.compiled):
        return _with_headers(author, before, judges)
    alone = said_alone(other) * bool(fixed.changes)
    # What was emitted on the way is that of the text without the code of the host.
    made = replace(fixed.compiled, between="")
    return replace(fixed, compiled=made, copied=(*fixed.copied, *alone))


def _with_headers(author: Author, before: CompiledText, judges: Judges) -> _Fixed:
    """The source with other indices and extents, also in copies of what its headers do with its
    arrays; only those copies are left that have other ones."""
    made = copied(author, before) if _conflicts(before) else ()
    if isinstance(made, tuple):
        fixed = _by_indices(author, before, judges)
        return replace(fixed, copied=made if fixed.refusals else ())
    fixed = _by_indices(made.author, made.before, judges)
    before = before.under([key_of(one) for one in every_launch(fixed.before.kernels)])
    open_ = made.text.left if fixed.refusals else ()
    if not fixed.changes:
        return replace(fixed, before=before, compiled=before, lines={}, copied=open_)
    left = remaining(made, fixed.edits, fixed.compiled)
    said = {"proof": left.proved}
    return replace(
        fixed,
        before=before,
        compiled=left.compiled,
        verdicts=tuple(replace(v, detail=v.detail + said.get(v.judge, "")) for v in fixed.verdicts),
        lines=left.lines,
        copied=(*left.notes, *open_),
    )


def _conflicts(before: CompiledText) -> bool:
    """Whether a kernel has conflicts, in the launches that are shown."""
    counted = (counted_kernel(kernel, machine(kernel.target)) for kernel in before.kernels)
    return any(kernel.totals.run.extra for kernel in counted)


def _by_indices(author: Author, before: CompiledText, judges: Judges) -> _Fixed:
    """The source with other indices and extents of its arrays: what costs least, and where a judge
    rejects that, array by array what costs least of what none rejects."""
    planned, refusals, before = _planned(author, before)
    first = _written(author, before, planned, judges)
    fixed = first
    if first.rejected:
        fixed = _written(author, before, planned, judges, apart=True)
        fixed = fixed if fixed.changes and not fixed.rejected else first
    return replace(fixed, refusals=(*refusals, *fixed.refusals))


def _written(
    author: Author,
    before: CompiledText,
    planned: Sequence[ArrayPlans],
    judges: Judges,
    *,
    apart: bool = False,
) -> _Fixed:
    """What is written of the plans, and judged; ``apart``: also as soon as an array is written."""

    def heard(chosen: Sequence[WrittenArray], after: CompiledText) -> tuple[Verdict, ...]:
        return _heard(author, before, after, chosen, judges)

    found = written_arrays(author, before, planned, heard if apart else None)
    chosen, after = found.chosen, found.made
    if not apart:
        chosen, after = by_constants(author, before, chosen, after)
        chosen, after = in_flight(author, before, chosen, after)
    edits = tuple(e for one in chosen for e in one.spelling.edits)
    return _Fixed(
        before,
        after,
        tuple(_change(one, before) for one in chosen),
        heard(chosen, after),
        found.refusals,
        lines_of(author.source, edits, after.text),
        tuple(filter(None, (one.plans.unpadded for one in chosen))),
        edits,
        passed_over=found.left,
    )


def _by_cute(author: Author, before: CompiledText, judges: Judges, indices: _Fixed) -> _Fixed:
    """The source with other layouts of CuTe, where it has any, for the target of its code."""
    target = next((k.target for k in before.kernels), author.options.target)
    options = replace(author.options, target=target)
    found = fixed_by_cute(author.source.file, before.text, options, before, author.compiled)
    if isinstance(found, tuple):
        return replace(indices, refusals=(*indices.refusals, *found))
    verdicts = (*found.verdicts, *_executed(author, before, found.compiled, judges))
    return _Fixed(before, found.compiled, found.changes, verdicts, (), {})


def _heard(
    author: Author,
    before: CompiledText,
    after: CompiledText,
    chosen: Sequence[WrittenArray],
    judges: Judges,
) -> tuple[Verdict, ...]:
    """What the judges that are asked say of a change: proof, execution, code, a GPU."""
    if not chosen:
        return ()
    author.phase("proving, executing, comparing the code")
    texts = partial(_emitted, author, before), partial(_emitted, author, after)
    proof = proved(author, before, after, chosen, texts)
    isa = (judge_taken(after.how, before.kernels, after.kernels),) * judges.isa
    return (proof, *_executed(author, before, after, judges), *isa)


def _executed(
    author: Author, before: CompiledText, after: CompiledText, judges: Judges
) -> Iterator[Verdict]:
    """What they say who run both codes: the simulation, and a GPU."""
    whole = without(before.kernels, author.supposed)
    if judges.execute:
        old, new = (_emitted(author, one) for one in (before, after))
        language = author.language
        others = changed_kernels(old, new, language.parts, language.remark)
        ran = tuple(one for one in whole if others is None or one.name in others)
        yield judge_code(language.emits, old, new, ran or whole)
    if judges.run:
        what = replace(author.what, alone=None)
        yield judge_run(what, whole, before.text, after.text, after.changed)


def _emitted(author: Author, one: CompiledText) -> str:
    """What the compiler emits of a text on the way: what its machine code keeps of it, which spares
    another compilation, or that."""
    if one.between:
        return one.between
    emitted = author.language.emitted(replace(author.what, text=one.text))
    return instances_in(emitted, back(one.changed))


def _planned(
    author: Author, before: CompiledText
) -> tuple[tuple[ArrayPlans, ...], tuple[Refusal, ...], CompiledText]:
    """What could be written of each array that has conflicts, the costliest first; and why not. And
    the source under those launches that can be."""
    if not _conflicts(before):
        return (), (), before
    known = without(before.kernels, author.supposed)
    found = source_plans(
        *(author.source, author.language, author.what, author.options, before.kernels),
        author.phase,
        partial(sizes_with_extents, author, known),
    )
    before = before if found.keys is None else before.under(found.keys)
    author.phase("asking whether indices stay in their rows")
    every = [(n, one) for n, plans in enumerate(found.plans) for one in plans.arrays]
    _, left = extents(author, before, [one for _, one in every])
    leaving = {every[place][0]: refused for place, refused in left.items()}
    others = ((n, needed_as_it_is(author, one.arrays)) for n, one in enumerate(found.plans))
    leaving |= {n: refused for n, refused in others if refused is not None}
    plans = tuple(one for n, one in enumerate(found.plans) if n not in leaving)
    unasked = (one for one in found.unasked if _is_here(author.source, one))
    return plans, (*unasked, *found.refusals, *leaving.values()), before


def _is_here(source: CxxSource, refusal: Refusal) -> bool:
    """Whether it is about the source's own file: of headers not all is used."""
    return refusal.location is None or refusal.location.file == source.file


def _change(chosen: WrittenArray, before: CompiledText) -> Change:
    plans, keys = chosen.plans, tuple(map(key_of, before.kernels))
    ideal = over(plans.ideal, keys)
    names = dict.fromkeys(k.name for one in plans.arrays for k in one.kernels)
    return Change(
        kernel=", ".join(names),
        allocations=plans.names,
        address=chosen.spelling.text,
        before=Cost(over(plans.present, keys), ideal),
        after=Cost(over(chosen.plan.passes, keys), ideal),
        members=len(plans.plans),
        coalescing="",
        optimum="; ".join(filter(None, (chosen.plan.optimum, _why(chosen), chosen.note))),
    )


def _why(chosen: WrittenArray) -> str:
    """Why this plan was taken, where that is asked: it is not the only one that is as good."""
    return chosen.plans.longer if chosen.plan is chosen.plans.plans[0] else ""


_ALSO = "{names}: made of the same text, and looked at as well"

_TIME = {True: "time it with --run before you take it", False: "time it before you take it"}
