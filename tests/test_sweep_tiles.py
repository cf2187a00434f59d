"""Sweeps of tiles: the price of every layout on every tile, and which one for all of them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bankwise.algebra.address import Padded
from bankwise.algebra.offset import Shape, footprint
from bankwise.ask.sweep import export, sweep
from bankwise.ask.sweep_case import MITIGATIONS
from bankwise.ask.sweep_tile import run_tile
from bankwise.ask.tile_problem import tile_problem
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.read.tile_file.read import parse_question
from bankwise.show.sweeping import SweepReport
from bankwise.sweep.one_layout import entry, one_layouts
from bankwise.sweep.rules import layout_rules
from bankwise.sweep.spec import Case, read_spec
from bankwise.sweep.store import CaseResult
from bankwise.sweep.table import csv_text, rows
from command import bankwise
from kernel_texts import EXAMPLES

EXAMPLE = EXAMPLES / "sweep" / "k_tiles.toml"
TILES = EXAMPLES / "sweep" / "tiles.toml"

SPEC = """\
name = "two"
[[tile]]
name = "t"
question = '''
tile = { shape = [${m}, ${n}], element_bits = ${bits} }
[[access]]
name = "store"
op = "write"
offset = "4 * (lane + ${lanes} * reg)"
vector = 4
registers = ${stores}
[[access]]
name = "columns"
op = "read"
offset = "${n} * (lane % ${m}) + reg"
registers = ${n}
weight = 3
'''
targets = ["sm_80"]
types = ["f32"]
let = { stores = "m * n // (lanes * 4)" }
shapes = [{ m = 32, n = 32 }, { m = 32, n = 20 }]
"""


@pytest.fixture
def spec_file(tmp_path: Path) -> Path:
    path = tmp_path / "two.toml"
    path.write_text(SPEC, "utf-8")
    return path


def passes(name: str, target: str, offsets_bytes: list[int]) -> int:
    """By dictionaries; what the machine file says of phases and banks is not judged here."""
    row, total = machine(target).instruction(name), 0
    for phase in row.phases:
        wanted: dict[int, set[int]] = {}
        for lane in phase:
            for word in range(row.width_bytes // 4):
                address = offsets_bytes[lane] // 4 + word
                wanted.setdefault(address % row.banks, set()).add(address)
        total += max(map(len, wanted.values()))
    return total


Place = Callable[[int, int], int]
PLACES: Mapping[str, Callable[[int], Place]] = {
    "row-major": lambda n: lambda i, j: i * n + j,
    "rows padded by 16 bytes": lambda n: lambda i, j: i * (n + 4) + j,
    "16-byte chunk ^= row % 4": lambda n: lambda i, j: i * n + (j // 4 ^ i % 4) * 4 + j % 4,
    "16-byte chunk ^= row": lambda n: lambda i, j: i * n + (j // 4 ^ i % (n // 4)) * 4 + j % 4,
    "16-byte chunk ^= row by lines of 128 bytes": lambda n: (
        lambda i, j: i * n + (j // 4 ^ i // (32 // gcd(n, 32)) % (gcd(n, 32) // 4)) * 4 + j % 4
    ),
    "rows rotated by 16 bytes": lambda n: lambda i, j: i * n + (j + 4 * i) % n,
    "Swizzle<2,2,3>": lambda n: lambda i, j: i * n + j ^ ((i * n + j) >> 5 & 3) << 2,
    "Swizzle<2,4,3> of bytes": lambda n: lambda i, j: i * n + j ^ ((i * n + j) >> 5 & 3) << 2,
}
"""Row and column to the place, for rows of n elements of 4 bytes, each as its name says it."""


def judged(place: Place, m: int, n: int) -> float:
    """Passes of the question: the stores, and three times the columns; means over executions."""
    stores = [
        [4 * place(*divmod(4 * (lane + 32 * reg), n)) for lane in range(32)]
        for reg in range(m * n // 128)
    ]
    columns = [[4 * place(lane % m, reg) for lane in range(32)] for reg in range(n)]
    write, read = "st.shared.b128", "ld.shared.b32"
    wrote = sum(passes(write, "sm_80", each) for each in stores) / len(stores)
    return wrote + 3 * sum(passes(read, "sm_80", each) for each in columns) / len(columns)


def cases(path: Path) -> tuple[Case, ...]:
    return read_spec(path, MITIGATIONS).cases


def test_prices_are_what_counting_by_hand_gives(spec_file: Path) -> None:
    for case in cases(spec_file):
        sizes, row = dict(case.shape), run_tile(case)
        assert row["unit"] == "passes"
        for name, place in PLACES.items():
            found = entry(row, name)
            assert found is not None
            if "refused" not in found:
                wanted = judged(place(sizes["n"]), sizes["m"], sizes["n"])
                assert found["price"] == pytest.approx(wanted), (name, sizes)
        fits = {name for name in PLACES if "refused" not in (entry(row, name) or {})}
        assert fits == (set(PLACES) if sizes["n"] == 32 else set(PLACES) - NOT_OF_20)


def test_a_store_is_split_where_that_is_cheaper_and_pays_for_its_issue() -> None:
    """The K tile of 64 x 128 f16 on gfx942, counted by hand: the store in two parts of 8 bytes.

    AMD's own model: 4 cycles to issue a load, 4 and 4 for each word of a lane to issue a store.
    """
    (case,) = (c for c in cases(EXAMPLE) if dict(c.shape)["d"] == 128)
    name, again = "8-byte chunk ^= row % 16 ^ chunk/16 % 2", 8

    def place(i: int, j: int) -> int:
        chunk = j // 4
        return 128 * i + (chunk ^ i % 16 ^ chunk // 16) * 4 + j % 4

    stores = [
        [2 * place(*divmod(8 * (lane + 64 * reg) + 4 * half, 128)) for lane in range(64)]
        for reg in range(16)
        for half in (0, 1)
    ]
    loads = [
        [2 * place(lane % 16 + 16 * row, 4 * (lane // 16) + 16 * step) for lane in range(64)]
        for row in range(4)
        for step in range(8)
    ]
    stored = 2 * sum(passes("ds_write_b64", "gfx942", each) for each in stores) / len(stores)
    loaded = sum(passes("ds_read_b64", "gfx942", each) for each in loads) / len(loads)
    found = entry(run_tile(case), name)
    assert found is not None
    assert found["splits"] == "store as 2 x ds_write_b64"
    assert found["price"] == stored + again * loaded + 2 * (4 + 4 * 2) + again * 4


def test_where_nobody_knows_what_a_split_costs_it_is_no_answer(spec_file: Path) -> None:
    """Rows padded by one float leave 16-byte stores aligned to 4."""
    for case in cases(spec_file):
        found = entry(run_tile(case), "rows padded by 4 bytes")
        assert found is not None
        assert "nobody knows what that costs on sm_80" in found["refused"]


def test_a_layout_that_does_not_fit_into_shared_memory_is_refused(spec_file: Path) -> None:
    limit = SPEC.replace("weight = 3", "weight = 3\n[solve]\nmax_lds_bytes = 4096")
    spec_file.write_text(limit, "utf-8")
    row = run_tile(cases(spec_file)[0])
    assert entry(row, "rows padded by 16 bytes") == {"refused": "it takes 4,592 bytes of 4,096"}
    assert "price" in (entry(row, "row-major") or {})


NOT_OF_20 = {"16-byte chunk ^= row % 4", "16-byte chunk ^= row"}
"""Rows of 20 floats are 5 chunks: no whole blocks of 4."""


def test_the_one_layout_has_the_least_worst_ratio_of_all(spec_file: Path) -> None:
    """Again from the table that is written, with nothing but its prices."""
    report = sweep(spec_file, workers=1)
    export(report, spec_file.with_suffix(".csv"))
    with spec_file.with_suffix(".csv").open(encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    own = {row["shape"]: float(row["price"]) for row in table if row["mitigation"] == "own"}
    ratios: dict[str, dict[str, float]] = {}
    for row in table:
        if row["mitigation"] != "own" and row["price"]:
            ratio = float(row["price"]) / own[row["shape"]]
            ratios.setdefault(row["layout"], {})[row["shape"]] = ratio
            assert float(row["price_to_best"]) == pytest.approx(ratio)
            assert ratio >= 1, "nothing is better than the best"
    assert own.keys() == {"32x32", "32x20"}
    fitting = {name: max(r.values()) for name, r in ratios.items() if len(r) == len(own)}
    (one,) = report.one_layouts
    assert one.best.worst == pytest.approx(min(fitting.values()))
    assert fitting[one.best.name] == pytest.approx(min(fitting.values()))
    names = {score.name for score in one.scores if score.fits_all}
    assert names <= fitting.keys(), "a map that has two names is told once"


def test_a_layout_is_a_permutation_or_a_padding_wherever_it_fits() -> None:
    shapes = [
        Shape((("n", n), ("m", m)), bits)
        for m, n, bits in ((8, 16, 32), (24, 40, 16), (16, 96, 8), (3, 7, 64), (1, 64, 16))
    ]
    fits = set()
    for shape in shapes:
        for rule in layout_rules():
            address = rule.place(shape)
            if isinstance(address, Refusal):
                continue
            fits.add(rule.kind)
            image = np.sort(address(np.arange(shape.elements)))
            assert len(set(image.tolist())) == shape.elements, (rule, shape)
            assert 0 <= image[0] <= image[-1] < footprint(shape, address)
            assert isinstance(address, Padded) or image[-1] == shape.elements - 1
    assert fits == {rule.kind for rule in layout_rules()}


def outcome(size: int, own: float, prices: Mapping[str, Any], **more: Any) -> CaseResult[Case]:
    """A tile with made-up prices; a text in the place of one is a refusal."""
    known = {
        name: {"refused": price} if isinstance(price, str) else made(price)
        for name, price in prices.items()
    }
    row = {
        "unit": "cycles",
        "default": "row-major",
        "own": {**made(own), "name": "its own", "proved": True},
        "tile": {"dims": [["n", 32], ["m", size]], "element_bits": 32},
        "layouts": known,
    }
    case = Case("t", (("m", size),), "f32", "gfx942", "layouts", "", **more)
    return CaseResult(case, "done", 0.0, row)


def made(price: float) -> dict[str, Any]:
    names = ("passes", "cycles", "instructions", "lds_bytes", "operations")
    return {"price": price, **dict.fromkeys(names, 1), "splits": "", "assumed": ""}


def test_the_worst_ratio_decides_then_the_weighted_average() -> None:
    """b: 1.5 and 1; c: 1.5 and 1.25; d: 1 and 2. Averages with weights 1 and 3."""
    prices = {"row-major": (30, 40), "b": (15, 20), "c": (15, 25), "d": (10, 40), "e": (10, "odd")}
    tiles = [
        outcome(size, own, {name: p[i] for name, p in prices.items()}, weight=weight)
        for i, (size, own, weight) in enumerate(((8, 10, 1), (16, 20, 3)))
    ]
    (one,) = one_layouts(tiles)
    assert (one.best.name, one.best.worst, one.best.mean) == ("b", 1.5, (1.5 + 3 * 1) / 4)
    assert [s.name for s in one.fitting] == ["b", "c", "d", "row-major"]
    assert one.worst_tile.case.size == "8"
    assert one.partial is not None
    assert (one.partial.name, one.partial.fits, one.partial.why[1]) == ("e", 1, "odd")
    assert not one.proved
    assert SweepReport("", "", tuple(tiles)).exit_code == 1


def test_what_takes_every_proved_best_ends_with_0_and_what_is_only_found_with_3() -> None:
    tiles = tuple(outcome(size, 10, {"row-major": 30, "b": 10}) for size in (8, 16))
    assert SweepReport("", "", tiles).exit_code == 0
    tiles[0].row["own"]["proved"] = False
    assert SweepReport("", "", tiles).exit_code == 3
    tiles[0].row["own"]["proved"] = True
    tiles[0].row["layouts"]["b"]["assumed"] = "ds_write2_b64"
    assert SweepReport("", "", tiles).exit_code == 3


def test_where_no_layout_fits_all_the_one_that_fits_most_is_told_as_that() -> None:
    prices = {"row-major": ("odd", 10, 20), "b": (10, "odd", "odd")}
    tiles = tuple(
        outcome(size, 10, {name: p[i] for name, p in prices.items()})
        for i, size in enumerate((8, 16, 32))
    )
    report = SweepReport("", "", tiles)
    (one,) = report.one_layouts
    assert (one.best.name, one.best.fits, one.best.fits_all) == ("row-major", 2, False)
    assert report.exit_code == 1


def test_the_example_prints_the_answer_and_how_far_it_is(tmp_path: Path) -> None:
    store = tmp_path / "k.sqlite"
    ended = bankwise("sweep", EXAMPLE, "--store", store, "--workers", "1")
    assert ended.code == 1, "some tiles have a better layout of their own"
    assert "One layout for all 3 tiles on gfx942: " in ended.out
    assert "of which" in ended.out
    assert ended.err.endswith("cases: 3 of 3\n")
    assert all(line.startswith("cases: ") for line in ended.err.splitlines())
    again = bankwise("sweep", EXAMPLE, "--store", store, "--format", "json")
    assert again.err == ""
    (one,) = json.loads(again.out)["one_layout"]
    assert one["best"]["fits"] == len(one["tiles"]) == 3
    assert one["best"]["name"] == one["layouts"][0]["name"]
    pairs = zip(one["best"]["prices"], one["tiles"], strict=True)
    worst = max(price / tile["own"]["price"] for price, tile in pairs)
    assert one["best"]["worst"] == pytest.approx(worst)
    assert {text["notation"] for text in one["texts"]} >= {"offset"}


def test_every_tile_of_the_long_example_is_a_question() -> None:
    """Counting them takes half a minute; docs/sweep.md shows what comes of it."""
    found = cases(TILES)
    assert {case.target for case in found} == {"gfx942", "gfx950", "sm_90"}
    for case in found:
        assert not isinstance(tile_problem(parse_question(case.text, "", case.target)), Refusal)


def test_a_layout_of_the_file_is_tried_too_and_fits_where_it_fits(spec_file: Path) -> None:
    texts = '["#iree_codegen.xor_shuffle<${n}, 4>", "#iree_codegen.rotate_rows<${n}, 4>"]'
    spec_file.write_text(SPEC.replace("let =", f"layouts = {texts}\nlet ="), "utf-8")
    square, odd = (run_tile(case) for case in cases(spec_file))
    same = entry(square, "16-byte chunk ^= row")
    assert entry(square, "#iree_codegen.xor_shuffle<${n}, 4>") == same
    refused = entry(odd, "#iree_codegen.xor_shuffle<${n}, 4>")
    assert refused is not None
    assert "refused" in refused
    assert entry(odd, "#iree_codegen.rotate_rows<${n}, 4>") == entry(
        odd, "rows rotated by 16 bytes"
    )


def test_a_changed_spec_computes_what_is_new_and_loses_nothing(spec_file: Path) -> None:
    first = sweep(spec_file, workers=1)
    spec_file.write_text(SPEC.replace("}, {", "}, { m = 16, n = 32 }, {"), "utf-8")
    second = sweep(spec_file, workers=1)
    assert (first.resumed, second.resumed, len(second.outcomes)) == (0, 2, 3)
    spec_file.write_text(SPEC, "utf-8")
    third = sweep(spec_file, workers=1)
    assert (third.resumed, third.outcomes) == (2, first.outcomes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("let = {", "lets = {", "unknown key 'lets'"),
        ("let = { stores", "let = { m", "let names 'm', which is known already"),
        ('"m * n // (lanes * 4)"', "3", "let stores = 3 is no text"),
        ("m * n // (lanes * 4)", "m // q", "unknown"),
        ("m * n // (lanes * 4)", "m // 64", "is 0 for shape {'m': 32, 'n': 32}"),
        ("m * n // (lanes * 4)", "m // (n - n)", "let stores = "),
        ('types = ["f32"]', 'types = ["float"]', "unknown element type 'float'"),
        ("${stores}", "${loads}", "the tile asks for 'loads'"),
        ("registers = ${n}", "registers = $", "the tile is no template"),
        ("targets", "weight = 0\ntargets", "weight = 0 is no positive"),
        ("targets", 'file = "t.toml"\ntargets', "has no `file` or `question`, or both"),
        ("targets", "layouts = 3\ntargets", "`layouts` must be a list"),
        ('name = "two"', "let = 3", "`let` is no table"),
        ("[[tile]]", "[tile]", "`tile` is no list of tables"),
        (
            "shapes = [{ m = 32, n = 32 }, { m = 32, n = 20 }]",
            "shapes = []",
            "has neither `shapes`",
        ),
    ],
)
def test_a_bad_tile_is_told_with_the_value(
    spec_file: Path, old: str, new: str, message: str
) -> None:
    assert old in SPEC
    spec_file.write_text(SPEC.replace(old, new), "utf-8")
    with pytest.raises(InputError) as raised:
        cases(spec_file)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("tile = {", "tiles = {", "unknown key 'tiles'"),
        ("weight = 3", "weight = 0", "weight = 0"),
        ("4 * (lane +", "5 * (lane +", "a lane moves element"),
        ("[[access]]", 'layout = "padded<row=32, pad=1>"\n[[access]]', "has a layout"),
        ("let =", 'layouts = ["a quilt"]\nlet =', "'a quilt' is in no notation"),
        ("weight = 3", 'weight = 3\n[solve]\nprefer = "least-lds"', "prefer = 'least-lds'"),
    ],
)
def test_a_tile_that_is_no_question_fails_by_itself(
    spec_file: Path, old: str, new: str, message: str
) -> None:
    spec_file.write_text(SPEC.replace(old, new, 1), "utf-8")
    report = sweep(spec_file, engine="here")
    assert len(report.failed) == len(report.outcomes) == 2
    assert message in report.failed[0].error
    assert report.exit_code == 2


def test_charts_of_tiles_name_them_and_draw_the_best_as_1(spec_file: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra [sweep]")
    export(sweep(spec_file, engine="here"), spec_file.with_suffix(".svg"))
    drawn = spec_file.with_suffix(".svg").read_text("utf-8")
    for word in ("32x32", "32x20", "price / the tile's own best", "row-major", "own"):
        assert f"<!-- {word} -->" in drawn


def test_no_row_is_written_twice(spec_file: Path) -> None:
    table = list(csv.DictReader(io.StringIO(csv_text(rows(sweep(spec_file).outcomes)))))
    assert len({(r["shape"], r["mitigation"]) for r in table}) == len(table)
    assert len(table) == 2 * (len(layout_rules()) + 1)
