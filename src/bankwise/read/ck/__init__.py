"""Headers of Composable Kernel as they are written: policies, descriptors, distributions."""
