"""AMD assembly as LLVM prints it: its kernels, and every access to LDS with its addresses."""
