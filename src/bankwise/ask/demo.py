"""``bankwise demo``: a conflict, its reason and its end, from the package alone.

The question is a file of the package; what is asked of it are the verbs that a user types.
"""

from __future__ import annotations

import re
from importlib import resources

from bankwise.show.spec import SpecSolution

FILE = "transpose.toml"
"""What the question is called in the answers."""
_LAYOUT = re.compile(r'^layout = "[^"]*".*$', re.MULTILINE)


def question() -> str:
    """The tile question, as TOML."""
    return resources.files(__package__).joinpath("demo.toml").read_text("utf-8")


def mended(text: str, solution: SpecSolution) -> str:
    """The question with the best layout in place of its own, in the words in which it was asked."""
    best = next(said.text for said in solution.said if said.notation == solution.asked)
    return _LAYOUT.sub(lambda _: f'layout = "{best}"', text)
