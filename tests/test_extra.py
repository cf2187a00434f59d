"""The line that installs an extra is the one for the copy of bankwise that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankwise.read.extra import install_line

SITE = Path("/venv/lib/python3.12/site-packages/bankwise")


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        ("", "pip install 'bankwise[ir]'"),
        ('{"dir_info": {}, "url": "file:///a%20b/c"}', "pip install '/a b/c[ir]'"),
        (
            '{"archive_info": {}, "url": "file:///d/bankwise-1-py3-none-any.whl"}',
            "pip install '/d/bankwise-1-py3-none-any.whl[ir]'",
        ),
        (
            '{"archive_info": {}, "url": "https://h.example/bankwise-1-py3-none-any.whl"}',
            "pip install 'bankwise[ir] @ https://h.example/bankwise-1-py3-none-any.whl'",
        ),
        (
            '{"vcs_info": {"vcs": "git", "commit_id": "0"}, "url": "https://h.example/b.git"}',
            "pip install 'bankwise[ir] @ git+https://h.example/b.git'",
        ),
    ],
)
def test_a_copy_that_was_installed_says_from_where(origin: str, line: str) -> None:
    assert install_line("ir", SITE, origin) == line


def test_a_checkout_is_named_by_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the metadata of an installation beside it says."""
    (tmp_path / "src" / "bankwise").mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    other = '{"dir_info": {"editable": true}, "url": "file:///elsewhere"}'
    package = tmp_path / "src" / "bankwise"
    assert install_line("ir", package, other) == f"pip install -e '{tmp_path}[ir]'"
    monkeypatch.chdir(tmp_path)
    assert install_line("ir", package, other) == "pip install -e '.[ir]'"
