"""Laws that hold for every framework, and that one record is all that a framework needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bankwise.algebra.address import Fold, Linear, Padded
from bankwise.algebra.offset import Shape
from bankwise.ask.solve import answer_of, solve
from bankwise.ask.spec import check_spec_text
from bankwise.ask.spec_solution import solved
from bankwise.errors import InputError, Refusal
from bankwise.hardware.machine import machine
from bankwise.notation import frameworks as table
from bankwise.notation.fold import fold_of, folds, sizes
from bankwise.notation.framework import Framework, Ground, Language, Member, Setting
from bankwise.notation.frameworks import framework, frameworks, members, notation_of, read_memory
from bankwise.notation.iree import XorShuffle
from bankwise.notation.values import Mapped, Memory, points
from bankwise.read.tile_file.read import parse_question, read_question

EXAMPLES = Path(__file__).parents[1] / "examples"
SETTING = Setting(machine("gfx950"), {}, (64, 1, 1))
NAMES = tuple(frameworks())
STRIDED = ("cute", "ck", "triton")
TILES = [(16, 32), (8, 8), (4, 64), (24, 32), (48, 80), (10, 24), (6, 7), (64,), (2, 4, 16)]


def shape(tile: tuple[int, ...], bits: int = 16) -> Shape:
    return Shape(tuple(zip("nmbcd", reversed(tile), strict=False)), bits)


def listed(name: str, tile: tuple[int, ...], bits: int = 16) -> list[Mapped]:
    return [Mapped(tile, m.address) for m in members(name, Ground(shape(tile, bits), 64))]


@cache
def by_offsets(name: str, tile: tuple[int, ...]) -> Mapping[bytes, Mapped]:
    """What a framework lists on a tile, by what it is: the laws of all frameworks ask the same."""
    return {offsets(memory): memory for memory in listed(name, tile)}


def offsets(memory: Memory) -> bytes:
    return memory.offsets(points(memory.shape)).astype(np.int64).tobytes()


def again(name: str, value: object, over: Shape) -> Memory | Refusal:
    """What the text means to whoever reads it, its notation being seen by its looks."""
    known = framework(name)
    assert notation_of(str(value)) == known.language.name
    return read_memory(str(value), known.language.name, over, SETTING)


@pytest.mark.parametrize("tile", TILES, ids=lambda t: "x".join(map(str, t)))
@pytest.mark.parametrize("name", NAMES)
def test_a_layout_is_a_member_exactly_if_it_can_be_written_and_the_text_reads_as_it(
    name: str, tile: tuple[int, ...]
) -> None:
    """Asked of every layout that any framework lists on the tile.

    Besides, strides say padding, and Triton and the formula every linear layout.
    """
    known, over = framework(name), Ground(shape(tile))
    every = {key: m for other in NAMES for key, m in by_offsets(other, tile).items()}
    mine = by_offsets(name, tile)
    gaps = by_offsets("padding", tile) if name in STRIDED else {}
    for key, memory in every.items():
        said = known.write(memory, over)
        if not isinstance(said, Refusal):
            back = again(name, said, over.shape)
            assert not isinstance(back, Refusal)
            assert offsets(back) == key, (name, str(said))
        if key in mine:
            assert not isinstance(said, Refusal), (name, memory)
        elif not isinstance(said, Refusal):
            linear = known.linear and is_linear(memory, over.shape)
            assert linear or key in gaps, (name, str(said))


def is_linear(memory: Mapped, over: Shape) -> bool:
    """Also under another name: a rotation by half a row is."""
    if over.bits is None:
        return False
    bases = memory.address(1 << np.arange(over.bits))
    return offsets(Mapped(memory.shape, Linear(tuple(map(int, bases))))) == offsets(memory)


@st.composite
def tiles(draw: st.DrawFn) -> Shape:
    """One to three axes, powers of two or not, at most 2,048 elements."""
    axes = draw(st.lists(st.integers(1, 48) | st.sampled_from([2, 4, 8, 16, 32]), max_size=2))
    row = draw(st.integers(2, 80) | st.sampled_from([4, 16, 32, 64]))
    tile = (*axes, row)
    while np.prod(tile) > 2048:
        tile = tile[1:]
    return shape(tile, draw(st.sampled_from([4, 8, 16, 32, 64])))


@settings(deadline=None, max_examples=60)
@given(tiles(), st.data())
def test_what_is_written_reads_back_on_any_tile(over: Shape, data: st.DataObject) -> None:
    """A fold, a padding or a rotation, in the words of every framework that has words for it."""
    ground = Ground(over)
    name = data.draw(st.sampled_from(NAMES))
    every = members(name, ground)
    if not every:
        return
    memory = Mapped(sizes(over), data.draw(st.sampled_from(every)).address)
    for other in NAMES:
        said = framework(other).write(memory, ground)
        if isinstance(said, Refusal):
            assert other != name, said
            continue
        back = again(other, said, over)
        assert not isinstance(back, Refusal)
        assert offsets(back) == offsets(memory), (other, str(said))


@settings(deadline=None, max_examples=60)
@given(tiles(), st.data())
def test_a_fold_is_found_again_as_the_one_that_is_listed(over: Shape, data: st.DataObject) -> None:
    every = folds(over)
    if every:
        fold = data.draw(st.sampled_from(every))
        assert fold_of(Mapped(sizes(over), fold.address(over.elements))) == fold


@given(st.integers(1, 40), st.sampled_from([(16, 32), (24, 32), (64, 64)]))
def test_padding_is_said_by_strides_and_by_triton_in_powers_of_two(
    pad: int, tile: tuple[int, int]
) -> None:
    """Triton 3.9: "padding values must all be power of two"."""
    memory, ground = Mapped(tile, Padded(tile[1], pad)), Ground(shape(tile))
    says = {n for n in NAMES if not isinstance(framework(n).write(memory, ground), Refusal)}
    power = pad & (pad - 1) == 0
    triton = {"triton"} if power and tile != (24, 32) else set()
    assert says - {"xor"} == {"cute", "ck", "padding"} | triton


@pytest.mark.parametrize("file", sorted((EXAMPLES / "solve").glob("*.toml")), ids=lambda f: f.stem)
def test_solve_says_what_can_be_written_and_no_framework_lists_what_it_cannot_say(
    file: Path,
) -> None:
    answer = answer_of(read_question(file))
    assert not isinstance(answer, Refusal)
    ground = answer.work.ground
    memory = Mapped(sizes(ground.shape), answer.layout.layout)
    emitted = solve(file).emit
    assert emitted is not None
    for name, known in frameworks().items():
        said = known.write(memory, ground)
        mine = {offsets(Mapped(memory.shape, m.address)) for m in members(name, ground)}
        assert (offsets(memory) in mine) <= (not isinstance(said, Refusal)), name
        # A canonical layout of a unit is written by CuTe as a tiling, and listed among the modes.
        if not known.linear and not answer.modes:
            assert (offsets(memory) in mine) == (not isinstance(said, Refusal)), name
        if known.notation:
            assert emitted[name].startswith("not ") == isinstance(said, Refusal)
            if not isinstance(said, Refusal):
                assert offsets(again(name, emitted[name], ground.shape)) == offsets(memory)


def test_the_optimum_of_kernel_08_is_an_xor_shuffle_of_narrower_rows() -> None:
    """32 * m + (k ^ (m & 24)), which IREE's formula gives on all 2,048 elements."""
    emitted = solve(EXAMPLES / "solve" / "ck_kernel08_gfx950.toml").emit
    assert emitted is not None
    assert emitted["iree"] == "#iree_codegen.xor_shuffle<32, 8, 64, 4>"
    x = np.arange(2048)
    m, k = x // 32, x % 32
    column = (x - x % 8) % 32 // 8 ^ (x - x % 8) // 64 // 4 % 4
    assert (32 * m + (k ^ (m & 24)) == x - x % 32 + 8 * column + x % 8).all()


def test_an_odd_tile_has_the_swizzle_of_cute_that_the_answer_is() -> None:
    report = solve(EXAMPLES / "solve" / "masked_odd_sm90.toml")
    assert report.layout is not None
    assert report.emit is not None
    assert report.layout.offset == "32 * m + (n ^ m)"
    assert report.emit["cute"] == "Sw<5,0,5> o 0 o (24,32):(32,1)"


ODD = """
machine = "gfx942"
tile = { shape = [48, 80], element_bits = 16 }
[[access]]
name = "store"
op = "write"
offset = "8 * (lane + 64 * reg)"
vector = "n0 n1 n2"
registers = 8
active = "lane + 64 * reg < 480"
[[access]]
name = "read"
op = "read"
offset = "80 * (lane % 16 + 16 * (reg % 3)) + 4 * (lane // 16) + 16 * (reg // 3)"
vector = "n0 n1"
registers = 15
[solve]
allow_narrowing = false
"""


def test_a_fold_of_the_flat_offset_frees_a_tile_of_48_by_80(tmp_path: Path) -> None:
    """Swizzle<1,3,3> permutes 3,840 elements, a multiple of 2^(M+B) = 16: 7.5 + 8 passes."""
    (tmp_path / "odd.toml").write_text(ODD, "utf-8")
    report = solve(tmp_path / "odd.toml")
    assert report.fits is not None
    assert report.total_passes == 15.5
    cute = report.fits["cute"]
    assert not isinstance(cute, Refusal)
    assert (cute.best.label, cute.best.passes) == ("Swizzle<1,3,3>", 15.5)
    m, n = np.divmod(np.arange(3840), 80)
    values = eval(cute.best.offset, {"m": m, "n": n})
    assert (values == np.arange(3840) ^ np.arange(3840) >> 3 & 8).all()


CK = """transform_tensor_descriptor(transform_tensor_descriptor(
  make_naive_tensor_descriptor_packed(
    make_tuple(number<8>{}, number<8>{}, number<8>{}, number<8>{})),
  make_tuple(make_xor_transform(make_tuple(number<8>{}, number<8>{})),
             make_pass_through_transform(number<8>{}), make_pass_through_transform(number<8>{})),
  make_tuple(sequence<0, 2>{}, sequence<1>{}, sequence<3>{}),
  make_tuple(sequence<0, 2>{}, sequence<1>{}, sequence<3>{})),
  make_tuple(make_merge_transform(make_tuple(number<8>{}, number<8>{})),
             make_merge_transform(make_tuple(number<8>{}, number<8>{}))),
  make_tuple(sequence<0, 1>{}, sequence<2, 3>{}), make_tuple(sequence<0>{}, sequence<1>{}))"""


def test_what_composable_kernel_reads_it_writes() -> None:
    """n ^ (m & 56): an XOR transform over (M0, N0) of (M0, M1, N0, N1)."""
    over = shape((64, 64))
    memory = read_memory(CK, "ck", over, SETTING)
    assert not isinstance(memory, Refusal)
    m, n = np.indices((64, 64)).reshape(2, -1)
    assert (memory.offsets(points((64, 64))) == 64 * m + (n ^ m & 56)).all()
    said = framework("ck").write(memory, Ground(over))
    assert not isinstance(said, Refusal)
    assert offsets(again("ck", said, over)) == offsets(memory)


@pytest.mark.parametrize("tile", [(16, 16), (24, 32), (8, 64)])
def test_irees_own_parser_takes_every_text_that_is_written_for_it(tile: tuple[int, int]) -> None:
    """Its verifier asks that per_phase is at most row_width / access_width."""
    ir = pytest.importorskip("iree.compiler.ir", reason="needs the extra [ir]")
    from iree.compiler.dialects import iree_codegen  # noqa: F401

    texts = {
        str(framework(name).write(memory, Ground(shape(tile))))
        for name in ("iree", "iree rotate_rows")
        for memory in listed(name, tile)
    }
    assert len(texts) > 30
    with ir.Context():
        for text in sorted(texts):
            ir.Attribute.parse(text)


def test_a_shuffle_of_more_phases_than_groups_is_none() -> None:
    with pytest.raises(InputError, match="per_phase 8 with 2 groups"):
        XorShuffle(16, 8, 16, 8)
    fold = Fold(128, 8, 2)
    said = framework("iree").write(Mapped((16, 16), fold.address(256)), Ground(shape((16, 16))))
    assert str(said) == "#iree_codegen.xor_shuffle<16, 8, 64, 2>"


def toy() -> Framework:
    """A framework of one file: ``toy<3>`` XORs columns with three times the parity of the row."""

    def address(by: int, over: Shape) -> Fold:
        return Fold(over.row, by, 2)

    def read(text: str, over: Shape, setting: Setting) -> Memory:
        found = re.fullmatch(r"toy<(\d+)>", text.strip())
        if found is None:
            raise InputError(f"{text!r} is no toy")
        return Mapped(sizes(over), address(int(found[1]), over))

    def write(memory: Memory, ground: Ground) -> object:
        fold = fold_of(memory)
        row = ground.shape.row
        if isinstance(fold, Fold) and (fold.divisor, fold.phases) == (row, 2):
            return f"toy<{fold.unit}>"
        return Refusal("it XORs with the parity of the row only")

    def listing(ground: Ground) -> Iterator[Member]:
        over = ground.shape
        for fold in folds(over):
            if (fold.divisor, fold.phases) == (over.row, 2):
                yield Member(f"toy {fold.unit}", fold.address(over.elements))

    language = Language("toy", re.compile(r"\s*toy<"), read)
    return Framework("toy", language, "toys", listing, write)


def test_one_record_and_one_line_are_all_that_a_framework_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(InputError, match="in no notation"):
        notation_of("toy<16>")
    monkeypatch.setattr(table, "FRAMEWORKS", (*table.FRAMEWORKS, toy()))
    assert notation_of("toy<16>") == "toy"
    problem = EXAMPLES / "solve" / "transpose_sm90.toml"
    report = solve(problem)
    assert report.emit is not None
    assert report.emit["toy"].startswith("not a member of toys: its best, toy ")
    only = solve(problem, family="toy")
    assert only.layout is not None
    assert only.layout.space == "toy"
    assert only.emit is not None
    assert re.fullmatch(r"toy<\d+>", only.emit["toy"])
    # Of 32 lanes that read 16 rows and 2 columns, the parity tells two halves apart: 8 a bank.
    spec = (EXAMPLES / "transpose_16x32" / "row_major.toml").read_text("utf-8")
    spec = re.sub(r'layout = """.*?"""', 'layout = "toy<16>"', spec, count=1, flags=re.DOTALL)
    passes = {a.cost.passes for a in check_spec_text(spec).check.accesses}
    assert passes == {16, 128}
    answer = solved(parse_question(spec, "toy.toml"))
    assert answer.asked == "toy"
    said = {one.notation: one for one in answer.said}
    assert said["toy"].refusal == "it XORs with the parity of the row only"


def test_what_the_file_says_itself_is_said_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A language may read more than its record writes: the text of the file is an answer too."""

    def read(text: str, over: Shape, setting: Setting) -> Memory:
        return Mapped(sizes(over), Fold(32, 2, 16))

    mute = Framework(
        "mute",
        Language("mute", re.compile("n to n xor 2m"), read),
        "nothing",
        lambda ground: iter(()),
        lambda memory, ground: Refusal("it has no words"),
    )
    monkeypatch.setattr(table, "FRAMEWORKS", (*table.FRAMEWORKS, mute))
    spec = (EXAMPLES / "transpose_16x32" / "row_major.toml").read_text("utf-8")
    spec = re.sub(r'layout = """.*?"""', 'layout = "n to n xor 2m"', spec, count=1, flags=re.DOTALL)
    said = {one.notation: one for one in solved(parse_question(spec, "mute.toml")).said}
    assert said["mute"].text == "n to n xor 2m"


def swizzled(bits: int, base: int, shift: int, elements: int) -> np.ndarray:
    """CuTe's ``Swizzle<B,M,S>`` of the flat offset, by its definition."""
    x, field = np.arange(elements), ((1 << bits) - 1) << base
    return x ^ (x >> shift & field) if shift > 0 else x ^ (x & field) << -shift


@pytest.mark.parametrize("tile", [(48, 80), (24, 32), (3, 64), (5, 7), (12, 20), (6, 6), (16, 16)])
def test_every_swizzle_that_permutes_a_tile_of_any_size_is_listed(tile: tuple[int, int]) -> None:
    elements = tile[0] * tile[1]
    every, top = set(), elements.bit_length()
    for bits in range(1, top + 1):
        for base in range(top + 1):
            for shift in (s for s in range(-top, top + 1) if abs(s) >= bits):
                found = swizzled(bits, base, shift, elements)
                if sorted(found.tolist()) == list(range(elements)):
                    every.add(tuple(found.tolist()))
    names = members("cute", Ground(shape(tile), span=1))
    assert {tuple(m.address(np.arange(elements)).tolist()) for m in names} == every
