"""Tools for programs that write kernels: short answers, and more of them on request."""
