"""Laws of the words of frameworks: what a verb prints, reads back as the map that it names.

Everything through the command line. A layout is read back by the page of ``check SPEC --format
html``, which says where each element lies.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from command import bankwise
from readback import Tile, meant, placed, read_back, solved

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
SPECS = tuple(
    sorted(
        str(p.relative_to(EXAMPLES).with_suffix(""))
        for folder in ("ck_transpose", "mfma_readback", "transpose_16x32")
        for p in (EXAMPLES / folder).glob("*.toml")
    )
)
PROBLEMS = tuple(sorted(f"solve/{p.stem}" for p in (EXAMPLES / "solve").glob("*.toml")))
FRAMEWORKS = ("cute", "triton", "iree", "wave", "ck")
NOTATIONS = ("ck", "iree", "iree rotate_rows", "padding", "wave", "triton", "cute", "linear")


def tile_of(name: str) -> Tile:
    """The tile of an example: of a problem (a table) or of a spec (sizes and names)."""
    stated = tomllib.loads((EXAMPLES / f"{name}.toml").read_text("utf-8"))
    table = stated["tile"] if isinstance(stated["tile"], dict) else stated
    sizes = table["shape"] if "shape" in table else table["tile"]
    names = table.get("dims", ["m", "n"][-len(sizes) :])
    bits = table["element_bits"]
    return Tile(stated["machine"], tuple(zip(names, sizes, strict=True)), bits)


def answer(name: str) -> dict[str, Any]:
    return solved(EXAMPLES / f"{name}.toml")


def refused(text: str) -> bool:
    """Whether an emitted text is none, but says that there is none."""
    return text.startswith(("not a member", "not found among"))


def pairs(names: tuple[str, ...], others: tuple[str, ...]) -> list[Any]:
    """All pairs as parameters."""
    return [pytest.param(name, other, id=f"{name}-{other}") for name in names for other in others]


@pytest.mark.parametrize(("name", "notation"), pairs(SPECS, NOTATIONS))
def test_a_text_of_the_optimum_reads_back_as_the_optimum(
    name: str, notation: str, tmp_path: Path
) -> None:
    found = answer(name)
    said = {n["notation"]: n for n in found.get("notations", ())}
    text = said[notation]["text"] if notation in said else None
    if text is None:
        pytest.skip("no text is offered")
    tile = tile_of(name)
    assert read_back(tile, text, tmp_path) == meant(tile, found["layout"]["offset"])


@pytest.mark.parametrize("name", SPECS)
def test_every_optimum_is_offered_in_some_framework(name: str) -> None:
    found = answer(name)
    if not found["layout"]:
        pytest.skip("no layout is found")
    said = {n["notation"] for n in found["notations"] if n["text"]}
    assert "linear" in said
    assert said & set(FRAMEWORKS)


@pytest.mark.parametrize(("name", "framework"), pairs((*SPECS, *PROBLEMS), FRAMEWORKS))
def test_an_emitted_text_reads_back_as_the_optimum(
    name: str, framework: str, tmp_path: Path
) -> None:
    found = answer(name)
    text = found["layout"]["emit"][framework] if found["layout"] else "not a member"
    if refused(text):
        pytest.skip("no text is offered")
    tile = tile_of(name)
    assert read_back(tile, text, tmp_path) == meant(tile, found["layout"]["offset"])


@pytest.mark.parametrize(("name", "framework"), pairs(SPECS, FRAMEWORKS))
def test_one_answer_does_not_say_both_that_a_framework_can_and_that_it_cannot(
    name: str, framework: str
) -> None:
    found = answer(name)
    if not found["layout"]:
        pytest.skip("no layout is found")
    (said,) = (n for n in found["notations"] if n["notation"] == framework)
    assert refused(found["layout"]["emit"][framework]) == (said["text"] is None)


# Texts found by hand: each is exactly the optimum of the example.
@pytest.mark.parametrize(
    ("name", "framework", "text"),
    [
        ("solve/ck_kernel08_gfx950", "iree", "xor_shuffle<32, 8, 64, 4>"),
        ("solve/ck_kernel10_gfx950", "iree", "xor_shuffle<32, 8, 64, 4>"),
        ("solve/masked_odd_sm90", "cute", "Sw<5,0,5> o 0 o (24,32):(32,1)"),
    ],
)
class TestWhatAFrameworkCanSay:
    def test_the_text_is_the_optimum(
        self, name: str, framework: str, text: str, tmp_path: Path
    ) -> None:
        tile = tile_of(name)
        assert read_back(tile, text, tmp_path) == meant(tile, answer(name)["layout"]["offset"])

    def test_solve_does_not_say_that_it_cannot(self, name: str, framework: str, text: str) -> None:
        assert not refused(answer(name)["layout"]["emit"][framework])


@pytest.mark.parametrize("name", [n for n in SPECS if not n.startswith("ck_")])
def test_the_text_that_check_prints_of_a_spec_reads_back_as_the_same_map(
    name: str, tmp_path: Path
) -> None:
    """Not CK's, whose names mean what the file says."""
    file = EXAMPLES / f"{name}.toml"
    text = json.loads(bankwise("check", file, "--format", "json").out)["spec"]["layout"]
    assert read_back(tile_of(name), text, tmp_path) == placed(file)


def test_the_layout_that_check_names_for_ttgir_reads_back_as_its_certificate(
    tmp_path: Path,
) -> None:
    pytest.importorskip("triton", reason="needs the extra [triton]")
    file = ROOT / "tests" / "data" / "isa" / "triton_attention.gfx942.ttgir"
    document = json.loads(bankwise("check", file, "--format", "json").out)
    optima = [o for kernel in document["kernels"] for o in kernel["optima"]]
    both = [o for o in optima if o["notation"] and o["certificate"]]
    assert both, "no optimum of this file has a text and a certificate"
    for optimum in both:
        proved = optimum["certificate"]
        sizes = tuple((name, 1 << bits) for name, bits in reversed(proved["dims"]))
        tile = Tile(proved["machine"], sizes, proved["element_bits"])
        wanted = [0]
        for base in proved["bases"]:
            wanted += [offset ^ base for offset in wanted]
        assert read_back(tile, optimum["notation"], tmp_path) == wanted
