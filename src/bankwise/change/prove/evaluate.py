"""What a value of a kernel is in every thread, as an affine form.

Values that nobody knows here are leaves: loaded data, arguments, what goes round a loop. The two
texts share them, because a leaf is named by the number of its value, and partners have one number.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import numpy as np
from iree.compiler import ir
from msgspec import Struct, field

from bankwise.change.prove.arithmetic import fitted, results, type_bounds
from bankwise.change.prove.division import floor_divided
from bankwise.change.prove.forms import (
    AffineForm,
    BeyondError,
    SymbolTable,
    added,
    constant,
    floored,
    less,
    multiplied,
    of_symbol,
    power_of_two_in,
    scaled,
    span,
)
from bankwise.change.prove.lanes import same_in_wave
from bankwise.change.prove.launch import MOST_LANES, MOST_THREADS, TextLaunch
from bankwise.change.prove.numbering import Definition, Numbering, is_arithmetic, promises
from bankwise.counting.access import IntArray
from bankwise.read.mlir.indexing import asks_for_threads, exchanges, integer_bits, quantity

_SAME = frozenset({"util.assume.int", "util.optimization_barrier"})
_UNIFORM = frozenset({"hal.interface.constant.load"})
_BOUNDS = 3
"""Operands of an scf.for before the carried values."""
_MOST_DEPTH = 2
_MOST_MULTIPLE = 64
_FUNCTIONS = frozenset({"func.func", "gpu.func"})


class FormEvaluator(Struct, eq=False):
    """The forms of a kernel's values, for the threads ``chosen`` (None: all of the launch).

    ``split``: what stands for a leaf, by its key, or for a value, by its number; ``chosen`` then
    has every thread once for each of the ``cases`` that they make. ``facts``: what was used beside
    the text's own arithmetic. ``values``: by the number of a symbol, the number of a value that is
    but this symbol. ``depth``: how many values that go round a loop are being looked into.
    """

    numbering: Numbering
    launch: TextLaunch
    chosen: IntArray | None = None
    split: Mapping[Hashable, AffineForm] = field(default_factory=dict)
    cases: int = 1
    table: SymbolTable = field(default_factory=SymbolTable)
    facts: dict[str, None] = field(default_factory=dict)
    values: dict[int, int] = field(default_factory=dict)
    depth: int = 0
    _known: dict[int, AffineForm] = field(default_factory=dict)

    @property
    def threads(self) -> int:
        """How many threads there are forms for."""
        return self.launch.threads if self.chosen is None else len(self.chosen)

    def waves(self, wave: int) -> IntArray:
        """The wave of every thread, ascending; threads of other cases are in waves of their own."""
        apart = np.repeat(np.arange(self.cases), self.threads // self.cases) * MOST_THREADS
        return np.asarray(self._of_chosen(self._numbers() // wave) + apart, np.int64)

    def lane_numbers(self, wave: int) -> IntArray:
        """The place of every thread in its wave."""
        return self._of_chosen(self._numbers() % wave)

    def _numbers(self) -> IntArray:
        return np.arange(self.launch.threads, dtype=np.int64)

    def value(self, value: ir.Value) -> AffineForm:
        """The form of a value of either text."""
        number = self.numbering.of(value)
        assert number >= 0, "both texts were walked"
        return self.number(number)

    def number(self, number: int) -> AffineForm:
        """The form of the value with this number."""
        for each in self._needed(number):
            if each in self.split:
                self._known[each] = self.split[each]
                continue
            try:
                self._know(each)
            except BeyondError:
                self._leaf(each)
        return self._known[number]

    def _needed(self, number: int) -> list[int]:
        """The numbers behind a number that are not known yet, ascending: operands come first."""
        waiting, needed = [number], set()
        while waiting:
            each = waiting.pop()
            if each not in self._known and each not in needed:
                needed.add(each)
                waiting.extend(self._behind(each))
        return sorted(needed)

    def _behind(self, number: int) -> tuple[int, ...]:
        if number in self.split:
            return ()
        made = self.numbering.definitions[number]
        if made.block is not None:
            if _is_carried(made):
                return (*made.operands[:_BOUNDS], made.operands[_BOUNDS + made.place - 1])
            return made.operands[:_BOUNDS] if _is_induction(made) else ()
        if is_arithmetic(made.op) or exchanges(made.op):
            return made.operands
        return (made.operands[made.place],) if made.op.name in _SAME else ()

    def _know(self, number: int) -> None:
        """Evaluate the operation that makes ``number``: all of its results."""
        made = self.numbering.definitions[number]
        if number in self.numbering.added and promises(made.op):
            self._leaf(number)
        elif _is_induction(made):
            self._known[number] = self._induction(number, made)
        elif _is_carried(made):
            self._known[number] = self._carried(number, made)
        elif made.block is not None:
            self._leaf(number)
        elif exchanges(made.op):
            if self._same_in_wave(self._known[made.operands[0]]):
                self._known[number] = self._known[made.operands[0]]
            else:
                self._leaf(number)
        elif asks_for_threads(made.op):
            self._thread_value(number, made.op)
        elif is_arithmetic(made.op):
            operands = [self._known[n] for n in made.operands]
            found = results(self.table, made.op, operands)
            for place, each in enumerate(found):
                self._known[number - made.place + place] = each
                self._name(number - made.place + place, each)
        elif made.op.name in _SAME:
            self._known[number] = self._known[made.operands[made.place]]
        else:
            self._leaf(number)

    def _same_in_wave(self, value: AffineForm) -> bool:
        """Whether all lanes of a wave have it, also where waves are shorter than the longest."""
        if self.launch.stated:
            return same_in_wave(value, self.waves(self.launch.wave or MOST_LANES))
        return self.cases == 1 and same_in_wave(value, np.zeros(self.threads, np.int64))

    def _leaf(self, number: int) -> None:
        """A value that nobody knows, as large as its type allows."""
        made = self.numbering.definitions[number]
        low, high = -np.inf, np.inf
        if made.block is None:
            uniform = made.op.name in _UNIFORM
            if integer_bits(made.op.results[made.place].type) is not None:
                low, high = type_bounds(made.op.results[made.place])
        else:
            # An argument of the kernel; nothing calls it, so every thread has the launch's.
            uniform = made.op.name in _FUNCTIONS and made.block == 0 and self.launch.entry
            if uniform:
                self.facts["arguments are the launch's: no function of the module calls it"] = None
        self._known[number] = self._unknown(number, low, high, uniform=uniform)

    def _unknown(
        self, key: Hashable, low: float = -np.inf, high: float = np.inf, *, uniform: bool = False
    ) -> AffineForm:
        if key in self.split:
            return self.split[key]
        return self.table.leaf(key, low, high, uniform=uniform)

    def _name(self, number: int, value: AffineForm) -> None:
        """Remember of which value a symbol is all."""
        if len(value.terms) == 1 and value.key == of_symbol(value.terms[0][0]).key:
            self.values.setdefault(value.terms[0][0].number, number)

    def _induction(self, number: int, made: Definition) -> AffineForm:
        """``lower + step * round``."""
        lower, step = self._known[made.operands[0]], self._known[made.operands[2]].number
        if step is None or step <= 0:
            return self._unknown(number)
        return added(lower, scaled(self._round(made), step))

    def _round(self, made: Definition) -> AffineForm:
        """The round of a loop, from 0 on: the same in all threads that take part in it."""
        lower, upper, step = (self._known[n] for n in made.operands[:_BOUNDS])
        size, most = step.number, np.inf
        if size is not None and size > 0:
            trips = floor_divided(self.table, added(less(upper, lower), constant(size - 1)), size)
            most = max(0.0, span(trips)[1] - 1)
        loop = self.numbering.of(made.op.regions[0].blocks[0].arguments[0])
        return self._unknown(("round", loop), 0, most, uniform=True)

    def _carried(self, number: int, made: Definition) -> AffineForm:
        """What goes round a loop: ``initial + step * round`` where it grows by one step a round.

        Else a leaf: a multiple of what it begins as a multiple of, the same in all lanes of a wave
        if it begins so, where that, being so, stays so.
        """
        argument = made.op.regions[0].blocks[0].arguments[made.place]
        if self.depth >= _MOST_DEPTH:
            return self._unknown(("carries", number), *type_bounds(argument))
        initial = self._known[made.operands[_BOUNDS + made.place - 1]]
        alike = self._same_in_wave(initial)
        size = min(power_of_two_in(initial), _MOST_MULTIPLE)
        while True:
            following, assumed = self._following(number, made, size, alike)
            stays = (min(size, power_of_two_in(following)), alike and self._same_in_wave(following))
            if stays == (size, alike):
                break
            size, alike = stays
        step = less(following, assumed)
        if step.concrete:
            total = added(initial, multiplied(self.table, step, self._round(made)))
            return fitted(self.table, total, argument)
        ends = tuple(zip(span(initial), span(following), strict=True))
        low, high = floored(min(ends[0]), size), floored(max(ends[1]), size)
        key = ("carries", number, size, alike)
        return scaled(self._unknown(key, low, high, uniform=alike), size)

    def _following(
        self, number: int, made: Definition, size: int, alike: bool
    ) -> tuple[AffineForm, AffineForm]:
        """What a carried value is in the next round, and what it is assumed to be in this one."""
        # What is true only under this assumption has symbols of its own.
        leaf = self.table.leaf(("carried", number, size, alike), uniform=alike)
        assumed = scaled(leaf, size)
        body = made.op.regions[0].blocks[0].operations
        yielded = body[len(body) - 1].operands[made.place - 1]
        return self._assuming(number, assumed).value(yielded), assumed

    def _assuming(self, number: int, value: AffineForm) -> FormEvaluator:
        """An evaluator like this one, but for the value with this number."""
        split = {**self.split, number: value}
        known = (self.numbering, self.launch, self.chosen, split, self.cases, self.table)
        return FormEvaluator(*known, facts=self.facts, depth=self.depth + 1)

    def _thread_value(self, number: int, op: ir.Operation) -> None:
        asked = quantity(op)
        if asked is None:
            self._known[number] = self._lane_value(op)
        else:
            bounded = op.name == "gpu.thread_id" and "upper_bound" in op.attributes
            self._known[number] = self._axis_value(*asked, bounded)

    def _lane_value(self, op: ir.Operation) -> AffineForm:
        """A lane or a wave, by name; where the size of waves or workgroups is not said, a leaf."""
        launch, stem = self.launch, op.name.rpartition(".")[2]
        if launch.wave is not None and stem in ("subgroup_size", "wavefrontsize", "warpsize"):
            return self._fact(constant(launch.wave))
        if launch.wave is None or not launch.stated or op.name.startswith("nvvm"):
            return self._unknown(op.name, 0, MOST_THREADS)
        if stem == "lane_id":
            return self._fact(constant(self.lane_numbers(launch.wave)))
        if stem == "subgroup_id":
            return self._fact(constant(self._of_chosen(self._numbers() // launch.wave)))
        return self._unknown(op.name, 0, MOST_THREADS, uniform=True)

    def _axis_value(self, what: str, axis: int, bounded: bool = False) -> AffineForm:
        launch, key = self.launch, (what, axis)
        if what == "thread":
            ids = launch.thread_ids(axis, bounded=bounded)
            if ids is None:
                self.facts[f"thread ids below {MOST_THREADS}: no GPU has larger workgroups"] = None
                return self._unknown(key, 0, MOST_THREADS - 1)
            return self._fact(constant(self._of_chosen(ids)))
        if what == "workgroup":
            if launch.grid is not None:
                shape = " x ".join(map(str, launch.grid))
                self.facts[f"a grid of {shape} workgroups: the text says so"] = None
            most = np.inf if launch.grid is None else launch.grid[axis] - 1
            return self._unknown(key, 0, most, uniform=True)
        if what == "global":
            group, size = self._axis_value("workgroup", axis), self._axis_value("size", axis)
            product = multiplied(self.table, group, size)
            return added(product, self._axis_value("thread", axis))
        if what == "size" and launch.stated and launch.size is not None:
            return self._fact(constant(launch.size[axis]))
        return self._unknown(key, 1, MOST_THREADS if what == "size" else np.inf, uniform=True)

    def _of_chosen(self, values: IntArray) -> IntArray:
        return values if self.chosen is None else values[self.chosen]

    def _fact(self, value: AffineForm) -> AffineForm:
        self.facts[self.launch.fact] = None
        return value


def _is_carried(made: Definition) -> bool:
    """Whether this is an integer that goes round a loop."""
    if made.block is None or made.op.name != "scf.for" or made.place == 0:
        return False
    return integer_bits(made.op.regions[0].blocks[0].arguments[made.place].type) is not None


def _is_induction(made: Definition) -> bool:
    """Whether this is the variable of a loop that counts up, signed."""
    loop = made.block is not None and made.op.name == "scf.for" and made.place == 0
    return loop and "unsignedCmp" not in made.op.attributes
