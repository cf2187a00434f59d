"""Make cute_golden.json: what NVIDIA's pycute and tensor-layouts say about random CuTe layouts.

    python -m venv /tmp/cute && /tmp/cute/bin/pip install tensor-layouts==0.3.2
    /tmp/cute/bin/pip install --no-deps nvidia-cutlass==4.2.0.0        # has pycute inside
    /tmp/cute/bin/python tests/data/make_cute_golden.py

("pip install pycute" is another package.) A case is kept where both agree as functions of one
integer, and for compositions only where they are what they should be, A(B(i)): neither checks that
the operation is defined. Swizzles are taken inside CuTe's domain only, |S| >= B > 0.

    ["index", layout, values]           the layout at 0, 1, 2, ..
    ["coalesce", layout, result]        as printed by pycute
    ["composition", a, b, result]       also logical_divide, zipped_divide, logical_product
    ["complement", a, size, result]
    ["blocked_product", a, b, result]   also raked_product; tensor-layouts alone
    ["swizzle", [B, M, S], d, values]   at 0, d, 2 d, ..
    ["composed", text, values]
    ["mma", atom, operand, layout]      (lane, register) -> column-major element; tensor-layouts
"""

import json
import random
from pathlib import Path

import pycute
import tensor_layouts as tl
from tensor_layouts import atoms_nv

OUT = Path(__file__).with_name("cute_golden.json")
SEED = 20261121
COUNT = 60
SAMPLES = 128

ATOMS = {
    "m16n8k16.f16": "SM80_16x8x16_F32F16F16F32_TN",
    "m16n8k8.f16": "SM80_16x8x8_F32F16F16F32_TN",
    "m16n8k8.tf32": "SM80_16x8x8_F32TF32TF32F32_TN",
    "m16n8k32.s8": "SM80_16x8x32_S32S8S8S32_TN",
    "wgmma.64x8": "SM90_64x8x16_F16F16F16_SS",
    "wgmma.64x24": "SM90_64x24x16_F16F16F16_SS",
    "wgmma.64x64": "SM90_64x64x16_F16F16F16_SS",
    "wgmma.64x256": "SM90_64x256x16_F16F16F16_SS",
}


def main():
    random.seed(SEED)
    cases = []
    for make in (index, coalesce, composition, complement, divide, zipped, product, blocked, raked):
        cases += collect(make)
    cases += collect(swizzle) + collect(composed) + list(atoms())
    lines = [json.dumps(case, separators=(",", ":")) for case in cases]
    OUT.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(cases)} cases")


def collect(make):
    """COUNT different cases of one kind."""
    found = {}
    while len(found) < COUNT:
        try:
            case = make()
        except (AssertionError, ValueError, ZeroDivisionError):
            continue
        if case is not None:
            found[json.dumps(case)] = case
    return list(found.values())


# Random layouts.


def random_shape(depth=2):
    if depth == 0 or random.random() < 0.4:
        return random.choice([1, 2, 2, 3, 4, 4, 6, 8])
    return tuple(random_shape(depth - 1) for _ in range(random.randint(1, 3)))


def leaves(shape):
    return [shape] if isinstance(shape, int) else [x for part in shape for x in leaves(part)]


def rebuild(shape, values):
    if isinstance(shape, int):
        return values.pop(0)
    return tuple(rebuild(part, values) for part in shape)


def compact(shape):
    """Strides of a permutation of the modes without gaps, sometimes with a gap."""
    sizes = leaves(shape)
    strides, step = [0] * len(sizes), 1
    for i in random.sample(range(len(sizes)), len(sizes)):
        strides[i] = step
        step *= sizes[i]
        if random.random() < 0.15:
            step *= 2
    return rebuild(shape, strides)


def random_layout(depth=2):
    while True:
        shape = random_shape(depth)
        if pycute.product(shape) <= 512:
            return pycute.Layout(shape, compact(shape))


def text(layout):
    return str(layout).replace(" ", "")


def other(layout):
    """The same layout in tensor-layouts."""
    return tl.Layout(layout.shape, layout.stride)


def values(layout, count):
    return [layout(i) for i in range(count)]


def agree(a, b):
    """Whether a pycute layout and a tensor-layouts one are the same function."""
    return a.size() == tl.size(b) and values(a, a.size()) == values(b, a.size())


# The cases.


def index():
    a = random_layout(3)
    size = min(a.size(), SAMPLES)
    assert values(a, size) == values(other(a), size)
    return ["index", text(a), values(a, size)]


def coalesce():
    a = random_layout(3)
    found = pycute.coalesce(a)
    assert agree(found, tl.coalesce(other(a)))
    return ["coalesce", text(a), text(found)]


def composition():
    a, b = random_layout(), random_layout()
    found = pycute.composition(a, b)
    assert b.cosize() <= a.size()
    assert values(found, b.size()) == [a(b(i)) for i in range(b.size())]
    assert agree(found, tl.compose(other(a), other(b)))
    return ["composition", text(a), text(b), text(found)]


def complement():
    a = random_layout()
    size = a.cosize() * random.randint(1, 8)
    found = pycute.complement(a, size)
    assert agree(found, tl.complement(other(a), size))
    together = pycute.make_layout(a, found)
    image = values(together, together.size())
    assert len(set(image)) == len(image)
    return ["complement", text(a), size, text(found)]


def tiler_for(a):
    size = random.choice([n for n in (2, 3, 4, 6, 8, 16) if a.size() % n == 0] or [1])
    return pycute.Layout(size, random.choice([1, 1, 2, 4]))


def divided(name, mine, theirs):
    a = random_layout()
    tiler = tiler_for(a)
    found = mine(a, tiler)
    split = pycute.make_layout(tiler, pycute.complement(tiler, a.size()))
    assert split.size() == a.size() == found.size()
    assert values(found, found.size()) == [a(split(i)) for i in range(found.size())]
    assert agree(found, theirs(other(a), other(tiler)))
    return [name, text(a), text(tiler), text(found)]


def divide():
    return divided("logical_divide", pycute.logical_divide, tl.logical_divide)


def zipped():
    return divided("zipped_divide", pycute.zipped_divide, tl.zipped_divide)


def product():
    a, b = random_layout(1), random_layout(1)
    found = pycute.logical_product(a, b)
    assert agree(found, tl.logical_product(other(a), other(b)))
    image = values(found, found.size())
    assert len(set(image)) == len(image) <= 1024
    return ["logical_product", text(a), text(b), text(found)]


def repeated(name, theirs):
    pair = (random.choice([2, 4, 8]), random.choice([2, 4, 8]))
    more = (random.choice([1, 2, 4]), random.choice([1, 2, 4]))
    a, b = pycute.Layout(pair, compact(pair)), pycute.Layout(more, compact(more))
    # Into the gaps of a block CuTe's product puts the next block; tensor-layouts does not.
    assert a.cosize() == a.size()
    found = theirs(other(a), other(b))
    image = values(found, tl.size(found))
    assert len(set(image)) == len(image)
    return [name, text(a), text(b), text(found).replace(" ", "")]


def blocked():
    return repeated("blocked_product", tl.blocked_product)


def raked():
    return repeated("raked_product", tl.raked_product)


def random_swizzle():
    bits = random.randint(1, 4)
    shift = random.randint(bits, 6) * random.choice([1, 1, 1, -1])
    return bits, random.randint(0, 4), shift


def swizzle():
    numbers = random_swizzle()
    step = random.choice([1, 3, 5, 7, 17])
    found = [pycute.Swizzle(*numbers)(i * step) for i in range(SAMPLES)]
    assert found == [tl.Swizzle(*numbers)(i * step) for i in range(SAMPLES)]
    return ["swizzle", list(numbers), step, found]


def composed():
    a, numbers = random_layout(), random_swizzle()
    offset = random.choice([0, 0, 0, 8, 64])
    found = pycute.ComposedLayout(pycute.Swizzle(*numbers), offset, a)
    size = min(a.size(), SAMPLES)
    theirs = tl.Swizzle(*numbers)
    assert values(found, size) == [theirs(offset + other(a)(i)) for i in range(size)]
    return ["composed", str(found), values(found, size)]


def atoms():
    for name, constant in ATOMS.items():
        atom = getattr(atoms_nv, constant)
        for operand in "C" if "wgmma" in name else "ABC":
            yield ["mma", name, operand, text(getattr(atom, f"{operand.lower()}_layout"))]


if __name__ == "__main__":
    main()
