"""Edits of a kernel's own text, the compiler passes, and the judges that share no code with
them."""
