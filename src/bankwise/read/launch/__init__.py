"""How kernels are launched: what a user, a file, a profile or the host code says of it."""
