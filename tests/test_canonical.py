"""Asynchronous units in tile questions: canonical layouts, descriptors and passes, by brute force.

Where an element lies is said here once more, element by element as the PTX ISA describes operands
of wgmma and tcgen05 and the driver API the boxes of a tensor copy; nothing of it comes from
``bankwise``, but for the phases of the instruction rows.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from bankwise.ask.solve import solve
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.show.solving import SolveReport
from brute import brute_count
from command import bankwise

ROOT = Path(__file__).parents[1]
EPILOGUE = ROOT / "examples" / "solve" / "wgmma_epilogue_sm90.toml"
OPERAND = ROOT / "examples" / "solve" / "wgmma_operand_sm90.toml"
SPANS = {"none": 16, "32B": 32, "64B": 64, "128B": 128}
FIELDS = {"none": 0, "128B": 1, "64B": 2, "32B": 3}


def swizzled(byte: int, mode: str) -> int:
    """16-byte pieces of 8 rows: the piece's number in its row XOR the number of 128-byte lines."""
    return byte ^ (byte // 128 % (SPANS[mode] // 16)) * 16


@dataclass(frozen=True)
class Case:
    """A tile of M or N by K, operand of a matrix instruction."""

    unit: str
    kind: str
    bits: int
    major: str
    mn: int
    k: int

    @property
    def question(self) -> dict[str, object]:
        k_last = self.major == "K"
        sizes = [self.mn, self.k] if k_last else [self.k, self.mn]
        dims = ["m", "k"] if k_last else ["k", "m"]
        operand = {
            "name": "a",
            "op": "read",
            "instruction": self.unit,
            "axes": ["m", "k"],
            "type": self.kind,
            "major": self.major,
        }
        return {
            "machine": "sm_100" if self.unit == "tcgen05" else "sm_90",
            "tile": {"shape": sizes, "element_bits": self.bits, "dims": dims},
            "access": [operand],
        }


CASES = [
    Case("wgmma", "f16", 16, "K", 64, 64),
    Case("wgmma", "bf16", 16, "K", 16, 128),
    Case("wgmma", "f16", 16, "MN", 128, 32),
    Case("wgmma", "f16", 16, "MN", 32, 64),
    Case("wgmma", "tf32", 32, "K", 64, 32),
    Case("wgmma", "e4m3", 8, "K", 64, 128),
    Case("tcgen05", "f16", 16, "MN", 64, 64),
    Case("tcgen05", "e5m2", 8, "MN", 128, 64),
    Case("tcgen05", "e2m3", 8, "K", 128, 128),
    Case("tcgen05", "s8", 8, "K", 8, 64),
]


def operand_byte(case: Case, found: dict[str, object], mode: str, mn: int, k: int) -> int:
    """PTX ISA: where an instruction that starts at its number along K looks for an element."""
    words = found
    depth = 256 // case.bits
    start = words["starts"][k // depth]  # type: ignore[index]
    leading, stride = int(words["leading_bytes"]), int(words["stride_bytes"])  # type: ignore[call-overload]
    k, size, span = k % depth, case.bits // 8, SPANS[mode]
    if case.major == "K" and mode == "none":
        at = mn // 8 * stride + mn % 8 * 16 + k * size // 16 * leading + k * size % 16
    elif case.major == "K":
        at = mn // 8 * stride + mn % 8 * span + k * size
    elif mode == "none":
        at = mn * size // 16 * stride + mn * size % 16 + k // 8 * leading + k % 8 * 16
    else:
        at = mn * size // span * leading + mn * size % span + k // 8 * stride + k % 8 * span
    return swizzled(start + at, mode)


def held(report_bases: dict[str, int], names: tuple[str, str], element: tuple[int, int]) -> int:
    """A linear map, bit by bit."""
    place = 0
    for name, number in zip(names, element, strict=True):
        for bit in range(number.bit_length()):
            if number >> bit & 1:
                place ^= report_bases[f"{name}{bit}"]
    return place


def bases_of(layout: object, dims: list[str], sizes: list[int]) -> dict[str, int]:
    """Offset of each coordinate bit, dims outermost first as in a question."""
    names = [
        f"{name}{bit}"
        for name, size in zip(reversed(dims), reversed(sizes), strict=True)
        for bit in range(size.bit_length() - 1)
    ]
    return dict(zip(names, layout.bases, strict=True))  # type: ignore[attr-defined]


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.unit}-{c.kind}-{c.major}-{c.mn}x{c.k}")
def test_every_descriptor_finds_every_element_where_its_layout_has_it(case: Case) -> None:
    report = solve(case.question)
    tile = case.question["tile"]
    seen = set()
    for one in report.modes:
        if one.plan is None:
            continue
        bases = bases_of(one.plan.layout, tile["dims"], tile["shape"])  # type: ignore[index]
        (words,) = one.operands
        found = {name: getattr(words, name) for name in words.__slots__}
        for mn, k in product(range(case.mn), range(case.k)):
            there = operand_byte(case, found, one.mode.name, mn, k)
            assert held(bases, ("m", "k"), (mn, k)) * case.bits == there * 8, (one.label, mn, k)
        version = 1 << 46 if case.unit == "tcgen05" else 0
        strides = found["leading_bytes"] // 16 << 16 | found["stride_bytes"] // 16 << 32
        assert words.bits == strides | version | FIELDS[one.mode.name] << 62
        seen.add(one.mode.name)
    row = (case.k if case.major == "K" else case.mn) * case.bits // 8
    assert seen == {name for name, span in SPANS.items() if row % span == 0}
    refused = {one.mode.name for one in report.modes if one.plan is None}
    assert refused == set(SPANS) - seen


def boxes_bytes(outer: int, inner: int, bits: int, mode: str, box: tuple[int, int]) -> list[int]:
    """Boxes one after the other, those along the outer dimension first, row by row in each."""
    height, width = box
    row, size = width * bits // 8, bits // 8
    found = [0] * (outer * inner)
    for j, i in product(range(inner), range(outer)):
        number = j // width * (outer // height) + i // height
        start = number * height * row
        found[i * inner + j] = start + swizzled(i % height * row + j % width * size, mode)
    return found


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_boxes_of_a_tensor_copy_fill_the_layout_that_is_said(bits: int) -> None:
    outer, inner = 64, 2048 // bits
    names = ["m", "n"]
    question = {
        "machine": "sm_90",
        "tile": {"shape": [outer, inner], "element_bits": bits, "dims": names},
        "access": [
            {"name": "fill", "op": "write", "instruction": "tma.load"},
            {"name": "read", "op": "read", "lanes": "n0 n1 n2 n3 n4"},
        ],
    }
    facts = machine("sm_90").facts
    checked = 0
    for one in solve(question).modes:
        assert one.plan is not None, one.reason
        (copy,) = one.boxes
        assert copy.rows * copy.row_bytes == outer * inner * bits // 8
        assert copy.row_bytes == (
            SPANS[one.mode.name] if one.mode.name != "none" else inner * bits // 8
        )
        rate = facts[f"tma_load_cycles_per_row_{copy.row_bytes}"].value
        assert copy.cycles == pytest.approx(copy.rows * rate)
        assert copy.boxes * copy.box[0] * copy.box[1] == outer * inner
        if one.blocks == "m":
            bases = bases_of(one.plan.layout, names, [outer, inner])
            there = boxes_bytes(outer, inner, bits, one.mode.name, copy.box)
            for i, j in product(range(outer), range(inner)):
                assert held(bases, ("m", "n"), (i, j)) * bits == there[i * inner + j] * 8
            checked += 1
    assert checked == 4


def family(mode: str, bits: int, outer: int, inner: int) -> Iterator[list[int]]:
    """Both orders of the blocks of a mode, as tables of bytes; rows without a swizzle whole."""
    width = inner if mode == "none" else SPANS[mode] * 8 // bits
    if inner % width:
        return
    for height in {8, outer}:
        if height == outer or inner > width:
            yield _blocks(mode, bits, outer, inner, width, height)


def _blocks(mode: str, bits: int, outer: int, inner: int, width: int, height: int) -> list[int]:
    row, size = width * bits // 8, bits // 8
    found = [0] * (outer * inner)
    for i, j in product(range(outer), range(inner)):
        number = i // height * (inner // width) + j // width
        byte = number * height * row + i % height * row + j % width * size
        found[i * inner + j] = swizzled(byte, mode)
    return found


def thread_passes(text: str, table: list[int], inner: int, row_name: str, columns: int) -> Fraction:
    """One access of :data:`EPILOGUE`, all of its executions, by hand."""
    row = machine("sm_90").instruction(row_name)
    lanes, registers = (part.split() for part in text.split("|"))
    passes = []
    for number in range(1 << len(registers)):
        starts = []
        for lane in range(32):
            words = [d for b, d in enumerate(lanes) if lane >> b & 1]
            words += [d for b, d in enumerate(registers) if number >> b & 1]
            m, n = (sum(1 << int(d[1:]) for d in words if d[0] == axis) for axis in "mn")
            starts.append(table[m * inner + n])
        passes.append(brute_count(row, [starts], [True] * 32)[0])
    assert columns * 4 == row.width_bytes
    return Fraction(sum(passes), len(passes))


def epilogue() -> SolveReport:
    return solve(EPILOGUE)


def test_the_epilogue_is_the_best_of_all_modes_by_hand() -> None:
    """f32 accumulators into 64 x 64, read by rows: none is free; the least is said."""
    report = epilogue()
    totals = {}
    for mode in SPANS:
        for table in family(mode, 32, 64, 64):
            store = thread_passes("n1 n2 m0 m1 m2|m3 n3 n4 n5 m4 m5", table, 64, "st.shared.b64", 2)
            rows = thread_passes("n2 n3 n4 n5 m0|m1 m2 m3 m4 m5", table, 64, "ld.shared.b128", 4)
            totals.setdefault(mode, set()).add((store, rows))
    for mode, found in totals.items():
        said = [one for one in report.modes if one.mode.name == mode]
        mine = {tuple(use.passes for use in one.plan.cost.uses) for one in said if one.plan}
        assert mine == found, mode
    least = min(sum(each) for found in totals.values() for each in found)
    assert report.total_passes == least > report.total_floor
    assert report.optimal
    assert report.exit_code == 0
    assert report.known is not None
    assert "canonical layouts" in report.known.space
    assert any(note.startswith("no mode is free") for note in report.notes)


def test_a_layout_that_no_descriptor_names_is_told_and_is_better() -> None:
    report = epilogue()
    better, mine = report.pareto
    assert report.layout is not None
    assert mine.layout == report.layout.layout
    assert better.passes < mine.passes


def test_the_operand_takes_128_bytes_and_the_least_cycles() -> None:
    """All modes are free for ldmatrix; the boxes decide."""
    report = solve(OPERAND)
    assert all(one.plan is not None and one.plan.passes == one.plan.ideal for one in report.modes)
    chosen = [one for one in report.modes if one.plan.layout == report.layout.layout]  # type: ignore[union-attr]
    assert [one.mode.name for one in chosen] == ["128B"]
    assert report.known is not None
    assert report.known.space == "all layouts"


def multiplied() -> list[dict[str, str]]:
    path = ROOT / "tests" / "data" / "h200_descriptors.csv"
    with path.open() as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


def test_an_h200_multiplied_through_these_descriptors() -> None:
    """128 x K f16 as operand B: what is said is what was executed, and no sum was wrong."""
    rows = multiplied()
    assert {row["wrong"] for row in rows} == {"0"}
    assert {(row["major"], row["mode"]) for row in rows} == set(product(("K", "MN"), SPANS))
    said = []
    for major, depth in dict.fromkeys((row["major"], int(row["k"])) for row in rows):
        for one in solve(Case("wgmma", "f16", 16, major, 128, depth).question).modes:
            assert one.plan is not None
            (words,) = one.operands
            strides = (words.leading_bytes // 16, words.stride_bytes // 16, words.bits >> 62)
            starts = " ".join(str(start // 16) for start in words.starts)
            bases = " ".join(map(str, one.plan.layout.bases))  # type: ignore[attr-defined]
            said.append((major, str(depth), one.mode.name, *map(str, strides), starts, bases))
    executed = [tuple(row.values())[:-1] for row in rows]
    assert set(executed) <= set(said)
    assert len(executed) == len(set(executed)) == 17


def measured() -> list[tuple[str, str, int, bool, int, str, int]]:
    path = ROOT / "tests" / "data" / "h200_units.csv"
    found = []
    with path.open() as lines:
        for row in csv.DictReader(line for line in lines if not line.startswith("#")):
            named = re.fullmatch(r"wgmma_(\w+)_n(\d+)_(ss|rs)_g(\d)_(\w+)", row["case"])
            if named:
                kind, n, sides, groups, mode = named.groups()
                passes = int(row["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum"])
                found.append((row["case"], kind, int(n), sides == "ss", int(groups), mode, passes))
    return found


BITS = {"f16": 16, "tf32": 32, "e4m3": 8, "s8": 8}
PRODUCTS = 256


@cache
def operand_passes(kind: str, rows: int, mode: str) -> int:
    """Of a matrix instruction's whole operand, as solve prices the mode."""
    columns = 1024 // BITS[kind]
    question = {
        "machine": "sm_90",
        "tile": {"shape": [rows, columns], "element_bits": BITS[kind], "dims": ["m", "k"]},
        "access": [{"name": "a", "op": "read", "instruction": "wgmma", "type": kind}],
    }
    report = solve(question)
    (note,) = [n for n in report.notes if n.startswith("a: one wgmma")]
    one = next(m for m in report.modes if m.mode.name == mode and m.plan is not None)
    executions = rows * 32 // 512
    said = int(one.plan.passes * executions)
    assert f": {said} passes" in note
    return said


def test_wgmma_takes_what_an_h200_counted() -> None:
    cases = measured()
    assert len(cases) == 64
    assert {mode for *_, mode, _ in cases} == {"none", "128B"}
    for case, kind, n, both, groups, mode, passes in cases:
        each = operand_passes(kind, n, mode) + (operand_passes(kind, 64, mode) if both else 0)
        assert each * PRODUCTS * groups == passes, case


def test_the_rates_of_boxes_are_those_of_the_page() -> None:
    page = (ROOT / "docs" / "hopper.md").read_text("utf-8")
    head = re.search(r"\| bytes of a box row \|(.+)\|", page)
    assert head
    sizes = [int(word) for word in head[1].split("|")]
    for verb in ("load", "store"):
        line = re.search(rf"\| {verb}, cycles a row \|(.+)\|", page)
        assert line
        for size, said in zip(sizes, line[1].split("|"), strict=True):
            fact = machine("sm_90").facts[f"tma_{verb}_cycles_per_row_{size}"]
            assert fact.value == pytest.approx(float(said), abs=0.051)
    assert not [name for name in machine("sm_100").facts if name.startswith("tma_")]


def packed(**more: object) -> dict[str, object]:
    """6-bit numbers on sm_100, filled by TMA."""
    fill = {"name": "fill", "op": "write", "instruction": "tma.load", "type": "e2m3"}
    a = {"name": "a", "op": "read", "instruction": "tcgen05", "type": "e2m3", **more}
    tile = {"shape": [128, 256], "element_bits": 8, "dims": ["m", "k"]}
    return {"machine": "sm_100", "tile": tile, "access": [a, fill]}


def test_boxes_of_6_bit_numbers_leave_the_128_byte_mode_alone() -> None:
    """Driver API: boxDim[0] is 128 for 16U6_ALIGN16B, and a swizzled row holds the box."""
    report = solve(packed())
    taken = {one.mode.name for one in report.modes if one.plan is not None}
    assert taken == {"128B"}
    (copy,) = report.modes[-1].boxes
    assert copy.tensor_map_type.endswith("16U6_ALIGN16B")
    assert copy.cycles is None
    assert any("16 numbers lie packed in 16 bytes" in note for note in report.notes)


def test_units_that_want_other_dimensions_contiguous_are_refused_together() -> None:
    report = solve(packed(major="MN"))
    assert report.layout is None
    assert report.exit_code == 2
    assert report.refusal is not None
    assert "fill" in str(report.refusal)
    assert "contiguous" in str(report.refusal)


ONE = """
machine = "sm_90"
tile = {{ shape = [64, 64], element_bits = 16, dims = ["m", "k"] }}
{layout}
[[access]]
name = "a"
op = "read"
instruction = "wgmma"
{more}
"""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('major = "N"', 'major = "N"'.replace('"', "'")),
        ("major = 3", "major = 3"),
        ('type = "f64"', "type = 'f64'"),
        ('type = "e4m3"', "type = 'e4m3'"),
        ("shape = [64]", "shape = [64]"),
        ("shape = [64, 8]", "shape = [64, 8]"),
        ("shape = [12, 16]", "12 of 64 along M or N"),
        ("shape = [512, 16]", "512 of 64 along M or N"),
        ("shape = [-8, 16]", "-8 of 64 along M or N"),
        ('axes = ["m"]', "axes = ['m']"),
        ('axes = ["m", "m"]', "axes = ['m', 'm']"),
        ('axes = ["m", "q"]', "axes = ['m', 'q']"),
        ("axes = [0, 1]", "axes = [0, 1]"),
        ("weight = 2", "weight"),
        ('registers = "m0"', "registers"),
        ('active = "lane < 4"', "active"),
        ("vector = 3", "vector"),
    ],
)
def test_a_bad_key_of_a_unit_is_named_with_its_line(tmp_path: Path, more: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(ONE.format(layout="", more=more), "utf-8")
    with pytest.raises(InputError) as caught:
        solve(path)
    assert said in caught.value.message
    assert caught.value.location is not None
    assert caught.value.location.line >= 8


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (('"read"', '"write"'), "wgmma is a read"),
        (('"sm_90"', '"sm_80"'), "'wgmma'"),
        (('"sm_90"', '"gfx942"'), "'wgmma'"),
        (("[64, 64]", "[8, 16]"), "a tile of 256 bytes"),
        (("[64, 64]", "[64, 8]"), "8 along K"),
        (("element_bits = 16", "element_bits = 64"), "element_bits = 64"),
        (("element_bits = 16", "element_bits = 6"), "element_bits = 6"),
    ],
)
def test_a_tile_that_a_unit_does_not_take_is_refused(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(ONE.format(layout="", more="").replace(*change), "utf-8")
    ended = bankwise("solve", path)
    assert ended.code == 2
    assert said in ended.err
    assert re.search(r"bad\.toml:\d+", ended.err)


def test_an_odd_tile_and_a_family_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "tile.toml"
    path.write_text(ONE.format(layout="", more="").replace("[64, 64]", "[96, 64]"), "utf-8")
    ended = bankwise("solve", path)
    assert ended.code == 2
    assert "96 elements along m" in ended.out
    ended = bankwise("solve", OPERAND, "--family", "cute")
    assert ended.code == 2
    assert "tma.load" in ended.err


STAGES = """
machine = "sm_90"
tile = { shape = [3, 64, 64], element_bits = 16, dims = ["stage", "m", "k"] }

[[access]]
name = "a"
op = "read"
instruction = "wgmma"
"""


def test_stages_lie_behind_each_other_aligned(tmp_path: Path) -> None:
    path = tmp_path / "stages.toml"
    path.write_text(STAGES, "utf-8")
    report = solve(path)
    assert report.layout is not None
    assert report.layout.lds_bytes == 3 * 64 * 64 * 2
    assert report.layout.offset.startswith("4096 * stage")
    path.write_text(STAGES.replace("[3,", "[4,"), "utf-8")
    four = solve(path)
    assert four.layout is not None
    assert four.layout.lds_bytes == 4 * 64 * 64 * 2
    assert four.total_passes == report.total_passes


@pytest.mark.parametrize(
    ("layout", "code"),
    [("Sw<3,3,3> o 0 o (64,64):(64,1)", 0), ("(64,64):(64,1)", 3)],
)
def test_check_asks_whether_the_unit_can_address_the_layout(
    tmp_path: Path, layout: str, code: int
) -> None:
    path = tmp_path / "tile.toml"
    path.write_text(ONE.format(layout=f'layout = "{layout}"', more=""), "utf-8")
    ended = bankwise("check", path, "--format", "json")
    assert ended.code == code
    found = json.loads(ended.out)
    accesses = found["accesses"]
    assert [a["kind"] for a in accesses] == ["operand"] * (code == 0)
    if not code:
        assert accesses[0]["passes"] == 64 * 64 * 2 // 128
    else:
        assert "none of the canonical" in json.dumps(found["refusals"])


def test_json_has_every_mode_and_what_to_paste() -> None:
    ended = bankwise("solve", OPERAND, "--format", "json")
    modes = json.loads(ended.out)["modes"]
    (chosen,) = [one for one in modes if one["chosen"]]
    (operand,) = chosen["operands"]
    assert operand["atom"] == "GMMA::Layout_K_SW128_Atom<half_t>"
    assert int(operand["bits"], 16) >> 62 == FIELDS["128B"]
    assert chosen["tensor_map_swizzle"] == "CU_TENSOR_MAP_SWIZZLE_128B"
    assert "nvmma_shared" in chosen["triton"]
    plain = json.loads(
        bankwise("solve", EPILOGUE.parent / "transpose_sm90.toml", "--format", "json").out
    )
    assert "modes" not in plain


def test_a_certificate_of_a_mode_is_accepted_by_the_judge(tmp_path: Path) -> None:
    for question in (OPERAND, EPILOGUE):
        path = tmp_path / "cert.json"
        assert bankwise("solve", question, "-o", path).code == 0
        assert bankwise("certify", path).code == 0


def test_rows_whose_rate_is_not_known_are_no_reason_to_choose_a_mode() -> None:
    """f32 x 128: rows of 512 bytes without a swizzle, for which there is no measurement."""
    question = {
        "machine": "sm_90",
        "tile": {"shape": [64, 128], "element_bits": 32, "dims": ["m", "n"]},
        "access": [
            {"name": "store", "op": "read", "instruction": "tma.store"},
            {"name": "write", "op": "write", "lanes": "n0 n1 n2 n3 n4"},
        ],
        "solve": {"allow_narrowing": True},
    }
    report = solve(question)
    assert report.layout is not None
    taken = [one for one in report.modes if one.plan is not None]
    least = min(one.plan.passes for one in taken)  # type: ignore[union-attr]
    assert report.total_passes == least
    known = [one.cycles for one in taken if one.plan.passes == least]  # type: ignore[union-attr]
    assert None in known
    (chosen,) = [one for one in taken if one.plan.layout == report.layout.layout]  # type: ignore[union-attr]
    assert chosen.cycles == min(spent for spent in known if spent is not None)
    assert any("narrowing is not tried" in note for note in report.notes)
