"""What the launch says and what it leaves open: facts by their names, numbers, data."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from bankwise.errors import InputError
from bankwise.read.amd.dialect import AMD
from bankwise.read.assembly import Opener
from bankwise.read.follow.driver import check_code
from bankwise.read.launch.expression import launch_of
from bankwise.read.launch.facts import KernelLaunch, Launches, as_passed, bits_of
from bankwise.read.launch.read import launches_in_toml
from bankwise.read.options import arguments_of
from bankwise.read.ptx.dialect import PTX
from isa_texts import amd_text, lanes

_TEXT = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .align 8 .b8 k_param_0[24])
.maxntid 32, 1, 1
{
  .reg .b32 %r<9>;
  .shared .align 4 .b8 tile[4096];
  ld.param.v2.u32 {%r1, %r2}, [k_param_0+8];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, tile;
  mad.lo.s32 %r5, %r3, %r2, %r4;
  st.shared.u32 [%r5], %r3;
  ret;
}
"""


def _ways(stride: int) -> int:
    """Distinct words of the fullest bank, counted here."""
    words = {lane * stride // 4 for lane in range(32)}
    return max(sum(word % 32 == bank for word in words) for bank in range(32))


def test_a_part_of_a_parameter_is_named_by_its_place() -> None:
    (kernel,) = check_code(PTX, _TEXT, "k.ptx")
    (refusal,) = kernel.refusals
    assert "kernel parameter k_param_0+12" in refusal.reason


@pytest.mark.parametrize("stride", [4, 8, 128])
def test_a_part_of_a_parameter_can_be_given(stride: int) -> None:
    (kernel,) = check_code(PTX, _TEXT, "k.ptx", args={"k_param_0+12": stride, "k_param_0+8": 64})
    (found,) = kernel.accesses
    (pattern,) = found.access.patterns
    words = {int(at) // 4 for at in pattern.offsets_bytes.ravel()}
    assert max(sum(w % 32 == bank for w in words) for bank in range(32)) == _ways(stride)


_LOOP = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
.maxntid 32, 1, 1
{
  .reg .b32 %r<9>;
  .reg .pred %p<2>;
  .shared .align 4 .b8 tile[4096];
  mov.u32 %r1, %ctaid.AXIS;
  mad.lo.s32 %r2, %r1, 7, 5;
  mov.u32 %r3, tile;
LOOP:
  st.shared.u32 [%r3], %r1;
  sub.s32 %r2, %r2, 1;
  setp.gt.s32 %p1, %r2, 0;
  @%p1 bra LOOP;
  ret;
}
"""
"""Of workgroup n along an axis 7n + 5 rounds."""


@pytest.mark.parametrize(
    ("axis", "grid", "rounds"),
    [
        ("x", "1", {(): 5}),
        ("y", "(4, 1)", {(): 5}),
        ("x", "(4, 1)", {(n, n + 1): 7 * n + 5 for n in range(4)}),
        ("z", "_", {}),
    ],
)
def test_along_an_axis_with_one_workgroup_its_number_is_nought(
    axis: str, grid: str, rounds: dict[tuple[int, ...], int]
) -> None:
    """``rounds``: of workgroups from one number along x to before another one; of any: ()."""
    said = Launches(((launch_of(f"k<<<{grid}, 32>>>"),),))
    (kernel,) = check_code(PTX, _LOOP.replace("AXIS", axis), "k.ptx", launches=said)
    assert kernel.accesses[0].counted == bool(rounds)
    counted = {}
    for one in (kernel, *kernel.others) if rounds else ():
        along = one.boxes[0][0] if one.boxes else None
        (found,) = one.accesses
        place = () if along is None else (along.start, along.stop)
        counted[place] = sum(pattern.executions for pattern in found.access.patterns)
    assert counted == rounds


_BITS = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .f32 x, .param .f64 y, .param .align 4 .b8 z[12])
.maxntid 32, 1, 1
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  .shared .align 4 .b8 tile[32768];
  mov.u32 %r3, tile;
  ld.param.u32 %r1, [x];
  shr.u32 %r1, %r1, 20;
  shl.b32 %r1, %r1, 2;
  add.s32 %r1, %r1, %r3;
  st.shared.u32 [%r1], %r3;
  ld.param.u64 %rd1, [y];
  shr.u64 %rd1, %rd1, 52;
  cvt.u32.u64 %r2, %rd1;
  shl.b32 %r2, %r2, 2;
  add.s32 %r2, %r2, %r3;
  st.shared.u32 [%r2], %r3;
  ret;
}
"""
"""Stores at the upper 12 bits of x and of y."""


def _first_words(launch: KernelLaunch) -> list[int]:
    (kernel,) = check_code(PTX, _BITS, "k.ptx", launches=Launches(((launch,),)))
    return [int(a.access.patterns[0].offsets_bytes[0, 0]) // 4 for a in kernel.accesses]


@pytest.mark.parametrize(
    ("text", "value"),
    [("0.1", 0.1), ("1e-3f", 1e-3), ("-2.", -2.0), (".5F", 0.5), ("1E+5", 1e5), ("3.e2", 300.0)],
)
def test_a_fraction_is_the_bits_of_a_float_of_the_parameters_size(text: str, value: float) -> None:
    single, double = (struct.pack(f">{kind}", value) for kind in "fd")
    upper = [int.from_bytes(some[:2], "big") >> 4 for some in (single, double)]
    assert _first_words(launch_of(f"k<<<_, 32>>>({text}, {text})")) == upper
    assert _first_words(launch_of(f"k<<<_, 32>>>(y={text}, x={text})")) == upper


def test_a_float_of_c_keeps_its_value_as_a_double() -> None:
    (value,) = launch_of("k<<<_, 32>>>(0.1f)").positional
    assert value == int("cccccd", 16) / 2**27 != 0.1, "0x3dcccccd: a mantissa of 24 bits"


def test_a_file_of_launches_has_fractions(tmp_path: Path) -> None:
    file = tmp_path / "l.toml"
    file.write_text("[[launch]]\nblock = 32\narguments = { x = 0.5, y = 0.5 }\n")
    (launch,) = launches_in_toml(file)
    assert _first_words(launch) == [126 << 3, 1022], "exponents of a half, with their offsets"
    file.write_text("[[launch]]\narguments = [nan]\n")
    with pytest.raises(InputError):
        launches_in_toml(file)


@pytest.mark.parametrize("arguments", ["z=0.5", "_, _, 0.5", "x=1e39", "1e39"])
def test_a_fraction_that_no_parameter_holds_is_bad_input(arguments: str) -> None:
    with pytest.raises(InputError):
        _first_words(launch_of(f"k<<<_, 32>>>({arguments})"))


@pytest.mark.parametrize("arguments", [f"x={1 << 32}", f"x={-(1 << 31) - 1}", f"_, {1 << 64}"])
def test_a_number_that_its_parameter_cannot_hold_is_bad_input(arguments: str) -> None:
    """Cut to 32 bits it would be another launch."""
    with pytest.raises(InputError, match=r"argument . has [48] bytes; -?\d+ needs more"):
        _first_words(launch_of(f"k<<<_, 32>>>({arguments})"))


def test_a_place_of_an_argument_has_the_size_of_its_parameter() -> None:
    """``--arg 1=..`` of PTX, whose parameters have names: it was cut to 32 bits."""
    sizes: dict[str | int, int] = {"k_param_0": 8, "k_param_1": 4}
    assert bits_of("0", 1 << 32, sizes) == 1 << 32
    assert bits_of("1", 0.5, sizes) == 0x3F000000
    with pytest.raises(InputError, match="argument 1 has 4 bytes; 4294967296 needs more"):
        bits_of("1", 1 << 32, sizes)


def test_a_number_fits_its_parameter_signed_or_not() -> None:
    both = [_first_words(launch_of(f"k<<<_, 32>>>({n}, 0)"))[0] for n in ((1 << 32) - 1, -1)]
    assert both == [0xFFF, 0xFFF]


_DATA = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
.maxntid 32, 1, 1
{
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  .reg .pred %p<2>;
  .shared .align 4 .b8 tile[4096];
  ld.param.u64 %rd1, [p];
  ld.global.u32 %r1, [%rd1];
  mov.u32 %r2, 28;
BODY
  mov.u32 %r3, tile;
  add.s32 %r3, %r3, %r2;
  st.shared.u32 [%r3], %r1;
  ret;
}
"""


def test_what_data_select_is_unknown_for_the_data_and_not_for_the_register_they_leave() -> None:
    body = "  setp.gt.u32 %p1, %r1, 7;\n  mul.lo.u32 %r4, %r1, 4;\n  selp.b32 %r2, %r4, %r2, %p1;"
    (kernel,) = check_code(PTX, _DATA.replace("BODY", body), "k.ptx")
    (refusal,) = kernel.refusals
    assert "a value loaded from memory" in refusal.reason


_ARGUMENTS = """      - .offset:         16
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         20
        .size:           2
        .value_kind:     hidden_remainder_x
"""


@pytest.mark.parametrize(
    ("load", "wanted"),
    [
        ("s_load_dword s6, s[0:1], 0x4", 32 | 4 << 16),  # sizes x and y, two bytes each
        ("s_load_dword s6, s[0:1], 0x8", 2),  # size z; what is behind it must be 0
        ("s_load_dwordx2 s[6:7], s[0:1], 0xc", 7 * 32),  # the grid along x, in work-items
        ("s_load_dword s6, s[0:1], 0x10", 5 * 4),
        ("s_load_dword s6, s[2:3], 0x10", 7),  # workgroups, behind the arguments
        ("s_load_dword s6, s[2:3], 0x14", 0),  # of a cut off one
        ("s_load_dword s6, s[0:1], 0x18", None),  # bytes of private memory
    ],
)
def test_an_amd_launch_says_sizes_in_the_dispatch_packet_and_behind_the_arguments(
    load: str, wanted: int | None
) -> None:
    """By the packet's table in the HSA specification, with a grid of 7x5x3 workgroups."""
    body = f"""\t{load}
\ts_lshl_b32 s6, s6, 2
\tv_mov_b32_e32 v1, s6
\tds_read_b32 v2, v1"""
    packet = "\t\t.amdhsa_user_sgpr_dispatch_ptr 1\n\t\t.amdhsa_system_vgpr_workitem_id 2"
    text = amd_text(body, threads=256, descriptor=packet, arguments=_ARGUMENTS)
    said = Launches(((launch_of("k<<<(7, 5, 3), (32, 4, 2)>>>"),),))
    (kernel,) = check_code(AMD, text, "k.s", launches=said)
    found = [lanes(one)[0] for one in kernel.accesses if not one.unknown]
    assert found == ([] if wanted is None else [4 * wanted])


def test_arguments_are_taken_as_cuda_calls_them() -> None:
    told = arguments_of(("blockIdx.x=2", "gridDim.y=0x4", "ctaid.z=1", "n=1", "8=7"))
    assert told == {"ctaid.x": 2, "nctaid.y": 4, "ctaid.z": 1, "n": 1, 8: 7}
    assert Opener(told, 1, 0).option.split()[1:4:2] == ["blockIdx.x=2", "gridDim.y=4"]


def test_host_code_passes_numbers_as_parameters_hold_them() -> None:
    """C++: an integer is taken modulo two to its bits; what a byte is, nobody knows of a bool."""
    sizes: dict[str | int, int] = {"a": 4, "b": 8, "c": 1, "d": 1}
    numbers = ((1 << 32) + 3, -1, 4, 1)
    longer = KernelLaunch("k", positional=(1, 2, 3, 4, 5))
    (passed,) = as_passed((KernelLaunch("k", positional=numbers), longer), sizes)
    assert passed.positional == (3, -1, None, 1)
    types = ("unsigned int", "long", "signed char", "bool")
    told = KernelLaunch("k", positional=(1, 2, 260, 7))
    assert next(as_passed((told,), sizes, types)).positional == (1, 2, 4, 1)
    assert list(as_passed((longer,), {})) == [longer]
