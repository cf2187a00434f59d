"""The answer "which one layout for all these tiles" in the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from bankwise.show.columns import Console, table
from bankwise.show.plain import escape
from bankwise.sweep.one_layout import LayoutScore, OneLayout
from bankwise.sweep.spec import Case
from bankwise.sweep.store import CaseResult

_LINE = 100
_TILES = 60


def print_one_layout(one: OneLayout, console: Console) -> None:
    """The answer, what competes, what every tile loses, and the texts to paste."""
    for line in answer_lines(one):
        console.print(line)
    _print_rivals(one, console)
    if one.target:
        console.print()
        _print_tiles(one, console)
    if len(one.tiles) > _TILES and one.target:
        console.print(f"[dim]and {len(one.tiles) - _TILES:,} more tiles: --format json[/]")
    console.print()
    for line in _words(one):
        console.print(line, soft_wrap=True)
    console.print()


def answer_lines(one: OneLayout) -> Iterator[str]:
    """What is said of the answer, with its conditions."""
    best, many = one.best, len(one.tiles)
    where = f" on {one.target}" if one.target else " on all targets together"
    tiles = "1 tile" if many == 1 else f"all {many} tiles"
    if not best.fits_all:
        yield f"[bold]No layout of {len(one.scores):,} tried fits {tiles}{escape(where)}[/]"
        tiles, where = f"{best.fits} of {many} tiles", ""
    yield f"[bold]One layout for {tiles}{escape(where)}: {escape(best.name)}[/]"
    yield f"  {_lost(one)}"
    yield f"  {_default(one)}"
    if one.on_average != best:
        other = one.on_average
        yield f"  the least average has {escape(other.name)}: {_ratios(other)}"
    if one.partial is not None:
        yield _partial(one.partial, one)
    if best.assumed:
        yield f"  [yellow]assumed:[/] how {best.assumed} is served is not known"
        sure = next((score for score in one.fitting if not score.assumed), None)
        if sure is not None:
            yield f"  without that: {escape(sure.name)}: {_ratios(sure)}"


def _lost(one: OneLayout) -> str:
    best = one.best
    tried = (
        f"the best of {len(one.scores):,} layouts tried, of which {len(one.fitting):,} fit "
        f"{'every tile' if best.fits_all else 'as many'}"
    )
    if best.worst == 1:
        known = "proved" if one.proved else "as far as that is known"
        return f"it takes what each tile's own best takes, {known}: {tried}"
    about, worst = escape(str(one.worst_tile.case)), ratio_text(best.worst)
    mean = ratio_text(best.mean)
    return f"at worst {worst} times a tile's own best ({about}), {mean} on average: {tried}"


def _default(one: OneLayout) -> str:
    default = one.default
    said = f"what the framework does unasked ({escape(default.name)})"
    if default == replace(one.best, kind=default.kind):
        return f"that is {said}"
    if default.fits_all:
        return f"{said}: {_ratios(default)}"
    why = escape(next(reason for reason in default.why if reason))
    if not default.fits:
        return f"{said} cannot be compared: {why}"
    return f"{said}: {_ratios(default)} of {default.fits} tiles; the others: {why}"


def _ratios(score: LayoutScore) -> str:
    return f"at worst {ratio_text(score.worst)}, {ratio_text(score.mean)} on average"


def _partial(score: LayoutScore, one: OneLayout) -> str:
    """A better one that does not fit everywhere, and the first tile that it does not fit."""
    tile, why = next((t, w) for t, w in zip(one.tiles, score.why, strict=True) if w)
    fits = f"{score.fits} of {len(one.tiles)} tiles"
    refused = f"not {escape(str(tile.case))}: {escape(why)}"
    return f"  {escape(score.name)} fits {fits}, {_ratios(score)}; {refused}"


def _print_rivals(one: OneLayout, console: Console) -> None:
    rows = []
    for score in one.rivals:
        mark = " *" if score == one.best else ""
        assumed = " (assumed)" if score.assumed else ""
        ratios = (ratio_text(score.worst), ratio_text(score.mean))
        fits = f"{score.fits} of {len(one.tiles)}"
        cells = (*ratios, fits, f"{score.lds_bytes:,}", str(score.operations))
        rows.append([*cells, f"{score.name}{mark}{assumed}"])
    titles = ("worst / own best", "average", "fits", "LDS bytes", "address operations")
    table(console, (*titles, "the best of every kind"), rows, whole=True)


def _print_tiles(one: OneLayout, console: Console) -> None:
    """What every tile takes: its own best, the one layout, the default, row-major."""
    plain = next((s for s in one.scores if s.name == "row-major"), None)
    shown, rows = (one.best, one.default, plain), []
    for number, tile in enumerate(one.tiles[:_TILES]):
        case, own = tile.case, tile.row["own"]
        found = [price_text(own["price"])]
        for score in shown:
            price, ratio = _at(score, number)
            found += ["-" if price is None else price_text(price), ratio_text(ratio)]
        rows.append([*found, f"{case.kernel}, {case.size}, {case.type}: {_own(tile)}"])
    titles = (one.units, "one layout", "/ own", "default", "/ own", "row-major", "/ own")
    table(console, (*titles, "tile: its own best"), rows, whole=True)


def _at(score: LayoutScore | None, number: int) -> tuple[float | None, float | None]:
    return (None, None) if score is None else (score.prices[number], score.ratios[number])


def _own(tile: CaseResult[Case]) -> str:
    own = tile.row["own"]
    said = ", proved" if own["proved"] else ", found"
    return str(own["name"]) + said + (" (assumed)" if own["assumed"] else "")


def _words(one: OneLayout) -> Iterator[str]:
    """Texts to paste: of every notation that can say it."""
    for name in dict.fromkeys(name for name, _, _ in one.words):
        (text, cases), *others = ((t, c) for known, t, c in one.words if known == name)
        short = text if len(text) <= _LINE else f"{text[:_LINE]} .."
        more = f"; {len(others)} other texts: --format json" if others else ""
        of = "" if len(cases) == len(one.tiles) else f"  [dim]{_sizes(cases)}{more}[/]"
        yield f"  {name:10} {escape(short)}{of}"


def _sizes(cases: tuple[Case, ...]) -> str:
    sizes = dict.fromkeys(f"{case.size} {case.type}" for case in cases)
    return escape(", ".join(list(sizes)[:3]) + (", .." if len(sizes) > 3 else ""))


def price_text(price: float) -> str:
    """A mean of cycles or passes, without a fraction where it has none."""
    return f"{price:,}" if isinstance(price, int) else f"{price:,.2f}"


def ratio_text(ratio: float | None) -> str:
    """Two digits, or a dash where nothing is known; what is not 1 is not rounded to it."""
    if ratio is None:
        return "-"
    digits = 2 if ratio == 1 or abs(ratio - 1) >= 0.005 else 4
    return f"{ratio:.{digits}f}"
