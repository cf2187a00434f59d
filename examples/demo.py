"""``make demo``: check and fix the project's own naive GEMM, and tell the story."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
KERNEL = HERE / "gemm_gather_to_lds" / "gemm_gfx950.mlir"


def bankwise(*arguments: str) -> int:
    print(f"\n$ bankwise {' '.join(arguments)}", flush=True)
    return subprocess.run([sys.executable, "-m", "bankwise", *arguments], check=False).returncode


def main() -> int:
    print("A GEMM for MI350 (gfx950) copies its tiles straight into LDS, row after row.")
    print("A row is 128 bytes, half of the 64 banks: the fragment reads collide.")
    found = bankwise("check", str(KERNEL))
    with TemporaryDirectory() as folder:
        fixed = str(Path(folder) / "gemm_fixed.mlir")
        print("\nA swizzle needs both sides: reads fold the column, copies permute their source.")
        mended = bankwise("fix", str(KERNEL), "-o", fixed)
        print("\nThe rewritten kernel, checked again:")
        clean = bankwise("check", fixed)
    return 0 if (found, mended, clean) == (1, 0, 0) else 1


if __name__ == "__main__":
    sys.exit(main())
