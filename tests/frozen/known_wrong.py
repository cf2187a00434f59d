"""Cells whose recorded answer is known to be wrong, and why; mend it, record again, drop the line.

A traceback, a wrong parser and a promise of the help that is not kept are marked without a line
here (see :mod:`frozen.observe`).
"""

KNOWN_WRONG: dict[str, str] = {}
