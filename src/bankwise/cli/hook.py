"""``bankwise check`` for each kernel that pre-commit names, and for those that a header may be in.

``python -m bankwise.cli.hook [.SUFFIX] [options] [--] files``: a header among the files stands for
all kernels of the repository with that suffix, for nobody knows which of them include it. What is
neither kernel nor header is an option of ``bankwise check``.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_KERNELS = frozenset(
    (
        *(".mlir", ".s", ".amdgcn", ".rocmasm", ".asm", ".ptx", ".sass", ".ttgir"),
        *(".cubin", ".hsaco", ".co", ".hipfb", ".fatbin", ".cu", ".hip"),
    )
)
_HEADERS = frozenset((".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl", ".inc"))


def main(words: Sequence[str]) -> int:
    """The exit code of all checks together: 2 decides before 1, and 1 before 3."""
    from bankwise.errors import worst

    through = words[0] if words and re.fullmatch(r"\.\w+", words[0]) else ""
    rest = words[1:] if through else words
    files = {word for word in rest if Path(word).is_file()}
    named = [word for word in rest if word in files and _suffix(word) in _KERNELS]
    headers = [word for word in rest if word in files and _suffix(word) in _HEADERS]
    options = [word for word in rest if word not in (*named, *headers)]
    kernels = tuple(dict.fromkeys((*named, *(_tracked(through) if through and headers else ()))))
    if not kernels:
        return _nothing(rest, headers, through)
    return worst(_code(kernel, options) for kernel in kernels)


def _suffix(file: str) -> str:
    return Path(file).suffix.lower()


def _code(kernel: str, options: Sequence[str]) -> int:
    from bankwise.errors import FAILED

    command = [sys.executable, "-m", "bankwise", "check", kernel, *options]
    code = subprocess.run(command, check=False).returncode
    return code if code in (0, 1, 3) else FAILED


def _tracked(suffix: str) -> list[str]:
    """The files of the repository with a suffix; none outside of one."""
    command = ["git", "ls-files", "-z", "--", f"*{suffix}"]
    said = subprocess.run(command, check=False, capture_output=True).stdout
    names = said.decode("utf-8", "surrogateescape").split("\0")
    return [name for name in names if name and Path(name).is_file()]


def _nothing(words: Sequence[str], headers: Sequence[str], through: str) -> int:
    """Silence would look like a check that passed."""
    from bankwise.errors import FAILED

    gone = [word for word in words if _suffix(word) in _KERNELS and not Path(word).exists()]
    why = f"no kernel to check among: {' '.join(words) or 'no names'}"
    if headers and through:
        why = f"this repository has no {through} to check for {headers[0]}"
    elif gone:
        why = f"no kernel to check: {gone[0]} is not there"
    print(f"error: {why}\n  hint: kernels end in {', '.join(sorted(_KERNELS))}", file=sys.stderr)
    return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
