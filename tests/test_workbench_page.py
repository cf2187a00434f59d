"""The page is one small file that asks nobody for anything."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from bankwise.errors import InputError
from bankwise.workbench import facts
from bankwise.workbench.page import html, lean, page, script
from bankwise.workbench.widget import workbench

LIMIT_BYTES = 375_000
STATIC = Path(facts.__file__).parent / "static"
HOSTILE = "</script><script>alert(1)</script><!--"


def test_the_page_is_under_375_kb() -> None:
    assert len(page().encode()) < LIMIT_BYTES


def test_a_report_is_smaller_than_the_page_around_it() -> None:
    assert len(html({"schema": "bankwise.check/1"}).encode()) < len(page().encode())


def test_what_is_left_out_is_comments_and_indentation_alone() -> None:
    text = "a = 1;\n  /** two\n   * lines */\n  b = 2; // kept\n    // gone\nc = `x // y`;\n"
    assert lean(text) == "a = 1;\nb = 2; // kept\nc = `x // y`;\n"


def test_a_literal_that_spans_lines_keeps_its_spaces() -> None:
    text = "  a = `one\n    two`;\n    b = `${`3`}\n  four`;\n  c;\n"
    assert lean(text) == "a = `one\n    two`;\nb = `${`3`}\n  four`;\nc;\n"
    for path in STATIC.rglob("*.js"):
        signs = lean(path.read_text("utf-8")).count("`")
        assert signs % 2 == 0, f"{path}: where its literals end cannot be told from the signs"


def test_a_report_carries_the_machines_that_it_names_and_no_other() -> None:
    kernel = {"target": "gfx942"}
    check = {"schema": "bankwise.check/1", "kernels": [kernel]}
    other = {"schema": "bankwise.check/1", "kernels": [{"target": "sm_90"}]}
    assert machines_of(html(check)) == {"gfx942"}
    fix = {"schema": "bankwise.fix/1", "before": check, "after": check}
    assert machines_of(html(fix)) == {"gfx942"}
    model = {"dispatches": [fix, {"before": other, "after": other}]}
    assert machines_of(html(model)) == {"gfx942", "sm_90"}
    assert machines_of(html({"schema": "bankwise.solve/1", "before": other})) == {"sm_90"}


def machines_of(text: str) -> set[str]:
    carried = re.search(r'id="machines">(.*?)</script>', text, re.DOTALL)
    assert carried is not None
    return {machine["name"] for machine in json.loads(carried[1])["machines"]}


def test_the_page_names_no_address_but_the_svg_namespace_and_the_gallerys_sources() -> None:
    named = set(re.findall(r"\bhttps?://[^\s\"'`]+", page()))
    gallery = json.loads((STATIC / "gallery.json").read_text("utf-8"))
    assert named == {"http://www.w3.org/2000/svg", *(one["source"] for one in gallery)}


def test_the_policy_of_the_page_allows_its_own_script_alone() -> None:
    text = page()
    inline = re.search(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    assert inline is not None
    digest = base64.b64encode(hashlib.sha256(inline[1].encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert f"script-src 'sha256-{digest}'" in policy[1]
    assert "default-src 'none'" in policy[1]


def test_a_page_says_whether_a_server_stands_behind_it() -> None:
    assert 'name="bankwise-server" content=""' in page()
    assert 'name="bankwise-server" content="yes"' in page("yes")


def test_a_page_asks_for_what_it_reads_and_for_no_source() -> None:
    asked = re.search(r'name="bankwise-formats" content="([^"]*)"', page("yes"))
    assert asked is not None
    assert {"PTX", "SASS"} <= set(asked[1].split(", "))
    assert "CUDA source" not in asked[1]


def test_no_module_ends_the_script_element() -> None:
    assert "</script" not in script()
    assert "<!--" not in script()


def test_a_hostile_name_in_a_report_stays_text() -> None:
    text = html({"schema": "bankwise.check/1", "file": HOSTILE}, HOSTILE)
    assert HOSTILE not in text
    carried = re.search(r'id="report">(.*?)</script>', text, re.DOTALL)
    assert carried is not None
    assert json.loads(carried[1]) == {
        "document": {"schema": "bankwise.check/1", "file": HOSTILE},
        "source": HOSTILE,
    }


def test_a_slot_in_a_kernel_is_not_filled() -> None:
    assert "@@style@@" in html({"schema": "bankwise.check/1"}, "@@style@@")


def test_the_widget_carries_the_page() -> None:
    pytest.importorskip("anywidget", reason="the extra [notebook] is not installed")
    assert workbench().page == page()


def test_without_the_extra_the_widget_names_it() -> None:
    if find_spec("anywidget") is not None:
        pytest.skip("the extra [notebook] is installed")
    with pytest.raises(InputError, match=r"bankwise\[notebook\]"):
        workbench()
