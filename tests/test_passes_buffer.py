"""Global accesses through raw buffers: what they say, when they swizzle, and what is refused."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler")

from bankwise.change.compile.compile import compile_text
from bankwise.change.execute import compare
from bankwise.change.passes.buffer import buffer, sets_used
from bankwise.change.passes.buffer_strides import stride_holes
from bankwise.change.passes.values import PassOptions
from bankwise.errors import Refusal
from bankwise.hardware.machine import machine
from passes_cases import GFX942, opened
from run_mlir import random, run
from test_execute_kernels import wave_kernel

INFO = (
    "#iree_codegen.translation_info<pipeline = #iree_codegen.no_pipeline "
    "workgroup_size = [64, 1, 1] subgroup_size = 64>"
)


EXECUTABLE = """\
stream.executable public @ex {
  stream.executable.export public @k workgroups() -> (index, index, index) {
    %c1 = arith.constant 1 : index
    stream.return %c1, %c1, %c1 : index, index, index
  }
  builtin.module {
"""


def copy(of: str, *, more: str = "", vector: str = "vector<4xf16>") -> str:
    return f"""\
func.func @k(%in: !stream.binding, %out: !stream.binding)
    attributes {{translation_info = {INFO}}} {{
  %c0 = arith.constant 0 : index
  %src = stream.binding.subspan %in[%c0] : !stream.binding -> {of}
  %dst = stream.binding.subspan %out[%c0] : !stream.binding -> memref<64x4xf16>
  %t = gpu.thread_id x upper_bound 64
{more}  %v = vector.load %src[%t, %c0] : {of}, {vector}
  vector.store %v, %dst[%t, %c0] : memref<64x4xf16>, {vector}
  return
}}
"""


def test_a_load_goes_through_a_buffer_with_its_size_and_checked_bounds():
    done = buffer(opened(copy("memref<64x2048xf16>")), GFX942)
    assert "%src_bytes = arith.constant 262144 : i64" in done.text
    assert "%src_row_bytes = arith.constant 4096 : i14" in done.text
    assert (
        "amdgpu.fat_raw_buffer_cast %src validBytes(%src_bytes) cacheSwizzleStride(%src_row_bytes) "
        "boundsCheck(true) resetOffset : memref<64x2048xf16> to "
        "memref<64x2048xf16, #amdgpu.address_space<fat_raw_buffer>>"
    ) in done.text
    assert "vector.load %src_buffer[%t, %c0]" in done.text
    assert "is not published" in done.remarks[0].reason


def test_the_kernel_computes_the_same_through_buffers():
    text = copy("memref<64x2048xf16>")
    after = buffer(opened(text), GFX942).text
    one = random(text)
    two = [x.copy() for x in one]
    assert run(text, *one).faults == ()
    assert run(after, *two).faults == ()
    assert compare(one, two) == ()


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_buffers_become_buffer_instructions(target):
    text = buffer(opened(copy("memref<64x2048xf16>")), PassOptions(target)).text
    listing = compile_text(EXECUTABLE + text + "}}\n", target)
    assert not isinstance(listing, Refusal)
    assert any(step.name.startswith("buffer_load_dwordx2") for step in listing.steps)
    assert any(step.name.startswith("buffer_store_dwordx2") for step in listing.steps)


@pytest.mark.parametrize(
    ("stride", "sets"), [(64, 4), (128, 4), (256, 2), (512, 1), (1024, 1), (8192, 1), (384, 4)]
)
def test_rows_of_512_bytes_and_more_use_one_l1_set_and_of_256_two(stride, sets):
    assert sets_used(stride, machine("gfx942")) == sets


CASES = [
    ("memref<64x64xf16>", "model", None, "use all 4 L1 sets"),
    ("memref<64x64xf16>", "wave", 128, "every stride up to 8192"),
    ("memref<64x128xf16>", "model", 256, "use 2 of 4 L1 sets"),
    ("memref<64x4096xf16>", "model", -8192, "use 1 of 4 L1 sets"),
    ("memref<64x8192xf16>", "model", None, "rows of 16384 bytes"),
    ("memref<64x8192xf16>", "wave", None, "rows of 16384 bytes"),
    ("memref<64x192xf16>", "model", None, "use all 4 L1 sets"),
]


@pytest.mark.parametrize(("of", "rule", "stride", "reason"), CASES)
def test_the_cache_swizzle_is_given_by_bytes_and_where_rows_collide(of, rule, stride, reason):
    done = buffer(opened(copy(of)), GFX942, rule=rule)
    assert reason in done.remarks[0].reason
    constant = f"%src_row_bytes = arith.constant {stride} : i14"
    assert (constant in done.text) == (stride is not None)
    assert opened(done.text)


def test_a_binding_with_another_memref_of_it_is_cast_without_swizzle():
    more = "  %e = stream.binding.subspan %in[%c0] : !stream.binding -> memref<64x2048xf16>\n"
    more += "  %u = vector.load %e[%t, %c0] : memref<64x2048xf16>, vector<4xf16>\n"
    done = buffer(opened(copy("memref<64x2048xf16>", more=more)), GFX942)
    assert "cacheSwizzleStride" not in done.text
    assert sum("another memref of the same binding" in r.reason for r in done.remarks) == 2


REFUSED = [
    (copy("memref<16777216x64xf16>"), "could exceed validBytes, at most 2147483645"),
    (
        copy(
            "memref<64x2048xf16>",
            more="  %s = memref.subview %src[0, 0] [4, 4] [1, 1] : "
            "memref<64x2048xf16> to memref<4x4xf16, strided<[2048, 1]>>\n",
        ),
        "a part of the accesses would go past the buffer",
    ),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_what_a_buffer_would_get_wrong_is_refused(text, reason):
    done = buffer(opened(text), GFX942)
    assert reason in done.refusals[0].reason
    assert "%src_buffer" not in done.text


def test_a_memref_of_unknown_size_is_refused_and_the_rule_of_wave_takes_it():
    text = copy("memref<?x2048xf16>").replace(
        "!stream.binding -> memref<?x2048xf16>", "!stream.binding -> memref<?x2048xf16>{%n}"
    )
    text = text.replace("  %c0 =", "  %n = gpu.grid_dim x\n  %c0 =", 1)
    assert "could exceed validBytes" in buffer(opened(text), GFX942).refusals[0].reason
    wave = buffer(opened(text), GFX942, rule="wave").text
    assert "arith.constant 2147483645 : i64" in wave
    assert "arith.constant 4096 : i14" in wave


PROMISED = {
    "%n = util.assume.int %g<umin = 1, umax = 40> : index": 40,
    "%n = util.assume.int %g[<umin = 0, umax = 0>, <umin = 4, umax = 64, udiv = 4>] : index": 64,
    "%m = util.assume.int %g<umin = 1, umax = 100> : index\n  %n = affine.apply "
    "affine_map<()[s0] -> (s0 ceildiv 16)>()[%m]": 7,
}


@pytest.mark.parametrize("line", PROMISED)
def test_a_size_that_the_text_bounds_is_as_much_as_it_can_be(line):
    text = copy("memref<?x2048xf16>").replace(
        "!stream.binding -> memref<?x2048xf16>", "!stream.binding -> memref<?x2048xf16>{%n}"
    )
    text = text.replace("  %c0 =", f"  %g = gpu.grid_dim x\n  {line}\n  %c0 =", 1)
    assert f"arith.constant {PROMISED[line] * 2048 * 2} : i64" in buffer(opened(text), GFX942).text


@pytest.mark.parametrize(
    "line",
    [
        "%n = util.assume.int %g[<umin = 1, umax = 4>, <umin = 1>] : index",
        "%n = util.assume.int %g<umin = 1, umax = 9007199254740991> : index",
        "%m = util.assume.int %g<umax = 4> : index\n  %n = affine.apply "
        "affine_map<()[s0] -> (s0 * -1 + 4)>()[%m]",
    ],
)
def test_what_bounds_no_size_is_no_promise(line):
    text = copy("memref<?x2048xf16>").replace(
        "!stream.binding -> memref<?x2048xf16>", "!stream.binding -> memref<?x2048xf16>{%n}"
    )
    text = text.replace("  %c0 =", f"  %g = gpu.grid_dim x\n  {line}\n  %c0 =", 1)
    assert "could exceed validBytes" in buffer(opened(text), GFX942).refusals[0].reason


def test_rows_of_half_bytes_are_counted_in_bits():
    text = copy("memref<64x2048xi4>", vector="vector<4xi4>")
    done = buffer(opened(text.replace("memref<64x4xf16>", "memref<64x4xi4>")), GFX942, rule="wave")
    assert "arith.constant 65536 : i64" in done.text
    assert "arith.constant 1024 : i14" in done.text


def test_a_memref_that_is_an_argument_is_refused_for_it_may_alias():
    text = """\
func.func @k(%in: memref<64xf16>) {
  %t = gpu.thread_id x upper_bound 64
  %v = vector.load %in[%t] : memref<64xf16>, vector<1xf16>
  return
}
"""
    done = buffer(opened(text), GFX942)
    assert done.text == text
    assert "may alias" in done.refusals[0].reason


def test_another_vendor_has_no_raw_buffers():
    done = buffer(opened(copy("memref<64x2048xf16>")), PassOptions("sm_90"))
    assert "an AMD instruction" in done.refusals[0].reason


def cast(stride: int) -> str:
    done = buffer(opened(copy("memref<64x1024xf16>")), GFX942).text
    return done.replace("arith.constant 2048 : i14", f"arith.constant {stride} : i14")


def test_a_stride_in_elements_is_found():
    ((_, message),) = stride_holes(opened(cast(1024)))
    assert "it counts bytes: 2048" in message
    assert list(stride_holes(opened(cast(2048)))) == []


def test_a_stride_of_0_with_the_swizzle_enabled_is_found():
    ((_, message),) = stride_holes(opened(cast(0)))
    assert "16384 becomes 0" in message


def test_the_published_wave_kernel_gives_its_strides_in_elements():
    found = [message for _, message in stride_holes(opened(wave_kernel()))]
    assert found == ["cacheSwizzleStride is 1024, the elements of a row; it counts bytes: 2048"] * 2
