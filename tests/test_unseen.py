"""Accesses that one workgroup never executes: what the text alone tells about them."""

from __future__ import annotations

import pytest

pytest.importorskip("iree.compiler", reason="needs the extra [ir]")

from bankwise.read.mlir.extract import Extraction, UnseenAccess, extract
from bankwise.read.mlir.kernels import kernels
from bankwise.read.mlir.module import open_text
from bankwise.read.mlir.names import called
from kernel_texts import ROWS, SHARED, STORE, changed

PAIR = "memref<2x64x64xf16, #gpu.address_space<workgroup>>"
SECOND = "memref<64x64xf16, strided<[64, 1], offset: 4096>, #gpu.address_space<workgroup>>"

NEVER = """  %b = gpu.block_id x
  %is = arith.cmpi eq, %b, %c64 : index
  scf.if %is {
    %x = vector.load LDS : TYPE, vector<8xf16>
  }
  gpu.barrier
"""


def guarded(place: str, kind: str, *pairs: tuple[str, str]) -> str:
    """A load that workgroup 64 alone executes."""
    load = NEVER.replace("LDS", place).replace("TYPE", kind)
    return changed(ROWS, ("  gpu.barrier\n", load), ("<i32: 1, 1, 1>}", "<i32: 99, 1, 1>}"), *pairs)


def extracted(text: str) -> Extraction:
    opened = open_text(text)
    (kernel,) = kernels(opened)
    assert kernel.workgroup_size is not None
    return extract(
        kernel.op,
        name=kernel.name,
        workgroup_size=kernel.workgroup_size,
        wave_size=64,
        locate=opened.location_of,
        grid=kernel.grid,
        called=called(opened),
    )


def unseen(text: str) -> UnseenAccess:
    (found,) = extracted(text).unseen
    return found


def test_what_every_workgroup_executes_is_seen() -> None:
    assert extracted(ROWS).unseen == ()


def test_a_load_that_another_workgroup_executes_has_its_allocation_and_no_patterns() -> None:
    found = unseen(guarded("%lds[%t, %c8]", SHARED))
    assert found.allocations == ("lds",)
    assert found.site.access.patterns == ()
    assert (found.site.access.operation, found.site.access.width_bytes) == ("vector.load", 16)
    assert found.site.base is not None
    assert (found.site.base.strides, found.site.base.offsets) == ((64, 1), (0,))


def test_its_views_are_read_from_the_text() -> None:
    view = (
        f"  %lds = memref.alloc() : {SHARED}",
        f"  %lds = memref.alloc() : {SHARED}\n  %pair = memref.alloc() : {PAIR}\n"
        f"  %other = memref.subview %pair[1, 0, 0] [1, 64, 64] [1, 1, 1] : {PAIR} to {SECOND}",
    )
    found = unseen(guarded("%other[%t, %c8]", SECOND, view))
    assert found.allocations == ("pair",)
    assert found.site.base is not None
    assert (found.site.base.strides, found.site.base.offsets) == ((64, 1), (64 * 64,))


def test_a_choice_of_buffers_may_be_either() -> None:
    choice = (
        f"  %lds = memref.alloc() : {SHARED}",
        f"  %lds = memref.alloc() : {SHARED}\n  %two = memref.alloc() : {SHARED}\n"
        f"  %odd = arith.cmpi ne, %t, %c8 : index\n"
        f"  %one = arith.select %odd, %lds, %two : {SHARED}",
    )
    assert unseen(guarded("%one[%t, %c8]", SHARED, choice)).allocations == ("lds", "two")


def test_of_an_argument_it_is_not_known_which_memory_it_is() -> None:
    argument = ("(%in: ", f"(%lent: {SHARED}, %in: ")
    assert unseen(guarded("%lent[%t, %c8]", SHARED, argument)).allocations is None


def test_an_access_at_an_index_from_data_is_refused_and_unseen() -> None:
    text = changed(
        ROWS,
        ("(%in: ", "(%rows: memref<64xindex>, %in: "),
        ("  %lds =", "  %w = memref.load %rows[%t] : memref<64xindex>\n  %lds ="),
        (STORE, STORE.replace("%t", "%w")),
    )
    found = extracted(text)
    assert [each.allocations for each in found.unseen] == [("lds",)]
    assert "depends on data loaded" in found.refusals[0].reason
