"""THE definition: accesses, the passes they take, and why, by counting alone."""
