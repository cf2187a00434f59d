"""Make triton_addresses.json: the LDS addresses that Triton 3.9.0 really emits for gfx942.

    /tmp/triton/bin/python tests/data/make_triton_addresses.py

(the environment of make_triton_golden.py). For padded and rotating layouts Triton's Python has no
question to ask, so the compiler is: 1024 threads write one element each of a 2-D tile, and the
address arithmetic of the emitted LLVM IR is evaluated for every thread. Compiling needs no GPU.

    [encoding, shape, element bytes, LDS bytes, [[row, column, byte address], ..]]
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

OUT = Path(__file__).with_name("triton_addresses.json")
SEED = 20261121
COUNT = 80
THREADS, LANES = 1024, 64
ELEMENTS = {1: ("i8", "7"), 2: ("f16", "1.0"), 4: ("f32", "1.0")}

MODULE = """
#blocked = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = %s, warpsPerCTA = %s, \
order = [1, 0]}>
#shared = %s
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 16 : i32, \
ttg.target = "hip:gfx942", "ttg.threads-per-warp" = 64 : i32} {
  tt.func public @f() {
    %%c = arith.constant dense<%s> : tensor<%s, #blocked>
    %%a = ttg.local_alloc : () -> !ttg.memdesc<%s, #shared, #smem, mutable>
    ttg.local_store %%c, %%a : tensor<%s, #blocked> -> !ttg.memdesc<%s, #shared, #smem, mutable>
    tt.return
  }
}
"""


def main():
    random.seed(SEED)
    cases, lost = [], 0
    while len(cases) < COUNT:
        text = json.dumps(MAKERS[len(cases) % len(MAKERS)]())
        command = [sys.executable, __file__, "--worker"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            cases.append(json.loads(done.stdout))
        else:
            lost += 1
    lines = [json.dumps(case, separators=(",", ":")) for case in cases]
    OUT.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(cases)} cases, {lost} refused by Triton", file=sys.stderr)


def power(low, high):
    return 1 << random.randint(low, high)


def swizzle(name):
    shape = random.choice([[16, 64], [32, 32], [64, 16], [128, 8]])
    order = random.choice([[1, 0], [0, 1]])
    text = (
        f"#ttg.{name}<{{vec = {power(0, 3)}, perPhase = {power(0, 2)}, "
        f"maxPhase = {power(1, 3)}, order = {order}}}>"
    )
    return [text, shape, random.choice([2, 4])]


def padded():
    shape = random.choice([[16, 64], [32, 32], [64, 16], [128, 8]])
    intervals = sorted(random.sample([16, 32, 64, 128, 256], random.randint(1, 2)))
    pads = ", ".join(f"{interval}:+{power(0, 4)}" for interval in intervals)
    inner = f"order = {random.choice([[1, 0], [0, 1]])}, shape = {shape}"
    if random.random() < 0.5:
        bits = [
            [1 << b if d == e else 0 for e in range(2)]
            for d, n in enumerate(shape)
            for b in range(n.bit_length() - 1)
        ]
        random.shuffle(bits)
        inner = f"offset = {bits}, block = []"
    return [f"#ttg.padded_shared<[{pads}] {{{inner}}}>", shape, random.choice([2, 4])]


MAKERS = (
    lambda: swizzle("amd_rotating_shared"),
    lambda: swizzle("swizzled_shared"),
    padded,
)


# The child process: it may die.


def worker():
    import triton
    from triton.backends.compiler import GPUTarget

    text, shape, size = json.load(sys.stdin)
    threads, warps = tiling(shape)
    element, one = ELEMENTS[size]
    tensor = "x".join(map(str, shape)) + f"x{element}"
    module = MODULE % (threads, warps, text, one, tensor, tensor, tensor, tensor)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = folder
        path = Path(folder, "kernel.ttgir")
        path.write_text(module)
        target = GPUTarget("hip", "gfx942", LANES)
        kernel = triton.compile(str(path), target=target, options={"num_warps": 16})
    found = addresses(kernel.asm["llir"])
    places = [place(t, threads, warps) for t in range(THREADS)]
    wanted = sorted({1 << b for b in range(10)} | set(random.Random(1).sample(range(THREADS), 30)))
    rows = [[*places[t], found[t]] for t in wanted]
    json.dump([text, shape, size, kernel.metadata.shared, rows], sys.stdout)
    sys.stdout.flush()
    os._exit(0)


def tiling(shape):
    """Threads per warp and warps along (rows, columns): one element for every thread."""
    columns = min(shape[1], LANES)
    rows = LANES // columns
    warps = [shape[0] // rows, shape[1] // columns]
    assert warps[0] * warps[1] == THREADS // LANES
    return [rows, columns], warps


def place(thread, threads, warps):
    """(row, column) of the thread's element; columns are the fastest everywhere."""
    warp, lane = divmod(thread, LANES)
    row = warp // warps[1] * threads[0] + lane // threads[1]
    return row, warp % warps[1] * threads[1] + lane % threads[1]


BINARY = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "shl": lambda a, b: a << b,
    "lshr": lambda a, b: a >> b,
    "udiv": lambda a, b: a // b,
    "urem": lambda a, b: a % b,
}
FLAGS = r"(?: nuw| nsw| disjoint| exact| nneg| inbounds| samesign)*"
LINE = re.compile(rf"%([\w.]+) = (?:tail )?(\w+){FLAGS} (.*?)(?:, !dbg.*)?$")
STORE = re.compile(r"store (?:volatile )?.*, ptr addrspace\(3\) ([%@][\w.]+),")


def addresses(text):
    """The byte address that every thread stores to: the IR, evaluated for all threads."""
    threads = range(THREADS)
    known = {"@global_smem": [0] * THREADS}

    def value(word):
        return known[word] if word in known else [int(word)] * THREADS

    for line in text.splitlines():
        stored = STORE.search(line)
        if stored:
            return known[stored[1]]
        match = LINE.match(line.strip())
        if not match:
            continue
        target, op, rest = "%" + match[1], match[2], match[3].replace("addrspace(3)", "")
        words = re.findall(r"%[\w.]+|@\w+|(?<![\w%.])-?\d+(?!\w)", rest)
        if "workitem.id.x" in rest:
            known[target] = list(threads)
        elif "readfirstlane" in rest:
            source = value(words[-1])
            known[target] = [source[t // LANES * LANES] for t in threads]
        elif op in BINARY:
            pair = zip(value(words[0]), value(words[1]), strict=True)
            known[target] = [BINARY[op](a, b) for a, b in pair]
        elif op == "icmp":
            equal = [a == b for a, b in zip(value(words[0]), value(words[1]), strict=True)]
            assert rest.startswith(("eq", "ne")), line
            known[target] = equal if rest.startswith("eq") else [not e for e in equal]
        elif op == "select":
            parts = zip(*map(value, words), strict=True)
            known[target] = [a if condition else b for condition, a, b in parts]
        elif op == "getelementptr":
            scale = {"i8": 1, "half": 2, "float": 4}[rest.split(",")[0]]
            pair = zip(value(words[-2]), value(words[-1]), strict=True)
            known[target] = [base + scale * step for base, step in pair]
        elif op in ("zext", "trunc", "freeze"):
            known[target] = value(words[0])
        else:
            raise ValueError(line)
    raise ValueError("no store")


if __name__ == "__main__":
    worker() if "--worker" in sys.argv else main()
