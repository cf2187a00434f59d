"""CUDA and HIP C++ as text: where shared arrays are declared and used."""
