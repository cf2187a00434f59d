"""A folder that whoever has an AMD GPU runs, and what its counters say.

design     which accesses are asked, and by which rules they differ
program    the HIP text that executes them one by one
folder     what is written: program, cases, script, manifest, a page in plain words
answers    what comes back: the profiler's export as cases with counters
"""
