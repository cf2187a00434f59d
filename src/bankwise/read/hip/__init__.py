"""HIP C++, compiled by clang to AMD assembly."""
