"""The compiler flow on IREE modules: each pass reads a text and gives a text.

    decide        for every tile and allocation: a legal xor_shuffle that helps, or padding; why
    materialise   vectors that are to go through shared memory get an allocation and its hint
    flatten       tensors in shared memory become memrefs; hints stand on one dimension
    resolve       hints become address arithmetic at every access, or stay, with a reason
    pad           the fallback: longer rows, where counting says that they help; and the way back
    buffer        global accesses through raw buffers, with the cache's swizzle where it may help

legality      the one classifier that decide and resolve share
holes         what iree-base-compiler 3.13.0 accepts and gets wrong, found in a text
hints         hints in a text: where they count from, and taking them away
statements    whole operations of the user's text
"""
