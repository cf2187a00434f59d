"""The theory page: every Python block runs, in order."""

import re
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "theory.md"


def test_every_block_of_the_theory_page_runs():
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) == 9
    namespace: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), namespace)
