"""Whole kernels generated from a layout: CUDA and HIP text, and the accesses they make.

    layout --notation.code--> address text --transpose, gemm, attention--> kernel text

A kernel here is a text and the list of its shared-memory accesses, both made from one value, so
what is counted is what is compiled. Nothing is run: ``gpu`` does that.
"""
