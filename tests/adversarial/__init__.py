"""Kernels that are written to make ``bankwise fix`` write something wrong, and who judges it."""
