"""The instrument: one screen, time that passes, addresses, any notation, links and history."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from bankwise.counting.conflict import count
from bankwise.hardware.machine import machine
from bankwise.notation import cute, iree, triton, wave
from bankwise.notation.values import Mapped, points
from bankwise.workbench.page import page
from workbench_browser import Tab, chromium

HERE = Path(__file__).parent
STATIC = HERE.parent / "src" / "bankwise" / "workbench" / "static"
LANE = np.arange(32)
FINGER = 44
TOO_SMALL = """[...document.querySelectorAll("button, select, input, summary, a[href], textarea")]
    .filter((e) => e.checkVisibility() && !e.closest("p"))
    .map((e) => [e.getBoundingClientRect(), e.outerHTML.slice(0, 90)])
    .filter(([box]) => box.height < 43.5 || box.width < 43.5)
    .map(([box, text]) => `${box.width}x${box.height} ${text}`)"""
HUGE = "t=8x8x32&l=f1.2.4.8.16.32.64.128&a=columns:r:m0.m1.m2.m3.m4:&v=0"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("instrument") / "workbench.html"
    path.write_text(page(), "utf-8")
    return path.as_uri()


@pytest.fixture
def tab(browser: Any, address: str) -> Iterator[Tab]:
    opened = Tab(browser, viewport={"width": 1440, "height": 900}).open(address)
    yield opened
    opened.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_one_screen_with_three_columns(browser: Any, address: str, scheme: str) -> None:
    size = {"width": 1440, "height": 900}
    tab = Tab(browser, viewport=size, color_scheme=scheme).open(address)
    tall = tab.page.evaluate("document.documentElement.scrollHeight")
    assert tall <= size["height"]
    boxes = [tab.page.locator(f".wb-{name}").bounding_box() for name in ("left", "middle", "right")]
    assert all(a["x"] + a["width"] <= b["x"] + 1 for a, b in pairwise(boxes))
    for seen in (".wb-tile.side-A", ".wb-tile.side-B", ".wb-play", ".wb-lanes svg", ".because"):
        box = tab.page.locator(seen).first.bounding_box()
        assert box["y"] + box["height"] <= size["height"], seen
    tab.close()


@pytest.mark.parametrize("width", [390, 820])
@pytest.mark.parametrize("link", ["", "i=address", "i=kernel", "y=5", "y=8", HUGE])
def test_in_one_column_all_that_is_touched_is_a_finger_wide(
    browser: Any, address: str, width: int, link: str
) -> None:
    size = {"width": width, "height": 844}
    tab = Tab(browser, viewport=size).open(f"{address}#{link}")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.page.evaluate(TOO_SMALL) == []
    tab.close()


@pytest.mark.parametrize("width", [390, 1440])
def test_an_article_stands_alone_and_an_access_that_is_none_draws_nothing(
    browser: Any, address: str, width: int
) -> None:
    tab = Tab(browser, viewport={"width": width, "height": 844}).open(f"{address}#y=hardware")
    assert not tab.page.is_visible("#instrument")
    assert tab.page.locator(".article:visible").count() == 1
    tab.go("g=gfx942")
    assert "6 lane bits" in tab.page.inner_text(".wb-accesses")
    assert not any(tab.page.is_visible(part) for part in (".wb-play", ".wb-lanes", ".wb-legend"))
    tab.close()


def test_the_keyboard_reaches_everything_and_goes_in_order(tab: Tab) -> None:
    names = []
    tab.page.focus(".brand")
    for _ in range(60):
        tab.page.keyboard.press("Tab")
        seen = "document.activeElement"
        text = f"({seen}.getAttribute('aria-label') || {seen}.textContent).trim().slice(0, 40)"
        names.append(str(tab.page.evaluate(f"`${{{seen}.tagName}} ${{{text}}}`")))
        if names[-1].startswith("BODY"):
            break
    wanted = [
        "Gallery",
        "Story",
        "Share",
        "Layout",
        "Machine",
        "Rows",
        "Layout B",
        "fold m0 into n0",
    ]
    wanted += [
        "fold m0",
        "Unswizzled",
        "Solve it",
        "Next as good",
        "A: 16 rows",
        "banks of A",
        "B: 16 rows",
    ]
    wanted += ["banks of B", "Play", "passes gone by", "Register step", "Enlarge", "lanes"]
    wanted += ["store", "edit store", "read", "Show the algebra", "Build it", "copy CuTe"]
    places = [next(i for i, name in enumerate(names) if text in name) for text in wanted]
    assert places == sorted(places), names
    tab.page.get_by_role("radio", name="Layout", exact=True).focus()
    tab.page.keyboard.press("ArrowRight")
    assert "i=address" in tab.link()
    assert tab.page.evaluate("document.activeElement.textContent") == "Address"
    tab.page.keyboard.press("Control+z")
    tab.until("!location.hash.includes('address')")
    assert tab.page.get_by_role("radio", name="Layout").get_attribute("aria-checked") == "true"


def words_left(masks: tuple[int, ...], gone: int) -> list[int]:
    """Words that each bank of the read has to serve after some passes, counted by hand."""
    wanted: dict[int, set[int]] = {}
    for lane in range(32):
        m, n = lane % 16, lane // 16
        slot = n
        for bit, mask in enumerate(masks):
            slot ^= mask * (m >> bit & 1)
        wanted.setdefault(slot, set()).add(32 * m + slot)
    return [max(0, len(wanted.get(bank, ())) - gone) for bank in range(32)]


def bars(tab: Tab, side: str) -> list[int]:
    """The bars of a side, in words: as tall as they are drawn."""
    heights = tab.page.eval_on_selector_all(
        f"[data-side={side}] [data-bank]", "all => all.map((e) => Number(e.getAttribute('height')))"
    )
    return [round(height / 6) for height in heights]


def test_words_leave_bank_by_bank_sixteen_passes_against_one(tab: Tab) -> None:
    slider = tab.page.get_by_label("passes gone by")
    assert slider.get_attribute("max") == "16"
    for gone in (0, 1, 5, 16):
        slider.fill(str(gone))
        assert tab.number("passed") == gone
        assert bars(tab, "A") == words_left((0, 0, 0, 0), gone)
        assert bars(tab, "B") == words_left((2, 4, 8, 16), gone)
    assert "k=16" in tab.link()
    tab.press("▶ Play")
    tab.until("document.querySelector('.wb-play .primary').textContent.includes('Play')")
    assert tab.number("passed") == 16, "it stops when the last word has left"
    tab.press("Whole")
    assert "k=" not in tab.link()


@pytest.mark.parametrize(
    ("target", "instruction", "before", "after"),
    [
        ("sm_90", "ldmatrix.x4", "lane*128", "lane*128 ^ lane%8*16"),
        ("gfx942", "ds_read_b64", "(lane%16)*256 + lane/16*8", "(lane%16)*264 + lane/16*8"),
        ("gfx950", "ds_read_b128", "lane*128", "lane*144"),
        ("gfx942", "ds_read2_b32", "lane*8", "lane*256"),
    ],
)
def test_an_address_is_counted_before_and_after(
    tab: Tab, target: str, instruction: str, before: str, after: str
) -> None:
    tab.go(f"i=address&g={target}&e={quote(f'{instruction}:{before}:{after}')}")
    gpu = machine(target)
    lane = np.arange(gpu.wave_size)
    for side, text in (("A", before), ("B", after)):
        offsets = eval(text.replace("/", "//"), {"lane": lane})
        assert tab.number(f"address-{side}") == count(gpu.instruction(instruction), offsets).passes


def test_an_address_that_is_none_is_refused_in_words(tab: Tab) -> None:
    for text, said in (("lane*", "the end"), ("lane - 9", "before the tile"), ("1", "multiple")):
        tab.go(f"i=address&e={quote(f'ld.shared.b32:{text}:4*lane')}")
        assert said in str(tab.page.text_content(".wb-why .error"))
    tab.go("i=address&e=ds_read_b32:lane:lane")
    assert "no instruction" in str(tab.page.text_content(".wb-why .error"))


def test_a_layout_is_typed_in_any_notation_and_copied_in_every_other(tab: Tab) -> None:
    tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
    field = tab.page.get_by_label("Layout B, in any notation")
    for text, cost, aside in (
        ("Swizzle<4,0,5>", 2, "its bits count elements of 32 bits"),
        ("Swizzle<3,4,3>", None, "an offset of this tile has 9 bits: 2 of 3 are swizzled"),
        ("row * 33 + col", 2, ""),
        ("float tile[32][33]", 2, ""),
        ("(t*33 + c)*4", 2, ""),
        ("x ^ (x >> 4 & 30)", 1, ""),
    ):
        field.fill(text)
        field.press("Enter")
        said = str(tab.page.text_content(".wb-notation [role=status]"))
        assert said.startswith("read as "), text
        assert aside in said
        assert cost is None or tab.number("passes-read") == cost, text
    field.fill("x // 2")
    field.press("Enter")
    assert "two elements" in str(tab.page.text_content(".wb-notation [role=status]"))
    assert tab.number("passes-read") == 1, "the layout is left alone"
    tab.page.get_by_label("copy CuTe").click()
    tab.page.get_by_role("button", name="copy CuTe").get_by_text("copied").wait_for()
    assert tab.page.evaluate("navigator.clipboard.readText()") == "Sw<4,1,4> o 0 o (16,32):(32,1)"
    tab.page.get_by_role("button", name="Share", exact=True).click()
    tab.until("document.querySelector('.actions').textContent.includes('copied')")
    assert tab.page.evaluate("navigator.clipboard.readText()") == tab.link()


def test_tiles_reach_256_by_256(tab: Tab) -> None:
    tab.go(HUGE)
    assert tab.number("passes-columns") == 1
    assert tab.number("before-columns") == 32
    pixels = tab.page.evaluate(
        """(cells) => {
        const canvas = document.querySelector(".wb-tile.side-B");
        const [left, top] = [canvas.width - 257, canvas.height - 257];
        const pen = canvas.getContext("2d");
        return cells.map(([m, n]) => pen.getImageData(left + n, top + m, 1, 1).data.join());
    }""",
        [[200, 200 % 32], [255, 255 % 32], [200, 1 ^ 200 % 32]],
    )
    assert pixels[0] == pixels[1] != pixels[2], "cells of one bank have one colour"


READ: dict[str, Callable[[str], Any] | None] = {
    "Sw<2,1,4> o 0 o (16,32):(32,1)": lambda t: cute.memory(cute.parse(t)),
    "(16,32):(36,1)": lambda t: cute.memory(cute.parse(t)),
    "#iree_codegen.xor_shuffle<32, 4>": lambda t: Mapped((16, 32), iree.swizzle(t)),
    "#iree_codegen.xor_shuffle<16, 2, 32, 2>": lambda t: Mapped((16, 32), iree.swizzle(t)),
    "#iree_codegen.rotate_rows<32, 4>": lambda t: Mapped((16, 32), iree.swizzle(t)),
    "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [1, 0]}>": None,
    "#ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>": None,
    "#ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>": None,
    "swizzle<[16, 32], unit = 4, max_phase = 8>": wave.parse_swizzle,
}
PLACED: dict[str, Callable[[int, int], int]] = {
    "float tile[32][33]": lambda r, c: 33 * r + c,
    "tile[16][33]": lambda r, c: 33 * r + c,
    "__shared__ unsigned s[2][8][32 + 1];": lambda r, c: 33 * r + c,
    "(row*33+col)*4": lambda r, c: 33 * r + c,
    "(t*36 + c)*4": lambda r, c: 36 * r + c,
    "threadIdx.y*33 + threadIdx.x": lambda r, c: 33 * r + c,
    "y*33 + x": lambda r, c: 33 * r + c,
    "a + b*32": lambda r, c: 32 * r + c,
    "(x ^ (x >> 5 & 7))*4": lambda r, c: 32 * r + (c ^ (r & 7)),
    "col*16 + row": lambda r, c: 16 * c + r,
    "col*16 + row*4096/4096": lambda r, c: 16 * c + r,
    "Swizzle<3,4,3>": lambda r, c: 32 * r + c ^ (32 * r + c & 0x380) >> 3,
}
"""Of row and column; the tile has 16 rows of 32 floats."""
REFUSED = {
    "float tile[8][33]": "8 rows of 33",
    "half tile[32][33]": "half has 16 bits",
    "tile[512]": "rows and columns",
    "tile[16][N]": "in figures",
    "lane*132": "lane",
    "#ttg.swizzled_shared<{vec = 4, perPhase = 2, maxPhase = 4, order = [0, 1]}>": "order",
    "#ttg.padded_shared<[32:+4, 128:+8] {order = [1, 0], shape = [16, 32]}>": "padding",
    "swizzle<[32, 32], unit = 4, max_phase = 8>": "32 by 32",
    "(32,32):(32,1)": "32 by 32",
    "Swizzle<3,0,2>": "Swizzle",
    "xor_shuffle<row_width = 32, access_width = 4>": "numbers alone",
    "0": "one place",
    "x * 3": "not drawn",
    "hello": "hello",
    "#ttg.swizzled_shared<{vec = 4}>": "perPhase",
}


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_notations_mean_what_python_reads_and_strange_ones_are_refused(tmp_path: Path) -> None:
    asked = [*READ, *PLACED, *REFUSED]
    (tmp_path / "asked.json").write_text(json.dumps(asked), "utf-8")
    command = ["node", *map(str, (HERE / "js" / "reading.mjs", tmp_path / "asked.json", STATIC))]
    answers = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    everything = points((16, 32))
    for text, answer in zip(asked, answers, strict=True):
        if text in REFUSED:
            assert REFUSED[text] in answer["error"], text
            continue
        if text in PLACED:
            placed = [PLACED[text](row, column) for row in range(16) for column in range(32)]
            assert answer["places"] == placed, text
            continue
        read = READ[text] or (lambda t: triton.memory(triton.parse_shared(t), (16, 32)))
        assert answer["places"] == read(text).offsets(everything).tolist(), text
