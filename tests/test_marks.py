"""What editors and agents show of places: pictures, edits of lines, settings of a project."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankwise.counting.counted import Lanes
from bankwise.errors import InputError
from bankwise.hardware.machine import machine
from bankwise.read.options import Options
from bankwise.read.recognise import recognise_text, takers
from bankwise.read.settings import fitting, settings_of
from bankwise.show.bank_picture import bank_picture
from bankwise.show.edits import line_edits
from brute import brute_count

ROWS = [
    ("sm_90", "ld.shared.b32"),
    ("sm_90", "ld.shared.b128"),
    ("sm_90", "atom.shared.b32"),
    ("gfx950", "ds_read_b64"),
    ("gfx942", "ds_read_b128"),
    ("gfx942", "ds_read2_b32"),
]


@pytest.mark.parametrize(("target", "name"), ROWS)
@pytest.mark.parametrize("seed", range(8))
def test_the_worst_number_of_a_picture_is_the_ways_and_each_is_that_of_its_bank(
    target: str, name: str, seed: int
) -> None:
    rng, row = random.Random(seed), machine(target).instruction(name)
    step, size = row.width_bytes, row.wave_size
    offsets = tuple(rng.randrange(1 << rng.randrange(4, 11)) * step for _ in range(size))
    active = tuple(rng.random() < 0.9 for _ in range(size))
    apart = 64 * step if row.addresses == 2 else None
    rounds = [list(offsets)]
    rounds += [[one + apart for one in offsets]] if apart is not None else []
    picture = bank_picture(row, Lanes(name, 0, offsets, active, apart))
    numbers = [
        int(cell) if cell != "." else 0
        for line in picture
        if line.startswith("banks")
        for cell in re.sub(r"^banks +\d+-\d+ *", "", line).split()
    ]
    assert len(numbers) == row.banks
    _, _, ways = brute_count(row, rounds, list(active))
    assert max(numbers) == ways
    served: list[int] = []
    for part in re.split(r"lanes ", picture[0])[1].split():
        first, _, last = part.partition("-")
        served += range(int(first), int(last or first) + 1)
    assert all(active[lane] for lane in served)
    found = []
    for starts in rounds:
        wanted = {(starts[x] + byte) // 4 for x in served for byte in range(0, step, 4)}
        each = [(starts[x] + byte) // 4 for x in served for byte in range(0, step, 4)]
        words = each if row.serial else wanted
        found.append([sum(word % row.banks == bank for word in words) for bank in range(row.banks)])
    assert numbers in found


def test_a_copy_that_is_served_by_lines_has_no_picture() -> None:
    row = machine("sm_90").instruction("cp.async.cg.b128")
    assert bank_picture(row, Lanes(row.name, 0, tuple(range(0, 512, 16)), (True,) * 32)) == ()
    row = machine("sm_90").instruction("ld.shared.b32")
    assert bank_picture(row, Lanes(row.name, 0, (0,) * 32, (False,) * 32)) == ()


TEXT = st.lists(st.sampled_from(["a", "b", "c\r", "", "é\x0c", "\u2028"]), max_size=8).map(
    "\n".join
)


@given(TEXT, TEXT)
def test_edits_of_lines_make_the_other_text(before: str, after: str) -> None:
    lines = re.findall(r"[^\n]*\n|[^\n]+", before)
    for edit in reversed(list(line_edits(before, after))):
        lines[edit.first : edit.end] = [edit.text]
    assert "".join(lines) == after


def test_the_nearest_settings_hold_and_say_more_of_some_files(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "bankwise.toml").write_text('target = "sm_80"\n', "utf-8")
    text = (
        'target = "sm_90"\narg = ["n=4"]\nlaunch = ["k<<<1, 2>>>()"]\n'
        '[[file]]\nmatch = "b/*"\ntarget = "gfx950"\nfix = false\n'
        '[[file]]\nmatch = "*.s"\ndim = ["M=8"]\n'
    )
    (tmp_path / "a/bankwise.toml").write_text(text, "utf-8")
    found = settings_of(tmp_path / "a/b/k.s", {"prefer": "least-lds", "target": "x"})
    arguments, launches = ("n=4",), ("k<<<1, 2>>>()",)
    assert found.options == Options(
        *("gfx950", "", ("M=8",)), arguments=arguments, launches=launches, prefer="least-lds"
    )
    assert (found.folder, found.fix) == (tmp_path / "a", False)
    found = settings_of(tmp_path / "a/k.ptx")
    assert found.options == Options("sm_90", arguments=arguments, launches=launches)
    assert settings_of(tmp_path / "k.ptx").options == Options("sm_80")
    assert settings_of(tmp_path / "k.ptx", top=tmp_path / "a").options == Options()
    (tmp_path / "a/b/bankwise.toml").write_text("\n", "utf-8")
    assert settings_of(tmp_path / "a/b/k.s").options == Options(), "the nearest says nothing"
    kernel = recognise_text("k.mlir", "func.func @k() { gpu.thread_id x }")
    kept = fitting(found.options, kernel, takers("check"))
    assert kept == Options("sm_90", arguments=arguments), "an MLIR kernel says its own launch"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("target = 3", "Expected `str`, got `int` at `target`"),
        ("flags = '-I'", "Expected `array`, got `str` at `flags`"),
        ("reference = 'x'", "unknown field `reference`"),
        ("[[file]]\nkeep = 'x'", "unknown field `keep` at `file[0]`"),
        ("target = ", "this is no TOML"),
    ],
)
def test_settings_that_are_none_are_refused_at_their_file(
    tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "bankwise.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=re.escape(says)) as told:
        settings_of(tmp_path / "k.ptx")
    assert told.value.location is not None
    assert told.value.location.file == str(path)
