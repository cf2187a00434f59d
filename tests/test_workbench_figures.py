"""Every figure of the page carries its claim, and the claim is the number that Python finds."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import numpy as np
import pytest

from bankwise.algebra import expression
from bankwise.algebra.f2 import apply
from bankwise.counting.conflict import count
from bankwise.hardware.machine import machine
from bankwise.notation import ck, cute, iree, triton, wave
from bankwise.notation.values import Mapped, points
from bankwise.solver.construct import Construction, construct
from bankwise.solver.problem import BitTile, Request, problem
from bankwise.solver.theorem import conflict_directions
from bankwise.solver.theorem import passes as passes_by_rank
from bankwise.workbench.page import page
from tile_problems import transpose_problem
from workbench_browser import Tab, chromium

T64 = np.arange(64)
SHAPE = (16, 32)
TILE = BitTile((("n", 5), ("m", 4)), 32)
FAMILY = {1: 322_560, 2: 604_800, 4: 117_600, 8: 3_600, 16: 16}
THREE = {"plain": (0, 0, 0, 0), "m": (1, 2, 4, 8), "2m": (2, 4, 8, 16)}
NOTHING = "cannot express this layout"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    """One page for all tests: opening it costs more than what most of them do."""
    path = tmp_path_factory.mktemp("page") / "figures.html"
    path.write_text(page(), "utf-8")
    with chromium() as running:
        tab = Tab(running).open(path.as_uri())
        tab.draw_all()
        yield tab
        tab.close()


@pytest.fixture
def tab(opened: Tab) -> Tab:
    """The page with the layout that the story has before its last step."""
    go(opened, "l=f1.2.4.8")
    return opened


def slide(tab: Tab, figure: str, value: int, name: str = "") -> None:
    """Move a slider of a figure."""
    tab.show(figure)
    wanted = f'[aria-label="{name}"]' if name else ""
    tab.page.fill(f'[data-figure="{figure}"] input[type=range]{wanted}', str(value))


def go(tab: Tab, state: str) -> None:
    """Give the page another state, as a link would."""
    tab.go(state)


def bases(masks: tuple[int, ...], tile: BitTile = TILE) -> list[int]:
    """Offset bits of every coordinate bit of a row fold."""
    columns = tile.dims[0][1]
    return [1 << i for i in range(columns)] + [1 << columns + j ^ m for j, m in enumerate(masks)]


def words(vectors: Any, tile: BitTile = TILE) -> str:
    """Directions as the page writes them."""
    each = [" ⊕ ".join(sorted(text.split("^"))) for text in tile.text(tuple(vectors)).split()]
    return ", ".join(each)


def fold(masks: tuple[int, ...], m: Any, n: Any) -> Any:
    """The slot of column n in row m."""
    return n ^ np.array([apply(masks, int(row)) for row in np.ravel(m)]).reshape(np.shape(m))


def test_every_figure_makes_a_claim(tab: Tab) -> None:
    figures = tab.page.query_selector_all("figure[data-figure]:not([hidden])")
    assert len(figures) >= 22
    for element in figures:
        name = element.get_attribute("data-figure")
        said = element.query_selector("[data-claim]")
        assert said is not None, f"{name} claims nothing"
        assert said.get_attribute("data-value"), f"{name} claims nothing"


SAVE_ALL = """async () => {
    const [create, click] = [URL.createObjectURL, HTMLAnchorElement.prototype.click];
    const blobs = [];
    URL.createObjectURL = (blob) => `#${blobs.push(blob)}`;
    HTMLAnchorElement.prototype.click = () => {};
    document.querySelectorAll("[aria-label^='save '][aria-label$=' as SVG']")
        .forEach((button) => button.click());
    Object.assign(URL, { createObjectURL: create });
    HTMLAnchorElement.prototype.click = click;
    return Promise.all(blobs.map((blob) => blob.text()));
}"""


def test_every_figure_is_saved_as_svg(tab: Tab) -> None:
    tab.press("Show the algebra")
    files = tab.page.evaluate(SAVE_ALL)
    assert len(files) >= 24
    for text in files:
        root = ElementTree.fromstring(text)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert min(float(x) for x in root.attrib["viewBox"].split()[2:]) > 10, text[:300]
        assert len(list(root.iter())) > 3, text[:300]
        assert "var(" not in text


def test_the_opening_says_sixteen_two_one(tab: Tab) -> None:
    lane = np.arange(32)
    for key, masks in THREE.items():
        offsets = 4 * (32 * (lane % 16) + fold(masks, lane % 16, lane // 16))
        counted = count(machine("sm_90").instruction("ld.shared.b32"), offsets)
        assert tab.number(f"opening-{key}") == counted.passes


def test_the_xor_is_built_row_by_row(tab: Tab) -> None:
    for last in (0, 1, 2, 3):
        slide(tab, "story-xor", last)
        banks = {0 ^ (row if row <= last else 0) for row in range(4)}
        assert tab.number("story-xor-built") == len(banks)
    assert tab.number("story-xor-banks") == len({0 ^ row for row in range(16)})


def test_the_diagnosis_names_the_one_bad_direction(tab: Tab) -> None:
    read = transpose_problem().accesses[1]
    bad = conflict_directions(TILE, bases(THREE["m"]), read)
    assert tab.claim("story-diagnosis-direction") == words(bad) == "m0 ⊕ n0"
    for step in (0, 9):
        slide(tab, "story-diagnosis", step)
        both = {2 * step + odd ^ m for odd in (0, 1) for m in range(16)}
        assert tab.number("story-diagnosis-banks") == len(both)


def test_the_table_of_three_is_that_of_the_proof(tab: Tab) -> None:
    read = transpose_problem().accesses[1]
    for key, masks in THREE.items():
        columns = bases(masks)
        segment = [next(x for x in range(512) if apply(columns, x) == 32 << i) for i in range(4)]
        bad = conflict_directions(TILE, columns, read)
        assert tab.claim(f"three-{key}-segment") == words(segment)
        assert tab.claim(f"three-{key}-meets") == (words(bad) or "{0}")
        assert tab.number(f"three-{key}-rank") == 2 ** len(bad)
        assert tab.number(f"three-{key}-count") == passes_by_rank(TILE, columns, read)


def test_show_the_algebra_ranks_every_access_as_python_does(tab: Tab) -> None:
    assert not tab.page.is_visible("[data-figure=algebra]")
    tab.press("Show the algebra")
    assert tab.page.is_visible("[data-figure=algebra]")
    assert "al=1" in tab.link()
    tile = BitTile((("n", 6), ("m", 6)), 32)
    lanes = {"rows": "n0 n1 n2 n3 n4", "columns": "m0 m1 m2 m3 m4", "blocks": "n0 n1 m0 m1 m2"}
    rng = random.Random(5)
    requests = ",".join(f"{name}:r:{text.replace(' ', '.')}:" for name, text in lanes.items())
    asked = [Request(name, "read", tile.directions(text), ()) for name, text in lanes.items()]
    accesses = problem(machine("sm_90"), tile, asked, widen=False).accesses
    for _ in range(4):
        masks = tuple(rng.randrange(64) for _ in range(6))
        go(tab, f"t=6x6x32&l=f{'.'.join(map(str, masks))}&a={requests}&al=1")
        for access in accesses:
            wanted = passes_by_rank(tile, bases(masks, tile), access)
            bad = conflict_directions(tile, bases(masks, tile), access)
            assert tab.number(f"rank-{access.name}") == wanted
            assert tab.number(f"count-{access.name}") == wanted
            assert tab.claim(f"meets-{access.name}") == (words(bad, tile) or "{0}")


def test_the_matrices_ring_the_elements_of_any_lane(tab: Tab) -> None:
    for lane in (0, 9, 31):
        slide(tab, "matrix-a", lane)
        store = [32 * r + lane for r in range(16)]
        read = sorted(32 * (lane % 16) + 2 * r + lane // 16 for r in range(16))
        assert tab.claim("ringed-a") == " ".join(map(str, store))
        assert tab.claim("ringed-b") == " ".join(map(str, read))
    tab.view("")
    tab.press("XOR 2m")
    columns = [1 << i for i in range(5)] + [32 << j | 2 << j for j in range(4)]
    assert tab.claim("matrix-m") == " ".join(map(str, columns))


def test_the_family_shows_where_the_layout_stands(tab: Tab) -> None:
    for name, passes in (("Unswizzled", 16), ("XOR m", 2), ("XOR 2m", 1)):
        tab.press(name)
        assert tab.number("family-yours") == passes
        said = tab.page.text_content('[data-claim="family-yours"]')
        assert f"one of {FAMILY[passes]:,}" in str(said)


def test_the_replayed_algorithm_sorts_and_pairs_as_python_does(tab: Tab) -> None:
    built = construct(transpose_problem())
    assert isinstance(built, Construction)
    python = dict(value for step in built.steps for value in step.values)
    names = {"I": "I", "A": "E", "B": "F", "H": "H", "C": "C", "segment": "segment"}
    for ours, theirs in names.items():
        wanted = dict(built.steps[7].values)["segment"] if ours == "segment" else python[ours]
        assert tab.claim(f"algorithm-{theirs}") == (words(TILE.directions(wanted)) or "∅")


def _pin(tab: Tab, mark: str, wanted: str) -> None:
    """Click a mark and wait until the link says so."""
    place = tab.page.locator(mark).first
    place.scroll_into_view_if_needed()
    place.click(force=True)
    tab.until(f"location.hash.includes('{wanted}')")


def test_banks_lanes_cells_and_bits_light_up_together(tab: Tab) -> None:
    lane = np.arange(32)
    banks = (lane // 16) ^ (lane % 16)
    _pin(tab, "[data-side=B] .wb-hits [data-bank='3']", "b=3")
    on_bank = np.flatnonzero(banks == 3)
    assert tab.number("inspect-words") == len(on_bank) == 2
    framed = "[...document.querySelectorAll('.wb-lanes [stroke=\"var(--ink)\"]')]"
    assert tab.page.evaluate(f"{framed}.map((e) => Number(e.dataset.lane))") == list(on_bank)
    _pin(tab, ".wb-lanes [data-lane='5']", "c=160")
    assert "b=3" not in tab.link()
    others = [t for t in lane if banks[t] == banks[5] and t != 5]
    assert tab.claim("inspect-rivals") == " ".join(map(str, others)) == "20"
    lit = tab.page.eval_on_selector_all(
        ".toggles button.lit", "all => all.map((e) => e.getAttribute('aria-label'))"
    )
    assert lit == ["fold m0 into n0", "fold m2 into n2"]


def test_lanes_and_banks_are_walked_with_the_keyboard(tab: Tab) -> None:
    tab.page.focus("[data-side=B] .wb-hits [role=group]")
    for _ in range(4):
        tab.page.keyboard.press("ArrowRight")
    assert "b=3" in tab.link()
    tab.page.keyboard.press("ArrowLeft")
    assert "b=2" in tab.link()
    tab.page.focus(".wb-lanes [role=group]")
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("ArrowRight")
    assert "c=32" in tab.link()
    assert "lane 1, step 0" in str(tab.page.text_content(".wb-inspect"))
    tab.page.keyboard.press("Escape")
    assert "c=" not in tab.link()
    assert tab.page.locator(".toggles button[tabindex='0']").count() == 1


def test_accesses_are_added_changed_and_removed(tab: Tab) -> None:
    for _ in range(7):
        tab.press("Add an access")
    assert tab.page.locator(".access").count() == 9
    last = tab.page.locator(".access").last
    field = last.locator("input").nth(1)
    field.fill("m0 m1 n0 n1 n2")
    field.press("Enter")
    lane = np.arange(32)
    row, column = lane % 4, lane // 4
    offsets = 4 * (32 * row + (column ^ row))
    wanted = count(machine("sm_90").instruction("ld.shared.b32"), offsets).passes
    assert tab.number("passes-access 8") == wanted
    assert last.locator("details").evaluate("(e) => e.open")
    last.get_by_role("button", name="Remove").click()
    assert tab.page.locator(".access").count() == 8


def meant(name: str, text: str) -> Any:
    """Offsets of all elements as Python's reader of the notation understands the text."""
    everything = points(SHAPE)
    flat = 32 * everything[:, 0] + everything[:, 1]
    if name == "CuTe":
        return cute.memory(cute.parse(text)).offsets(everything)
    if name == "Triton":
        return triton.memory(triton.parse_shared(text), SHAPE).offsets(everything)
    if name == "IREE":
        return Mapped(SHAPE, iree.swizzle(text)).offsets(everything)
    if name == "Wave":
        return wave.parse_swizzle(text).offsets(everything)
    if name == "CK":
        return ck.descriptor(text).offsets(everything)
    return eval(text.removeprefix("offset = "), {"x": flat})


def test_every_notation_means_the_layout_that_it_was_written_for(tab: Tab) -> None:
    rng = random.Random(2)
    layouts = [f"f{'.'.join(map(str, m))}" for m in THREE.values()]
    layouts += ["f1.2.4.0", "f0.4.8.16", "f0.0.8.16", "f3.0.5.0", "p1", "p4", "r1", "r4", "r3"]
    layouts += [f"f{'.'.join(str(rng.randrange(32)) for _ in range(4))}" for _ in range(6)]
    m, n = (axis.ravel() for axis in np.mgrid[0:16, 0:32])
    said: Counter[str] = Counter()
    for layout in layouts:
        numbers = tuple(map(int, re.findall(r"\d+", layout)))
        if layout[0] == "p":
            offsets = (32 + numbers[0]) * m + n
        elif layout[0] == "r":
            offsets = 32 * m + (n + numbers[0] * m) % 32
        else:
            offsets = 32 * m + fold(numbers, m, n)
        go(tab, f"l={layout}")
        texts = tab.page.eval_on_selector_all(
            "[data-notation]", "all => all.map((e) => [e.dataset.notation, e.textContent])"
        )
        for name, text in texts:
            if name in ("row masks", "C, CUDA, HIP") or text == NOTHING:
                continue
            assert (meant(name, text) == offsets).all(), (layout, name, text)
            said[name] += 1
    least = {"Python": 18, "CuTe": 8, "Triton": 15, "IREE": 6, "Wave": 2, "CK": 6}
    assert all(said[name] >= number for name, number in least.items()), said


def test_the_wave_tile_is_copied_and_laid_out_as_its_kernel_says(tab: Tab) -> None:
    for number in range(8):
        slide(tab, "wave-copy", number)
        x, y = 64 * (number % 4) + T64, number // 4
        rows = sorted({int(row) for row in 8 * y + x // 32})  # #map5 and #map9 of the kernel
        assert tab.claim("wave-rows") == " ".join(map(str, rows))
    row = np.arange(32)
    for key, chunk in (("0", 0 * row), ("1", row % 8)):
        tab.choose("wave-lds", key)
        assert tab.number("wave-lds-banks") == len(set((32 * row + 4 * chunk) % 64))


def test_each_phase_of_the_wave_read_crowds_these_lanes_on_bank_0(tab: Tab) -> None:
    instruction = machine("gfx950").instruction("ds_read_b128")
    row, chunk = T64 % 16, T64 // 16
    starts = {"wave-plain": 128 * row + 16 * chunk, "wave-xor": 128 * row + 16 * (chunk ^ row % 8)}
    for number, lanes in enumerate(instruction.phases):
        slide(tab, "wave-read", number)
        for name, offsets in starts.items():
            assert tab.number(f"{name}-passes") == count(instruction, offsets).passes
            on_bank = [t for t in lanes if offsets[t] // 4 % 64 == 0]
            wanted = sorted(map(int, tab.claim(f"{name}-bank0").split()))
            assert wanted == sorted(on_bank)
    strips = tab.page.eval_on_selector_all(
        "[data-figure=wave-read] svg", "all => all.map((e) => e.getAttribute('aria-label'))"
    )
    assert [text for text in strips if text.endswith("cycles")] == ["16 cycles", "4 cycles"]


def test_the_four_steps_lead_every_thread_to_its_bank(tab: Tab) -> None:
    assert tab.number("thread-bank") == 36
    assert tab.claim("thread-others") == "3 13 15"
    phases = machine("gfx950").instruction("ds_read_b128").phases
    for thread in (0, 9, 22, 63):
        slide(tab, "wave-thread", thread)
        row, chunk = thread % 16, thread // 16
        assert tab.number("thread-bank") == (32 * row + 4 * (chunk ^ row % 8)) % 64
        mates = next(lanes for lanes in phases if thread in lanes)
        plain = [(32 * (t % 16) + 4 * (t // 16)) % 64 for t in range(64)]
        others = [t for t in mates if plain[t] == plain[thread] and t != thread]
        assert sorted(map(int, tab.claim("thread-others").split())) == sorted(others)


def test_the_8x8_tile_spreads_a_column_as_far_as_its_phases_reach(tab: Tab) -> None:
    for most in (1, 2, 4, 8):
        tab.choose("eight", most)
        assert tab.number("eight-columns") == len({0 ^ row % most for row in range(8)})


def test_every_step_of_the_xor_descriptor_costs_what_python_counts(tab: Tab) -> None:
    instruction = machine("gfx942").instruction("ds_read_b128")
    high, low = T64 // 2, 4 * (T64 % 2)
    plain, moved = 16 * (8 * high + low), 16 * (8 * high + (low ^ high % 8))
    for step in range(5):
        slide(tab, "descriptor", step)
        wanted = count(instruction, plain if step < 2 else moved).passes
        assert tab.number("descriptor-passes") == wanted


@pytest.mark.parametrize(
    ("target", "instruction", "text"),
    [
        ("gfx942", "ds_read_b64", "(lane%16)*256 + lane//16*8"),
        ("gfx950", "ds_read_b128", "128*(lane & 15) ^ (lane>>4)*16 ^ (lane & 7) << 4"),
        ("sm_90", "ld.shared.b32", "4*(33*lane)"),
        ("sm_90", "ldmatrix.x4", "-(-lane*128)"),
    ],
)
def test_a_free_rule_costs_what_python_counts(
    tab: Tab, target: str, instruction: str, text: str
) -> None:
    go(tab, f"ru=7&rf={quote(f'{target}:{instruction}:{text}')}")
    gpu = machine(target)
    offsets = expression.parse(text, ["lane"])(lane=np.arange(gpu.wave_size))
    counted = count(gpu.instruction(instruction), offsets)
    assert tab.number("rule-passes") == counted.passes
    assert tab.number("rule-extra") == counted.extra


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("4*lanes", "“lanes” is neither"),
        ("4*(lane", "never closed"),
        ("lane - 9", "before the tile"),
        ("lane/0", "divides by zero"),
        ("2*lane", "no multiple of 4"),
        ("1<<99", "shifts by 99"),
        ("lane lane", "“lane” is not understood"),
        ("", "“the end” is neither"),
    ],
)
def test_an_address_that_is_none_is_refused_in_words(tab: Tab, text: str, said: str) -> None:
    go(tab, f"ru=7&rf={quote(f'sm_90:ld.shared.b32:{text}')}")
    assert said in tab.claim("rule-error")


def test_a_free_load_touches_the_lines_that_python_counts(tab: Tab) -> None:
    tab.choose("coalescing", 7)
    for text, width, size in (("132*lane", 4, 64), ("lane%8*512 + lane//8*16", 16, 128)):
        tab.page.select_option("[data-figure=coalescing] select >> nth=0", str(width))
        tab.page.select_option("[data-figure=coalescing] select >> nth=1", str(size))
        tab.page.fill("[data-figure=coalescing] [aria-label='byte of a lane']", text)
        tab.page.keyboard.press("Enter")
        starts = expression.parse(text, ["lane"])(lane=T64)
        wanted = {int(s) + i for s in starts for i in range(width)}
        lines = {byte // size for byte in wanted}
        assert tab.number("coalescing-lines") == len(lines)
        share = 100 * len(wanted) / (size * len(lines))
        assert float(tab.claim("coalescing-efficiency")) == pytest.approx(share, abs=0.01)
