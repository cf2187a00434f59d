"""Generator and checker: drafts of a rewrite are written until :mod:`bankwise.change.prove` agrees.

All groups stand in one text, which is proved as a whole. What is not proved is written another way
(another style of an access, then the next best map); if none is left, the text is as if the group
had never been touched, and the last reason is its refusal. What is proved is counted too: it has to
gain something in the text as it is then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from bankwise.ask.analysis import Analysis, analyse, scope_in
from bankwise.ask.fix_gains import Gain, counted_text, gain
from bankwise.ask.fix_groups import Key, OwnedGroup
from bankwise.errors import InputError, Refusal
from bankwise.identity import ByIdentity
from bankwise.read.options import Options
from bankwise.show.fixing import Verdict
from bankwise.show.words import several

if TYPE_CHECKING:
    from bankwise.ask.fix_parts import PartedText
    from bankwise.change.prove import MapClaim, Proof
    from bankwise.change.rewrite.apply import Draft
    from bankwise.notation.padding import Unpadded
    from bankwise.read.mlir.module import Opened
    from bankwise.solver.plan import Plan

_FOR_ALL = "for all threads, workgroups, sizes and loop rounds"

_SINGLE_STEPS = 4
"""So often one access alone of a group gets another style; then all of them do."""


class RewriteTask(ByIdentity, frozen=True, eq=False):
    """A group to rewrite by the first of ``plans`` that can be proved.

    ``rows``: the padding that is already gone from the text; then one of the plans may be to leave
    it at that.
    """

    owned: OwnedGroup
    plans: tuple[Plan, ...]
    rows: Unpadded | None = None


class RewriteAttempt(ByIdentity, frozen=True, eq=False):
    """How far a task has come: the number of its plan, and how that is written.

    ``draft``: None where only the rows change. ``steps``: how many styles were refused.
    ``because``: why the first of its plans is not written, where that is given up.
    """

    task: RewriteTask
    plan: int
    draft: Draft | None
    steps: int = 0
    because: str = ""

    @property
    def chosen(self) -> Plan:
        """The plan that is tried."""
        return self.task.plans[self.plan]


Proofs = tuple["Proof", ...]
"""What was proved of one attempt, a proof for each kernel."""


class ProvedRewrite(ByIdentity, frozen=True, eq=False):
    """An attempt that stands in a text, with what was proved of it, and what it gains there."""

    attempt: RewriteAttempt
    proofs: Proofs
    gain: Gain

    @property
    def key(self) -> Key:
        """Of its group."""
        return self.attempt.task.owned.key


class ProvedText(ByIdentity, frozen=True, eq=False):
    """A text, proved, and its kernels. ``done``: what stands in it; ``refused``: the other tasks,
    and why."""

    opened: Opened
    analyses: tuple[Analysis, ...]
    done: tuple[ProvedRewrite, ...]
    refused: tuple[tuple[RewriteTask, Refusal], ...]


class StartingText(ByIdentity, frozen=True, eq=False):
    """``before``: the text that claims are about; ``analyses``: the kernels that gains are counted
    from, the user's; ``start``: the text that is edited (some rows undone), and its kernels.
    ``parted``: of ``before``, where it has accesses of the user's text in parts."""

    before: Opened
    analyses: tuple[Analysis, ...]
    start: Opened
    started: tuple[Analysis, ...]
    options: Options
    parted: PartedText | None = None


def write_proved(texts: StartingText, tasks: Sequence[RewriteTask]) -> ProvedText:
    """Write every task that can be proved, and gains something, into the text to be edited.

    Where undone rows had better be as they were it ends early, and nothing is ``done``.
    """
    attempts, refused = [_attempt(task, 0) for task in tasks], list[tuple[RewriteTask, Refusal]]()
    before = counted_text(texts.analyses if attempts else ())
    while attempts and not any(task.rows for task, _ in refused):
        drawn = _drawn(texts, attempts)
        attempts = list(drawn.attempts)
        if drawn.refusals:
            attempts = _advanced(attempts, drawn.refusals, refused, _next_plan)
            continue
        after, proofs, wrong = _judged(texts, attempts, attempts, drawn.text)
        if wrong or after is None:
            attempts = _advanced(attempts, _guilty(texts, attempts, wrong), refused, _next)
            continue
        now = counted_text(analyse(after, texts.options))
        gains = [gain(each.task.owned, texts.started, before, now) for each in attempts]
        if useless := _useless(attempts, gains):
            attempts = _advanced(attempts, useless, refused, _next_plan)
            continue
        done = map(ProvedRewrite, attempts, proofs, gains)
        return ProvedText(after, now.analyses, tuple(done), tuple(refused))
    return ProvedText(texts.start, texts.started, (), tuple(refused))


def _useless(attempts: Sequence[RewriteAttempt], gains: Sequence[Gain]) -> dict[int, Refusal]:
    """Those that gain nothing, by number; of rows that lost their padding, those that lose."""
    return {
        number: found.refused(attempt.task.owned, attempt.chosen)
        for number, (attempt, found) in enumerate(zip(attempts, gains, strict=True))
        if (found.lost if attempt.task.rows else found.nothing)
    }


def proof_verdict(proofs: Sequence[Proofs]) -> Verdict | None:
    """What was proved of the groups of a text, in words; None where there was nothing to prove.

    Each proof of a group that kernels share is about all of its accesses.
    """
    if not proofs:
        return None
    count = sum(max(proof.accesses for proof in group) for group in proofs)
    accesses = several(count, "access")
    facts = dict.fromkeys(fact for group in proofs for proof in group for fact in proof.facts)
    rests = f"; rests on: {', '.join(facts)}" if facts else ""
    return Verdict("proof", "passed", f"{accesses}, {_FOR_ALL}{rests}")


def _attempt(task: RewriteTask, plan: int) -> RewriteAttempt:
    from bankwise.change.rewrite.apply import draft
    from bankwise.change.rewrite.plan import folded

    chosen = task.plans[plan]
    return RewriteAttempt(task, plan, draft(task.owned.group, chosen) if folded(chosen) else None)


def _advanced(
    attempts: Sequence[RewriteAttempt],
    wrong: Mapping[int, Refusal],
    refused: list[tuple[RewriteTask, Refusal]],
    following: Callable[[RewriteAttempt, Refusal], RewriteAttempt | Refusal],
) -> list[RewriteAttempt]:
    """The attempts, the wrong ones as ``following`` says; those it refuses go to ``refused``."""
    going: list[RewriteAttempt] = []
    for number, attempt in enumerate(attempts):
        if number not in wrong:
            going.append(attempt)
            continue
        moved = following(attempt, wrong[number])
        if isinstance(moved, RewriteAttempt):
            going.append(moved)
        else:
            refused.append((attempt.task, moved))
    return going


def _next(attempt: RewriteAttempt, refusal: Refusal) -> RewriteAttempt | Refusal:
    """Another style, then another plan."""
    place = refusal.location if attempt.steps < _SINGLE_STEPS else None
    draft = None if attempt.draft is None else attempt.draft.after(place)
    if draft is not None:
        return replace(attempt, draft=draft, steps=attempt.steps + 1)
    return _next_plan(attempt, refusal)


def _next_plan(attempt: RewriteAttempt, refusal: Refusal) -> RewriteAttempt | Refusal:
    """Another plan; where there is none, the reason against the last one."""
    if attempt.plan + 1 < len(attempt.task.plans):
        following = _attempt(attempt.task, attempt.plan + 1)
        return replace(following, because=attempt.because or refusal.reason)
    return refusal


class _Drawn(ByIdentity, frozen=True, eq=False):
    """A text with edits. ``attempts``: with the styles that were written; ``refusals``: by number,
    of those that could not be."""

    text: str
    attempts: tuple[RewriteAttempt, ...]
    refusals: Mapping[int, Refusal]


def _drawn(texts: StartingText, attempts: Sequence[RewriteAttempt]) -> _Drawn:
    """The text with these attempts in it, those alone that can be written."""
    from bankwise.change.rewrite.apply import write
    from bankwise.change.rewrite.emit import Emitter
    from bankwise.read.mlir.source import apply_edits

    emitter = Emitter(texts.start.source.text, texts.start.offset_of)
    scopes = {each.kernel.name: scope_in(each, emitter) for each in texts.started}
    shown: list[RewriteAttempt] = []
    refusals: dict[int, Refusal] = {}
    for number, attempt in enumerate(attempts):
        draft = attempt.draft and write(attempt.draft, scopes.__getitem__)
        if isinstance(draft, Refusal):
            refusals[number] = draft
        shown.append(attempt if isinstance(draft, Refusal) else replace(attempt, draft=draft))
    text = apply_edits(texts.start.source.text, emitter.edits)
    return _Drawn(text, tuple(shown), refusals)


def _judged(
    texts: StartingText,
    attempts: Sequence[RewriteAttempt],
    shown: Sequence[RewriteAttempt],
    text: str,
) -> tuple[Opened | None, list[Proofs], dict[int, Refusal]]:
    """What is proved of a text with ``shown`` in it; refusals by their numbers in it."""
    from bankwise.change.prove import prove
    from bankwise.read.mlir.module import open_text

    claims = [(n, claim) for n, a in enumerate(shown) for claim in _claims(a, a.draft)]
    rows = [a for a in attempts if a.task.rows and a not in shown]
    beside = [claim for attempt in rows for claim in _claims(attempt, None)]
    try:
        after = open_text(text, texts.start.source.file)
    except InputError as error:
        no = Refusal(f"the text with it: {error.message}", error.location)
        return None, [], dict.fromkeys(range(len(shown)), no)
    found = prove(texts.before, after, [*(claim for _, claim in claims), *beside])
    proofs: list[Proofs] = [() for _ in shown]
    wrong: dict[int, Refusal] = {}
    for (number, _), proof in zip(claims, found, strict=False):
        proofs[number] = (*proofs[number], proof)
        if proof.refusal is not None:
            wrong.setdefault(number, proof.refusal)
    return after, proofs, wrong


def _guilty(
    texts: StartingText, attempts: Sequence[RewriteAttempt], wrong: Mapping[int, Refusal]
) -> Mapping[int, Refusal]:
    """Those of the wrong ones that are wrong alone; the last one where that is none."""
    if len(attempts) == 1:
        return wrong
    found: dict[int, Refusal] = {}
    for number in wrong:
        alone = [attempts[number]]
        _, _, refusals = _judged(texts, attempts, alone, _drawn(texts, alone).text)
        found |= {number: refusals[0]} if refusals else {}
    last = max(wrong)
    return found or {last: wrong[last]}


def _claims(attempt: RewriteAttempt, draft: Draft | None) -> tuple[MapClaim, ...]:
    from bankwise.change.prove import MapClaim
    from bankwise.change.rewrite.plan import fold_of

    owned, fold = attempt.task.owned, None if draft is None else fold_of(draft.plan)
    names = tuple(allocation.name for allocation in owned.group.allocations)
    return tuple(MapClaim(kernel, names, fold, attempt.task.rows) for kernel in owned.kernels)
