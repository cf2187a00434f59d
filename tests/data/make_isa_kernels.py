"""Make tests/data/isa/*.s and *.ptx: the examples as IREE 3.13.0 compiles them.

python tests/data/make_isa_kernels.py
"""

from pathlib import Path

from bankwise.change.compile.compile import compiled_targets, emit
from bankwise.errors import Refusal

ROOT = Path(__file__).parent.parent.parent
OUT = Path(__file__).parent / "isa"


def main():
    """Compile every lowered example for the target in its name or folder."""
    for path in sorted((ROOT / "examples").glob("*/*.mlir")):
        where = path.relative_to(ROOT).as_posix()
        target = next(
            (name for name in compiled_targets() if name in where.replace("sm80", "sm_80")), None
        )
        if target is None:
            continue
        found = emit(path.read_text("utf-8"), target, file=where)
        if isinstance(found, Refusal):
            raise SystemExit(str(found))
        (code,) = found.texts
        comment, suffix = ("//", "ptx") if target.startswith("sm_") else (";", "s")
        head = f"{comment} iree-compile 3.13.0, {target}, {where}: tests/data/make_isa_kernels.py"
        (OUT / f"{path.stem}.{suffix}").write_text(f"{head}\n{code}")


if __name__ == "__main__":
    main()
