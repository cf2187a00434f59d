"""What a scan costs beside reading its kernels, in one run on one machine: ratios, no seconds.

    PYTHONPATH=src python -m pytest -s benchmarks/bench_scan.py

Aims: finding what is lost before a kernel is followed costs no more than decoding it twice, and a
kernel of n times the code no more than 1.5 n times. Processor time: other work does not count.
"""

import time
from collections.abc import Callable

from bankwise.read.follow.lost import without_lost
from bankwise.read.ptx.dialect import PTX

SIZE = (256, 1, 1)


def kernel(rounds: int) -> str:
    """A kernel whose every round reads shared memory where a thread's own number says, and where
    data does."""
    body = "".join(
        f"  ld.global.u32 %r{8 * n + 2}, [%rd1+{4 * n}];\n"
        f"  and.b32 %r{8 * n + 3}, %r{8 * n + 2}, 4092;\n"
        f"  ld.shared.u32 %r{8 * n + 4}, [%r{8 * n + 3}];\n"
        f"  add.u32 %r{8 * n + 5}, %r{8 * n + 4}, %r{8 * n + 2};\n"
        f"  setp.lt.u32 %p{n}, %r{8 * n + 5}, 7;\n"
        f"  @%p{n} add.u32 %r{8 * n + 5}, %r{8 * n + 5}, %r1;\n"
        f"  ld.shared.u32 %r{8 * n + 6}, [%r1+{4 * n}];\n"
        for n in range(rounds)
    )
    return (
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 p) {\n"
        f"  .reg .b32 %r<{8 * rounds + 9}>;\n  .reg .b64 %rd<3>;\n  .reg .pred %p<{rounds + 1}>;\n"
        "  .shared .align 4 .b8 t[8192];\n"
        f"  ld.param.u64 %rd1, [p];\n  mov.u32 %r1, %tid.x;\n{body}  ret;\n}}\n"
    )


def spent(work: Callable[[], object]) -> float:
    """The least processor time of three runs, in seconds."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def test_what_is_lost_costs_less_than_two_decodings(benchmark) -> None:
    found = benchmark.pedantic(lost_and_decoding, rounds=1)
    lost, decoding = found[800]
    growth = lost / found[200][0]
    benchmark.extra_info["lost / decoding"] = lost / decoding
    print(f"\nlost / decoding {lost / decoding:.2f}; four times the code {growth:.2f} times")
    assert lost < 2 * decoding
    assert growth < 1.5 * 4


def lost_and_decoding() -> dict[int, tuple[float, float]]:
    """By rounds, processor time of finding what is lost, and of decoding, in seconds."""
    found = {}
    for rounds in (200, 800):
        (one,) = PTX.kernels(kernel(rounds), "k.ptx", "")
        decoded = PTX.decode(one, SIZE, {})
        decoding = spent(lambda one=one: PTX.decode(one, SIZE, {}))
        start = PTX.start(one, SIZE, {})
        program = decoded.program
        found[rounds] = spent(lambda p=program, s=start: without_lost(p, s)), decoding
    return found
