"""What bankwise found, as values, and the ways to print them: terminal, JSON, SARIF."""
