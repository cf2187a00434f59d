"""The languages kernel authors think in, one file each, over two protocols.

A :class:`~bankwise.notation.values.Distribution` says who holds which element of a tile, a
:class:`~bankwise.notation.values.Memory` where in shared memory an element lies. Every notation
reads its text into one of the two and writes it back, so that what one framework says can be
compared with, and turned into, what another says.
"""
