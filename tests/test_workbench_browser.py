"""What the page claims in a real browser is what Python counts."""

from __future__ import annotations

import random
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bankwise.algebra.f2 import apply
from bankwise.counting.conflict import count
from bankwise.hardware.lanes import lane_text
from bankwise.hardware.machine import machine
from bankwise.workbench.page import page
from workbench_browser import Tab, chromium

T32, T64 = np.arange(32), np.arange(64)
ROW, COLUMN = T32 % 16, T32 // 16
STEP = "#workbench input[aria-label='Register step r']"
SOURCE_FAMILY = {1: 322_560, 2: 604_800, 4: 117_600, 8: 3_600, 16: 16}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("page") / "workbench.html"
    path.write_text(page(), "utf-8")
    return path.as_uri()


@pytest.fixture
def tab(browser: Any, address: str) -> Iterator[Tab]:
    opened = Tab(browser).open(address)
    yield opened
    opened.close()


def passes(target: str, instruction: str, offsets: Any) -> int:
    return int(count(machine(target).instruction(instruction), np.asarray(offsets)).passes)


def transpose_read(slot: Any, pitch: int = 32, step: int = 0) -> int:
    """Passes of the 16x32 read when element (m, n) lives in slot(m, n) of its row."""
    offsets = 4 * (pitch * ROW + slot(ROW, 2 * step + COLUMN))
    return passes("sm_90", "ld.shared.b32", offsets)


def plain(_m: Any, n: Any) -> Any:
    return n


def test_from_a_file_the_page_asks_for_itself_and_nothing_else(tab: Tab, address: str) -> None:
    assert tab.requests == [address]


def test_every_figure_shows_something(tab: Tab) -> None:
    tab.draw_all()
    for element in tab.page.query_selector_all("figure[data-figure]"):
        name = element.get_attribute("data-figure")
        drawn = element.query_selector("svg") or element.query_selector(".said > *")
        assert drawn is not None or name == "algebra", f"figure {name} is empty"


def test_the_chapters_of_the_story_are_states_of_the_instrument(tab: Tab) -> None:
    layouts = {
        "1": (plain, None),
        "2": (lambda m, n: (n + m) % 32, plain),
        "3": (lambda m, n: n ^ m, lambda m, n: (n + m) % 32),
        "4": (lambda m, n: n ^ m, plain),
        "5": (lambda m, n: n ^ m, plain),
        "6": (lambda m, n: n ^ 2 * m, lambda m, n: n ^ m),
    }
    tab.press("Story")
    for number, (slot, before) in layouts.items():
        assert tab.link().endswith(f"#y={number}"), "a chapter is its own link"
        for step in (0, 7, 15):
            tab.page.fill(STEP, str(step))
            assert tab.number("side-B") == transpose_read(slot, step=step)
            assert tab.number("passes-store") == 1
            if before is not None:
                assert tab.number("side-A") == transpose_read(before, step=step)
        assert tab.page.is_visible('[data-side="A"]') == (before is not None)
        assert tab.page.locator(".chapter:visible").count() == 1
        tab.page.locator(".contents").get_by_role("button", name="Next").click()
    assert tab.link().endswith("#y=7")


def column_read(pitch: int, floats: int) -> int:
    """Passes of a warp that reads so many floats a lane down a column of rows of ``pitch`` floats:
    16 bytes a lane are served eight lanes at a time."""
    together = 32 // floats
    passes = 0
    for first in range(0, 32, together):
        words: list[list[int]] = [[] for _ in range(32)]
        for lane in range(first, first + together):
            for word in range(lane * pitch, lane * pitch + floats):
                words[word % 32].append(word)
        passes += max(map(len, words))
    return passes


def test_two_chapters_say_what_padding_does_and_costs(tab: Tab) -> None:
    tab.view("7")
    assert (tab.number("side-A"), tab.number("side-B")) == (column_read(32, 1), column_read(33, 1))
    said = tab.page.locator('[data-side="B"]').inner_text()
    assert f"{4 * 32 * 33:,} bytes" in said, "as the array is declared"
    tab.page.locator(".contents").get_by_role("button", name="Next").click()
    assert tab.number("side-A") == column_read(36, 4)
    assert f"{4 * 32 * 36:,} bytes" in tab.page.locator('[data-side="A"]').inner_text()
    assert "tears the vector apart" in tab.page.locator('[data-side="B"]').inner_text()
    assert "several narrower ones" in tab.page.locator(".wb-why").inner_text()
    assert not tab.page.is_visible('[data-side="B"] .wb-hits'), "nobody can issue it"
    extra = 4 * 32 * 4
    assert f"{extra} bytes more" in tab.page.locator(".chapter:visible").inner_text()
    assert "of an even phase" in tab.page.locator(".wb-legend").inner_text()
    tab.page.locator(".chapter:visible").get_by_role("link").click()
    tab.until("document.body.dataset.view === 'bench'")
    assert tab.number("side-A") == tab.number("side-B") == tab.number("passes-store") == 4
    tab.page.get_by_label("Machine").select_option("gfx950")
    assert (tab.number("side-A"), tab.number("side-B")) == (4, 8), "what the chapter promises"


def test_the_legend_says_what_marks_mean_at_rest_and_while_passes_go_by(tab: Tab) -> None:
    tab.go("")
    legend = tab.page.locator(".wb-legend")
    at_rest = legend.inner_text()
    assert "lane of 0-15" in at_rest
    assert "lane of 16-31" in at_rest
    for word in (
        "the bank, one of the 32 of sm_90",
        "number in a cell",
        "red frame",
        "pass",
        "ideal",
    ):
        assert word in at_rest
    rule = machine("sm_90").instructions["ld.shared.b32"]
    assert f"ld.shared.b32: {rule.evidence}, confidence {rule.confidence:g}" in at_rest
    tab.page.get_by_label("passes gone by").fill("3")
    assert "served in this pass" in legend.inner_text()
    assert "lane of 0-15" not in legend.inner_text()
    tab.go("")
    tab.page.get_by_label("Machine").select_option("gfx942")
    assert "of an odd phase" in legend.inner_text(), "its 64 lanes are two phases"


def test_the_presets_cost_what_python_counts(tab: Tab) -> None:
    by_name = {
        "Unswizzled": (plain, 32),
        "XOR m": (lambda m, n: n ^ m, 32),
        "XOR 2m": (lambda m, n: n ^ 2 * m, 32),
        "Rotation": (lambda m, n: (n + m) % 32, 32),
        "Padding": (plain, 33),
        "Wave": (lambda m, n: n ^ m % 8, 32),
        "xor_shuffle": (lambda m, n: n ^ m, 32),
        "CuTe": (lambda m, n: n ^ 2 * m, 32),
    }
    for name, (slot, pitch) in by_name.items():
        tab.press(name)
        assert tab.number("passes-store") == 1
        assert tab.number("passes-read") == transpose_read(slot, pitch), name


def test_the_notations_of_n_xor_2m(tab: Tab) -> None:
    tab.press("XOR 2m")
    text = {
        e.get_attribute("data-notation"): e.text_content()
        for e in tab.page.query_selector_all("[data-notation]")
    }
    assert text["CuTe"] == "Sw<4,1,4> o 0 o (16,32):(32,1)"
    x = np.arange(512)
    offset = eval(str(text["Python"]).removeprefix("offset = "), {"x": x})
    assert (offset == (32 * (x // 32) + (x % 32 ^ 2 * (x // 32)))).all()


def test_toggles_work_with_mouse_and_keyboard_and_stand_in_the_url(tab: Tab) -> None:
    tab.press("XOR m")
    toggle = tab.page.locator("[aria-label='fold m0 into n0']")
    toggle.click()
    assert tab.number("passes-read") == transpose_read(lambda m, n: n ^ (m & ~1))
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("ArrowRight")
    focused = tab.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "fold m0 into n4"
    tab.page.keyboard.press("Space")
    slot = lambda m, n: n ^ (m & ~1) ^ 16 * (m & 1)  # noqa: E731
    assert tab.number("passes-read") == transpose_read(slot)
    assert tab.link().endswith("#l=f16.2.4.8")
    assert tab.page.evaluate("document.activeElement.getAttribute('aria-label')") == focused


def test_the_url_restores_the_session(browser: Any, tab: Tab) -> None:
    tab.press("XOR m")
    tab.page.fill(STEP, "9")
    tab.choose("coalescing", 5)
    tab.view("")
    again = Tab(browser).open(tab.link())
    assert again.link() == tab.link()
    assert again.number("passes-read") == 2
    assert again.page.input_value(STEP) == "9"
    assert again.number("coalescing-lines") == 64
    again.close()


@pytest.mark.parametrize(
    "text",
    ["t=9x9x9", "l=f999.%zz", "a=x:y:n9:q", "g=nothing&p=77&r=-1", "v=5", "i=x&e=::", "k=-3"],
)
def test_a_broken_link_still_opens_a_page_and_says_so(
    browser: Any, address: str, text: str
) -> None:
    opened = Tab(browser).open(f"{address}#{text}")
    assert opened.page.query_selector("#workbench canvas") is not None
    assert opened.page.locator(".strange:visible, .error:visible").count() > 0
    opened.close()


def test_random_folds_on_every_machine_cost_what_python_counts(browser: Any, address: str) -> None:
    rng = random.Random(11)
    opened = Tab(browser)
    for target in ("sm_75", "sm_90", "sm_120", "gfx90a", "gfx942", "gfx950", "gfx1201"):
        gpu = machine(target)
        lane_bits = gpu.wave_size.bit_length() - 1
        columns, rows = rng.choice(((5, 4), (6, 5), (7, 6)))
        bits = columns + rows
        lanes = rng.sample(range(2, bits), lane_bits)
        masks = [rng.randrange(1 << columns) & ~3 for _ in range(rows)]
        names = [f"n{i}" if i < columns else f"m{i - columns}" for i in lanes]
        link = f"g={target}&t={columns}x{rows}x32&l=f{'.'.join(map(str, masks))}"
        link += f"&a=one:r:{'.'.join(names)}:n0.n1&v=0&al=1"
        opened.open(f"{address}#{link}")
        coordinates = [apply([1 << i for i in lanes], lane) for lane in range(gpu.wave_size)]
        offsets = [4 * (x ^ apply(masks, x >> columns)) for x in coordinates]
        stem = {"nvidia": "ld.shared.b128"}.get(gpu.vendor, "ds_read_b128")
        stem = stem if stem in gpu.instructions else "ds_load_b128"
        assert opened.number("passes-one") == passes(target, stem, offsets), link
        assert opened.claim("rank-one") == opened.claim("count-one")
    opened.close()


def test_solve_it_frees_the_read_and_next_member_is_another(tab: Tab) -> None:
    tab.press("Solve it")
    assert tab.number("passes-read") == 1
    seen = [tab.link()]
    for _ in range(4):
        assert (tab.number("passes-store"), tab.number("passes-read")) == (1, 1)
        tab.press("Next as good")
        seen.append(tab.link())
    assert len(set(seen)) == len(seen)
    tab.press("Solve it")
    assert "322,560" in str(tab.page.text_content(".wb-solver"))


def test_the_family_and_the_check_of_all_settings(tab: Tab) -> None:
    assert {p: tab.number(f"family-{p}") for p in SOURCE_FAMILY} == SOURCE_FAMILY
    tab.show("family")
    tab.press("Check all 1,048,576 here")
    tab.page.wait_for_selector('[data-claim="sweep-disagree"]')
    assert tab.number("sweep-disagree") == 0


def test_the_algorithm_ends_in_n_xor_2m_and_shows_it(tab: Tab) -> None:
    assert tab.claim("algorithm-masks") == "2 4 8 16"
    tab.show("algorithm")
    tab.press("Use this layout")
    assert tab.number("passes-read") == 1
    assert tab.number("rule-rank") == 5


def test_the_phase_slider_shows_single_phases(browser: Any, address: str) -> None:
    link = "g=gfx950&t=6x5x16&l=f&a=read:r:m0.m1.m2.m3.n3.n4:n0.n1.n2&v=0"
    opened = Tab(browser).open(f"{address}#{link}")
    assert opened.number("passes-read") == 16
    opened.page.fill("#workbench input[aria-label='Phase']", "1")
    assert opened.number("hits-worst") == 4
    assert "p=0" in opened.link()
    opened.press("Wave")
    assert opened.number("passes-read") == 4
    opened.close()


def test_the_tile_can_be_walked_with_the_keyboard(tab: Tab) -> None:
    tab.press("XOR 2m")
    tab.page.focus("#workbench canvas")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown", "ArrowDown"):
        tab.page.keyboard.press(key)
    text = str(tab.page.text_content(".wb-inspect"))
    assert "row 3, column 1, moved to slot 7 = 1 ⊕ 6 · byte 412 · bank 7" in text


def test_the_coalescing_scenarios_touch_these_lines(tab: Tab) -> None:
    scenarios = [(4, 4 * T64), (16, 16 * T64), (4, 4 * T64 + 4), (4, 8 * T64), (4, 0 * T64)]
    scenarios += [(4, 256 * T64), (16, 512 * (T64 // 4) + 16 * (T64 % 4))]
    for number, (width, starts) in enumerate(scenarios):
        wanted = {int(s) + i for s in starts for i in range(width)}
        lines = {byte // 64 for byte in wanted}
        tab.choose("coalescing", number)
        assert tab.number("coalescing-lines") == len(lines)
        share = 100 * len(wanted) / (64 * len(lines))
        assert float(tab.claim("coalescing-efficiency")) == pytest.approx(share, abs=0.01)


def test_the_rules_cost_what_python_counts(tab: Tab) -> None:
    cases = [("ds_read_b32", 4 * T64), ("ds_read_b32", T64 // 8 * 4), ("ds_read_b32", 128 * T64)]
    cases += [("ds_read_u16", 2 * T64), ("ds_read_u16", 64 * T64)]
    cases += [("ds_read_b128", 128 * T64), ("ds_read_b128", 16 * T64)]
    for number, (instruction, offsets) in enumerate(cases):
        tab.choose("rules", number)
        assert tab.number("rule-passes") == passes("gfx942", instruction, offsets)


def test_the_phase_table_is_that_of_the_machine_file(tab: Tab) -> None:
    tab.view("hardware")
    options = tab.page.eval_on_selector_all(
        "[data-figure=phases] option", "all => all.map((o) => o.value)"
    )
    for option in options:
        tab.page.select_option("[data-figure=phases] select", option)
        target, _, name = option.partition(".")
        row = machine(target).instruction(name)
        assert tab.number("phases") == len(row.phases)
        assert tab.claim("phase-0") == lane_text(row.phases[0])


def test_the_xor_descriptor_and_the_mfma_read_cost_what_python_counts(tab: Tab) -> None:
    before = passes("gfx942", "ds_read_b128", 64 * T64)
    after = passes("gfx942", "ds_read_b128", 16 * (8 * (T64 // 2) + (4 * (T64 % 2) ^ T64 // 2 % 8)))
    assert (tab.number("descriptor-before"), tab.number("descriptor-passes")) == (before, after)
    row, column = T64 % 16, T64 // 16 * 4
    layouts = [128 * row + column, 132 * row + column, 128 * row + (column ^ 4 * row)]
    for number, elements in enumerate(layouts):
        tab.choose("mfma", number)
        assert tab.number("mfma-passes") == passes("gfx942", "ds_read_b64", 2 * elements)


def test_padding_by_four_elements_costs_a_quarter_of_the_workgroups(tab: Tab) -> None:
    facts = machine("gfx942").facts
    unit, granule = int(facts["lds_bytes_per_unit"]), int(facts["lds_granule_bytes"])
    padded = -(-64 * 132 * 2 // granule) * granule
    assert tab.number("resident-plain") == unit // 16_384 == 4
    assert tab.number("resident-padded") == unit // padded == 3


def test_strides_of_512_bytes_and_more_reach_one_cache_set(tab: Tab) -> None:
    tab.view("memory")
    for exponent in range(4, 15):
        tab.page.select_option("[data-figure=l1] select", str(exponent))
        reached = {(row << exponent) >> 7 & 3 for row in range(16)}
        assert tab.number("l1-sets") == len(reached)


def test_an_access_that_the_machine_cannot_do_is_refused_in_words(tab: Tab) -> None:
    tab.page.locator(".access summary").nth(1).click()
    field = tab.page.locator(".access input").nth(4)
    field.fill("m0 m1 m2 m3 m9")
    field.press("Enter")
    assert "m9" in str(tab.page.text_content(".wb-accesses .error"))


def test_a_figure_is_saved_as_svg_with_its_colours(tab: Tab) -> None:
    tab.draw_all()
    for name in ("swizzle-workbench", "matrix-m", "family"):
        if name != "swizzle-workbench":
            tab.show(name)
        with tab.page.expect_download() as waiting:
            tab.page.locator(f"[aria-label='save {name} as SVG']").click()
        text = Path(waiting.value.path()).read_text("utf-8")
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg"
        assert "var(" not in text


def test_the_articles_are_reached_without_losing_the_session(tab: Tab) -> None:
    tab.press("XOR m")
    tab.view("memory")
    assert tab.page.locator(".article:visible").count() == 1
    tab.press("Close")
    assert tab.link().endswith("#l=f1.2.4.8")
    assert tab.number("passes-read") == 2


def test_every_step_is_undone_by_ctrl_z_and_by_back(browser: Any, address: str) -> None:
    tab = Tab(browser).open(address)
    costs = [tab.number("passes-read")]
    for name in ("Unswizzled", "XOR m", "Padding"):
        tab.press(name)
        costs.append(tab.number("passes-read"))
    assert costs == [1, 16, 2, 2]
    before = tab.link()
    tab.page.fill(STEP, "9")
    tab.page.focus("#workbench canvas.side-B")
    tab.page.keyboard.press("Control+z")
    tab.until("location.hash === '#l=f1.2.4.8'")
    tab.page.go_back()
    assert tab.number("passes-read") == 16
    tab.press("Undo")
    tab.until("location.hash === ''")
    assert tab.number("passes-read") == 1
    assert tab.page.is_disabled("text=Undo")
    for _ in range(3):
        tab.press("Redo")
        tab.page.wait_for_timeout(50)
    tab.until(f"location.href.startsWith({before!r})")
    assert tab.page.input_value(STEP) == "9", "the last step, as it was left"
    assert tab.page.is_disabled("text=Redo")
    tab.close()


@pytest.mark.parametrize("width", [360, 820, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_never_scrolls_sideways(
    browser: Any, address: str, width: int, scheme: str
) -> None:
    size = {"width": width, "height": 800}
    opened = Tab(browser, viewport=size, color_scheme=scheme).open(address)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    opened.close()
