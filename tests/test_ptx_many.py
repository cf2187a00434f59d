"""A PTX text with many kernels is read once, not once for each of them."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

import pytest

from bankwise.read.ptx.parse import kernels

_HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 of_all[64];\n"
_KERNEL = """.visible .entry k{n}()
{{
    .shared .align 4 .b8 own{n}[16];
    {{ .shared .align 4 .b8 within{n}[8]; mov.u32 %r3, within{n}; }}
    mov.u32 %r1, own{n};
    mov.u32 %r2, of_all;
    ret;
}}
"""


def _text(many: int) -> str:
    return _HEAD + "".join(_KERNEL.format(n=n) for n in range(many))


def test_a_kernel_has_its_own_shared_variables_then_those_of_the_module() -> None:
    found = {one.name: [v.name for v in one.shared] for one in kernels(_text(3))}
    assert found == {f"k{n}": [f"own{n}", f"within{n}", "of_all"] for n in range(3)}


def test_twice_as_many_kernels_search_the_text_twice_as_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def counted(many: int) -> int:
        calls, text = 0, _text(many)

        def note(frame: FrameType, event: str, of: Any) -> None:
            nonlocal calls
            calls += event == "c_call" and getattr(of, "__name__", "") == "count"

        sys.setprofile(note)
        try:
            kernels(text)
        finally:
            sys.setprofile(None)
        return calls

    few, twice = counted(10), counted(20)
    assert 0 < twice <= 2.2 * few
