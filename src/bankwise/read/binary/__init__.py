"""Files of machine code: what they hold, nested to any depth, and the kernels in it."""
