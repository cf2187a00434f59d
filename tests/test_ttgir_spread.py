"""Other distributions of what is stored for matrix units: which, and for which buffers."""

from __future__ import annotations

import re
from typing import Any

import pytest
from msgspec.structs import replace

from bankwise.ask.check_ttgir import Planned, plan
from bankwise.ask.fix_ttgir import EncodingSearch
from bankwise.ask.ttgir_code import EmittedText
from bankwise.ask.ttgir_spread import PiecesTouched, Spread, spreads, touched
from bankwise.errors import Location
from bankwise.notation.triton.encodings import Blocked
from bankwise.read.assembly import AssemblyKernel
from bankwise.read.options import Options
from bankwise.read.ttgir import wheel
from bankwise.read.ttgir.values import TensorType
from ttgir_texts import module

B = (
    "#ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], "
    "order = [1, 0]}>"
)
MMA = (
    "#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], "
    "instrShape = [16, 128, 32]}>"
)
ALONG = "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 8}>"
ACROSS = "#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8}>"
TILE = "tensor<64x128xf8E5M2, #b>"
TOTAL = "tensor<64x128xf32, #mma>"
LEFT = "!ttg.memdesc<64x128xf8E5M2, #along, #smem>"
RIGHT = "!ttg.memdesc<64x128xf8E5M2, #across, #smem>"


TURNED = B.replace("[1, 16]", "[16, 1]").replace("[4, 8]", "[8, 4]")
TURNED = TURNED.replace("[4, 1]", "[1, 4]").replace("[1, 0]", "[0, 1]")
FROM = "!ttg.memdesc<128x64xf8E5M2, #plain, #smem, mutable>"
TRANS = f"""    %s = ttg.local_alloc : () -> {FROM}
    %q = ttg.local_load %s : {FROM} -> tensor<128x64xf8E5M2, #t>
    %v = tt.trans %q {{order = array<i32: 1, 0>}} : tensor<128x64xf8E5M2, #t> -> {TILE}
"""


def planned(values: str = "") -> Planned:
    """Rows of a left operand as they lie, stored once; of a right one along N, 16 times."""
    values = values or f"    %v = arith.constant dense<0.000000e+00> : {TILE}\n"
    body = f"""    %c16 = arith.constant 16 : i32
{values}    %z = arith.constant dense<0.000000e+00> : {TOTAL}
    %left = ttg.local_alloc %v : ({TILE}) -> {LEFT}
    %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%t = %z) -> ({TOTAL})  : i32 {{
      %right = ttg.local_alloc %v : ({TILE}) -> {RIGHT}
      %d = ttng.warp_group_dot %left, %right, %t : {LEFT} * {RIGHT} -> {TOTAL}
      scf.yield %d : {TOTAL}
    }}
"""
    aliases = f"#b = {B}\n#mma = {MMA}\n#t = {TURNED}\n#along = {ALONG}\n#across = {ACROSS}\n"
    text = module(body, aliases=aliases, target="cuda:90")
    (found,) = plan(text, "k.ttgir", Options(), verify=False)
    return found


def test_a_spread_is_told_of_the_buffer_that_has_the_conflicts() -> None:
    """The left operand is stored under the same name, and first; its rows have no conflicts."""
    ways = list(spreads(planned()))
    assert [each.buffers for (*_, each) in ways] == [("right",)]
    best = ways[0][0]
    assert best.alias == "b"
    # Single bytes, at least 8-way, 16 times: a pass for each of 64 x 128 / 128 lanes, and more.
    assert best.passes[0] >= 16 * 64 * 8
    assert best.passes[1] < best.passes[0] / 4


def test_what_is_transposed_before_changes_along_and_no_load_hinders() -> None:
    """`tt.trans` makes #b of #t: a text that changes one of them Triton does not accept."""
    best = next(spreads(planned(TRANS)))[0]
    assert best.partners.keys() == {"b", "t"}
    changed, partner = best.partners["b"], best.partners["t"]
    assert partner.threads_per_warp == changed.threads_per_warp[::-1]
    assert [1 - dim for dim in partner.order] == list(changed.order)
    assert best.global_memory == "nothing of global memory goes through it"
    assert best.passes[1] < best.passes[0] / 8


def test_without_conflicts_nothing_is_spread() -> None:
    found = planned()
    calm = tuple(a for a in found.accesses if a.buffer != "right")
    assert not list(spreads(replace(found, accesses=calm)))


def test_a_wave_touches_whole_sectors_whichever_way_its_lanes_lie() -> None:
    """64 x 128 bytes: in an instruction, four rows of 128 are 16 sectors of 32 bytes."""
    tensor = TensorType((64, 128), 8, _blocked((1, 16), (4, 8)))
    along = touched(planned(), _blocked((1, 16), (4, 8)), _blocked((1, 16), (4, 8)), tensor)
    assert (along.pieces, along.instructions) == ({32: 64}, 4)
    down = touched(planned(), _blocked((1, 1), (32, 1)), _blocked((1, 16), (4, 8)), tensor)
    # A lane for every row moves 16 bytes of its 128 at a time: every lane a sector of its own.
    assert (down.pieces, down.instructions) == ({32: 8 * 32}, 8)


def _blocked(size: tuple[int, int], lanes: tuple[int, int]) -> Blocked:
    return Blocked(size, lanes, (4, 1), (1, 0))


@pytest.mark.parametrize(
    ("size", "order", "each"),
    [((1, 16), (1, 0), 16), ((4, 16), (1, 0), 16), ((8, 4), (1, 0), 4), ((8, 4), (0, 1), 1)],
)
def test_loads_are_as_wide_as_what_registers_hold_one_after_the_other(
    size: tuple[int, int], order: tuple[int, int], each: int
) -> None:
    """64 bytes of a thread. Of ``order = [0, 1]`` its neighbours in registers are of other rows."""
    tensor = TensorType((64, 128), 8, _blocked(size, (4, 8)))
    held = Blocked(size, (4, 8), (4, 1) if size[0] < 8 else (2, 2), order)
    found = touched(planned(), held, _blocked((1, 16), (4, 8)), tensor)
    assert found.instructions == 64 // each
    assert found.pieces[32] >= 64
    if wheel.installed():
        assert _loads(held) == 64 // each


def _loads(held: Blocked) -> int:
    """Of one thread, in the PTX that Triton makes of a load of 64 rows of 128 bytes."""
    rows, columns = (f"#ttg.slice<{{dim = {dim}, parent = #b}}>" for dim in (1, 0))
    pointers = "tensor<64x128x!tt.ptr<i8>, #b>"
    body = f"""    %r = tt.make_range {{end = 64 : i32, start = 0 : i32}} : tensor<64xi32, {rows}>
    %c = tt.make_range {{end = 128 : i32, start = 0 : i32}} : tensor<128xi32, {columns}>
    %d = tt.expand_dims %r {{axis = 1 : i32}} : tensor<64xi32, {rows}> -> tensor<64x1xi32, #b>
    %e = tt.expand_dims %c {{axis = 0 : i32}} : tensor<128xi32, {columns}> -> tensor<1x128xi32, #b>
    %w = arith.constant dense<128> : tensor<64x1xi32, #b>
    %m = arith.muli %d, %w : tensor<64x1xi32, #b>
    %f = tt.broadcast %m : tensor<64x1xi32, #b> -> tensor<64x128xi32, #b>
    %g = tt.broadcast %e : tensor<1x128xi32, #b> -> tensor<64x128xi32, #b>
    %o = arith.addi %f, %g : tensor<64x128xi32, #b>
    %s = tt.splat %x : !tt.ptr<i8> -> {pointers}
    %p = tt.addptr %s, %o : {pointers}, tensor<64x128xi32, #b>
    %v = tt.load %p {{isVolatile = true}} : {pointers}"""
    text = module(
        body,
        aliases=f"#b = {held}\n",
        target="cuda:90",
        arguments="%x: !tt.ptr<i8> {tt.divisibility = 16 : i32}",
    )
    _, assembly = wheel.lowered(text, "k.ttgir", {}).assembly
    return len(re.findall(r"\bld(?:\.volatile)?\.global", assembly))


def test_of_better_distributions_the_first_that_leaves_as_many_workgroups_is_taken() -> None:
    """65,536 registers: two workgroups of 256 threads with 128 of them, one with 129."""
    worse = "its code takes 7 passes, not fewer than 7"
    found = [worse, *(_code(registers) for registers in (129, 128, 96))]
    ways = [_spread(1 << at) for at in range(4)]
    compiled: list[int] = []

    class Search(EncodingSearch):
        def better(self, text: str, than: EmittedText) -> EmittedText | str:
            compiled.append(next(n for n, way in enumerate(ways) if str(way.instead) in text))
            return found[compiled[-1]]

    search = Search(planned(), Options(), {}, "")
    assert search.first(ways, _code(128)) == (ways[2], found[2])
    assert compiled == [0, 1, 2]
    # Where none leaves as many, the first that takes fewer passes is better than nothing.
    assert search.first(ways[:2], _code(128)) == (ways[1], found[1])
    assert search.first(ways[:1], _code(128)) is None
    assert search.failed == {"right": f"{ways[0].instead}: {worse}"}


def _spread(rows: int) -> Spread:
    nothing = PiecesTouched({32: 1}, 1)
    instead = _blocked((rows, 16), (4, 8))
    both = (8, 7), (nothing, nothing)
    return Spread("b", _blocked((1, 16), (4, 8)), instead, ("right",), *both)


def _code(registers: int) -> EmittedText:
    """Machine code of so many registers, of which nothing else is asked."""
    taken = (0, registers, (256, 1, 1), (), (), (), {})
    kernel = AssemblyKernel("k", "sm_90", Location("k.ttgir", 1), *taken)
    nothing: Any = None
    return EmittedText(f"#b = {B}", nothing, kernel, nothing, "SASS")
