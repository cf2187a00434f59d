"""TTGIR: what a Triton kernel does to shared memory, read from the text that Triton prints.

    %a = ttg.local_load %m : !ttg.memdesc<64x32xf16, #shared, #smem> -> tensor<64x32xf16, #dot>

Two encodings and a shape say it all: who holds which element (``#dot``) and where the element lies
(``#shared``); :mod:`bankwise.notation.triton` reads both. What is left is Triton's choice of
instructions (:mod:`.lower`), the buffers behind views and loops (:mod:`.follow`) and the scratch
memory that a change of layout takes (:mod:`.scratch`).

The text is read without Triton. Where the wheel is installed it parses and verifies the text first,
in a process of its own (:mod:`.wheel`): it ends the process on bad input.
"""
