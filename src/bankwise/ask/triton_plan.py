"""Plan against emission: a kernel's TTGIR beside the assembly that was made of it.

Accesses are joined by the place in the source text that both levels carry, and by direction; what
carries none, or one that the other level does not have, is compared together. The compiler may
join two accesses into one, split one, or copy the body of a loop; then the row says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from msgspec.structs import replace

from bankwise.ask import check_assembly, check_ttgir
from bankwise.ask.check_ttgir import Planned, plan
from bankwise.ask.triton_places import Group, LevelItem, Sides, by_place, rates
from bankwise.ask.ttgir_code import by_position
from bankwise.counting.cost import Cost
from bankwise.counting.count_kernel import count_accesses
from bankwise.counting.counted import AccessReport
from bankwise.counting.kernel import KernelAccess
from bankwise.errors import InputError, Location, Refusal
from bankwise.files import read_text
from bankwise.hardware.machine import LEVELS, Machine, machine
from bankwise.read.assembly import AssemblyAccess, AssemblyKernel
from bankwise.read.follow.driver import check_code
from bankwise.read.launch.facts import KernelLaunch, Launches
from bankwise.read.options import Options
from bankwise.read.recognise import asker, load, recognise_text, require
from bankwise.read.ttgir.accesses import Moved
from bankwise.read.ttgir.beside import launches_beside
from bankwise.read.ttgir.cache import open_entry
from bankwise.read.ttgir.text import every
from bankwise.show.planning import AS_PLANNED, Emission, PlanReport, PlanRow

_TENSOR = "the address of tensor memory"
_SUFFIXES = ("st64", "_d16_hi", "_d16")
_ALIKE = {"ds_read_i16": "ds_read_u16", "ds_read_i8": "ds_read_u8"}


def compare(path: Path, assembly: Path | None, options: Options) -> tuple[PlanReport, ...]:
    """A TTGIR file beside its ``assembly``, or a cache entry, which holds both."""
    found: tuple[PlanReport, ...] = asker(path, "triton-plan")(path, assembly, options)
    return found


def beside_assembly(ttgir: Path, assembly: Path | None, options: Options) -> tuple[PlanReport, ...]:
    """:func:`compare` for a TTGIR file."""
    if assembly is None:
        raise InputError("a second file is needed: the assembly", hint="or a cache entry's folder")
    return plan_files(ttgir, assembly, options)


def inside_entry(folder: Path, assembly: Path | None, options: Options) -> tuple[PlanReport, ...]:
    """:func:`compare` for a cache entry."""
    if assembly is not None:
        where = Location(str(folder))
        raise InputError("a cache entry has its own assembly", location=where, hint="name one file")
    return plan_entry(folder, options)


def plan_files(
    ttgir: Path, assembly: Path, options: Options, *, verify: bool = True
) -> tuple[PlanReport, ...]:
    """Compare the kernels of two files. Raises :class:`InputError` if they do not fit together.

    ``options.arguments`` are numbers of the kernel's arguments by their names in the TTGIR.
    """
    require(ttgir, "triton-plan")
    require(assembly, "triton-plan ASSEMBLY")
    texts = read_text(ttgir), read_text(assembly)
    return plan_texts(texts[0], str(ttgir), texts[1], assembly, options, verify=verify)


def plan_entry(folder: Path, options: Options, *, verify: bool = True) -> tuple[PlanReport, ...]:
    """Compare the two levels of a Triton cache entry; :class:`InputError` if it lacks one."""
    entry = open_entry(folder)
    if entry.assembly is None:
        where = Location(str(folder))
        raise InputError("the entry holds no assembly to compare with", location=where)
    return plan_files(entry.ttgir, entry.assembly, options, verify=verify)


def plan_texts(
    ttgir: str, file: str, assembly: str, path: Path, options: Options, *, verify: bool = True
) -> tuple[PlanReport, ...]:
    """:func:`plan_files` on texts; ``file`` and ``path`` name them, ``path`` by its suffix."""
    reports = []
    for planned in plan(ttgir, file, options, verify=verify):
        given = by_position(planned, options)
        kernel = _assembly(assembly, path, planned, given)
        if kernel.target != planned.machine.name:
            raise InputError(
                f"the assembly is for {kernel.target}, the TTGIR for {planned.machine.name}",
                location=Location(str(path)),
            )
        reports.append(_report(planned, kernel, str(path)))
    return tuple(reports)


def _assembly(
    text: str, path: Path, planned: Planned, args: dict[str | int, int]
) -> AssemblyKernel:
    """The kernel of the same name."""
    name = planned.kernel.name
    dialect = load(recognise_text(str(path), text).reader)
    block = planned.module.warps * planned.module.lanes, 1, 1
    launches = Launches(hosted=launches_beside(path) or (KernelLaunch(block=block),))
    return check_code(dialect, text, str(path), args=args, kernel=name, launches=launches)[0]


def _report(planned: Planned, kernel: AssemblyKernel, path: str) -> PlanReport:
    ours = [item for a in planned.accesses for item in _planned(a, planned)]
    ours += _address_of_tensor_memory(planned)
    seen = [a for a in kernel.accesses if a.access.kind != "barrier"]
    unsized = [a for a in seen if a.unit is not None and a.access.kind == "bulk" and not a.counted]
    theirs = [_emitted(a, kernel) for a in seen if a not in unsized]
    # Waits at barriers are not compared, wherever they are.
    left = (one for one in kernel.refusals if not one.reason.startswith("mbarrier."))
    refusals = (*planned.refusals, *left, *map(_of_unknown_size, unsized))
    rows = _rows(by_place(ours, theirs), bool(refusals))
    counted = all(a.touch.counted for a in planned.accesses)
    return PlanReport(
        planned.kernel.name,
        planned.machine.name,
        planned.module.file,
        path,
        tuple(rows),
        counted and all(a.counted for a in kernel.accesses),
        refusals,
        planned.unsaid,
    )


def _of_unknown_size(found: AssemblyAccess) -> Refusal:
    """A bulk copy by a tensor map: the code names its first bytes, no more."""
    return Refusal(f"{found.instruction}: {found.access.note}", found.access.location)


def _planned(access: Moved, planned: Planned) -> Iterable[LevelItem]:
    gpu = planned.machine
    for issued in access.issued:
        counted = _counted(check_ttgir.access_of(replace(access, issued=(issued,))), gpu)
        yield LevelItem(
            access.direction,
            access.buffer,
            issued.instruction,
            issued.instructions * access.touch.executions,
            issued.width_bytes,
            counted.run,
            counted.evidence,
            access.location.line,
            access.sources,
            _is_open(counted),
        )


def _address_of_tensor_memory(planned: Planned) -> Iterable[LevelItem]:
    """Where a kernel allocates tensor memory, all threads read the word that says where it lies."""
    first = next((op for op in every(planned.kernel.body) if op.name == "ttng.tmem_alloc"), None)
    if first is not None:
        waves = planned.module.warps
        row = planned.machine.instruction("ld.shared.b32")
        cost = Cost(waves, waves)
        yield LevelItem("read", _TENSOR, row.name, 1, 4, cost, row.evidence, first.line, ())


def _counted(access: KernelAccess, machine: Machine) -> AccessReport:
    (found,) = count_accesses([access], machine)
    if isinstance(found, Refusal):
        raise InputError(found.reason, location=found.location)
    return found


def _emitted(found: AssemblyAccess, kernel: AssemblyKernel) -> LevelItem:
    gpu = machine(kernel.target)
    row, counted = (
        gpu.instruction(found.instruction),
        _counted(check_assembly.access_of(found), gpu),
    )
    return LevelItem(
        found.access.direction,
        "",
        found.instruction,
        found.access.executions,
        row.width_bytes * row.addresses,
        counted.run,
        counted.evidence,
        found.access.location.line,
        () if found.source is None else (found.source,),
        _is_open(counted),
    )


def _is_open(counted: AccessReport) -> bool:
    return not all(one.cost.exact for one in counted.iterations)


def _rows(groups: Mapping[Group, Sides], incomplete: bool) -> list[PlanRow]:
    """A row for each line; what has no equal at its own line is compared together, since the
    compiler gives some accesses another place in the source: what costs no other way at its line,
    what costs another number of passes there and the same together, or a line that has got
    instructions of others, with these."""
    rows = {group: _row(*group, *sides, incomplete) for group, sides in groups.items()}
    for direction in dict.fromkeys(direction for _, direction in groups):
        own = [g for g in rows if g[1] == direction]
        unlike = [g for g in own if rows[g].alike is not True]
        elsewhere = [g for g in own if rows[g].alike is not True or not rows[g].agrees]
        mixed = [g for g in own if g in unlike or _gave(rows[g], [rows[u] for u in unlike])]
        for left, same in ((unlike, False), (elsewhere, True), (mixed, False)):
            some, others = ([i for g in left for i in groups[g][side]] for side in (0, 1))
            together = _row(None, direction, some, others, incomplete)
            if together.alike and (together.agrees or not same):
                rows = {g: row for g, row in rows.items() if g not in left}
                rows[None, direction] = together
                break
    return list(_copied_elsewhere(groups, rows, incomplete).values())


def _gave(row: PlanRow, unlike: Sequence[PlanRow]) -> bool:
    """Whether a row of ``unlike`` has an instruction that was planned in this one alone."""
    own = {e.instruction for e in row.planned}
    strange = [
        {e.instruction for e in u.emitted} - {e.instruction for e in u.planned} for u in unlike
    ]
    return any(own & names for names in strange)


def _copied_elsewhere(
    groups: Mapping[Group, Sides], rows: dict[Group, PlanRow], incomplete: bool
) -> dict[Group, PlanRow]:
    """Rows of code that nothing was planned for are of the one access that is planned with their
    instruction and their price, where there is one: a copy of it, at the line of who uses it."""
    for group in [g for g, row in rows.items() if not row.planned]:
        own = [
            other
            for other, row in rows.items()
            if other[1] == group[1]
            and {e.instruction for e in row.planned} == {e.instruction for e in rows[group].emitted}
        ]
        if len(own) != 1 or own[0] not in groups or group not in groups:
            continue
        ours, theirs = groups[own[0]]
        copies = groups[group][1]
        if rates(copies) == rates(theirs):
            rows[own[0]] = _row(*own[0], ours, [*theirs, *copies], incomplete)
            del rows[group]
    return rows


def _row(
    source: Location | None,
    direction: str,
    ours: Sequence[LevelItem],
    theirs: Sequence[LevelItem],
    incomplete: bool,
) -> PlanRow:
    planned, emitted = _emissions(ours), _emissions(theirs)
    buffers = tuple(dict.fromkeys(i.buffer for i in ours if i.buffer))
    vague = any(item.open for item in theirs)
    change = _cheaper(planned, emitted, vague=vague) or _change(planned, emitted)
    alike = _alike(ours, theirs, incomplete=incomplete, placed=source is not None)
    return PlanRow(source, direction, buffers, planned, emitted, change, alike)


def _alike(
    ours: Sequence[LevelItem], theirs: Sequence[LevelItem], *, incomplete: bool, placed: bool
) -> bool | None:
    """Whether one execution of each costs the same; None where that cannot be said.

    Copies of the code and executions do not matter: what is compared is what one access costs for
    each byte that it moves. Where the compiler took other instructions, how many times the ideal it
    costs is. ``incomplete``: some accesses were refused; ``placed``: they share a source line.
    """
    if not ours or not theirs:
        return None
    a, b = rates(ours), rates(theirs)
    if a == b or _ways(a) == _ways(b):
        return True
    partly = incomplete and (a < b or b < a or _ways(a) < _ways(b) or _ways(b) < _ways(a))
    known = [[item for item in side if not item.open] for side in (ours, theirs)]
    vague = known != [[*ours], [*theirs]] and rates(known[1]) <= a
    return None if partly or vague or not placed else False


def _ways(each: set[tuple[Fraction, Fraction]]) -> set[Fraction]:
    """How many times the ideal each access costs."""
    return {passes / ideal for passes, ideal in each if ideal}


def _emissions(items: Sequence[LevelItem]) -> tuple[Emission, ...]:
    found: dict[str, list[LevelItem]] = defaultdict(list)
    for item in items:
        found[item.instruction].append(item)
    return tuple(
        Emission(
            name,
            sum(i.executed for i in some),
            some[0].width_bytes,
            sum((i.cost for i in some), Cost()),
            max((i.evidence for i in some), key=LEVELS.index),
            tuple(sorted({i.line for i in some})),
        )
        for name, some in sorted(found.items())
    )


def _cheaper(planned: Sequence[Emission], emitted: Sequence[Emission], *, vague: bool) -> str:
    """One instruction on both sides that costs another number of passes each time: by other waves,
    where the compiler lets only those run it that need it. Empty for any other row. ``vague``: what
    the emitted one costs is not known, only the most."""
    if len(planned) != 1 or len(emitted) != 1 or planned[0].instruction != emitted[0].instruction:
        return ""
    each = [Fraction(side[0].cost.passes, side[0].executed or 1) for side in (planned, emitted)]
    if each[0] == each[1]:
        return ""
    if vague:
        return f"{each[0]} passes each time planned, {each[1]} at most emitted: not known"
    return f"{each[0]} passes each time planned, {each[1]} emitted"


def _change(planned: Sequence[Emission], emitted: Sequence[Emission]) -> str:
    """What became of the planned instructions, in words."""
    if not planned or not emitted:
        return "emitted, not planned" if emitted else "planned, not emitted"
    a, b = _counts(planned, plain=False), _counts(emitted, plain=False)
    if a == b:
        return AS_PLANNED
    words = []
    if (times := _copies(_counts(planned), _counts(emitted))) is not None:
        joined = [e.instruction for e in emitted if _joins(e.instruction)]
        words += [f"joined into {', '.join(joined)}"] if joined else []
        words += [_often(times)] if times != 1 else []
        return "; ".join(words) or "another name: " + ", ".join(sorted(set(b) - set(a)))
    moved = [sum(e.executed * e.bytes_per_lane for e in side) for side in (planned, emitted)]
    if moved[0] == moved[1]:
        return "split" if sum(b.values()) > sum(a.values()) else "wider"
    return "other instructions"


def _often(times: Fraction) -> str:
    """A loop whose first rounds stand before it is copied in part; what two branches end with may
    be one code, behind both."""
    if times.denominator == 1:
        return f"{times} copies of the code"
    if times < 1:
        return f"in all {float(times):.3g} times as often: paths share code, or need none"
    return f"in all {float(times):g} times as often: part of the code is copied"


def _counts(emissions: Sequence[Emission], *, plain: bool = True) -> dict[str, int]:
    """Executions by instruction; ``plain``: of two addresses as two, without suffixes."""
    found: dict[str, int] = defaultdict(int)
    for e in emissions:
        name = _comparable_name(e.instruction) if plain else e.instruction
        found[name] += e.executed * (2 if plain and _joins(e.instruction) else 1)
    return dict(found)


def _joins(name: str) -> bool:
    return "read2" in name or "write2" in name


def _comparable_name(name: str) -> str:
    for suffix in _SUFFIXES:
        name = name.replace(suffix, "")
    name = name.replace("read2", "read").replace("write2", "write")
    return _ALIKE.get(name, name)


def _copies(a: dict[str, int], b: dict[str, int]) -> Fraction | None:
    """How many times as often everything is executed; None if the instructions differ."""
    if a.keys() != b.keys():
        return None
    ratios = {Fraction(b[name], a[name]) for name in a}
    return ratios.pop() if len(ratios) == 1 else None
