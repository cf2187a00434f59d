"""Occupancy: the tables that the vendors' own calculators print, and laws between them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.hardware.machine import machine, names
from bankwise.hardware.occupancy import Usage, change, occupancy

REGISTERS_TO_WAVES = [
    *((64, 8), (65, 7), (72, 7), (73, 6), (80, 6), (81, 5), (96, 5), (97, 4), (128, 4)),
    *((129, 3), (168, 3), (169, 2), (256, 2), (257, 1), (512, 1)),
]
"""LLVM, AMDGPU usage: vector registers against waves per SIMD on gfx90a and later gfx9."""


@pytest.mark.parametrize(("vgprs", "waves"), REGISTERS_TO_WAVES)
def test_vector_registers_give_llvm_s_waves_per_simd_on_gfx942(vgprs: int, waves: int) -> None:
    found = occupancy(machine("gfx942"), Usage(64, 0, vgprs))
    assert found.resident_waves == 4 * waves


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "warps"),
    [(256, 32, 0, 64), (256, 64, 0, 32), (128, 255, 0, 8), (256, 32, 48 * 1024, 24)],
)
def test_cuda_s_occupancy_calculator_on_sm_80(
    threads: int, registers: int, shared: int, warps: int
) -> None:
    found = occupancy(machine("sm_80"), Usage(threads, shared, registers))
    assert found.resident_waves == warps


def test_the_attention_kernel_of_the_talk_holds_one_workgroup_by_shared_memory() -> None:
    found = occupancy(machine("gfx942"), Usage(256, 40_960, 96, 23))
    assert (found.workgroups, found.waves, found.resident_waves) == (1, 4, 4)
    assert found.limited_by == ("shared memory",)
    assert str(found) == "4 of 32 waves (12%): 1 x 4, limited by shared memory"


def test_shared_memory_is_rounded_up_to_the_granule() -> None:
    # 65,536 / 8 = 8,192 exactly; one byte more takes 8,704 bytes, 7 of which fit.
    gpu = machine("gfx942")
    assert occupancy(gpu, Usage(64, 8_192)).workgroups == 8
    assert occupancy(gpu, Usage(64, 8_193)).workgroups == 7


def test_nvidia_reserves_a_kilobyte_of_every_workgroup_s_share() -> None:
    # 233,472 bytes of an H200's SM: 8 workgroups of 28 KiB + 1 KiB, not of 29 KiB.
    gpu = machine("sm_90")
    by_shared = {x.resource: x.workgroups for x in occupancy(gpu, Usage(32, 28 * 1024)).limits}
    assert by_shared["shared memory"] == 233_472 // (29 * 1024)


def test_a_workgroup_of_one_wave_escapes_the_barrier_limit_on_amd() -> None:
    gpu = machine("gfx942")
    assert occupancy(gpu, Usage(64, 0)).workgroups == 32
    assert occupancy(gpu, Usage(128, 0)).workgroups == 16


def test_a_workgroup_that_does_not_fit_has_no_occupancy() -> None:
    assert occupancy(machine("gfx942"), Usage(64, 65_537)).workgroups == 0


def test_registers_that_nobody_compiled_are_named_as_not_considered() -> None:
    found = occupancy(machine("gfx942"), Usage(256, 1024))
    assert found.unknown == ("vector registers", "scalar registers")
    assert "not considered: vector registers, scalar registers" in str(found)


def test_a_change_is_told_by_its_waves() -> None:
    gpu = machine("gfx942")
    padded, plain = occupancy(gpu, Usage(256, 33_280)), occupancy(gpu, Usage(256, 32_768))
    assert change(padded, plain).startswith("occupancy 4 -> 8 waves")
    assert change(plain, plain).startswith("occupancy unchanged")


@given(
    st.sampled_from(names()),
    st.integers(1, 1024),
    st.integers(0, 65_536),
    st.integers(1, 512),
    st.integers(0, 4096),
    st.integers(0, 64),
)
def test_taking_more_never_fits_more(
    name: str, threads: int, lds: int, vgprs: int, more: int, registers: int
) -> None:
    gpu = machine(name)
    less = occupancy(gpu, Usage(threads, lds, vgprs))
    assert occupancy(gpu, Usage(threads, lds + more, vgprs)).workgroups <= less.workgroups
    assert occupancy(gpu, Usage(threads, lds, vgprs + registers)).workgroups <= less.workgroups
    assert less.resident_waves <= less.wave_slots
