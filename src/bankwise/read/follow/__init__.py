"""Following integer instructions for all threads of a workgroup at once; AMD and PTX share it."""
