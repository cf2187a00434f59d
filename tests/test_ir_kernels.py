"""Kernels of a module and their launch: what the text states, and nothing guessed."""

from __future__ import annotations

import pytest

from bankwise.read.mlir.module import open_text

pytest.importorskip("iree.compiler.ir", reason="needs the extra [ir]")

from bankwise.read.mlir.kernels import kernels


def launch(text: str) -> list[tuple[str, object, object, object]]:
    return [(k.name, k.target, k.workgroup_size, k.grid) for k in kernels(open_text(text))]


def test_an_axis_that_is_asked_for_without_a_bound_leaves_the_size_unknown() -> None:
    body = "func.func @{} () {{ %x = gpu.thread_id x upper_bound 64 {} return }}"
    text = body.format("a", "") + body.format("b", "%y = gpu.thread_id y")
    assert launch(text) == [("a", None, (64, 1, 1), None), ("b", None, None, None)]


def test_functions_without_shared_memory_and_thread_ids_are_no_kernels() -> None:
    assert launch("func.func @f() { return }\nfunc.func private @g()\n") == []


def test_gpu_modules_say_their_chip_and_sizes() -> None:
    assert launch(
        """gpu.module @m [#nvvm.target<chip = "sm_80">] {
        gpu.func @f() workgroup(%w: memref<4xf32, 3>) kernel attributes {
            known_block_size = array<i32: 64, 2, 1>, known_grid_size = array<i32: 2, 3, 1>} {
          gpu.return } }"""
    ) == [("f", "sm_80", (64, 2, 1), (2, 3, 1))]


def test_two_chips_for_one_kernel_are_no_target() -> None:
    chips = '#nvvm.target<chip = "sm_80">, #nvvm.target<chip = "sm_90">'
    body = "gpu.func @f() kernel { %t = gpu.thread_id x gpu.return }"
    assert launch(f"gpu.module @m [{chips}] {{ {body} }}") == [("f", None, None, None)]


@pytest.mark.parametrize("count", ["%c2, %c1, %c3", "%c2, %c1, %w"])
def test_a_grid_is_what_the_export_returns_if_that_is_constant(count: str) -> None:
    text = f"""
    stream.executable private @e {{
      stream.executable.export public @k workgroups(%w: index) -> (index, index, index) {{
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        stream.return {count} : index, index, index
      }}
      builtin.module {{ func.func @k() {{ %t = gpu.thread_id x return }} }}
    }}"""
    assert launch(text) == [("k", None, None, (2, 1, 3) if "%w" not in count else None)]
