"""Compilers that run while the text before is judged: begun, asked for or ended, same answers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from bankwise.ask.fix_source import fix_source_file
from bankwise.ask.source_text import Author, source_beside
from bankwise.read import ahead
from bankwise.read.ahead import BegunCompilation
from bankwise.read.cuda import CUDA
from bankwise.read.kept_code import KeptCode
from bankwise.read.launch.host import launches_in, lines_of_kernels
from bankwise.read.options import Options
from bankwise.read.source import Compilation, begun, laid_out
from bankwise.read.toolkit import find_program

ROOT = Path(__file__).parents[1]
real = pytest.mark.skipif(find_program("nvcc") is None, reason="nvcc is not installed")

KERNEL = """#include <cuda_runtime.h>
__global__ void turn(float* out) {
  __shared__ float s[32][32];
  s[threadIdx.y][threadIdx.x] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
int main() { turn<<<1, dim3(32, 32)>>>(nullptr); }
"""
PADDED = KERNEL.replace("[32][32]", "[32][33]")


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "MOST", 1)
    monkeypatch.setattr(ahead, "cores", lambda: 2)


@pytest.fixture
def asleep(tmp_path: Path) -> Callable[[], BegunCompilation | None]:
    """A compiler that never ends."""
    file = tmp_path / "k.cu"
    file.write_text(KERNEL)
    words = [sys.executable, "-c", "import time; time.sleep(600)"]
    return lambda: begun(Compilation(file, text=PADDED), "k.cu", lambda _: words)


@pytest.mark.usefixtures("two_cores")
def test_no_more_run_than_cores_are_left_and_what_nobody_asks_for_is_ended(
    asleep: Callable[[], BegunCompilation | None],
) -> None:
    kept = KeptCode()
    kept.begin("a", asleep)
    kept.begin("b", asleep)
    ((of, one),) = kept.begun
    assert of == "a"
    assert one.runs
    assert one.laid.source.read_text() == PADDED
    kept.leave()
    assert not kept.begun
    assert not one.laid.folder.exists()
    assert one.started.wait(60) < 0


@pytest.mark.usefixtures("two_cores")
def test_what_is_asked_in_other_words_is_not_answered_by_what_was_begun(
    asleep: Callable[[], BegunCompilation | None], tmp_path: Path
) -> None:
    kept = KeptCode()
    kept.begin("a", asleep)
    one = kept.take("a")
    assert one is not None
    assert kept.take("a") is None
    with laid_out(Compilation(tmp_path), "", one) as here:
        assert here.run is not None
        code, said = here.run([sys.executable, "-c", "print(7)"], here.folder, "k.cu")
        assert (code, said) == (0, "7\n")
        assert one.runs
    assert one.started.wait(60) < 0


def test_a_program_that_cannot_be_started_is_not_begun(tmp_path: Path) -> None:
    what = Compilation(tmp_path / "k.cu", text=KERNEL)
    assert begun(what, "k.cu", lambda _: [str(tmp_path / "nothing")]) is None


@real
@pytest.mark.usefixtures("two_cores")
def test_a_text_that_was_begun_is_compiled_to_the_same(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text(KERNEL)
    what = Compilation(file, "sm_90")
    source = source_beside(KERNEL, str(file), what)
    author = Author(source, CUDA, what, Options(target="sm_90"))
    author.compiled(KERNEL)
    author.begin(PADDED)
    ((_, one),) = author.kept.begun
    made = author.compiled(PADDED)
    assert not author.kept.begun
    assert one.started.returncode == 0
    other = replace(author, kept=KeptCode()).compiled(PADDED)
    assert made.cost() == other.cost()
    assert made.how == other.how
    assert made.emitted.passes == other.emitted.passes
    assert made.emitted.passes != author.compiled(KERNEL).emitted.passes


@real
@pytest.mark.usefixtures("two_cores")
def test_the_search_begins_the_text_that_it_tries_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two texts are tried: the second one runs while the first is judged, with the same answer."""
    file = ROOT / "tests" / "data" / "cuda_fix" / "transpose_flat.cu"
    taken: list[BegunCompilation] = []
    all_kept: list[KeptCode] = []
    take = KeptCode.take

    def heard(kept: KeptCode, of: object) -> BegunCompilation | None:
        one = take(kept, of)
        taken.extend([one] * (one is not None))
        all_kept.append(kept)
        return one

    monkeypatch.setattr(KeptCode, "take", heard)
    found = fix_source_file(file, Options(target="sm_90"))
    assert taken
    assert all(one.started.returncode == 0 for one in taken)
    assert not any(kept.begun for kept in all_kept)
    monkeypatch.setattr(ahead, "MOST", 0)
    assert fix_source_file(file, Options(target="sm_90")).fixed_text == found.fixed_text
    assert found.changes


def test_lines_inside_of_kernels_say_nothing_of_launches() -> None:
    assert lines_of_kernels(KERNEL) == {3, 4, 5, 6}
    (launch,) = launches_in(KERNEL)
    assert (launch.kernel, launch.block) == ("turn", (32, 32, 1))
    host = KERNEL.replace("__global__ ", "")
    inside = "  __syncthreads();\n"
    for text in (
        host,
        KERNEL.replace(inside, "  turn<<<1, 8>>>(out);\n"),
        KERNEL.replace(inside, "#define N 8\n"),
        KERNEL.replace("__global__", "struct S;\nvoid"),
    ):
        assert not lines_of_kernels(text), text


def test_lines_inside_of_functions_of_the_device_alone_say_nothing_of_launches() -> None:
    body = " void move(int n) {\n  s[n] = n;\n}\n"
    bounded = "__global__ void __launch_bounds__(32 * (2 + 1)) k(int n) {\n  s[n] = n;\n}\n"
    for before in ("__device__", "template <int N> static __device__ __forceinline__"):
        assert lines_of_kernels(before + body) == {2}
    assert lines_of_kernels(bounded) == {2}
    for before in ("", "__host__ __device__", "constexpr __device__", "static"):
        assert not lines_of_kernels(before + body), before
    assert not lines_of_kernels("int n = sizeof(int) __launch_bounds__;\n" + body)
