"""Run commands in a copy of the package that has one machine file more: ``python machine_copy.py``.

Reads commands from stdin (JSON: a list of lists of words), writes what they answered: exit code,
standard output, standard error; exit code null for a traceback.
"""

from __future__ import annotations

import json
import sys

from command import bankwise


def main() -> None:
    """Answer the commands of standard input."""
    answers = []
    for words in json.load(sys.stdin):
        try:
            ended = bankwise(*words)
            answers.append((ended.code, ended.out, ended.err))
        except Exception as error:
            answers.append((None, "", repr(error)))
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
