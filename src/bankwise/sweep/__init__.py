"""Many kernels x shapes x types x targets x mitigations: declared, resumable, local or a cluster.

:mod:`spec` says which cases there are, :mod:`store` keeps what came of them, :mod:`engine` runs
what is missing, :mod:`table` and :mod:`plot` hand it out. What a case *is* they do not know: that
is a function from a case to a row, given by the verb.
"""
