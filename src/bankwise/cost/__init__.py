"""What a kernel's code costs beside conflicts: instruction mix, issue cycles, waits, bounds."""
