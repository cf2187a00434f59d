"""Kernels and reports in a real browser: checked, fixed, refused in words."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bankwise.ask.certify import certify
from bankwise.ask.check import check_file
from bankwise.ask.fix import fix_file
from bankwise.ask.solve import solve
from bankwise.ask.spec import check_spec
from bankwise.ask.spec_solve import solve_question
from bankwise.counting.conflict import count
from bankwise.hardware.machine import machine
from bankwise.read.formats import FORMATS
from bankwise.read.options import Judges, Options
from bankwise.show.documents.checking import check_document, spec_document
from bankwise.show.documents.fixing import fix_document
from bankwise.show.schema import plain
from bankwise.workbench.page import html, page
from bankwise.workbench.server import Server
from isa_texts import amd_text
from workbench_browser import Tab, chromium

EXAMPLES = Path(__file__).parent.parent / "examples"
KERNEL = EXAMPLES / "ldmatrix_sm80" / "ldmatrix.mlir"
SPEC = EXAMPLES / "ck_transpose" / "01.toml"
SLOW_MS = 60_000

THREE_LANES = ("m1 m2 m3 m4 m5", "n0 m4 m3 n1 m5", "n2 n1 m5 m0 m4")
"""Three reads of a 64x8 tile of f32 that only a layout which permutes rows can all free."""
THREE_PROBLEM = {
    "machine": "sm_90",
    "tile": {"shape": [64, 8], "element_bits": 32},
    "access": [{"name": f"a{i}", "op": "read", "lanes": x} for i, x in enumerate(THREE_LANES)],
}
THREE = "#t=3x6x32&a=" + ",".join(
    f"a{i}:r:{x.replace(' ', '.')}:" for i, x in enumerate(THREE_LANES)
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as running:
        yield running


@pytest.fixture
def served(browser: Any) -> Iterator[Tab]:
    """The served page. What it asks of anybody but its server is cut off, and fails the test."""
    server = Server()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    tab, foreign = Tab(browser), []

    def watch(route: Any) -> None:
        own = route.request.url.startswith(server.address.partition("?")[0])
        if not own:
            foreign.append(route.request.url)
        route.continue_() if own else route.abort()

    tab.context.route("**/*", watch)
    tab.open(server.address)
    kernel(tab)
    yield tab
    tab.close()
    server.shutdown()
    server.close()
    assert foreign == []
    assert tab.requests, "nothing was asked at all: the watch is blind"


@pytest.fixture(scope="module")
def fixed() -> dict[str, Any]:
    return plain(
        fix_document(fix_file(KERNEL, Options(), Judges(execute=False, isa=False)), lanes=True)
    )


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return plain(check_document(check_file(KERNEL, Options())))


def kernel(tab: Tab) -> None:
    """Choose the kernel as what is put in."""
    tab.page.get_by_role("radio", name="Kernel", exact=True).click()


def press(tab: Tab, text: str) -> None:
    tab.page.locator("#kernel").get_by_role("button", name=text, exact=True).click()


def test_a_pasted_kernel_is_checked(served: Tab, document: dict[str, Any]) -> None:
    served.page.fill("#kernel textarea", KERNEL.read_text())
    press(served, "Check")
    served.page.wait_for_selector('[data-claim="report-extra"]', timeout=SLOW_MS)
    assert served.number("report-extra") == document["totals"]["run"]["extra"] > 0
    bad = [a for a in document["accesses"] if a["run"]["extra"] > 0]
    wanted = {f"line {a['location']['line']}: {a['ways']}-way" for a in bad}
    marks = served.page.locator(".heat a[href]")
    assert {mark.get_attribute("aria-label") for mark in marks.all()} == wanted != set()


def test_the_token_leaves_the_address_and_lasts_as_long_as_the_tab(served: Tab) -> None:
    assert "token" not in served.page.url
    served.until("location.hash === '#i=kernel'")  # the address follows late
    served.page.reload()
    served.page.fill("#kernel textarea", KERNEL.read_text())
    press(served, "Check")
    served.page.wait_for_selector('[data-claim="report-extra"]', timeout=SLOW_MS)


def test_the_first_step_is_undone_where_the_token_was(served: Tab) -> None:
    served.page.get_by_role("radio", name="Layout", exact=True).click()
    served.press("Unswizzled")
    assert served.number("passes-read") == 16
    for _ in range(3):
        served.link()
        served.press("Undo")
        served.page.wait_for_timeout(100)
    served.until("document.querySelector('.actions').children[2].disabled")
    assert served.link().partition("#")[2] == ""
    assert served.number("passes-read") == 1


def test_an_address_without_a_token_says_where_one_is(browser: Any, served: Tab) -> None:
    other = Tab(browser).open(served.page.url.partition("#")[0])
    kernel(other)
    other.page.fill("#kernel textarea", KERNEL.read_text())
    press(other, "Check")
    assert "open the one that" in other.page.inner_text("#kernel .result")
    other.close()


def test_what_is_pasted_is_understood_by_its_content(served: Tab) -> None:
    folder = Path(__file__).parent / "data"
    said = "document.querySelector('.what-is').textContent"
    button = served.page.locator("#kernel").get_by_role("button", name="Fix", exact=True)
    served.page.fill("#kernel textarea", (folder / "sass" / "triton_transpose.sass").read_text())
    served.until(f"{said}.includes('SASS')")
    assert button.is_disabled()
    assert served.page.is_visible("#kernel input[aria-label='workgroup size']")
    served.page.fill("#kernel textarea", SPEC.read_text())
    served.until(f"{said}.includes('question')")
    assert served.page.is_hidden("#kernel input[aria-label='workgroup size']")
    served.page.fill("#kernel textarea", "#include <cuda_fp16.h>\n__global__ void k() {}\n")
    served.until(f"{said}.includes('no page compiles it')")
    assert button.is_disabled()
    ptx = (folder / "profile" / "tiles.ptx").read_text().splitlines()
    silent = "\n".join(line for line in ptx if ".maxntid" not in line)
    served.page.fill("#kernel textarea", silent)
    served.until(f"{said}.includes('PTX')")
    assert button.is_enabled()
    press(served, "Check")
    served.until(f"{said}.includes('guessed')", SLOW_MS / 1000)
    focused = served.page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert focused == "workgroup size", "what the text does not say is asked for"


def test_a_pasted_ptx_is_checked_with_the_size_that_is_typed(served: Tab) -> None:
    """nvcc writes no workgroup size without launch bounds."""
    path = Path(__file__).parent / "data" / "profile" / "tiles.ptx"
    served.page.fill("#kernel textarea", path.read_text())
    served.page.fill("#kernel input[aria-label='workgroup size']", "128,1,1")
    press(served, "Check")
    served.page.wait_for_selector('[data-claim="report-extra"]', timeout=SLOW_MS)
    report = check_file(path, Options(workgroup_size="128,1,1"))
    assert served.number("report-extra") == report.ranked[0].totals.run.extra > 0
    served.page.fill("#kernel input[aria-label='workgroup size']", "")


def test_the_page_names_what_the_table_of_formats_says(served: Tab) -> None:
    shown = served.page.get_attribute("#kernel textarea", "placeholder") or ""
    texts = [one for one in FORMATS if {"check", "solve"} & set(one.verbs) and not one.binary]
    assert len(texts) > 5
    assert [one for one in texts if (str(one) in shown) is one.compiled] == []


def test_a_dropped_kernel_is_checked_under_its_name(served: Tab) -> None:
    served.page.evaluate(
        """(text) => {
          const data = new DataTransfer();
          data.items.add(new File([text], "dropped.mlir"));
          document.getElementById("kernel")
            .dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
        }""",
        KERNEL.read_text(),
    )
    served.page.wait_for_selector('[data-claim="report-extra"]', timeout=SLOW_MS)
    assert "dropped.mlir" in str(served.page.text_content("#kernel .place"))


def test_a_fixed_kernel_shows_how_far_it_is_then_both_sides_and_the_patch(served: Tab) -> None:
    served.page.evaluate(
        """() => {
          window.seen = [];
          new MutationObserver(() => {
            const bar = document.querySelector(".job progress[value]");
            if (bar) window.seen.push(bar.value);
          }).observe(document.getElementById("kernel"), {subtree: true, attributes: true});
        }"""
    )
    served.page.fill("#kernel textarea", KERNEL.read_text())
    press(served, "Fix")
    served.page.wait_for_selector('[data-claim="fix-after"]', timeout=SLOW_MS)
    seen = served.page.evaluate("seen")
    assert seen, "how far it is was shown"
    assert seen == sorted(seen), "progress never goes back"
    assert 0 < min(seen) <= max(seen) <= 1
    assert served.number("fix-after") == 0
    assert "arith.xori" in str(served.page.text_content("#kernel .patch"))
    assert "bit-identical" in str(served.page.text_content("#kernel .verdicts"))


def test_a_broken_kernel_is_refused_with_its_line(served: Tab) -> None:
    served.page.fill("#kernel textarea", "module {\n  func.func @x( {\n")
    press(served, "Check")
    served.page.wait_for_selector("#kernel .error", timeout=SLOW_MS)
    assert "pasted.mlir:2" in str(served.page.text_content("#kernel .error"))


def test_a_pasted_spec_is_checked_and_solved(served: Tab) -> None:
    served.page.fill("#kernel textarea", SPEC.read_text())
    press(served, "Check")
    served.page.wait_for_selector('[data-figure="spec-tile"] svg', timeout=SLOW_MS)
    press(served, "Solve")
    served.page.wait_for_selector('#kernel [data-claim="solve-passes"]', timeout=SLOW_MS)
    best = solve_question(SPEC).report
    assert served.number("solve-passes") == best.total_passes
    assert best.certificate is not None


def test_the_solver_behind_the_page_goes_beyond_row_folds(served: Tab) -> None:
    served.page.goto(f"{served.page.url.partition('#')[0]}{THREE}")
    folds = int(re.search(r": (\d+) passes", said_by_solve_it(served))[1])  # type: ignore[index]
    served.press("Ask the solver")
    served.page.wait_for_selector('#ask [data-claim="solve-passes"]', timeout=SLOW_MS)
    optimum = solve(THREE_PROBLEM).total_passes
    assert served.number("solve-passes") == optimum < folds
    assert "l=x" in served.link(), "a row fold cannot be what was found"
    names = ("a0", "a1", "a2")
    assert sum(served.number(f"passes-{name}") for name in names) == optimum
    assert served.page.query_selector("#ask .certificate") is not None


def said_by_solve_it(tab: Tab) -> str:
    tab.press("Solve it")
    return str(tab.page.text_content(".wb-solver .hint"))


def test_a_running_job_can_be_stopped_from_the_page(served: Tab) -> None:
    served.page.fill("#kernel textarea", KERNEL.read_text())
    press(served, "Fix")
    served.page.get_by_role("button", name="Stop", exact=True).click()
    served.page.wait_for_selector("#kernel .error", timeout=SLOW_MS)
    assert served.page.text_content("#kernel .error") == "stopped"


def test_a_file_that_is_too_large_is_refused_on_the_page(served: Tab) -> None:
    served.page.evaluate(
        """() => {
          const data = new DataTransfer();
          data.items.add(new File([new Uint8Array((4 << 20) + 1)], "large.mlir"));
          document.getElementById("kernel")
            .dispatchEvent(new DragEvent("drop", {dataTransfer: data, bubbles: true}));
        }"""
    )
    assert "larger than 4 MiB" in str(served.page.text_content("#kernel .error"))


def test_without_a_server_a_report_can_be_pasted(
    browser: Any, tmp_path: Path, document: dict[str, Any]
) -> None:
    (tmp_path / "page.html").write_text(page(), "utf-8")
    tab = Tab(browser).open((tmp_path / "page.html").as_uri())
    kernel(tab)
    tab.page.fill("#kernel textarea", json.dumps(document))
    press(tab, "Check")
    assert tab.number("report-extra") == document["totals"]["run"]["extra"]
    tab.page.fill("#kernel textarea", "module {}")
    press(tab, "Check")
    assert "bankwise workbench" in str(tab.page.text_content("#kernel .error"))
    tab.close()


def opened(browser: Any, folder: Path, document: dict[str, Any], source: str = "") -> Tab:
    """A report as a page of its own; it may ask nobody for anything."""
    target = folder / "report.html"
    target.write_text(html(document, source), "utf-8")
    tab = Tab(browser).open(target.as_uri())
    assert tab.requests == [target.as_uri()]
    return tab


def test_a_report_is_a_page_of_its_own(
    browser: Any, tmp_path: Path, document: dict[str, Any]
) -> None:
    tab = opened(browser, tmp_path, document, KERNEL.read_text())
    for number, access in enumerate(document["accesses"]):
        assert tab.number(f"access-{number}-passes") == access["run"]["passes"]
    tab.page.locator(".looked tbody tr:not(.group)").first.hover()
    line = document["accesses"][0]["location"]["line"]
    lit = tab.page.locator(f'[data-source-line="{line}"]')
    assert "lit" in str(lit.get_attribute("class"))
    assert lit.get_attribute("data-mark") == f"{document['accesses'][0]['ways']}-way"
    tab.close()


def test_without_its_lanes_a_report_still_shows_the_witness(
    browser: Any, tmp_path: Path, document: dict[str, Any]
) -> None:
    tab = opened(browser, tmp_path, document)
    witness = document["accesses"][0]["witness"]
    shown = tab.page.locator(".lens .witness")
    assert witness["text"] in str(shown.text_content())
    lanes = [e.text_content() for e in shown.locator("text").all()][::2]
    assert lanes == [f"lane {lane}" for lane in witness["lanes"]]
    tab.close()


def in_lens(tab: Tab) -> list[int]:
    """The lanes on the boxes of the lens, one for every word."""
    return [int(str(e.get_attribute("data-lane"))) for e in tab.page.locator(".lens rect").all()]


def test_the_lens_shows_the_lanes_of_the_row_that_is_pointed_at_or_focused(
    browser: Any, tmp_path: Path
) -> None:
    report = check_file(KERNEL, Options())
    document = plain(check_document(report, lanes=True))
    tab = opened(browser, tmp_path, document)
    free = next(i for i, a in enumerate(document["accesses"]) if not a["run"]["extra"])
    for number in (0, free):
        row = tab.page.locator(".looked tbody tr:not(.group)").nth(number)
        if number:
            row.focus()
        else:
            row.hover()
        lanes = report.accesses[number].lanes
        assert lanes is not None
        row_of = machine("sm_80").instruction(lanes.instruction)
        counted = count(row_of, np.array(lanes.offsets_bytes), np.array(lanes.active))
        assert tab.number(f"lens-{number}-passes") == int(counted.passes)
    tab.page.locator(".looked tbody tr:not(.group)").first.hover()
    assert set(document["accesses"][0]["witness"]["lanes"]) == set(in_lens(tab))
    tab.close()


def test_both_addresses_of_a_two_address_form_are_shown(browser: Any, tmp_path: Path) -> None:
    body = "\tv_lshlrev_b32_e32 v1, 7, v0\n\tds_read2_b64 v[2:5], v1 offset1:4"
    (tmp_path / "two.s").write_text(amd_text(body), "utf-8")
    report = check_file(tmp_path / "two.s", Options(workgroup_size="64,1,1"))
    document = plain(check_document(report, lanes=True))
    tab = opened(browser, tmp_path, document)
    assert "32 B apart" in str(tab.page.text_content(".looked tbody"))
    tab.page.set_viewport_size({"width": 1100, "height": 800})  # All banks side by side.
    offsets = 128 * np.arange(64)
    counted = count(
        machine("gfx942").instruction("ds_read2_b64"), offsets, second_offsets_bytes=offsets + 32
    )
    assert tab.number("lens-0-passes") == int(counted.passes)
    banks = {}
    for address in ("1st", "2nd"):
        tab.page.locator(".lens [role=radio]").filter(has_text=f"{address} address").first.click()
        banks[address] = tab.page.eval_on_selector_all(
            ".lens rect", "(all) => [...new Set(all.map((r) => Number(r.getAttribute('x'))))]"
        )
    wide = tab.page.get_attribute(".lens .stage svg", "width")
    step = int(wide or 0) / 32
    assert [round(x / step) for x in sorted(banks["1st"])] == [0, 1]
    assert [round(x / step) for x in sorted(banks["2nd"])] == [8, 9]
    tab.close()


def test_the_certificate_of_a_page_passes_the_judge(
    browser: Any, tmp_path: Path, fixed: dict[str, Any]
) -> None:
    tab = opened(browser, tmp_path, fixed)
    stated = fixed["changes"][0]["certificate"]
    certificate = tab.page.locator(".change .certificate").first
    certificate.locator("summary").click()
    assert tab.number("certificate-passes") == stated["total_passes"]
    with tab.page.expect_download() as saved:
        certificate.get_by_role("button", name="Save certificate").click()
    path = tmp_path / saved.value.suggested_filename
    saved.value.save_as(path)
    assert json.loads(path.read_text()) == stated
    assert certify(path)[1].accepted
    assert f"bankwise certify {path.name}" in str(certificate.text_content())
    tab.close()


def test_a_certificate_can_be_copied(browser: Any, tmp_path: Path, fixed: dict[str, Any]) -> None:
    (tmp_path / "r.html").write_text(html(fixed), "utf-8")
    tab = Tab(browser, permissions=["clipboard-read", "clipboard-write"])
    tab.open((tmp_path / "r.html").as_uri())
    certificate = tab.page.locator(".change .certificate").first
    certificate.locator("summary").click()
    certificate.get_by_role("button", name="Copy certificate").click()
    certificate.get_by_text("copied").wait_for()
    held = json.loads(tab.page.evaluate("navigator.clipboard.readText()"))
    assert held == fixed["changes"][0]["certificate"]
    tab.close()


def test_counters_stand_beside_the_prediction(
    browser: Any, tmp_path: Path, document: dict[str, Any]
) -> None:
    cost = {"passes": 40, "ideal": 8, "extra": 32}
    row = {"what": "conflicts", "counter": "c", "exact": True, "per_workgroup": 4, "cause": "L1"}
    kernel = {"kernel": "k", "measured_as": "k_0", "launches": 2, "workgroups": 8, "scale": "grid"}
    kernel |= {"agrees": False, "worth": None, "notes": ["a remark"]}
    kernel["rows"] = [{**row, "predicted": 32, "measured": 35.0, "difference": 3.0}]
    place = {"file": "k.mlir", "line": 7, "column": 3}
    one = {
        "location": place,
        "instruction": "ld",
        "address": "0x40",
        "text": "LDS R0",
        "source": None,
    }
    kernel["instructions"] = [{**one, "predicted": cost, "measured": cost, "cause": "agrees"}]
    counters = {"file": "p.csv", "tool": "ncu", "kernels": [kernel], "notes": []}
    tab = opened(browser, tmp_path, {**document, "counters": counters})
    assert tab.claim("counters-0") == "false"
    assert tab.number("predicted-0-c") == 32
    assert tab.number("measured-0-c") == 35
    text = str(tab.page.text_content(".counters"))
    for said in ("+3", "L1", "7:3", "0x40 LDS R0", "a remark", "k_0"):
        assert said in text
    tab.close()


def test_a_finding_is_named_and_its_line_marked(
    browser: Any, tmp_path: Path, document: dict[str, Any]
) -> None:
    place = {"file": "kernel.mlir", "line": 2, "column": 1}
    found = {"rule": "offset-after-xor", "location": place, "message": "added behind the XOR"}
    tab = opened(browser, tmp_path, {**document, "findings": [found]}, "one\ntwo\nthree\n")
    shown = tab.page.locator('[data-rule="offset-after-xor"]')
    assert "added behind the XOR" in str(shown.text_content())
    assert "bankwise explain offset-after-xor" in str(shown.text_content())
    assert tab.page.locator('[data-source-line="2"]').get_attribute("data-mark") == found["rule"]
    tab.close()


def test_a_spec_is_a_page_with_its_tile_coloured_by_bank(browser: Any, tmp_path: Path) -> None:
    report = check_spec(SPEC)
    document = plain(spec_document(report, lanes=True))
    tab = opened(browser, tmp_path, document, SPEC.read_text())
    figure = tab.page.locator('[data-figure="spec-tile"]')
    cells = tab.page.eval_on_selector_all(
        '[data-figure="spec-tile"] svg text', "(all) => all.map((e) => e.textContent)"
    )[: 64 * 32]
    m, k = np.divmod(np.arange(64 * 32), 32)
    assert cells == [str(bank) for bank in (2 * (32 * m + k) // 4 % 32)]
    for number, access in enumerate(document["accesses"]):
        assert tab.number(f"access-{number}-passes") == access["run"]["passes"]
    text = str(figure.locator("figcaption").text_content())
    assert f"{document['accesses'][0]['ways']} of them meet on one bank" in text
    figure.get_by_role("radio", name="write").click()
    assert "none of them collide" in str(figure.locator("figcaption").text_content())
    assert "3,670,016" in str(tab.page.text_content(".published"))
    tab.close()


def test_a_fix_report_pairs_every_access_with_itself(
    browser: Any, tmp_path: Path, fixed: dict[str, Any]
) -> None:
    target = tmp_path / "fix.html"
    target.write_text(html(fixed), "utf-8")
    tab = Tab(browser).open(target.as_uri())
    shown = tab.page.eval_on_selector_all(
        ".looked tbody tr:not(.group)", "rows => rows.map((r) => r.children[5].textContent)"
    )
    after = sorted(a["run"]["passes"] for a in fixed["after"]["accesses"])
    assert sorted(int(text.replace(",", "")) for text in shown) == after
    tab.close()


def test_the_fix_of_a_model_shows_every_dispatch(
    browser: Any, tmp_path: Path, fixed: dict[str, Any]
) -> None:
    refused = {"location": None, "reason": "could not be lowered"}
    model = {"schema": "bankwise.fix-model/1", "dispatches": [fixed, fixed], "files": []}
    tab = opened(browser, tmp_path, {**model, "refusals": [refused], "notes": ["two of three"]})
    assert len(tab.page.query_selector_all('[data-claim="fix-after"]')) == 2
    text = str(tab.page.text_content("#kernel"))
    assert "could not be lowered" in text
    assert "two of three" in text
    tab.close()
