"""What needs a GPU: generated kernels, counters and times of real hardware."""
