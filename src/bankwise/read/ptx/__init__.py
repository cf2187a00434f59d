"""PTX text: its kernels, and every access to shared memory with its addresses."""
