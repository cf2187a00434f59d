"""Edits of CUDA and HIP C++ in the user's own text, and the proof that they keep its meaning."""
