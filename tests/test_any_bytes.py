"""Sources with comments in another encoding than UTF-8: read, changed, written byte by byte."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.cli.common import write_text
from bankwise.errors import InputError
from bankwise.files import bytes_of, is_unicode, read_text, with_any_bytes
from bankwise.read.launch.headers import header_texts
from command import bankwise
from cuda_fixes import KERNELS, real

_PIECES = (b"a", b"\n", "é".encode(), b"\xe9", b"\xff", b"\xed\xa0\x80", "\U0010ff80".encode())
_HALVES = (b"\xf4\x8f", b"\xf4\x8f\xbe", b"\xbe", b"\x80")


@given(st.lists(st.sampled_from((*_PIECES, *_HALVES))).map(b"".join) | st.binary())
def test_all_bytes_are_written_as_they_were_read(data: bytes) -> None:
    text = with_any_bytes(data)
    assert bytes_of(text) == data
    assert text.encode("utf-8").decode("utf-8") == text


def test_a_text_of_utf8_stays_what_it_is() -> None:
    text = "// résumé 共享内存\n"
    assert with_any_bytes(text.encode()) == text
    assert is_unicode(text)
    assert not is_unicode(with_any_bytes(text.encode("gbk")))


def test_signs_that_stand_for_bytes_are_kept_where_a_text_has_them(tmp_path: Path) -> None:
    """They are valid UTF-8, in any language, and must not be written as the bytes they mean."""
    file = tmp_path / "k.mlir"
    file.write_bytes("// \U0010ff80\U0010ffff\n".encode())
    assert bytes_of(read_text(file)) == file.read_bytes()


def test_other_texts_have_to_be_utf8_and_the_way_on_is_told(tmp_path: Path) -> None:
    file = tmp_path / "k.toml"
    file.write_bytes(b"# one\n# \xe9\n")
    with pytest.raises(InputError, match="not UTF-8 text: byte 0xe9\n  hint: iconv") as found:
        read_text(file)
    assert found.value.location is not None
    assert found.value.location.line == 2


def test_a_patch_on_standard_output_has_the_bytes_of_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    data = "// résumé\n".encode("latin-1")
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, "utf-8", write_through=True))
    print("before")
    write_text(with_any_bytes(data))
    print("behind é")
    assert raw.getvalue() == b"before\n" + data + "behind é\n".encode()


def test_a_header_has_its_bytes_too(tmp_path: Path) -> None:
    header = tmp_path / "k.h"
    header.write_bytes("// résumé\n#define N 32\n".encode("latin-1"))
    (found,) = header_texts('#include "k.h"\n', tmp_path / "k.cu").values()
    assert bytes_of(found) == header.read_bytes()


@pytest.mark.compiles
@real
def test_a_source_in_gbk_is_checked_and_fixed_in_its_own_bytes(tmp_path: Path) -> None:
    """Its patch has the bytes of the file, so that it applies."""
    plain = (KERNELS / "transpose_f32.cu").read_bytes()
    comment = "// 共享内存 \n".encode("gbk")
    name = "共享.h".encode("gbk")
    (tmp_path / os.fsdecode(name)).write_bytes(b"#define N 4\n")
    include = b'#include "' + name + b'"\nstatic_assert(N == 4, "found by its bytes");\n'
    file, patch = tmp_path / "k.cu", tmp_path / "k.patch"
    file.write_bytes(include + comment + plain.replace(b"{\n", b"{ " + comment, 1))
    done = bankwise("fix", file, "-t", "sm_90", "-o", patch)
    assert "written" in done.err
    subprocess.run(["patch", "-s", str(file), str(patch)], check=True)
    made = file.read_bytes()
    assert made.count(comment) == 2
    assert b"+ 1" in made


@real
def test_a_kernel_in_a_header_of_such_bytes_is_changed_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (KERNELS / "transpose_f32.cu").read_bytes()
    begins = text.index(b"void launch")
    comment = "// préparé\n".encode("latin-1")
    header, source = comment + text[:begins], comment + b'#include "k.h"\n' + text[begins:]
    Path("k.h").write_bytes(header)
    Path("k.cu").write_bytes(source)
    done = bankwise("fix", "k.cu", "-t", "sm_90", "--accept-sampled", "-o", "fixed/")
    assert Path("fixed/k.h").read_bytes() == header.replace(b"[32][32]", b"[32][32 + 1]"), done.err
    assert Path("k.cu").read_bytes() == source
