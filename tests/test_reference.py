"""``--reference``: whatever the user's function does, there is an answer, or one message and 2."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bankwise.ask import reference
from bankwise.ask.reference import against, load
from bankwise.errors import InputError
from command import bankwise
from kernel_texts import ROWS, written

BAD = {
    "raises": "def f(b): raise ValueError('no')",
    "ends with success": "def f(b): raise SystemExit(0)",
    "ends the process with success": "import os\ndef f(b): os._exit(0)",
    "ends the process while it is read": "import os\nos._exit(0)",
    "crashes": "import os, signal\ndef f(b): os.kill(os.getpid(), signal.SIGKILL)",
    "is interrupted": "def f(b): raise KeyboardInterrupt",
    "gives nothing": "def f(b): return None",
    "gives words": "def f(b): return ['a', 'b']",
    "gives ragged lists": "def f(b): return [[[1, 2], [3]], None]",
    "takes no buffers": "def f(): return []",
    "is a number": "f = 3",
    "is missing": "g = 3",
    "file raises": "1 / 0",
    "file ends": "raise SystemExit(0)",
    "no Python": "def f(b: return",
}


@pytest.mark.parametrize("text", BAD.values(), ids=BAD)
def test_what_gives_no_buffers_is_one_input_error(tmp_path: Path, text: str) -> None:
    named = f"{written(tmp_path, text, 'ref.py')}:f"
    with pytest.raises(InputError) as error:
        load(named)([np.zeros(4, np.float16)])
    assert str(error.value).startswith(f"--reference {named}: ")
    assert error.value.hint


def test_what_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "_LIMIT_S", 3)
    text = "def f(b):\n    while True: pass"
    named = f"{written(tmp_path, text, 'ref.py')}:f"
    with pytest.raises(InputError, match="no answer within 3 seconds"):
        load(named)([np.zeros(4)])


WRONG = {
    "endless": "from itertools import repeat\ndef f(b): return repeat(b[0])",
    "too few": "def f(b): return b[:1]",
    "too many": "def f(b): return b * 3",
    "none of them": "def f(b): return [None, None]",
    "other sizes": "import numpy as np\ndef f(b): return [None, np.ones(3)]",
    "no numbers": "import numpy as np\ndef f(b): return [None, b[1] * np.nan]",
    "other values": "def f(b): return [None, b[1] + 1]",
}


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_wrong_buffers_are_not_close(tmp_path: Path, text: str) -> None:
    expect = load(f"{written(tmp_path, text, 'ref.py')}:f")
    buffers = [np.arange(4, dtype=np.float16), np.arange(4, dtype=np.float32)]
    close, told = against(expect, buffers, buffers)
    assert not close
    assert told.startswith(("the reference gives ", "relative distance"))


def test_every_kind_of_buffer_arrives_as_it_is(tmp_path: Path) -> None:
    text = "def f(b): return [x.view('u1') for x in b]"
    given = [np.arange(8).astype(kind) for kind in ("f2", "f4", "f8", "u1", "u2", "i4", "i8")]
    found = load(f"{written(tmp_path, text, 'ref.py')}:f")(given)
    assert [x.tolist() for x in found if x is not None] == [g.view("u1").tolist() for g in given]


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("def f(b):\n    print('hello')\n    return [None, b[0]]", 0, "relative distance"),
        ("import os\ndef f(b): os._exit(0)", 2, "hint: "),
        ("def f(b): return [None, b[0] + 1]", 2, "execution: failed"),
    ],
    ids=["prints", "ends the process", "differs"],
)
def test_a_verdict_or_2(tmp_path: Path, text: str, code: int, said: str) -> None:
    pytest.importorskip("iree.compiler", reason="needs the extra [ir]")
    path = written(tmp_path, ROWS)
    named = f"{written(tmp_path, text, 'ref.py')}:f"
    ended = bankwise("fix", path, "-t", "gfx950", "--no-isa", "--reference", named)
    assert ended.code == code
    assert said in ended.out + ended.err
    assert "hello" not in ended.out
