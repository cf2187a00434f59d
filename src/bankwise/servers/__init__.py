"""What other programs talk to over standard input and output: editors (``lsp``), agents (``mcp``).

Both are front ends, like the command line. Every question is a job in a process of its own
(:mod:`bankwise.ask.jobs`), so that nothing that happens in it stops the server, and whatever is no
longer wanted is ended. Nothing here writes a file.
"""
