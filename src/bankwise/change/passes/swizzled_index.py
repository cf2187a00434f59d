"""A hint as address arithmetic: the last index of an access, written anew in the user's text.

With ``t`` the element that a (piece of an) access begins at, counted from the base of the hint,

    chunk = (t mod row) floordiv access
    phase = (t floordiv (stride * per_phase)) mod groups
    last' = last + ((chunk XOR phase) - chunk) * access                             xor_shuffle
    last' = last + ((t + (t floordiv row) * access) mod row) - t mod row            rotate_rows

which is IREE's formula (:mod:`bankwise.read.mlir.swizzle_hint`) for ``t`` at the start of a group
or anywhere inside of one. Where the rows of the view are rows of the hint, the shorter form of
:mod:`bankwise.change.rewrite.fold_index` is used. A vector wider than a group becomes one access
for each group; its value is taken apart, or put together.
"""

from __future__ import annotations

from collections.abc import Sequence

from iree.compiler import ir

from bankwise.algebra.address import Fold, RowFolds
from bankwise.change.passes.legality import HintedUse, period
from bankwise.change.passes.statements import Statements
from bankwise.change.rewrite.emit import Anchor, Emitter, anchor_of, later
from bankwise.change.rewrite.fold_index import ROW_STYLES, RowStyle, fold_index
from bankwise.change.rewrite.operand_text import Span
from bankwise.change.rewrite.scope import CannotRewriteError, Scope
from bankwise.identity import ByIdentity
from bankwise.read.mlir.extract import SharedAccess
from bankwise.read.mlir.source import Edit
from bankwise.read.mlir.swizzle_hint import SwizzleHint

TRANSCRIBED: tuple[RowStyle, ...] = ("row", "offset")
"""Phases from the indices of the access itself: they hold in every workgroup of every launch."""


class HintedIndex(ByIdentity, frozen=True, eq=False):
    """The last index of a load or store under a hint.

    ``operands``: where its indices stand in the text. ``strides``: elements that each of them steps
    through; ``start``: the element, counted from where the hint counts, with all of them 0.
    ``span``: contiguous elements of the access.
    """

    op: ir.Operation
    indices: tuple[ir.Value, ...]
    operands: tuple[Span, ...]
    strides: tuple[int, ...]
    start: int
    span: int
    hint: SwizzleHint
    emitter: Emitter

    def edits(self, text: Statements) -> list[Edit]:
        """New lines to the emitter, and the edits of the statement itself.

        Raises :class:`CannotRewriteError` where a vector that covers several groups is not written
        in a form that can be cut.
        """
        if self.span > self.hint.access:
            return self._pieces(text)
        operand = self.operands[-1]
        return [Edit(operand.start, operand.end, self._written(0))]

    def _pieces(self, text: Statements) -> list[Edit]:
        """One access for each group that a vector covers."""
        places = [self._written(at) for at in range(0, self.span, self.hint.access)]
        span, body, operand = text.span(self.op), text.body(self.op), self.operands[-1]
        written = CutVector(self.op, text, body, operand, self.hint.access, self.span)
        lines = written.load(places) if len(self.op.results) else written.store(places)
        return [Edit(span.start, span.end, text.indent(self.op).join(lines))]

    def _written(self, ahead: int) -> str:
        """The last index of the piece that begins ``ahead`` elements behind the access."""
        steps = enumerate(self.strides)
        tokens = [operand.of(self.emitter.text) for operand in self.operands]
        terms = [f"s{k} * {stride}" if stride != 1 else f"s{k}" for k, stride in steps]
        first = self.start + ahead
        place = " + ".join([*terms, str(first)] if first else terms)
        place = f"({place})" if " " in place else place
        return (self._rotated if self.hint.rotates else self._folded)(place, tokens, ahead)

    def _rotated(self, place: str, tokens: list[str], ahead: int) -> str:
        row, access = self.hint.row, self.hint.access
        last = f"s{len(tokens) - 1} + {ahead}" if ahead else f"s{len(tokens) - 1}"
        turned = f"({place} + ({place} floordiv {row}) * {access}) mod {row}"
        return self._apply(f"{last} + {turned} - {place} mod {row}", tokens)

    def _folded(self, place: str, tokens: list[str], ahead: int) -> str:
        hint = self.hint
        step = hint.stride * hint.per_phase
        old = self._apply(f"({place} mod {hint.row}) floordiv {hint.access}", tokens)
        phase = self._apply(f"({place} floordiv {step}) mod {hint.row // hint.access}", tokens)
        line = f"arith.xori {old}, {phase} : index"
        new = self.emitter.value(("xor", old, phase), self._anchor(), self.op, line)
        last = f"s0 + {ahead}" if ahead else "s0"
        return self._apply(f"{last} + (s1 - s2) * {hint.access}", [tokens[-1], new, old])

    def _apply(self, body: str, tokens: list[str]) -> str:
        names = ", ".join(f"s{k}" for k in range(len(tokens)))
        line = f"affine.apply affine_map<()[{names}] -> ({body})>()[{', '.join(tokens)}]"
        key = (body, *tokens, *map(self.emitter.key_of, self.indices))
        return self.emitter.value(key, self._anchor(), self.op, line)

    def _anchor(self) -> Anchor:
        anchor = anchor_of(self.indices[0])
        for index in self.indices[1:]:
            anchor = later(anchor, anchor_of(index))
        return anchor


def swizzle_index(
    site: SharedAccess,
    use: HintedUse,
    scope: Scope,
    text: Statements,
    styles: Sequence[RowStyle] = ROW_STYLES,
) -> list[Edit]:
    """Make one access go where its hint sends it: new lines to ``scope``, the rest returned.

    ``styles``: how the phase of a whole row may be written, the first that can be.
    Raises :class:`CannotRewriteError` where the indices cannot be written.
    """
    hint = use.hint
    assert hint is not None, "only hinted uses are swizzled"
    short = use.span <= hint.access and not hint.rotates and use.base % period(hint) == 0
    mark = scope.emitter.mark()
    for style in styles if short else ():
        try:
            fold_index(site, fold_of_hint(hint), scope, style)
            return []
        except CannotRewriteError:
            scope.emitter.back_to(mark)
            mark = scope.emitter.mark()
    strides, first = _affine_base(site)
    operands, start = scope.operands(site, 0), first - use.base
    indices = tuple(site.indices)
    index = HintedIndex(site.op, indices, operands, strides, start, use.span, hint, scope.emitter)
    return index.edits(text)


def fold_of_hint(hint: SwizzleHint) -> RowFolds:
    """The map of an xor_shuffle whose base is a whole period, on offsets of the allocation."""
    groups = hint.row // hint.access
    return RowFolds(hint.stride, (Fold(hint.stride * hint.per_phase, hint.access, groups),))


def _affine_base(site: SharedAccess) -> tuple[tuple[int, ...], int]:
    base = site.base
    if base is None or not base.strides or base.strides[-1] != 1:
        raise CannotRewriteError("the last index does not step through neighbouring elements")
    first = base.offsets[0]
    if first is None or set(base.offsets) != {first}:
        raise CannotRewriteError("the start of this view is not one constant")
    return base.strides, first


class CutVector(ByIdentity, frozen=True, eq=False):
    """The text of a load or store that is to be written once for each piece of its vector."""

    op: ir.Operation
    text: Statements
    body: Span
    index: Span
    access: int
    span: int

    def load(self, places: list[str]) -> list[str]:
        """A load for each piece, and the vector put together from them."""
        result, whole = self.text.name(self.op), self._vector(self.span)
        stem = self.text.fresh(f"pieces{self.body.start}")
        lines, before = [f"{stem} = ub.poison : {whole}"], stem
        for number, place in enumerate(places):
            after = result if number == len(places) - 1 else f"{stem}_with{number}"
            lines.append(f"{stem}_{number} = {self._again(place)}")
            lines.append(f"{after} = {self._insert(f'{stem}_{number}', before, number)}")
            before = after
        return lines

    def store(self, places: list[str]) -> list[str]:
        """The pieces of the vector, and a store for each."""
        value = self.text.text[self.body.start : self.body.end].split()[1].rstrip(",")
        stem = self.text.fresh(f"pieces{self.body.start}")
        lines = []
        for number, place in enumerate(places):
            piece = f"{stem}_{number}"
            lines.append(f"{piece} = {self._extract(value, number)}")
            lines.append(self._again(place).replace(value, piece, 1))
        return lines

    def _insert(self, piece: str, before: str, number: int) -> str:
        """The vector ``before`` with one of its pieces."""
        part, whole, at = self._vector(self.access), self._vector(self.span), number * self.access
        if self._older:
            said = f"<{{offsets = [{at}], strides = [1]}}> : ({part}, {whole}) -> {whole}"
            return f'"vector.insert_strided_slice"({piece}, {before}) {said}'
        said = f"offsets = [{at}], strides = [1] : {part} into {whole}"
        return f"vector.insert_strided_slice {piece}, {before} {said}"

    def _extract(self, value: str, number: int) -> str:
        """A piece of a vector."""
        part, whole, at = self._vector(self.access), self._vector(self.span), number * self.access
        said = f"offsets = [{at}], sizes = [{self.access}], strides = [1]"
        if self._older:
            return f'"vector.extract_strided_slice"({value}) <{{{said}}}> : ({whole}) -> {part}'
        return f"vector.extract_strided_slice {value} {said} : {whole} to {part}"

    @property
    def _older(self) -> bool:
        """Whether another compiler printed the text: it may know the generic form alone."""
        return bool(self.text.opened.source.edits)

    def _again(self, place: str) -> str:
        """The operation with another last index and the type of a piece."""
        text = self.text.text
        head, tail = text[self.body.start : self.index.start], text[self.index.end : self.body.end]
        whole, piece = self._vector(self.span), self._vector(self.access)
        if whole not in tail:
            raise CannotRewriteError(f"its type {whole} is not written in this form")
        return head + place + piece.join(tail.rsplit(whole, 1))

    def _vector(self, elements: int) -> str:
        value = self.op.results[0] if len(self.op.results) else self.op.operands[0]
        return f"vector<{elements}x{ir.VectorType(value.type).element_type}>"
