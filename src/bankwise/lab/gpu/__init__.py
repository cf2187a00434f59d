"""Measuring on a real GPU: single accesses, their counters, and what they say about the rules.

    cases --kernels--> one launch per access --profiler--> counters --compare--> agreement

The NVIDIA side was run on an H200. The AMD side is written for whoever has one and is *untested on
hardware*. CuPy (extra ``[gpu]``) launches on both; it is imported by the worker process only.
"""
