"""What a profiler measured: Nsight Compute and rocprof exports, read into values."""
