"""MLIR's integers as bit-vectors of an SMT solver: every thread, workgroup, size and round at once.

``index`` has 64 bits, iN has N. What the text does not decide is a free variable: thread and
workgroup ids (bounded where the text bounds them), arguments, loaded values, rounds of loops
(``lower + k * step``). Values that are one in both texts (their numbers, see :mod:`.numbering`)
are one variable. Nothing is shared with :mod:`.forms` and :mod:`.evaluate`: that is the point.
"""

from __future__ import annotations

from collections.abc import Sequence

import z3
from iree.compiler import ir
from msgspec import Struct, field

from bankwise.change.prove.launch import MOST_LANES, MOST_THREADS, TextLaunch
from bankwise.change.prove.numbering import Numbering, constant_of, width_of
from bankwise.change.prove.smt_arithmetic import INDEX, OPERATIONS, Term, number, resized
from bankwise.read.mlir.indexing import exchanges, integer_bits, quantity

MOST = 1 << 31
"""Arguments, loaded values, workgroups and rounds of ``index`` type lie below, and above its
negative: larger ones do not fit a GPU's memory, and products of two stay in 64 bits."""

_AXES = "xyz"
_BOUNDS = 3
"""Operands of an scf.for before the carried values."""


class Terms(Struct, eq=False):
    """The values of both texts for one thread.

    ``lane``: its name in variables that differ from thread to thread. ``bounds``: what is known of
    the variables. ``free``: those variables that stand for values which the text does not decide.
    ``around``: carried values that are being looked into; here they are variables.
    """

    numbering: Numbering
    launch: TextLaunch
    lane: str = "t"
    bounds: list[Term] = field(default_factory=list)
    free: dict[str, tuple[Term, ir.Value]] = field(default_factory=dict)
    around: tuple[ir.Value, ...] = ()
    _known: dict[ir.Value, Term] = field(default_factory=dict)
    _named: dict[str, Term] = field(default_factory=dict)

    def value(self, value: ir.Value) -> Term:
        """An integer value as a term of its own width."""
        if value not in self._known:
            self._known[value] = self._made(value)
        return self._known[value]

    def variable(self, name: str, low: int, high: int, bits: int = INDEX) -> Term:
        """A variable with ``low <= value < high`` (signed)."""
        if name not in self._named:
            made = z3.BitVec(name, bits)
            self._named[name] = made
            self.bounds += [made >= low, made < high]
        return self._named[name]

    @property
    def launch_variables(self) -> list[tuple[str, Term]]:
        """The variables of the thread, the workgroup and the launch that were used, by name."""
        used = (item for item in self._named.items() if item[0] not in self.free)
        return [(name.partition("@")[0], term) for name, term in used]

    @property
    def linear(self) -> Term | None:
        """The number of the thread in its workgroup; None if the workgroup's size is not known."""
        if self.launch.size is None:
            return None
        return self.variable(f"thread@{self.lane}", 0, self.launch.threads)

    def thread(self, axis: int) -> Term:
        """The id of the thread along an axis."""
        if self.launch.size is None:
            return self.variable(f"thread_{_AXES[axis]}@{self.lane}", 0, MOST_THREADS)
        x, y, z = self.launch.size
        size, below = (x, y, z)[axis], (1, x, x * y)[axis]
        if size == 1:
            return number(0)
        up = self.linear if below == 1 else z3.UDiv(self.linear, number(below))
        return up if size * below == self.launch.threads else z3.URem(up, number(size))

    def _made(self, value: ir.Value) -> Term:
        if isinstance(value.owner, ir.Block):
            return self._argument(ir.BlockArgument(value))
        op = value.owner.operation
        constant = _truth(op) if integer_bits(value.type) == 1 else constant_of(value)
        if constant is not None:
            return number(constant, width_of(value))
        place = ir.OpResult(value).result_number
        made = self._computed(op, place)
        return self._leaf(value) if made is None else made

    def _argument(self, value: ir.BlockArgument) -> Term:
        loop = value.owner.owner.operation
        if loop.name != "scf.for":
            return self._leaf(value)
        if value.arg_number != 0:
            return self._carried(value, loop)
        low, _, step = (self.value(v) for v in list(loop.operands)[:_BOUNDS])
        return low + self._rounds(value) * step

    def _rounds(self, variable: ir.Value) -> Term:
        """Rounds of a loop that are done, by its variable."""
        return self._leaf(variable, "rounds of ", 0)

    def _carried(self, value: ir.BlockArgument, loop: ir.Operation) -> Term:
        """``initial + step * rounds`` if every round adds one number; else it is not followed."""
        inside = Terms(self.numbering, self.launch, self.lane, around=(*self.around, value))
        inside._known = {each: inside._leaf(each) for each in inside.around}
        body = loop.regions[0].blocks[0]
        yielded = body.operations[len(body.operations) - 1].operands[value.arg_number - 1]
        step = z3.simplify(inside.value(yielded) - inside.value(value))
        if not z3.is_bv_value(step):
            return self._leaf(value)
        initial = self.value(loop.operands[_BOUNDS + value.arg_number - 1])
        rounds = resized(self._rounds(body.arguments[0]), step.size(), signed=False)
        return initial + step * rounds

    def _leaf(self, value: ir.Value, what: str = "", low: int | None = None) -> Term:
        """The variable of a value that is not followed."""
        bits = width_of(value)
        place = self.numbering.of(value)
        name = f"{what}value {place}" if place >= 0 else f"{what}value new {hash(value)}"
        if not self._uniform(value):
            name += f"@{self.lane}"
        least, most = (-MOST, MOST) if bits > 32 else (-(1 << bits - 1), 1 << bits - 1)
        if bits > 32:
            made = self.variable(name, least if low is None else low, most, bits)
        else:
            made = self._named.setdefault(name, z3.BitVec(name, bits))
            self.bounds += [made >= 0] if low is not None else []
        self.free[name] = (made, value)
        return made

    def _uniform(self, value: ir.Value) -> bool:
        """Whether all threads of a workgroup surely have one value: arguments of a launch, and
        rounds of loops whose bounds are such."""
        if not isinstance(value.owner, ir.Block):
            return False
        around = value.owner.owner.operation
        if around.name.endswith(".func"):
            return self.launch.entry
        if around.name != "scf.for" or ir.BlockArgument(value).arg_number != 0:
            return False
        return not any(mentions_lane(self.value(v)) for v in list(around.operands)[:3])

    def _computed(self, op: ir.Operation, place: int) -> Term | None:
        asked = quantity(op)
        if asked is not None:
            bits = integer_bits(op.results[0].type) or INDEX
            return resized(self._asked(*asked), bits, signed=False)
        if op.name in ("gpu.lane_id", "gpu.subgroup_id"):
            return self._of_wave(op)
        if _broadcasts_first(op) and integer_bits(op.results[0].type):
            return self._of_first(op)
        if op.name == "scf.if" and integer_bits(op.results[place].type):
            return self._branch(op, place)
        build = OPERATIONS.get(op.name)
        values = (*op.operands, *op.results)
        if build is None or any(integer_bits(v.type) is None for v in values):
            return None
        return build(op, [self.value(v) for v in op.operands], place)

    def _asked(self, what: str, axis: int) -> Term:
        letter = _AXES[axis]
        if what == "thread":
            return self.thread(axis)
        if what == "size":
            return self._size(axis)
        grid = self.launch.grid
        if what == "count":
            count = number(grid[axis]) if grid else self.variable(f"grid_{letter}", 1, MOST)
            self.bounds.append(self._asked("workgroup", axis) < count)
            return count
        block = self.variable(f"block_{letter}", 0, grid[axis] if grid else MOST)
        return block if what == "workgroup" else block * self._size(axis) + self.thread(axis)

    def _size(self, axis: int) -> Term:
        if self.launch.stated and self.launch.size is not None:
            return number(self.launch.size[axis])
        size = self.variable(f"threads_{_AXES[axis]}", 1, MOST_THREADS + 1)
        self.bounds.append(self.thread(axis) < size)
        return size

    def _of_wave(self, op: ir.Operation) -> Term | None:
        linear, wave = self.linear, self.launch.wave
        if linear is None or wave is None or not self.launch.stated:
            return None
        found = z3.URem(linear, number(wave))
        if op.name == "gpu.subgroup_id":
            found = z3.UDiv(linear, number(wave))
        return resized(found, integer_bits(op.results[0].type) or INDEX, signed=False)

    def _of_first(self, op: ir.Operation) -> Term | None:
        """A value of the first lane that runs: of the wave's first, outside of branches.

        Of waves of an unknown size it is known if the lanes of the longest agree.
        """
        linear, wave = self.linear, self.launch.wave
        if linear is None or not self.launch.stated or self._divided(op):
            return None
        given = self.value(op.operands[0])
        if mentions_lane(given, unknown=True):
            return None
        lane = z3.URem(linear, number(wave or MOST_LANES))
        first = z3.substitute(given, (linear, linear - lane))
        if wave is None and possible(first != given, self.bounds):
            return None
        return first

    def _divided(self, op: ir.Operation) -> bool:
        """Whether the lanes of a wave may not execute an operation together."""
        while not op.name.endswith(".func") and op.parent is not None:
            op = op.parent.operation
            if op.name == "scf.for":
                bounds = [self.value(v) for v in list(op.operands)[:3]]
                if any(mentions_lane(bound) for bound in bounds):
                    return True
            elif not op.name.endswith(".func"):
                return True
        return False

    def _branch(self, op: ir.Operation, place: int) -> Term | None:
        if any(not len(region.blocks) for region in op.regions):
            return None
        ends = [region.blocks[0].operations for region in op.regions]
        then, otherwise = (self.value(end[len(end) - 1].operands[place]) for end in ends)
        return z3.If(self.value(op.operands[0]) != 0, then, otherwise)

    def path(self, op: ir.Operation) -> list[Term]:
        """What holds for a thread that executes ``op``: branches taken, loops in a round."""
        found: list[Term] = []
        while not op.name.endswith(".func") and op.parent is not None:
            parent = op.parent.operation
            if parent.name == "scf.if":
                condition = self.value(parent.operands[0])
                then = op.block == parent.regions[0].blocks[0]
                found.append(condition != 0 if then else condition == 0)
            elif parent.name == "scf.for":
                low, high = (self.value(v) for v in list(parent.operands)[:2])
                variable = self.value(parent.regions[0].blocks[0].arguments[0])
                found += [low <= variable, variable < high]
            op = parent
        return found


def possible(condition: Term, given: Sequence[Term]) -> bool:
    """Whether a condition may hold where all of ``given`` does, for all that the solver knows."""
    solver = z3.SolverFor("QF_BV")
    solver.set("rlimit", 1_000_000)
    solver.add(*given, condition)
    return bool(solver.check() != z3.unsat)


def _truth(op: ir.Operation) -> int | None:
    """0 or 1 of ``arith.constant true`` and its like; None of any other operation."""
    said = op.attributes["value"] if op.name == "arith.constant" else None
    return int(said.value) if isinstance(said, ir.BoolAttr | ir.IntegerAttr) else None


def _broadcasts_first(op: ir.Operation) -> bool:
    given = "specific_lane" in str(op.attributes.get("broadcast_type", ""))
    return exchanges(op) and not given


def mentions_lane(term: Term, unknown: bool = False) -> bool:
    """Whether a term has a variable that differs from thread to thread.

    ``unknown``: other than the number of the thread.
    """
    waiting, seen = [term], set()
    while waiting:
        each = waiting.pop()
        if each.get_id() in seen:
            continue
        seen.add(each.get_id())
        name = each.decl().name() if z3.is_const(each) else ""
        if "@" in name and not (unknown and name.startswith("thread@")):
            return True
        waiting.extend(each.children())
    return False
