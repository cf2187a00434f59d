"""Composable Kernel's tensor descriptors as a framework: strides, or one XOR transform."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from bankwise.algebra.address import Fold
from bankwise.algebra.offset import Shape
from bankwise.errors import InputError, Refusal
from bankwise.notation.ck import descriptor, encoding
from bankwise.notation.ck.descriptor import TensorDescriptor, legality, naive, xor_descriptor
from bankwise.notation.ck.fold import divides, fold_descriptor
from bankwise.notation.cute.fit import strided
from bankwise.notation.fold import divisors, fold_of, folded_tile, sizes, unfolded
from bankwise.notation.framework import Framework, Ground, Language, Member, Setting
from bankwise.notation.values import (
    Distribution,
    Memory,
    collision,
    same_memory,
    tabulate,
)

BANKS = (32, 64)
"""Bank counts that the XOR descriptor of CK's pipelines is made for."""


def _read(text: str, shape: Shape, setting: Setting) -> Memory:
    return descriptor(text, setting.symbols)


def _hold(text: str, shape: Shape, setting: Setting) -> Distribution:
    return encoding(text, setting.symbols)


def _fault(memory: Memory) -> str:
    if isinstance(memory, TensorDescriptor):
        return "; ".join(map(str, legality(memory)))
    clash = collision(memory)
    return str(clash) if clash else ""


def _write(memory: Memory, ground: Ground) -> object:
    """Strides, the XOR descriptor of CK's pipelines, or another XOR between two digits."""
    found = strided(tabulate(memory).table)
    if found is not None and all(isinstance(s, int) for s in _parts(found.shape)):
        strides = tuple(stride for _, stride in found.leaves())
        box = naive(memory.shape, strides, _vector(memory.shape, strides, ground.shape))
        if same_memory(box, memory):
            return box
    fold = fold_of(memory)
    if isinstance(fold, Fold):
        named = _standard(ground.shape).get(fold)
        said = named[1] if named else fold_descriptor(fold, sizes(ground.shape))
        if said is not None:
            return said
    return Refusal("neither strides nor one XOR of a digit of the offset with another give it")


def _vector(lengths: tuple[int, ...], strides: tuple[int, ...], shape: Shape) -> int:
    """Elements that strides may promise to lie in a row: 16 bytes, where rows begin at multiples
    of them. Without a promise CK moves one element at a time. -1 for none."""
    vector = 128 // shape.element_bits if 128 % shape.element_bits == 0 else 1
    while lengths[-1] % vector or any(stride % vector for stride in strides[:-1]):
        vector //= 2
    return vector if vector > 1 and strides[-1] == 1 else -1


def _members(ground: Ground) -> Iterator[Member]:
    """Every fold whose digits divide the tile; those of CK's pipelines have a name."""
    shape = ground.shape
    named, lengths = _standard(shape), sizes(shape)
    yield Member("row-major", unfolded(shape))
    for fold, address in folded_tile(shape):
        if fold in named:
            yield Member(named[fold][0], address)
        elif divides(fold, lengths):
            label = (
                f"xor transform, offset / {fold.divisor} into offset / {fold.unit}, "
                f"modulo {fold.phases}"
            )
            yield Member(label, address)


@lru_cache(maxsize=64)
def _standard(shape: Shape) -> dict[Fold, tuple[str, TensorDescriptor]]:
    """The XOR descriptors of CK's pipelines on this tile, by the fold that they are."""
    if len(shape.dims) != 2 or shape.element_bits % 8:
        return {}
    k, m = (size for _, size in shape.dims)
    found: dict[Fold, tuple[str, TensorDescriptor]] = {}
    seen: set[TensorDescriptor] = set()
    for banks in BANKS:
        for pack in divisors(k):
            try:
                one = xor_descriptor(
                    m, k, banks=banks, element_bytes=shape.element_bits // 8, pack=pack
                )
            except InputError:
                # The rows of LDS do not divide the tile: no such descriptor exists.
                continue
            fold = None if one in seen else fold_of(one)
            seen.add(one)
            if isinstance(fold, Fold):
                found.setdefault(fold, (f"xor descriptor, pack={pack}, {banks} banks", one))
    return found


def _parts(shape: object) -> tuple[object, ...]:
    return shape if isinstance(shape, tuple) else (shape,)


CK = Framework(
    "ck",
    Language(
        "ck",
        re.compile(r"\s*<|.*(make_|tile_distribution_encoding|constexpr)", re.DOTALL),
        _read,
        _hold,
        _fault,
        kernels="ck_tile|^_ZN2ck",
        example="make_naive_tensor_descriptor(make_tuple(64, 64), make_tuple(68, 1))",
    ),
    "Composable Kernel's descriptors with one XOR transform",
    _members,
    _write,
    complete=False,
    flat=True,
)
