"""Independent tasks on parallel workers: processes on this machine, or a Ray cluster.

A task is a module-level function and its arguments. Its result depends on nothing else, so it is
the same wherever it runs, and a task can be rerun if its worker is lost.
"""
