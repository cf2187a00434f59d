"""Laws of the F2 algebra, against enumeration of every vector of a small space."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from bankwise.algebra import f2

DIMENSION = 6
vectors = st.lists(st.integers(0, 2**DIMENSION - 1), max_size=7)
square = st.lists(st.integers(0, 31), min_size=5, max_size=5)


def members(generators):
    """The span by brute force: every subset is summed."""
    found = set()
    for chosen in product((0, 1), repeat=len(generators)):
        total = 0
        for use, vector in zip(chosen, generators, strict=True):
            total ^= vector * use
        found.add(total)
    return found


@given(vectors)
def test_span_rank_and_basis_agree_with_enumeration(a):
    assert set(f2.span(a)) == members(a)
    assert 2 ** f2.rank(a) == len(members(a)) == 2 ** len(f2.basis(a))
    assert members(list(f2.basis(a))) == members(a)


@given(vectors, st.randoms(use_true_random=False))
def test_basis_is_canonical(a, random):
    shuffled = [x ^ (a[0] if i and random.random() < 0.5 else 0) for i, x in enumerate(a)]
    random.shuffle(shuffled)
    assert f2.basis(shuffled) == f2.basis(a)
    assert list(f2.basis(a)) == sorted(f2.basis(a))


@given(vectors, st.integers(0, 2**DIMENSION - 1))
def test_in_span_is_membership(a, x):
    assert f2.in_span(x, a) == (x in members(a))


@given(vectors, vectors)
def test_intersection_is_the_intersection_of_the_members(a, b):
    assert members(list(f2.intersection(a, b))) == members(a) & members(b)


@given(vectors)
def test_kernel_is_what_is_sent_to_zero(columns):
    null = {x for x in range(2 ** len(columns)) if f2.apply(columns, x) == 0}
    assert members(list(f2.kernel(columns))) == null


@given(vectors)
def test_complement_completes_and_avoids_the_span(a):
    rest = f2.complement(a, DIMENSION)
    assert members(list(rest)) & members(a) == {0}
    assert f2.rank([*a, *rest]) == DIMENSION == f2.rank(a) + len(rest)


@given(vectors, st.integers(0, 2**DIMENSION - 1))
def test_solve_finds_a_preimage_exactly_when_there_is_one(columns, image):
    found = f2.solve(columns, image)
    assert (found is not None) == (image in members(columns))
    assert found is None or f2.apply(columns, found) == image


@given(square)
def test_inverse_undoes_the_map_and_exists_exactly_at_full_rank(columns):
    undo = f2.inverse(columns)
    assert (undo is not None) == (len(members(columns)) == 32)
    if undo is not None:
        identity = tuple(1 << i for i in range(5))
        assert f2.compose(columns, undo) == identity == f2.compose(undo, columns)


@given(vectors, vectors)
def test_independent_keeps_order_and_the_span_modulo_the_rest(a, modulo):
    kept = list(f2.independent(a, modulo))
    assert members(kept + modulo) == members(a + modulo)
    assert f2.rank(kept + modulo) == len(kept) + f2.rank(modulo)
    assert kept == [x for x in dict.fromkeys(a) if x in kept]


@given(vectors)
def test_transpose_twice_is_the_same_map(columns):
    flipped = f2.transpose(columns, DIMENSION)
    assert f2.transpose(flipped, len(columns)) == tuple(columns)
