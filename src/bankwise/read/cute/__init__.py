"""CuTe as people write it, C++ and Python: layouts, copies, and which of them meet."""
