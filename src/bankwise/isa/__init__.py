"""What the compiler really emits: compile a kernel, read its assembly, compare two of them."""
