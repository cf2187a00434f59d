"""Macros of launches that are defined in several ways: the compiler says which one holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bankwise.read.launch.host import launches_in
from command import bankwise, unfolded
from test_cuda import compiles, real

WAYS = "#ifdef TILE_OF_TEST\n#define TILE TILE_OF_TEST\n#else\n#define TILE 16\n#endif\n"
GO = "void go(float* a) { k<<<1, TILE>>>(a); }\n"


def blocks(source: str, told: Mapping[str, str]) -> list[object]:
    return [one.block and one.block[0] for one in launches_in(source, (), lambda: told)]


def test_the_way_that_the_compiler_keeps_decides_a_launch() -> None:
    told = {"TILE": "16", "OTHER": "3"}
    assert blocks(WAYS + GO, told) == [16]
    assert blocks(WAYS + GO, {**told, "TILE": "TILE_OF_TEST"}) == []
    assert blocks(WAYS + GO, {}) == []
    assert blocks(
        WAYS.replace("TILE_OF_TEST\n#else", "(8 * 4)\n#else") + GO, {"TILE": "(8*4)"}
    ) == [32]


@pytest.mark.parametrize(
    "source",
    [
        f"#define TILE 32\n{GO}#undef TILE\n#define TILE 16\n",
        f"#define TILE 32\n{GO}#define TILE 16\n",
        f"#define TILE 32\n#define SIZE TILE\n#define TILE 16\n{GO}",
        f"#ifdef __CUDA_ARCH__\n#define TILE 32\n#else\n#define TILE 16\n#endif\n{GO}",
    ],
)
def test_where_another_way_may_have_held_nothing_is_decided(source: str) -> None:
    assert 16 not in blocks(source, {"TILE": "16"})


@real
@compiles
def test_nvcc_is_asked_and_flags_count(tmp_path: Path) -> None:
    body = "__shared__ float s[64]; s[threadIdx.x] = *a; *a = s[1];"
    kernel = f"__global__ void k(float* a) {{ {body} }}\n"
    (tmp_path / "k.cu").write_text(f"{kernel}{WAYS}{GO}", "utf-8")
    for flags, size in ((), 16), (("--", "-DTILE_OF_TEST=48"), 48):
        answer = bankwise("check", str(tmp_path / "k.cu"), "--target", "sm_90", *flags)
        assert f"block size {size},1,1, as it is launched" in unfolded(answer.out)
