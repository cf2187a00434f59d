"""A language server: conflicts at the lines of kernels, the banks to hover over, proved fixes."""
