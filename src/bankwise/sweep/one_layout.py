"""Which one layout for all these tiles: every layout against each tile's own best.

A layout has a ratio on every tile: its price by that of the best plan of the tile itself. The one
that is answered has the least worst ratio of all that fit every tile; of equals the least average
(weighted as the tiles are), then the fewest bytes and the cheapest address. That is the best of the
layouts that were tried, and no more is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from msgspec import Struct

from bankwise.algebra.offset import Shape, offset_text
from bankwise.errors import Refusal
from bankwise.notation.fold import sizes
from bankwise.notation.framework import Ground
from bankwise.notation.frameworks import frameworks
from bankwise.notation.values import Mapped
from bankwise.sweep.rules import LayoutRule, layout_rules
from bankwise.sweep.spec import Case
from bankwise.sweep.store import CaseResult

ROW_MAJOR = "row-major"
OF_THE_FILE = "of the file"
Tiles = tuple[CaseResult[Case], ...]


class LayoutScore(Struct, frozen=True):
    """One layout on all tiles. ``prices`` and ``ratios``: None where it does not fit; ``why``: the
    reason, by tile. ``worst``, ``mean``: of the ratios that there are; None if there are none."""

    name: str
    kind: str
    prices: tuple[float | None, ...]
    ratios: tuple[float | None, ...]
    why: tuple[str, ...]
    worst: float | None
    mean: float | None
    lds_bytes: int
    operations: int
    assumed: str

    @property
    def fits(self) -> int:
        """How many tiles have such a layout."""
        return sum(ratio is not None for ratio in self.ratios)

    @property
    def fits_all(self) -> bool:
        """Whether all have."""
        return None not in self.ratios

    @property
    def rank(self) -> tuple[float, ...]:
        """What layouts are ranked by, those that fit the most tiles first."""
        known = (float("inf") if n is None else n for n in (self.worst, self.mean))
        return (-self.fits, *known, self.lds_bytes, self.operations)


class OneLayout(Struct, frozen=True, dict=True):
    """The answer for some tiles, those of one ``target``, or "" for all together. ``scores``: of
    every layout that was tried, each map once. Without slots: what is ranked is remembered."""

    target: str
    tiles: Tiles
    scores: tuple[LayoutScore, ...]

    @property
    def units(self) -> str:
        """What prices are in."""
        return " or ".join(dict.fromkeys(str(tile.row["unit"]) for tile in self.tiles))

    @cached_property
    def ranked(self) -> tuple[LayoutScore, ...]:
        """All, the best first."""
        return tuple(sorted(self.scores, key=lambda s: s.rank))

    @cached_property
    def fitting(self) -> tuple[LayoutScore, ...]:
        """Those that fit every tile; where none does, those that fit the most."""
        return tuple(s for s in self.ranked if s.fits == self.ranked[0].fits)

    @property
    def best(self) -> LayoutScore:
        """The answer."""
        return self.fitting[0]

    @cached_property
    def on_average(self) -> LayoutScore:
        """The one with the least weighted sum of ratios."""
        return min(self.fitting, key=lambda s: (s.mean or 0.0, *s.rank))

    @cached_property
    def default(self) -> LayoutScore:
        """What the framework does to each tile unasked."""
        names = [str(tile.row["default"]) for tile in self.tiles]
        name = names[0] if len(set(names)) == 1 else "as each tile has it"
        return _score(name, "default", self.tiles, names)

    @cached_property
    def rivals(self) -> tuple[LayoutScore, ...]:
        """The best of every kind, those that fit every tile first."""
        best = {s.kind: s for s in reversed(self.ranked)}
        shown = {s.name: s for s in (self.best, self.on_average, *best.values())}
        return tuple(sorted(shown.values(), key=lambda s: s.rank))

    @cached_property
    def partial(self) -> LayoutScore | None:
        """One that is better where it fits, and fits fewer tiles; of those what fits most."""
        rest = (s for s in self.ranked if 0 < s.fits < self.best.fits)
        return next((s for s in rest if s.rank[1:3] < self.best.rank[1:3]), None)

    @property
    def worst_tile(self) -> CaseResult[Case]:
        """Where the answer loses most."""
        ratios = [ratio or 0.0 for ratio in self.best.ratios]
        return self.tiles[ratios.index(max(ratios))]

    @property
    def proved(self) -> bool:
        """Whether no tile has a better plan at all: each takes what is proved to be its best."""
        own = all(tile.row["own"]["proved"] for tile in self.tiles)
        return own and self.best.fits_all and self.best.worst == 1 and not self.best.assumed

    @cached_property
    def words(self) -> tuple[tuple[str, str, tuple[Case, ...]], ...]:
        """The answer as (notation, text, the tiles that it is the text for)."""
        rule = next((rule for rule in layout_rules() if rule.name == self.best.name), None)
        found: dict[tuple[str, str], list[Case]] = {}
        fitting = [t for t, r in zip(self.tiles, self.best.ratios, strict=True) if r is not None]
        if rule is not None and rule.about:
            found["rule", rule.about] = [tile.case for tile in fitting]
        for tile in fitting if rule else ():
            assert rule is not None, "asked before"
            for notation, text in _said(rule, _shape(tile.row)):
                found.setdefault((notation, text), []).append(tile.case)
        order = list(dict.fromkeys(notation for notation, _ in found))
        listed = sorted(found.items(), key=lambda pair: order.index(pair[0][0]))
        return tuple((*key, tuple(cases)) for key, cases in listed)


def one_layouts(outcomes: Sequence[CaseResult[Case]]) -> tuple[OneLayout, ...]:
    """The answers: for every target, and for all of them together where there are several."""
    tiles = tuple(o for o in outcomes if o.case.is_tile and o.status == "done")
    targets = list(dict.fromkeys(o.case.target for o in tiles))
    groups = {t: tuple(o for o in tiles if o.case.target == t) for t in targets}
    if len(targets) > 1:
        groups[""] = tiles
    return tuple(OneLayout(target, group, _scores(group)) for target, group in groups.items())


def entry(row: dict[str, Any], name: str) -> dict[str, Any] | None:
    """What a layout takes on a tile, or why it does not fit; None if it was not tried."""
    found: dict[str, Any] | None = row["layouts"].get(name)
    return found if found is None or "as" not in found else row["layouts"][found["as"]]


def _scores(tiles: Tiles) -> tuple[LayoutScore, ...]:
    """Every layout once: of names for one map on all tiles the first."""
    kinds = {rule.name: rule.kind for rule in layout_rules()}
    first: dict[tuple[str, ...], str] = {}
    for name in dict.fromkeys(name for tile in tiles for name in tile.row["layouts"]):
        maps = (tile.row["layouts"].get(name, {}).get("as", name) for tile in tiles)
        first.setdefault(tuple(maps), name)
    named = first.values()
    return tuple(_score(n, kinds.get(n, OF_THE_FILE), tiles, [n] * len(tiles)) for n in named)


def _score(name: str, kind: str, tiles: Tiles, names: Sequence[str]) -> LayoutScore:
    """Of a layout that has these names on the tiles."""
    found = [entry(tile.row, each) for tile, each in zip(tiles, names, strict=True)]
    known = [e or {"refused": "not tried: the store is of another version"} for e in found]
    prices = tuple(e.get("price") for e in known)
    owns = (tile.row["own"]["price"] for tile in tiles)
    ratios = tuple(None if p is None else p / o for p, o in zip(prices, owns, strict=True))
    weighed = [(r, t.case.weight) for r, t in zip(ratios, tiles, strict=True) if r is not None]
    mean = sum(r * w for r, w in weighed) / sum(w for _, w in weighed) if weighed else None
    return LayoutScore(
        *(name, kind, prices, ratios, tuple(e.get("refused", "") for e in known)),
        worst=max((r for r, _ in weighed), default=None),
        mean=mean,
        lds_bytes=max((e.get("lds_bytes", 0) for e in known), default=0),
        operations=max((e.get("operations", 0) for e in known), default=0),
        assumed=", ".join(dict.fromkeys(e["assumed"] for e in known if e.get("assumed"))),
    )


def _shape(row: dict[str, Any]) -> Shape:
    tile = row["tile"]
    return Shape(tuple((name, size) for name, size in tile["dims"]), tile["element_bits"])


def _said(rule: LayoutRule, shape: Shape) -> Iterator[tuple[str, str]]:
    """The layout of a tile in every notation that can say it."""
    address = rule.place(shape)
    assert not isinstance(address, Refusal), "it fits this tile"
    yield "offset", offset_text(shape, address)
    for known in frameworks().values():
        text = known.write(Mapped(sizes(shape), address), Ground(shape)) if known.notation else None
        if text is not None and not isinstance(text, Refusal):
            yield known.name, str(text)
