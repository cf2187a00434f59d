"""The compiler flow on IREE modules: each pass reads a text and gives a text.

    fold-hints    a slice of an empty hinted tensor is an empty hinted tensor
    decide        for every tile and allocation: a legal xor_shuffle that helps, or padding; why
    materialise   vectors that are to go through shared memory get an allocation and its hint
    flatten       tensors in shared memory become memrefs; hints stand on one dimension
    absorb        a hint becomes an attribute of its allocation
    resolve       hints become address arithmetic at every access, or stay, with a reason
    dma-swizzle   what copies in lane order fill is swizzled by permuting their source
    unpad         rows without the elements behind them that nobody uses
    pad           the fallback: longer rows, where counting says that they help
    split-access  accesses of 16 bytes in halves, which a swizzle may part
    buffer        global accesses through raw buffers, with the cache's swizzle where it may help

legality      the one classifier that decide and resolve share
fetch_order   whether copies fetch in order, or under a hint already
holes         what iree-base-compiler 3.13.0 accepts and gets wrong, found in a text
hints         hints in a text: where they count from, and taking them away
unrooted      hints on memory whose allocation cannot be followed
rows          rows of another length, and every type that follows from it
statements    whole operations of the user's text
"""
