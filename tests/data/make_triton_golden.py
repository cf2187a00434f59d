"""Make triton_golden.json: what Triton 3.9.0 says about random encodings.

    python -m venv /tmp/triton && /tmp/triton/bin/pip install triton==3.9.0
    /tmp/triton/bin/python tests/data/make_triton_golden.py

No GPU is needed. Triton aborts the process on some inputs, so a child process does the asking, a
batch at a time; a batch that dies is asked again one by one, and what kills it is left out and
counted on stderr.

Every line is one case, bases as row-major numbers of their coordinates:

    ["bases", encoding as Triton prints it, shape, [register, lane, warp] or [offset]]
    ["padded", encoding, shape, [[interval, pad], ..], offset]
    ["conflict", register encoding, shared encoding, shape, element bits, extra passes of a phase]
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

OUT = Path(__file__).with_name("triton_golden.json")
BATCH = 40
SEED = 20261121


def main():
    random.seed(SEED)
    asked = [case for make, count in MAKERS for case in distinct(make, count)]
    asked += list(conflict_cases())
    random.seed(SEED + 1)
    asked += [case for make, count in LATER for case in distinct(make, count)]
    answers, lost = [], 0
    for batch in chunks(asked):
        found = ask(batch)
        if found is None:
            singles = [ask([case]) for case in batch]
            lost += singles.count(None)
            found = [one[0] for one in singles if one is not None]
        answers += found
    lines = [json.dumps(a, separators=(",", ":")) for a in answers]
    OUT.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(answers)} cases, {lost} refused by Triton", file=sys.stderr)


def chunks(cases):
    return [cases[i : i + BATCH] for i in range(0, len(cases), BATCH)]


def distinct(make, count):
    seen = {}
    while len(seen) < count:
        case = make()
        seen[json.dumps(case)] = case
    return list(seen.values())


def ask(cases):
    """The answers of a child process; None if it died."""
    command = [sys.executable, __file__, "--worker"]
    text = json.dumps(cases)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


# Random encodings, written by hand here: the code under test has no part in them.


def power(low, high):
    return 1 << random.randint(low, high)


def split(bits, rank):
    """``bits`` bits, dealt to ``rank`` sizes."""
    sizes = [1] * rank
    for _ in range(bits):
        sizes[random.randrange(rank)] *= 2
    return sizes


def shuffled(rank):
    return random.sample(range(rank), rank)


def shape_of(rank, total):
    while True:
        shape = [power(0, 7) for _ in range(rank)]
        bits = sum(n.bit_length() - 1 for n in shape)
        if 1 <= bits <= total:
            return shape


def blocked_text(rank, lanes):
    per_thread, threads = split(random.randint(0, 4), rank), split(lanes, rank)
    warps, order = split(random.randint(0, 3), rank), shuffled(rank)
    return (
        f"#ttg.blocked<{{sizePerThread = {per_thread}, threadsPerWarp = {threads}, "
        f"warpsPerCTA = {warps}, order = {order}}}>"
    )


def blocked():
    rank = random.randint(1, 3)
    return ["tensor", blocked_text(rank, random.choice([5, 6])), shape_of(rank, 13)]


def nvidia_text(major, rank=2):
    warps = [1] * (rank - 2) + split(random.randint(0, 3), 2)
    if rank == 3:
        warps[0] = power(0, 1)
    if major == 3:
        warps[-2] = max(4, warps[-2])
        shape = [16, power(3, 7), 16]
    else:
        shape = [1] * (rank - 2) + [16, 8]
    return (
        f"#ttg.nvidia_mma<{{versionMajor = {major}, versionMinor = 0, "
        f"warpsPerCTA = {warps}, instrShape = {shape}}}>"
    )


def matrix_shape(rank=2):
    return [power(0, 2) for _ in range(rank - 2)] + [power(3, 7), power(3, 7)]


def nvidia():
    major = random.choice([2, 3])
    rank = 2 if major == 3 else random.choice([2, 2, 3])
    return ["tensor", nvidia_text(major, rank), matrix_shape(rank)]


def nvidia_operand():
    major, index = random.choice([2, 3]), random.randint(0, 1)
    index = 0 if major == 3 else index
    rank = 2 if major == 3 else random.choice([2, 2, 3])
    parent, k_width = nvidia_text(major, rank), power(0, 3)
    text = f"#ttg.dot_op<{{opIdx = {index}, parent = {parent}, kWidth = {k_width}}}>"
    return ["tensor", text, matrix_shape(rank)]


def mfma_text(rank=2):
    shape, transposed = random.choice(
        [([32, 32, 8], None), ([16, 16, 16], None), ([4, 64, 4], None), ([64, 4, 4], True)]
    )
    transposed = random.random() < 0.5 if transposed is None else transposed
    warps = [1] * (rank - 2) + split(random.randint(0, 3), 2)
    extra = ""
    if random.random() < 0.3:
        extra += f", tilesPerWarp = {[1] * (rank - 2) + split(random.randint(1, 2), 2)}"
    if shape[0] == 16 and random.random() < 0.3:
        extra += ", elementBitWidth = 64"
    return (
        f"#ttg.amd_mfma<{{version = {random.randint(1, 4)}, warpsPerCTA = {warps}, "
        f"instrShape = {shape}, isTransposed = {str(transposed).lower()}{extra}}}>"
    )


def mfma():
    rank = random.choice([2, 2, 2, 3])
    return ["tensor", mfma_text(rank), matrix_shape(rank)]


def mfma_operand():
    index, k_width, rank = random.randint(0, 1), power(0, 4), random.choice([2, 2, 2, 3])
    text = f"#ttg.dot_op<{{opIdx = {index}, parent = {mfma_text(rank)}, kWidth = {k_width}}}>"
    return ["tensor", text, matrix_shape(rank)]


def slices():
    kind = random.randint(0, 3)
    rank = random.randint(2, 3) if kind == 0 else 2
    parent = [
        lambda: blocked_text(rank, 5),
        lambda: nvidia_text(2),
        mfma_text,
        lambda: nvidia_operand()[1],
    ][kind]()
    if "instrShape = [1," in parent:
        rank = 3
    dim = random.randrange(rank)
    return ["tensor", f"#ttg.slice<{{dim = {dim}, parent = {parent}}}>", shape_of(rank - 1, 9)]


def linear():
    rank, generic = random.randint(1, 3), random.random() < 0.5
    shape = shape_of(rank, 12)
    while sum(n.bit_length() - 1 for n in shape) < 7:
        shape = [2 * n for n in shape]
    bits = permuted(shape)
    lane, warp, register = bits[:5], bits[5:7], bits[7:]
    if generic:
        warp = [[a ^ b for a, b in zip(w, random.choice(lane), strict=True)] for w in warp]
    elif random.random() < 0.5:
        lane[random.randrange(5)], register = [0] * rank, [*register, lane[0]]
        lane = lane if [0] * rank in lane[1:] else [[0] * rank, *lane[1:]]
        reached = {tuple(b) for b in lane + warp + register}
        register += [b for b in bits if tuple(b) not in reached]
        register = [b for i, b in enumerate(register) if b not in lane and b not in register[:i]]
    name = "generic_linear" if generic else "linear"
    text = f"#ttg.{name}<{{register = {register}, lane = {lane}, warp = {warp}, block = []}}>"
    return ["tensor", text, shape]


def resized():
    """Explicit bases for a tensor of another shape."""
    kind, text, shape = linear()
    while "generic" in text:
        kind, text, shape = linear()
    shape = [max(1, n * 2 ** random.randint(-2, 2)) for n in shape]
    return [kind, text, shape]


def plain_operand():
    """An operand of plain multiply-adds: its parent is blocked."""
    text = f"#ttg.dot_op<{{opIdx = {random.randint(0, 1)}, parent = {blocked_text(2, 5)}}}>"
    return ["tensor", text, shape_of(2, 12)]


def swizzled():
    rank = random.randint(1, 3)
    text = (
        f"#ttg.swizzled_shared<{{vec = {power(0, 4)}, perPhase = {power(0, 3)}, "
        f"maxPhase = {power(0, 4)}, order = {shuffled(rank)}}}>"
    )
    return ["memdesc", text, shape_of(rank, 13)]


def nvmma():
    bits = random.choice([8, 16, 32])
    width = random.choice([0, 32, 64, 128])
    transposed = random.random() < 0.5
    sizes = [power(3, 6), power(0, 3) * max(8 * width // bits, 8)]
    text = (
        f"#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, "
        f"transposed = {str(transposed).lower()}, elementBitWidth = {bits}}}>"
    )
    return ["memdesc", text, sizes[::-1] if transposed else sizes]


def permuted(shape):
    """Every unit step once, in any order."""
    bits = [
        [1 << b if d == e else 0 for e in range(len(shape))]
        for d, n in enumerate(shape)
        for b in range(n.bit_length() - 1)
    ]
    random.shuffle(bits)
    return bits


def invertible(shape):
    """Offset bases of a random XOR layout: unit steps, then steps added to later ones."""
    bits = permuted(shape)
    for _ in range(len(bits)):
        low, high = sorted((random.randrange(len(bits)), random.randrange(len(bits))))
        if low < high:
            bits[high] = [a ^ b for a, b in zip(bits[low], bits[high], strict=True)]
    return bits


def shared_linear():
    shape = shape_of(random.randint(1, 3), 12)
    text = f"#ttg.shared_linear<{{offset = {invertible(shape)}}}, alignment = {power(2, 7)}>"
    return ["memdesc", text, shape]


def padded():
    shape = shape_of(2, 12)
    intervals = random.sample([16, 32, 64, 128], random.randint(1, 2))
    pads = ", ".join(f"{interval}:+{power(0, 4)}" for interval in sorted(intervals))
    if random.random() < 0.5:
        inner = f"order = {shuffled(2)}, shape = {shape}"
    else:
        inner = f"offset = {permuted(shape)}, block = []"
    return ["padded", f"#ttg.padded_shared<[{pads}] {{{inner}}}>", shape]


def conflict_cases():
    """The published table, the case that Triton gets wrong, and random ones; 32 banks."""
    column = "#ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [32, 1], %s}>"
    flat = column % "warpsPerCTA = [1, 1], order = [1, 0]"
    swizzle = "#ttg.swizzled_shared<{vec = %d, perPhase = %d, maxPhase = %d, order = [1, 0]}>"
    for numbers in ((1, 1, 1), (1, 1, 16), (1, 1, 32)):
        yield ["conflict", flat, swizzle % numbers, [32, 32], 32]
    rows = "#ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], %s}>"
    rows %= "warpsPerCTA = [1, 1], order = [1, 0]"
    for numbers in ((8, 1, 1), (8, 1, 8), (8, 2, 4)):
        yield ["conflict", rows, swizzle % numbers, [64, 64], 16]
    wrong = column % "warpsPerCTA = [2, 2], order = [1, 0]"
    yield ["conflict", wrong, swizzle % (1, 1, 4), [64, 128], 16]
    for _ in range(120):
        bits = random.choice([8, 16, 32])
        text = swizzle % (power(0, 4), power(0, 2), power(0, 4))
        yield ["conflict", blocked_text(2, 5), text, [power(4, 7), power(4, 7)], bits]


MAKERS = (
    (blocked, 120),
    (nvidia, 90),
    (nvidia_operand, 90),
    (mfma, 110),
    (mfma_operand, 110),
    (slices, 70),
    (linear, 60),
    (swizzled, 100),
    (nvmma, 50),
    (shared_linear, 50),
    (padded, 40),
)


def padded_fp4():
    """Operands of 4 bits that a copy unit spreads: 8 bytes of data, 8 of nothing."""
    transposed = random.random() < 0.5
    sizes = [power(3, 6), 64 * power(0, 2)]
    text = (
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, "
        f"transposed = {str(transposed).lower()}, elementBitWidth = 8, fp4Padded = true}}>"
    )
    return ["memdesc", text, sizes[::-1] if transposed else sizes]


def nvmma_of_rank():
    """What a descriptor of another rank than 2 fills."""
    if random.random() < 0.2:
        width, shape = 0, [power(3, 10)]
    else:
        width = random.choice([0, 32, 64, 128])
        shape = [
            *split(random.randint(3, 6), random.choice([2, 3])),
            power(0, 2) * max(width // 2, 8),
        ]
    text = (
        f"#ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = false, "
        f"elementBitWidth = 16, rank = {len(shape)}}}>"
    )
    return ["memdesc", text, shape]


LATER = ((resized, 60), (plain_operand, 60), (padded_fp4, 12), (nvmma_of_rank, 30))


# The child process: everything below may die.


def worker():
    import warnings

    warnings.simplefilter("ignore")
    os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
    answers = [ANSWER[case[0]](*case[1:]) for case in json.load(sys.stdin)]
    json.dump(answers, sys.stdout)
    sys.stdout.flush()
    os._exit(0)


def product(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


def typed(kind, text, shape, element):
    sizes = "x".join(map(str, shape))
    if kind == "tensor":
        return f"tensor<{sizes}x{element}, {text}>"
    return f"!ttg.memdesc<{sizes}x{element}, {text}, #ttg.shared_memory, mutable>"


def opened(types):
    from triton._C.libtriton import amd, gluon_ir, ir, nvidia

    arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(types))
    module = (
        'module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, '
        'ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {\n'
        f"tt.func public @f({arguments}) {{\n tt.return\n}}\n}}\n"
    )
    context = ir.context()
    for dialects in (ir, amd, nvidia):
        dialects.load_dialects(context)
    with tempfile.NamedTemporaryFile("w", suffix=".ttgir") as file:
        file.write(module)
        file.flush()
        parsed = ir.parse_mlir_module(file.name, context)
    return context, parsed, gluon_ir.GluonOpBuilder(context)


def arguments(parsed):
    """The arguments of the function, with their types as Triton prints them."""
    function = parsed.get_function("f")
    return [function.args(i) for i in range(function.get_num_args())]


def number(basis, shape):
    index = 0
    for value, size in zip(basis, shape, strict=True):
        index = index * size + value
    return index


def numbers(bases, shape):
    return [number(basis, shape) for basis in bases]


def printed(value):
    """The encoding inside the printed type."""
    text = str(value.get_type())
    end = text.rindex(", #ttg.shared_memory") if "memdesc" in text else len(text) - 1
    return text[text.index("#") : end]


def tensor(text, shape):
    keep = opened([typed("tensor", text, shape, "f16")])
    value = arguments(keep[1])[0]
    found = keep[2].get_gluon_layout_from_tensor(value)
    if "generic_linear" not in text:  # its bases are what is written, and building it again aborts
        found = keep[2].to_linear_layout(found._to_ir(keep[2]), shape)
    parts = [found.reg_bases, found.lane_bases, found.warp_bases]
    return ["bases", printed(value), shape, [numbers(p, shape) for p in parts]]


def memdesc(text, shape):
    keep = opened([typed("memdesc", text, shape, "f16")])
    value = arguments(keep[1])[0]
    layout = keep[2].get_gluon_layout_from_memdesc(value)._to_ir(keep[2])
    found = keep[2].to_linear_layout(layout, shape)
    return ["bases", printed(value), shape, [numbers(found.offset_bases, shape)]]


def padded_answer(text, shape):
    keep = opened([typed("memdesc", text, shape, "f16")])
    value = arguments(keep[1])[0]
    found = keep[2].get_gluon_layout_from_memdesc(value)
    bases = numbers(found.offset_bases, shape)
    return ["padded", printed(value), shape, found.interval_padding_pairs, bases]


def conflict(register, shared, shape, bits):
    element = {8: "i8", 16: "f16", 32: "f32"}[bits]
    types = [typed("tensor", register, shape, element), typed("memdesc", shared, shape, element)]
    _context, parsed, builder = opened(types)
    tensor_value, shared_value = arguments(parsed)
    blocks = []
    parsed.walk(lambda op: blocks.append(op.get_block()))
    builder.set_insertion_point_to_start(blocks[0])
    layouts = (
        builder.get_gluon_layout_from_tensor(tensor_value)._to_ir(builder),
        builder.get_gluon_layout_from_memdesc(shared_value)._to_ir(builder),
    )
    extra = builder.get_shared_bank_conflicts(*layouts, shape, bits)
    return ["conflict", printed(tensor_value), printed(shared_value), shape, bits, extra]


ANSWER = {"tensor": tensor, "memdesc": memdesc, "padded": padded_answer, "conflict": conflict}

if __name__ == "__main__":
    worker() if "--worker" in sys.argv else main()
