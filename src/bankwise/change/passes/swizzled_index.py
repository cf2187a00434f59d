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
from dataclasses import dataclass

from iree.compiler import ir

from bankwise.algebra.address import Fold, RowFolds
from bankwise.change.passes.legality import HintedUse, period
from bankwise.change.passes.statements import Statements
from bankwise.change.rewrite.emit import Anchor, anchor_of, later
from bankwise.change.rewrite.fold_index import ROW_STYLES, RowStyle, fold_index
from bankwise.change.rewrite.operand_text import Span
from bankwise.change.rewrite.scope import CannotRewriteError, Scope
from bankwise.read.mlir.extract import SharedAccess
from bankwise.read.mlir.source import Edit
from bankwise.read.mlir.swizzle_hint import SwizzleHint

TRANSCRIBED: tuple[RowStyle, ...] = ("row", "offset")
"""Phases from the indices of the access itself: they hold in every workgroup of every launch."""


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
    if use.span > hint.access:
        return _pieces(site, use, hint, scope, text)
    short = not hint.rotates and use.base % period(hint) == 0
    mark = scope.emitter.mark()
    if short:
        for style in styles:
            try:
                fold_index(site, fold_of_hint(hint), scope, style)
                return []
            except CannotRewriteError:
                scope.emitter.back_to(mark)
                mark = scope.emitter.mark()
    operand = scope.operands(site, 0)[-1]
    name = _Index(site, hint, use.base, scope).written(0)
    return [Edit(operand.start, operand.end, name)]


def fold_of_hint(hint: SwizzleHint) -> RowFolds:
    """The map of an xor_shuffle whose base is a whole period, on offsets of the allocation."""
    groups = hint.row // hint.access
    return RowFolds(hint.stride, (Fold(hint.stride * hint.per_phase, hint.access, groups),))


@dataclass(frozen=True, slots=True, eq=False)
class _Index:
    """The last index of an access under a hint that counts from ``base``."""

    site: SharedAccess
    hint: SwizzleHint
    base: int
    scope: Scope

    def written(self, ahead: int) -> str:
        """The last index of the piece that begins ``ahead`` elements behind the access."""
        site, emitter = self.site, self.scope.emitter
        strides, start = _affine_base(site)
        tokens = [operand.of(emitter.text) for operand in self.scope.operands(site, 0)]
        terms = [f"s{k} * {stride}" if stride != 1 else f"s{k}" for k, stride in enumerate(strides)]
        first = start - self.base + ahead
        place = " + ".join([*terms, str(first)] if first else terms)
        place = f"({place})" if " " in place else place
        return (self._rotated if self.hint.rotates else self._folded)(place, tokens, ahead)

    def _rotated(self, place: str, tokens: list[str], ahead: int) -> str:
        row, access = self.hint.row, self.hint.access
        last = f"s{len(tokens) - 1} + {ahead}" if ahead else f"s{len(tokens) - 1}"
        turned = f"({place} + ({place} floordiv {row}) * {access}) mod {row}"
        return self._apply(f"{last} + {turned} - {place} mod {row}", tokens)

    def _folded(self, place: str, tokens: list[str], ahead: int) -> str:
        hint, emitter, use = self.hint, self.scope.emitter, self.site.op
        step = hint.stride * hint.per_phase
        old = self._apply(f"({place} mod {hint.row}) floordiv {hint.access}", tokens)
        phase = self._apply(f"({place} floordiv {step}) mod {hint.row // hint.access}", tokens)
        line = f"arith.xori {old}, {phase} : index"
        new = emitter.value(("xor", old, phase), self._anchor(), use, line)
        last = f"s0 + {ahead}" if ahead else "s0"
        return self._apply(f"{last} + (s1 - s2) * {hint.access}", [tokens[-1], new, old])

    def _apply(self, body: str, tokens: list[str]) -> str:
        names = ", ".join(f"s{k}" for k in range(len(tokens)))
        line = f"affine.apply affine_map<()[{names}] -> ({body})>()[{', '.join(tokens)}]"
        key = (body, *tokens, *map(self.scope.emitter.key_of, self.site.indices))
        return self.scope.emitter.value(key, self._anchor(), self.site.op, line)

    def _anchor(self) -> Anchor:
        anchor = anchor_of(self.site.indices[0])
        for index in self.site.indices[1:]:
            anchor = later(anchor, anchor_of(index))
        return anchor


def _affine_base(site: SharedAccess) -> tuple[tuple[int, ...], int]:
    base = site.base
    if base is None or not base.strides or base.strides[-1] != 1:
        raise CannotRewriteError("the last index does not step through neighbouring elements")
    first = base.offsets[0]
    if first is None or set(base.offsets) != {first}:
        raise CannotRewriteError("the start of this view is not one constant")
    return base.strides, first


def _pieces(
    site: SharedAccess, use: HintedUse, hint: SwizzleHint, scope: Scope, text: Statements
) -> list[Edit]:
    """One access for each group that a vector covers."""
    index = _Index(site, hint, use.base, scope)
    places = [index.written(at) for at in range(0, use.span, hint.access)]
    span, body = text.span(site.op), text.body(site.op)
    operand = scope.operands(site, 0)[-1]
    at = Span(operand.start, operand.end)
    written = _Written(site.op, text, body, at, hint.access, use.span)
    lines = written.load(places) if site.access.direction == "read" else written.store(places)
    return [Edit(span.start, span.end, text.indent(site.op).join(lines))]


@dataclass(frozen=True, slots=True, eq=False)
class _Written:
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
            lines.append(
                f"{after} = vector.insert_strided_slice {stem}_{number}, {before} "
                f"offsets = [{number * self.access}], strides = [1] : "
                f"{self._vector(self.access)} into {whole}"
            )
            before = after
        return lines

    def store(self, places: list[str]) -> list[str]:
        """The pieces of the vector, and a store for each."""
        value = self.text.text[self.body.start : self.body.end].split()[1].rstrip(",")
        stem = self.text.fresh(f"pieces{self.body.start}")
        lines = []
        for number, place in enumerate(places):
            piece = f"{stem}_{number}"
            lines.append(
                f"{piece} = vector.extract_strided_slice {value} offsets = "
                f"[{number * self.access}], sizes = [{self.access}], strides = [1] : "
                f"{self._vector(self.span)} to {self._vector(self.access)}"
            )
            lines.append(self._again(place).replace(value, piece, 1))
        return lines

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
