"""NVIDIA machine code (SASS): cubins and their disassembly, every access to shared memory."""
